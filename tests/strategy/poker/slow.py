"""Poker mathematics as the definitions say, hand by hand in plain Python: what the fast ways must equal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

import numpy as np

from dealer.rules.evaluation import rank_hand
from strategy.poker.combos import Weights, combo_index

Table = list[list[float]]


class ReferenceSpot(NamedTuple):
    hole: tuple[int, ...]
    board: tuple[int, ...]


def spot(random: Random, board: int) -> ReferenceSpot:
    """Hole cards and a board of so many cards."""
    cards = random.sample(range(52), 2 + board)
    return ReferenceSpot(tuple(cards[:2]), tuple(cards[2:]))


def random_weights(seed: int) -> Weights:
    """A table with hands that are out of the question, rare ones and usual ones."""
    generator = np.random.default_rng(seed)
    return generator.choice([0.0, 0.01, 1.0], 1326) * generator.random(1326)


def outcomes(hole: Sequence[int], board: Sequence[int], cards: int, weights: Sequence[float]) -> Table:
    """Weights by now and ``cards`` cards later: ahead, tied, behind."""
    table = [[0.0] * 3 for _ in range(3)]
    unseen = [card for card in range(52) if card not in (*hole, *board)]
    for hand in combinations(unseen, 2):
        weight = weights[combo_index(*hand)]
        if weight:
            now = _compare(hole, hand, board)
            for rest in combinations([card for card in unseen if card not in hand], cards):
                table[now][_compare(hole, hand, (*board, *rest))] += weight
    return table


def _compare(hole: Sequence[int], hand: Sequence[int], board: Sequence[int]) -> int:
    own, other = rank_hand((*hole, *board)), rank_hand((*hand, *board))
    return 0 if own > other else 1 if own == other else 2


def all_values(
    hole: Sequence[int], board: Sequence[int], cards: int, weights: Sequence[float]
) -> tuple[float, float, float]:
    """HS, PPot and NPot as Papp's formulas say."""
    table = outcomes(hole, board, cards, weights)
    ahead, tied, behind = (sum(row) for row in table)
    hs = (ahead + tied / 2) / (ahead + tied + behind)
    ppot = table[2][0] + table[2][1] / 2 + table[1][0] / 2
    npot = table[0][2] + table[0][1] / 2 + table[1][2] / 2
    return hs, ppot / (behind + tied / 2 or 1), npot / (ahead + tied / 2 or 1)
