"""What a local best response wins from a strategy of ``train nolimit``, or from a bot that plays one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from dealer.rules.games import Game
from strategy.cfr.files import SolveError
from strategy.cfr.report import lbr_line
from strategy.cfr.training import is_holdem
from strategy.lbr.nolimit import NoLimitStrategy
from strategy.lbr.response import FREEDOMS, local_best_response
from strategy.lbr.search import SearchStrategy
from strategy.nolimit.holdem import make_cards
from strategy.nolimit.training import NoLimitSolver
from strategy.nolimit_bots.policy import NoLimitPolicy, load_policy, nearest_depth, pack
from strategy.progress import ProgressCallback, no_progress

BOTS: Final = {Path("nolimit"): NoLimitStrategy, Path("nolimit+search"): SearchStrategy}
"""What stands for the bots, which play the strategies that come with pokerd."""

_PATHS: Final = 16
"""In each position: the variance falls by half against 4, and a deal takes a third longer. The bot that
solves turns plays once: each path has turns of its own.
"""


def lbr_result(
    game: Game, path: Path, freedom: str, deals: int, report: ProgressCallback = no_progress
) -> tuple[dict[str, Any], list[float]]:
    """Return what a file is of, by the names in JSON, and what a local best response with a freedom out of
    ``FREEDOMS`` wins from it at each deal, in mbb/hand. A path of ``BOTS`` is the bot's own strategy for the
    stacks of ``game``.

    They play ``game`` with the stacks of the strategy, in big blinds. The strategy is rounded as it is
    packed. A file takes half a minute before the first deal. Raises SolveError and OSError.
    """
    if not _fits(game):
        raise SolveError("bad_setting", "--lbr needs heads-up no-limit hold'em for a strategy of no-limit")
    if path in BOTS:
        policy = load_policy(nearest_depth(min(game.stacks) / max(game.blinds)))
    else:
        policy = _policy_in(path, report)
    game = replace(game, stacks=(policy.depth * max(game.blinds),) * 2)
    strategy = BOTS.get(path, NoLimitStrategy)(policy, game)
    paths = 1 if isinstance(strategy, SearchStrategy) else _PATHS
    facts = {"name": game.name, "menu": policy.menu, "batches": policy.batches, "stack": policy.depth}
    won = local_best_response(
        strategy, FREEDOMS[freedom], deals=deals, paths=paths, steady=True, report=report
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
