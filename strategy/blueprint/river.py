"""River play worked out at the table: the blueprint's last street solved again, with real hands.

The betting before the river says with which weights the blueprint holds each hand, on both sides. From there
the river is solved for one of the players, in such a way that nobody can do better against him than against
the blueprint: with every hand the opponent may refuse to play, and is then paid what a best response with
this hand wins from the blueprint's own river (the gadget game of Burch, Johanson and Bowling, "Solving
Imperfect Information Games Using Decomposition", AAAI 2014). He refuses wherever he would be worse off, so
that a solution is worth to each of his hands at most what the blueprint is.

That alone asks for no more than to be as good. Beside the hands that may refuse, the opponent therefore also
comes with the hands that the blueprint would hold in his place, and these must play: of all that is safe,
what is best against them is found. That part is ours, and so is what makes it hold for each hand and not on
average alone: a hand that still gains weighs more and more, and in the end it is computed what each hand
gains at most. Where that is more than ``MOST``, the blueprint is mixed in until it no longer is.

All depends on what everybody has seen, and not on the own cards: at each decision of a river the same
solution is played.
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
"""How often regrets are matched at most; less than 200 ms. Most rivers are solved long before."""

TARGET_DISTANCE = 0.05
"""Chips, of ten in a big blind: a river is solved when it is as near to exact (``distance``), and safe."""

MAX_GAIN = 0.3
"""Chips that a hand may gain on average over what it meets: 30 mbb. With a third of it the blueprint would be
mixed in so often that the whole is further from exact than it has to be.
"""

_ALLOWED_GAIN = 0.15
"""Chips that a hand may gain while it is solved, before it weighs more. With much less some hands would weigh
ever more: it takes thousands of iterations until not one of a thousand gains anything.
"""

_FREE_WEIGHT = 2.5
"""The weight of the hands that may refuse, all together, beside 1 for the blueprint's, before those that gain
weigh more. A larger one is safe sooner, and later at what is best against the blueprint's hands.
"""

_CHECK_EVERY = 50
"""Iterations between two looks at how far from exact it is: a look takes as long as one or two."""

_EPSILON = 1e-9
"""A weight that may be but rounding."""

_MIN_REACH = 1e-12
"""The weight with which a hand comes that the blueprint never has here: enough to learn to play it."""

RIVER = 3
_BOARD = (0, 3, 4, 5)


class RiverProblem(NamedTuple):
    """A river to be solved for ``player``, from ``node`` on.

    ``ranges`` float64[2, hands]: the weights with which the players come, each with the sum 1. ``known``
    float64[nodes, 3, hands] is what the blueprint plays. ``offer`` float64[hands]: what a best response with
    each of the opponent's hands wins from that, in the units of ``best_response``.
    """

    node: int
    player: int
    game: Endgame
    ranges: Floats
    known: Floats
    offer: Floats


class RiverSolution(NamedTuple):
    """``strategy`` float64[nodes, 3, hands], from ``node`` on; at the opponent's nodes it is what he was
    solved to play. ``came`` float64[hands]: the weight with which he came who could have refused.
    ``iterations`` were done.
    """

    node: int
    game: Endgame
    strategy: Floats
    opponent_reach: Floats
    iterations: int

    def rows(self, node: int) -> Floats:
        """Chances of fold, call and raise with every hand at a node of the tree: float64[1326, 3]."""
        rows = np.zeros((HANDS, 3))
        rows[self.game.hands] = self.strategy[node - self.node].T
        return rows


def street_start(tree: BettingTree, node: int) -> int:
    """The first decision of a node's street."""
    while node and tree.street[tree.parent[node]] == tree.street[node]:
        node = int(tree.parent[node])
    return node


def blueprint_rows(blueprint: Blueprint, node: int, board: Sequence[int]) -> Floats:
    """The blueprint's chances of fold, call and raise with every hand, float64[1326, 3]; 0 where blocked.

    ``board`` may have cards of later streets.
    """
    states = blueprint.all_states(board[: _BOARD[blueprint.tree.street[node]]])
    rows = blueprint.table(node)[states].astype(np.float64)
    rows[states < 0] = 0.0
    return rows


def ranges_at(blueprint: Blueprint, node: int, board: Sequence[int]) -> Floats:
    """With which weights the two players come to a node with each hand, float64[2, 1326], by Bayes' rule."""
    tree = blueprint.tree
    weights = np.tile(live(board).astype(np.float64), (2, 1))
    while node:
        action, node = int(tree.action[node]), int(tree.parent[node])
        weights[tree.player[node]] *= blueprint_rows(blueprint, node, board)[:, action]
    return weights


def blueprint_strategy(blueprint: Blueprint, node: int, board: Sequence[int], game: Endgame) -> Floats:
    """What the blueprint plays in an endgame from ``node`` on: float64[nodes, 3, hands]."""
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
    """Solve the river that a node is in, for ``player``; a few solutions are kept.

    Without ``safe`` the opponent comes with the blueprint's hands and with no others: that is the better
    answer to somebody who plays the blueprint, and can be a worse one to somebody who does not. It ends after
    so many ``iterations``, or earlier when it is as exact as ``TARGET_DISTANCE`` says; it looks at no clock.
    """
    start = street_start(blueprint.tree, node)
    return _cached_solution(blueprint, start, tuple(board), player, iterations, safe)


@lru_cache(maxsize=16)
def _cached_solution(
    blueprint: Blueprint, start: int, board: tuple[int, ...], player: int, iterations: int, safe: bool
) -> RiverSolution:
    return solve(river_problem(blueprint, start, board, player), iterations, safe=safe)


def river_problem(blueprint: Blueprint, start: int, board: Sequence[int], player: int) -> RiverProblem:
    """What the blueprint makes of a river that begins at a node."""
    game = endgame_at(blueprint.tree, start, board)
    ranges = ranges_at(blueprint, start, board)[:, game.hands]
    # Where the blueprint never comes to, all hands are alike.
    ranges[ranges.sum(axis=1) == 0] = 1.0
    ranges /= ranges.sum(axis=1, keepdims=True)
    known = blueprint_strategy(blueprint, start, board, game)
    offer = best_response(game, known, 1 - player, ranges[player])
    return RiverProblem(start, player, game, ranges, known, offer)


def gains(problem: RiverProblem, strategy: Floats) -> Floats:
    """Chips that each of the opponent's hands wins more at most from a strategy than from the blueprint, on
    average over the hands that it can meet; 0 where it meets none: float64[hands].
    """
    own = problem.ranges[problem.player]
    return _gains(problem, best_response(problem.game, strategy, 1 - problem.player, own))


def _gains(problem: RiverProblem, best: Floats) -> Floats:
    met = opponent_mass(problem.game, problem.ranges[problem.player])
    meets = met > _EPSILON
    return np.where(meets, (best - problem.offer) / np.where(meets, met, 1.0), 0.0)


def distance(problem: RiverProblem, solution: RiverSolution) -> float:
    """Chips a hand, half of what lies between what the opponent's hands win at most from a solution, and
    what they win from any strategy from which none of his hands wins more than from the blueprint.

    Whatever is safe in this sense gives the opponent at least what he wins who comes with the weights
    ``came`` too, and plays as he was solved to play.
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
