from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import prod
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from dealer.rules.cards import CARD_TEXTS, parse_cards
from strategy.poker.combos import CARDS, MathError, combo_index, parse_range, uniform
from strategy.poker.equity import exact_equity as slow_equity
from strategy.poker.strength import (
    Field,
    exact_equity,
    field,
    full_ehs,
    hand_strength,
    optimistic_ehs,
    potential,
)
from tests.strategy.poker.slow import ReferenceSpot, all_values, outcomes, random_weights, spot

HOLE, FLOP = parse_cards("AdQc"), parse_cards("3h4cJh")


def test_papps_example_in_every_cell() -> None:
    # Papp 1998, 5.2 and 5.3.
    assert field(HOLE, FLOP) == (628, 9, 444)
    assert hand_strength(HOLE, FLOP) == pytest.approx(0.5851, abs=5e-5)
    assert hand_strength(HOLE, FLOP, opponents=5) == pytest.approx(0.0686, abs=5e-5)
    one, two = potential(HOLE, FLOP, 1), potential(HOLE, FLOP, 2)
    assert one.table.tolist() == [[24126, 0, 4134], [0, 396, 9], [2186, 0, 17794]]
    assert two.table.tolist() == [[449005, 3211, 169504], [0, 8370, 540], [91981, 1036, 346543]]
    assert one.table.sum() == 48_645
    assert two.table.sum() == 1_070_190
    assert (one.ppot, one.npot) == pytest.approx((0.1083, 0.1454), abs=5e-5)
    assert (two.ppot, two.npot) == pytest.approx((0.2083, 0.2737), abs=5e-5)
    hs = hand_strength(HOLE, FLOP)
    assert optimistic_ehs(hs, two.ppot) == pytest.approx(0.6715, abs=5e-5)
    assert full_ehs(hs, two.ppot, two.npot) == pytest.approx(0.5114, abs=5e-5)


def test_a_turn_has_so_many_cases() -> None:
    # 46 rivers for C(45, 2) hands. Papp's 43,560 are 44 rivers for as many.
    assert potential(HOLE, (*FLOP, 51), 1).table.sum() == 45_540


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("board", [3, 4, 5])
def test_one_card_is_what_the_definitions_say(seed: int, board: int) -> None:
    hole, cards = spot(Random(f"{seed} {board}"), board)
    weights = random_weights(seed) if seed % 2 else np.ones(1326)
    ahead = 0 if board == 5 else 1
    found = potential(hole, cards, 1, weights)
    assert found.table == pytest.approx(np.array(outcomes(hole, cards, ahead, weights.tolist())))
    expected = all_values(hole, cards, ahead, weights.tolist())
    assert (hand_strength(hole, cards, weights), found.ppot, found.npot) == pytest.approx(expected)


def test_two_cards_are_what_the_definitions_say() -> None:
    # 90 hands are a quarter of a million cases for each.
    hole, flop = parse_cards("9h8h"), parse_cards("7h6c2h")
    weights = np.where(np.arange(1326) % 13 == 5, random_weights(5), 0.0)
    found = potential(hole, flop, 2, weights)
    assert found.table == pytest.approx(np.array(outcomes(hole, flop, 2, weights.tolist())))
    assert (hand_strength(hole, flop, weights), found.ppot, found.npot) == pytest.approx(
        all_values(hole, flop, 2, weights.tolist())
    )


spots = st.builds(lambda seed, board: spot(Random(seed), board), st.integers(0, 10**9), st.integers(3, 5))


@settings(deadline=None)
@given(spots, st.integers(0, 10**6))
def test_what_holds_for_every_hand(where: ReferenceSpot, seed: int) -> None:
    hole, board = where
    weights = random_weights(seed)
    now = field(hole, board, weights)
    assert now == pytest.approx(field(hole[::-1], board[::-1], weights))
    assert now.strength == pytest.approx(field(hole, board, 7 * weights).strength)
    look = potential(hole, board, 1, weights)
    assert 0 <= look.ppot <= 1
    assert 0 <= look.npot <= 1
    # Each of the opponent's hands leaves the same number of next cards.
    left = {3: 45, 4: 44, 5: 1}[len(board)]
    assert look.table.sum(axis=1) == pytest.approx(np.array(now) * left)
    # The full form is the mean strength one card later.
    assert full_ehs(now.strength, look.ppot, look.npot) == pytest.approx(look.equity)
    assert optimistic_ehs(now.strength, look.ppot) >= now.strength


def test_the_full_form_with_all_cards_is_the_equity() -> None:
    weights = random_weights(3)
    look = potential(HOLE, FLOP, 2, weights)
    hs = hand_strength(HOLE, FLOP, weights)
    equity = exact_equity(HOLE, FLOP, weights)
    assert full_ehs(hs, look.ppot, look.npot) == pytest.approx(equity) == look.equity


@pytest.mark.parametrize(("board", "others"), [("3h4cJh", "QQ+, AKs, 76s:0.5"), ("3h4cJh9s", "22+, KQ")])
def test_equity_agrees_with_another_evaluator(board: str, others: str) -> None:
    shown, weights = parse_cards(board), parse_range(others)
    won = total = 0.0
    for hand in map(tuple, CARDS[weights > 0].tolist()):
        left = [card for card in range(52) if card not in (*HOLE, *shown, *hand)]
        if len(left) == 48 - len(shown):
            for rest in combinations(left, 5 - len(shown)):
                # Lower is better.
                own, other = (
                    evaluate_cards(*(CARD_TEXTS[card] for card in (*cards, *shown, *rest)))
                    for cards in (HOLE, hand)
                )
                total += weights[combo_index(*hand)]
                won += weights[combo_index(*hand)] * (1 if own < other else 0.5 if own == other else 0)
    assert exact_equity(HOLE, shown, weights) == pytest.approx(won / total)


def test_equity_agrees_with_the_slow_way() -> None:
    river = parse_cards("3h4cJh9sQd")
    assert exact_equity(HOLE, river) == pytest.approx(slow_equity(HOLE, river, 1))
    turn = parse_cards("3h4cJh9s")
    rest = [card for card in range(52) if card not in (*HOLE, *turn)]
    rivers = [slow_equity(HOLE, (*turn, card), 1) for card in rest]
    assert exact_equity(HOLE, turn) == pytest.approx(sum(rivers) / len(rivers))


def test_a_flop_that_decides_all() -> None:
    royal = parse_cards("AhKh"), parse_cards("QhJhTh")
    assert field(*royal) == (1081, 0, 0)
    look = potential(*royal, 2)
    assert (look.ppot, look.npot, look.equity) == (0, 0, 1)
    # The board plays: nobody is ahead.
    board = parse_cards("AhKhQhJhTh")
    assert field(parse_cards("2c2d"), board) == (0, 990, 0)
    assert hand_strength(parse_cards("2c2d"), board, opponents=3) == 1 / 8


def test_a_tie_that_can_be_won_counts_half() -> None:
    # The same straight, but only one hand can make a flush.
    freeroll = parse_cards("9h8h"), parse_cards("7hTh6c")
    weights = parse_range("9c8d")
    look = potential(*freeroll, 1, weights)
    # Two hearts on the board and two in the hand leave nine.
    assert look.table.tolist() == [[0, 0, 0], [9, 36, 0], [0, 0, 0]]
    assert (look.ppot, look.npot) == pytest.approx((9 / 45, 0))


def test_the_field_of_several_opponents() -> None:
    tables = [random_weights(seed) for seed in range(3)]
    expected = prod(hand_strength(HOLE, FLOP, table) for table in tables)
    assert hand_strength(HOLE, FLOP, np.array(tables), 3) == pytest.approx(expected)
    assert hand_strength(HOLE, FLOP, tables[0], 3) == pytest.approx(hand_strength(HOLE, FLOP, tables[0]) ** 3)


def test_hands_with_known_cards_have_no_weight() -> None:
    weights = uniform((*HOLE, *FLOP))
    weights[combo_index(*HOLE)] = 1e9
    assert field(HOLE, FLOP, weights) == field(HOLE, FLOP)


def test_the_river_moves_nothing() -> None:
    look = potential(HOLE, parse_cards("3h4cJh9sQd"), 2)
    assert (look.ppot, look.npot) == (0, 0)
    assert look.equity == hand_strength(HOLE, parse_cards("3h4cJh9sQd"))


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(MathError) as refused:
        call()
    return refused.value.code


def test_what_has_no_answer_is_refused() -> None:
    assert code_of(lambda: potential(HOLE, (*FLOP, 0), 2)) == "bad_look_ahead"
    assert code_of(lambda: potential(HOLE, FLOP, 3)) == "bad_look_ahead"
    assert code_of(lambda: field(HOLE[:1], FLOP)) == "bad_hole"
    assert code_of(lambda: field(HOLE, FLOP[:2])) == "bad_board"
    assert code_of(lambda: field(HOLE, ())) == "bad_board"
    assert code_of(lambda: exact_equity(HOLE, range(6))) == "bad_board"
    assert code_of(lambda: field(HOLE, (*FLOP[:2], HOLE[0]))) == "duplicate_card"
    assert code_of(lambda: field(HOLE, (*FLOP, 52))) == "bad_card"
    assert code_of(lambda: field(HOLE, (*FLOP, -1))) == "bad_card"
    assert code_of(lambda: hand_strength(HOLE, FLOP, opponents=0)) == "bad_opponents"
    assert code_of(lambda: hand_strength(HOLE, FLOP, np.ones((2, 1326)), 3)) == "bad_weights"
    assert code_of(lambda: hand_strength(HOLE, FLOP, np.zeros(1326))) == "no_live_hand"
    assert code_of(lambda: Field(0, 0, 0).strength) == "no_live_hand"
    assert code_of(lambda: potential(HOLE, FLOP, 1, parse_range("AdKd")).equity) == "no_live_hand"
