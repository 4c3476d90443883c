"""Rank many hands at once, as ``dealer.rules.evaluation.rank_hand`` ranks one.

A hand is a set of cards in 52 bits, 13 for each suit, from its deuce up. What a suit's set of ranks is worth
comes from tables of all 8,192 of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Hands = NDArray[np.int64]
"""Sets of cards, of any shape."""

_SUIT: Final = (1 << 13) - 1
_STRAIGHTS: Final = (*(0b11111 << low for low in range(8, -1, -1)), 0b1000000001111)
_PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH = (
    category << 24 for category in range(1, 9)
)


class _Tables(NamedTuple):
    """By set of ranks: how many they are; the one, two and three highest, four bits each, the first in bits
    16 to 19; the bits of the one and of the two highest; what the set is worth if no rank comes twice, and
    in one suit (0 without a flush).
    """

    size: Hands
    highest: tuple[Hands, Hands, Hands]
    top: Hands
    top_two: Hands
    single: Hands
    suited: Hands


@cache
def _tables() -> _Tables:
    sets = np.arange(1 << 13)
    count = sum((sets >> rank & 1 for rank in range(13)), np.zeros_like(sets))
    # One rank after the other is taken off the top.
    tops, codes, left, code = [], [], sets, np.zeros_like(sets)
    for shift in (16, 12, 8, 4, 0):
        rank = np.full_like(sets, -1)
        for one in range(13):
            rank[left >> one & 1 == 1] = one
        top = np.where(rank < 0, 0, 1 << np.maximum(rank, 0)).astype(np.int64)
        left, code = left ^ top, code | np.maximum(rank, 0) << shift
        tops.append(top)
        codes.append(code)
    straight = np.zeros_like(sets)
    for number, run in reversed(list(enumerate(_STRAIGHTS))):
        straight[sets & run == run] = 12 - number << 16
    is_straight = straight > 0
    single = np.where(is_straight, _STRAIGHT | straight, codes[4])
    flush = np.where(is_straight, _STRAIGHT_FLUSH | straight, _FLUSH | codes[4])
    suited = np.where(count >= 5, flush, 0)
    return _Tables(count, (codes[0], codes[1], codes[2]), tops[0], tops[0] | tops[1], single, suited)


def hand_bits(cards: Iterable[int]) -> int:
    """Return a hand as a set of bits."""
    return sum([1 << card % 4 * 13 + card // 4 for card in cards])


CARD_BITS: Final[Hands] = np.array([hand_bits([card]) for card in range(52)], np.int64)
"""The bit of each card."""


def rank_many(hands: Hands) -> Hands:
    """Return the rank of each hand of 1 to 10 cards, in the same shape: ``rank_hand``'s."""
    tables = _tables()
    one, two, three = tables.highest
    suits = [hands >> shift & _SUIT for shift in (0, 13, 26, 39)]
    a, b, c, d = suits
    any_ab, any_cd, both_ab, both_cd = a | b, c | d, a & b, c & d
    ranks = any_ab | any_cd
    pairs = both_ab | both_cd | any_ab & any_cd
    threes = both_ab & any_cd | both_cd & any_ab
    best: Hands = tables.single[ranks]
    for suit in suits:
        np.maximum(best, tables.suited[suit], out=best)
    top = tables.top[pairs]
    worth = _PAIR | one[pairs] | three[ranks ^ top] >> 4
    top = tables.top_two[pairs]
    twice = tables.size[pairs] > 1
    worth = np.where(twice, _TWO_PAIR | two[pairs] | one[ranks ^ top] >> 8, worth)
    np.maximum(best, worth, out=best, where=pairs > 0)
    thrice = threes > 0
    if thrice.any():
        top = tables.top[threes]
        worth = np.where(
            twice,
            _FULL_HOUSE | one[threes] | one[pairs ^ top] >> 4,
            _TRIPS | one[threes] | two[ranks ^ top] >> 4,
        )
        np.maximum(best, worth, out=best, where=thrice)
        fours = both_ab & both_cd
        worth = _QUADS | one[fours] | one[ranks ^ tables.top[fours]] >> 4
        np.maximum(best, worth, out=best, where=fours > 0)
    return best
