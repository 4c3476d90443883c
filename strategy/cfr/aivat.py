"""AIVAT: what a hand was worth, with as much luck taken away as strategies and a value function allow.

Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation
in Imperfect Information Games" (AAAI 2018). The estimate of a hand is what was won, plus for each event whose
probabilities are known (cards, and actions of players whose strategy is known) the value that was to be
expected before it less the value that came of it. It is unbiased whatever the values are; the better they
are, the less it varies. Choose the values before seeing the hands.

What is not seen by somebody of unknown strategy, and not on the board, is averaged over: all cards that the
known players could hold count by how likely they would have come here with them. When everybody's strategy is
known, these are the cards of all.
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
    """The estimate of one hand for one position, told event by event in their order.

    Its arrays are over worlds: whatever the cards that are averaged over can be, in an array of any shape,
    the same for the whole hand. ``weights`` are the worlds' probabilities, up to a common factor.
    """

    def __init__(self, weights: NDArray[Any]) -> None:
        self._weights = np.asarray(weights, np.float64)
        self._correction = 0.0

    def deal(self, expected: NDArray[Any], likelihood: NDArray[Any], value: NDArray[Any]) -> None:
        """Cards that everybody sees, or that somebody of unknown strategy got.

        In each world: ``expected``, the value averaged over all cards that could have come, those that came
        included; ``likelihood``, the probability of what came, up to a common factor; ``value`` after it.
        Where worlds are whole deals, ``expected`` and ``value`` are the same and ``likelihood`` is 0 or 1.
        """
        before = self._mean(self._weights, expected)
        self._weights = self._weights * likelihood
        self._correction += before - self._mean(self._weights, value)

    def act(self, policy: NDArray[Any], values: NDArray[Any], taken: int) -> None:
        """An action of a player whose strategy is known; actions of the others are not told.

        ``policy`` [actions, worlds]: the probability of each action; ``values`` [actions, worlds]: the value
        after it, of no account where the probability is 0; ``taken``: the action's number.
        """
        reached = self._weights * policy
        before = float((reached * values).sum() / self._weights.sum())
        self._weights = reached[taken]
        self._correction += before - self._mean(self._weights, values[taken])

    def end(self, payoff: NDArray[Any]) -> float:
        """The estimate; ``payoff`` is what the position won in each world."""
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
    """The estimate of a hand of a small game.

    ``strategy`` is that of the ``known`` positions (the others' is not read); ``values`` float64[nodes,
    deals] the value function, ``payoff`` float64[nodes, deals] what was won, both of the position that the
    estimate is for. ``deal`` and ``end`` are the hand: its cards, and the node where it ended.
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
    """The nodes on the way to an end, each with the next."""
    steps = []
    while end:
        before = int(game.tree.parent[end])
        steps.append((before, end))
        end = before
    return steps[::-1]
