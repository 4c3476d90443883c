"""Strategies of ``train nolimit`` for a local best response: what the bot ``nolimit`` does with them.

The opponent knows the probabilities with which the bot takes its bet for one of two sizes, and then learns
which it was. It never makes a raise for which the strategy has no place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from dealer.rules.actions import CALL, Action
from dealer.rules.betting import Betting
from dealer.rules.games import Game
from strategy.cfr.files import SolveError
from strategy.cfr.report import lbr_line
from strategy.cfr.training import is_holdem
from strategy.lbr.cards import BOARD, Floats
from strategy.lbr.response import FREEDOMS, Answers, local_best_response
from strategy.nolimit.holdem import make_cards
from strategy.nolimit.training import NoLimitSolver
from strategy.nolimit_bots.bot import Stakes, table_action
from strategy.nolimit_bots.follow import bet_of, ways
from strategy.nolimit_bots.policy import NoLimitPolicy, load_policy, nearest_depth, pack
from strategy.poker.combos import HANDS
from strategy.progress import ProgressCallback, no_progress

SHIPPED = Path("nolimit")
"""What stands for the strategies that come with pokerd."""

_KEPT = 256
"""Decisions whose probabilities are kept: 50 kB each."""


_PATHS = 16
"""In each position: the variance falls by half against 4, and a deal takes a third longer."""


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
        """Return the nodes that the action may be taken to lead to."""
        node, position = view
        tree = self._policy.tree
        if tree.player[node] < 0:
            return [(1.0, view)]
        bet = bet_of(betting, action)
        taken = ways(tree, self._policy.sizes, node, bet, own=bet.position == position)
        if action.kind == "raise" and tree.to[node, taken[0][1]] <= 0:
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


def lbr_result(
    game: Game, path: Path, freedom: str, deals: int, report: ProgressCallback = no_progress
) -> tuple[dict[str, Any], list[float]]:
    """Return what a file is of, by the names in JSON, and what a local best response with a freedom out of
    ``FREEDOMS`` wins from it at each deal, in mbb/hand. The path ``SHIPPED`` is the bot's own strategy for
    the stacks of ``game``.

    They play ``game`` with the stacks of the strategy, in big blinds. The strategy is rounded as it is
    packed. A file takes half a minute before the first deal. Raises SolveError and OSError.
    """
    if not _fits(game):
        raise SolveError("bad_setting", "--lbr needs heads-up no-limit hold'em for a strategy of no-limit")
    if path == SHIPPED:
        policy = load_policy(nearest_depth(min(game.stacks) / max(game.blinds)))
    else:
        policy = _policy_in(path, report)
    game = replace(game, stacks=(policy.depth * max(game.blinds),) * 2)
    strategy = NoLimitStrategy(policy, game)
    facts = {"name": game.name, "menu": policy.menu, "batches": policy.batches, "stack": policy.depth}
    won = local_best_response(
        strategy, FREEDOMS[freedom], deals=deals, paths=_PATHS, steady=True, report=report
    )
    return facts | {"lbr_bets": freedom}, won


def _policy_in(path: Path, report: ProgressCallback) -> NoLimitPolicy:
    solver = NoLimitSolver.load(path)
    if solver.task.cards != "clusters":
        raise SolveError("bad_setting", "--lbr needs a strategy of train nolimit --depth")
    packed = np.frombuffer(pack(solver.tree, solver.table.policy()), np.uint8)
    return NoLimitPolicy(solver.task, make_cards(solver.task.seed, report), packed, solver.iterations)


def _fits(game: Game) -> bool:
    bets = not game.limit and game.rules != "pushfold"
    return is_holdem(game) and bets and game.players == 2 and game.first_player == (1, 0, 0, 0)


def lbr_lines(result: dict[str, Any]) -> list[str]:
    """Return a result as text: that of ``lbr_result``, with ``lbr_mbb``, ``lbr_mbb_error``, ``lbr_deals``."""
    return [
        f"{result['name']}, {result['menu']}, {result['batches']:,} batches",
        f"{'stacks':<20}{result['stack']} big blinds",
        f"{'LBR may':<20}{result['lbr_bets']}, {result['lbr_deals']:,} deals",
        lbr_line(result),
    ]
