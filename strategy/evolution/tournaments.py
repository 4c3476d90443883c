"""Tournaments: scores of the players of a population (the document, sections 2.3 and 2.4).

A score is in big blinds per 100 hands. It comes from simulated matches, as in the document, or is the exact
expectation, which has no noise. A simulated tournament counts the hands of all its matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from strategy.pushfold.game import payoffs
from strategy.pushfold.kernel import MatchRules, PushFoldTables
from strategy.pushfold.outcomes import draw_matches
from strategy.pushfold.rankings import STRENGTH

Floats = NDArray[np.float64]
_PER_100 = 100.0


class PopulationScores(NamedTuple):
    """The scores of n players, float64[n], and the number of hands simulated for them."""

    points: Floats
    hands: int = 0


class PopulationScorer(Protocol):
    """Scores a population."""

    def score(self, tables: PushFoldTables, draw: Generator) -> PopulationScores:
        """Return the score of each player."""
        ...


def berger(count: int) -> list[list[tuple[int, int]]]:
    """Return the rounds of a tournament in which all meet each other once (algorithm 2).

    With an odd number one player has a bye in each round. The document's ``mod`` applies to the whole sum:
    applied only to its last summand it would give nonexistent players. Indices are from 0, and the last of an
    odd number is a ghost.
    """
    size = count + count % 2
    rounds = []
    for turn in range(size - 1):
        shift = turn * (size // 2)
        pairs = []
        for place in range(count % 2, size // 2):
            one = (place + shift) % (size - 1)
            two = size - 1 if place == 0 else (size - 1 - place + shift) % (size - 1)
            pairs.append((one, two))
        rounds.append(pairs)
    return rounds


def advantages(one: PushFoldTables, two: PushFoldTables, caps: Sequence[float]) -> Floats:
    """Return the exact winnings of each player of ``one`` against each of ``two``: float64[n, m].

    They are over both seats, the mean of all caps, in big blinds per 100 hands.
    """
    total = np.zeros((len(one.jam), len(two.jam)))
    for level, cap in enumerate(caps):
        game = payoffs(cap)
        mine, his = (
            jam[:, level] @ game.call_gain @ call[:, level].T + (jam[:, level] @ game.steal)[:, None]
            for jam, call in ((one.jam, two.call), (two.jam, one.call))
        )
        total += (mine - his.T) / 2
    return _PER_100 * total / len(caps)


@dataclass(frozen=True)
class MatchScoring:
    """Scoring by playing: ``repeats`` matches for each pair, on ``workers`` threads."""

    rules: MatchRules = field(default_factory=MatchRules)
    repeats: int = 1
    workers: int = 1

    def play(
        self, one: PushFoldTables, two: PushFoldTables, pairs: NDArray[np.int64], draw: Generator
    ) -> Floats:
        """Play the pairs, each ``repeats`` times in a row: float64[m, 7], as from ``draw_matches``."""
        pairs = np.repeat(pairs, self.repeats, axis=0)
        seeds = draw.integers(0, 2**64, len(pairs), np.uint64)
        return draw_matches(one, two, pairs, self.rules, seeds, self.workers)


@dataclass(frozen=True)
class RoundRobin:
    """A round robin (algorithm 2). Without ``matches`` it is exact, at ``caps``."""

    caps: tuple[float, ...]
    matches: MatchScoring | None = None

    def score(self, tables: PushFoldTables, draw: Generator) -> PopulationScores:
        """Return the big blinds won in all matches, divided by all hands played (2.4)."""
        size = len(tables.jam)
        if self.matches is None:
            return PopulationScores(advantages(tables, tables, self.caps).sum(axis=1) / (size - 1))
        pairs = np.array([pair for pairs in berger(size) for pair in pairs])
        won = self.matches.play(tables, tables, pairs, draw)
        pairs = np.repeat(pairs, self.matches.repeats, axis=0)
        net, hands = np.zeros(size), np.zeros(size)
        for side, sign in ((0, 1), (1, -1)):
            np.add.at(net, pairs[:, side], sign * won[:, 1])
            np.add.at(hands, pairs[:, side], won[:, 0])
        return PopulationScores(_PER_100 * net / hands, int(won[:, 0].sum()))


@dataclass(frozen=True)
class AgainstOne:
    """All players against one ``opponent``, the tables of one player (algorithm 3)."""

    opponent: PushFoldTables
    caps: tuple[float, ...]
    matches: MatchScoring | None = None

    def score(self, tables: PushFoldTables, draw: Generator) -> PopulationScores:
        """Return the big blinds won, divided by the hands played."""
        size = len(tables.jam)
        if self.matches is None:
            return PopulationScores(advantages(tables, self.opponent, self.caps)[:, 0])
        pairs = np.stack([np.arange(size), np.zeros(size, np.int64)], axis=1)
        won = (
            self.matches.play(tables, self.opponent, pairs, draw)
            .reshape(size, self.matches.repeats, -1)
            .sum(axis=1)
        )
        return PopulationScores(_PER_100 * won[:, 1] / won[:, 0], int(won[:, 0].sum()))


def _threadless_product(rows: Floats, matrix: Floats) -> Floats:
    """Return ``rows @ matrix``, computed eight rows at a time.

    Larger products use threads, which wait for each other by spinning; that takes twenty times as long as
    such small products.
    """
    return np.concatenate([rows[start : start + 8] @ matrix for start in range(0, len(rows), 8)])


@dataclass(frozen=True)
class WorstCase:
    """Each player against the best opponent for that player: not in the document.

    A player who beats a population need not be close to an equilibrium; the one who loses least to its worst
    opponent is. The score is never above 0, the score of an equilibrium. ``ranked``: opponents are simple
    players only.
    """

    caps: tuple[float, ...]
    ranked: bool = False

    def score(self, tables: PushFoldTables, draw: Generator) -> PopulationScores:
        """Return the exact minimum winnings."""
        total = np.zeros(len(tables.jam))
        for level, cap in enumerate(self.caps):
            game = payoffs(cap)
            jam, call = tables.jam[:, level], tables.call[:, level]
            replies = self._most(-_threadless_product(jam, game.call_gain))
            jams = self._most(game.steal + _threadless_product(call, game.call_gain.T))
            total += (jam @ game.steal - replies - jams) / 2
        return PopulationScores(_PER_100 * total / len(self.caps))

    def _most(self, gains: Floats) -> Floats:
        """Return the most that a table can take from gains [n, 169]."""
        most: Floats = np.maximum(gains, 0).sum(axis=1)
        if self.ranked:
            sums = np.cumsum(gains[:, STRENGTH], axis=1)
            most = np.maximum(sums.max(axis=1), 0)
        return most
