"""The responses of the API; those about tournaments are in ``people.tournament_schemas``. ``docs/api.md`` is
the reference; a test compares it with both files.

Chips are net of the hand; times are milliseconds since 1970; cards are text (``"Ah"``), as in the protocol.
Lists ``by seat`` and ``by position`` are as in ``docs/protocol.md``.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from dealer.rules.events import Policy
from protocol.base import Choice
from protocol.messages import GameInfo, ServerMessage
from protocol.people import ChallengeResult, Estimate, PlayScore
from server.bots.offered import BotParameter
from server.people.performance import PlaySetting
from server.people.results import KeptResult
from server.storage.player_results import Curve, GroupResult

Chips = int | float


class ProblemResponse(Struct, frozen=True):
    """A request that cannot be answered."""

    code: str
    message: str


class VersionResponse(Struct, frozen=True):
    """The running versions; ``page`` is that of the pages."""

    server: str
    protocol: str
    page: str


class BotsResponse(Struct, frozen=True):
    """The house bots that ``create`` accepts on this server: what each does, in order of presentation, and
    the parameters of those that have some.
    """

    bots: list[str]
    descriptions: dict[str, str]
    parameters: dict[str, tuple[BotParameter, ...]]


class TableSummary(Struct, frozen=True):
    """An open table in a list. ``run`` is the id of its current run, or empty if its hands are not stored."""

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
    """An open table, or a run of a closed one. Only the latter has a ``seed``, only the former a ``name``."""

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
    name: str


class HandSummary(Struct, frozen=True):
    """A finished hand in a list; ``players``, ``net`` and ``cards`` are by position, cards empty where
    hidden; ``second``: the whole second board of one that was run twice.
    """

    id: str
    hand: int
    at: int
    players: list[str]
    net: list[Chips]
    board: list[str]
    second: list[str]
    pot: Chips
    cards: list[list[str]]


class HandsResponse(Struct, frozen=True):
    """Hands of a table, newest first. ``next`` is the value of ``before`` that requests the next page."""

    hands: list[HandSummary]
    next: str


class SessionHandsResponse(Struct, frozen=True):
    """Hands of a session in order, and their total number."""

    hands: list[HandSummary]
    total: int


class HandResponse(Struct, frozen=True):
    """A finished hand as its viewer may see it. ``cards`` are by position, empty where hidden. ``chances``
    are by action: what the player said he could have done (``f``, ``c``, ``r300``), with its probability;
    empty if he said nothing, or if his cards are hidden. ``equities`` are after each event of the hand, by
    position: the share of a pot that the cards win on average, empty unless the cards of all who are left
    may be seen. ``odds`` are by action: the chips to call, and those that a call could win.
    """

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
    chances: list[Policy]
    equities: list[list[float]]
    odds: list[tuple[int, int]]


class HandHintResponse(Struct, frozen=True):
    """What the house bot ``bot`` would have done at a decision of a hand, with the probabilities. ``depth``:
    as in ``protocol.people.Hint``.
    """

    bot: str
    chances: list[Choice]
    depth: int


class FriendResult(Struct, frozen=True):
    """What somebody else won with the deals of a challenge, by hand."""

    challenge: str
    player: str
    nets: list[Chips]


class ChallengeResponse(Struct, frozen=True):
    """The result of a challenge, and when it ended. ``own``: you played it; ``counts``: it was the player's
    first try with these deals, played to its end in time; ``link``: what leads friends to these deals, for
    the player alone; ``friends``: others with the same deals.
    """

    challenge: str
    at: int
    result: ChallengeResult
    own: bool
    counts: bool
    link: str
    friends: list[FriendResult]


class LinkResponse(Struct, frozen=True):
    """What a link to the deals of a challenge leads to. ``until``: when it expires; ``left``: people who can
    still play them.
    """

    player: str
    rival: str
    opponents: list[str]
    game: str
    hands: int
    until: int
    left: int


class DayResult(Struct, frozen=True):
    """Your first try with the hands of a day. ``challenge``: its id; ``table``: where you can go on with it,
    or ""; ``net``: chips, null if you have not finished in time; ``worse`` of the ``others`` won less.
    """

    challenge: str
    table: str
    net: float | None
    worse: int
    others: int


class DayResponse(Struct, frozen=True):
    """The hands of a day. ``published_at``: when everybody may see them, from when on there is a ``seed``;
    ``players`` have finished; ``mean``: of their results in big blinds, null if there are none; ``streak``:
    days in a row that you have played, up to this one; ``replay``: a finished run whose hands you may see, or
    "". Without house bots on offer nobody can play: there are no ``opponents``.
    """

    day: str
    ends_at: int
    published_at: int
    published: bool
    hands: int
    opponents: list[str]
    rival: str
    big_blind: int
    commitment: str
    seed: str
    players: int
    mean: Estimate | None
    own: DayResult | None
    streak: int
    replay: str


class PeopleGroup(Struct, frozen=True):
    """How people did with the same settings."""

    setting: PlaySetting
    score: PlayScore


class Leader(Struct, frozen=True):
    """A person in the list of leaders: big blinds won per 100 hands, and whether he asks."""

    name: str
    hands: int
    bb100: Estimate
    own: bool


class DayLeader(Struct, frozen=True):
    """A person in the list of those who play the hands of the days. ``won``: days on which he won more than
    the rival; ``bb100``: how much more, in big blinds per 100 hands.
    """

    name: str
    days: int
    won: int
    bb100: Estimate
    own: bool


class LeadersResponse(Struct, frozen=True):
    """Who did best in a month (UTC), by what he surely won: against bots, of those with ``least`` hands, and
    against the rival of the days, of those with ``least_days`` days.
    """

    season: str
    least: int
    leaders: list[Leader]
    least_days: int
    day_leaders: list[DayLeader]


class PlayerPlay(Struct, frozen=True):
    """How a player of the open tables plays: bots are by name, people by their browser's cookie. ``bb100``:
    big blinds won per 100 hands; ``own``: it is who asks; ``seats``: where he sits, table and seat.
    """

    name: str
    bot: bool
    own: bool
    seats: list[tuple[str, int]]
    bb100: Estimate
    style: dict[str, float | None]
    positions: list[dict[str, float | str | None]]


class PlayersResponse(Struct, frozen=True):
    """How everybody plays: those with the most hands."""

    players: list[PlayerPlay]


class PeopleResponse(Struct, frozen=True):
    """How people did against house bots, by setting."""

    groups: list[PeopleGroup]


class PeopleResultsResponse(Struct, frozen=True):
    """Kept results in the order of their numbers."""

    results: list[KeptResult]


class PersonResponse(Struct, frozen=True):
    """A person's own result; ``others`` is null if nobody else was kept with this setting."""

    result: int
    day: str
    setting: PlaySetting
    own: PlayScore
    others: PlayScore | None


class PushFoldResponse(Struct, frozen=True):
    """Push or fold heads-up in equilibrium at an effective ``stack`` in big blinds: how often each of 169
    hands jams and calls a jam, row by row of the usual grid, and what that wins more than a fold, in
    thousandths of a big blind. The texts are ranges.
    """

    stack: float
    jam: list[float]
    call: list[float]
    jam_gain: list[float]
    call_gain: list[float]
    jam_percent: float
    call_percent: float
    jam_range: str
    call_range: str


class CompetitionSummary(Struct, frozen=True):
    """A competition in a list."""

    competition: str
    name: str
    status: Literal["running", "finished", "unfinished"]
    at: int
    bots: list[str]
    divisions: list[str]


class CompetitionsResponse(Struct, frozen=True):
    """All competitions, latest first."""

    competitions: list[CompetitionSummary]


class BotInfo(Struct, frozen=True):
    """A bot and its kind."""

    bot: str
    kind: Literal["house", "program", "remote"]


class DivisionInfo(Struct, frozen=True):
    """What a division plays, and its progress."""

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
    """A competition. ``standings`` and ``incidents`` are as in its files; ``finishes`` counts, for
    tournaments, how often each bot came first, second and so on.
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
    """A finished session; ``net`` and ``places`` (tournaments only) are by seat. ``released``: its hands may
    be viewed.
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
    """Sessions in the order of the plan, and their total number."""

    sessions: list[SessionSummary]
    total: int


class CurveInfo(Struct, frozen=True):
    """A cumulative curve with its 95 % band; ``low`` and ``high`` are null where no interval is known."""

    mean: list[float]
    low: list[float | None]
    high: list[float | None]


class BotCurvesInfo(Struct, frozen=True):
    """The curves of a bot."""

    bot: str
    raw: CurveInfo
    duplicate: CurveInfo


class CurvesResponse(Struct, frozen=True):
    """Winnings over deal sets; ``sets`` has the number of deal sets at each point."""

    division: str
    big_blind: Chips
    seatings: int
    seating: int
    sets: list[int]
    bots: list[BotCurvesInfo]


class OwnHand(Struct, frozen=True):
    """A hand of the person who asks, and what was won in it, in big blinds or chips; ``adjusted``: with an
    all-in paid by equity. ``big_blind`` is in chips.
    """

    hand: str
    at: int
    mode: str
    game: str
    position: str
    won: float
    adjusted: float
    big_blind: int


class OwnPlayResponse(Struct, frozen=True):
    """How the person who asks did in the newest ``hands``; ``adjusted``: with all-ins paid by equity.
    ``style`` and ``positions`` are as for a bot of the ladder; ``biggest`` has the largest pots won and lost.
    ``without_luck``: of days that are over and had at least 50 hands against house bots alone at cash tables,
    those hands without the luck of all cards and of the bots' dice; null if there is none, or not all hands
    are counted.
    """

    hands: int
    complete: bool
    total: GroupResult
    adjusted: GroupResult
    curve: Curve
    adjusted_curve: Curve
    sessions: list[GroupResult]
    style: dict[str, float | None]
    positions: list[dict[str, float | str | None]]
    biggest: list[OwnHand]
    without_luck: GroupResult | None


class DeviceResponse(Struct, frozen=True):
    """What takes the person who asks to another browser, until then (milliseconds since 1970)."""

    token: str
    until: int
