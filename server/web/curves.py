"""Winnings as curves over the deals, with 95 % bands: as they would be in a single seating, and with the luck
of the cards taken out by playing every deal at all seatings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Final

from dealer.intervals import CONFIDENCE, t_quantile
from server.web.shapes import Curve

__all__ = ["POINTS", "cumulative", "sample"]

#: Points of a curve, at most.
POINTS: Final = 500


def sample(sets: int) -> list[int]:
    """After how many of that many deal sets a point stands: evenly spread, the last among them."""
    if sets <= POINTS:
        return list(range(1, sets + 1))
    return [round(number * sets / POINTS) for number in range(1, POINTS + 1)]


def cumulative(values: Iterable[float], at: Sequence[int]) -> Curve:
    """The running sum of independent ``values`` after as many of them as ``at`` says, and its band.

    The band after n values is that of a sum of n such values, from the spread of those so far.
    """
    wanted = set(at)
    mean: list[float] = []
    low: list[float | None] = []
    high: list[float | None] = []
    total = average = squares = 0.0
    for count, value in enumerate(values, 1):
        total += value
        # Welford's way: exact also where a long run has moved far from 0.
        step = value - average
        average += step / count
        squares += step * (value - average)
        if count not in wanted:
            continue
        mean.append(_rounded(total))
        half = None
        if count > 1:
            half = t_quantile((1 + CONFIDENCE) / 2, count - 1) * sqrt(squares / (count - 1) * count)
        low.append(None if half is None else _rounded(total - half))
        high.append(None if half is None else _rounded(total + half))
    return Curve(mean, low, high)


def _rounded(value: float) -> float:
    return round(value, 3) + 0.0
