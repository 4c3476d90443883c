"""Ratings: right on average, with intervals that cover what they say."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import sqrt
from random import Random
from statistics import mean

import pytest

from dealer.errors import ScoreError
from dealer.intervals import mean_interval
from dealer.ratings.model import Ratings
from dealer.ratings.results import Results
from tests.dealer.ratings.simulated import simulated_field


def test_two_bots_have_the_interval_of_the_crosstable() -> None:
    random = Random(3)
    won = [random.gauss(40, 300) for _ in range(25)]
    results = Results()
    for value in won:
        results.add(("ann", "bob"), (value, -value))
    expected = mean_interval([round(value, 3) for value in won])
    rating = Ratings(results, ["ann", "bob"]).rating("ann")
    assert rating.mean == pytest.approx(expected.mean, rel=1e-3)
    assert rating.half == pytest.approx(expected.half, rel=1e-3)


@pytest.mark.parametrize(
    ("size", "players", "interaction", "met", "sets"),
    [
        (10, 2, 0, 25, 20),
        (10, 2, 300, 25, 40),
        (10, 2, 300, 45, 20),
        (7, 3, 200, 20, 40),
        (8, 6, 100, 20, 30),
    ],
)
def test_intervals_cover_the_truth(size: int, players: int, interaction: float, met: int, sets: int) -> None:
    random = Random(5)
    covered = []
    for _ in range(40):
        field = simulated_field(size, random, players, interaction=interaction)
        results = Results()
        for line_up in random.sample(list(field.expected), met):
            results.merge(field.play(line_up, sets, random))
        ratings = Ratings(results, field.bots, players)
        for bot in field.bots:
            rating = ratings.rating(bot)
            if rating.half is not None:
                covered.append(abs(rating.mean - field.ratings[bot]) <= rating.half)
    # 280 to 400 intervals, dependent within a field: three deviations of a share of .95.
    assert 0.90 < mean(covered) < 0.99


def test_with_many_deal_sets_every_rating_is_near_the_truth() -> None:
    random = Random(6)
    field = simulated_field(6, random, interaction=150)
    results = Results()
    for line_up in field.expected:
        results.merge(field.play(line_up, 400, random, noise=100))
    ratings = Ratings(results, field.bots)
    for bot in field.bots:
        assert ratings.rating(bot).mean == pytest.approx(field.ratings[bot], abs=25)
    assert sum(ratings.means) == pytest.approx(0, abs=1e-6)


def test_a_circle_is_reported_and_not_hidden() -> None:
    random = Random(7)
    results = Results()
    for winner, loser in [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]:
        for _ in range(400):
            won = random.gauss(100, 500)
            results.add((winner, loser), (won, -won))
    ratings = Ratings(results, ["rock", "paper", "scissors"])
    found = ratings.interaction()
    assert found.p_value is not None
    assert found.p_value < 0.01
    # The strengths explain two of the three results' dimensions; all of the circle is in the third.
    assert found.deviation == pytest.approx(100 * sqrt(3), rel=0.3)
    assert found.share > 0.9
    worst = ratings.worst_opponent("rock")
    assert worst is not None
    assert worst[0] == "paper"
    assert worst[1].mean < -50


def test_without_a_circle_none_is_reported() -> None:
    p_values = []
    for seed in range(30):
        random = Random(seed)
        field = simulated_field(6, random)
        results = Results()
        for line_up in field.expected:
            results.merge(field.play(line_up, 30, random))
        p_values.append(Ratings(results, field.bots).interaction().p_value or 0.0)
    assert sum(p < 0.05 for p in p_values) <= 5
    assert mean(p_values) == pytest.approx(0.5, abs=0.2)


def test_results_of_others_connect_the_field() -> None:
    results = Results()
    random = Random(8)
    for pair in [("ann", "old"), ("bob", "old")]:
        for _ in range(50):
            won = random.gauss(100 if pair[0] == "ann" else 0, 10)
            results.add(pair, (won, -won))
    ratings = Ratings(results, ["ann", "bob"])
    # Each plays only the other in this field: one wins what the other loses.
    assert ratings.difference("ann", "bob")[0] == pytest.approx(200, abs=15)
    assert ratings.against("ann", "bob") is None


def test_a_bot_without_results_has_no_interval() -> None:
    results = Results()
    for won in (1.0, -3.0, 8.0):
        results.add(("ann", "bob"), (won, -won))
    ratings = Ratings(results, ["ann", "bob", "new"])
    assert ratings.rating("new").half is None
    assert ratings.rating("new").mean == pytest.approx(0, abs=1e-6)
    alone = Ratings(results, ["ann", "bob"]).rating("ann")
    assert ratings.rating("ann").mean == pytest.approx(alone.mean)
    assert ratings.rating("ann").half == pytest.approx(alone.half)
    assert ratings.worst_opponent("new") is None


def test_nothing_played_and_one_deal_set_have_no_intervals() -> None:
    nothing = Ratings(Results(), ["ann", "bob"])
    assert nothing.rating("ann") == (0.0, None, 0)
    one = Results()
    one.add(("ann", "bob"), (5.0, -5.0))
    assert Ratings(one, ["ann", "bob"]).rating("ann").half is None


def test_results_without_chance_are_sure() -> None:
    results = Results()
    for _ in range(12):
        results.add(("call", "fold"), (750.0, -750.0))
    rating = Ratings(results, ["call", "fold"]).rating("call")
    assert rating.mean == pytest.approx(750, abs=0.01)
    assert rating.half == pytest.approx(0, abs=1)


def test_a_field_fills_a_table() -> None:
    with pytest.raises(ScoreError) as refused:
        Ratings(Results(), ["ann", "bob"], players=3)
    assert refused.value.code == "too_few_bots"


def test_the_fall_that_more_deal_sets_bring_is_the_one_that_comes() -> None:
    random = Random(9)
    field = simulated_field(6, random, interaction=100)
    results = Results()
    for line_up in list(combinations(field.bots, 2))[::2]:
        results.merge(field.play(line_up, 400, random))
    before = Ratings(results, field.bots)
    for line_up in ((field.bots[0], field.bots[1]), (field.bots[2], field.bots[3])):
        u, fall = before.after(line_up, 400, field.bots)
        more = Results()
        more.merge(results)
        more.merge(field.play(line_up, 400, random))
        after = Ratings(more, field.bots)
        for row, bot in enumerate(field.bots):
            falls = u[bot][0] * fall[0][0] * u[bot][0]
            assert before.covariance[row][row] - falls == pytest.approx(after.covariance[row][row], rel=0.3)


def test_all_figures_are_the_same_in_any_order() -> None:
    random = Random(10)
    field = simulated_field(6, random, players=3, interaction=50)
    parts = [field.play(line_up, 5, random) for line_up in field.expected]
    one, two = Results(), Results()
    for part in parts:
        one.merge(part)
    for part in reversed(parts):
        two.merge(part)
    first, second = Ratings(one, field.bots, 3), Ratings(two, field.bots, 3)
    assert first.means == second.means
    assert first.covariance == second.covariance
    assert first.interaction() == second.interaction()
    ranked = sorted(field.bots, key=lambda bot: -first.rating(bot).mean)
    assert all(first.difference(a, b)[0] >= 0 for a, b in pairwise(ranked))
