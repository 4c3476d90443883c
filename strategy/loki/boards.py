"""The value of every hand on a board, for a player who knows only the board."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from strategy.poker.batch import all_strengths
from strategy.poker.combos import CARDS, Weights

_KEPT = 1024
# In duplicate play a board comes once per seating; ten megabytes each.


@lru_cache(maxsize=_KEPT)
def fast_ppots(board: tuple[int, ...]) -> Weights:
    """Return an estimate of PPot for every hand against random hands: float64[1326], 0 on the river.

    The exact one compares every pair of hands for every next card. Here one strength per card is enough: the
    gain is the mean rise of HS over the cards that raise it. With such a card hardly any hand is lost to, so
    little is left out; ``batch.all_potentials`` is exact and takes five times as long.
    """
    gained = np.zeros(len(CARDS))
    if len(board) == 5:
        return gained
    now = all_strengths(board)
    for card in range(52):
        if card not in board:
            # A hand with this card has strength 0 on the longer board, so there is no gain.
            gained += np.maximum(0.0, all_strengths((*board, card)) - now)
    gained /= 52 - len(board) - 2
    return np.minimum(1.0, gained / np.maximum(1 - now, 0.02))


@lru_cache(maxsize=_KEPT)
def all_ehs(board: tuple[int, ...]) -> Weights:
    """Return EHS of every hand against one random hand, with the fast PPot: float64[1326]."""
    strengths = all_strengths(board)
    return strengths + (1 - strengths) * fast_ppots(board)
