"""Three coins: an equilibrium that protects nobody from two who agree."""

from __future__ import annotations

import numpy as np
import pytest

from strategy.cfr.three_coins_example import gains, learn, payoffs


def test_half_and_half_is_an_equilibrium() -> None:
    assert payoffs((0.5, 0.5, 0.5)).tolist() == [0, 0, 0]
    assert gains((0.5, 0.5, 0.5)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("side", [0.0, 1.0])
def test_two_who_agree_cost_the_third_half_a_stake_a_round(side: float) -> None:
    assert payoffs((0.5, side, side)).tolist() == [-0.5, 0.25, 0.25]
    assert payoffs((side, side, 0.5)).tolist() == [0.25, 0.25, -0.5]
    # He would do better to join them, and they cannot do better.
    assert gains((0.5, side, side)).tolist() == [0.5, 0, 0]


def test_who_is_alone_pays() -> None:
    assert payoffs((1, 1, 0)).tolist() == [0.5, 0.5, -1]
    assert payoffs((0, 1, 0)).tolist() == [0.5, -1, 0.5]
    assert payoffs((1, 1, 1)).tolist() == [0, 0, 0]
    assert payoffs((0.3, 0.8, 0.6)).sum() == pytest.approx(0)


def test_without_regrets_everybody_stays_at_half() -> None:
    assert learn(100, np.zeros((3, 2))) == [0.5, 0.5, 0.5]


def test_whoever_starts_with_the_same_side_stays_there() -> None:
    """Also an equilibrium: regret matching finds one or the other."""
    heads = learn(100, np.array([[1.0, 0.0]] * 3))
    assert heads == [1, 1, 1]
    assert gains(heads).tolist() == [0, 0, 0]
