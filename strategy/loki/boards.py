"""What every hand is worth on a board, in the eyes of a player who knows the board alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from strategy.poker.batch import all_strengths
from strategy.poker.combos import CARDS, Weights

__all__ = ["all_ehs", "fast_ppots"]


_KEPT = 1024
# In duplicate play a board comes once for every seating; ten megabytes each.


@lru_cache(maxsize=_KEPT)
def fast_ppots(board: tuple[int, ...]) -> Weights:
    """An estimate of PPot for every hand against random hands: float64[1326], 0 on the river.

    The exact one compares every pair of hands for every next card, here one strength for every card is
    enough: what is gained is the mean rise of HS with the cards that raise it. With such a card hardly any
    hand is lost to, so little is left out; ``batch.all_potentials`` is exact and takes five times as long.
    """
    gained = np.zeros(len(CARDS))
    if len(board) == 5:
        return gained
    now = all_strengths(board)
    for card in range(52):
        if card not in board:
            # A hand with this card has strength 0 on the longer board, so nothing is gained.
            gained += np.maximum(0.0, all_strengths((*board, card)) - now)
    gained /= 52 - len(board) - 2
    return np.minimum(1.0, gained / np.maximum(1 - now, 0.02))


@lru_cache(maxsize=_KEPT)
def all_ehs(board: tuple[int, ...]) -> Weights:
    """EHS of every hand against one random hand, with the fast PPot: float64[1326]."""
    strengths = all_strengths(board)
    return strengths + (1 - strengths) * fast_ppots(board)
