"""Equities of all-ins before the flop: every class of starting hands against every other, exactly.

For two classes there are ``pairs`` ways to hold a hand of each without a card in common, each with C(48, 5)
boards. Over all of these the file's table counts two for a win and one for a tie of the first class, as
integers. ``python -m strategy.poker.allin`` writes it; it enumerates the 134,459 boards that differ by more
than an exchange of suits and takes about half a minute.
"""

from __future__ import annotations

import argparse
import json
from functools import cache
from hashlib import sha256
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.errors import StrategyError
from strategy.poker.preflop import HAND_CLASSES

CLASSES = len(HAND_CLASSES)
BOARDS = comb(48, 5)
"""Number of boards for two known hands."""

_PATH = Path(__file__).parents[1] / "data" / "allin.json"


class AllIn(NamedTuple):
    """Arrays [169, 169] in the order of ``HAND_CLASSES``.

    ``pairs`` int64: ways to hold both; ``points`` int64: 2 for each win of the first and 1 for each tie;
    ``equity`` float64: the first's share of the pot.
    """

    pairs: NDArray[np.int64]
    points: NDArray[np.int64]
    equity: NDArray[np.float64]


class AllInError(StrategyError):
    """The table's file is damaged. The code is ``damaged_table``."""

    code = "damaged_table"
    at_fault = "environment"


@cache
def all_in_table() -> AllIn:
    """Return the table in the file. Raises AllInError."""
    points = read_triangle(_PATH, "points")
    pairs = _pairs()
    below = np.tril_indices(CLASSES, -1)
    points[below] = (2 * BOARDS * pairs - points.T)[below]
    return AllIn(pairs, points, points / (2 * BOARDS * pairs))


def read_triangle(path: Path, name: str) -> NDArray[np.int64]:
    """Read the upper triangle in a ``write_triangle`` file, int64[169, 169], 0 below. Raises AllInError."""
    text: dict[str, Any] = json.loads(path.read_text("ascii"))
    values = np.zeros((CLASSES, CLASSES), np.int64)
    for row, numbers in enumerate(text[name]):
        values[row, row:] = numbers
    if text["sha256"] != _digest(values):
        raise AllInError(f"{path} is damaged: its checksum does not fit")
    return values


def write_triangle(path: Path, name: str, values: NDArray[np.int64], about: str = "") -> None:
    """Write the numbers on and above the diagonal, with their digest."""
    rows = [json.dumps(values[row, row:].tolist(), separators=(",", ":")) for row in range(CLASSES)]
    lines = ",\n".join(rows)
    text = f'{{{about}"sha256": "{_digest(values)}",\n"{name}": [\n{lines}\n]}}\n'
    path.write_text(text, encoding="ascii")


def _digest(values: NDArray[np.int64]) -> str:
    return sha256(values[np.triu_indices(CLASSES)].astype("<i8").tobytes()).hexdigest()


def _pairs() -> NDArray[np.int64]:
    from strategy.poker.combos import CLASSES as CLASS_OF
    from strategy.poker.combos import MASKS

    free = (MASKS[:, None] & MASKS[None, :]) == 0
    member = CLASS_OF[:, None] == np.arange(CLASSES)
    counts = member.T.astype(np.float64) @ (free @ member.astype(np.float64))
    pairs: NDArray[np.int64] = counts.astype(np.int64)
    return pairs


def compute() -> NDArray[np.int64]:
    """Return the points of all pairs of classes, by enumerating all boards: int64[169, 169]."""
    from strategy.poker.allin_kernel import count_wins

    wins = count_wins()
    # Two for a win and one for a tie: one for every showdown, plus one for a win or minus one for a loss.
    return BOARDS * _pairs() + wins - wins.T


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description="Compute the equities of all-ins before the flop.")
    parser.add_argument("--out", type=Path, default=_PATH, help="(%(default)s)")
    options = parser.parse_args()
    classes = f"{HAND_CLASSES[0]} to {HAND_CLASSES[-1]} by rows of the grid"
    write_triangle(options.out, "points", compute(), f'"classes": "{classes}",\n"boards": {BOARDS},\n')


if __name__ == "__main__":
    main()
