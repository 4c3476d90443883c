"""What push/fold tables are worth, against plain sums, the betting tree, and the document's pairs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dealer.rules.games import holdem
from strategy.cfr.small import push_fold_game
from strategy.poker.allin import all_in_table
from strategy.poker.preflop import HAND_CLASSES, class_combinations
from strategy.pushfold.equilibrium import exploitability
from strategy.pushfold.game import (
    HandTable,
    Pair,
    PushFoldError,
    advantage,
    best_call,
    best_jam,
    combinations,
    payoffs,
    percent_played,
    value,
    weights,
)
from strategy.pushfold.rankings import top_range

ONES, ZEROS = np.ones(169), np.zeros(169)
STACKS = (0.3, 0.5, 0.75, 1.0, 1.5, 7.37, 10.0, 25.0, 200.0)

AGGRESSIVE = [  # table 4.4: a solution against 70/60 and what it truly wins, in bb/100
    (45.33, 46.97, 8.454), (47.21, 49.43, 8.542), (42.36, 42.45, 8.325),
    (52.42, 54.32, 7.315), (49.86, 49.86, 8.513), (43.36, 49.46, 8.455),
]  # fmt: skip
CONSERVATIVE = [  # table 4.4, against 40/30
    (99.75, 31.52, 4.072), (97.42, 29.33, 4.521), (99.30, 27.78, 4.481),
    (90.03, 27.42, 4.704), (94.84, 22.29, 4.525), (85.42, 31.52, 4.108),
]  # fmt: skip
CANONICAL = [  # table 4.2, against 57/37
    (50.45, 40.56, -0.193), (56.55, 42.40, -0.447), (53.32, 38.63, -0.078),
    (56.27, 34.81, -0.053), (55.56, 37.18, 0.029), (58.36, 39.77, -0.169),
    (54.49, 43.58, -0.797), (59.93, 39.59, -0.266), (58.41, 35.02, -0.140),
]  # fmt: skip


def pair(jam: float, call: float) -> Pair:
    return top_range(jam), top_range(call)


def tables(seed: int) -> Pair:
    rng = np.random.default_rng(seed)
    return rng.random(169), rng.random(169)


def summed(jam: HandTable, call: HandTable, stack: float) -> float:
    """The value by the rules, pair of classes by pair of classes, for a stack from one big blind on."""
    table = all_in_table()
    total = 0.0
    for mine, other in product(range(169), repeat=2):
        showdown = stack * (2 * table.equity[mine, other] - 1)
        won = jam[mine] * (call[other] * showdown + (1 - call[other])) - (1 - jam[mine]) * 0.5
        total += table.pairs[mine, other] * won
    return float(total / table.pairs.sum())


@pytest.mark.parametrize("stack", [1.0, 3.6, 10.0])
def test_the_value_is_the_sum_over_all_pairs(stack: float) -> None:
    jam, call = tables(1)
    assert value(jam, call, stack) == pytest.approx(summed(jam, call, stack), abs=1e-12)


@pytest.mark.parametrize("stack", [2, 10])
def test_the_value_is_that_of_the_betting_tree(stack: int) -> None:
    game = push_fold_game(holdem(2, small_blind=1, big_blind=2), 2 * stack)
    jam, call = tables(2)
    small, big = np.argsort(game.tree.game.blinds)
    jams, calls = jam[game.info[small, 0]], call[game.info[big, 0]]
    total = 0.0
    for node in np.flatnonzero(game.tree.player < 0):
        live = game.tree.live[node]
        reach = jams * (calls if live[big] else 1 - calls) if live[small] else 1 - jams
        total += float(game.probability @ (reach * game.payoff[small, node]))
    assert value(jam, call, stack) == pytest.approx(total / 2, abs=1e-12)


def test_the_deal() -> None:
    assert combinations().tolist() == [class_combinations(name) for name in HAND_CLASSES]
    assert weights().sum() == pytest.approx(1)
    assert percent_played(ONES) == pytest.approx(100)
    assert percent_played(top_range(30)) == pytest.approx(30)


@pytest.mark.parametrize("stack", STACKS)
def test_jamming_and_calling_everything_is_even(stack: float) -> None:
    assert value(ONES, ONES, stack) == pytest.approx(0, abs=1e-12)


def test_stacks_of_which_the_blinds_leave_nothing() -> None:
    for stack in (0.01, 0.5):
        assert value(*tables(3), stack) == 0
        assert value(ZEROS, ZEROS, stack) == 0


def test_a_jam_below_the_big_blind_is_called_whatever_the_table_says() -> None:
    jam, call = tables(4)
    assert value(jam, call, 0.8) == value(jam, ZEROS, 0.8)
    table = all_in_table()
    showdown = table.pairs / table.pairs.sum() * 0.8 * (2 * table.equity - 1)
    expected = jam @ showdown.sum(axis=1) - 0.5 * (1 - jam) @ weights()
    assert value(jam, call, 0.8) == pytest.approx(expected, abs=1e-12)
    assert value(ZEROS, call, 0.8) == -0.5
    # Nobody jams worse than he gives up: the weakest hand has more than a third of the pot.
    assert (best_jam(call, 0.8) == 1).all()


def test_the_big_blind_gives_his_blind_away_from_one_big_blind_on() -> None:
    assert value(ONES, ZEROS, 1.0) == pytest.approx(1)
    assert value(ONES, ZEROS, 3.7) == pytest.approx(1)
    assert value(ZEROS, ONES, 3.7) == -0.5


@pytest.mark.parametrize("stack", STACKS)
def test_no_table_answers_better(stack: float) -> None:
    jam, call = tables(5)
    best = best_jam(call, stack), best_call(jam, stack)
    most, least = value(best[0], call, stack), value(jam, best[1], stack)
    for hand in range(169):
        other = best[0].copy(), best[1].copy()
        for table in other:
            table[hand] = 1 - table[hand]
        assert value(other[0], call, stack) <= most + 1e-15
        assert value(jam, other[1], stack) >= least - 1e-15


def test_advantage_is_over_both_seats() -> None:
    mine, other = tables(6), tables(7)
    assert advantage(mine, other, 10) == -advantage(other, mine, 10)
    assert advantage(mine, mine, 10) == 0
    # Who always folds loses a blind in each seat.
    assert advantage((ONES, ZEROS), (ZEROS, ZEROS), 10) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("opponent", "found"),
    [
        *(((70, 60), found) for found in AGGRESSIVE),
        *(((40, 30), found) for found in CONSERVATIVE),
        *(((57, 37), found) for found in CANONICAL),
    ],
)
def test_the_pairs_of_the_document(opponent: tuple[float, float], found: tuple[float, float, float]) -> None:
    jam, call, wins = found
    assert 100 * advantage(pair(jam, call), pair(*opponent), 10) == pytest.approx(wins, abs=5.1e-4)


def test_the_pairs_of_figure_4_1_and_of_4_4() -> None:
    assert 100 * advantage(pair(59.2, 36.5), pair(72, 36), 10) == pytest.approx(0.49, abs=0.005)
    assert 100 * advantage(pair(53, 32), pair(57, 37), 10) == pytest.approx(-0.48, abs=0.005)


@pytest.mark.parametrize(
    ("opponent", "best", "wins"),
    [
        ((70, 60), (44.49, 45.40), 9.073),
        ((40, 30), (86.43, 27.00), 5.283),
        ((100, 100), (57.47, 66.21), 47.298),
        ((57, 37), (57.77, 36.65), 0.665),
        ((0, 0), (100, 100), 75.0),
    ],
)
def test_best_answers(opponent: tuple[float, float], best: tuple[float, float], wins: float) -> None:
    theirs = pair(*opponent)
    mine = best_jam(theirs[1], 10), best_call(theirs[0], 10)
    assert [percent_played(table) for table in mine] == pytest.approx(best, abs=0.005)
    assert 100 * advantage(mine, theirs, 10) == pytest.approx(wins, abs=6e-4)
    lost = exploitability(theirs, 10)
    assert 100 * sum(lost) / 2 == pytest.approx(wins, abs=6e-4)
    assert min(lost) >= 0


def test_what_is_won_from_57_37() -> None:
    jam, call = exploitability(pair(57, 37), 10)
    assert 1000 * jam == pytest.approx(10.9, abs=0.05)
    assert 1000 * call == pytest.approx(2.4, abs=0.05)


def test_payoffs_are_one_form_in_the_tables() -> None:
    game = payoffs(10)
    jam, call = tables(8)
    expected = game.fold + jam @ game.steal + jam @ game.call_gain @ call
    assert value(jam, call, 10) == pytest.approx(expected, abs=1e-15)
    assert game.call_gain.flags.c_contiguous
    assert payoffs(10) is game
    with pytest.raises(ValueError, match="read-only"):
        game.steal[0] = 1


@pytest.mark.parametrize("stack", [0.0, -1.0, float("nan"), float("inf"), 1e7])
def test_a_stack_that_is_none(stack: float) -> None:
    with pytest.raises(PushFoldError) as caught:
        value(ONES, ONES, stack)
    assert caught.value.code == "bad_stack"
