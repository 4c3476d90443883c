"""What happened in a hand: frozen facts, the only truth. A hand's state follows from its events.

``event_to_data`` and ``event_from_data`` are their text form: plain lists that any format can carry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NamedTuple

from dealer.rules.cards import cards_text, parse_cards
from dealer.rules.errors import ReplayError

Policy = tuple[tuple[str, float], ...]
"""The chances with which an action was drawn, as its player says: actions as ``Action.text`` writes them,
each with its probability.
"""

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
    his last. ``forced``: empty, or why the table acted for him (``timeout``, ``absent``, ...). ``policy``:
    the chances of this action, if he told them; nobody else at the table is told.
    """

    seat: int
    action: str
    to: int
    paid: int
    all_in: bool
    forced: str = ""
    policy: Policy = ()

    @property
    def kind(self) -> str:
        return "acted"


class Shown(NamedTuple):
    """The showdown: (seat, cards) in the order of showing, no cards for a hand that is mucked."""

    hands: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def kind(self) -> str:
        return "shown"


class PotAward(NamedTuple):
    """A pot of ``amount`` chips that the ``seats`` played for; ``wins`` are (seat, chips). ``board`` is 1 for
    what is played for on the second board of a hand that is run twice, otherwise 0.
    """

    amount: int
    seats: tuple[int, ...]
    wins: tuple[tuple[int, Chips], ...]
    board: int = 0


class HandEnded(NamedTuple):
    """The pots are paid out.

    ``returned``: (seat, chips) of the bet nobody called, or None. ``pots``: main pot first. Per position:
    ``values``, the chips won or lost in the hand, and ``stacks``, what each has now. ``equity``: an all-in
    was divided by equity, and the rest of the board not dealt. ``second``: the hand was run twice, and these
    are the cards of the second board after those that both share.
    """

    hand: int
    returned: tuple[int, int] | None
    pots: tuple[PotAward, ...]
    values: tuple[Chips, ...]
    stacks: tuple[Chips, ...]
    equity: bool = False
    second: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        return "hand_ended"


Event = HandStarted | BoardDealt | Acted | Shown | HandEnded


def start_of(hand: Sequence[Event]) -> HandStarted:
    """Return the first event of a hand."""
    started = hand[0]
    assert isinstance(started, HandStarted)
    return started


def ends_of(hand: Sequence[Event]) -> tuple[HandStarted, HandEnded]:
    """Return the first and the last event of a finished hand."""
    ended = hand[-1]
    assert isinstance(ended, HandEnded)
    return start_of(hand), ended


def event_to_data(event: Event) -> list[Any]:
    """The event as a list of its kind and its fields, in their order; tuples are lists, cards are text."""
    if isinstance(event, HandStarted):
        return [event.kind, *map(_lists, event[:-1]), [cards_text(cards) for cards in event.hole]]
    if isinstance(event, BoardDealt):
        return [event.kind, event.street, cards_text(event.cards)]
    if isinstance(event, Shown):
        return [event.kind, [[seat, cards_text(cards)] for seat, cards in event.hands]]
    if isinstance(event, Acted) and not event.policy:
        return [event.kind, *event[:-1]]
    if isinstance(event, HandEnded):
        pots = [_lists(pot if pot.board else pot[:3]) for pot in event.pots]
        told = [event.hand, _lists(event.returned), pots, _lists(event.values), _lists(event.stacks)]
        unusual = event.equity or event.second
        return [event.kind, *told, *([event.equity, cards_text(event.second)] if unusual else [])]
    return [event.kind, *map(_lists, event)]


def event_from_data(data: object) -> Event:
    """The way back from ``event_to_data``. Raises ReplayError ``bad_events`` for anything else."""
    try:
        kind, *fields = _list(data)
        return _READERS[kind](*fields)
    except (KeyError, TypeError, ValueError) as error:
        raise ReplayError("bad_events", "not an event as event_to_data writes it", 0) from error


def _lists(value: Any) -> Any:
    return [_lists(item) for item in value] if isinstance(value, tuple) else value


# What a field may be; TypeError or ValueError for anything else. True is no number.


def _list(value: object) -> list[Any]:
    if type(value) is not list:
        raise TypeError
    return value


def _int(value: object) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _chips(value: object) -> Chips:
    return value if type(value) is float and isfinite(value) else _int(value)


def _str(value: object) -> str:
    if type(value) is not str:
        raise TypeError
    return value


def _bool(value: object) -> bool:
    if type(value) is not bool:
        raise TypeError
    return value


def _ints(value: object) -> tuple[int, ...]:
    return tuple(map(_int, _list(value)))


def _cards(value: object) -> tuple[int, ...]:
    return parse_cards(_str(value))


def _started(
    hand: object, seats: object, button: object, stacks: object, antes: object, blinds: object, hole: object
) -> HandStarted:
    posted = _ints(antes), _ints(blinds)
    dealt = tuple(map(_cards, _list(hole)))
    return HandStarted(_int(hand), _ints(seats), _int(button), _ints(stacks), *posted, dealt)


def _board(street: object, cards: object) -> BoardDealt:
    return BoardDealt(_int(street), _cards(cards))


def _acted(
    seat: object,
    action: object,
    to: object,
    paid: object,
    all_in: object,
    forced: object,
    policy: object = None,
) -> Acted:
    done = _int(seat), _str(action), _int(to), _int(paid), _bool(all_in), _str(forced)
    if policy is None:
        return Acted(*done)
    chances = tuple((_str(text), _chance(chance)) for text, chance in map(_list, _list(policy)))
    return Acted(*done, chances)


def _chance(value: object) -> float:
    if type(value) is not float or not 0 <= value <= 1:
        raise ValueError
    return value


def _shown(hands: object) -> Shown:
    return Shown(tuple((_int(seat), _cards(cards)) for seat, cards in map(_list, _list(hands))))


def _pot(amount: object, seats: object, wins: object, board: object = 0) -> PotAward:
    won = tuple((_int(seat), _chips(chips)) for seat, chips in map(_list, _list(wins)))
    return PotAward(_int(amount), _ints(seats), won, _int(board))


def _ended(
    hand: object,
    returned: object,
    pots: object,
    values: object,
    stacks: object,
    equity: object = False,
    second: object = "",
) -> HandEnded:
    uncalled = None
    if returned is not None:
        seat, chips = _ints(returned)
        uncalled = (seat, chips)
    settled = tuple(_pot(*_list(pot)) for pot in _list(pots))
    final = tuple(map(_chips, _list(values))), tuple(map(_chips, _list(stacks)))
    return HandEnded(_int(hand), uncalled, settled, *final, _bool(equity), _cards(second))


_READERS: dict[str, Callable[..., Event]] = {
    "hand_started": _started,
    "board_dealt": _board,
    "acted": _acted,
    "shown": _shown,
    "hand_ended": _ended,
}
