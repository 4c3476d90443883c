"""Sixty push/fold players whose results against each other are known exactly.

All play heads-up with ten big blinds. Deal sets are drawn by class of hand: both seatings get the same two
classes and the same board, as in a duplicate match.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from strategy.poker.allin import all_in_table
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


class DealSets(NamedTuple):
    """What the first player wins in deal sets, in mbb/hand: all-ins by the board, and by equity."""

    raw: Floats
    adjusted: Floats


class PushFoldField:
    """Players with their exact results.

    ``names``: of the players. ``truth``: what each wins from each on average, float64[n, n] in mbb/hand.
    ``ratings``: each player's mean over all opponents, float64[n].
    """

    def __init__(self, players: dict[str, Pair], stack: float = STACK) -> None:
        self.names = tuple(players)
        self._stack = stack
        self._jam = np.array([pair[0] for pair in players.values()])
        self._call = np.array([pair[1] for pair in players.values()])
        pairs = list(players.values())
        self.truth = np.array([[_MBB * advantage(one, two, stack) for two in pairs] for one in pairs])
        self.ratings: Floats = self.truth.sum(axis=1) / (len(pairs) - 1)

    def draw(self, one: int, two: int, count: int, draw: Generator) -> DealSets:
        """Return ``count`` deal sets of player ``one`` against player ``two``."""
        deals = np.searchsorted(_deals(), draw.random(count), side="right")
        small, big = np.divmod(deals, 169)
        luck = draw.random(count)
        win, show = chances()
        raw_pot = np.where(luck < win[small, big], 1.0, np.where(luck < show[small, big], 0.0, -1.0))
        equity = 2 * all_in_table().equity[small, big] - 1
        first = self._hands(one, two, small, big, draw)
        second = self._hands(two, one, small, big, draw)
        raw, adjusted = (
            _MBB / 2 * (_winnings(first, self._stack * pot) - _winnings(second, self._stack * pot))
            for pot in (raw_pot, equity)
        )
        return DealSets(raw, adjusted)

    def _hands(
        self, button: int, other: int, small: NDArray[np.int64], big: NDArray[np.int64], draw: Generator
    ) -> NDArray[np.int64]:
        """Return how hands end: 0 if the small blind folds, 1 if the big blind folds, 2 with a showdown."""
        jams = draw.random(len(small)) < self._jam[button][small]
        calls = draw.random(len(big)) < self._call[other][big]
        return np.where(jams, np.where(calls, 2, 1), 0)


def _winnings(ends: NDArray[np.int64], showdown: Floats) -> Floats:
    """Return the small blind's winnings in big blinds."""
    return np.where(ends == 2, showdown, np.where(ends == 1, BIG_BLIND, -SMALL_BLIND))


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
