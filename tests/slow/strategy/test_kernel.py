"""Simulated matches are worth what the exact expectation says."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng

from dealer.intervals import mean_interval
from strategy.pushfold.game import advantage
from strategy.pushfold.kernel import MatchRules, PushFoldTables
from tests.strategy.evolution.matches import Play, both, same, seeds


@both
def test_matches_and_expectation_agree_within_their_intervals(play: Play) -> None:
    draw = default_rng(2015)
    missed = []
    for number in range(20):
        # Mixed tables for some, of zeros and ones for others; shallow and deep.
        tables = draw.random((4, 169))
        if number % 2:
            tables = np.round(tables)
        stack = float(draw.choice([0.75, 1.0, 2.5, 7.0, 10.0, 20.0]))
        one, two = (
            PushFoldTables(t[0][None, None].copy(), t[1][None, None].copy()) for t in (tables[:2], tables[2:])
        )
        rules = MatchRules((stack,), stack=0, hands=25_000)
        won = play(one, two, same(40), rules, seeds(40, number), 1)
        interval = mean_interval((won[:, 1] / won[:, 0]).tolist())
        assert interval.half is not None
        # A million hands: an interval that says something.
        assert interval.half < 0.002 * stack + 0.001
        exact = advantage((tables[0], tables[1]), (tables[2], tables[3]), stack)
        if abs(interval.mean - exact) > interval.half:
            missed.append((number, interval, exact))
    # Of 20 intervals of 95 % one misses on average; more than 4 do in 1 of 388 such tests (binomial).
    assert len(missed) <= 4, missed
