"""Strategies at a table in this process: the server's tables, matches, seeds and scores, without its sockets.

A ``Contest`` is a division of a competition. Played here it gives, hand for hand, the server's records for
the same seed and bots: the cards come from the same deals, and a strategy gets the same seed and game, the
same situations, and the same events in the same order. There are no clocks, so nobody is ever late; a
strategy that fails ends the session with its error.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import NamedTuple

from dealer.deck import acpc_deals, acpc_match_seed, secure_deals, seed_bytes
from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Deals, Stakes, TableEvent, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.match import Division, Session, bot_seed, plan_sessions, play_key
from dealer.rules.actions import Action
from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandEnded, HandStarted, Shown
from dealer.rules.games import Game
from dealer.scoring import Scores, net_by_seat
from dealer.table import Clock, Table
from strategy.observer import Observer
from strategy.registry import DeclaringStrategy, ObservingStrategy, Strategy, create_strategy
from strategy.situation import ObservedSituation

HandCallback = Callable[[Sequence[Event]], object]
"""Called with all events of each finished hand."""

_TIMELESS = Clock(1.0, 0.0)


class ContestEntry(NamedTuple):
    """The player behind a name: a strategy of ``strategy.registry``, with its parameters."""

    strategy: str
    parameters: object = None


class FixedTable(NamedTuple):
    """Every hand begins with the stacks of the game."""

    game: Game


class CashTable(NamedTuple):
    """Stacks carry over; a player who is broke gets a new one."""

    players: int
    stakes: Stakes

    @property
    def game(self) -> Game:
        """Return the initial game."""
        return self.stakes.game(self.players)


class TournamentTable(NamedTuple):
    """Stacks carry over until one player has everything."""

    players: int
    levels: tuple[Level, ...]
    stack: int = 1000
    limit: bool = False
    rules: str = "standard"

    @property
    def game(self) -> Game:
        """Return the initial game."""
        stakes = self.levels[0].stakes(self.limit, self.stack)
        return stakes._replace(rules=self.rules).game(self.players)


class ContestResult(NamedTuple):
    """The result of a session.

    These are net chips by hand and by seat (for a tournament one row, each player's total), and the places by
    seat of a tournament.
    """

    session: Session
    nets: list[list[Chips]]
    places: list[int]


@dataclass(frozen=True)
class Contest:
    """A division, its table, and its bots; ``seed`` as in a competition (32 bytes, or an ACPC seed). It can
    be sent to another process.

    The division of a tournament has one "hand", as its unit is the whole tournament; its ``carry`` follows
    from the table. Raises ``DeckError`` and the errors of the parts.
    """

    division: Division
    table: FixedTable | CashTable | TournamentTable
    entries: Mapping[str, ContestEntry]
    seed: bytes | int

    def __post_init__(self) -> None:
        fresh = isinstance(self.table, FixedTable)
        if isinstance(self.table, CashTable):
            fresh = self.table.stakes.depth is not None
        object.__setattr__(self, "division", replace(self.division, carry=not fresh))

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Return all sessions in order."""
        return plan_sessions(self.division)

    def match(self, number: int) -> tuple[Session, ...]:
        """Return the sessions of one match, in order: all line-ups at all seatings."""
        first = plan_sessions(replace(self.division, matches=1))
        return tuple(replace(session, match=number) for session in first)

    @cached_property
    def _key(self) -> bytes:
        return play_key(seed_bytes(self.seed))

    @property
    def unit(self) -> int:
        """Return the chips that count as one big blind in the scores; in tournaments a starting stack."""
        if isinstance(self.table, TournamentTable):
            return self.table.stack
        return max(self.table.game.blinds)

    def format(self, session: Session) -> TableFormat:
        """Return the hands of a session, from its first."""

        def deals_for(game: Game) -> Deals:
            if isinstance(self.seed, int):
                return acpc_deals(acpc_match_seed(self.seed, session.match), game)
            return secure_deals(self.seed, session.match, game)

        match self.table:
            case FixedTable(game):
                return FixedStacks(game, deals_for(game), session.hands)
            case CashTable(players, stakes):
                return Cash(players, stakes, deals_for, hands=session.hands, all_seated=True)
            case TournamentTable(players, levels, stack, limit, rules):
                return Tournament(players, levels, stack, deals_for, limit=limit, rules=rules)

    def strategies(self, session: Session, game: Game) -> list[Strategy]:
        """Return new strategies for a session, by seat."""
        return [
            create_strategy(
                self.entries[name].strategy,
                bot_seed(self._key, session, seat),
                game,
                self.entries[name].parameters,
            )
            for seat, name in enumerate(session.players)
        ]

    def play(self, session: Session, recorder: HandCallback | None = None) -> ContestResult:
        """Play one session."""
        form = self.format(session)
        rows: list[list[Chips]] = []

        def note(events: Sequence[Event]) -> None:
            rows.append(net_by_seat(events, len(session.players)))
            if recorder is not None:
                recorder(events)

        play_session(form, self.strategies(session, form.game), note)
        if isinstance(form, Tournament):
            return ContestResult(session, [list(map(sum, zip(*rows, strict=True)))], form.places)
        return ContestResult(session, rows, [])

    def scores(self, results: Iterable[ContestResult]) -> Scores:
        """Return the scores of the results, as the server computes them. Raises ``ScoreError``."""
        scores = Scores(self.division, self.unit)
        for result in results:
            scores.add(result.session, result.nets)
        return scores


def deal_totals(contest: Contest, results: Iterable[ContestResult], bots: Iterable[str]) -> list[float]:
    """Return the total chips won by ``bots`` at each deal, over all its seatings and line-ups.

    These are independent units, by match and hand, for ``dealer.intervals``. Incomplete matches are left out.
    """
    group = set(bots)
    complete = contest.division.sessions // contest.division.matches
    matches: dict[int, list[list[float]]] = {}
    for session, rows, _ in results:
        seats = [seat for seat, name in enumerate(session.players) if name in group]
        matches.setdefault(session.match, []).append([fsum(row[seat] for seat in seats) for row in rows])
    return [
        fsum(chips)
        for match in sorted(matches)
        if len(matches[match]) == complete
        for chips in zip(*matches[match], strict=True)
    ]


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
