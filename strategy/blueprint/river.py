"""River play computed during the hand: the blueprint's last street is solved again with individual hands.

The betting before the river gives the weight of each hand in the blueprint, for both players. From there the
river is solved for one of the players, so that no opponent does better than against the blueprint: with every
hand the opponent may refuse to play, and is then paid what a best response with this hand wins against the
blueprint's own river strategy (the gadget game of Burch, Johanson and Bowling, "Solving Imperfect Information
Games Using Decomposition", AAAI 2014). Each hand refuses where it would be worse off, so the solution gives
each of the opponent's hands at most what the blueprint gives it.

This alone only guarantees a strategy as good as the blueprint. Therefore the opponent, beside the hands that
may refuse, also has the hands that the blueprint would hold in the same place, and these must play: of all
safe strategies, the best one against them is found. This part is our own. So is the guarantee for each single
hand and not only on average: a hand that still gains gets more and more weight, and at the end each hand's
maximum gain is computed. If it exceeds ``MOST``, the blueprint is mixed in until it no longer does.

Everything depends on public information and not on the player's own cards: all decisions of one river use the
same solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from strategy.blueprint.blueprint import Blueprint
from strategy.blueprint.endgame import (
    Endgame,
    Floats,
    best_response,
    endgame_at,
    iterate,
    make_gadget,
    mixture,
    normalise_weights,
    opponent_mass,
    total_pair_weight,
)
from strategy.cfr.tree import BettingTree
from strategy.poker.combos import HANDS, live

ITERATIONS = 1000
"""Maximum number of iterations; less than 200 ms. Most rivers are solved long before."""

TARGET_DISTANCE = 0.05
"""Chips, of ten in a big blind: a river is solved when it is this close to exact (``distance``) and safe."""

MAX_GAIN = 0.3
"""Maximum average gain of a hand over the hands that it meets, in chips: 30 mbb. With a third of it the
blueprint would be mixed in so often that the result would be less exact than necessary.
"""

_ALLOWED_GAIN = 0.15
"""Gain in chips above which a hand's weight increases during solving. With much less, some weights would grow
without end: it takes thousands of iterations until none of a thousand hands gains anything.
"""

_FREE_WEIGHT = 2.5
"""Total initial weight of the hands that may refuse, relative to 1 for the blueprint's hands. A larger one is
safe sooner, but takes longer to find the best strategy against the blueprint's hands.
"""

_CHECK_EVERY = 50
"""Iterations between two checks of the distance; a check takes as long as one or two iterations."""

_EPSILON = 1e-9
"""A weight that may be only rounding error."""

_MIN_REACH = 1e-12
"""Weight of a hand that the blueprint never has here: enough to learn to play it."""

RIVER = 3
_BOARD = (0, 3, 4, 5)


class RiverProblem(NamedTuple):
    """A river to be solved for ``player``, from ``node`` on.

    ``ranges`` float64[2, hands]: the weights of the players' hands, each row with the sum 1. ``known``
    float64[nodes, 3, hands]: the blueprint's strategy. ``offer`` float64[hands]: the value of a best response
    to it with each of the opponent's hands, in the units of ``best_response``.
    """

    node: int
    player: int
    game: Endgame
    ranges: Floats
    known: Floats
    offer: Floats


class RiverSolution(NamedTuple):
    """A solved river.

    ``strategy`` float64[nodes, 3, hands], from ``node`` on, includes the solution's strategy at the
    opponent's nodes. ``opponent_reach`` float64[hands]: the weight with which the opponent's hands that may
    refuse played. ``iterations``: the number done.
    """

    node: int
    game: Endgame
    strategy: Floats
    opponent_reach: Floats
    iterations: int

    def rows(self, node: int) -> Floats:
        """Return the probabilities of fold, call and raise with every hand at a node: float64[1326, 3]."""
        rows = np.zeros((HANDS, 3))
        rows[self.game.hands] = self.strategy[node - self.node].T
        return rows


def street_start(tree: BettingTree, node: int) -> int:
    """Return the first decision of a node's street."""
    while node and tree.street[tree.parent[node]] == tree.street[node]:
        node = int(tree.parent[node])
    return node


def blueprint_rows(blueprint: Blueprint, node: int, board: Sequence[int]) -> Floats:
    """Return the blueprint's probabilities of fold, call and raise with every hand, float64[1326, 3]; 0 if
    blocked.

    ``board`` may include cards of later streets.
    """
    states = blueprint.all_states(board[: _BOARD[blueprint.tree.street[node]]])
    rows = blueprint.table(node)[states].astype(np.float64)
    rows[states < 0] = 0.0
    return rows


def ranges_at(blueprint: Blueprint, node: int, board: Sequence[int]) -> Floats:
    """Return the weights of both players' hands at a node, float64[2, 1326], by Bayes' rule."""
    tree = blueprint.tree
    weights = np.tile(live(board).astype(np.float64), (2, 1))
    while node:
        action, node = int(tree.action[node]), int(tree.parent[node])
        weights[tree.player[node]] *= blueprint_rows(blueprint, node, board)[:, action]
    return weights


def blueprint_strategy(blueprint: Blueprint, node: int, board: Sequence[int], game: Endgame) -> Floats:
    """Return the blueprint's strategy in an endgame from ``node`` on: float64[nodes, 3, hands]."""
    states = blueprint.all_states(board)[game.hands]
    strategy = np.zeros((len(game.player), 3, len(game.hands)))
    for place in np.flatnonzero(game.player >= 0).tolist():
        strategy[place] = blueprint.table(node + place)[states].T
    return strategy


def resolve(
    blueprint: Blueprint,
    node: int,
    board: Sequence[int],
    player: int,
    *,
    iterations: int = ITERATIONS,
    safe: bool = True,
) -> RiverSolution:
    """Solve the river that a node belongs to, for ``player``; the last few solutions are cached.

    Without ``safe`` the opponent has the blueprint's hands and no others: the result does better against an
    opponent who plays the blueprint, and may do worse against others. Stops after ``iterations``, or earlier
    when the distance is at most ``TARGET_DISTANCE``; time plays no part.
    """
    start = street_start(blueprint.tree, node)
    return _cached_solution(blueprint, start, tuple(board), player, iterations, safe)


@lru_cache(maxsize=16)
def _cached_solution(
    blueprint: Blueprint, start: int, board: tuple[int, ...], player: int, iterations: int, safe: bool
) -> RiverSolution:
    return solve(river_problem(blueprint, start, board, player), iterations, safe=safe)


def river_problem(blueprint: Blueprint, start: int, board: Sequence[int], player: int) -> RiverProblem:
    """Return the problem that the blueprint poses for the river that begins at a node."""
    game = endgame_at(blueprint.tree, start, board)
    ranges = ranges_at(blueprint, start, board)[:, game.hands]
    # Where the blueprint never gets, all hands are alike.
    ranges[ranges.sum(axis=1) == 0] = 1.0
    ranges /= ranges.sum(axis=1, keepdims=True)
    known = blueprint_strategy(blueprint, start, board, game)
    offer = best_response(game, known, 1 - player, ranges[player])
    return RiverProblem(start, player, game, ranges, known, offer)


def gains(problem: RiverProblem, strategy: Floats) -> Floats:
    """Return how many chips each of the opponent's hands can win more against a strategy than against the
    blueprint, averaged over the hands that it can meet; 0 if it meets none: float64[hands].
    """
    own = problem.ranges[problem.player]
    return _gains(problem, best_response(problem.game, strategy, 1 - problem.player, own))


def _gains(problem: RiverProblem, best: Floats) -> Floats:
    met = opponent_mass(problem.game, problem.ranges[problem.player])
    meets = met > _EPSILON
    return np.where(meets, (best - problem.offer) / np.where(meets, met, 1.0), 0.0)


def distance(problem: RiverProblem, solution: RiverSolution) -> float:
    """Return a bound on the distance from an exact solution, in chips per hand.

    It is half the difference between two values: the most that the opponent's hands can win against a
    solution, and what they win against any strategy against which none of them wins more than against the
    blueprint. Against every strategy that is safe in this sense, the opponent wins at least as much as by
    playing the opponent's part of the solution, with the additional weights ``opponent_reach``.
    """
    own = problem.ranges[problem.player]
    return _distance(
        problem, solution, best_response(problem.game, solution.strategy, 1 - problem.player, own)
    )


def _distance(problem: RiverProblem, found: RiverSolution, best: Floats) -> float:
    game, player, ranges = problem.game, problem.player, problem.ranges
    own, his = ranges[player], ranges[1 - player]
    mine = best_response(game, found.strategy, player, his + found.opponent_reach)
    bound = -(own * mine).sum() - (found.opponent_reach * problem.offer).sum()
    return float((his * best).sum() - bound) / 2 / total_pair_weight(game, ranges)


def solve(problem: RiverProblem, iterations: int, *, safe: bool) -> RiverSolution:
    """Solve a river; see ``resolve``."""
    game, own = problem.game, problem.ranges[problem.player]
    regrets, sums = (np.zeros((len(game.player), 3, len(game.hands))) for _ in range(2))
    chooser = 1 - problem.player if safe else -1
    free = np.full(len(game.hands), _FREE_WEIGHT / len(game.hands))
    refused = make_gadget(free, problem.offer, _ALLOWED_GAIN * opponent_mass(game, own) + _EPSILON)
    ranges, done = np.maximum(problem.ranges, _MIN_REACH), 0
    while True:
        more = min(iterations - done, _CHECK_EVERY)
        iterate(game, ranges, refused, chooser, done + 1, more, regrets, sums)
        done += more
        strategy = np.zeros_like(sums)
        normalise_weights(game, sums, strategy)
        found = RiverSolution(
            problem.node, game, strategy, refused.reach_sum * (2 / (done * (done + 1))), done
        )
        best = best_response(game, strategy, 1 - problem.player, own)
        gained = float(_gains(problem, best).max()) if safe else 0.0
        if done == iterations or (gained <= MAX_GAIN and _distance(problem, found, best) <= TARGET_DISTANCE):
            break
    if gained > MAX_GAIN:
        mine = game.player == problem.player
        strategy[mine] = mixture(game, strategy, problem.known, problem.player, MAX_GAIN / gained)[mine]
    return found
