"""What a strong house bot would have done in a hand with every two cards, after the hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from dealer.rules.events import Acted, BoardDealt, Event, start_of
from dealer.rules.games import Game
from protocol.event_messages import turn_message
from protocol.messages import Act, ServerMessage
from protocol.people import RangeDecision, Ranges
from server import view
from server.house.questions import QUESTION_TIME, Questions, betting_after, chances_of
from server.net.connection import Connection
from server.tables.open_table import OpenTable
from server.tables.player import Player

#: The two cards of each of the 169 kinds, row by row of the usual grid: suited ones above the diagonal.
KINDS: Final = tuple(
    tuple(
        (4 * max(row, column) + first, 4 * min(row, column) + second)
        for first in range(3, -1, -1)
        for second in range(3, -1, -1)
        if (second < first if row == column else (first == second) == (column < row))
    )
    for row in range(12, -1, -1)
    for column in range(12, -1, -1)
)
#: Decisions of a hand that ranges are told of, and events before each: a hand can have hundreds.
_MOST_DECISIONS: Final = 6
_MOST_EVENTS: Final = 40
#: Questions that are sent together.
_BATCH: Final = 169

_Cards = tuple[int, ...]
_Chances = tuple[float, float, float]
_ACTIONS: Final = ("fold", "call", "raise")


class Alike(NamedTuple):
    """The hands that are possible with a board. With any two of a group the situation is the same but for the
    names of suits, so one is asked about: ``asked``, one a group. ``group`` is that of every other.
    """

    asked: list[_Cards]
    group: dict[_Cards, int]


def group_hands(boards: Sequence[_Cards]) -> Alike:
    """Group the hands that are possible with what each street has dealt."""
    marks = [
        tuple(tuple(sorted(card >> 2 for card in dealt if card & 3 == suit)) for dealt in boards)
        for suit in range(4)
    ]
    board = {card for dealt in boards for card in dealt}
    found: dict[tuple[object, ...], int] = {}
    alike = Alike([], {})
    for hand in (hand for kind in KINDS for hand in kind if board.isdisjoint(hand)):
        key = tuple(
            sorted((marks[suit], tuple(card >> 2 for card in hand if card & 3 == suit)) for suit in range(4))
        )
        if key not in found:
            found[key] = len(alike.asked)
            alike.asked.append(hand)
        alike.group[hand] = found[key]
    return alike


class _Decision(NamedTuple):
    """A decision of the hand: the ``place`` of its event, ``made``, on ``street``, and the hands then."""

    place: int
    made: Acted
    street: int
    alike: Alike


def decisions_of(events: Sequence[Event], seat: int) -> Iterator[_Decision]:
    """Yield the decisions of ``seat``."""
    boards: list[_Cards] = []
    alike: Alike | None = None
    for place, event in enumerate(events):
        if isinstance(event, BoardDealt):
            boards.append(tuple(event.cards))
            alike = None
        elif isinstance(event, Acted) and event.seat == seat and not event.forced:
            alike = group_hands(boards) if alike is None else alike
            yield _Decision(place, event, len(boards), alike)


def describe(decisions: Sequence[_Decision], answers: Sequence[_Chances]) -> list[RangeDecision]:
    """Return the ranges. ``answers``: to the questions about each decision in turn."""
    found = []
    held: dict[_Cards, float] = {hand: 1.0 for kind in KINDS for hand in kind}
    first = 0
    for decision in decisions:
        group = decision.alike.group
        chances, weights = [], []
        whole = sum(held[hand] for hand in group)
        for kind in KINDS:
            hands = [hand for hand in kind if hand in group]
            weight = sum(held[hand] for hand in hands)
            parts = [(held[hand] if weight else 1.0, answers[first + group[hand]]) for hand in hands]
            total = sum(part for part, _ in parts) or 1.0
            fold, call, raised = (
                round(sum(part * row[at] for part, row in parts) / total, 4) for at in range(3)
            )
            chances.append((fold, call, raised))
            weights.append(round(weight / whole, 6) if whole else 0.0)
        made = _kind(decision.made)
        found.append(RangeDecision(made, decision.made.to, chances, decision.street, weights))
        held = {hand: held[hand] * answers[first + at][_ACTIONS.index(made)] for hand, at in group.items()}
        first += len(decision.alike.asked)
    return found


class RangeStudy(Questions):
    """Asks what the bot would have done with every two cards, for one hand of the table at a time."""

    def __init__(self, table: OpenTable, player: Player, bot: str) -> None:
        super().__init__(player, f"{table.facts.table}-range-{bot}", self._take_range, table.fail)
        self.table = table
        self._bot = bot
        self._seat = -1
        self._game: Game | None = None
        self._mode = ""
        self._events: list[Event] = []
        self._decisions: list[_Decision] = []
        #: What is asked: numbers of decisions, and the cards in them.
        self._asked: list[tuple[int, _Cards]] = []
        #: The first question of the open batch, and their number.
        self._first = self._size = 0
        self._answers: list[_Chances] = []

    def ask(self, seat: int, events: Sequence[Event], game: Game, mode: str) -> None:
        """Ask about the decisions of ``seat`` in a hand, unless another question is open; a second time tell
        the same.
        """
        if self._open:
            return
        if not (self._is_answered and (self._seat, self._events) == (seat, events)):
            self._seat, self._game, self._mode, self._events = seat, game, mode, list(events)
            self._decisions = list(decisions_of(events[:_MOST_EVENTS], seat))[:_MOST_DECISIONS]
            self._asked = [
                (number, hand)
                for number, decision in enumerate(self._decisions)
                for hand in decision.alike.asked
            ]
            self._answers = []
        if self._is_answered:
            self._tell()
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Ask about the first hands that are not answered, all in one decision."""
        assert self._game is not None
        self._first = len(self._answers)
        current = self._asked[self._first][0]
        start, place = start_of(self._events), self._decisions[current].place
        betting = betting_after(self._game, self._events[:place])
        questions: list[ServerMessage] = [
            self._start(self._seat, self.table.facts.names, self._game, self._mode, start.hand)
        ]
        seq = self._size = 0
        position = start.seats.index(self._seat)
        for number, cards in self._asked[self._first : self._first + _BATCH]:
            if number != current:
                break
            self._size += 1
            hole = tuple(cards if at == position else () for at in range(len(start.seats)))
            told = [start._replace(hole=hole), *self._events[1:place]]
            questions += view.hand_messages(told, self._name, seq, self._seat)
            seq += len(told)
            questions.append(turn_message(self._name, seq, betting.legal(), betting.pot, QUESTION_TIME, 0.0))
        self._ask(questions)

    def _take_range(self, message: Act) -> None:
        if not self._open:
            return
        sums = dict.fromkeys(_ACTIONS, 0.0)
        for action, _, chance in chances_of(message):
            sums["call" if action == "check" else action] += chance
        self._answers.append((sums["fold"], sums["call"], sums["raise"]))
        if len(self._answers) < self._first + self._size:
            return
        self.drop()
        current, done = self._asked[self._first][0], len(self._answers)
        if self._is_answered or self._asked[done][0] != current:
            self._tell()
        if not self._is_answered:
            self._go_on()

    def _tell(self) -> None:
        """Tell the decisions that are answered: the bot takes seconds for a thousand hands."""
        done = len(self._answers)
        many = len(self._decisions) if self._is_answered else self._asked[done][0]
        self.table.practice.tell(
            self._seat,
            Ranges(
                self.table.facts.table,
                start_of(self._events).hand,
                self._bot,
                describe(self._decisions[:many], self._answers),
                len(self._decisions) - many,
            ),
        )

    @property
    def _is_answered(self) -> bool:
        return bool(self._events) and len(self._answers) == len(self._asked)

    def attach(self, seat: int, connection: Connection) -> None:
        if self._open:
            del self._answers[self._first :]
        super().attach(seat, connection)


def _kind(made: Acted) -> Literal["fold", "call", "raise"]:
    return "fold" if made.action == "fold" else "raise" if made.action == "raise" else "call"
