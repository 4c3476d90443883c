"""Tournaments, algorithms 2 and 3, and both ways of scoring."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.random import default_rng

from strategy.evolution.players import VariablePlayers, top_tables
from strategy.evolution.tournaments import AgainstOne, MatchScoring, RoundRobin, WorstCase, advantages, berger
from strategy.pushfold.equilibrium import exploitability
from strategy.pushfold.game import advantage
from strategy.pushfold.kernel import MatchRules, PushFoldTables
from strategy.pushfold.rankings import top_range

CAP = (10.0,)


def simple(*players: tuple[float, float]) -> PushFoldTables:
    return top_tables(np.array(players) / 100, CAP)


@pytest.mark.parametrize("count", range(2, 42))
def test_algorithm_2_lets_everybody_meet_everybody_once(count: int) -> None:
    rounds = berger(count)
    met = sorted(tuple(sorted(pair)) for pairs in rounds for pair in pairs)
    assert met == list(combinations(range(count), 2))
    assert len(rounds) == count - 1 + count % 2
    for pairs in rounds:
        busy = [player for pair in pairs for player in pair]
        assert len(set(busy)) == len(busy) == count - count % 2


def test_a_round_robin_divides_what_was_won_by_the_hands_played() -> None:
    tables = simple((57, 37), (70, 60), (40, 30), (100, 100), (0, 0))
    exact = RoundRobin(CAP).score(tables, default_rng(1)).points
    matches = MatchScoring(MatchRules(CAP, stack=0, hands=40_000), repeats=10, workers=2)
    found = RoundRobin(CAP, matches).score(tables, default_rng(1))
    assert found.hands == 10 * 10 * 40_000
    assert abs(found.points.sum()) < 1e-9
    # 1.6 million hands each, with a standard deviation below 8 big blinds a hand: 0.63 bb/100.
    assert abs(found.points - exact).max() < 4 * 0.63
    assert exact.argmax() == found.points.argmax()


def test_algorithm_3_lets_all_meet_the_one() -> None:
    opponent, tables = simple((70, 60)), simple((45, 45), (70, 60), (0, 0))
    exact = AgainstOne(opponent, CAP).score(tables, default_rng(1)).points
    both = (top_range(70), top_range(60))
    assert exact.tolist() == pytest.approx(
        [100 * advantage((top_range(r), top_range(c)), both, 10) for r, c in ((45, 45), (70, 60), (0, 0))]
    )
    matches = MatchScoring(MatchRules(CAP, stack=0, hands=50_000), repeats=20)
    found = AgainstOne(opponent, CAP, matches).score(tables, default_rng(1))
    assert found.hands == 3 * 20 * 50_000
    assert abs(found.points - exact).max() < 4 * 0.8


@pytest.mark.parametrize(
    ("opponent", "pair", "wins"),
    [
        ((70, 60), (45.33, 46.97), 8.454),
        ((70, 60), (42.36, 42.45), 8.325),
        ((40, 30), (99.75, 31.52), 4.072),
        ((57, 37), (50.45, 40.56), -0.193),
    ],
)
def test_the_pairs_of_the_document_win_exactly_what_they_are_worth(
    opponent: tuple[float, float], pair: tuple[float, float], wins: float
) -> None:
    assert advantages(simple(pair), simple(opponent), CAP)[0, 0] == pytest.approx(wins, abs=6e-4)


def test_the_worst_case_is_what_best_responses_win() -> None:
    tables = simple((57, 37), (56.56, 35.60))
    worst = WorstCase(CAP).score(tables, default_rng(1)).points
    for player in (0, 1):
        lost = sum(exploitability((tables.jam[player, 0], tables.call[player, 0]), 10.0)) / 2
        assert worst[player] == pytest.approx(-100 * lost, abs=1e-9)
    assert worst[0] == pytest.approx(-0.665, abs=6e-4)
    ranked = WorstCase(CAP, ranked=True).score(tables, default_rng(1)).points
    assert ranked[0] == pytest.approx(-0.073, abs=6e-4)
    assert ranked[1] == pytest.approx(0, abs=1e-3)


def test_several_caps_are_averaged() -> None:
    caps = tuple(map(float, range(1, 11)))
    genes = VariablePlayers().initialise(2, default_rng(3))
    one = VariablePlayers().tables(genes, caps)
    two = top_tables(np.array([[0.57, 0.37]]), caps)
    each = [
        100 * advantage((one.jam[1, k], one.call[1, k]), (two.jam[0, k], two.call[0, k]), cap)
        for k, cap in enumerate(caps)
    ]
    assert advantages(one, two, caps)[1, 0] == pytest.approx(np.mean(each))
    matches = MatchScoring(MatchRules(caps, stack=0, hands=100_000), repeats=20)
    found = AgainstOne(two, caps, matches).score(one, default_rng(4)).points
    # Two million hands, with a standard deviation below 5: 0.35 bb/100.
    assert abs(found[1] - np.mean(each)) < 4 * 0.35
