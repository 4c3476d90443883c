"""Which of several strategies to play next, by what each has won: Thompson's sampling with normal beliefs.

Before each hand a value is drawn for every strategy from what is believed of it, and the one with the highest
value plays: each plays as often as it is likely to be the best (Thompson 1933). A strategy's winnings a hand
are taken as normal around an unknown mean, with one variance for all; the beliefs about the means are normal,
too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from random import Random
from typing import Final, NamedTuple

_DEVIATION: Final = 8.0
"""Deviation of a hand's winnings before any is played, in big blinds."""
_WORTH: Final = 10
"""Hands that this is worth."""


class Belief(NamedTuple):
    """What is believed of a strategy's winnings a hand: a normal distribution."""

    mean: float
    deviation: float


class Pool:
    """The strategies by number, each with the ``first`` belief of it. Winnings are in big blinds."""

    def __init__(self, first: Sequence[Belief]) -> None:
        self._first = tuple(first)
        self.hands = [0] * len(first)
        self.totals = [0.0] * len(first)
        self._squares = 0.0

    def add(self, number: int, won: float) -> None:
        """Count a hand that a strategy has played."""
        self.hands[number] += 1
        self.totals[number] += won
        self._squares += won * won

    def beliefs(self) -> Iterator[Belief]:
        """Yield what is believed of each strategy now."""
        # The mean square instead of the variance: it is a little larger, which is careful.
        variance = (self._squares + _WORTH * _DEVIATION**2) / (sum(self.hands) + _WORTH)
        for first, hands, total in zip(self._first, self.hands, self.totals, strict=True):
            if not first.deviation:
                yield first
                continue
            weight, known = hands / variance, 1 / first.deviation**2
            yield Belief(
                (total / variance + first.mean * known) / (weight + known), sqrt(1 / (weight + known))
            )

    def choose(self, random: Random) -> int:
        """Return the strategy of the next hand."""
        draws = [random.gauss(*belief) for belief in self.beliefs()]
        return draws.index(max(draws))
