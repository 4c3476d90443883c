"""How often an all-in before the flop is a tie: every class of starting hands against every other, exactly.

``strategy.poker.allin`` has two points for a win and one for a tie; who plays all-ins out has to know them
apart. Written by ``python -m strategy.pushfold.ties``, which goes through the boards in half a minute.
"""

from __future__ import annotations

import argparse
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strategy.poker.allin import BOARDS, CLASSES, AllInError, all_in_table

__all__ = ["chances", "compute_ties", "main", "tie_table"]

_PATH = Path(__file__).parents[1] / "data" / "allin_ties.json"


def tie_table() -> NDArray[np.int64]:
    """Ties over all hands and boards, out of ``pairs * BOARDS``: int64[169, 169], symmetric, in the order of
    ``HAND_CLASSES``. Raises AllInError.
    """
    text: dict[str, Any] = json.loads(_PATH.read_text("ascii"))
    ties = np.zeros((CLASSES, CLASSES), np.int64)
    for row, values in enumerate(text["ties"]):
        ties[row, row:] = ties[row:, row] = values
    if text["sha256"] != _digest(ties):
        raise AllInError(f"{_PATH} is damaged: its checksum does not fit")
    return ties


def chances() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """That the first class wins, and that it wins or ties: two float64[169, 169]. Raises AllInError."""
    table, ties = all_in_table(), tie_table()
    shows = table.pairs * BOARDS
    wins = (table.points - ties) // 2
    return wins / shows, (wins + ties) / shows


def compute_ties() -> NDArray[np.int64]:
    """The ties of all pairs of classes, by going through all boards: int64[169, 169]."""
    from strategy.poker.allin_kernel import count_wins

    wins = count_wins()
    return all_in_table().pairs * BOARDS - wins - wins.T


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description="Count the ties of all-ins before the flop.")
    parser.add_argument("--out", type=Path, default=_PATH, help="(%(default)s)")
    options = parser.parse_args()
    ties = compute_ties()
    rows = [json.dumps(ties[row, row:].tolist(), separators=(",", ":")) for row in range(CLASSES)]
    joined = ",\n".join(rows)
    options.out.write_text(f'{{"sha256": "{_digest(ties)}",\n"ties": [\n{joined}\n]}}\n', encoding="ascii")


def _digest(ties: NDArray[np.int64]) -> str:
    """Of the numbers on and above the diagonal, row by row."""
    return sha256(ties[np.triu_indices(CLASSES)].astype("<i8").tobytes()).hexdigest()


if __name__ == "__main__":
    main()
