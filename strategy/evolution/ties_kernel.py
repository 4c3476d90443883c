"""The count behind ``ties``: over all boards, how often each class of hands beats each other.

As in ``strategy.poker.allin_kernel``, but a hand meets only those below it: there are no points for ties.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.poker.allin import CLASSES as COUNT
from strategy.poker.allin_kernel import canonical_boards
from strategy.poker.combos import CARDS, CLASSES, HANDS
from strategy.poker.jit import jit
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, HAND_KEYS, HAND_MASKS, TABLE, Ints, Ranks, rank_of

__all__ = ["count_wins"]


def count_wins() -> NDArray[np.int64]:
    """Wins of the first class, over all hands and boards: int64[169, 169]."""
    boards, weights = canonical_boards()
    # The largest count is 144 * C(48, 5), below 2**28.
    wins = np.zeros((COUNT, COUNT), np.int32)
    _count(TABLE, boards, weights, wins)
    return wins.astype(np.int64)


@jit
def _count(table: Ranks, boards: NDArray[np.int8], weights: Ints, wins: NDArray[np.int32]) -> None:
    hands, ranks = np.empty(HANDS, np.int64), np.empty(HANDS, np.int64)
    below = np.empty(COUNT, np.int32)
    with_card = np.empty((52, COUNT), np.int32)
    for board in range(len(boards)):
        key = mask = 0
        for card in boards[board]:
            key += CARD_KEYS[card]
            mask |= CARD_MASKS[card]
        live = 0
        for hand in range(HANDS):
            if not HAND_MASKS[hand] & mask:
                hands[live] = hand
                ranks[live] = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand])
                live += 1
        order = np.argsort(ranks[:live])
        below[:] = 0
        with_card[:] = 0
        weight = np.int32(weights[board])
        counted = 0
        for place in range(live):
            hand = hands[order[place]]
            # Those of the same rank are counted when the next rank begins.
            while ranks[order[counted]] < ranks[order[place]]:
                beaten = hands[order[counted]]
                below[CLASSES[beaten]] += 1
                with_card[CARDS[beaten, 0], CLASSES[beaten]] += 1
                with_card[CARDS[beaten, 1], CLASSES[beaten]] += 1
                counted += 1
            low, high = with_card[CARDS[hand, 0]], with_card[CARDS[hand, 1]]
            row = wins[CLASSES[hand]]
            for other in range(COUNT):
                row[other] += weight * (below[other] - low[other] - high[other])
