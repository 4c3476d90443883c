"""What a strong house bot would have done in a hand with every two cards, after the hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple, Protocol

from msgspec.structs import replace

from dealer.rules.events import Acted, BoardDealt, Event, start_of
from dealer.rules.games import Game
from protocol.errors import Refused
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
#: Decisions of a hand that ranges are told of, and events before each: a hand can have hundreds. Ten players
#: who all go on to the river have some fifty.
_MOST_DECISIONS: Final = 6
MOST_EVENTS: Final = 60
#: Messages that are sent together: few enough that nobody notices how long the server takes for them.
_BATCH: Final = 500
#: Tables that may wait for ranges at once: all, and those of one token or guests' address.
MAX_WAITING: Final = 16
MAX_WAITING_PER_SOURCE: Final = 4
#: Seconds after which others come before a bot that has not answered what was sent together.
PATIENCE: Final = 30.0

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
    """A decision of the hand: the ``place`` of its event, ``made``, and what each street had dealt."""

    place: int
    made: Acted
    boards: tuple[_Cards, ...]


def decisions_of(events: Sequence[Event], seat: int) -> Iterator[_Decision]:
    """Yield the decisions of ``seat``."""
    boards: tuple[_Cards, ...] = ()
    for place, event in enumerate(events):
        if isinstance(event, BoardDealt):
            boards = (*boards, tuple(event.cards))
        elif isinstance(event, Acted) and event.seat == seat and not event.forced:
            yield _Decision(place, event, boards)


def describe(
    decision: _Decision, alike: Alike, answers: Sequence[_Chances], held: Mapping[_Cards, float]
) -> RangeDecision:
    """Return the ranges of a decision. ``answers``: to the questions about it; ``held``: how likely the bot
    comes there with each hand.
    """
    chances, weights = [], []
    whole = sum(held[hand] for hand in alike.group)
    for kind in KINDS:
        hands = [hand for hand in kind if hand in alike.group]
        weight = sum(held[hand] for hand in hands)
        parts = [(held[hand] if weight else 1.0, answers[alike.group[hand]]) for hand in hands]
        total = sum(part for part, _ in parts) or 1.0
        fold, call, raised = (round(sum(part * row[at] for part, row in parts) / total, 4) for at in range(3))
        chances.append((fold, call, raised))
        weights.append(round(weight / whole, 6) if whole else 0.0)
    return RangeDecision(_kind(decision.made), decision.made.to, chances, len(decision.boards), weights)


class _Wish(NamedTuple):
    """Whose decisions are asked about, and in which hand."""

    seat: int
    events: list[Event]
    game: Game
    mode: str


class Asking(Protocol):
    """Who has questions about ranges."""

    def go_on(self) -> None:
        """Send the next ones together."""


class RangeQueue:
    """Whose questions are asked, over all tables: those that are sent together of one table after another, so
    that hints and other tables wait for no more than these. ``call_later``: of the event loop.
    """

    def __init__(self, call_later: Callable[[float, Callable[[], None]], asyncio.TimerHandle]) -> None:
        self._call_later = call_later
        #: Who asks, by what; the first has the turn.
        self._waiting: dict[Asking, Hashable] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __contains__(self, study: Asking) -> bool:
        return study in self._waiting

    def verify(self, table: str, source: Hashable) -> None:
        """Raise ``Refused`` (``busy``) if too many wait, or too many of ``source``."""
        sources = list(self._waiting.values())
        if len(sources) >= MAX_WAITING or sources.count(source) >= MAX_WAITING_PER_SOURCE:
            raise Refused("busy", table=table)

    def line_up(self, study: Asking, source: Hashable) -> None:
        """Let a study ask when all others that wait have asked; if it has the turn, that is over."""
        has_turn = next(iter(self._waiting), None) in (None, study)
        self._waiting.pop(study, None)
        self._waiting[study] = source
        if has_turn:
            self._begin_turn()

    def leave(self, study: Asking) -> None:
        """Let a study ask no more."""
        has_turn = next(iter(self._waiting), None) is study
        self._waiting.pop(study, None)
        if has_turn:
            self._begin_turn()

    def _begin_turn(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        first = next(iter(self._waiting), None)
        if first is not None:
            self._timer = self._call_later(PATIENCE, lambda: self.leave(first))
            first.go_on()


class RangeStudy(Questions):
    """Asks what the bot would have done with every two cards, for one hand of the table at a time, when
    ``queue`` lets it.
    """

    def __init__(self, table: OpenTable, player: Player, bot: str, queue: RangeQueue) -> None:
        super().__init__(player, f"{table.facts.table}-range-{bot}", self._take_range, table.fail)
        self.table = table
        self._bot = bot
        self._queue = queue
        self._wish: _Wish | None = None
        #: What is asked about as soon as the open questions are answered.
        self._next: _Wish | None = None
        #: What is known about the hand. Whoever asks again gets it: to describe a decision takes a while.
        self._ranges: Ranges | None = None
        #: Decisions that have not been told; the bot is asked about the first.
        self._left: list[_Decision] = []
        self._alike = Alike([], {})
        #: How likely the bot comes there with each hand.
        self._held: dict[_Cards, float] = {}
        #: What it answered; how many answers there were before the open questions, and will be after them.
        self._answers: list[_Chances] = []
        self._first = self._due = 0

    def ask(self, seat: int, events: Sequence[Event], game: Game, mode: str) -> None:
        """Ask about the decisions of ``seat`` in a hand; what is left of another one is given up. A second
        time tell what is known. Raises ``Refused`` (``busy``).
        """
        wish = _Wish(seat, list(events), game, mode)
        is_answered = self._ranges is not None and not self._ranges.awaited
        asks = bool(self._open) or self in self._queue
        if wish == self._wish and (asks or is_answered):
            self._next = None
            self._tell()
        elif self._open:
            self._next = wish
        else:
            if not asks:
                self._queue.verify(self.table.facts.table, self.table.source)
            self._begin(wish)

    def _begin(self, wish: _Wish) -> None:
        self._wish = wish
        self._left = list(islice(decisions_of(wish.events[:MOST_EVENTS], wish.seat), _MOST_DECISIONS))
        hand = start_of(wish.events).hand
        self._ranges = Ranges(self.table.facts.table, hand, self._bot, [], len(self._left))
        self._held = {hand: 1.0 for kind in KINDS for hand in kind}
        if self._left:
            self._begin_decision()
        else:
            self._queue.leave(self)
            self._tell()

    def _begin_decision(self) -> None:
        self._alike = group_hands(self._left[0].boards)
        self._answers = []
        self._queue.line_up(self, self.table.source)

    def go_on(self) -> None:
        """Ask about the first hands that are not answered."""
        assert self._wish is not None
        seat, events, game, mode = self._wish
        start, place = start_of(events), self._left[0].place
        betting = betting_after(game, events[:place])
        questions: list[ServerMessage] = [self._start(seat, self.table.facts.names, game, mode, start.hand)]
        seq = 0
        position = start.seats.index(seat)
        self._first = len(self._answers)
        asked = self._alike.asked[self._first : self._first + _BATCH // (place + 1)]
        self._due = self._first + len(asked)
        for cards in asked:
            hole = tuple(cards if at == position else () for at in range(len(start.seats)))
            told = [start._replace(hole=hole), *events[1:place]]
            questions += view.hand_messages(told, self._name, seq, seat)
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
        if len(self._answers) < self._due:
            return
        wish, self._next, self._open = self._next, None, []
        if wish is not None:
            self._begin(wish)
        elif self._due < len(self._alike.asked):
            self._queue.line_up(self, self.table.source)
        else:
            self._end_decision()

    def _end_decision(self) -> None:
        """Tell the decision that is answered, and ask about the next: the bot takes seconds for a thousand
        hands.
        """
        assert self._ranges is not None
        decision, (_, group), answers, held = self._left.pop(0), self._alike, self._answers, self._held
        found = [*self._ranges.decisions, describe(decision, self._alike, answers, held)]
        self._ranges = replace(self._ranges, decisions=found, awaited=len(self._left))
        made = _ACTIONS.index(_kind(decision.made))
        self._held = (
            {hand: held[hand] * answers[at][made] for hand, at in group.items()} if self._left else {}
        )
        self._alike = Alike([], {})
        self._answers = []
        self._tell()
        if self._left:
            self._begin_decision()
        else:
            self._queue.leave(self)

    def _tell(self) -> None:
        assert self._wish is not None
        assert self._ranges is not None
        self.table.practice.tell(self._wish.seat, self._ranges)

    def drop(self) -> None:
        super().drop()
        self._next = None
        self._queue.leave(self)

    def give_up_seat(self, seat: int) -> None:
        super().give_up_seat(seat)
        # No more will come; who asks again has it asked again.
        if self._wish is not None and self._ranges is not None and self._ranges.decisions and self._left:
            self.table.practice.tell(self._wish.seat, replace(self._ranges, awaited=0))

    def attach(self, seat: int, connection: Connection) -> None:
        if self._open:
            del self._answers[self._first :]
        super().attach(seat, connection)


def _kind(made: Acted) -> Literal["fold", "call", "raise"]:
    return "fold" if made.action == "fold" else "raise" if made.action == "raise" else "call"
