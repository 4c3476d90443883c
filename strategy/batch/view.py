"""Observations and numbered actions for a ``Situation``: what a learner trained on tables in batches needs to
play at any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dealer.rules.actions import CALL as TO_CALL
from dealer.rules.actions import FOLD as TO_FOLD
from dealer.rules.actions import Action, raise_to
from dealer.rules.games import Game
from strategy.batch.betting import CALL, FOLD, RAISE, legal, open_hand
from strategy.batch.hands import BOARD, HOLE, Cards
from strategy.batch.layout import TABLE_SIZE, TO_ACT, Rows, game_row
from strategy.batch.menu import POT_SIZES, Mask, Sizes, menu, menu_size, offer
from strategy.batch.observation import HISTORY, Row, observation_size, record, view
from strategy.batch.opponents import decide, preflop_classes, styles
from strategy.checks import require_holdem
from strategy.jit import lean_jit
from strategy.poker.kernels import TABLE, rng
from strategy.situation import PastAction, Situation

_Course = tuple[Game, Sequence[int], Sequence[int], int, Sequence[int], Sequence[int], Iterable[PastAction]]
_KINDS = {"fold": FOLD, "call": CALL, "raise": RAISE}


class Decision(NamedTuple):
    """What a player sees, float32[n], and what he may do: see ``strategy.batch.menu``."""

    seen: Row
    mask: Mask
    totals: Rows

    def action(self, choice: int) -> Action:
        """Return the action of a number; one that is not legal is a check, or else a fold."""
        if not 0 <= choice < len(self.mask) or not self.mask[choice]:
            choice = FOLD if self.mask[FOLD] else CALL
        if choice in (FOLD, CALL):
            return TO_FOLD if choice == FOLD else TO_CALL
        return raise_to(int(self.totals[choice]))


class Viewer:
    """Makes the observations that ``LearningTables`` of the same game, sizes and history makes.

    ``length`` is that of an observation, ``actions`` the number of actions. Raises UnplayableGame, BadMenu
    and BadHistory.
    """

    def __init__(self, game: Game, *, sizes: Sequence[float] = POT_SIZES, history: int = HISTORY) -> None:
        require_holdem("a batch", game)
        self._sizes = menu(sizes)
        self.length, self.actions = observation_size(game, history), menu_size(game, self._sizes)

    def decision(self, situation: Situation) -> Decision:
        """Return what the player of a situation sees and may do."""
        return self.seen_by(*_course(situation))

    def seen_by(
        self,
        game: Game,
        stacks: Sequence[int],
        seats: Sequence[int],
        seat: int,
        hole: Sequence[int],
        board: Sequence[int],
        history: Iterable[PastAction],
    ) -> Decision:
        """Return what ``seat`` sees after ``history``, from ``stacks`` at the start of the hand, by position;
        nothing is legal unless it is to act.
        """
        seen = np.zeros(self.length, np.float32)
        mask, totals = np.zeros(self.actions, np.int8), np.zeros(self.actions, np.int64)
        row, cards = _replayed(game, stacks, seats, seat, hole, board, history, seen)
        _look(_row_of(game), row, cards, seats.index(seat), self._sizes, seen, mask, totals)
        return Decision(seen, mask, totals)


class CompiledBot:
    """An opponent of ``strategy.batch.opponents`` as a strategy of its own. Raises UnknownOpponent."""

    def __init__(self, name: str, seed: int) -> None:
        (self._style,) = styles([name])
        self._state = rng("opponent", seed)

    def decide(self, situation: Situation) -> Action:
        """Decide as at tables in batches."""
        seen = np.zeros(observation_size(situation.game, 1), np.float32)
        row, cards = _replayed(*_course(situation), seen)
        game = _row_of(situation.game)
        kind, to = decide(
            self._style, preflop_classes(), TABLE, game, row, cards, legal(game, row), self._state
        )
        return TO_FOLD if kind == FOLD else TO_CALL if kind == CALL else raise_to(int(to))


@lru_cache(maxsize=64)
def _row_of(game: Game) -> Rows:
    return game_row(game)


def _course(situation: Situation) -> _Course:
    """Return how a hand came to a situation, as ``seen_by`` takes it."""
    it = situation
    return it.game, it.whole_stacks, it.seats, it.seat, it.hole, it.board, it.history


def _replayed(
    game: Game,
    stacks: Sequence[int],
    seats: Sequence[int],
    seat: int,
    hole: Sequence[int],
    board: Sequence[int],
    history: Iterable[PastAction],
    seen: Row,
) -> tuple[Rows, Cards]:
    """Return the table after ``history``, and its cards as far as ``seat`` knows them."""
    row = np.zeros(TABLE_SIZE, np.int64)
    cards = np.zeros(HOLE * len(seats) + BOARD, np.int8)
    position = seats.index(seat)
    cards[HOLE * position : HOLE * position + HOLE] = hole
    cards[HOLE * len(seats) : HOLE * len(seats) + len(board)] = board
    steps = np.array([(_KINDS[step.kind], step.to) for step in history], np.int64).reshape(-1, 2)
    _replay(_row_of(game), row, np.array(stacks, np.int64), steps, seen)
    return row, cards


@lean_jit
def _replay(game: Rows, row: Rows, stacks: Rows, steps: Rows, seen: Row) -> None:
    open_hand(game, row, stacks)
    for step in range(len(steps)):
        record(game, row, steps[step, 0], steps[step, 1], seen)


@lean_jit
def _look(
    game: Rows, row: Rows, cards: Cards, position: int, sizes: Sizes, seen: Row, mask: Mask, totals: Rows
) -> None:
    if row[TO_ACT] == position:
        allowed = legal(game, row)
        offer(game, row, allowed, sizes, mask, totals)
        view(game, row, cards, position, allowed, seen)
    else:
        view(game, row, cards, position, (False, 0, 0, 0), seen)
