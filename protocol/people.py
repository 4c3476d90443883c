"""Messages that only the web pages need; of tournaments over several tables in ``protocol.tournament``. The
others, and the unions of all, are in ``protocol.messages``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from protocol.base import Choice, Count, FormInt, FormText, Message, TableId
from protocol.tournament import AnnounceTournament, CancelTournament, Entry, Register, Unregister

Word = Annotated[str, Meta(max_length=64)]
#: The value of a parameter of a house bot.
BotValue = bool | int | float | Word | Annotated[list[float], Meta(max_length=16)]
Parameters = Annotated[dict[Word, BotValue], Meta(max_length=64)]


# From client to server.


class BotChoice(Struct, frozen=True, forbid_unknown_fields=True):
    """A house bot with parameters of its own; a name alone stands for one with its defaults. A misspelled
    field is refused: the bot would play with its defaults, and nobody would notice.
    """

    bot: FormText
    parameters: Parameters


class Spectate(Message, frozen=True, tag="watch"):
    """Watch an open table without a seat."""

    table: TableId


class SitOut(Message, frozen=True, tag="away"):
    """Sit out from the next hand, or from the hand in which I would post the big blind."""

    table: TableId
    at: Literal["hand", "blind"] = "hand"


class SendChat(Message, frozen=True, tag="say"):
    """Send a line of chat."""

    table: TableId
    text: Annotated[str, Meta(max_length=4096)]


class ShowCards(Message, frozen=True, tag="show"):
    """Show my hole cards from the hand that just ended."""

    table: TableId
    hand: Count
    cards: Annotated[list[Annotated[str, Meta(max_length=2)]], Meta(max_length=2)]


class CreateTable(Message, frozen=True, tag="create"):
    """Open a table.

    ``bots`` are the house bots to seat; an exhibition consists of them alone. ``matches`` is the number of
    tournaments in a series. A challenge lasts ``hands`` hands, which the house bot ``rival`` also plays.
    ``depth`` (least, most) draws everybody's starting stack for every hand, in big blinds, instead of
    ``stack``. ``min_raise`` of a no-limit game: as large as the last one (``last_raise``), or a big blind
    (``bb``). ``memory``: whether players should forget after each ``match`` of a series, or not (``series``).
    ``research``: keep my result, anonymously. ``private``: only who knows the table's name, which nobody can
    guess, finds it. ``hud``: tell people how everybody plays (a head-up display). ``practice``: I play alone
    against bots, and may ask for hints. ``all_ins`` of a cash table, where nobody can act any more: deal the
    board (``""``), divide pots by ``equity``, or run it ``twice`` if all who are left agree. ``straddle``: at
    a no-limit cash table with four players or more, who acts first posts two big blinds. ``deals``: play the
    hands of the day (``today``), or the deals that a link leads to, on the terms of those: of the other
    fields only ``pause_ms`` counts. With the id of a stored hand whose seed is published, such as
    ``table-1.7.33``, it is a practice table for that hand, after so many of its actions (``keep``).
    """

    name: FormText = ""
    game: FormText = "nolimit"
    small_blind: FormInt = 5
    big_blind: FormInt = 10
    ante: FormInt = 0
    stack: FormInt = 1000
    seats: FormInt = 6
    mode: FormText = "cash"
    bots: Annotated[list[FormText | BotChoice], Meta(max_length=16)] = field(default_factory=list)
    decision_ms: FormInt = 20_000
    bank_ms: FormInt = 60_000
    pause_ms: FormInt = 3_000
    deck: FormText = "secure"
    levels: FormText = ""
    matches: FormInt = 1
    rival: FormText | BotChoice = ""
    hands: FormInt = 100
    depth: Annotated[list[FormInt], Meta(max_length=2)] = field(default_factory=list)
    min_raise: FormText = ""
    memory: FormText = ""
    research: bool = False
    private: bool = False
    hud: bool = True
    practice: bool = False
    deals: FormText = ""
    keep: FormInt = 0
    all_ins: FormText = ""
    straddle: bool = False


class AgreeTwice(Message, frozen=True, tag="twice"):
    """Say whether I agree to run it twice, from now on, at a table that offers it."""

    table: TableId
    agree: bool


class AskHint(Message, frozen=True, tag="hint"):
    """Ask what a strong bot would do with my cards in my open turn, at a practice table."""

    table: TableId
    turn: Count


class PlayAgain(Message, frozen=True, tag="again"):
    """Play the last hand, or the one in progress when it is over, again at a practice table: with the same
    cards and stacks, and without counting it. ``keep``: with as many actions as before, and in my open turn
    at once.
    """

    table: TableId
    hand: Count
    keep: Count | None = None


class AskRanges(Message, frozen=True, tag="range"):
    """Ask what a strong bot would have done in my place with every hand, once a hand at a practice table is
    over. What is left to answer about an older hand is given up.
    """

    table: TableId
    hand: Count


class Invite(Message, frozen=True, tag="invite"):
    """Seat a house bot at a table that I opened."""

    table: TableId
    bot: FormText | BotChoice


# From server to client.


class SeatInfo(Struct, frozen=True, omit_defaults=True, gc=False):
    """The state of a seat. ``stack`` is from before the hand in progress; ``parameters`` are those of a house
    bot that differ from its defaults. ``twice``: its holder agrees to run it twice.
    """

    seat: int
    name: str = ""
    kind: str = ""
    stack: float | int = 0
    state: str = ""
    place: int = 0
    parameters: Parameters = field(default_factory=dict)
    twice: bool = False


class Seats(Message, frozen=True, tag="seats"):
    """The state of the table, sent on arrival and after every change. ``owner`` is who opened it;
    ``practice``: he plays alone against bots, and may ask for hints; ``again``: the hand in progress, or the
    last one, has been played before, and does not count; ``all_ins``: as in ``create``.
    """

    table: str
    seats: list[SeatInfo]
    watchers: int
    hand: int
    pause_ms: int
    name: str
    mode: str
    game: str
    commitment: str = ""
    deck: str = ""
    owner: str = ""
    practice: bool = False
    again: bool = False
    all_ins: str = ""


class PlayStyle(Struct, frozen=True, gc=False):
    """How the holder of a seat plays: shares, from 0 to 1, of the ``hands`` that people saw; None without a
    chance. ``vpip``: put chips in before the flop by choice; ``pfr``: raised before it; ``three_bet``: raised
    again; ``aggression``: bets and raises of all bets, raises, calls and folds after the flop.
    """

    seat: int
    hands: int
    vpip: float | None
    pfr: float | None
    three_bet: float | None
    aggression: float | None


class PlayStyles(Message, frozen=True, tag="styles"):
    """How everybody at the table plays, after a hand."""

    table: str
    seats: list[PlayStyle]


class OpenPot(Struct, frozen=True, gc=False):
    """A pot from completed streets, and the seats eligible for it."""

    amount: int
    seats: tuple[int, ...]


class ActionOn(Message, frozen=True, tag="waiting"):
    """Whose turn it is, and the chips on the table: the main pot, the side pots, and ``bets``, the chips in
    front of each player by position.
    """

    table: str
    seat: int
    turn: int
    time_ms: int
    bank_ms: int
    pot: int
    pots: list[OpenPot]
    bets: tuple[int, ...]


class Strength(Message, frozen=True, tag="strength"):
    """What your cards make with the current board; sent only to you."""

    table: str
    street: int
    label: str


class Hint(Message, frozen=True, tag="hinted"):
    """What the house bot ``bot`` would do in this turn: actions, totals of raises (otherwise 0) and
    probabilities. Without ``chances`` it only tells how many ``hints`` you have had at this table. ``depth``:
    its strategy is for these stacks, in big blinds (0: for any). Sent only to you.
    """

    table: str
    turn: int
    bot: str
    chances: list[Choice]
    hints: int
    depth: int = 0


class RangeDecision(Struct, frozen=True, gc=False):
    """A decision of mine: what I did (``to``: the total of a raise), and the probabilities with which the bot
    would have folded, called (or checked) and raised with each of the 169 hands, row by row of the usual
    grid. ``weights``: how much of its range each is, had it played as I did before, 1 in all; 0 in all if it
    never does.
    """

    action: Literal["fold", "call", "raise"]
    to: int
    chances: list[tuple[float, float, float]]
    street: int
    weights: list[float]


class Ranges(Message, frozen=True, tag="ranges"):
    """What the house bot ``bot`` would have done in the last hand. ``awaited``: how many more decisions
    it is still asked about; it is sent again with each. Sent only to you.
    """

    table: str
    hand: int
    bot: str
    decisions: list[RangeDecision]
    awaited: int


class CardsShown(Message, frozen=True, tag="showed"):
    """A player voluntarily showed hole cards from the hand that just ended."""

    table: str
    hand: int
    seat: int
    cards: tuple[str, ...]


class UndealtCards(Message, frozen=True, tag="undealt"):
    """The board cards that would have come, in the order of the deck, after a hand that ended early."""

    table: str
    hand: int
    cards: tuple[str, ...]


class ChatMessage(Message, frozen=True, tag="said"):
    """A line of chat. ``seat`` is -1 for a spectator; ``at`` is in milliseconds since 1970. ``organiser``: an
    administrator of the server says it, by the name of his token.
    """

    table: str
    seat: int
    name: str
    text: str
    at: int
    organiser: bool = False


class SeriesMatch(Struct, frozen=True, gc=False):
    """The result of one tournament of a series: names and places by seat."""

    match: int
    players: list[str]
    places: list[int]
    hands: int


class Series(Message, frozen=True, tag="series"):
    """The progress of a series of tournaments: the number of the current one, from 1, and the results so
    far.
    """

    table: str
    match: int
    of: int
    results: list[SeriesMatch]


class TableCreated(Message, frozen=True, tag="created"):
    """Your table is open; ``join`` it to sit down."""

    table: str


class FaceUpCards(Message, frozen=True, tag="faceup"):
    """All hole cards of a hand in progress, by position. Sent only to spectators of tables where all players
    are house bots.
    """

    table: str
    hand: int
    cards: tuple[tuple[str, ...], ...]


class Heartbeat(Message, frozen=True, tag="heartbeat"):
    """Sent every ``welcome.heartbeat`` seconds, because pages in a browser cannot see websocket pings."""


class ChallengeHand(Struct, frozen=True, gc=False):
    """One hand of a challenge: what player and rival each won with the same cards."""

    hand: int
    player_net: float | int
    rival_net: float | int


class ChallengeResult(Message, frozen=True, tag="challenge"):
    """The result of a challenge. ``mean`` ± ``half`` (95 %) is how much more per hand the player won than the
    rival; ``half`` is null with fewer than ten hands. ``run`` and ``rival_run`` identify the stored hands and
    are empty if those are not kept. ``parameters`` are, by name, those of the bots that have their own.
    ``deals``: the day whose hands these were, or the run of the friend who played them first.
    """

    table: str
    run: str
    rival_run: str
    player: str
    rival: str
    opponents: list[str]
    game: str
    big_blind: int
    of: int
    hands: list[ChallengeHand]
    player_net: float | int
    rival_net: float | int
    mean: float
    half: float | None
    decided: bool
    parameters: dict[str, Parameters] = field(default_factory=dict)
    deals: str = ""


class Estimate(Struct, frozen=True, gc=False):
    """A mean with its 95 % interval; ``low`` and ``high`` are null where there are too few units."""

    mean: float
    low: float | None
    high: float | None


class PlayScore(Struct, frozen=True, gc=False):
    """How people did in so many ``results``. ``share``: of tournaments won, null without any; ``bb100``: big
    blinds won per 100 hands. The ``adjusted`` ones are corrected for the luck of all-ins.
    """

    results: int
    tournaments: int
    won: int
    hands: int
    share: Estimate | None
    share_adjusted: Estimate | None
    bb100: Estimate
    bb100_adjusted: Estimate


class PersonScore(Message, frozen=True, tag="score"):
    """How you did against the house bots, and how others did with the same settings, null if nobody has been
    kept. ``key`` shows and deletes your result; it is empty if that is not kept.
    """

    table: str
    key: str
    own: PlayScore
    others: PlayScore | None


PersonClientMessage = (
    Spectate
    | SitOut
    | SendChat
    | ShowCards
    | CreateTable
    | AgreeTwice
    | AskHint
    | PlayAgain
    | AskRanges
    | Invite
    | AnnounceTournament
    | Register
    | Unregister
    | CancelTournament
)
PersonServerMessage = (
    Seats
    | ActionOn
    | Strength
    | Hint
    | Ranges
    | CardsShown
    | UndealtCards
    | PlayStyles
    | ChatMessage
    | Series
    | TableCreated
    | Entry
    | FaceUpCards
    | Heartbeat
    | ChallengeResult
    | PersonScore
)
