"""The messages of ``pokerd.v1``: one set of types for JSON and MessagePack.

Every message is an object (a map) with a ``type``. Fields that hold their default value may be left out;
unknown fields are ignored. Lists called ``stacks``, ``antes``, ``blinds`` and ``net`` run in the order of
``hand_start.seats``. Amounts are chips. ``docs/protocol.md`` and, for what only people's pages need,
``docs/people.md`` are the reference; a test compares them with this file.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from protocol.base import Chips, Count, Message, Name, TableId, Token
from protocol.people import PersonClientMessage, PersonServerMessage

__all__ = [
    "Act",
    "PlayerActed",
    "SitIn",
    "Board",
    "ClientMessage",
    "PlayerEliminated",
    "Error",
    "GameInfo",
    "Redirect",
    "HandEnd",
    "HandStart",
    "Hello",
    "Join",
    "Leave",
    "BlindsRaised",
    "MatchEnd",
    "MatchStart",
    "LobbyTable",
    "PlayerList",
    "PotInfo",
    "Ready",
    "Rebuy",
    "ServerMessage",
    "Showdown",
    "ShownHand",
    "YourTurn",
    "Welcome",
]

# What a client says.


class Hello(Message, frozen=True, tag="hello"):
    """The first message: who I am, how many tables I can play at once, and, after a broken connection,
    ``resume``. A ``person`` is told more, and at once.
    """

    name: Name
    token: Token = ""
    tables: Annotated[int, Meta(ge=1, le=4096)] = 1
    resume: Token = ""
    software: Annotated[str, Meta(max_length=128)] = ""
    person: bool = False


class Join(Message, frozen=True, tag="join"):
    """Take a seat at an open table; ``seat`` -1 takes any free one."""

    table: TableId
    seat: Annotated[int, Meta(ge=-1, le=9)] = -1


class Leave(Message, frozen=True, tag="leave"):
    """Give the seat up after the hand in progress, or watch no longer."""

    table: TableId


class Ready(Message, frozen=True, tag="ready"):
    """Answer to ``match_start``: the first hand may be dealt."""

    table: TableId


class Act(Message, frozen=True, tag="act"):
    """Answer to ``turn``. ``to`` is the total bet on this street after the raise; only a raise has it."""

    table: TableId
    turn: Count
    action: Literal["fold", "check", "call", "raise"]
    to: Chips = 0


class SitIn(Message, frozen=True, tag="back"):
    """Return from sitting out (after too many missed turns, or ``away``)."""

    table: TableId


# What the server says.


class LobbyTable(Struct, frozen=True, gc=False):
    """A table that can be joined, as listed in ``welcome``."""

    table: str
    game: str
    seats: int
    free: int
    mode: str


class Welcome(Message, frozen=True, tag="welcome"):
    """Answer to ``hello``. ``resume`` is the secret that takes this player's seats back within ``grace``
    seconds. A person is told ``heartbeat`` that often, in seconds; 0 is never.
    """

    name: str
    resume: str
    grace: float
    server: str
    tables: list[LobbyTable] = field(default_factory=list)
    heartbeat: float = 0.0


class GameInfo(Struct, frozen=True, omit_defaults=True):
    """The game's definition: the keys of an ACPC game file; ``text`` is the file itself."""

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


class MatchStart(Message, frozen=True, tag="match_start"):
    """A seat at a table. With ``reset`` everything learned before must be forgotten; answer ``ready``.

    ``seed`` feeds the bot's own randomness so that reruns repeat. ``hands`` 0 means no end is set.
    ``hand`` is the next hand's number, or the one in progress. After a reconnect ``resumed`` is true: keep
    your memory, the current hand's messages follow once more with their old ``seq``.
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
    """A new hand: ``seats[p]`` is the seat in position p (0 is the first left of the button); your hole
    cards.
    """

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
    """Somebody acted: ``to`` is that seat's total bet on this street, ``paid`` the chips just put in.

    ``forced`` says why the table acted in the player's place: ``timeout`` or ``absent``; empty otherwise.
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
    """You are to act. Answer with ``act`` and this ``turn``.

    ``call`` is the price in chips (0: check). ``raise_to`` holds the least and the most that may be raised
    *to* on this street, or null. ``time_ms`` is left for this decision before ``bank_ms`` of time bank are
    drawn on.
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
    """One player's cards at showdown; no cards when mucked. ``best`` are the five that make the label, told
    where people are at the table.
    """

    seat: int
    cards: tuple[str, ...] = ()
    label: str = ""
    best: tuple[str, ...] = ()


class Showdown(Message, frozen=True, tag="shown"):
    """The hands shown, in showdown order."""

    table: str
    seq: int
    hands: list[ShownHand]


class PotInfo(Struct, frozen=True, gc=False):
    """A pot, who could win it, and what each winner took as [seat, chips]."""

    amount: float | int
    seats: tuple[int, ...]
    wins: tuple[tuple[int, float | int], ...]


class HandEnd(Message, frozen=True, tag="hand_end"):
    """The hand is over. ``returned`` is the uncalled bet given back as [seat, chips], or null. ``hands`` says
    where people are at the table what those made in the end who showed before all of the board was dealt.
    """

    table: str
    seq: int
    hand: int
    pots: list[PotInfo]
    net: tuple[float | int, ...]
    stacks: tuple[float | int, ...]
    returned: tuple[int, int] | None = None
    hands: list[ShownHand] = field(default_factory=list)


class PlayerList(Message, frozen=True, tag="players"):
    """Who sits where has changed at an open table: names by seat, empty where nobody sits."""

    table: str
    players: list[str]


class Rebuy(Message, frozen=True, tag="refilled"):
    """A player who was out of chips was given a new stack (cash tables)."""

    table: str
    seq: int
    seat: int
    stack: float | int


class PlayerEliminated(Message, frozen=True, tag="eliminated"):
    """A player is out of the tournament, in that place (1 is the winner; equal places are ties)."""

    table: str
    seq: int
    seat: int
    place: int


class BlindsRaised(Message, frozen=True, tag="level"):
    """The blinds of the hands from now on (tournaments)."""

    table: str
    seq: int
    small_blind: int
    big_blind: int
    ante: int


class Redirect(Message, frozen=True, tag="go_to"):
    """The match at this table is played at another server: connect to ``url`` besides, and say ``hello`` with
    ``ticket`` as the token. It lets you in once, and not for long.
    """

    table: str
    url: str
    ticket: str


class MatchEnd(Message, frozen=True, tag="match_end"):
    """The match at this table is over; ``net`` is each SEAT's total. The table is gone for you after this."""

    table: str
    hands: int
    net: list[float | int]
    reason: str = "complete"


class Error(Message, frozen=True, tag="error"):
    """A refusal; see the list of codes. ``fatal`` means that the connection is closed after it. ``field`` is
    what was wrong in ``create``.
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
