from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer.rules.cards import parse_cards
from strategy.poker.batch import all_potentials, all_strengths, next_card_strengths
from strategy.poker.combos import CARDS, MathError, combo_index, live, parse_range
from strategy.poker.strength import hand_strength, potential
from tests.strategy.poker.slow import random_weights

BOARDS = ("3h4cJh", "2h2d2c", "8h9hTh", "3h4c5h6h", "KcKdQhQs", "3h4cJh9sQd", "AhKhQhJhTh")
"""Draws, many ties, conflicts of suits and ranks, a board that plays."""


@pytest.mark.parametrize("dead", ["", "AdQc"])
@pytest.mark.parametrize("board", BOARDS)
def test_all_at_once_are_what_each_is_alone(board: str, dead: str) -> None:
    shown, gone = parse_cards(board), parse_cards(dead)
    weights = random_weights(len(board))
    strengths = all_strengths(shown, weights, gone)
    ppots, npots = all_potentials(shown, weights, gone)
    free = live((*shown, *gone))
    assert not np.any(strengths[~free])
    assert not np.any(ppots[~free])
    assert not np.any(npots[~free])
    for hand in np.flatnonzero(free)[:: 17 if dead else 7]:
        hole = CARDS[hand].tolist()
        seen = weights * live(gone)
        assert strengths[hand] == pytest.approx(hand_strength(hole, shown, seen))
        if not gone:
            look = potential(hole, shown, 1, weights)
            assert (ppots[hand], npots[hand]) == pytest.approx((look.ppot, look.npot), abs=1e-9)


@pytest.mark.parametrize("text", ["AhKh2c", "7c7d7s", "2c3c4c5c", "TsJsQd2h"])
def test_the_next_card_is_any_that_may_come(text: str) -> None:
    board = parse_cards(text)
    boards = [(*board, card) for card in range(52) if card not in board]
    total = np.sum([all_strengths(one) for one in boards], axis=0)
    expected = total[live(board)] / np.sum([live(one) for one in boards], axis=0)[live(board)]
    found = next_card_strengths(board)
    assert found[live(board)] == pytest.approx(expected, abs=1e-9)
    assert not found[~live(board)].any()


def test_dead_cards_do_not_come() -> None:
    board, dead, hole = parse_cards("7h6c2h"), parse_cards("Th5s"), parse_cards("9h8h")
    weights = parse_range("AsAc")
    ppots, npots = all_potentials(board, weights, dead)
    # Nine hearts less a dead one, three more tens and two more fives: 13 of 43 cards win.
    hand = combo_index(*hole)
    assert all_strengths(board, weights, dead)[hand] == 0
    assert ppots[hand] == pytest.approx(13 / 43)
    assert npots[hand] == 0


def test_two_cards_for_all_hands() -> None:
    board, weights = parse_cards("3h4cJh"), random_weights(1)
    ppots, npots = all_potentials(board, weights, cards=2)
    for hole in (parse_cards("AdQc"), parse_cards("9h8h"), parse_cards("3c3d")):
        look = potential(hole, board, 2, weights)
        hand = combo_index(*hole)
        assert (ppots[hand], npots[hand]) == pytest.approx((look.ppot, look.npot), abs=1e-9)


@settings(deadline=None, max_examples=25)
@given(st.permutations(range(52)), st.integers(3, 5), st.integers(0, 10**6))
def test_what_one_gains_another_loses(cards: list[int], count: int, seed: int) -> None:
    board, weights = cards[:count], random_weights(seed)
    strengths = all_strengths(board)
    free = live(board)
    # Every pair of hands without a common card gives one of them one point, or each a half.
    assert strengths[free].mean() == pytest.approx(0.5)
    ppots, npots = all_potentials(board, weights)
    for values in (all_strengths(board, weights), ppots, npots):
        assert np.all((values >= 0) & (values <= 1))


def test_hands_without_opponent() -> None:
    board = parse_cards("3h4cJh")
    aces = parse_range("AsAh")
    strengths = all_strengths(board, aces)
    ppots, npots = all_potentials(board, aces)
    for hole, expected in (("AsKs", 0.5), ("AhAs", 0.5), ("AcAd", 0.5), ("JcJd", 1.0), ("2c2d", 0.0)):
        hand = combo_index(*parse_cards(hole))
        assert strengths[hand] == expected
    assert ppots[combo_index(*parse_cards("AsKs"))] == npots[combo_index(*parse_cards("AsKs"))] == 0


def test_the_river_moves_nothing() -> None:
    ppots, npots = all_potentials(parse_cards("3h4cJh9sQd"))
    assert not np.any(ppots)
    assert not np.any(npots)


@pytest.mark.parametrize(
    ("board", "dead", "cards", "code"),
    [
        ("3h4c", "", 1, "bad_board"),
        ("3h4cJh", "3h", 1, "duplicate_card"),
        ("3h4cJh9s", "", 2, "bad_look_ahead"),
        ("3h4cJh", "", 0, "bad_look_ahead"),
    ],
)
def test_what_has_no_answer_is_refused(board: str, dead: str, cards: int, code: str) -> None:
    with pytest.raises(MathError) as refused:
        all_potentials(parse_cards(board), None, parse_cards(dead), cards=cards)
    assert refused.value.code == code
