from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from strategy.loki.preflop import (
    THRESHOLDS,
    PreflopStrategy,
    act,
    choose,
    deep_enough,
    expected_players,
    position_of,
    preflop_strategy,
    rate_players,
)
from strategy.loki.views import View, replay
from strategy.playout.betting import make_opening
from strategy.poker.income import income_rate, income_rates
from tests.strategy.loki.situations import LIMIT, at


def view(bets: int, to_call: int, *, called: bool = False) -> View:
    return View(0, 0, bets, to_call, 0.4, 0.4, called, 3, 2)


def test_the_dealer_with_ace_eight_and_four_active_players_makes_two() -> None:
    # Peña 1999, 3.2.1: moderate, income rate 338.
    assert choose(338, 4, 0, "moderate") is PreflopStrategy.MAKE2
    assert income_rate(parse_cards("Ah8h"), 4) == pytest.approx(338, abs=2)
    situation = at(LIMIT, "c", "Ah8h")
    opening = make_opening(situation, None)
    now, _ = replay(situation, opening)
    assert situation.position == 3
    assert position_of(now, 3, opening) == 0
    assert expected_players(now, 3) == pytest.approx(2 + 0.6 * 2)
    assert preflop_strategy(situation.hole, now, 3, opening, "moderate") is PreflopStrategy.MAKE2


def test_the_thresholds_that_are_known() -> None:
    # Papp 1998, 5.1: tight, three or four players, Make2.
    assert THRESHOLDS["tight"][4][PreflopStrategy.MAKE2] == (200, 50)
    # Peña 1999, 3.2.1: moderate, three or four players, for the dealer.
    assert [base for base, _ in THRESHOLDS["moderate"][4].values()] == [50, 200, 580]


@pytest.mark.parametrize(
    ("plan", "bets", "to_call", "called", "kind"),
    [
        # Papp 1998, 5.1: a strategy a line.
        (PreflopStrategy.MAKE0, 1, 1, False, "fold"),
        (PreflopStrategy.MAKE0, 1, 0, False, "call"),
        (PreflopStrategy.CALL1, 1, 1, False, "call"),
        (PreflopStrategy.CALL1, 2, 2, False, "fold"),
        (PreflopStrategy.CALL1, 3, 2, True, "call"),
        (PreflopStrategy.CALL1, 0, 0, False, "call"),
        (PreflopStrategy.MAKE1, 0, 0, False, "raise"),
        (PreflopStrategy.MAKE1, 1, 1, False, "call"),
        (PreflopStrategy.MAKE1, 2, 2, False, "fold"),
        (PreflopStrategy.MAKE1, 3, 2, True, "call"),
        (PreflopStrategy.CALL2, 4, 4, False, "call"),
        (PreflopStrategy.MAKE2, 1, 1, False, "raise"),
        (PreflopStrategy.MAKE2, 2, 2, False, "call"),
        (PreflopStrategy.MAKE4, 3, 3, False, "raise"),
        (PreflopStrategy.MAKE4, 4, 1, True, "call"),
    ],
)
def test_what_a_strategy_does(
    plan: PreflopStrategy, bets: int, to_call: int, called: bool, kind: str
) -> None:
    assert act(plan, view(bets, to_call, called=called)) == kind


def test_call_strategies_are_the_small_blinds_alone() -> None:
    rates = np.linspace(-600, 2500, 400)
    for tightness in THRESHOLDS:
        for players in (2, 4, 7):
            usual = {choose(rate, players, 2, tightness) for rate in rates}
            assert usual == {
                PreflopStrategy.MAKE0,
                PreflopStrategy.MAKE1,
                PreflopStrategy.MAKE2,
                PreflopStrategy.MAKE4,
            }
            blind = {choose(rate, players, 5, tightness, in_small_blind=True) for rate in rates}
            assert {PreflopStrategy.CALL1, PreflopStrategy.CALL2} <= blind <= set(PreflopStrategy)


@pytest.mark.parametrize("players", [2, 4, 7])
def test_more_income_later_position_and_looseness_play_more(players: int) -> None:
    for position in range(9):
        plans = [
            [choose(rate, players, position, tightness) for rate in (-300, 0, 250, 500, 900, 2500)]
            for tightness in THRESHOLDS
        ]
        for row in plans:
            assert row == sorted(row)
        for tighter, looser in pairwise(plans):
            assert all(a <= b for a, b in zip(tighter, looser, strict=True))
    assert choose(430, 4, 0, "tight") >= choose(430, 4, 8, "tight")


@pytest.mark.parametrize(("tightness", "part"), [("tight", 0.18), ("moderate", 0.24), ("loose", 0.30)])
def test_part_of_all_hands_that_is_played_in_the_middle_of_ten(tightness: str, part: float) -> None:
    played = np.mean([choose(rate, 7, 4, tightness) > PreflopStrategy.MAKE0 for rate in income_rates(7)])
    assert played == pytest.approx(part, abs=0.04)


@pytest.mark.parametrize(
    ("expected", "players"), [(1.6, 2), (2.4, 2), (2.6, 4), (4.4, 4), (4.6, 7), (6.4, 7)]
)
def test_rates_for_the_expected_players(expected: float, players: int) -> None:
    assert rate_players(expected) == players


def test_position_counts_who_acts_before_the_small_blind() -> None:
    situation = at(holdem(6, 5, 10, limit=True), "")
    opening = make_opening(situation, None)
    now, _ = replay(situation, opening)
    assert [position_of(now, position, opening) for position in range(6)] == [5, 4, 3, 2, 1, 0]
    after_folds = at(holdem(6, 5, 10, limit=True), "f f")
    now, _ = replay(after_folds, opening)
    assert position_of(now, 4, opening) == 1


def test_the_strategy_is_kept_for_the_round() -> None:
    # The plan is that of the first decision, when fewer had folded.
    situation = at(LIMIT, "c r f r", "Ah8h")
    opening = make_opening(situation, None)
    first, _ = replay(situation, opening, 0)
    assert not any(first.folded)
    assert expected_players(first, 2) == pytest.approx(1 + 3 * 0.6)


def test_deep_calls_take_a_better_hand() -> None:
    assert deep_enough(0.5, 1)
    assert not deep_enough(0.7, 6)
    assert deep_enough(0.97, 200)
    assert not deep_enough(0.95, 200)
