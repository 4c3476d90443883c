"""How often an all-in before the flop is a tie: every class of starting hands against every other, exactly.

``strategy.poker.allin`` has two points for a win and one for a tie; simulated all-ins must tell them apart.
``python -m strategy.pushfold.ties`` writes the table; it enumerates the boards in half a minute.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from strategy.poker.allin import BOARDS, all_in_table, read_triangle, write_triangle

_PATH = Path(__file__).parents[1] / "data" / "allin_ties.json"


def tie_table() -> NDArray[np.int64]:
    """Return ties over all hands and boards, out of ``pairs * BOARDS``: int64[169, 169], symmetric, in the
    order of ``HAND_CLASSES``. Raises AllInError.
    """
    ties = read_triangle(_PATH, "ties")
    return ties + np.triu(ties, 1).T


@cache
def chances() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probabilities that the first class wins, and that it wins or ties: two float64[169, 169].
    Raises AllInError.
    """
    table, ties = all_in_table(), tie_table()
    shows = table.pairs * BOARDS
    wins = (table.points - ties) // 2
    return wins / shows, (wins + ties) / shows


def compute_ties() -> NDArray[np.int64]:
    """Return the ties of all pairs of classes, by enumerating all boards: int64[169, 169]."""
    from strategy.poker.allin_kernel import count_wins

    wins = count_wins()
    return all_in_table().pairs * BOARDS - wins - wins.T


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description="Count the ties of all-ins before the flop.")
    parser.add_argument("--out", type=Path, default=_PATH, help="(%(default)s)")
    options = parser.parse_args()
    write_triangle(options.out, "ties", compute_ties())


if __name__ == "__main__":
    main()
