"""Three coins: an equilibrium that protects nobody from two who agree (docs/solver.md).

Each of three players stakes one unit and chooses heads or tails; nobody sees the others' choice. When two
choose alike and one does not, the two share the stake of the one. Everybody choosing heads half of the time
is an equilibrium, and yet two who always choose heads cost the third half a unit each round (Glöckner 2013,
section 3.2, after Abou Risk and Szafron 2010).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from strategy.cfr.small import Floats
from strategy.cfr.variants import match_regrets
from studies.gloeckner.errata import coin_winnings

_PLAYERS = 3
_LEGAL = np.array([[True, True, False]] * _PLAYERS)
"""Heads and tails, and no third action."""


def payoffs(heads: Sequence[float]) -> Floats:
    """What each wins on average when they choose heads with these probabilities: float64[3]."""
    return np.array(coin_winnings(heads))


def gains(heads: Sequence[float]) -> Floats:
    """What each would win more by the better of heads and tails, the others as they do."""
    more: Floats = _choice_payoffs(heads).max(axis=1) - payoffs(heads)
    return more


def learn(rounds: int, regrets: Floats) -> list[float]:
    """Play so many rounds by regret matching, from these regrets for heads and tails, float64[3, 2].

    Returns how often each has chosen heads on average.
    """
    sums, strategy = np.zeros((_PLAYERS, 1, 3)), np.zeros((_PLAYERS, 1, 3))
    sums[:, 0, :2] = regrets
    average = np.zeros(_PLAYERS)
    for _ in range(rounds):
        for player in range(_PLAYERS):
            match_regrets(sums, _LEGAL, player, 0, 1, strategy)
        heads = [float(chance) for chance in strategy[:, 0, 0]]
        sums[:, 0, :2] += _choice_payoffs(heads) - payoffs(heads)[:, None]
        average += heads
    return [float(chance) for chance in average / rounds]


def _choice_payoffs(heads: Sequence[float]) -> Floats:
    """What each wins with heads and with tails, the others as they do: float64[3, 2]."""
    return np.array(
        [
            [payoffs([*heads[:player], choice, *heads[player + 1 :]])[player] for choice in (1.0, 0.0)]
            for player in range(_PLAYERS)
        ]
    )


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
