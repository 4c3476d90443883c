"""V against the printed table and the bands (Aceituno 2017, 4.2.1)."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.evaluation import CATEGORIES, rank_hand
from strategy.adaptive.value import ORDER, postflop_value, preflop_value, value
from strategy.poker.preflop import HAND_CLASSES, hand_class

#: Number, class and V as the document prints them.
PRINTED = [line.split() for line in (Path(__file__).parent / "figure12.txt").read_text().splitlines()]


def hand(name: str) -> tuple[int, ...]:
    """Two cards of a class."""
    return parse_cards(f"{name[0]}h{name[1]}{'h' if name.endswith('s') else 'd'}")


@pytest.mark.parametrize(("number", "printed"), [(int(row[0]), row[2]) for row in PRINTED])
def test_every_row_of_the_preflop_table(number: int, printed: str) -> None:
    assert f"{preflop_value(hand(ORDER[number - 1])):.4f}" == printed


def test_the_order_has_all_169_classes_and_differs_from_the_print_in_its_two_errors_only() -> None:
    assert sorted(ORDER) == sorted(HAND_CLASSES)
    twice = {name for name, times in Counter(row[1] for row in PRINTED).items() if times == 2}
    assert twice == {"JTs", "32s"}
    wrong = {row[0]: ORDER[int(row[0]) - 1] for row in PRINTED if row[1] != ORDER[int(row[0]) - 1]}
    assert wrong == {"47": "JTo", "159": "32o"}


def test_the_value_of_two_cards_does_not_depend_on_their_order() -> None:
    for first in range(52):
        for second in range(first):
            assert preflop_value((first, second)) == preflop_value((second, first))


def test_suited_is_always_better() -> None:
    for name in HAND_CLASSES:
        if name.endswith("s"):
            assert preflop_value(hand(name)) > preflop_value(hand(f"{name[:2]}o"))


@pytest.mark.parametrize(
    ("cards", "low", "high"),
    [
        ("AhKhQhJhTh", 0.9, 1.0),
        ("5h4h3h2hAh", 0.9, 1.0),
        ("AhAdAcAsKs", 0.8, 0.9),
        ("TcThTdJcJh", 0.7, 0.8),
        ("AhJh9h5h3h", 0.6, 0.7),
        ("AhKdQcJsTh", 0.5, 0.6),
        ("5h4d3c2sAh", 0.5, 0.6),
        ("7h7d7cKsAh", 0.4, 0.5),
        ("7h7dKcKsAh", 0.3, 0.4),
        ("7h7dKcQsAh", 0.2, 0.3),
        ("7h5dKcQsAh", 0.1, 0.2),
    ],
)
def test_every_category_has_its_band(cards: str, low: float, high: float) -> None:
    assert low < postflop_value(parse_cards(cards)) <= high + 1e-12


def test_the_examples_within_a_band() -> None:
    assert postflop_value(parse_cards("AhAdAcAs2s")) > postflop_value(parse_cards("3h3d3c3sAs"))
    assert postflop_value(parse_cards("TcThTdJcJh")) > postflop_value(parse_cards("5c5h5dAcAh"))


def test_a_royal_flush_is_worth_1_and_the_worst_five_cards_just_above_a_tenth() -> None:
    assert postflop_value(parse_cards("AhKhQhJhTh2c3d")) == 1
    assert postflop_value(parse_cards("7h5d4c3s2h")) == pytest.approx(0.1 + 0.1 / 1277)


@pytest.mark.parametrize("count", [5, 6, 7])
def test_a_better_hand_has_the_higher_value(count: int) -> None:
    random = Random(count)
    hands = [random.sample(range(52), count) for _ in range(3000)]
    ranked = sorted((rank_hand(cards), postflop_value(cards)) for cards in hands)
    for (rank, worth), (better, more) in pairwise(ranked):
        assert (worth < more) == (rank < better)
        band = (rank >> 24) + 1
        assert band / 10 < worth <= (band + 1) / 10 + 1e-12, CATEGORIES[rank >> 24]


def test_the_board_decides_which_table_is_used() -> None:
    hole, board = parse_cards("AhKh"), parse_cards("QhJhTh")
    assert value(hole, ()) == preflop_value(hole)
    assert value(hole, board) == postflop_value((*hole, *board)) == 1
    assert hand_class(hole) == "AKs"
