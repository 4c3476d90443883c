"""What happened in a hand: frozen facts, the only truth. A hand's state follows from its events.

``event_to_data`` and ``event_from_data`` are their text form: plain lists that any format can carry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from dealer.rules.cards import cards_text, parse_cards
from dealer.rules.errors import ReplayError

__all__ = [
    "Acted",
    "BoardDealt",
    "Chips",
    "Event",
    "HandEnded",
    "HandStarted",
    "Pot",
    "Shown",
    "event_from_data",
    "event_to_data",
]

Chips = int | float
"""A number of chips: whole, except where the ``acpc`` rules split a pot that does not divide."""


class HandStarted(NamedTuple):
    """Blinds are posted and hole cards dealt.

    ``seats``, ``stacks`` (before posting), ``antes``, ``blinds`` (chips really posted) and ``hole`` are per
    position: ``seats[i]`` is the seat of position i. ``button`` is a seat.
    """

    hand: int
    seats: tuple[int, ...]
    button: int
    stacks: tuple[int, ...]
    antes: tuple[int, ...]
    blinds: tuple[int, ...]
    hole: tuple[tuple[int, ...], ...]

    @property
    def kind(self) -> str:
        return "hand_started"


class BoardDealt(NamedTuple):
    """A street begins; ``cards`` are the new cards of the board."""

    street: int
    cards: tuple[int, ...]

    @property
    def kind(self) -> str:
        return "board_dealt"


class Acted(NamedTuple):
    """A player acted: ``action`` is ``fold``, ``call`` or ``raise``.

    ``to``: chips in front of him on this street after it, 0 for a fold. ``paid``: chips he added. ``all_in``:
    his last. ``forced``: empty, or why the table acted for him (``timeout``, ``absent``, ...).
    """

    seat: int
    action: str
    to: int
    paid: int
    all_in: bool
    forced: str = ""

    @property
    def kind(self) -> str:
        return "acted"


class Shown(NamedTuple):
    """The showdown: (seat, cards) in the order of showing, no cards for a hand that is mucked."""

    hands: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def kind(self) -> str:
        return "shown"


class Pot(NamedTuple):
    """A pot of ``amount`` chips that the ``seats`` played for; ``wins`` are (seat, chips)."""

    amount: int
    seats: tuple[int, ...]
    wins: tuple[tuple[int, Chips], ...]


class HandEnded(NamedTuple):
    """The pots are paid out.

    ``returned``: (seat, chips) of the bet nobody called, or None. ``pots``: main pot first. Per position:
    ``values``, the chips won or lost in the hand, and ``stacks``, what each has now.
    """

    hand: int
    returned: tuple[int, int] | None
    pots: tuple[Pot, ...]
    values: tuple[Chips, ...]
    stacks: tuple[Chips, ...]

    @property
    def kind(self) -> str:
        return "hand_ended"


Event = HandStarted | BoardDealt | Acted | Shown | HandEnded


def event_to_data(event: Event) -> list[Any]:
    """The event as a list of its kind and its fields, in their order; tuples are lists, cards are text."""
    if isinstance(event, HandStarted):
        return [event.kind, *map(_lists, event[:-1]), [cards_text(cards) for cards in event.hole]]
    if isinstance(event, BoardDealt):
        return [event.kind, event.street, cards_text(event.cards)]
    if isinstance(event, Shown):
        return [event.kind, [[seat, cards_text(cards)] for seat, cards in event.hands]]
    return [event.kind, *map(_lists, event)]


def event_from_data(data: list[Any]) -> Event:
    """The way back from ``event_to_data``. Raises ReplayError ``bad_events`` for anything else."""
    try:
        event: Event = _READERS[data[0]](data[1:])
        if event_to_data(event) == data:
            return event
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise ReplayError("bad_events", f"not an event: {str(data)[:80]}", 0) from error
    raise ReplayError("bad_events", f"not an event: {str(data)[:80]}", 0)


def _lists(value: Any) -> Any:
    return [_lists(item) for item in value] if isinstance(value, tuple) else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _started(fields: list[Any]) -> HandStarted:
    hand, seats, button, stacks, antes, blinds, hole = fields
    posted = (_tuples(antes), _tuples(blinds))
    return HandStarted(hand, _tuples(seats), button, _tuples(stacks), *posted, tuple(map(parse_cards, hole)))


def _board(fields: list[Any]) -> BoardDealt:
    street, cards = fields
    return BoardDealt(street, parse_cards(cards))


def _acted(fields: list[Any]) -> Acted:
    return Acted(*fields)


def _shown(fields: list[Any]) -> Shown:
    (hands,) = fields
    return Shown(tuple((seat, parse_cards(cards)) for seat, cards in hands))


def _ended(fields: list[Any]) -> HandEnded:
    hand, returned, pots, values, stacks = map(_tuples, fields)
    return HandEnded(hand, returned, tuple(Pot(*pot) for pot in pots), values, stacks)


_READERS: dict[str, Callable[[list[Any]], Event]] = {
    "hand_started": _started,
    "board_dealt": _board,
    "acted": _acted,
    "shown": _shown,
    "hand_ended": _ended,
}
