from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.cards import parse_cards
from strategy.poker.combos import (
    CARDS,
    CLASSES,
    HANDS,
    MASKS,
    MathError,
    as_weights,
    card_mask,
    combo_index,
    format_range,
    live,
    parse_range,
    per_class,
    uniform,
)
from strategy.poker.preflop import HAND_CLASSES, class_combinations, hand_class


def test_every_pair_of_cards_is_a_hand() -> None:
    pairs = list(combinations(range(52), 2))
    assert len(CARDS) == HANDS == len(pairs)
    for low, high in pairs:
        hand = combo_index(low, high)
        assert hand == combo_index(high, low)
        assert CARDS[hand].tolist() == [low, high]
        assert HAND_CLASSES[CLASSES[hand]] == hand_class((low, high))
        assert MASKS[hand] == card_mask((low, high))


def test_hands_share_a_card_if_their_masks_do() -> None:
    hand = combo_index(*parse_cards("AdQc"))
    shared = np.flatnonzero(MASKS & MASKS[hand])
    assert {tuple(CARDS[other]) for other in shared} == {
        tuple(sorted(pair)) for pair in combinations(range(52), 2) if set(pair) & set(parse_cards("AdQc"))
    }


@pytest.mark.parametrize(("dead", "count"), [(0, 1326), (2, 1225), (3, 1176), (5, 1081), (6, 1035), (7, 990)])
def test_live_hands(dead: int, count: int) -> None:
    cards = range(3, 3 + dead)
    assert live(cards).sum() == uniform(cards).sum() == count
    assert not any(set(hand) & set(cards) for hand in CARDS[live(cards)].tolist())


def test_values_of_classes_are_spread_over_their_hands() -> None:
    counts = np.bincount(CLASSES, minlength=169)
    assert counts.tolist() == [class_combinations(name) for name in HAND_CLASSES]
    assert per_class(counts)[combo_index(*parse_cards("AsAh"))] == 6


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("AKs", "AKs"),
        ("AK", "AKs AKo"),
        ("KA", "AKs AKo"),
        ("QQ+", "QQ KK AA"),
        ("22-44", "22 33 44"),
        ("A9s+", "A9s ATs AJs AQs AKs"),
        ("AKs+", "AKs"),
        ("A2s-A4s", "A2s A3s A4s"),
        ("87s-65s", "87s 76s 65s"),
        ("65s-87s", "87s 76s 65s"),
        ("J9o-97o", "J9o T8o 97o"),
        ("QQ+, AKs", "QQ KK AA AKs"),
        (" QQ+ ,, AKs ,", "QQ KK AA AKs"),
        ("", ""),
        ("*", " ".join(HAND_CLASSES)),
    ],
)
def test_ranges(text: str, classes: str) -> None:
    expected = per_class([float(name in classes.split()) for name in HAND_CLASSES])
    assert np.array_equal(parse_range(text), expected)


def test_hands_and_weights_in_ranges() -> None:
    table = parse_range("*:0.25, AA:0.5, AhAd, KsQs:0")
    assert table[combo_index(*parse_cards("AdAh"))] == 1
    assert table[combo_index(*parse_cards("AdAs"))] == 0.5
    assert table[combo_index(*parse_cards("KsQs"))] == 0
    assert table.sum() == pytest.approx(0.25 * 1319 + 0.5 * 5 + 1)


@pytest.mark.parametrize(
    "text",
    ["AX", "AAs", "A", "AKQ", "AKs-QJo", "AKs-QTs", "AhAh", "Ah", "AK:x", "AK:-1", "AK:inf", "AK:nan", "QQ++",
     "AKs-", "**", "AA KK"],
)  # fmt: skip
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(MathError) as refused:
        parse_range(text)
    assert refused.value.code == "bad_range"


def test_ranges_are_written_briefly() -> None:
    for text in ("QQ+, AKs", "JJ-99, 77, A5s-A2s, KQs, A2o+, 7s6s", "*", "", "*:0.5", "AA, KK:0.5, AhKh:0.1"):
        assert format_range(parse_range(text)) == text
    assert format_range(parse_range("87s-65s, AK")) == "AKs, 87s, 76s, 65s, AKo"


@given(st.dictionaries(st.integers(0, 1325), st.sampled_from([0.0, 0.01, 1 / 3, 1.0, 2.5])), st.booleans())
def test_a_table_is_read_as_it_was_written(weights: dict[int, float], rest: bool) -> None:
    table = np.full(HANDS, float(rest))
    for hand, weight in weights.items():
        table[hand] = weight
    assert np.array_equal(parse_range(format_range(table)), table)


@pytest.mark.parametrize("weights", [[1.0], np.ones((2, 1326)), np.full(1326, -1.0), np.full(1326, np.nan)])
def test_what_is_no_table_is_refused(weights: np.typing.ArrayLike) -> None:
    with pytest.raises(MathError) as refused:
        as_weights(weights)
    assert refused.value.code == "bad_weights"
