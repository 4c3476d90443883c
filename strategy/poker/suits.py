"""Canonical forms of boards that differ only in the names of their suits.

A board is its mask (``strategy.poker.combos.card_mask``): thirteen bits per suit. Its canonical form has the
suits in descending order of these thirteen bits. A renaming is a number of eight bits, two for each suit: its
new suit. The same renaming applies to a hand.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit
from strategy.poker.combos import CARDS, HANDS, combo_index
from strategy.poker.kernels import CARD_MASKS, Ints, next_set

_SUIT = (1 << 13) - 1


def _renamed_hands() -> NDArray[np.int16]:
    table = np.zeros((256, HANDS), np.int16)
    for places in permutations(range(4)):
        code = sum(place << 2 * suit for suit, place in enumerate(places))
        cards = CARDS & ~3 | np.array(places, np.int8)[CARDS & 3]
        table[code] = [combo_index(first, second) for first, second in cards.tolist()]
    return table


RENAMED: NDArray[np.int16] = _renamed_hands()
"""The index of each hand after each renaming: int16[256, 1326]; rows of invalid renamings are zeros."""


@jit
def canonical(mask: int) -> tuple[int, int]:
    """Return the canonical mask of a board and the renaming that leads there."""
    places = np.zeros(4, np.int64)
    suits = np.array([mask & _SUIT, mask >> 13 & _SUIT, mask >> 26 & _SUIT, mask >> 39 & _SUIT])
    for suit in range(4):
        for other in range(4):
            before = suits[other] > suits[suit] or (suits[other] == suits[suit] and other < suit)
            places[suit] += before
    result = code = 0
    for suit in range(4):
        result |= suits[suit] << 13 * places[suit]
        code |= places[suit] << 2 * suit
    return result, code


@jit
def canonical_boards(cards: int) -> Ints:
    """Return the masks of all canonical boards of ``cards`` cards, ascending: 1,755, 16,432 or 134,459 for 3
    to 5.
    """
    found = np.empty(1 << 18, np.int64)
    count = 0
    chosen = np.arange(cards)
    while True:
        mask = 0
        for card in chosen:
            mask |= CARD_MASKS[card]
        suits = (mask & _SUIT, mask >> 13 & _SUIT, mask >> 26 & _SUIT, mask >> 39 & _SUIT)
        if suits[0] >= suits[1] >= suits[2] >= suits[3]:
            found[count] = mask
            count += 1
        next_set(chosen)
        if chosen[cards - 1] == 52:
            return np.sort(found[:count])
