"""What the API answers. ``docs/api.md`` is the reference; a test compares it with this file.

Chips are net of the hand; times are milliseconds since 1970; cards are text (``"Ah"``), as everywhere on the
wire. Lists ``by seat`` and ``by position`` are as in ``docs/protocol.md``.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from protocol.messages import GameInfo, ServerMessage
from protocol.people import ChallengeResult

__all__ = [
    "BotInfo",
    "BotsResponse",
    "ChallengeResponse",
    "CompetitionResponse",
    "CompetitionsResponse",
    "CurveInfo",
    "BotCurvesInfo",
    "CurvesResponse",
    "DivisionInfo",
    "CompetitionSummary",
    "HandResponse",
    "HandSummary",
    "HandsResponse",
    "ProblemResponse",
    "SessionSummary",
    "SessionHandsResponse",
    "SessionsResponse",
    "TableResponse",
    "TableSummary",
    "TablesResponse",
    "VersionResponse",
]

Chips = int | float


class ProblemResponse(Struct, frozen=True):
    """A request that cannot be answered."""

    code: str
    message: str


class VersionResponse(Struct, frozen=True):
    """What is running; ``page`` is the version of the pages."""

    server: str
    protocol: str
    page: str


class BotsResponse(Struct, frozen=True):
    """The house bots that ``create`` takes at this server; what each does, in the order to offer them in."""

    bots: list[str]
    descriptions: dict[str, str]


class TableSummary(Struct, frozen=True):
    """An open table in the list; ``run`` names this stretch of it, empty when its hands are not kept."""

    table: str
    run: str
    game: str
    mode: str
    seats: int
    free: int
    players: list[str]
    hands: int
    name: str
    stakes: str
    kinds: list[str]


class TablesResponse(Struct, frozen=True):
    """All open tables."""

    tables: list[TableSummary]


class TableResponse(Struct, frozen=True):
    """A table that is open, or a run of one that is closed: only then there is a ``seed``."""

    table: str
    run: str
    open: bool
    game: str
    mode: str
    seats: int
    free: int
    players: list[str]
    hands: int
    time_ms: int
    bank_ms: int
    definition: GameInfo
    commitment: str
    seed: str


class HandSummary(Struct, frozen=True):
    """A finished hand in a list; ``players`` and ``net`` are by position."""

    id: str
    hand: int
    at: int
    players: list[str]
    net: list[Chips]
    board: list[str]
    pot: Chips


class HandsResponse(Struct, frozen=True):
    """Hands of a table, newest first; ``next`` is what to say as ``before`` for those before them."""

    hands: list[HandSummary]
    next: str


class SessionHandsResponse(Struct, frozen=True):
    """Hands of a session in order, and how many there are."""

    hands: list[HandSummary]
    total: int


class HandResponse(Struct, frozen=True):
    """A finished hand as its viewer may see it. ``cards`` are by position, none where they are hidden."""

    id: str
    table: str
    hand: int
    at: int
    names: list[str]
    own: int
    open: bool
    cards: list[list[str]]
    previous: str
    next: str
    messages: list[ServerMessage]


class ChallengeResponse(Struct, frozen=True):
    """How a challenge ended, and when."""

    challenge: str
    at: int
    result: ChallengeResult


class CompetitionSummary(Struct, frozen=True):
    """A competition in the list."""

    competition: str
    name: str
    status: Literal["running", "finished", "unfinished"]
    at: int
    bots: list[str]
    divisions: list[str]


class CompetitionsResponse(Struct, frozen=True):
    """All competitions, the latest first."""

    competitions: list[CompetitionSummary]


class BotInfo(Struct, frozen=True):
    """A bot, and whose it is."""

    bot: str
    kind: Literal["house", "program", "remote"]


class DivisionInfo(Struct, frozen=True):
    """What is played in a division, and how far it is."""

    division: str
    game: str
    mode: Literal["fixed", "cash", "tournament"]
    players: int
    bots: list[str]
    line_ups: int
    matches: int
    seatings: int
    hands: int
    sessions: int
    sessions_done: int
    hands_done: int


class CompetitionResponse(Struct, frozen=True):
    """A competition. ``standings`` and ``incidents`` are as in its files; ``finishes`` says of tournaments
    how often a bot came first, second and so on.
    """

    competition: str
    name: str
    status: Literal["running", "finished", "unfinished"]
    at: int
    deck: str
    commitment: str
    seed: str
    anonymous: bool
    bots: list[BotInfo]
    divisions: list[DivisionInfo]
    standings: list[dict[str, Any]]
    finishes: dict[str, dict[str, list[int]]]
    incidents: dict[str, dict[str, dict[str, int]]]


class SessionSummary(Struct, frozen=True):
    """A session that is over; ``net`` and ``places`` (of tournaments alone) are by seat. ``released``: its
    hands may be looked at.
    """

    session: str
    division: str
    match: int
    line_up: int
    seating: int
    players: list[str]
    hands: int
    net: list[Chips]
    places: list[int]
    released: bool


class SessionsResponse(Struct, frozen=True):
    """Sessions in the order of the plan, and how many there are."""

    sessions: list[SessionSummary]
    total: int


class CurveInfo(Struct, frozen=True):
    """A cumulative curve with its 95 % band; ``low`` and ``high`` are null where nothing is known."""

    mean: list[float]
    low: list[float | None]
    high: list[float | None]


class BotCurvesInfo(Struct, frozen=True):
    """The curves of a bot."""

    bot: str
    raw: CurveInfo
    duplicate: CurveInfo


class CurvesResponse(Struct, frozen=True):
    """Winnings over deal sets: ``sets`` says after how many of them each point stands."""

    division: str
    big_blind: Chips
    seatings: int
    seating: int
    sets: list[int]
    bots: list[BotCurvesInfo]
