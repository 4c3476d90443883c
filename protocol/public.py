"""The public events of ``pokerd/v1``: what anybody may know of tables and competitions.

They go to MQTT, and to whoever watches within the server. There is no place in them for a secret: the only
cards are those of the board (``BettingRound.cards``) and those that were shown (``Hand.shown``). Fields that
hold their default value are left out. ``docs/mqtt.md`` is the reference; a test compares it with this file.
"""

from __future__ import annotations

from typing import Final, Literal
from urllib.parse import quote

from msgspec import Struct, json

from protocol.messages import PotInfo

__all__ = [
    "STATUS",
    "TABLES",
    "DivisionProgress",
    "DivisionStandings",
    "FinishedHand",
    "HandPlayer",
    "Move",
    "NodeStatus",
    "ProgressReport",
    "PublicEvent",
    "RankedBot",
    "SeatedPlayer",
    "ServerStatus",
    "ShownCards",
    "CompetitionStandings",
    "BettingRound",
    "TableInfo",
    "TableStandings",
    "TableList",
    "Winnings",
    "decode",
    "encode",
    "is_retained",
    "topic_of",
]


class _Event(Struct, tag_field="type", frozen=True, omit_defaults=True, kw_only=True):
    pass


class _Part(Struct, frozen=True, omit_defaults=True, kw_only=True):
    pass


class ServerStatus(_Event, frozen=True, tag="server"):
    """Whether the server is there; ``since`` is when it started (ISO 8601, UTC)."""

    status: Literal["online", "offline"]
    version: str
    since: str


class NodeStatus(_Event, frozen=True, tag="node"):
    """Whether a node of a fleet is there; ``since`` is when it started (ISO 8601, UTC). It plays ``sessions``
    of the ``workers`` that it could play at once.
    """

    node: str
    status: Literal["online", "offline"]
    version: str
    since: str
    workers: int
    sessions: int = 0


class SeatedPlayer(_Part, frozen=True):
    """Somebody at a table. ``bot``: a bot of the house; of guests nobody knows what they are."""

    seat: int
    name: str
    bot: bool = False


class TableInfo(_Part, frozen=True):
    """An open table: its game, what it is played for (chips), and who sits there."""

    table: str
    game: str
    mode: str
    seats: int
    small_blind: int
    big_blind: int
    stack: int
    ante: int = 0
    seated: tuple[SeatedPlayer, ...] = ()


class TableList(_Event, frozen=True, tag="tables"):
    """All open tables, none left out."""

    tables: tuple[TableInfo, ...]


class HandPlayer(_Part, frozen=True):
    """A player of a hand. ``stack`` is before antes and blinds, ``net`` the chips won or lost."""

    seat: int
    name: str
    stack: float | int
    net: float | int
    ante: int = 0
    blind: int = 0


class Move(_Part, frozen=True):
    """An action, as in the message ``acted``."""

    seat: int
    action: str
    to: int = 0
    paid: int = 0
    all_in: bool = False
    forced: str = ""


class BettingRound(_Part, frozen=True):
    """A betting round (0: before the first board card): its new board cards and what was done."""

    street: int
    cards: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()


class ShownCards(_Part, frozen=True):
    """One player's cards at showdown and what they make; no cards when mucked."""

    seat: int
    cards: tuple[str, ...] = ()
    label: str = ""


class FinishedHand(_Event, frozen=True, tag="hand"):
    """A finished hand. ``players`` are in position order, ``shown`` in the order of showing; ``returned`` is
    the uncalled bet given back as (seat, chips). ``competition`` is empty at an open table.
    """

    table: str
    hand: int
    button: int
    players: tuple[HandPlayer, ...]
    streets: tuple[BettingRound, ...]
    pots: tuple[PotInfo, ...]
    shown: tuple[ShownCards, ...] = ()
    returned: tuple[int, int] | None = None
    competition: str = ""


class Winnings(_Part, frozen=True):
    """What a player won at a table, in chips."""

    name: str
    hands: int
    chips: float | int


class TableStandings(_Event, frozen=True, tag="table_standings"):
    """What everybody won at an open table since the server started, best first."""

    table: str
    players: tuple[Winnings, ...]


class DivisionProgress(_Part, frozen=True):
    """How far a division is: ``sessions`` in all and ``done``, ``hands`` so far."""

    division: str
    sessions: int
    done: int
    hands: int


class ProgressReport(_Event, frozen=True, tag="progress"):
    """How far a competition is."""

    competition: str
    divisions: tuple[DivisionProgress, ...]


class RankedBot(_Part, frozen=True):
    """A bot's place by total bankroll; equal places are ties. ``mbb`` per hand and the half width of its 95 %
    interval are told at the end, if they can be.
    """

    place: int
    name: str
    chips: float | int
    hands: int
    mbb: float | None = None
    ci95: float | None = None


class DivisionStandings(_Part, frozen=True):
    """The ranking of a division, best first. ``unit``: what ``hands`` counts."""

    division: str
    unit: Literal["hand", "tournament"]
    ranking: tuple[RankedBot, ...]


class CompetitionStandings(_Event, frozen=True, tag="standings"):
    """The standings of a competition, while it is played and at the end (``final``)."""

    competition: str
    final: bool
    divisions: tuple[DivisionStandings, ...]


PublicEvent = (
    ServerStatus
    | NodeStatus
    | TableList
    | FinishedHand
    | TableStandings
    | ProgressReport
    | CompetitionStandings
)

_ROOT: Final = "pokerd/v1"
STATUS: Final = f"{_ROOT}/server/status"
TABLES: Final = f"{_ROOT}/tables"


def topic_of(event: PublicEvent) -> str:
    """Where an event is published. Ids are percent-encoded: none of them can be a wildcard or a level."""
    match event:
        case ServerStatus():
            return STATUS
        case NodeStatus():
            return f"{_ROOT}/nodes/{_level(event.node)}/status"
        case TableList():
            return TABLES
        case FinishedHand():
            return f"{TABLES}/{_level(event.table)}/hand"
        case TableStandings():
            return f"{TABLES}/{_level(event.table)}/standings"
        case ProgressReport():
            return f"{_ROOT}/competitions/{_level(event.competition)}/progress"
        case CompetitionStandings():
            return f"{_ROOT}/competitions/{_level(event.competition)}/standings"


def _level(name: str) -> str:
    return quote(name, safe="")


def is_retained(event: PublicEvent) -> bool:
    """Whether an event says how things stand: then the latest of its topic is all that is worth knowing."""
    return type(event) is not FinishedHand


#: An event as JSON.
encode: Final = json.Encoder().encode
_decoder: Final[json.Decoder[PublicEvent]] = json.Decoder(PublicEvent)


def decode(payload: bytes | str) -> PublicEvent:
    """An event from JSON. Raises ``msgspec.DecodeError``."""
    return _decoder.decode(payload)
