"""Tables for learners with any house bots as opponents: each a table of ``dealer``, slow but true."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dealer.formats.fixed import FixedStacks
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Acted, BoardDealt, Event, ends_of
from dealer.rules.games import Game
from dealer.rules.hand import CardSource
from strategy.batch.betting import CALL as CALLS
from strategy.batch.betting import FOLD as FOLDS
from strategy.batch.betting import RAISE as RAISES
from strategy.batch.hands import BOARD, DECK, HOLE, deal_cards
from strategy.batch.layout import Rows
from strategy.batch.learning import Kinds, playable_stacks
from strategy.batch.menu import POT_SIZES
from strategy.batch.observation import HISTORY
from strategy.batch.opponents import QUICK, UnknownOpponent
from strategy.batch.view import CompiledBot, Decision, Viewer
from strategy.poker.kernels import rng
from strategy.registry import Strategy, create_strategy, strategy_names
from strategy.situation import PastAction, Situation
from studies.harness.session import decisions

_ENDLESS = 1 << 62
"""Hands of a table that is never over."""


def opponent(name: str, seed: int, game: Game) -> Strategy:
    """Return a new house bot or compiled opponent. Raises UnknownOpponent and the errors of the bots."""
    if name in strategy_names():
        return create_strategy(name, seed, game)
    if name in QUICK:
        return CompiledBot(name, seed)
    known = ", ".join(sorted({*QUICK, *strategy_names()}))
    raise UnknownOpponent(f"no opponent is called {name[:64]!r}; there are {known}")


def game_for_bots(game: Game, stacks: Sequence[int]) -> Game:
    """Return a game with stacks, each at least the blind and ante as a game asks. What a hand really begins
    with a bot learns from the hand, as where stacks carry over.
    """
    least = [chips + game.ante for chips in game.posts]
    return replace(game, stacks=tuple(map(max, stacks, least)))


class HouseTables:
    """As ``strategy.batch.learning.LearningTables`` with ``last_seen``, against house bots or compiled
    opponents by name: the same cards for the same seed, and the same arrays.

    Bots remember the hands of their table. Raises UnknownOpponent, the errors of the bots, and those of
    ``LearningTables``.
    """

    def __init__(
        self,
        game: Game,
        size: int,
        opponents: Sequence[str],
        *,
        stacks: Sequence[int] | None = None,
        sizes: Sequence[float] = POT_SIZES,
        history: int = HISTORY,
    ) -> None:
        self._stacks = playable_stacks(game, stacks)
        self._game = game_for_bots(game, self._stacks)
        self._opponents = tuple(opponents)
        self._viewer = Viewer(game, sizes=sizes, history=history)
        actions, length = self._viewer.actions, self._viewer.length
        self.to_act = np.zeros(size, np.int64)
        self.seen = np.zeros((size, length), np.float32)
        self.finals = np.zeros((size, length), np.float32)
        self.mask = np.zeros((size, actions), np.int8)
        self.totals = np.zeros((size, actions), np.int64)
        self.rewards = np.zeros((size, game.players))
        self.over = np.zeros(size, np.bool_)
        self.illegal = np.zeros(size, np.bool_)
        self.waits = np.zeros(size, np.bool_)
        self._tables: list[_Table | None] = [None] * size
        for name in set(opponents):
            opponent(name, 0, self._game)

    def reset(self, seed: object, places: NDArray[np.int64] | None = None) -> None:
        """Begin anew at these tables (default: at all), with bots that remember nothing."""
        chosen = range(len(self._tables)) if places is None else places.tolist()
        for place in chosen:
            table = _Table(self._game, self._stacks, self._viewer, self._opponents, seed, place)
            self._tables[place] = table
            self._show(place, table)
            self.over[place] = self.illegal[place] = False
            self.rewards[place] = 0

    def choose(self, choices: NDArray[np.int64]) -> None:
        """Act at every table by numbers of the menu, int64[size]."""
        for place, table in self._asked():
            choice, decision = int(choices[place]), table.decision
            self.illegal[place] = not 0 <= choice < len(decision.mask) or not decision.mask[choice]
            self._act(place, table, decision.action(choice))

    def act(self, kinds: Kinds, to: Rows) -> None:
        """Act at every table with any raise, as in ``LearningTables``."""
        for place, table in self._asked():
            action = _legal_action(table.situation, int(kinds[place]), int(to[place]))
            self.illegal[place] = action is None
            self._act(place, table, table.decision.action(-1) if action is None else action)

    def _asked(self) -> Iterator[tuple[int, _Table]]:
        """Forget what the last actions ended, and return the tables that do not wait."""
        self.over[:] = self.illegal[:] = False
        self.rewards[:] = 0
        for place in np.flatnonzero(~self.waits).tolist():
            table = self._tables[place]
            assert table is not None, "reset comes first"
            yield place, table

    def _act(self, place: int, table: _Table, action: Action) -> None:
        table.act(action)
        self.over[place] = table.ended is not None
        if table.ended is not None:
            self.rewards[place], self.finals[place] = table.ended
        self._show(place, table)

    def _show(self, place: int, table: _Table) -> None:
        self.seen[place], self.mask[place], self.totals[place] = table.decision


class _Table:
    """One table. ``situation`` and ``decision`` are what seat 0 is asked; ``ended``: the rewards by seat and
    what was seen last, if its last action ended a hand.
    """

    def __init__(
        self,
        game: Game,
        stacks: Sequence[int],
        viewer: Viewer,
        opponents: Sequence[str],
        seed: object,
        place: int,
    ) -> None:
        self._game, self._viewer = game, viewer
        form = FixedStacks(game, _Deals(game, seed, place), _ENDLESS, stacks)
        form.hand = place
        players: list[Strategy | None] = [None]
        for seat, name in enumerate(opponents, 1):
            players.append(opponent(name, int(rng("opponents", seed, place, seat)[0]), game))
        self.ended: tuple[NDArray[np.float64], NDArray[np.float32]] | None = None
        self._decided = False
        self._play: Generator[Situation, Action, None] = decisions(form, players, self._note)
        self._ask(next(self._play))

    def act(self, action: Action) -> None:
        self.ended = None
        self._decided = True
        self._ask(self._play.send(action))

    def _ask(self, situation: Situation) -> None:
        self.situation = situation
        self.decision: Decision = self._viewer.decision(situation)

    def _note(self, events: Sequence[Event]) -> None:
        if not self._decided:
            return
        self._decided = False
        started, ended = ends_of(events)
        rewards = np.zeros(self._game.players)
        rewards[list(started.seats)] = np.array(ended.values) / self._game.min_bet
        steps: list[PastAction] = []
        board: list[int] = []
        street = 0
        for event in events:
            if isinstance(event, BoardDealt):
                board += event.cards
                street = event.street
            elif isinstance(event, Acted):
                steps.append(PastAction(street, event.seat, event.action, event.to))
        hole = started.hole[started.seats.index(0)]
        last = self._viewer.seen_by(self._game, started.stacks, started.seats, 0, hole, board, steps)
        self.ended = rewards, last.seen


class _Deals:
    """The cards that ``LearningTables`` deals at a table."""

    def __init__(self, game: Game, seed: object, place: int) -> None:
        self._players = game.players
        self._state = rng("batch", seed, place)
        self._deck = np.zeros(DECK, np.int8)

    def deal(self, hand: int) -> CardSource:
        """Return the next cards: hands are asked for one after the other."""
        cards = np.zeros(HOLE * self._players + BOARD, np.int8)
        deal_cards(self._deck, self._state, cards)
        return _Cards(cards.tolist(), self._players)

    def draw(self, hand: int, choices: int) -> int:
        """Return 0: tables with fixed stacks draw for nothing."""
        return 0


class _Cards:
    def __init__(self, cards: list[int], players: int) -> None:
        self.hole = tuple((cards[HOLE * place], cards[HOLE * place + 1]) for place in range(players))
        self._board = tuple(cards[HOLE * players :])

    def board(self, street: int) -> tuple[int, ...]:
        return self._board[(0, 0, 3, 4)[street] : (0, 3, 4, 5)[street]]


def _legal_action(situation: Situation, kind: int, total: int) -> Action | None:
    fold, _, low, high = situation.legal
    if kind == FOLDS:
        return FOLD if fold else None
    if kind == CALLS:
        return CALL
    if kind != RAISES or low is None or high is None:
        return None
    if situation.game.limit:
        return raise_to(low)
    return raise_to(total) if low <= total <= high else None
