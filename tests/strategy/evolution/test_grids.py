from __future__ import annotations

import numpy as np

from strategy.poker.preflop import HAND_CLASSES
from strategy.pushfold.grids import GRID_RANKS, by_name, cell, text_grid


def test_cells() -> None:
    assert [cell("AKs", chance) for chance in (1, 0.99996, 0.9999, 0.714, 0.006, 0.0001, 0.00004, 0)] == [
        "AKs", "AKs", "99%", "71%", "1%", "1%", ".", "."
    ]  # fmt: skip


def test_a_class_stands_in_the_row_and_column_of_its_ranks() -> None:
    grid = text_grid(np.ones(169))
    for row, first in enumerate(GRID_RANKS):
        for column, second in enumerate(GRID_RANKS):
            suffix = "s" if column > row else "o" if column < row else ""
            high, low = (first, second) if row <= column else (second, first)
            assert grid[row][column] == f"{high}{low}{suffix}"


def test_chances_by_name() -> None:
    found = by_name(np.arange(169) / 168)
    assert tuple(found) == HAND_CLASSES
    assert (found["AA"], found["22"]) == (0, 1)
