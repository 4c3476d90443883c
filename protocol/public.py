"""The public events of ``pokerd/v1``: what everybody may know about tables and competitions.

They are published through MQTT, and to observers inside the server. They cannot hold secrets: the only cards
are board cards (``BettingRound.cards``) and shown cards (``FinishedHand.shown``). Fields with their default
value are left out. ``docs/mqtt.md`` is the reference; a test compares it with this file.
"""

from __future__ import annotations

from typing import Final, Literal
from urllib.parse import quote

from msgspec import Struct, json

from protocol.messages import PotInfo


class _Event(Struct, tag_field="type", frozen=True, omit_defaults=True, kw_only=True):
    pass


class _Part(Struct, frozen=True, omit_defaults=True, kw_only=True):
    pass


class ServerStatus(_Event, frozen=True, tag="server"):
    """Whether the server is online; ``since`` is its start time (ISO 8601, UTC)."""

    status: Literal["online", "offline"]
    version: str
    since: str


class NodeStatus(_Event, frozen=True, tag="node"):
    """Whether a node of a fleet is online; ``since`` is its start time (ISO 8601, UTC). ``workers`` is how
    many sessions it can play at once, ``sessions`` how many it is playing.
    """

    node: str
    status: Literal["online", "offline"]
    version: str
    since: str
    workers: int
    sessions: int = 0


class SeatedPlayer(_Part, frozen=True):
    """A player at a table. ``bot`` is true for house bots; for guests it is unknown, hence false."""

    seat: int
    name: str
    bot: bool = False


class TableInfo(_Part, frozen=True):
    """An open table: its game, its stakes in chips, and its players."""

    table: str
    game: str
    mode: str
    seats: int
    small_blind: int
    big_blind: int
    stack: int
    ante: int = 0
    straddle: int = 0
    seated: tuple[SeatedPlayer, ...] = ()


class TableList(_Event, frozen=True, tag="tables"):
    """All open tables."""

    tables: tuple[TableInfo, ...]


class HandPlayer(_Part, frozen=True):
    """A player in a hand. ``stack`` is before antes and blinds, ``net`` the chips won or lost."""

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
    """A betting round (0: preflop): its new board cards and its actions."""

    street: int
    cards: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()


class ShownCards(_Part, frozen=True):
    """One player's cards at showdown and the name of the hand; no cards if mucked."""

    seat: int
    cards: tuple[str, ...] = ()
    label: str = ""


class FinishedHand(_Event, frozen=True, tag="hand"):
    """A finished hand. ``players`` are in position order, ``shown`` in order of showing. ``returned`` is the
    uncalled bet as (seat, chips). ``competition`` is empty at an open table. ``equity`` and ``second`` are as
    in the message ``hand_end``.
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
    equity: bool = False
    second: tuple[str, ...] = ()


class Winnings(_Part, frozen=True):
    """A player's winnings at a table, in chips."""

    name: str
    hands: int
    chips: float | int


class TableStandings(_Event, frozen=True, tag="table_standings"):
    """The winnings at an open table since the server started, best first."""

    table: str
    players: tuple[Winnings, ...]


class DivisionProgress(_Part, frozen=True):
    """The progress of a division: ``sessions`` in total, ``done``, and ``hands`` so far."""

    division: str
    sessions: int
    done: int
    hands: int


class ProgressReport(_Event, frozen=True, tag="progress"):
    """The progress of a competition."""

    competition: str
    divisions: tuple[DivisionProgress, ...]


class RankedBot(_Part, frozen=True):
    """A bot's place by total bankroll; equal places are ties. The final standings include ``mbb`` per hand
    and the half-width of its 95 % interval, where they can be computed.
    """

    place: int
    name: str
    chips: float | int
    hands: int
    mbb: float | None = None
    ci95: float | None = None


class DivisionStandings(_Part, frozen=True):
    """The ranking of a division, best first. ``unit`` is what ``hands`` counts."""

    division: str
    unit: Literal["hand", "tournament"]
    ranking: tuple[RankedBot, ...]


class CompetitionStandings(_Event, frozen=True, tag="standings"):
    """The standings of a competition, interim or ``final``."""

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
    """Return the topic of an event. Ids are percent-encoded, so they cannot contain wildcards or levels."""
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
    """Return whether an event describes a state, so that only the latest of its topic matters."""
    return type(event) is not FinishedHand


#: Encodes an event as JSON.
encode: Final = json.Encoder().encode
_decoder: Final[json.Decoder[PublicEvent]] = json.Decoder(PublicEvent)


def decode(payload: bytes | str) -> PublicEvent:
    """Decode an event from JSON. Raises ``msgspec.DecodeError``."""
    return _decoder.decode(payload)
