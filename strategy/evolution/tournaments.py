"""Tournaments: what the players of a population win (the document, sections 2.3 and 2.4).

A score is in big blinds per 100 hands. It comes of simulated matches, as in the document, or it is the exact
expectation, which has no noise. A tournament of simulated matches is all of them; hands are counted.
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
    """Of n players, float64[n], and how many hands were simulated for it."""

    points: Floats
    hands: int = 0


class PopulationScorer(Protocol):
    """What scores a population."""

    def score(self, tables: PushFoldTables, draw: Generator) -> PopulationScores:
        """Of each player."""
        ...


def berger(count: int) -> list[list[tuple[int, int]]]:
    """Algorithm 2: the rounds of a tournament in which everybody meets everybody once. With an odd number one
    has a bye in each round.

    The document's ``mod`` is of the whole sum: of its last summand alone it would give players that there are
    not. Indices are from 0, and the last of an odd number is a ghost.
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
    """Exactly, what each player of ``one`` wins from each of ``two`` over both seats, the mean of all caps,
    in big blinds per 100 hands: float64[n, m].
    """
    total = np.zeros((len(one.jam), len(two.jam)))
    for level, cap in enumerate(caps):
        game = payoffs(cap)
        mine = (
            one.jam[:, level] @ game.call_gain @ two.call[:, level].T
            + (one.jam[:, level] @ game.steal)[:, None]
        )
        his = (
            two.jam[:, level] @ game.call_gain @ one.call[:, level].T
            + (two.jam[:, level] @ game.steal)[:, None]
        )
        total += (mine - his.T) / 2
    return _PER_100 * total / len(caps)


@dataclass(frozen=True)
class MatchScoring:
    """How scores are found by playing: ``repeats`` matches for each pair, on ``workers`` threads."""

    rules: MatchRules = field(default_factory=MatchRules)
    repeats: int = 1
    workers: int = 1

    def play(
        self, one: PushFoldTables, two: PushFoldTables, pairs: NDArray[np.int64], draw: Generator
    ) -> Floats:
        """Matches of the pairs, each ``repeats`` times in a row: float64[m, 7], as of ``draw_matches``."""
        pairs = np.repeat(pairs, self.repeats, axis=0)
        seeds = draw.integers(0, 2**64, len(pairs), np.uint64)
        return draw_matches(one, two, pairs, self.rules, seeds, self.workers)


@dataclass(frozen=True)
class RoundRobin:
    """Everybody meets everybody (algorithm 2). Without ``matches`` exactly, at ``caps``."""

    caps: tuple[float, ...]
    matches: MatchScoring | None = None

    def score(self, tables: PushFoldTables, draw: Generator) -> PopulationScores:
        """Big blinds won in all matches, over all hands played (2.4)."""
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
    """All against one, ``opponent``: tables of one player (algorithm 3)."""

    opponent: PushFoldTables
    caps: tuple[float, ...]
    matches: MatchScoring | None = None

    def score(self, tables: PushFoldTables, draw: Generator) -> PopulationScores:
        """Big blinds won, over the hands played."""
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
    """``rows @ matrix``, eight rows at a time: larger products are given to threads, which wait for each
    other by spinning, and that takes twenty times the time of products as small as these.
    """
    return np.concatenate([rows[start : start + 8] @ matrix for start in range(0, len(rows), 8)])


@dataclass(frozen=True)
class WorstCase:
    """Everybody meets the opponent that is best against him: not in the document.

    Who beats a population need not be near an equilibrium; who loses least to his worst opponent is. The
    score is never above 0, which is an equilibrium's. ``ranked``: opponents are simple players only.
    """

    caps: tuple[float, ...]
    ranked: bool = False

    def score(self, tables: PushFoldTables, draw: Generator) -> PopulationScores:
        """What is won at least, exactly."""
        total = np.zeros(len(tables.jam))
        for level, cap in enumerate(self.caps):
            game = payoffs(cap)
            jam, call = tables.jam[:, level], tables.call[:, level]
            replies = self._most(-_threadless_product(jam, game.call_gain))
            jams = self._most(game.steal + _threadless_product(call, game.call_gain.T))
            total += (jam @ game.steal - replies - jams) / 2
        return PopulationScores(_PER_100 * total / len(self.caps))

    def _most(self, gains: Floats) -> Floats:
        """The most that a table can take of gains [n, 169]."""
        most: Floats = np.maximum(gains, 0).sum(axis=1)
        if self.ranked:
            sums = np.cumsum(gains[:, STRENGTH], axis=1)
            most = np.maximum(sums.max(axis=1), 0)
        return most
