"""The ladder's responses that pages and programs build on. ``docs/api.md`` is the reference; a test compares
it with this file.

Figures are in mbb/hand, ``half`` is that of a 95 % interval; times are seconds since 1970.
"""

from __future__ import annotations

from msgspec import Struct

from server.ladder.records import Kind, MatchState, VersionState, Why


class WorstOpponent(Struct, frozen=True):
    """The opponent with the lowest result against it."""

    bot: str
    mean: float
    half: float | None


class Declaration(Struct, frozen=True):
    """What the chances that a version declared are worth. ``p``: the chance of playing as it did over so many
    ``decisions`` if they are true, null with too few; they are not ``believed`` if that is tiny.
    """

    decisions: int
    p: float | None
    believed: bool


class LadderRow(Struct, frozen=True, kw_only=True):
    """A version in the table. ``ranks``: the best and the worst possible; ``ahead``: the chance to be truly
    better than the next one; ``hash`` is empty where names are hidden.
    """

    bot: str
    author: str
    version: int
    kind: Kind
    state: VersionState
    hash: str
    rating: float | None
    half: float | None
    deal_sets: int
    ranks: tuple[int, int]
    ahead: float | None
    worst: WorstOpponent | None
    elo: int | None
    declared: Declaration | None


class InteractionInfo(Struct, frozen=True):
    """How far results depend on who meets whom (``dealer.ratings.model.Interaction``)."""

    deviation: float
    share: float
    p_value: float | None


class LadderTable(Struct, frozen=True, kw_only=True):
    """The ratings, best first. ``deal_sets``: of a match."""

    name: str
    season: str
    game: str
    deal_sets: int
    players: int
    frozen: bool
    blind: bool
    method: str
    value_function: str
    unit: str
    bots: list[LadderRow]
    interaction: InteractionInfo | None


class LadderMatch(Struct, frozen=True, kw_only=True):
    """A match. ``seconds``: what it took; ``incidents``: how many of each kind, by bot; ``means`` and
    ``deal_sets`` are there once it is done.
    """

    number: int
    line_up: list[str]
    why: Why
    counts: bool
    asked_by: str
    state: MatchState
    queued_at: float
    ended_at: float | None
    seconds: float
    incidents: dict[str, dict[str, int]]
    reason: str
    means: dict[str, float] | None
    deal_sets: int | None


class LadderMatchResponse(LadderMatch, frozen=True, kw_only=True):
    """One match; ``hands``: they can be viewed."""

    hands: bool


class LadderMatches(Struct, frozen=True):
    """Matches, newest first."""

    matches: list[LadderMatch]


class NextLineUp(Struct, frozen=True):
    """A line-up that may play next: by how much the summed chance of wrong neighbour orders would ``fall``,
    and the ``seconds`` that it would take.
    """

    line_up: list[str]
    fall: float
    seconds: float


class Wait(Struct, frozen=True):
    """How many ``matches`` have begun since a bot's last one."""

    bot: str
    matches: int


class LadderQueue(Struct, frozen=True):
    """The matches that are played or wait, what comes ``next`` besides, and who waits, the longest first."""

    matches: list[LadderMatch]
    next: list[NextLineUp]
    waits: list[Wait]


class LadderVersion(Struct, frozen=True, kw_only=True):
    """A version of a bot; ``settled_at``: when it came into its state."""

    name: str
    bot: str
    number: int
    kind: Kind
    hash: str
    state: VersionState
    reason: str
    pushed_at: float
    settled_at: float | None


class Opponent(Struct, frozen=True):
    """The result against an opponent."""

    bot: str
    mean: float
    half: float | None
    deal_sets: int


class LadderGrade(Struct, frozen=True):
    """Whether a rule is passed; None while that is undecided. ``p``: the one-sided p-value."""

    rule: str
    passed: bool | None
    p: float | None


class MatchErrors(Struct, frozen=True):
    """What went wrong for a bot in a match that ended ``at`` a time."""

    match: int
    at: float | None
    incidents: dict[str, int]


class LadderBot(Struct, frozen=True, kw_only=True):
    """A bot. What is not of all ``versions`` is of the one that plays, or the newest."""

    bot: str
    versions: list[LadderVersion]
    rating: LadderRow | None
    opponents: list[Opponent]
    grades: list[LadderGrade]
    errors: list[MatchErrors]
    matches: list[LadderMatch]


class HistoryPoint(Struct, frozen=True):
    """What a bot's ``version`` was rated after a ``match``."""

    match: int
    at: float
    version: str
    mean: float
    half: float | None
    deal_sets: int


class BotHistory(Struct, frozen=True):
    """A bot's rating over time."""

    bot: str
    points: list[HistoryPoint]
    complete: bool


class BotStyle(Struct, frozen=True):
    """How a version plays: counts and shares, in all and by ``position``."""

    version: str
    complete: bool
    total: dict[str, float | None]
    positions: list[dict[str, str | float | None]]


class OwnDeadline(Struct, frozen=True):
    """A deadline ``at`` a time."""

    name: str
    at: float


class GroupDeadline(OwnDeadline, frozen=True):
    """A deadline of a ``group``; of everybody without."""

    group: str


class OwnUploads(Struct, frozen=True, kw_only=True):
    """An author's versions; ``pseudonym``: what others call the bot."""

    name: str
    group: str
    pseudonym: str
    deadlines: list[OwnDeadline]
    versions: list[LadderVersion]


class RosterEntry(Struct, frozen=True):
    """An author, with the number of ``versions`` that were pushed."""

    name: str
    group: str
    pseudonym: str
    versions: int


class LadderOverview(Struct, frozen=True, kw_only=True):
    """What the organiser administers."""

    name: str
    season: str
    frozen: bool
    blind: bool
    roster: list[RosterEntry]
    deadlines: list[GroupDeadline]


class NewToken(Struct, frozen=True):
    """An author's token, which is told once."""

    name: str
    group: str
    token: str


class NewTokens(Struct, frozen=True):
    """Tokens of new authors, or one in place of an old one."""

    tokens: list[NewToken]


class AuthorGrades(Struct, frozen=True, kw_only=True):
    """An author at a ``deadline``, or now. ``passed``: by rule, in the order of ``rules``; ``late``: the
    versions pushed after the deadline.
    """

    author: str
    group: str
    deadline: str
    version: str
    state: str
    pushed_at: float | None
    rating: float | None
    half: float | None
    ranks: tuple[int, int] | None
    passed: list[bool | None]
    declared: Declaration | None
    incidents: int
    play_hours: float
    late: list[str]


class LadderGrades(Struct, frozen=True, kw_only=True):
    """What all authors have reached."""

    method: str
    value_function: str
    rules: list[str]
    rows: list[AuthorGrades]
