"""CPU milliseconds that a river of heads-up limit hold'em takes to be solved, and how exact it is then.

    python -m benchmarks.river [--rivers 12] [--seed 0]

The rivers are those that the blueprint comes to against itself. Distances are in mbb a hand, means over
rivers: of the solution for the blueprint's hands, what a best response wins, on average over both seats; of
the safe one, half of what is left between the two players' best responses. What it gains is how much less a
best response with the blueprint's hands wins from it than from the blueprint. What is compiled is compiled
before.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from strategy.cfr.blueprint import Blueprint, load_blueprint
from strategy.cfr.endgame import best_response, pairs
from strategy.cfr.headsup_aivat import play_hand
from strategy.cfr.river import Setting, setting_at, solve
from strategy.cfr.tree import follow

__all__ = ["Run", "main", "measure", "rivers"]

ITERATIONS = (25, 50, 100, 200, 400, 800)
MBB = 100
"""Of a chip: the big blind has ten."""


class Run(NamedTuple):
    """CPU milliseconds, distance from exact and gain, both in mbb."""

    milliseconds: float
    distance: float
    gain: float


def rivers(blueprint: Blueprint, count: int, seed: int) -> list[Setting]:
    """Rivers that the blueprint comes to against itself, alternately for both positions."""
    found: list[Setting] = []
    number = 0
    while len(found) < count:
        draw = Random(f"river {seed} {number}")
        played = play_hand(blueprint, draw.sample(range(52), 9), (blueprint.policy, blueprint.policy), draw)
        number += 1
        if len(played.board) == 5:
            tree, steps = blueprint.tree, 0
            while tree.street[follow(tree, played.kinds[:steps])] < 3:
                steps += 1
            node = follow(tree, played.kinds[:steps])
            found.append(setting_at(blueprint, node, played.board, len(found) % 2))
    return found


def measure(setting: Setting, iterations: int, *, safe: bool) -> Run:
    """Solve once."""
    start = time.process_time()
    found = solve(setting, iterations, safe=safe)
    took = 1000 * (time.process_time() - start)
    game, player, ranges = setting.game, setting.player, setting.ranges
    own, his = ranges[player], ranges[1 - player]
    best = best_response(game, found.strategy, 1 - player, own)
    free = setting.free if safe else np.zeros_like(his)
    mine = best_response(game, found.strategy, player, his + free * found.came)
    high = (his * best).sum() + (free * np.maximum(best, setting.offer)).sum()
    low = (free * (1 - found.came) * setting.offer).sum() - (own * mine).sum()
    scale = MBB / pairs(game, ranges)
    return Run(took, float(high - low) / 2 * scale, float((his * (setting.offer - best)).sum()) * scale)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="What a river costs, and how exact it is.")
    parser.add_argument("--rivers", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    blueprint = load_blueprint()
    settings = rivers(blueprint, options.rivers, options.seed)
    measure(settings[0], 1, safe=True)
    print(f"{'river, mean of ' + str(options.rivers):<32}{'CPU ms':>10}{'from exact':>14}{'gain':>10}  mbb")
    for safe in (False, True):
        for iterations in ITERATIONS:
            runs = [measure(setting, iterations, safe=safe) for setting in settings]
            means = np.mean(runs, axis=0)
            name = f"{'safe' if safe else 'for its hands'}, {iterations} iterations"
            print(f"{name:<32}{means[0]:>10.1f}{means[1]:>14.2f}{means[2]:>10.1f}")


if __name__ == "__main__":
    main()
