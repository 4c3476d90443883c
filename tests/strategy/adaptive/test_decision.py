"""P, B, S, the utility and the two cases (Aceituno 2017, 4.2.1 and 4.2.2)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.actions import CALL, FOLD, Action, parse_action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from strategy.adaptive.decision import (
    acting_order,
    action_for,
    bet_share,
    choose,
    position_share,
    raise_amount,
    stack_share,
    utility,
)
from strategy.situation import Situation, situation_at

HOLE, BOARD = parse_cards("AhKh"), parse_cards("QhJhTh9h8h")


def after(actions: str, players: int = 3, stacks: Any = 1000, rules: str = "standard") -> Situation:
    """What the player to act faces after these actions at blinds of 5 and 10."""
    betting = Betting(holdem(players, 5, 10, stack=stacks, rules=rules))
    for action in actions.split():
        betting.act(parse_action(action))
    return situation_at(betting, HOLE, BOARD[: (0, 3, 4, 5)[betting.street]])


@pytest.mark.parametrize(
    ("actions", "players", "share"),
    [
        ("c c", 2, 1 / 2),
        ("c c c", 2, 1.0),
        ("c c c", 3, 1 / 3),
        ("c c c c", 3, 2 / 3),
        ("c c c c c", 3, 1.0),
        ("", 3, 1 / 3),
        ("c", 3, 2 / 3),
        ("c c", 3, 1.0),
        ("", 2, 1 / 2),
        ("f c", 5, 2 / 4),
    ],
)
def test_position_is_the_place_in_the_order_of_speaking(actions: str, players: int, share: float) -> None:
    assert position_share(after(actions, players)) == pytest.approx(share)


def test_who_is_all_in_or_has_folded_does_not_speak() -> None:
    # The first folds, the small blind is all-in with his 30; the big blind and the button have chips left.
    situation = after("f c r30 c c", players=4, stacks=(30, 1000, 1000, 1000))
    assert situation.street == 1
    assert acting_order(situation) == [1, 3]
    assert position_share(situation) == 1 / 2


def test_positions_are_those_of_as_many_as_are_left() -> None:
    five = holdem(5, 5, 10)
    for players, first in ((2, 1), (3, 2), (4, 2)):
        preflop = after("", players)._replace(game=five)
        assert acting_order(preflop)[0] == first
        flop = after("c " * players, players)._replace(game=five)
        assert acting_order(flop)[0] == 0


def test_the_bet_s_share_of_the_pot() -> None:
    assert bet_share(0, 50) == 1
    assert bet_share(50, 200) == 0.75
    assert bet_share(200, 200) == 0
    assert bet_share(10, 8) == 0  # a big blind of 3 chips, called with 10


@given(st.lists(st.integers(0, 2000), min_size=2, max_size=10).filter(any))
def test_the_shares_of_the_stacks_sum_to_1(stacks: list[int]) -> None:
    assert sum(stack_share(stack, stacks) for stack in stacks) == pytest.approx(1)


def test_the_utility_is_the_weighted_sum() -> None:
    assert utility((0.5, 1, 0.25, 0.2), (0.6, 0.1, 0.2, 0.1)) == pytest.approx(0.3 + 0.1 + 0.05 + 0.02)


@given(
    st.tuples(*[st.floats(0, 1)] * 4),
    st.tuples(*[st.floats(0, 1)] * 4).filter(lambda weights: sum(weights) > 0.01),
)
def test_the_utility_is_from_0_to_1(values: tuple[float, ...], given_weights: tuple[float, ...]) -> None:
    weights = [weight / sum(given_weights) for weight in given_weights]
    assert -1e-9 <= utility(values, weights) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("worth", "kind"),
    [(0.4, "call"), (0.6, "call"), (0.2, "fold"), (0.8, "raise"), (0.25, "call"), (0.75, "call")],
)
def test_case_b_with_the_thresholds_of_figure_14(worth: float, kind: str) -> None:
    assert choose(worth, 0.75, 0.25, free=False) == kind


@pytest.mark.parametrize(("worth", "kind"), [(0.1, "call"), (0.7499, "call"), (0.75, "raise"), (1, "raise")])
def test_case_a_raises_at_the_threshold_and_never_folds(worth: float, kind: str) -> None:
    assert choose(worth, 0.75, 0.25, free=True) == kind


@given(st.floats(0, 0.99), st.floats(0, 1), st.floats(0, 1), st.integers(1, 500), st.integers(0, 5000))
def test_the_size_grows_with_the_excess_within_its_bounds(
    raise_at: float, one: float, other: float, least: int, more: int
) -> None:
    low, high = sorted((one, other))
    sizes = [raise_amount(worth, raise_at, least, least + more) for worth in (low, high)]
    assert sizes == sorted(sizes)
    assert least <= sizes[0]
    assert sizes[1] <= least + more


def test_the_size_at_its_ends() -> None:
    assert raise_amount(0.75, 0.75, 20, 1000) == 20
    assert raise_amount(1, 0.75, 20, 1000) == 1000
    assert raise_amount(0.875, 0.75, 20, 1000) == 510


@pytest.mark.parametrize(
    ("actions", "kind", "size", "action"),
    [
        ("r30", "fold", 0, FOLD),
        ("c c", "fold", 0, CALL),  # a fold that costs nothing is not legal
        ("r30 r70", "raise", 80, raise_to(110)),
        ("r30", "raise", 5000, raise_to(1000)),
        ("r1000", "raise", 1000, CALL),
    ],
)
def test_a_wish_becomes_a_legal_action(actions: str, kind: str, size: int, action: Action) -> None:
    assert action_for(after(actions), kind, size) == action


def test_one_big_blind_more_is_legal_where_the_rules_say_so() -> None:
    assert action_for(after("r30 r70", rules="bb"), "raise", 80) == raise_to(80)
