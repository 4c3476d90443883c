"""Tables as the usual 13 x 13 grid: suited hands above the diagonal, the others below."""

from __future__ import annotations

import numpy as np

from strategy.poker.preflop import HAND_CLASSES
from strategy.pushfold.game import HandTable

GRID_RANKS = "AKQJT98765432"
"""Labels of the rows and of the columns."""

_SURE = 5e-5
"""Probabilities closer than this to 0 or 1 are shown as 0 or 1."""


def cell(name: str, chance: float) -> str:
    """Return a class's cell: its name if it is always played, a dot if never, otherwise a percentage:
    ``71%``.
    """
    if chance < _SURE:
        return "."
    return name if chance > 1 - _SURE else f"{min(max(round(100 * chance), 1), 99)}%"


def text_grid(table: HandTable) -> list[list[str]]:
    """Return the cells of a table by rows."""
    cells = [cell(name, float(chance)) for name, chance in zip(HAND_CLASSES, table, strict=True)]
    size = len(GRID_RANKS)
    return [cells[start : start + size] for start in range(0, size * size, size)]


def by_name(table: HandTable) -> dict[str, float]:
    """Return the probability of each class by its name, in the order of the grid."""
    return dict(zip(HAND_CLASSES, np.asarray(table).tolist(), strict=True))
