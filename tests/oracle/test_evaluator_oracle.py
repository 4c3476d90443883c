"""The compiled evaluation against eval7 on every hand of seven cards."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb

import eval7
import numpy as np
import pytest

from dealer.rules.cards import CARD_TEXTS
from strategy.poker.kernels import TABLE, rank_rows

FACES = [eval7.Card(text) for text in CARD_TEXTS]


@pytest.mark.parametrize("lowest", range(46))
def test_all_hands_by_their_lowest_card(lowest: int) -> None:
    """There are 133,784,560 of them."""
    seen = 0
    for second in range(lowest + 1, 47):
        count = comb(51 - second, 5)
        rest = np.fromiter(chain.from_iterable(combinations(range(second + 1, 52), 5)), np.int8, 5 * count)
        hands = np.empty((count, 7), np.int8)
        hands[:, 0], hands[:, 1], hands[:, 2:] = lowest, second, rest.reshape(-1, 5)
        low = [FACES[lowest], FACES[second]]
        expected = np.fromiter(
            (eval7.evaluate([*low, *five]) for five in combinations(FACES[second + 1 :], 5)), np.int64, count
        )
        assert np.array_equal(rank_rows(TABLE, hands), expected)
        seen += count
    assert seen == comb(51 - lowest, 6)
