"""How what a text tells of a hand is played again by our own rules, and held against them.

A reader takes from its text what was dealt and done (``RecordedHand``); ``replay_recorded`` plays that; and
``verify_equal`` holds every further number of the text against what the rules say. So a record that was read
is a hand that could have been played here, or there is a ``RecordError``:

``bad_hand``         the text is not a hand of its format
``unsupported``      a hand of its format which our rules do not play: another game, straddles, rake, ...
``cards_unknown``    hole cards are not told; a hand can be played again only when all are known
``replay_differs``   an action, a card or a number is not what the rules say
``too_long``         more than ``LONGEST`` characters in one line or one hand
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import NamedTuple, Protocol

from dealer.errors import RecordError
from dealer.rules.actions import CALL, FOLD, Action
from dealer.rules.cards import cards_text
from dealer.rules.errors import RulesError
from dealer.rules.events import Acted, BoardDealt, Event, Shown
from dealer.rules.games import DEFAULT_STACK, Game, street_name
from dealer.rules.hand import HandState

MAX_CHARACTERS = 1 << 20
"""Characters of one hand, and of one line, that are read; what is longer is refused (``too_long``)."""


class Source(Protocol):
    """Where text is read from; a text file is one."""

    def read(self, size: int, /) -> str:
        """At most so many characters, none at the end."""

    def readline(self, size: int, /) -> str:
        """A line with its newline, or so many characters of it."""


class RecordedAction(NamedTuple):
    """An action as a text tells it; None is what it does not tell. ``to``, ``paid`` and ``all_in`` are as in
    ``Acted``; a raise needs ``to`` or ``paid``, in limit games neither.
    """

    seat: int
    kind: str
    to: int | None = None
    paid: int | None = None
    all_in: bool | None = None


class RecordedHand(NamedTuple):
    """What a text tells was dealt and done. ``seats``, ``stacks`` and ``hole`` are per position; ``boards``
    are the new cards from the second street on; ``mucked`` says that somebody did not show a losing hand.
    """

    game: Game
    number: int
    seats: tuple[int, ...]
    stacks: tuple[int, ...]
    hole: tuple[tuple[int, ...], ...]
    boards: tuple[tuple[int, ...], ...]
    actions: Sequence[RecordedAction]
    mucked: bool = False


class _TextCards:
    """The cards that a text tells."""

    def __init__(self, recorded: RecordedHand) -> None:
        self.hole = recorded.hole
        self._recorded = recorded

    def board(self, street: int) -> tuple[int, ...]:
        boards = self._recorded.boards
        if street > len(boards):
            name = street_name(self._recorded.game, street)
            raise RecordError("replay_differs", f"the rules deal the {name}, which is not told")
        return boards[street - 1]


def replay_recorded(recorded: RecordedHand) -> list[Event]:
    """The events of the hand, by our rules. Raises ``RecordError`` (see the module) and GameError."""
    _check_cards(recorded)
    hand = HandState(
        recorded.game,
        _TextCards(recorded),
        number=recorded.number,
        seats=recorded.seats,
        stacks=recorded.stacks,
        button=recorded.seats[-1],
        muck=recorded.mucked,
    )
    for number, action in enumerate(recorded.actions, 1):
        with error_context(f"action {number}"):
            _act(hand, action)
    if not hand.over:
        raise RecordError("replay_differs", "the actions end before the hand does")
    dealt = sum(isinstance(event, BoardDealt) for event in hand.events)
    if dealt != len(recorded.boards):
        raise RecordError("replay_differs", f"{len(recorded.boards)} streets have board cards, not {dealt}")
    return hand.events


def _act(hand: HandState, recorded: RecordedAction) -> None:
    if hand.to_act != recorded.seat:
        waits = "the hand is over" if hand.over else f"seat {_seat_number(hand.to_act)} is to act"
        raise RecordError("replay_differs", f"seat {_seat_number(recorded.seat)} acts, but {waits}")
    to = recorded.to
    if recorded.kind == "raise" and to is None and recorded.paid is not None:
        to = hand.betting.street_bet(hand.betting.to_act) + recorded.paid
    action = (
        FOLD if recorded.kind == "fold" else CALL if recorded.kind == "call" else Action("raise", to or 0)
    )
    try:
        event = hand.act(action)[0]
    except RulesError as error:
        raise RecordError(
            "replay_differs", f"the rules refuse {recorded.kind} {to or ''}: {error}"
        ) from error
    assert isinstance(event, Acted)
    stated = {"chips paid": recorded.paid, "all-in": recorded.all_in}
    verify_equal(
        {what: value for what, value in stated.items() if value is not None},
        {"chips paid": event.paid, "all-in": event.all_in},
    )


def _seat_number(seat: int | None) -> int:
    """As people count, and as all formats do that number seats."""
    return -1 if seat is None else seat + 1


def _check_cards(recorded: RecordedHand) -> None:
    game = recorded.game
    for seat, cards in zip(recorded.seats, recorded.hole, strict=True):
        if not cards:
            raise RecordError("cards_unknown", f"the hole cards of seat {_seat_number(seat)} are not told")
    counts = [game.hole_cards] * game.players + list(game.board_cards[1 : len(recorded.boards) + 1])
    groups = [*recorded.hole, *recorded.boards]
    dealt = [card for group in groups for card in group]
    if [len(group) for group in groups] != counts:
        raise RecordError("replay_differs", f"too many or too few cards: {cards_text(dealt)}")
    if len(set(dealt)) != len(dealt) or not set(dealt) <= set(game.deck):
        raise RecordError("replay_differs", f"a card twice, or none of the deck: {cards_text(dealt)}")


def verify_equal(recorded: Mapping[str, object], computed: Mapping[str, object]) -> None:
    """Hold what a text tells against what the rules say, which is all that it could tell.

    Raises ``RecordError`` ``replay_differs`` with the first difference. Numbers may differ by a millionth,
    the precision of texts.
    """
    for what, value in recorded.items():
        if not _is_equal(value, computed[what]):
            message = f"{what}: told {str(value)[:300]}, but the rules say {str(computed[what])[:300]}"
            raise RecordError("replay_differs", message)


def _is_equal(one: object, other: object) -> bool:
    if isinstance(one, (int, float, Decimal)) and isinstance(other, (int, float, Decimal)):
        return abs(float(one) - float(other)) <= 1e-6
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_equal(one[key], other[key]) for key in one)
    return one == other


def shown_hands(events: Iterable[Event]) -> dict[int, tuple[int, ...]]:
    """By seat, the cards shown at the showdown; none where they were mucked."""
    return {seat: cards for event in events if isinstance(event, Shown) for seat, cards in event.hands}


# Amounts.


def unit_of(amounts: Iterable[Decimal]) -> int:
    """The ``HandMetadata.unit`` for these amounts: 100 when some have cents, else 1."""
    return 1 if all(amount == amount.to_integral_value() for amount in amounts) else 100


def to_chips(amount: Decimal, unit: int) -> int:
    """An amount in chips. Raises ``RecordError`` ``bad_hand`` for parts of a chip and what is no stack."""
    chips = amount * unit if 0 <= amount <= DEFAULT_STACK else Decimal(-1)
    if not 0 <= chips <= DEFAULT_STACK or chips != chips.to_integral_value():
        text = str(amount)[:40]
        raise RecordError("bad_hand", f"{text} is not an amount from 0 to {DEFAULT_STACK} in chips or cents")
    return int(chips)


def parse_level(level: object) -> int:
    """A level as a file tells it, or 0 where it is no sensible one."""
    return level if type(level) is int and 0 < level < 1000 else 0


# Reading.


@contextmanager
def error_context(where: str) -> Iterator[None]:
    """Says in every error where it was. What the rules refuse becomes a ``RecordError`` of the same code."""
    try:
        yield
    except RecordError as error:
        raise RecordError(error.code, f"{where}: {error.detail}") from error
    except RulesError as error:
        raise RecordError(error.code, f"{where}: {error}") from error


def numbered_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, from 1. Raises ``RecordError`` ``too_long``."""
    number = 1
    while line := source.readline(MAX_CHARACTERS):
        if len(line) == MAX_CHARACTERS:
            raise RecordError("too_long", f"line {number} has {MAX_CHARACTERS} characters or more")
        yield number, line
        number += 1
