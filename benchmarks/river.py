"""CPU milliseconds that a river of heads-up limit hold'em takes to be solved, and how exact it is then.

    python -m benchmarks.river [--rivers 24] [--seed 0]

The rivers are those that the blueprint comes to, half of them against itself and half against a player who
bets at random. All is computed exactly for each river, over all pairs of hands that share no card, with the
weights of the blueprint's hands; shown are means over rivers in mbb a hand, and maxima. The distance of a
solution for the blueprint's hands is what a best response wins, on average over both seats. That of a safe
one is half of what lies between what the opponent's hands win at most, and a bound of what they win from
any safe strategy, which his strategy and weights give (the dual of what is solved). So a safe strategy
can be better by twice the distance at most. What it gains is how much less a best response with the
blueprint's hands wins from it than from the blueprint. The worst hand is the opponent's, of all that there
are, with which a best response gains the most over the blueprint. What is compiled is compiled before.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import NamedTuple

import numpy as np

from strategy.cfr.blueprint import Blueprint, load_blueprint
from strategy.cfr.endgame import best_response, pairs
from strategy.cfr.headsup_aivat import Chances, play_hand
from strategy.cfr.river import RIVER, Setting, gains, setting_at, solve
from strategy.cfr.tree import follow

__all__ = ["Run", "main", "measure", "rivers"]

ITERATIONS = (100, 200, 400, 500, 600)
MBB = 100
"""Of a chip: the big blind has ten."""


class Run(NamedTuple):
    """CPU milliseconds; distance from exact, gain and what the worst hand costs, in mbb."""

    milliseconds: float
    distance: float
    gain: float
    worst: float


def rivers(blueprint: Blueprint, count: int, seed: int) -> list[Setting]:
    """Rivers that the blueprint comes to, alternately in both positions; every second two of them against a
    player who calls or raises whatever he holds, so that many are such as it seldom sees.
    """
    found: list[Setting] = []
    number = 0
    while len(found) < count:
        draw = Random(f"river {seed} {number}")
        player = len(found) % 2
        chances: list[Chances] = [blueprint.policy, blueprint.policy]
        if len(found) // 2 % 2:
            chances[1 - player] = partial(_bets, blueprint)
        played = play_hand(blueprint, draw.sample(range(52), 9), chances, draw)
        number += 1
        if len(played.board) == 5:
            tree, steps = blueprint.tree, 0
            while tree.street[follow(tree, played.kinds[:steps])] < RIVER:
                steps += 1
            node = follow(tree, played.kinds[:steps])
            found.append(setting_at(blueprint, node, played.board, player))
    return found


def _bets(
    blueprint: Blueprint, node: int, hole: Sequence[int], board: Sequence[int]
) -> tuple[float, float, float]:
    return 0.0, 0.5, 0.5 * (blueprint.tree.child[node, 2] >= 0)


def measure(setting: Setting, iterations: int, *, safe: bool) -> Run:
    """Solve once."""
    start = time.process_time()
    found = solve(setting, iterations, safe=safe)
    took = 1000 * (time.process_time() - start)
    game, player, ranges = setting.game, setting.player, setting.ranges
    own, his = ranges[player], ranges[1 - player]
    best = best_response(game, found.strategy, 1 - player, own)
    # Whatever is safe gives the opponent at least this, who comes with these weights and plays like that.
    mine = best_response(game, found.strategy, player, his + found.came)
    bound = -(own * mine).sum() - (found.came * setting.offer).sum()
    scale = MBB / pairs(game, ranges)
    return Run(
        took,
        float((his * best).sum() - bound) / 2 * scale,
        float((his * (setting.offer - best)).sum()) * scale,
        float(gains(setting, found.strategy).max()) * MBB,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="What a river costs, and how exact it is.")
    parser.add_argument("--rivers", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    blueprint = load_blueprint()
    settings = rivers(blueprint, options.rivers, options.seed)
    measure(settings[0], 1, safe=True)
    columns = ("CPU ms", "most", "distance", "most", "gain", "worst hand", "worst")
    print(f"{options.rivers} rivers, means{'':<14}" + "".join(f"{name:>11}" for name in columns))
    for safe in (False, True):
        for iterations in ITERATIONS:
            runs = np.array([measure(setting, iterations, safe=safe) for setting in settings])
            mean, most = runs.mean(axis=0), runs.max(axis=0)
            name = f"{'safe' if safe else 'for its hands'}, {iterations} iterations"
            shown = (mean[0], most[0], mean[1], most[1], mean[2], mean[3], most[3])
            print(f"{name:<32}" + "".join(f"{value:>11.1f}" for value in shown))


if __name__ == "__main__":
    main()
