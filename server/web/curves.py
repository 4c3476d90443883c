"""Winnings of sessions, read quickly, and their curves as the API tells them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from dealer.curves import Point, Winnings
from dealer.errors import RecordError
from dealer.match import Division
from server.web import shapes

__all__ = ["net_rows", "told"]


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


def told(winnings: Winnings, division: Division, seating: int, big_blind: float) -> shapes.Curves:
    """The curves of a division as far as they are drawn, in chips to a thousandth."""
    return shapes.Curves(
        division=division.name,
        big_blind=big_blind,
        seatings=division.seatings,
        seating=seating,
        sets=winnings.sets(),
        bots=[
            shapes.CurveOf(bot, _curve(raw), _curve(duplicate))
            for bot, raw, duplicate in winnings.curves(seating)
        ],
    )


def _curve(points: Sequence[Point]) -> shapes.Curve:
    return shapes.Curve(
        mean=[_rounded(mean) for mean, _ in points],
        low=[None if half is None else _rounded(mean - half) for mean, half in points],
        high=[None if half is None else _rounded(mean + half) for mean, half in points],
    )


def _rounded(value: float) -> float:
    return round(value, 3) + 0.0
