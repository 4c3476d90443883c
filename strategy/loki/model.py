"""Opponent modelling: what opponents do, and which hands fit it (Papp 1998, 7; Peña 1999, 3.3).

``Frequencies`` are kept between hands, one object for all opponents. ``linear_factor`` is Loki-1's factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt

import numpy as np

from dealer.rules.events import Acted, BoardDealt, Event, HandStarted
from strategy.poker.combos import Weights
from strategy.poker.income import income_rates

FLOOR = 0.01
"""Minimum weight as a share of the table's largest: opponents surprise."""

SIGMA = 0.2
"""Half the width of the linear part of the factor, in EHS, for an action of every second hand."""

SIGMA_INCOME = 330.0
"""The same before the flop, in milli-bets."""

_LEAST_SIGMA = 0.25
# Of what SIGMA and SIGMA_INCOME are: nobody's threshold is exactly known.

ActionRates = tuple[float, float, float]
"""Frequencies of fold, call (or check) and raise (or bet)."""

DEFAULTS: tuple[ActionRates, ActionRates, ActionRates] = ((0.0, 0.5, 0.5), (0.5, 0.3, 0.2), (0.7, 0.2, 0.1))
"""With no, one, and two or more bets to call (Papp 1998, table B.2)."""

_KINDS = {"fold": 0, "call": 1, "raise": 2}
_PRIOR = 20.0
# Number of actions that the defaults count for; our own value.
_LEAST_MEAN = 0.05
# Most players do anything that excludes so few hands; ours is Papp's fifth percentile.


class Frequencies:
    """Counts of actions by seat, street and bets to call."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, int, int], list[float]] = {}
        self._levels: dict[int, int] = {}
        self._street = self._bets = 0

    def observe(self, event: Event) -> None:
        """Count an action, except those that the table takes for an absent player."""
        match event:
            case Acted(seat=seat, action=kind, forced=forced):
                behind = self._bets - self._levels.get(seat, 0)
                if not forced:
                    self.count(seat, self._street, behind, kind)
                self._bets += kind == "raise"
                self._levels[seat] = self._bets
            case BoardDealt(street, _):
                self._street, self._bets = street, 0
                self._levels = {}
            case HandStarted():
                big = max(event.blinds)
                self._street, self._bets = 0, 1
                self._levels = {
                    seat: int(blind >= big) for seat, blind in zip(event.seats, event.blinds, strict=True)
                }

    def count(self, seat: int, street: int, to_call: int, kind: str) -> None:
        """Count one action."""
        counts = self._counts.setdefault((seat, street, min(2, to_call)), [0.0, 0.0, 0.0])
        counts[_KINDS[kind]] += 1

    def rates(self, seat: int, street: int, to_call: int) -> ActionRates:
        """Return the defaults blended with this player's observed frequencies."""
        defaults = DEFAULTS[min(2, to_call)]
        counts = self._counts.get((seat, street, min(2, to_call)))
        if counts is None:
            return defaults
        total = _PRIOR + sum(counts)
        fold, call, raise_ = (
            (_PRIOR * rate + seen) / total for rate, seen in zip(defaults, counts, strict=True)
        )
        return fold, call, raise_

    def tendencies(self, seat: int) -> tuple[float, float]:
        """Return how much more often than the defaults the player folds and raises after the flop: two
        ratios.
        """
        expected = [0.0, 0.0]
        seen = [0.0, 0.0]
        for street in (1, 2, 3):
            for to_call in (0, 1, 2):
                counts = self._counts.get((seat, street, to_call), (0.0, 0.0, 0.0))
                for place, kind in enumerate((0, 2)):
                    expected[place] += DEFAULTS[to_call][kind] * sum(counts)
                    seen[place] += counts[kind]
        half = _PRIOR / 2
        return (half + seen[0]) / (half + expected[0]), (half + seen[1]) / (half + expected[1])


def mean_of(kind: str, rates: ActionRates) -> float:
    """Return mu: the threshold of an action is the share of all hands that would do less."""
    # For a call that is 1 - r - c, which is f without a rounding error when f is 0.
    return 1 - rates[2] if kind == "raise" else rates[0]


def sigma_part(mean: float) -> float:
    """Return by how much sigma is smaller than for an action of every second hand, from the frequency alone
    (Papp 1998, 7.2; Peña 1999, 3.3): the standard deviation of a yes or no as frequent as that.

    mu = .6 has a sigma of .2, as in Papp's example; what hardly anybody or nearly everybody does says more
    exactly where its threshold lies.
    """
    return max(_LEAST_SIGMA, 2 * sqrt(mean * (1 - mean)))


def linear_factor(values: Weights, mean: float, spread: float) -> Weights:
    """Return the likelihood of the action for hands of each value: .01 below mu - sigma, 1 above mu + sigma,
    linear in between.
    """
    return np.clip((values - mean + spread) / (2 * spread), FLOOR, 1.0)


@cache
def _sorted_incomes() -> Weights:
    return np.sort(income_rates(7))


def income_mean(mean: float) -> float | None:
    """Return the income rate that this share of all hands is below; None if the share is too small
    to matter.
    """
    if mean < _LEAST_MEAN:
        return None
    incomes = _sorted_incomes()
    return float(incomes[min(len(incomes) - 1, int(mean * len(incomes)))])


def reweight(table: Weights, factor: Weights) -> Weights:
    """Return the table after an observation: weight .90 becomes .18 if the hand acts like this with
    probability .2.

    Weights stay above the floor.
    """
    changed = table * factor
    floored: Weights = np.maximum(changed, FLOOR * changed.max())
    return floored


def mean_table(tables: Sequence[Weights]) -> Weights:
    """Return one table for all opponents: the mean of theirs, each scaled to the same sum."""
    mean: Weights = np.mean([table / table.sum() for table in tables], axis=0)
    return mean
