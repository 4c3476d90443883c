"""Equilibria of push/fold: nobody wins from them, and their values are the known ones."""

from __future__ import annotations

import numpy as np
import pytest

from strategy.poker.allin import all_in_table
from strategy.poker.combos import CLASSES, parse_range
from strategy.poker.preflop import HAND_CLASSES
from strategy.pushfold.equilibrium import Equilibrium, equilibrium, exploitability, restricted_equilibrium
from strategy.pushfold.game import (
    HandTable,
    PushFoldError,
    advantage,
    best_call,
    best_jam,
    percent_played,
    value,
)
from strategy.pushfold.rankings import (
    SKLANSKY_CHUBUKOV,
    STRENGTH,
    best_top_call,
    best_top_jam,
    cutoffs,
    top_range,
)

CANONICAL = top_range(57), top_range(37)
ANY = np.random.default_rng(20).uniform(0.5, 25, 40).tolist()


def test_nothing_can_be_won_at_any_stack() -> None:
    for stack in (0.2, 0.5, 0.51, 0.99, 1.0, 1.0001, 1.4126, *ANY, 50.0, 476.5, 1000.0, 1e6):
        found = equilibrium(stack)
        jam, call = found.jam, found.call
        assert ((jam >= 0) & (jam <= 1) & (call >= 0) & (call <= 1)).all(), stack
        # In thousandths of a big blind a hand.
        won = value(best_jam(call, stack), call, stack) - value(jam, best_call(jam, stack), stack)
        assert abs(1000 * won) < 1e-9, stack
        assert 0 <= found.exploitability == max(0, won)
        assert found.value == value(jam, call, stack)
        assert 1000 * max(exploitability((jam, call), stack)) < 1e-9, stack


@pytest.mark.parametrize(
    ("stack", "jam", "call", "mbb"),
    [
        (0.7, 100, 100, 0),
        (1, 100, 100, 0),
        (2, 89.442, 100, 9.5495),
        (5, 71.484, 62.068, 56.2007),
        (10, 58.284, 37.376, -45.3708),
        (20, 40.237, 21.725, -183.1897),
    ],
)
def test_known_equilibria(stack: float, jam: float, call: float, mbb: float) -> None:
    found = equilibrium(stack)
    assert 1000 * found.value == pytest.approx(mbb, abs=5.1e-5)
    assert [percent_played(found.jam), percent_played(found.call)] == pytest.approx([jam, call], abs=5.1e-4)


def mixed(table: HandTable) -> dict[str, float]:
    return {HAND_CLASSES[hand]: float(table[hand]) for hand in np.flatnonzero((table > 0) & (table < 1))}


def test_ten_big_blinds() -> None:
    found = equilibrium(10)
    assert mixed(found.jam) == pytest.approx({"43s": 0.7107}, abs=5e-5)
    assert mixed(found.call) == pytest.approx({"Q6s": 0.4028}, abs=5e-5)
    calls = parse_range("22+, A2s+, A2o+, K2s+, K5o+, Q7s+, Q9o+, J8s+, JTo, T9s")
    assert set(CLASSES[calls > 0].tolist()) == set(np.flatnonzero(found.call > 0.5).tolist())
    pairs = all_in_table().pairs
    assert found.jam @ pairs @ found.call / pairs.sum() == pytest.approx(0.2136, abs=5e-5)


def test_short_stacks_need_no_choice() -> None:
    for stack in (0.1, 0.5, 0.7, 1.0, 1.4):
        found = equilibrium(stack)
        assert (found.jam == 1).all()
        assert (found.call == 1).all()
    # 32o has 0.32303 of the pot against any hand; from here on folding it is better.
    assert HAND_CLASSES[int(np.argmin(equilibrium(1.4127).jam))] == "32o"


def test_jams_are_not_nested_in_the_stack_but_calls_are() -> None:
    jams = np.array([equilibrium(stack).jam for stack in range(1, 11)])
    calls = np.array([equilibrium(stack).call for stack in range(1, 11)])
    again = {HAND_CLASSES[hand] for hand in np.flatnonzero((np.diff(jams, axis=0) > 0).any(axis=0))}
    assert again == {"84s", "63s", "53s", "43s"}
    assert (np.diff(calls, axis=0) <= 0).all()


@pytest.mark.parametrize(
    ("opponent", "wins"), [((70, 60), 5.221), ((40, 30), 2.275), ((100, 100), 31.739), ((0, 0), 43.713)]
)
def test_what_the_equilibrium_wins(opponent: tuple[float, float], wins: float) -> None:
    found = equilibrium(10)
    theirs = top_range(opponent[0]), top_range(opponent[1])
    assert 100 * advantage((found.jam, found.call), theirs, 10) == pytest.approx(wins, abs=5.1e-4)


def test_what_is_won_from_57_37_over_the_stacks_1_to_10() -> None:
    wins, most = [], []
    for stack in range(1, 11):
        found = equilibrium(stack)
        best = best_jam(CANONICAL[1], stack), best_call(CANONICAL[0], stack)
        wins.append(100 * advantage((found.jam, found.call), CANONICAL, stack))
        most.append(100 * advantage(best, CANONICAL, stack))
    assert [wins[0], wins[-1]] == pytest.approx([34.5, 0.638], abs=0.03)
    assert np.mean(wins) == pytest.approx(8.60, abs=0.005)
    assert np.mean(most) == pytest.approx(12.28, abs=0.005)


# Top tables only.


@pytest.mark.parametrize(
    ("stack", "jam", "call", "mbb", "pure"),
    [
        (0.7, 100, 100, 0, True),
        (2, 89.44, 100, 9.5495, True),
        (5, 72.85, 60.18, 52.8536, True),
        (10, 56.56, 35.60, -52.8896, True),
        (20, 40.37, 19.49, -190.8126, False),
    ],
)
def test_known_equilibria_of_top_tables(
    stack: float, jam: float, call: float, mbb: float, pure: bool
) -> None:
    found = restricted_equilibrium(stack)
    assert 1000 * found.value == pytest.approx(mbb, abs=5.1e-5)
    assert [percent_played(found.jam), percent_played(found.call)] == pytest.approx([jam, call], abs=0.0051)
    assert (len(found.jams) == len(found.calls) == 1) is pure


@pytest.mark.parametrize("ranking", [STRENGTH, SKLANSKY_CHUBUKOV], ids=["strength", "sklansky-chubukov"])
@pytest.mark.parametrize("stack", [2, 6.3, 10, 20])
def test_no_top_table_wins_from_them(stack: float, ranking: tuple[int, ...]) -> None:
    found = restricted_equilibrium(stack, ranking)
    most = value(top_range(best_top_jam(found.call, stack, ranking), ranking), found.call, stack)
    least = value(found.jam, top_range(best_top_call(found.jam, stack, ranking), ranking), stack)
    assert [most, least] == pytest.approx([found.value] * 2, abs=1e-12)
    assert 0 <= found.exploitability < 1e-12
    for mix, table in ((found.jams, found.jam), (found.calls, found.call)):
        assert sum(chance for _, chance in mix) == pytest.approx(1)
        assert sum(chance * top_range(share, ranking) for share, chance in mix) == pytest.approx(table)
        assert {share for share, _ in mix} <= set(cutoffs(ranking).tolist())


def test_what_the_ranking_costs_at_ten_big_blinds() -> None:
    found = restricted_equilibrium(10)
    lost = exploitability((found.jam, found.call), 10)
    assert [1000 * one for one in lost] == pytest.approx([10.38, 3.68], abs=0.005)


def test_results_are_kept_and_cannot_be_changed() -> None:
    found: Equilibrium = equilibrium(10)
    assert equilibrium(10) is found
    assert restricted_equilibrium(10) is restricted_equilibrium(10, list(STRENGTH))
    for table in (*found[:2], *restricted_equilibrium(10)[:2]):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0


def test_a_stack_that_is_none() -> None:
    for solve in (equilibrium, restricted_equilibrium):
        with pytest.raises(PushFoldError) as caught:
            solve(-1.0)
        assert caught.value.code == "bad_stack"
