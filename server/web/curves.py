"""Winnings of sessions, read quickly, and as curves over the deals with 95 % bands: as they would be in a
single seating, and with the luck of the cards taken out by playing every deal at all seatings.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from operator import add
from pathlib import Path
from typing import Any, Final

import msgspec

from dealer.errors import RecordError
from dealer.intervals import CONFIDENCE, t_quantile
from dealer.match import Division, Session
from server.web import shapes

__all__ = ["POINTS", "RunningSum", "Winnings", "net_rows", "sample"]

#: Points of a curve, at most.
POINTS: Final = 500


class _Started(msgspec.Struct, array_like=True, tag="hand_started", frozen=True, gc=False):
    hand: int
    seats: list[int]


class _Ended(msgspec.Struct, array_like=True, tag="hand_ended", frozen=True, gc=False):
    hand: int
    returned: Any
    pots: msgspec.Raw
    values: list[int | float]


_EVENTS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_FIRST: Final = msgspec.json.Decoder(_Started)
_LAST: Final = msgspec.json.Decoder(_Ended)


def net_rows(journal: Path, seats: int, *, tournament: bool) -> list[list[float]]:
    """Net chips by hand and seat of a session that is over; for a tournament, one row: what each seat won or
    lost in all. Of every hand only the first and the last event are looked at. Raises ``RecordError``
    (``bad_hand``), ``OSError``.
    """
    rows = []
    with journal.open("rb") as file:
        file.readline()
        for number, line in enumerate(file, 2):
            row: list[float] = [0] * seats
            try:
                events = _EVENTS.decode(line)
                for seat, value in zip(
                    _FIRST.decode(events[0]).seats, _LAST.decode(events[-1]).values, strict=True
                ):
                    row[seat] = value
            except (IndexError, ValueError) as error:
                raise RecordError("bad_hand", f"line {number}: {error}") from error
            rows.append(row)
    return [[sum(column) for column in zip(*rows, strict=True)]] if tournament else rows


def sample(sets: int) -> list[int]:
    """After how many of that many deal sets a point stands: evenly spread, the last among them."""
    if sets <= POINTS:
        return list(range(1, sets + 1))
    return [round(number * sets / POINTS) for number in range(1, POINTS + 1)]


class RunningSum:
    """The running sum of independent values after as many of them as ``at`` says, and its band.

    The band after n values is that of a sum of n such values, from the spread of those so far.
    """

    def __init__(self, at: Sequence[int]) -> None:
        self._at = at
        self._count = 0
        self._total = self._average = self._squares = 0.0
        self._points: list[tuple[float, float | None]] = []

    def add(self, values: Iterable[float]) -> None:
        """Go on with more values."""
        count, total, average, squares = self._count, self._total, self._average, self._squares
        at, points = self._at, self._points
        due = at[len(points)] if len(points) < len(at) else 0
        for value in values:
            count += 1
            total += value
            # Welford's way: exact also where a long run has moved far from 0.
            step = value - average
            average += step / count
            squares += step * (value - average)
            if count == due:
                points.append((total, _half(count, squares)))
                due = at[len(points)] if len(points) < len(at) else 0
        self._count, self._total, self._average, self._squares = count, total, average, squares

    def curve(self) -> shapes.Curve:
        """The points so far; the last value that was added is one of them."""
        points = list(self._points)
        if self._count and (not points or self._at[len(points) - 1] < self._count):
            points.append((self._total, _half(self._count, self._squares)))
        return shapes.Curve(
            mean=[_rounded(mean) for mean, _ in points],
            low=[None if half is None else _rounded(mean - half) for mean, half in points],
            high=[None if half is None else _rounded(mean + half) for mean, half in points],
        )


def _half(count: int, squares: float) -> float | None:
    if count < 2:
        return None
    return t_quantile((1 + CONFIDENCE) / 2, count - 1) * sqrt(max(0.0, squares) / (count - 1) * count)


def _rounded(value: float) -> float:
    return round(value, 3) + 0.0


class Winnings:
    """The curves of a division, drawn on match by match. ``plan``: its sessions, in order."""

    def __init__(self, division: Division, plan: Sequence[Session]) -> None:
        self._division = division
        self._plan = plan
        self._size = len(plan) // division.matches
        #: Matches in the order in which they are drawn, and those whose hands may not be looked at yet.
        self._order: list[int] = []
        self._waiting: Sequence[int] = range(division.matches)
        self._added = self._drawn = 0
        # How many hands a bot plays with each deal: once in every line-up that it is in.
        self._each = self._size // division.seatings * division.players / len(division.bots)
        self._at = sample(division.matches * division.hands)
        #: By bot: a sum for each seating, then that over all of them.
        self._sums = {
            bot: [RunningSum(self._at) for _ in range(division.seatings + 1)] for bot in division.bots
        }
        self._open: dict[str, list[array[float]]] = {}

    def release(self, released: Callable[[Session], bool]) -> tuple[int, int]:
        """Ask which sessions may be looked at by now: how many are added, and how many of them there are."""
        ready = [match for match in self._waiting if released(self._plan[match * self._size])]
        if ready:
            self._order += ready
            self._waiting = sorted({*self._waiting}.difference(ready))
        return self._added, len(self._order) * self._size

    def add(self, rows_of: Callable[[Session], Sequence[Sequence[float]]]) -> None:
        """Take in the next session: ``rows_of`` gives its net chips by hand and seat."""
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
            self._close()

    def _close(self) -> None:
        division, each = self._division, self._each
        for bot, sums in self._open.items():
            *raw, duplicate = self._sums[bot]
            for one, values in zip(raw, sums, strict=True):
                one.add(value / each for value in values)
            duplicate.add(sum(values) / each / division.seatings for values in zip(*sums, strict=True))
        self._drawn += division.hands
        self._open = {}

    def curves(self, seating: int, big_blind: float) -> shapes.Curves:
        """As far as they are drawn: over all matches of which every session was added."""
        division, drawn = self._division, self._drawn
        sets = [point for point in self._at if point <= drawn]
        if drawn and sets[-1:] != [drawn]:
            sets.append(drawn)
        return shapes.Curves(
            division=division.name,
            big_blind=big_blind,
            seatings=division.seatings,
            seating=seating,
            sets=sets,
            bots=[
                shapes.CurveOf(bot, sums[seating].curve(), sums[-1].curve())
                for bot, sums in self._sums.items()
            ],
        )
