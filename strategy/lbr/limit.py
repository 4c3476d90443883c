"""Strategies of heads-up limit hold'em for a local best response."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dealer.rules.actions import CALL, FOLD, RAISE, Action
from dealer.rules.betting import Betting
from strategy.blueprint.bucketed import BucketedSolver
from strategy.cfr.tree import ACTIONS, BettingTree
from strategy.lbr.cards import BOARD, Floats
from strategy.lbr.response import Answers
from strategy.poker.combos import HANDS

Rows = Callable[[int, Sequence[int]], Floats]
"""Function of a node and the board of its street; returns the probabilities of fold, call and raise with
every hand, float64[1326, 3].
"""

_KINDS = (FOLD, CALL, RAISE)


class LimitStrategy:
    """A strategy that follows a tree; its views are nodes."""

    def __init__(self, tree: BettingTree, rows: Rows) -> None:
        self.game = tree.game
        self._tree, self._rows = tree, rows

    def start(self, position: int) -> int:
        """Return the root."""
        return 0

    def after(self, view: int, betting: Betting, action: Action) -> list[tuple[float, int]]:
        """Return the child."""
        return [(1.0, int(self._tree.child[view, ACTIONS.index(action.kind[0])]))]

    def answers(self, view: int, betting: Betting, board: Sequence[int]) -> Answers:
        """Return the actions of a node with their probabilities."""
        there = np.flatnonzero(self._tree.child[view] >= 0)
        return Answers([_KINDS[number] for number in there], self._rows(view, board)[:, there])


def rows_of_solver(solver: BucketedSolver) -> Rows:
    """Return the rows of a solver's average strategy."""
    layout, average, tree = solver.game.layout, solver.average(), solver.tree

    def rows(node: int, board: Sequence[int]) -> Floats:
        states = solver.abstraction.all_states(board[: BOARD[tree.street[node]]])
        found = np.zeros((HANDS, 3))
        for action, slot in enumerate(layout.slot[node].tolist()):
            if slot >= 0:
                found[:, action] = np.where(states >= 0, average[slot + states], 0.0)
        return found

    return rows
