"""AIVAT: the value of a hand with as much luck removed as known strategies and a value function allow.

It is for whoever knows how a player would have acted with other cards, and wants to know what that player is
worth: a bot that chooses among its own strategies by what they have won, or a measurement of bots.

Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation
in Imperfect Information Games" (AAAI 2018). The estimate of a hand is the amount won, plus a correction for
each event with known probabilities (cards, and actions of players with known strategies): the expected value
before the event less the value after it. The estimate is unbiased for any value function; better values lower
its variance. Choose the values before seeing the hands.

Cards that no player of unknown strategy has seen, and that are not on the board, are averaged over: all cards
that the known players could hold count in proportion to their probability of having played this way. If all
strategies are known, these are all players' cards.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strategy.cfr.small import Floats, SmallGame
from strategy.errors import StrategyError


class AivatError(StrategyError):
    """A hand that the strategies never play. The code is ``impossible_hand``."""

    code = "impossible_hand"


class Aivat:
    """The estimate of one hand for one position; pass the events in order.

    Its arrays are over worlds, the possible values of the cards that are averaged over. They may have any
    shape, the same for the whole hand. ``weights`` are the worlds' probabilities, up to a common factor.
    """

    def __init__(self, weights: NDArray[Any]) -> None:
        self._weights = np.asarray(weights, np.float64)
        self._correction = 0.0

    def deal(self, expected: NDArray[Any], likelihood: NDArray[Any], value: NDArray[Any]) -> None:
        """Add cards that everybody sees, or that a player of unknown strategy got.

        All arguments are per world. ``expected`` is the value averaged over all cards that could have come,
        including those that did; ``likelihood`` is the probability of the actual cards, up to a common
        factor; ``value`` is the value after them. If worlds are whole deals, ``expected`` and ``value`` are
        the same and ``likelihood`` is 0 or 1.
        """
        before = self._mean(self._weights, expected)
        self._weights = self._weights * likelihood
        self._correction += before - self._mean(self._weights, value)

    def act(self, policy: NDArray[Any], values: NDArray[Any], taken: int) -> None:
        """Add an action of a player whose strategy is known; leave out the others' actions.

        ``policy`` [actions, worlds]: the probability of each action; ``values`` [actions, worlds]: the value
        after it, ignored where the probability is 0; ``taken``: the action's index.
        """
        reached = self._weights * policy
        before = float((reached * values).sum() / self._weights.sum())
        self._weights = reached[taken]
        self._correction += before - self._mean(self._weights, values[taken])

    def end(self, payoff: NDArray[Any]) -> float:
        """Return the estimate; ``payoff`` is the position's result in each world."""
        return self._mean(self._weights, payoff) + self._correction

    def _mean(self, weights: Floats, values: NDArray[Any]) -> float:
        total = float(weights.sum())
        if not total > 0:
            raise AivatError("what happened has probability 0 under the strategies that were told")
        return float((weights * values).sum() / total)


def estimate(
    game: SmallGame,
    strategy: Floats,
    known: Collection[int],
    values: Floats,
    payoff: Floats,
    deal: int,
    end: int,
) -> float:
    """Return the estimate of a hand of a small game.

    ``strategy`` is that of the ``known`` positions (the others' entries are ignored). ``values``
    float64[nodes, deals] is the value function and ``payoff`` float64[nodes, deals] the result, both for the
    estimated position. ``deal`` and ``end`` identify the hand: its cards, and the node where it ended.
    """
    tree = game.tree
    strangers = sum(1 << player for player in range(tree.players) if player not in known)
    deal_classes = game.seen[strangers]
    hand = Aivat(game.probability)
    hand.deal(values[0], deal_classes[0] == deal_classes[0, deal], values[0])
    for node, after in _steps(game, end):
        player, street = int(tree.player[node]), int(tree.street[node])
        if player in known:
            policy = strategy[tree.decision[node], game.info[player, street]].T
            # A child of -1 reads the last node's values, and is never played.
            hand.act(policy, values[tree.child[node]], int(tree.action[after]))
        for later in range(street + 1, int(tree.street[after]) + 1):
            hand.deal(values[after], deal_classes[later] == deal_classes[later, deal], values[after])
    return hand.end(payoff[end])


def _steps(game: SmallGame, end: int) -> list[tuple[int, int]]:
    """Return the nodes on the path to a terminal, each with its successor."""
    steps = []
    while end:
        before = int(game.tree.parent[end])
        steps.append((before, end))
        end = before
    return steps[::-1]
