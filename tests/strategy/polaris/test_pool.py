from __future__ import annotations

from random import Random

import pytest

from strategy.polaris.pool import Belief, Pool


def test_without_hands_the_first_beliefs_hold() -> None:
    first = [Belief(0.0, 0.5), Belief(-0.3, 0.5)]
    assert [tuple(belief) for belief in Pool(first).beliefs()] == [pytest.approx(one) for one in first]


def test_winnings_move_a_belief_as_bayes_rule_has_it() -> None:
    """The same as a regression on a grid of possible means."""
    pool = Pool([Belief(-0.3, 0.5)])
    won = [4.0, -7.0, 12.0, 1.0, 3.0, -2.0, 8.0]
    for one in won:
        pool.add(0, one)
    variance = (sum(one * one for one in won) + 10 * 64) / (len(won) + 10)
    means = [number / 1000 for number in range(-4000, 4000)]
    chances = [
        2.718281828459045
        ** (-((mean + 0.3) ** 2) / 0.5 - sum((one - mean) ** 2 for one in won) / 2 / variance)
        for mean in means
    ]
    expected = sum(map(lambda mean, chance: mean * chance, means, chances)) / sum(chances)
    spread = sum(map(lambda mean, chance: (mean - expected) ** 2 * chance, means, chances)) / sum(chances)
    [belief] = pool.beliefs()
    assert belief.mean == pytest.approx(expected, abs=1e-3)
    assert belief.deviation == pytest.approx(spread**0.5, abs=1e-3)


def test_what_wins_most_is_played_most() -> None:
    """In 3,000 hands against somebody from whom the first wins half of what can be won."""
    true, won = (0.6, 1.2, 0.9, -2.0), 0.0
    for seed in range(20):
        random = Random(seed)
        pool = Pool([Belief(0.0, 0.5), *[Belief(-0.3, 0.5)] * 3])
        for _ in range(3000):
            number = pool.choose(random)
            pool.add(number, random.gauss(true[number], 4.6))
        assert pool.hands[3] < 300
        won += sum(hands * mean for hands, mean in zip(pool.hands, true, strict=True)) / 3000 / 20
    assert won > 0.9


def test_without_doubt_it_never_moves() -> None:
    pool, random = Pool([Belief(0.0, 0.0), Belief(-0.3, 0.0)]), Random(2)
    for _ in range(100):
        number = pool.choose(random)
        pool.add(number, -10.0)
    assert pool.hands == [100, 0]
