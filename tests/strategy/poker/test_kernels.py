from __future__ import annotations

import zlib
from collections import Counter
from itertools import combinations
from math import comb
from random import Random

import eval7
import numpy as np
import pytest
from numpy.typing import NDArray

from dealer.rules.cards import CARD_TEXTS
from dealer.rules.evaluation import TABLE_FILE, rank_hand
from strategy.poker.kernels import TABLE, below, keys_of, rank_of, rank_rows, rng, runouts, uniform


def test_single_hands_are_ranked_by_the_same_table() -> None:
    assert np.array_equal(np.frombuffer(zlib.decompress(TABLE_FILE.read_bytes()), "<i4"), TABLE)


def test_every_hand_of_five_cards_has_the_rank_of_the_rules() -> None:
    cards = np.fromiter(
        (card for hand in combinations(range(52), 5) for card in hand), np.int8, 5 * comb(52, 5)
    ).reshape(-1, 5)
    ranks = rank_rows(TABLE, cards)
    faces = [eval7.Card(text) for text in CARD_TEXTS]
    expected = np.fromiter(map(eval7.evaluate, map(list, combinations(faces, 5))), np.int64, len(ranks))
    assert np.array_equal(ranks, expected)
    assert Counter((ranks >> 24).tolist()) == {
        0: 1_302_540,
        1: 1_098_240,
        2: 123_552,
        3: 54_912,
        4: 10_200,
        5: 5_108,
        6: 3_744,
        7: 624,
        8: 40,
    }


@pytest.mark.parametrize("count", range(1, 8))
def test_ranks_are_those_of_the_rules(count: int) -> None:
    random = Random(count)
    cards = np.array([random.sample(range(52), count) for _ in range(20_000)], np.int8)
    assert rank_rows(TABLE, cards).tolist() == [rank_hand(row) for row in cards.tolist()]


def test_seven_cards_of_few_ranks_and_suits() -> None:
    # Quads with trips, three pairs, two trips, flushes of six and seven: rare among random cards.
    for deck in (range(12), [card for card in range(52) if card & 3 < 1] + [2, 7]):
        cards = np.array(list(combinations(deck, 7)), np.int8)
        assert rank_rows(TABLE, cards).tolist() == [rank_hand(row) for row in cards.tolist()]


def test_keys_of_parts_add_up() -> None:
    cards = Random(3).sample(range(52), 7)
    (key, mask), (other_key, other_mask) = keys_of(cards[:3]), keys_of(cards[3:])
    assert rank_of(TABLE, key + other_key, mask | other_mask) == rank_hand(cards)
    assert keys_of(()) == (0, 0)


@pytest.mark.parametrize(("known", "cards"), [(5, 0), (5, 1), (5, 2), (6, 1), (47, 5), (49, 3), (50, 3)])
def test_futures_are_all_sets_of_unknown_cards(known: int, cards: int) -> None:
    keys, masks = runouts(keys_of(range(known))[1], cards)
    expected = {keys_of(rest) for rest in combinations(range(known, 52), cards)}
    assert len(keys) == len(expected) == comb(52 - known, cards)
    assert set(zip(keys.tolist(), masks.tolist(), strict=True)) == expected


def test_random_numbers_are_those_of_splitmix64() -> None:
    # The well-known first numbers for the seed 1234567.
    state: NDArray[np.uint64] = np.array([1234567], np.uint64)
    drawn = [below(state, 1 << 31) for _ in range(3)]
    assert drawn == [
        number >> 33 for number in (6457827717110365317, 3203168211198807973, 9817491932198370423)
    ]


def test_random_numbers_follow_from_the_seed() -> None:
    state, same, other = rng("a", 1), rng("a", 1), rng("a", 2)
    numbers = [uniform(state) for _ in range(1_000)]
    assert numbers == [uniform(same) for _ in range(1_000)]
    assert numbers[0] != uniform(other)
    assert all(0 <= number < 1 for number in numbers)
    assert abs(np.mean(numbers) - 0.5) < 5 / np.sqrt(12_000)


def test_integers_are_even() -> None:
    state = rng("even")
    counts = Counter(below(state, 7) for _ in range(70_000))
    assert set(counts) == set(range(7))
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts.values()) < 30  # chi-square, 6 degrees
