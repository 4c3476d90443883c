"""Probability triples: the probabilities of fold, call and raise with a hand (Peña 1999, 4).

``triple`` expresses Loki-1's rules with soft edges: around each threshold the triples of both sides are
interpolated linearly, so a slightly better hand is played only slightly differently. Its rows are ours, as
the document's own were not available. Those for Loki's own play come from some 8,000 decisions at tables of
Loki-1 that were played on with each action: weak hands gain by bets, the most when all others have checked,
as Loki-1 bets every good hand; and calls below the price lose.

``Triple`` is checked: it sums to 1. The example in Peña 1999, 4.1, has a third row (.50, .40, 0) that does
not, and is refused; ``EXAMPLE`` has .10 in its place.
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.errors import StrategyError
from strategy.jit import jit, lean_jit
from strategy.loki.views import Facts
from strategy.poker.combos import Weights

Rows = NDArray[np.float64]


class BadTriple(StrategyError):
    """Three numbers that are not the probabilities of one choice."""

    code = "bad_triple"


class Triple(NamedTuple):
    """Probabilities of fold, call and raise."""

    fold: float
    call: float
    raise_: float


def make_triple(values: tuple[float, ...]) -> Triple:
    """Return the triple of these values. Raises BadTriple unless they are 3 probabilities that sum to 1."""
    if len(values) != 3 or not all(isfinite(value) and 0 <= value <= 1 for value in values):
        raise BadTriple(f"{values} are not three probabilities")
    if abs(sum(values) - 1) > 1e-9:
        raise BadTriple(f"{values} sum to {sum(values):g}, not to 1")
    return Triple(*values)


class Example(NamedTuple):
    """The simplified function of Peña 1999, 4.1 (formula 1): a triple by EHS alone."""

    high: Triple
    middle: Triple
    low: Triple

    def at(self, ehs: float) -> Triple:
        """Return the triple of a hand."""
        return self.high if ehs > 0.75 else self.middle if ehs > 0.5 else self.low


EXAMPLE = Example(make_triple((0, 0.25, 0.75)), make_triple((0.2, 0.8, 0)), make_triple((0.5, 0.4, 0.1)))


def choose(probabilities: Triple, number: float) -> str:
    """Return the action for a number from 0 to below 1: folds have the low ones, raises the high ones.

    With one number for a whole hand a high one is aggression that lasts (Peña 1999, 4.2.1).
    """
    if number < probabilities.fold:
        return "fold"
    return "call" if number < probabilities.fold + probabilities.call else "raise"


SOFT = 0.1
"""Half the width of the soft edge at the first threshold, and the width of that at the second."""

OTHERS: Rows = np.array(
    [
        # Below the first threshold, above it, below the second, above it.
        # Nobody has bet.
        [[0, 0.88, 0.12], [0, 0.03, 0.97], [0, 0, 1], [0, 0, 1]],
        # A bet to call.
        [[0.97, 0.01, 0.02], [0, 0.9, 0.1], [0, 0.7, 0.3], [0, 0, 1]],
        # A bet to call, and two or more were made.
        [[0.98, 0.02, 0], [0.02, 0.98, 0], [0, 0.93, 0.07], [0, 0.5, 0.5]],
        # Two bets to call.
        [[1, 0, 0], [0.95, 0.05, 0], [0.4, 0.55, 0.05], [0, 0.5, 0.5]],
        # Three or more.
        [[1, 0, 0], [1, 0, 0], [0.6, 0.4, 0], [0, 0.9, 0.1]],
        # Everybody else has checked.
        [[0, 0.88, 0.12], [0, 0.03, 0.97], [0, 0, 1], [0, 0, 1]],
    ]
)
"""Triples by bets faced and by EHS: float64[6, 4, 3]; the expected play of others."""

ROWS: Rows = OTHERS.copy()
ROWS[0, :2] = (0, 0.5, 0.5), (0, 0, 1)
ROWS[1, 0] = ROWS[2, 0] = (1, 0, 0)
ROWS[5, :2] = (0, 0.15, 0.85), (0, 0, 1)
"""Loki's own triples: they bet a weak hand much more, above all when everybody else has checked, and never
raise with it.
"""

_BLUFF = 0.6
_TO_COME = 0.1
# The required margin of a hand's EHS over the price.
_STREETS = 4


@lean_jit
def _share(value: float, low: float, high: float) -> float:
    """Return the relative place of a value between two limits, 0 to 1."""
    return min(1.0, max(0.0, (value - low) / (high - low)))


@lean_jit
def triple(
    rows: Rows,
    strength: float,
    ppot: float,
    street: int,
    bets: int,
    to_call: int,
    called: bool,
    waiting: int,
    price: float,
    bluff_price: float,
    bet_at: float,
    raise_at: float,
    soft: float = SOFT,
) -> tuple[float, float, float]:
    """Return fold, call and raise for a hand and a view (``strategy.loki.views``).

    ``strength`` is HS against all opponents. ``raise_at`` counts as at least ``2 * soft``
    above ``bet_at``. ``soft`` is half the width of the soft edge at the first threshold.
    """
    ehs = strength + (1 - strength) * ppot
    second = max(raise_at, bet_at + 2 * soft)
    if to_call == 0:
        faced = 0 if waiting else 5
    elif to_call == 1 or (called and to_call == 2):
        faced = 1 if bets < 2 else 2
    else:
        faced = 3 if to_call == 2 else 4
    if ehs < bet_at + soft:
        side, part = 0, _share(ehs, bet_at - soft, bet_at + soft)
    elif ehs < second - soft / 2:
        side, part = 1, _share(ehs, bet_at + soft, second - soft / 2)
    else:
        side, part = 2, _share(ehs, second - soft / 2, second + soft / 2)
    fold = rows[faced, side, 0] * (1 - part) + rows[faced, side + 1, 0] * part
    raise_ = rows[faced, side, 2] * (1 - part) + rows[faced, side + 1, 2] * part
    if to_call:
        # Pot odds: a hand with the price does not fold. Before the last card EHS promises too much.
        least = price + (_TO_COME if street < _STREETS - 1 else 0.0)
        fold *= 1 - _share(ehs, least - soft / 2, least + soft / 2)
    elif ppot > 0:
        raise_ = max(raise_, _BLUFF * _share(ppot, bluff_price - soft / 2, bluff_price + soft / 2))
    return fold, 1 - fold - raise_, raise_


@jit
def triples(
    rows: Rows, strengths: Weights, ppots: Weights, facts: Facts, bet_at: float, raise_at: float
) -> Weights:
    """Return ``triple`` for every hand: float64[1326, 3]."""
    result = np.empty((len(strengths), 3))
    for hand in range(len(strengths)):
        fold, call, raise_ = triple(rows, strengths[hand], ppots[hand], *facts, bet_at, raise_at)
        result[hand, 0], result[hand, 1], result[hand, 2] = fold, call, raise_
    return result
