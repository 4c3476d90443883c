"""The messages of ``pokerd.v1``: one set of types for JSON and MessagePack.

Every message is an object (a map) with a ``type``. Fields with their default value may be left out; unknown
fields are ignored. The lists ``stacks``, ``antes``, ``blinds`` and ``net`` follow the order of
``hand_start.seats``, except in ``match_end``. Amounts are chips. The reference is ``docs/protocol.md``, and
``docs/people.md`` for what only the web pages need; a test compares both with this file.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from protocol.base import Chips, Choice, Count, Message, Name, TableId, Token
from protocol.people import PersonClientMessage, PersonServerMessage

# From client to server.


class Hello(Message, frozen=True, tag="hello"):
    """The first message: name, maximum number of tables and, after a lost connection, ``resume``.

    ``person`` requests the messages that the web pages need, without batching delays.
    """

    name: Name
    token: Token = ""
    tables: Annotated[int, Meta(ge=1, le=4096)] = 1
    resume: Token = ""
    software: Annotated[str, Meta(max_length=128)] = ""
    person: bool = False


class Join(Message, frozen=True, tag="join"):
    """Take a seat at an open table; ``seat`` -1 means any free seat."""

    table: TableId
    seat: Annotated[int, Meta(ge=-1, le=9)] = -1


class Leave(Message, frozen=True, tag="leave"):
    """Give up the seat after the hand in progress, or stop watching."""

    table: TableId


class Ready(Message, frozen=True, tag="ready"):
    """Answer to ``match_start``: the first hand may be dealt."""

    table: TableId


class Act(Message, frozen=True, tag="act"):
    """Answer to ``turn``. ``to`` (raises only) is the total bet on this street after the raise. ``policy``:
    the chances with which this action was drawn, as [action, to, probability]; no other player is told.
    """

    table: TableId
    turn: Count
    action: Literal["fold", "check", "call", "raise"]
    to: Chips = 0
    policy: Annotated[tuple[Choice, ...], Meta(max_length=64)] = ()


class SitIn(Message, frozen=True, tag="back"):
    """Return from sitting out (after too many missed turns, or after ``away``)."""

    table: TableId


# From server to client.


class LobbyTable(Struct, frozen=True, gc=False):
    """A table that can be joined, listed in ``welcome``."""

    table: str
    game: str
    seats: int
    free: int
    mode: str


class Welcome(Message, frozen=True, tag="welcome"):
    """Answer to ``hello``. ``resume`` is the secret that reclaims this player's seats within ``grace``
    seconds of a lost connection. ``heartbeat`` is the interval of heartbeats to people, in seconds; 0 means
    none.
    """

    name: str
    resume: str
    grace: float
    server: str
    tables: list[LobbyTable] = field(default_factory=list)
    heartbeat: float = 0.0


class GameInfo(Struct, frozen=True, omit_defaults=True):
    """The game definition: the keys of an ACPC game file; ``text`` is the file itself."""

    name: str
    betting: Literal["limit", "nolimit"]
    players: int
    rounds: int
    blinds: list[int]
    stacks: list[int]
    raise_sizes: list[int]
    first_player: list[int]
    max_raises: list[int]
    suits: int
    ranks: int
    hole_cards: int
    board_cards: list[int]
    rules: str
    ante: int = 0
    text: str = ""
    straddle: int = 0


class MatchStart(Message, frozen=True, tag="match_start"):
    """You have a seat at a table. If ``reset`` is set, forget everything learned before. Answer ``ready``.

    ``seed`` seeds the bot's random numbers, so that reruns are reproducible. ``hands`` 0 means no limit.
    ``hand`` is the number of the next hand, or of the one in progress. After a reconnect ``resumed`` is true:
    keep your memory; the messages of the current hand follow again, with the same ``seq``.
    """

    table: str
    match: str
    seat: int
    players: list[str]
    game: GameInfo
    hands: int
    reset: bool
    seed: int
    mode: str
    time_ms: int
    bank_ms: int
    hand: int = 0
    resumed: bool = False


class HandStart(Message, frozen=True, tag="hand_start"):
    """A new hand. ``seats[p]`` is the seat in position p (0: left of the button); ``hole`` are your cards."""

    table: str
    seq: int
    hand: int
    button: int
    seats: tuple[int, ...]
    stacks: tuple[float | int, ...]
    antes: tuple[int, ...]
    blinds: tuple[int, ...]
    hole: tuple[str, ...]


class Board(Message, frozen=True, tag="board"):
    """New board cards on ``street`` (1 is the flop in hold'em)."""

    table: str
    seq: int
    street: int
    cards: tuple[str, ...]


class PlayerActed(Message, frozen=True, tag="acted"):
    """A player acted. ``to`` is that seat's total bet on this street, ``paid`` the chips just added.

    ``forced`` is set if the table acted for the player: ``timeout`` or ``absent``.
    """

    table: str
    seq: int
    seat: int
    action: str
    to: int = 0
    paid: int = 0
    all_in: bool = False
    forced: str = ""


class YourTurn(Message, frozen=True, tag="turn"):
    """It is your turn. Answer with ``act`` and this ``turn``.

    ``call`` is the price in chips (0: check). ``raise_to`` is the smallest and largest total to raise *to* on
    this street, or null. ``time_ms`` is the time for this decision; after it ``bank_ms`` of time bank remain.
    """

    table: str
    turn: int
    fold: bool
    call: int
    raise_to: tuple[int, int] | None
    pot: int
    time_ms: int
    bank_ms: int


class ShownHand(Struct, frozen=True, omit_defaults=True, gc=False):
    """One player's cards at showdown; no cards if mucked. ``best`` are the five that make the hand, sent only
    to tables with people.
    """

    seat: int
    cards: tuple[str, ...] = ()
    label: str = ""
    best: tuple[str, ...] = ()


class Showdown(Message, frozen=True, tag="shown"):
    """The hands shown, in order of showing."""

    table: str
    seq: int
    hands: list[ShownHand]


class PotInfo(Struct, frozen=True, omit_defaults=True, gc=False):
    """A pot, the seats eligible for it, and its winners as [seat, chips]. ``board`` 1: what is played for on
    the second board of a hand that is run twice.
    """

    amount: float | int
    seats: tuple[int, ...]
    wins: tuple[tuple[int, float | int], ...]
    board: int = 0


class HandEnd(Message, frozen=True, tag="hand_end"):
    """The hand is over. ``returned`` is the uncalled bet as [seat, chips], or null. ``hands``, sent only to
    tables with people, are the final hands of players who showed before the board was complete.
    ``equity``: an all-in was divided by equity, and the rest of the board not dealt. ``second``: the hand was
    run twice, and this is the whole second board; ``second_hands`` are, for people, the hands on it.
    """

    table: str
    seq: int
    hand: int
    pots: list[PotInfo]
    net: tuple[float | int, ...]
    stacks: tuple[float | int, ...]
    returned: tuple[int, int] | None = None
    hands: list[ShownHand] = field(default_factory=list)
    equity: bool = False
    second: tuple[str, ...] = ()
    second_hands: list[ShownHand] = field(default_factory=list)


class PlayerList(Message, frozen=True, tag="players"):
    """The players at an open table have changed: names by seat, empty for a free seat."""

    table: str
    players: list[str]


class Rebuy(Message, frozen=True, tag="refilled"):
    """A player without chips received a new stack (cash tables)."""

    table: str
    seq: int
    seat: int
    stack: float | int


class PlayerEliminated(Message, frozen=True, tag="eliminated"):
    """A player is out of the tournament; ``place`` 1 is the winner, equal places are ties."""

    table: str
    seq: int
    seat: int
    place: int


class BlindsRaised(Message, frozen=True, tag="level"):
    """The blinds from the next hand on (tournaments)."""

    table: str
    seq: int
    small_blind: int
    big_blind: int
    ante: int


class Redirect(Message, frozen=True, tag="go_to"):
    """The match at this table is played on another server: open a second connection to ``url`` and send
    ``hello`` with ``ticket`` as the token. A ticket is valid once and expires soon.
    """

    table: str
    url: str
    ticket: str


class MatchEnd(Message, frozen=True, tag="match_end"):
    """The match is over and the table is closed to you; ``net`` is the total of each SEAT."""

    table: str
    hands: int
    net: list[float | int]
    reason: str = "complete"


class Error(Message, frozen=True, tag="error"):
    """A refusal with its code. ``fatal`` means that the connection is closed next. ``field`` is the faulty
    field of ``create``.
    """

    code: str
    message: str
    table: str = ""
    turn: int | None = None
    fatal: bool = False
    field: str = ""


ClientMessage = Hello | Join | Leave | Ready | Act | SitIn | PersonClientMessage
ServerMessage = (
    Welcome
    | MatchStart
    | HandStart
    | Board
    | PlayerActed
    | YourTurn
    | Showdown
    | HandEnd
    | PlayerList
    | Rebuy
    | PlayerEliminated
    | BlindsRaised
    | Redirect
    | MatchEnd
    | Error
    | PersonServerMessage
)
