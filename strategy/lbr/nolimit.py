"""Strategies of ``train nolimit`` for a local best response: what the bot ``nolimit`` does with them.

The opponent knows the probabilities with which the bot takes its bet for one of two sizes, and then learns
which it was. It never makes a raise for which the strategy has no place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from dealer.rules.actions import CALL, Action
from dealer.rules.betting import Betting
from dealer.rules.games import Game
from strategy.lbr.cards import BOARD, Floats
from strategy.lbr.response import Answers
from strategy.nolimit_bots.bot import Stakes, table_action
from strategy.nolimit_bots.follow import bet_of, ways
from strategy.nolimit_bots.policy import NoLimitPolicy
from strategy.poker.combos import HANDS

_KEPT = 256
"""Decisions whose probabilities are kept: 50 kB each."""


class NoLimitStrategy:
    """A strategy as the bot ``nolimit`` plays it; its views are nodes of the strategy's tree, and the
    position.
    """

    def __init__(self, policy: NoLimitPolicy, game: Game) -> None:
        self.game, self._policy = game, policy
        self._states = lru_cache(len(BOARD))(policy.cards.all_states)
        self._rows = lru_cache(_KEPT)(self._all_rows)

    def start(self, position: int) -> tuple[int, int]:
        """Return the root."""
        return 0, position

    def after(
        self, view: tuple[int, int], betting: Betting, action: Action
    ) -> list[tuple[float, tuple[int, int]]]:
        """Return the nodes that the action may be taken to lead to: a raise of its own without a place in the
        tree counts as a call, as at the table.
        """
        node, position = view
        tree = self._policy.tree
        if tree.player[node] < 0:
            return [(1.0, view)]
        bet = bet_of(betting, action)
        taken = ways(tree, self._policy.sizes, node, bet, own=bet.position == position)
        if action.kind == "raise" and bet.position != position and tree.to[node, taken[0][1]] <= 0:
            return []
        return [(chance, (int(tree.child[node, place]), position)) for chance, place in taken]

    def answers(self, view: tuple[int, int], betting: Betting, board: Sequence[int]) -> Answers:
        """Return the actions of the bot with their probabilities."""
        node, _ = view
        if self._policy.tree.player[node] < 0:
            return Answers([CALL], np.ones((HANDS, 1)))
        legal = betting.legal()
        level = betting.street_bet(betting.to_act) + legal.call
        stakes = Stakes(betting.pot + legal.call, level, min(betting.stacks), max(self.game.blinds))
        rows = self._rows(node, tuple(board))
        found = [table_action(self._policy, node, place, legal, stakes) for place in range(rows.shape[1])]
        actions = list(dict.fromkeys(found))
        if len(actions) < len(found):
            rows = rows @ np.eye(len(actions))[[actions.index(action) for action in found]]
        return Answers(actions, rows)

    def _all_rows(self, node: int, board: tuple[int, ...]) -> Floats:
        return self._policy.rows(node, self._states(board)).astype(np.float64)
