"""Simulated matches: by the rules, and worth what the exact expectation says."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng

from strategy.evolution.kernel import FIELDS, Rules, Tables, play_matches
from strategy.evolution.players import top_tables
from strategy.evolution.pushfold import advantage
from strategy.evolution.ties import chances, tie_table
from strategy.poker.allin import BOARDS, all_in_table
from strategy.poker.preflop import HAND_CLASSES


def seeds(count: int, seed: int = 1) -> np.typing.NDArray[np.uint64]:
    return default_rng(seed).integers(0, 2**64, count, np.uint64)


def same(count: int) -> np.typing.NDArray[np.int64]:
    return np.zeros((count, 2), np.int64)


def test_matches_and_expectation_agree_for_random_tables() -> None:
    draw = default_rng(2015)
    for number in range(20):
        # Mixed tables for some, of zeros and ones for others; shallow and deep.
        tables = draw.random((4, 169))
        if number % 2:
            tables = np.round(tables)
        stack = float(draw.choice([0.75, 1.0, 2.5, 7.0, 10.0, 20.0]))
        one, two = (
            Tables(t[0][None, None].copy(), t[1][None, None].copy()) for t in (tables[:2], tables[2:])
        )
        rules = Rules((stack,), stack=0, hands=25_000)
        won = play_matches(one, two, same(40), rules, seeds(40, number), 1)
        mean = won[:, 1] / won[:, 0]
        error = mean.std(ddof=1) / 40**0.5
        exact = advantage((tables[0], tables[1]), (tables[2], tables[3]), stack)
        # 20 comparisons: four standard errors are exceeded once in 800 such tests, and the seeds are fixed.
        assert abs(mean.mean() - exact) < 4 * error, (number, mean.mean(), exact)


def test_a_match_ends_when_somebody_is_bust_or_at_the_limit() -> None:
    one = top_tables(np.array([[0.7, 0.6]]), (10.0,))
    won = play_matches(one, one, same(300), Rules(stack=20, hands=200), seeds(300), 1)
    hands, net = won[:, 0], won[:, 1]
    assert (abs(net) <= 20).all()
    assert ((abs(net) == 20) == (hands < 200)).sum() >= 299
    assert 0.2 < (net > 0).mean() < 0.8
    free = play_matches(one, one, same(5), Rules(stack=0, hands=200), seeds(5), 1)
    assert (free[:, 0] == 200).all()


def test_what_is_counted() -> None:
    one, two = (top_tables(np.array([shares]), (10.0,)) for shares in ((0.3, 1.0), (1.0, 0.0)))
    won = dict(
        zip(
            FIELDS,
            play_matches(one, two, same(1), Rules(stack=0, hands=400_000), seeds(1), 1)[0],
            strict=True,
        )
    )
    assert won["small_blinds"] == 200_000
    assert abs(won["jams"] / won["small_blinds"] - 0.3) < 0.005
    assert won["jams_other"] == 200_000
    assert won["calls"] == 200_000
    assert won["calls_other"] == 0


def test_threads_change_nothing() -> None:
    tables = top_tables(default_rng(1).random((6, 2)), (4.0, 10.0))
    pairs = np.array([(i, j) for i in range(6) for j in range(i)])
    rules = Rules((4.0, 10.0), 100, 500)
    one, three = (play_matches(tables, tables, pairs, rules, seeds(15), workers) for workers in (1, 3))
    assert (one == three).all()


def test_a_short_stack_plays_the_table_of_the_smallest_cap_that_covers_it() -> None:
    # Jams with one big blind only; 1.5 are left to both, so it is never the table of 10 that plays.
    jam, call = np.zeros((1, 3, 169)), np.ones((1, 3, 169))
    jam[0, 1] = 1
    one = Tables(jam, call)
    rules = Rules((1.0, 2.0, 10.0), stack=1.5, hands=1)
    won = play_matches(one, one, same(3000), rules, seeds(3000), 1)
    # A cap of 1 is drawn in a third of the hands, and then nobody jams.
    assert 0.63 < (won[:, 3] + won[:, 4]).mean() < 0.70


def test_ties_are_counted_exactly() -> None:
    ties, table = tie_table(), all_in_table()
    assert (ties == ties.T).all()
    # Two points for a win and one for a tie: without the ties an even number is left.
    assert ((table.points - ties) % 2 == 0).all()
    win, show = chances()
    lost = 1 - show
    assert np.allclose(win, lost.T, atol=1e-15)
    assert np.allclose((win + show) / 2, table.equity, atol=1e-12)
    aces = HAND_CLASSES.index("AA")
    # Of 1,712,304 boards that two pairs of aces in the same suits pair by pair have, all but the flushes tie.
    assert 0.95 < ties[aces, aces] / (table.pairs[aces, aces] * BOARDS) < 0.96
