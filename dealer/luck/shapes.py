"""The shapes of ``value`` after each of many cards at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.luck.value import SIDES, Shapes

Numbers = NDArray[np.float64]
"""Probabilities or shares, one for each card or board."""


class AllShapes(NamedTuple):
    """The shapes after each of some cards, or boards, by column: first the rows of ``sides``."""

    table: Numbers

    def of(self, at: int) -> Shapes:
        """Return those of one column."""
        return _shapes(self.table[:, at])

    def mean(self) -> Shapes:
        """Return the mean of all columns."""
        # Added up one by one, so that it is the same on every machine.
        return _shapes(np.add.accumulate(self.table, 1)[:, -1] / self.table.shape[1])


def _shapes(column: Numbers) -> Shapes:
    numbers = tuple(column.tolist())
    return Shapes(numbers[:SIDES], numbers[SIDES:])


def strength_shapes(one: Numbers, other: Numbers) -> AllShapes:
    """Return the shapes after three cards, of the strengths alone."""
    a2, b2 = one * one, other * other
    a4, b4 = a2 * a2, b2 * b2
    return AllShapes(np.array([one - other, a2 - b2, a4 - b4, a4 * a4 - b4 * b4]))


def card_shapes(equity: Numbers, one: Numbers, other: Numbers) -> AllShapes:
    """Return the shapes after each single card. ``one``, ``other``: strengths of the two hands."""
    d = equity - 0.5
    a2, b2 = one * one, other * other
    a4, b4 = a2 * a2, b2 * b2
    low = np.minimum(a4, b4)
    sides = (
        d, one - other, a2 - b2, a4 - b4, a4 * a4 - b4 * b4,
        d * (one + other), d * one * other, d * np.maximum(a4, b4), d * low, d * low * low, d * d * d,
    )  # fmt: skip
    gap = one - other
    return AllShapes(np.array([*sides, one + other, one * other, gap * gap, d * d]))
