"""Many hands are ranked as each of them is."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from dealer.luck.ranks import CARD_BITS, hand_bits, rank_many
from dealer.rules.evaluation import rank_hand


@pytest.mark.parametrize("count", range(1, 11))
def test_hands_of_any_number_of_cards(count: int) -> None:
    rng = Random(count)
    # Few ranks make for many pairs, straights and full houses; two suits for many flushes.
    for deck in (range(52), range(20, 52), [card for card in range(52) if card % 4 > 1]):
        hands = [rng.sample(deck, count) for _ in range(2000)]
        ranks = rank_many(np.array([hand_bits(hand) for hand in hands]))
        assert ranks.tolist() == [rank_hand(hand) for hand in hands]


def test_every_five_cards_of_a_short_deck() -> None:
    hands = list(combinations([card for card in range(28, 52) if card % 4], 5))
    ranks = rank_many(CARD_BITS[np.array(hands)].sum(1).reshape(-1, 2))
    assert ranks.shape == (len(hands) // 2, 2)
    assert ranks.ravel().tolist() == [rank_hand(hand) for hand in hands]
