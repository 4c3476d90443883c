"""CPU milliseconds to solve a river of heads-up limit hold'em, and the solution's accuracy.

    python -m benchmarks.players.river [--rivers 60] [--seed 1]

The rivers are those that the blueprint reaches, half of them against itself and half against a player who
bets at random. All values are exact for each river, over all pairs of hands that share no card, with the
weights of the blueprint's hands; the table shows means over rivers in mbb/hand, and maxima. The distance from
exact is ``strategy.blueprint.river.distance``: for a solution against the blueprint's hands it is the value
of a best response, averaged over both seats. A safe strategy can be better by at most twice the distance. The
gain is how much less a best response with the blueprint's hands wins against the solution than against the
blueprint. The worst hand is the opponent's hand, of all possible ones, with which a best response gains the
most over the blueprint. The time is that of the first river after a new flop: it includes the values of the
flop's hands, ranges and offers, and the checks of the distance. Everything is compiled beforehand.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import NamedTuple

import numpy as np

from benchmarks.players.headsup_aivat import Chances, play_hand
from strategy.abstraction.abstraction import clear_cache
from strategy.blueprint.blueprint import Blueprint, load_blueprint
from strategy.blueprint.endgame import best_response, total_pair_weight
from strategy.blueprint.river import ITERATIONS, RIVER, distance, gains, river_problem, solve
from strategy.cfr.tree import find_node

MBB = 100
"""In chips: the big blind has ten."""


class RiverSpot(NamedTuple):
    """A river that begins at ``node``, to be solved for ``player``."""

    node: int
    board: tuple[int, ...]
    player: int


class RiverRun(NamedTuple):
    """Iterations; CPU milliseconds; distance from exact, gain and loss to the worst hand, in mbb."""

    iterations: int
    milliseconds: float
    distance: float
    gain: float
    worst: float


def sample_rivers(blueprint: Blueprint, count: int, seed: int) -> list[RiverSpot]:
    """Return rivers that the blueprint reaches, alternately in both positions.

    Two of every four are against a player who calls or raises at random, so that many are rare for the
    blueprint.
    """
    found: list[RiverSpot] = []
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
            while tree.street[find_node(tree, played.kinds[:steps])] < RIVER:
                steps += 1
            node = find_node(tree, played.kinds[:steps])
            found.append(RiverSpot(node, tuple(played.board), player))
    return found


def _bets(
    blueprint: Blueprint, node: int, hole: Sequence[int], board: Sequence[int]
) -> tuple[float, float, float]:
    return 0.0, 0.5, 0.5 * (blueprint.tree.child[node, 2] >= 0)


def measure(blueprint: Blueprint, place: RiverSpot, *, safe: bool) -> RiverRun:
    """Solve once, with the cache of flops cleared."""
    clear_cache()
    start = time.process_time()
    setting = river_problem(blueprint, *place)
    found = solve(setting, ITERATIONS, safe=safe)
    took = 1000 * (time.process_time() - start)
    game, player, ranges = setting.game, setting.player, setting.ranges
    best = best_response(game, found.strategy, 1 - player, ranges[player])
    return RiverRun(
        found.iterations,
        took,
        distance(setting, found) * MBB,
        float((ranges[1 - player] * (setting.offer - best)).sum()) / total_pair_weight(game, ranges) * MBB,
        float(gains(setting, found.strategy).max()) * MBB,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="What a river costs, and how exact it is.")
    parser.add_argument("--rivers", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    blueprint = load_blueprint()
    found = sample_rivers(blueprint, options.rivers, options.seed)
    columns = ("iterations", "most", "CPU ms", "most", "distance", "most", "gain", "worst hand", "worst")
    print(f"{f'{options.rivers} rivers, means':<20}" + "".join(f"{name:>11}" for name in columns))
    for safe in (False, True):
        measure(blueprint, found[0], safe=safe)
        runs = np.array([measure(blueprint, place, safe=safe) for place in found])
        mean, most = runs.mean(axis=0), runs.max(axis=0)
        shown = (mean[0], most[0], mean[1], most[1], mean[2], most[2], mean[3], mean[4], most[4])
        name = "safe" if safe else "for its hands"
        print(f"{name:<20}" + "".join(f"{value:>11.1f}" for value in shown))


if __name__ == "__main__":
    main()
