from __future__ import annotations

from collections import Counter
from itertools import product
from math import sqrt
from random import Random

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from strategy.poker.combos import CARDS, HANDS, MASKS, MathError, Weights, combo_index, parse_range, uniform
from strategy.poker.dealing import cumulative, deal_cards, deal_hands, sampled_equity
from strategy.poker.equity import sampled_equity as slow_equity
from strategy.poker.kernels import CARD_MASKS, keys_of, rng
from strategy.poker.preflop import preflop_equity
from strategy.poker.strength import exact_equity
from tests.strategy.poker.slow import random_weights

HOLE, FLOP = parse_cards("AdQc"), parse_cards("3h4cJh")
KNOWN = keys_of((*HOLE, *FLOP))[1]


def deals(tables: list[Weights], count: int, seed: int = 1) -> list[tuple[int, ...]]:
    state, sums = rng("deals", seed), cumulative(tables, (*HOLE, *FLOP))
    hands = np.zeros(len(tables), np.int64)
    found = []
    for _ in range(count):
        assert deal_hands(state, sums, KNOWN, hands)
        found.append(tuple(hands.tolist()))
    return found


def test_hands_never_share_a_card() -> None:
    for dealt in deals([random_weights(seed) for seed in range(9)], 200):
        cards = [card for hand in dealt for card in CARDS[hand].tolist()]
        assert len({*cards, *HOLE, *FLOP}) == 18 + 5


def test_hands_come_in_proportion_to_the_product_of_their_weights() -> None:
    tables = [parse_range("AsAh, AhKh:2, KsKc:0.5"), parse_range("AhKc, KsKd:3, 2c2d")]
    expected = {
        (one, other): float(tables[0][one] * tables[1][other])
        for one, other in product(range(HANDS), repeat=2)
        if tables[0][one] * tables[1][other] and not MASKS[one] & MASKS[other]
    }
    count = 20_000
    found = Counter(deals(tables, count))
    assert set(found) == set(expected)
    total = sum(expected.values())
    chi_square = sum(
        (found[pair] - count * weight / total) ** 2 / (count * weight / total)
        for pair, weight in expected.items()
    )
    assert len(expected) == 5
    assert chi_square < 24  # 4 degrees of freedom: once in 10,000


def test_hands_follow_from_the_seed() -> None:
    tables = [random_weights(1), random_weights(2)]
    assert deals(tables, 20) == deals(tables, 20)
    assert deals(tables, 20) != deals(tables, 20, seed=2)


def test_tables_that_hardly_go_together() -> None:
    # Two of three must have one of their unlikely hands: never by chance, only when they draw in turn.
    wanted, rest = ("AsAh", "AsAc", "AsKd"), ("KsKh", "QsQh", "JsTh")
    tables = [parse_range(one) + 1e-9 * parse_range(other) for one, other in zip(wanted, rest, strict=True)]
    for dealt in deals(tables, 20):
        assert len({card for hand in dealt for card in CARDS[hand].tolist()}) == 6


def test_tables_that_cannot_go_together() -> None:
    sums = cumulative([parse_range("AsAh"), parse_range("AsKs, AhKh")])
    assert not deal_hands(rng(1), sums, 0, np.zeros(2, np.int64))
    with pytest.raises(MathError) as refused:
        sampled_equity(HOLE, (), 2, [parse_range("AsAh"), parse_range("AsKs")], state=rng(1), samples=1)
    assert refused.value.code == "no_live_hand"


def test_running_sums_leave_known_cards_out() -> None:
    sums = cumulative([np.ones(HANDS), random_weights(1)], HOLE)
    assert sums.shape == (2, HANDS)
    assert sums[0, -1] == 1225
    steps = np.diff(sums, axis=1, prepend=0)
    assert np.array_equal(steps[0], uniform(HOLE))
    for tables, code in (([parse_range("AdKd")], "no_live_hand"), ([np.ones(3)], "bad_weights")):
        with pytest.raises(MathError) as refused:
            cumulative(tables, HOLE)
        assert refused.value.code == code


def test_cards_are_dealt_evenly_from_those_unknown() -> None:
    state, counts = rng("cards"), np.zeros(52)
    for _ in range(5_000):
        key, mask = deal_cards(state, KNOWN, 5)
        cards = [card for card in range(52) if CARD_MASKS[card] & mask]
        assert (len(cards), mask & KNOWN) == (5, 0)
        assert keys_of(cards) == (key, mask)
        counts[cards] += 1
    unknown = counts[[card not in (*HOLE, *FLOP) for card in range(52)]]
    expected = 25_000 / 47
    assert ((unknown - expected) ** 2 / expected).sum() < 90  # 46 degrees of freedom


def test_samples_agree_with_enumeration() -> None:
    weights = random_weights(4)
    exact = exact_equity(HOLE, FLOP, weights)
    found = sampled_equity(HOLE, FLOP, 1, [weights], state=rng(1), samples=40_000)
    assert abs(found.value - exact) < 4 * found.error
    assert found.error == pytest.approx(sqrt(exact * (1 - exact) / 40_000), rel=0.1)


@pytest.mark.parametrize("opponents", [1, 4, 9])
@pytest.mark.parametrize("tables", [False, True], ids=["random", "uniform tables"])
def test_random_hands_agree_with_the_table_before_the_flop(opponents: int, tables: bool) -> None:
    weights = np.ones((opponents, HANDS)) if tables else None
    found = sampled_equity(HOLE, (), opponents, weights, state=rng(2), samples=20_000)
    assert abs(found.value - preflop_equity(HOLE, opponents)) < 4 * found.error + 0.001


def test_three_opponents_on_the_flop_agree_with_the_slow_way() -> None:
    found = sampled_equity(HOLE, FLOP, 3, state=rng(3), samples=40_000)
    slow = slow_equity(HOLE, FLOP, 3, random=Random(1), samples=10_000)
    assert abs(found.value - slow) < 4 * (found.error + 0.5 / sqrt(10_000))


def test_ties_of_many_are_shared() -> None:
    board = parse_cards("AhKhQhJhTh")
    found = sampled_equity(parse_cards("2c2d"), board, 4, state=rng(1), samples=100)
    assert found == pytest.approx((1 / 5, 0), abs=1e-6)


def test_an_equity_follows_from_the_seed() -> None:
    one, same, other = (sampled_equity(HOLE, FLOP, 2, state=rng(seed), samples=500) for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("opponents", [0, 23])
def test_numbers_of_opponents_are_checked(opponents: int) -> None:
    with pytest.raises(MathError) as refused:
        sampled_equity(HOLE, FLOP, opponents, state=rng(1))
    assert refused.value.code == "bad_opponents"
    with pytest.raises(MathError) as refused:
        sampled_equity(HOLE, FLOP, 2, np.ones((3, HANDS)), state=rng(1))
    assert refused.value.code == "bad_weights"


def test_an_opponent_with_one_hand() -> None:
    hand = combo_index(*parse_cards("JcJd"))
    found = sampled_equity(HOLE, FLOP, 1, [np.eye(HANDS)[hand]], state=rng(1), samples=4_000)
    assert abs(found.value - exact_equity(HOLE, FLOP, np.eye(HANDS)[hand])) <= 4 * found.error
