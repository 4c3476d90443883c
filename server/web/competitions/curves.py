"""Reads the winnings of sessions quickly, and makes curves of them for the API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec

from dealer.curves import Point, WinningsCurves
from dealer.errors import RecordError
from dealer.match import Division
from server.web import schemas


class SessionFigures(NamedTuple):
    """The figures of a session: net chips by hand and seat, and for every seat the number of its decisions
    and how many of them the table made.
    """

    nets: list[list[float]]
    decisions: list[tuple[int, int]]


# The events of a journal, reduced to the fields used here.


class _Started(msgspec.Struct, array_like=True, tag="hand_started", frozen=True, gc=False):
    hand: int
    seats: list[int]


class _Acted(msgspec.Struct, array_like=True, tag="acted", frozen=True, gc=False):
    seat: int
    action: msgspec.Raw
    to: msgspec.Raw
    paid: msgspec.Raw
    all_in: msgspec.Raw
    forced: str


class _Board(msgspec.Struct, array_like=True, tag="board_dealt", frozen=True, gc=False):
    pass


class _Shown(msgspec.Struct, array_like=True, tag="shown", frozen=True, gc=False):
    pass


class _Ended(msgspec.Struct, array_like=True, tag="hand_ended", frozen=True, gc=False):
    hand: int
    returned: Any
    pots: msgspec.Raw
    values: list[int | float]


_HAND: Final = msgspec.json.Decoder(list[_Started | _Acted | _Board | _Shown | _Ended])


def read_figures(journal: Iterable[str], seats: int, *, tournament: bool) -> SessionFigures:
    """Return the figures of a finished session from the lines of its journal. The net chips of a tournament
    are a single row of totals by seat. Raises ``RecordError`` (``bad_hand``) and ``OSError``.
    """
    rows = []
    made, forced = [0] * seats, [0] * seats
    for number, line in enumerate(islice(journal, 1, None), 2):
        row: list[float] = [0] * seats
        try:
            started, *middle, ended = _HAND.decode(line)
            if not (isinstance(started, _Started) and isinstance(ended, _Ended)):
                raise msgspec.ValidationError("the hand is incomplete")
            for event in middle:
                if type(event) is _Acted:
                    made[event.seat] += 1
                    forced[event.seat] += event.forced != ""
            for seat, value in zip(started.seats, ended.values, strict=True):
                row[seat] = value
        except (IndexError, ValueError) as error:
            raise RecordError("bad_hand", f"line {number}: {error}") from error
        rows.append(row)
    nets = [[sum(column) for column in zip(*rows, strict=True)]] if tournament else rows
    return SessionFigures(nets, list(zip(made, forced, strict=True)))


def curves_response(
    winnings: WinningsCurves, division: Division, seating: int, big_blind: float
) -> schemas.CurvesResponse:
    """Return the curves of a division as computed so far, in chips, to a thousandth."""
    return schemas.CurvesResponse(
        division=division.name,
        big_blind=big_blind,
        seatings=division.seatings,
        seating=seating,
        sets=winnings.deal_counts(),
        bots=[
            schemas.BotCurvesInfo(bot, _curve(raw), _curve(duplicate))
            for bot, raw, duplicate in winnings.curves(seating)
        ],
    )


def _curve(points: Sequence[Point]) -> schemas.CurveInfo:
    return schemas.CurveInfo(
        mean=[_rounded(mean) for mean, _ in points],
        low=[None if half is None else _rounded(mean - half) for mean, half in points],
        high=[None if half is None else _rounded(mean + half) for mean, half in points],
    )


def _rounded(value: float) -> float:
    return round(value, 3) + 0.0
