"""A session of strategies at a table, in this process.

Compiled: in a study of cheap players nearly all time passes here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from dealer.formats.format import TableEvent, TableFormat
from dealer.rules.actions import Action
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted, Shown
from dealer.rules.games import Game
from dealer.table import Clock, Table
from strategy.observer import Observer
from strategy.registry import DeclaringStrategy, ObservingStrategy, Strategy
from strategy.situation import ObservedSituation

HandCallback = Callable[[Sequence[Event]], object]
"""Called with all events of each finished hand."""

_TIMELESS = Clock(1.0, 0.0)


def play_session(
    table_format: TableFormat, strategies: Sequence[Strategy], recorder: HandCallback | None = None
) -> None:
    """Play a session to its end with these strategies, by seat.

    They keep their memory: in another session they continue with it. Raises the strategies' errors, and
    ``TurnRefused`` for an illegal action.
    """
    for _ in decisions(table_format, strategies, recorder):
        raise AssertionError("every seat has a strategy")


def decisions(
    table_format: TableFormat, strategies: Sequence[Strategy | None], recorder: HandCallback | None = None
) -> Generator[ObservedSituation, Action, None]:
    """As ``play_session``, but where a seat has no strategy yield the situation and do what is sent."""
    table = Table(table_format, len(strategies), _TIMELESS)
    tale = EventForwarder(table_format.game, strategies, recorder)
    decide = [None if strategy is None else strategy.decide for strategy in strategies]
    declaring = [_declaring(strategy) for strategy in strategies]
    events: Sequence[Event | TableEvent] = table.start(0.0)
    while True:
        for event in events:
            tale.forward(event)
        seat = table.turn_seat
        if seat >= 0:
            situation = tale.observer.situation_of(seat, tale.holes[seat], table.legal())
            own = decide[seat]
            action = own(situation) if own else (yield situation)
            told = declaring[seat]
            policy = () if told is None else tuple([(one.text(), p) for one, p in told.chances.items()])
            events = table.act(seat, table.turn, action, 0.0, policy)
        elif table.over:
            return
        else:
            events = table.tick(0.0)


def _declaring(strategy: object) -> DeclaringStrategy | None:
    return strategy if isinstance(strategy, DeclaringStrategy) else None


class EventForwarder:
    """Forwards the events of a table to each player, without the others' cards."""

    def __init__(
        self, game: Game, strategies: Sequence[object], recorder: HandCallback | None = None
    ) -> None:
        self.observer = Observer(game, -1)
        self.holes: list[tuple[int, ...]] = [()] * len(strategies)
        self._listeners = [
            (seat, strategy.observe)
            for seat, strategy in enumerate(strategies)
            if isinstance(strategy, ObservingStrategy)
        ]
        self._recorder = recorder
        self._events: list[Event] = []
        self._shown: Shown | None = None

    def forward(self, event: Event | TableEvent) -> None:
        """Forward the next event of the table."""
        match event:
            case Acted():
                self.observer.acted(event.seat, event.action, event.to, event.paid)
                # What a player says of his dice is for the host alone.
                self._notify(event._replace(policy=()) if event.policy else event)
            case BoardDealt():
                self.observer.board_dealt(event.street, event.cards)
                self._notify(event)
            case HandStarted():
                self._on_hand_started(event)
            case Shown():
                # A bot on a connection learns shown hands when the hand is over.
                self._shown = event
            case HandEnded():
                if self._shown is not None:
                    self._notify(self._shown)
                self._notify(event)
            case _:
                return
        self._events.append(event)
        if self._recorder is not None and isinstance(event, HandEnded):
            self._recorder(self._events)

    def _on_hand_started(self, event: HandStarted) -> None:
        self._shown = None
        self._events = []
        self.observer.observe(event)
        self.holes = [()] * len(self.holes)
        for seat, hole in zip(event.seats, event.hole, strict=True):
            self.holes[seat] = hole
        for seat, observe in self._listeners:
            holes = tuple([self.holes[seat] if other == seat else () for other in event.seats])
            observe(event._replace(hole=holes))

    def _notify(self, event: Event) -> None:
        for _, observe in self._listeners:
            observe(event)
