"""What a hand of hold'em is worth against each other, and how lucky its cards are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit
from strategy.poker.allin import all_in_table
from strategy.poker.batch import all_strengths
from strategy.poker.combos import CLASSES, combo_index, live
from strategy.poker.kernels import HAND_KEYS, HAND_MASKS, TABLE, Ints, Ranks, keys_of, rank_of, runouts

Floats = NDArray[np.float64]

BOARD: Final = (0, 3, 4, 5)
"""Cards of the board by street."""

_FEWEST = 100
"""Minimum number of deals for learning how winnings depend on the cards."""
_POWERS = (1, 3, 9)
FACTS: Final = len(BOARD) * len(_POWERS)
"""Number of ``luck_features``."""
_SPREADS: Final = (0.096, 0.081, 0.016, *(0.29, 0.29, 0.23) * 3)
"""Their standard deviations over all deals."""


def luck_features(hand: int, board: Sequence[int]) -> list[float]:
    """Return how good the cards are on each street: powers of the strength against any hand, less their means
    over all hands that could have been dealt instead.
    """
    facts = []
    for cards in BOARD:
        seen = board[:cards]
        strength = all_strengths(seen) if cards else _preflop()
        there = live(seen)
        for power in _POWERS:
            raised = strength**power
            facts.append(float(raised[hand] - raised[there].mean()))
    return facts


@cache
def _preflop() -> Floats:
    table = all_in_table()
    found: Floats = ((table.equity * table.pairs).sum(axis=1) / table.pairs.sum(axis=1))[CLASSES]
    return found


def reduce_variance(won: Floats, luck: Floats, caution: float = 0.0) -> Floats:
    """Subtract the part of the winnings that is linear in the luck.

    Its coefficients come from the other half of the deals, so that no result is corrected with coefficients
    learnt from itself. ``caution``: a number of deals that speak against any dependence (ridge regression).
    Without it, coefficients from a hundred deals are wild where luck is rare, such as aces, and an interval
    from deals without aces is too short.
    """
    half = np.arange(len(won)) % 2
    left = won.copy()
    if len(won) < _FEWEST:
        return left
    # As further deals: one for each kind of luck, with as much of it and nothing won.
    doubts = np.column_stack((np.zeros(FACTS), np.sqrt(caution) * np.diag(_SPREADS)))
    for own in (0, 1):
        known = np.column_stack((np.ones((half != own).sum()), luck[half != own]))
        learnt = np.concatenate((known, doubts)), np.concatenate((won[half != own], np.zeros(FACTS)))
        slopes = np.linalg.lstsq(*learnt, rcond=None)[0][1:]
        left[half == own] -= luck[half == own] @ slopes
    return left


def equities(hole: tuple[int, int], board: Sequence[int]) -> Floats:
    """Return the share of the pot that a hand wins at a showdown against each other hand: float64[1326].

    Before the flop, averaged over the hands of their classes; 0.5 against impossible hands.
    """
    if not board:
        table = all_in_table().equity
        found: Floats = table[CLASSES[combo_index(*hole)]][CLASSES]
        return found
    hole_key, hole_mask = keys_of(hole)
    key, mask = keys_of(board)
    return _equities(TABLE, hole_key, hole_mask, key, mask, *runouts(hole_mask | mask, 5 - len(board)))


@jit
def _equities(
    table: Ranks, hole_key: int, hole_mask: int, board_key: int, board_mask: int, keys: Ints, masks: Ints
) -> Floats:
    points, boards = np.zeros(1326), np.zeros(1326)
    for future in range(len(keys)):
        key, mask = board_key + keys[future], board_mask | masks[future]
        own = rank_of(table, hole_key + key, hole_mask | mask)
        used = hole_mask | mask
        for other in range(1326):
            if not HAND_MASKS[other] & used:
                rank = rank_of(table, HAND_KEYS[other] + key, HAND_MASKS[other] | mask)
                points[other] += (rank < own) + (rank == own) / 2
                boards[other] += 1.0
    for other in range(1326):
        points[other] = points[other] / boards[other] if boards[other] > 0 else 0.5
    return points
