"""Players whose results against each other are known exactly; among them sixty push/fold players.

These play heads-up with ten big blinds. Deal sets are drawn by class of hand: both seatings get the same two
classes and the same board, as in a duplicate match.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from operator import mul
from random import Random

import numpy as np
from numpy.typing import NDArray

from dealer.ratings.results import UNITS_PER_MBB, LineUpSums
from strategy.jit import jit_nogil
from strategy.poker.allin import all_in_table
from strategy.poker.kernels import uniform
from strategy.pushfold.equilibrium import equilibrium
from strategy.pushfold.game import BIG_BLIND, SMALL_BLIND, HandTable, Pair, advantage
from strategy.pushfold.rankings import top_range
from strategy.pushfold.ties import chances

Floats = NDArray[np.float64]

STACK = 10.0
#: Players of the field, by how they are made.
_SOLVED_AT = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0)
_RANGES = 30
_PERTURBED = 20
_SEED = 60
_MBB = 1000


class Field(ABC):
    """Players with their exact results.

    ``names``: of the players. ``truth``: what each wins from each on average, float64[n, n] in mbb/hand.
    ``ratings``: each player's mean over all opponents, float64[n].
    """

    def __init__(self, names: Sequence[str], truth: Floats) -> None:
        self.names = tuple(names)
        self.truth = truth
        self.ratings: Floats = truth.sum(axis=1) / (len(names) - 1)

    @abstractmethod
    def draw(self, one: int, two: int, count: int, seed: int) -> tuple[Floats, Floats]:
        """Return what player ``one`` wins from ``two`` in ``count`` deal sets (mbb/hand), with all luck and
        without that which the ladder takes out: two float64[count].
        """

    def match(self, one: int, two: int, count: int, seed: int) -> tuple[float, LineUpSums]:
        """Return what player ``one`` wins in ``count`` deal sets in all, with all luck, and their sums
        without it, bots in alphabetical order of their names.
        """
        raw, adjusted = self.draw(one, two, count, seed)
        units = np.rint(adjusted * UNITS_PER_MBB).astype(np.int64).tolist()
        total, squares = sum(units), sum(map(mul, units, units))
        if self.names[one] > self.names[two]:
            total = -total
        return float(raw.sum()), LineUpSums(count, (total, -total), (squares, -squares, squares))

    def sums(self, one: int, two: int, count: int, seed: int) -> LineUpSums:
        """Return the sums of deal sets without luck, bots in alphabetical order of their names."""
        return self.match(one, two, count, seed)[1]


class PushFoldField(Field):
    """Push/fold players."""

    def __init__(self, players: dict[str, Pair], stack: float = STACK) -> None:
        self._stack = stack
        self._jam = np.array([pair[0] for pair in players.values()])
        self._call = np.array([pair[1] for pair in players.values()])
        pairs = list(players.values())
        truth = np.array([[_MBB * advantage(one, two, stack) for two in pairs] for one in pairs])
        super().__init__(tuple(players), truth)

    def with_copy(self, player: int, name: str) -> PushFoldField:
        """Return the field with a second player, called ``name``, who plays as another."""
        players = dict(zip(self.names, zip(self._jam, self._call, strict=True), strict=True))
        return PushFoldField({**players, name: (self._jam[player], self._call[player])}, self._stack)

    def draw(self, one: int, two: int, count: int, seed: int) -> tuple[Floats, Floats]:
        """Luck is the board after an all-in."""
        win, show = chances()
        raw, adjusted = np.empty(count), np.empty(count)
        _draw(
            _deals(),
            (win, show, 2 * all_in_table().equity - 1),
            (self._jam[one], self._call[one], self._jam[two], self._call[two]),
            self._stack,
            np.uint64(seed),
            raw,
            adjusted,
        )
        return _MBB / 2 * raw, _MBB / 2 * adjusted


@jit_nogil
def _draw(
    deals: Floats,
    showdowns: tuple[Floats, Floats, Floats],
    tables: tuple[Floats, Floats, Floats, Floats],
    stack: float,
    seed: np.uint64,
    raw: Floats,
    adjusted: Floats,
) -> None:
    win, show, equity = showdowns
    jam, call, jam_other, call_other = tables
    state = np.array([seed], dtype=np.uint64)
    for number in range(len(raw)):
        deal = np.searchsorted(deals, uniform(state), side="right")
        small, big = deal // 169, deal % 169
        luck = uniform(state)
        pot = stack * (1.0 if luck < win[small, big] else 0.0 if luck < show[small, big] else -1.0)
        fair = stack * equity[small, big]
        for sign in (1.0, -1.0):
            # Both seatings get the same cards: the first player sits in the small blind, then the second.
            pushes = uniform(state) < (jam[small] if sign > 0 else jam_other[small])
            answers = uniform(state) < (call_other[big] if sign > 0 else call[big])
            if not pushes:
                won = fair_won = -SMALL_BLIND
            elif not answers:
                won = fair_won = BIG_BLIND
            else:
                won, fair_won = pot, fair
            if sign > 0:
                raw[number], adjusted[number] = won, fair_won
            else:
                raw[number] -= won
                adjusted[number] -= fair_won


@cache
def _deals() -> Floats:
    """Return the cumulated probabilities of pairs of classes, float64[169 * 169]."""
    pairs = all_in_table().pairs.ravel()
    return np.cumsum(pairs / pairs.sum())


@cache
def push_fold_field() -> PushFoldField:
    """Return the sixty players: solved for other stacks, playing the top of a ranking, and equilibria with
    mistakes.
    """
    random = Random(_SEED)
    players: dict[str, Pair] = {}
    for stack in _SOLVED_AT:
        solved = equilibrium(stack)
        players[f"solved-{stack:g}"] = (solved.jam, solved.call)
    for _ in range(_RANGES):
        jam, call = random.uniform(20, 90), random.uniform(10, 70)
        players[f"top-{jam:.0f}-{call:.0f}"] = (top_range(jam), top_range(call))
    best = equilibrium(STACK)
    for number in range(_PERTURBED):
        share = 0.01 + 0.3 * random.random()
        players[f"slips-{number + 1}"] = (
            _with_mistakes(best.jam, share, random),
            _with_mistakes(best.call, share, random),
        )
    return PushFoldField(players)


def _with_mistakes(table: HandTable, share: float, random: Random) -> HandTable:
    """Return a table that plays the other way with a share of the classes."""
    return np.array([1 - chance if random.random() < share else chance for chance in table])
