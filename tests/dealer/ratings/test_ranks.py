"""Rank intervals and chances to be ahead."""

from __future__ import annotations

from random import Random

import pytest

from dealer.ratings.model import Ratings
from dealer.ratings.ranks import chance_ahead, range_quantile, rank_intervals
from dealer.ratings.results import Results
from tests.dealer.ratings.simulated import simulated_field


@pytest.mark.parametrize(("values", "table"), [(2, 2.77), (3, 3.31), (10, 4.47), (20, 5.01), (100, 6.08)])
def test_critical_values_are_those_of_printed_tables(values: int, table: float) -> None:
    # Studentised range, 5 %, infinite degrees of freedom (Harter 1960, table 3).
    assert range_quantile(values) == pytest.approx(table, abs=0.011)


def test_rank_intervals_hold_together() -> None:
    random = Random(11)
    wrong = 0
    for _ in range(40):
        field = simulated_field(8, random, spread=300)
        results = Results()
        for line_up in field.expected:
            results.merge(field.play(line_up, 40, random, noise=1000))
        ratings = Ratings(results, field.bots)
        true = sorted(field.bots, key=lambda bot: -field.ratings[bot])
        intervals = rank_intervals(ratings)
        assert any(interval.best > 1 for interval in intervals.values())
        wrong += any(
            not intervals[bot].best <= rank <= intervals[bot].worst for rank, bot in enumerate(true, 1)
        )
    assert wrong <= 5


def test_the_chance_to_be_ahead_follows_the_difference() -> None:
    results = Results()
    random = Random(12)
    for _ in range(100):
        won = random.gauss(50, 100)
        results.add(("ann", "bob"), (won, -won))
    ratings = Ratings(results, ["ann", "bob"])
    assert chance_ahead(ratings, "ann", "bob") > 0.99
    assert chance_ahead(ratings, "ann", "bob") + chance_ahead(ratings, "bob", "ann") == pytest.approx(1)
    assert chance_ahead(ratings, "ann", "ann") == 0.5


def test_a_bot_without_results_may_have_any_rank() -> None:
    results = Results()
    for won in (99.0, 100.0, 101.0):
        results.add(("ann", "bob"), (won, -won))
    found = rank_intervals(Ratings(results, ["ann", "bob", "new"]))
    assert found == {"ann": (1, 2), "bob": (2, 3), "new": (1, 3)}
