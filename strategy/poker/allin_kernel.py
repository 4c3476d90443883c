"""Counts for ``allin`` and the ties: how often each class of hands beats each other, over all boards.

On one board the hands are processed from worst to best. Running counts per class of the weaker hands give the
wins; counts per card and class subtract the hands that share a card.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit
from strategy.poker.combos import CARDS, CLASSES
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, TABLE, Ints, Ranks
from strategy.poker.strengths import rank_hands

_COUNT = 169
_HANDS = 1326
_SUIT = 0x1FFF

Wins = NDArray[np.int32]


def count_wins() -> NDArray[np.int64]:
    """Return the wins of the first class, over all hands and boards: int64[169, 169]."""
    boards, weights = canonical_boards()
    # The largest count is 144 * C(48, 5), below 2**28.
    wins = np.zeros((_COUNT, _COUNT), np.int32)
    _count(TABLE, boards, weights, wins)
    return wins.astype(np.int64)


@jit
def canonical_boards() -> tuple[NDArray[np.int8], Ints]:
    """Return the five-card boards whose suits are in order, int8[134459, 5], and how many boards each
    represents.
    """
    boards = np.empty((134_459, 5), np.int8)
    weights = np.empty(134_459, np.int64)
    found = 0
    for a in range(52):
        for b in range(a):
            for c in range(b):
                for d in range(c):
                    for e in range(d):
                        mask = CARD_MASKS[a] | CARD_MASKS[b] | CARD_MASKS[c] | CARD_MASKS[d] | CARD_MASKS[e]
                        weight = _weight(mask)
                        if weight:
                            boards[found] = (a, b, c, d, e)
                            weights[found] = weight
                            found += 1
    return boards[:found], weights[:found]


@jit
def _weight(mask: int) -> int:
    """Return how many boards follow from one by exchanges of suits; 0 unless its suits are in descending
    order.
    """
    ways, run = 24, 1
    for suit in range(3):
        one, other = mask >> 13 * suit & _SUIT, mask >> 13 * (suit + 1) & _SUIT
        if one < other:
            return 0
        run = run + 1 if one == other else 1
        ways //= run
    return ways


@jit
def _count(table: Ranks, boards: NDArray[np.int8], weights: Ints, wins: Wins) -> None:
    hands, ranks = np.empty(_HANDS, np.int64), np.empty(_HANDS, np.int64)
    below = np.empty(_COUNT, np.int32)
    with_card = np.empty((52, _COUNT), np.int32)
    for board in range(len(boards)):
        key = mask = 0
        for card in boards[board]:
            key += CARD_KEYS[card]
            mask |= CARD_MASKS[card]
        live = rank_hands(table, key, mask, hands, ranks)
        order = np.argsort(ranks[:live])
        below[:] = 0
        with_card[:] = 0
        weight = np.int32(weights[board])
        counted = 0
        for place in range(live):
            hand = hands[order[place]]
            # Hands of the same rank are counted when the next rank begins.
            while ranks[order[counted]] < ranks[order[place]]:
                beaten = hands[order[counted]]
                below[CLASSES[beaten]] += 1
                with_card[CARDS[beaten, 0], CLASSES[beaten]] += 1
                with_card[CARDS[beaten, 1], CLASSES[beaten]] += 1
                counted += 1
            low, high = with_card[CARDS[hand, 0]], with_card[CARDS[hand, 1]]
            row = wins[CLASSES[hand]]
            for other in range(_COUNT):
                row[other] += weight * (below[other] - low[other] - high[other])
