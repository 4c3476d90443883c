"""What the API answers about tournaments over several tables: see ``docs/api.md``."""

from __future__ import annotations

from msgspec import Struct


class TournamentSummary(Struct, frozen=True):
    """A tournament over several tables. ``status``: ``open``, ``running``, ``over`` or ``cancelled``;
    ``starts``: when it starts or has started, null if that depends on entries; ``most``: entrants there may
    be, of whom ``house_bots`` are house bots that fill it up; ``takes_entries``: before the start, or late.
    """

    tournament: str
    name: str
    status: str
    starts: int | None
    entrants: int
    most: int
    house_bots: int
    left: int
    tables: int
    seats: int
    stack: int
    speed: str
    takes_entries: bool


class TournamentsResponse(Struct, frozen=True):
    """All tournaments, those that are over last."""

    tournaments: list[TournamentSummary]


class TournamentLevel(Struct, frozen=True):
    """A level, from 1, and its blinds."""

    number: int
    small_blind: int
    big_blind: int


class TournamentTableEntry(Struct, frozen=True):
    """A table of a tournament: who sits there, and hands dealt."""

    table: str
    players: list[str]
    hands: int


class TournamentPlayer(Struct, frozen=True):
    """An entrant: ``kind`` is ``person`` or ``bot``; ``chips`` as of his last hand's end; ``table`` is ""
    without a seat, ``place`` 0 before he has finished; ``own``: you.
    """

    name: str
    kind: str
    chips: int
    table: str
    place: int
    points: float
    own: bool


class TournamentResponse(Struct, frozen=True):
    """A tournament. While it runs, ``level`` ends in ``level_ms`` or after ``level_hands`` more hands;
    ``late_level``: entries are taken until that level is over, 0: none; ``break_level``: the level that the
    next break comes before, 0: none; ``rests_ms``: left of this break; ``points`` by place; ``players``: by
    chips, then by place; ``own``: you have opened it, and may cancel it before its start.
    """

    summary: TournamentSummary
    owner: str
    own: bool
    level: TournamentLevel
    next_level: TournamentLevel
    level_ms: int | None
    level_hands: int | None
    late_level: int
    break_level: int
    rests_ms: int
    hand_for_hand: bool
    points: list[float]
    tables: list[TournamentTableEntry]
    players: list[TournamentPlayer]
