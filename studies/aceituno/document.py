"""The tests of Aceituno 2017, 6, and their outcomes: the document's tables as data."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import NamedTuple

from strategy.adaptive.parameters import AdaptiveParameters

TOURNAMENTS = 400
"""Tournaments in each of the five tests."""

EQUAL = 1 / 5
"""The share of the wins of one of five equal players."""


LEARN_EVERY = 10
"""N, which the document does not give; such a short interval reproduces its results (see the notes)."""


class PrintedOutcome(NamedTuple):
    """A player's row: tournaments won, balance in thousands of chips, final thresholds."""

    wins: int
    balance: int
    raise_at: float
    fold_below: float


class PrintedTest(NamedTuple):
    """A test: the settings of each player, the varied ones, and the outcomes; 400 tournaments."""

    name: str
    section: str
    varied: str
    players: tuple[AdaptiveParameters, ...]
    outcomes: tuple[PrintedOutcome, ...]

    @property
    def best(self) -> int:
        """Return the player with the most wins, counted from 0."""
        wins = [one.wins for one in self.outcomes]
        return wins.index(max(wins))


def _learners(raise_at: float, fold_below: float, steps: tuple[float, ...]) -> tuple[AdaptiveParameters, ...]:
    return tuple(
        AdaptiveParameters(raise_at, fold_below, 0.5, 0.15, 0.1, 0.25, (mu,), learn_every=LEARN_EVERY)
        for mu in steps
    )


def _weighted(*weights: tuple[float, float, float, float]) -> tuple[AdaptiveParameters, ...]:
    return tuple(AdaptiveParameters(0.55, 0.3, *one) for one in weights)


def _outcomes(wins: str, balances: str, finals: str = "") -> tuple[PrintedOutcome, ...]:
    thresholds = finals.split() or ["0.55/0.3"] * 5
    return tuple(
        PrintedOutcome(int(won), int(balance), *(float(one) for one in final.split("/")))
        for won, balance, final in zip(wins.split(), balances.split(), thresholds, strict=True)
    )


TESTS: Mapping[int, PrintedTest] = {
    1: PrintedTest(
        "Prueba 1",
        "6.2, Prueba 1",
        "nothing",
        _learners(0.6, 0.25, (0.05,) * 5),
        _outcomes("202 3 2 188 5", "610 -385 -390 540 -375", "0.55/0.3 0.95/0.9 0.95/0.9 0.6/0.25 0.95/0.9"),
    ),
    2: PrintedTest(
        "Prueba 2",
        "6.2, Prueba 2",
        "mu",
        _learners(0.55, 0.3, (0.1, 0.08, 0.06, 0.04, 0.02)),
        _outcomes(
            "2 11 5 187 195", "-390 -345 -375 535 575", "0.95/0.9 0.95/0.94 0.97/0.96 0.43/0.42 0.55/0.3"
        ),
    ),
    3: PrintedTest(
        "Prueba 3",
        "6.2, Prueba 3",
        "weight of V",
        _weighted(
            (0.7, 0.1, 0.1, 0.1),
            (0.6, 0.1, 0.15, 0.15),
            (0.5, 0.15, 0.15, 0.2),
            (0.4, 0.2, 0.2, 0.2),
            (0.3, 0.2, 0.25, 0.25),
        ),
        _outcomes("91 93 75 66 75", "55 65 -25 -70 -25"),
    ),
    4: PrintedTest(
        "Prueba 4",
        "6.2, Prueba 4",
        "weight of P",
        _weighted(
            (0.6, 0.3, 0.05, 0.05),
            (0.6, 0.25, 0.075, 0.075),
            (0.6, 0.2, 0.1, 0.1),
            (0.6, 0.15, 0.125, 0.125),
            (0.6, 0.1, 0.15, 0.15),
        ),
        _outcomes("75 83 73 73 96", "-25 15 -35 -35 80"),
    ),
    5: PrintedTest(
        "Prueba 5",
        "6.2, Prueba 5",
        "weights of B and S",
        _weighted(
            (0.6, 0.1, 0.25, 0.05),
            (0.6, 0.1, 0.2, 0.1),
            (0.6, 0.1, 0.15, 0.15),
            (0.6, 0.1, 0.1, 0.2),
            (0.6, 0.1, 0.05, 0.25),
        ),
        _outcomes("72 96 89 67 76", "-40 80 45 -65 -20"),
    ),
}

_PRINTED_VALUES = """
10000 9881 9821 9762 9702 9643 9583 9524 9464 9405 9345 9286 9226 9167 9107 9048 8988 8929 8869 8810 8750 8690
8631 8571 8512 8452 8393 8333 8274 8214 8155 8095 8036 7976 7917 7857 7798 7738 7679 7619 7560 7500 7440
7381 7321 7262 7202 7143 7083 7024 6964 6905 6845 6786 6726 6667 6607 6548 6488 6429 6369 6310 6250 6190
6131 6071 6012 5952 5893 5833 5774 5714 5655 5595 5536 5476 5417 5357 5298 5238 5179 5119 5060 5000 4940
4881 4821 4762 4702 4643 4583 4524 4464 4405 4345 4286 4226 4167 4107 4048 3988 3929 3869 3810 3750 3690
3631 3571 3512 3452 3393 3333 3274 3214 3155 3095 3036 2976 2917 2857 2798 2738 2679 2619 2560 2500 2440
2381 2321 2262 2202 2143 2083 2024 1964 1905 1845 1786 1726 1667 1607 1548 1488 1429 1369 1310 1250 1190
1131 1071 1012 0952 0893 0833 0774 0714 0655 0595 0536 0476 0417 0357 0298 0238 0179 0119 0060 0000 0000
"""
PRINTED_VALUES = tuple(int(one) / 10_000 for one in _PRINTED_VALUES.split())
"""V of the starting hands, numbers 1 to 169 of figure 12."""

HUMAN = (1, 1, 1, 1, 6), (-5, -5, -5, -5, 20)
"""Wins and balances of the test in 6.3: four bots of the best configuration, then a person."""

BEST = AdaptiveParameters()
"""The best configuration that the document found (6.3)."""


def chi_squared(wins: tuple[int, ...]) -> float:
    """Return the probability that five equal players win at least this unevenly.

    This is Pearson's test with four degrees of freedom.
    """
    expected = sum(wins) / len(wins)
    half = sum((won - expected) ** 2 for won in wins) / expected / 2
    return exp(-half) * (1 + half)
