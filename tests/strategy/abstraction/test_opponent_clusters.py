"""Hands on the river by how they do against groups of opposing hands."""

from __future__ import annotations

import numpy as np
import pytest

from strategy.abstraction.opponent_clusters import (
    GROUPS,
    Groups,
    fit_rivers,
    opponent_groups,
    river_rows,
    river_states,
)
from strategy.poker.combos import CARDS, CLASSES, combo_index, live
from strategy.poker.kernels import HAND_KEYS, HAND_MASKS, TABLE, keys_of, rank_of

BOARD = [0, 5, 22, 33, 50]


@pytest.fixture(scope="module")
def groups() -> Groups:
    return opponent_groups(1)


def test_hands_of_a_class_are_in_one_group_and_aces_not_with_seven_two(groups: Groups) -> None:
    for number in range(169):
        assert len(set(groups[number == CLASSES])) == 1
    aces, worst = combo_index(48, 49), combo_index(0, 21)
    assert groups[aces] == GROUPS - 1
    assert groups[worst] == 0


def test_a_row_is_what_each_group_wins_counted_hand_by_hand(groups: Groups) -> None:
    key, mask = keys_of(BOARD)
    hands = np.flatnonzero(live(BOARD)).tolist()
    rank = {hand: rank_of(TABLE, int(HAND_KEYS[hand]) + key, int(HAND_MASKS[hand]) | mask) for hand in hands}
    rows = river_rows(BOARD, groups)
    for hand in hands[::97]:
        for group in range(GROUPS):
            met = [one for one in hands if groups[one] == group and not HAND_MASKS[one] & HAND_MASKS[hand]]
            won = sum((rank[one] > rank[hand]) + 0.5 * (rank[one] == rank[hand]) for one in met)
            assert abs(rows[hand, group] - won / len(met)) < 1e-6


def test_better_hands_are_in_later_clusters(groups: Groups) -> None:
    centres = fit_rivers(50, groups, 1)
    states = river_states(BOARD, groups, centres)
    # The board is 2c 3d 7h Th Ah: three aces beat a pair of tens, and that a king high.
    cards = [tuple(sorted(hand)) for hand in ((48, 49), (32, 35), (44, 3))]
    found = [int(states[[tuple(sorted(c)) for c in CARDS.tolist()].index(hand)]) for hand in cards]
    assert sorted(found, reverse=True) == found
    assert states[combo_index(0, 1)] == -1
