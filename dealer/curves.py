"""Winnings as curves over the deals with 95 % bands: in a single seating, and averaged over all seatings,
which removes the luck of the cards.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from operator import add
from typing import Final, NamedTuple

from dealer.intervals import MIN_UNITS, student_half
from dealer.match import Division, Session

#: Maximum number of points of a curve.
POINTS: Final = 500

Point = tuple[float, float | None]
"""A sum of chips, and half the width of its 95 % band; None if unknown."""


class BotCurves(NamedTuple):
    """The points of a bot in one seating, and over all seatings."""

    bot: str
    raw: list[Point]
    duplicate: list[Point]


def sample_points(sets: int) -> list[int]:
    """Return the numbers of deal sets at which points are sampled: evenly spaced, including the last."""
    if sets <= POINTS:
        return list(range(1, sets + 1))
    return [round(number * sets / POINTS) for number in range(1, POINTS + 1)]


class RunningSum:
    """The running sum of values, one per deal, sampled after as many as ``at`` says, with its band.

    ``size`` consecutive values are one independent unit. The band after n values is that of a sum of n such
    values, from the spread of the complete units so far. There is none before the tenth unit, nor without
    ``banded``.
    """

    def __init__(self, at: Sequence[int], size: int = 1, *, banded: bool = True) -> None:
        self._at = at
        self._banded = banded
        self._size = size
        self._count = 0
        self._total = 0.0
        self._units = 0
        self._unit = self._average = self._squares = 0.0
        self._points: list[Point] = []

    def add(self, values: Iterable[float]) -> None:
        """Add values."""
        at, points = self._at, self._points
        due = at[len(points)] if len(points) < len(at) else 0
        for value in values:
            self._count += 1
            self._total += value
            self._unit += value
            if self._count % self._size == 0:
                self._close_unit()
            if self._count == due:
                points.append(self._point())
                due = at[len(points)] if len(points) < len(at) else 0

    def points(self) -> list[Point]:
        """Return the points so far; the last value added is one of them."""
        points = list(self._points)
        if self._count and (not points or self._at[len(points) - 1] < self._count):
            points.append(self._point())
        return points

    def _close_unit(self) -> None:
        """Add the unit with Welford's algorithm, which is exact even far from 0."""
        self._units += 1
        step = self._unit - self._average
        self._average += step / self._units
        self._squares += step * (self._unit - self._average)
        self._unit = 0.0

    def _point(self) -> Point:
        half = student_half(self._squares, self._units)
        if half is None or self._units < MIN_UNITS or not self._banded:
            return self._total, None
        # A fractional number of units; the square of the band grows with the number of values.
        return self._total, half * sqrt(self._count / (self._units * self._size))


class WinningsCurves:
    """The curves of a division, extended match by match. ``plan``: its sessions, in order."""

    def __init__(self, division: Division, plan: Sequence[Session]) -> None:
        self._division = division
        self._plan = plan
        self._size = len(plan) // division.matches
        #: Matches in drawing order, and those whose hands must not be read yet.
        self._order: list[int] = []
        self._waiting: Sequence[int] = range(division.matches)
        self._added = self._drawn = 0
        # Number of hands of a bot per deal: one for each line-up with it.
        self._each = self._size // division.seatings * division.players / len(division.bots)
        self._at = sample_points(division.matches * division.hands)
        unit = 1 if division.interval_unit == "deal" else division.hands * division.series
        # A tournament in one seating is won or lost; Student's interval is wrong for such values.
        raw_bands = not (division.carry and division.hands == 1)
        #: By bot: a sum for each seating, then that over all seatings.
        self._sums = {
            bot: [
                *(RunningSum(self._at, unit, banded=raw_bands) for _ in range(division.seatings)),
                RunningSum(self._at, unit),
            ]
            for bot in division.bots
        }
        self._open: dict[str, list[array[float]]] = {}

    def update_released(self, is_released: Callable[[Session], bool]) -> tuple[int, int]:
        """Check which sessions may be read by now; return how many are added, and how many there are."""
        ready = [match for match in self._waiting if is_released(self._plan[match * self._size])]
        if ready:
            self._order += ready
            self._waiting = sorted({*self._waiting}.difference(ready))
        return self._added, len(self._order) * self._size

    def add_session(self, rows_of: Callable[[Session], Sequence[Sequence[float]]]) -> None:
        """Add the next session; ``rows_of`` returns its net chips by hand and seat."""
        division = self._division
        match, number = divmod(self._added, self._size)
        session = self._plan[self._order[match] * self._size + number]
        columns = zip(session.players, zip(*rows_of(session), strict=True), strict=True)
        if not number:
            nothing = bytes(8 * division.hands)
            self._open = {
                bot: [array("d", nothing) for _ in range(division.seatings)] for bot in division.bots
            }
        for bot, column in columns:
            sums = self._open[bot]
            sums[session.seating] = array("d", map(add, sums[session.seating], column))
        self._added += 1
        if number + 1 == self._size:
            self._close_match()

    def _close_match(self) -> None:
        division, each = self._division, self._each
        for bot, sums in self._open.items():
            *raw, duplicate = self._sums[bot]
            for one, values in zip(raw, sums, strict=True):
                one.add(value / each for value in values)
            duplicate.add(sum(values) / each / division.seatings for values in zip(*sums, strict=True))
        self._drawn += division.hands
        self._open = {}

    def deal_counts(self) -> list[int]:
        """Return the number of deals at each point so far, over all matches with all their sessions."""
        sets = [point for point in self._at if point <= self._drawn]
        if self._drawn and sets[-1:] != [self._drawn]:
            sets.append(self._drawn)
        return sets

    def curves(self, seating: int) -> list[BotCurves]:
        """Return the curves in chips, by bot, with a point for each of ``sets``."""
        return [BotCurves(bot, sums[seating].points(), sums[-1].points()) for bot, sums in self._sums.items()]
