"""The abstraction of all hands at once, and of weighed deals."""

from __future__ import annotations

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from strategy.abstraction.abstraction import load_abstraction
from strategy.abstraction.deals import count_weighted_deals
from strategy.poker.allin import all_in_table
from strategy.poker.combos import CLASSES, card_mask, combo_index, live
from strategy.poker.preflop import HAND_CLASSES
from strategy.poker.strengths import Strengths, all_sums, make_strengths, place_of, sum_of
from strategy.poker.suits import RENAMED
from tests.strategy.cfr.test_abstraction import BOARD


@pytest.fixture(scope="module")
def strengths() -> Strengths:
    return make_strengths()


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_all_hands_at_once_are_the_same(strengths: Strengths, cards: int) -> None:
    board = BOARD[:cards]
    sums = all_sums(board)
    assert not sums[~live(board)].any()
    for text in ("AhKh", "Th8c", "4c4s", "3s2d"):
        hole = parse_cards(text)
        assert sums[combo_index(*hole)] == sum_of(hole, board)
    if cards < 5:
        place, code = place_of(strengths.boards[cards - 3], card_mask(board))
        assert np.array_equal(strengths.sums[cards - 3][place, RENAMED[code]], sums)


def test_weighed_deals_are_of_the_hands_that_are_held(strengths: Strengths) -> None:
    abstraction, ranges = load_abstraction(5), np.zeros((2, 1326))
    classes = [HAND_CLASSES.index(name) for name in ("AA", "KK", "AKs")]
    ranges[0] = np.equal(CLASSES, classes[0])
    ranges[1] = np.equal(CLASSES, classes[1]) + 3.0 * np.equal(CLASSES, classes[2])
    deals = count_weighted_deals(abstraction, strengths, ranges, boards=20_000, seed=1)
    again = count_weighted_deals(abstraction, strengths, ranges, boards=20_000, seed=1)
    assert np.array_equal(deals.counts, again.counts)
    # The first digit of a state is the bucket before the flop: only what is held is dealt.
    held = [int(abstraction.preflop[number]) for number in classes]
    met = deals.counts.reshape(5, 125, 5, 125).sum(axis=(1, 3))
    assert met[held[0], sorted(set(held[1:]))].sum() == pytest.approx(met.sum())
    # So often aces win all-in.
    table = all_in_table()
    pairs = table.pairs[classes[0], classes[1:]] * [1, 3]
    won = (pairs * (2 * table.equity[classes[0], classes[1:]] - 1)).sum() / pairs.sum()
    assert deals.wins.sum() / deals.counts.sum() == pytest.approx(won, abs=0.005)
