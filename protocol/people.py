"""The messages that only people's pages need. ``protocol.messages`` has the others, and the types of all."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from protocol.base import Count, Message, TableId

__all__ = [
    "SitOut",
    "ChallengeResult",
    "ChallengeHand",
    "CreateTable",
    "TableCreated",
    "FaceUpCards",
    "Heartbeat",
    "Invite",
    "OpenPot",
    "PersonClientMessage",
    "PersonServerMessage",
    "ChatMessage",
    "SendChat",
    "SeatInfo",
    "Seats",
    "Series",
    "SeriesMatch",
    "ShowCards",
    "CardsShown",
    "Strength",
    "ActionOn",
    "Spectate",
]

# What ``create`` asks for is looked at field by field, so that a form can say which one is wrong.
FormInt = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
FormText = Annotated[str, Meta(max_length=256)]


# What a client says.


class Spectate(Message, frozen=True, tag="watch"):
    """Look on at an open table without a seat."""

    table: TableId


class SitOut(Message, frozen=True, tag="away"):
    """Sit out from the next hand on, or from that in which I would have the big blind."""

    table: TableId
    at: Literal["hand", "blind"] = "hand"


class SendChat(Message, frozen=True, tag="say"):
    """A line of chat."""

    table: TableId
    text: Annotated[str, Meta(max_length=4096)]


class ShowCards(Message, frozen=True, tag="show"):
    """Show own hole cards of the hand that is just over."""

    table: TableId
    hand: Count
    cards: Annotated[list[Annotated[str, Meta(max_length=2)]], Meta(max_length=2)]


class CreateTable(Message, frozen=True, tag="create"):
    """Open a table. ``bots`` are the house bots that sit there, in all seats for an exhibition; ``matches``
    tournaments make a series; a challenge is ``hands`` hands, which the house bot ``rival`` plays as well.
    ``depth``: the least and the most big blinds with which everybody begins every hand, instead of ``stack``.
    """

    name: FormText = ""
    game: FormText = "nolimit"
    small_blind: FormInt = 5
    big_blind: FormInt = 10
    ante: FormInt = 0
    stack: FormInt = 1000
    seats: FormInt = 6
    mode: FormText = "cash"
    bots: Annotated[list[FormText], Meta(max_length=16)] = field(default_factory=list)
    decision_ms: FormInt = 20_000
    bank_ms: FormInt = 60_000
    pause_ms: FormInt = 3_000
    deck: FormText = "secure"
    levels: FormText = ""
    matches: FormInt = 1
    rival: FormText = ""
    hands: FormInt = 100
    depth: Annotated[list[FormInt], Meta(max_length=2)] = field(default_factory=list)


class Invite(Message, frozen=True, tag="invite"):
    """Seat a house bot at a table that I opened."""

    table: TableId
    bot: FormText


# What the server says.


class SeatInfo(Struct, frozen=True, omit_defaults=True, gc=False):
    """A seat as it stands. ``stack`` is what it had before the hand in progress."""

    seat: int
    name: str = ""
    kind: str = ""
    stack: float | int = 0
    state: str = ""
    place: int = 0


class Seats(Message, frozen=True, tag="seats"):
    """The table as it stands: on arrival, and whenever any of it changes. ``owner`` is who opened it."""

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


class OpenPot(Struct, frozen=True, gc=False):
    """A pot of the streets that are over, and who can win it."""

    amount: int
    seats: tuple[int, ...]


class ActionOn(Message, frozen=True, tag="waiting"):
    """Who is asked now, and the chips on the table: the main pot, the side pots, and ``bets`` before the
    players, by position.
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
    """What your cards make with the board so far; nobody else is told."""

    table: str
    street: int
    label: str


class CardsShown(Message, frozen=True, tag="showed"):
    """Somebody showed hole cards of the hand that is over, by choice."""

    table: str
    hand: int
    seat: int
    cards: tuple[str, ...]


class ChatMessage(Message, frozen=True, tag="said"):
    """A line of chat. ``seat`` -1 is a spectator; ``at`` is milliseconds since 1970."""

    table: str
    seat: int
    name: str
    text: str
    at: int


class SeriesMatch(Struct, frozen=True, gc=False):
    """How a tournament of a series ended: names and places by seat."""

    match: int
    players: list[str]
    places: list[int]
    hands: int


class Series(Message, frozen=True, tag="series"):
    """How far a series of tournaments is: the number of the one being played, from 1, and those that are
    over.
    """

    table: str
    match: int
    of: int
    results: list[SeriesMatch]


class TableCreated(Message, frozen=True, tag="created"):
    """Your table is open; ``join`` it."""

    table: str


class FaceUpCards(Message, frozen=True, tag="faceup"):
    """All hole cards of a hand in progress, by position: only for people who look on where only house bots
    play.
    """

    table: str
    hand: int
    cards: tuple[tuple[str, ...], ...]


class Heartbeat(Message, frozen=True, tag="heartbeat"):
    """The connection lives: sent every ``welcome.heartbeat`` seconds, because a browser sees no pings."""


class ChallengeHand(Struct, frozen=True, gc=False):
    """A hand of a challenge: what each of the two won or lost with the same cards."""

    hand: int
    player_net: float | int
    rival_net: float | int


class ChallengeResult(Message, frozen=True, tag="challenge"):
    """How a challenge ended. ``mean`` +- ``half`` (95 %) is what the player won more than his rival in a
    hand; with fewer than ten hands ``half`` is null. ``run`` and ``rival_run`` are where the hands are kept,
    empty when they are not.
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


PersonClientMessage = Spectate | SitOut | SendChat | ShowCards | CreateTable | Invite
PersonServerMessage = (
    Seats
    | ActionOn
    | Strength
    | CardsShown
    | ChatMessage
    | Series
    | TableCreated
    | FaceUpCards
    | Heartbeat
    | ChallengeResult
)
