"""Hold'em hands in buckets with imperfect recall: clusters by how they may develop.

A hand's histogram says how often the hand will have which strength on the river, against a random hand, over
all boards that may come. Two hands are close if one histogram becomes the other by moving little weight over
small distances (earth mover's distance). In one dimension this is the sum of the absolute differences of the
cumulative histograms. It keeps a draw apart from a hand of middling strength; a mean could not. Before the
flop each of the 169 classes is a cluster.

Source: Johanson, Burch, Valenzano and Bowling 2013, Evaluating state-space abstractions in extensive-form
games, section 4; centres are medians here, which suit this distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.abstraction import States, deal_board
from strategy.jit import jit
from strategy.poker.combos import CLASSES, combo_index, live
from strategy.poker.kernels import TABLE, Ints, Ranks, keys_of, rng, runouts
from strategy.poker.preflop import HAND_CLASSES
from strategy.poker.strength import check_board, check_cards
from strategy.poker.strengths import HAND_POINTS, rank_hands, river_points
from strategy.progress import ProgressCallback, chunks, no_progress

BINS = 30

Histograms = NDArray[np.float32]
"""Cumulative: ``[i]`` is the probability of ending in bin ``i`` or a weaker one. float32[n, BINS], the last
is 1.
"""

_BOARDS = (0, 3, 4, 5)
_ROUNDS = 30
_BLOCK = 4096


class Clusters(NamedTuple):
    """Clusters of hands. ``centres``: the histogram of each cluster, weak to strong, for flop, turn and
    river.
    """

    centres: tuple[Histograms, Histograms, Histograms]

    @property
    def buckets(self) -> tuple[int, int, int, int]:
        """Return the number of card states on each street."""
        flop, turn, river = map(len, self.centres)
        return len(HAND_CLASSES), flop, turn, river

    def card_state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """Return the card state of a hand on a board of 0, 3, 4 or 5 cards. Raises MathError.

        Takes as long as ``all_states``: 30 milliseconds on the flop, a few on the turn.
        """
        check_cards(hole, board, _BOARDS)
        return int(self.all_states(board)[combo_index(*hole)])

    def all_states(self, board: Sequence[int]) -> States:
        """Return the card state of every hand, int32[1326], -1 if blocked. Raises MathError."""
        check_board(board, (), _BOARDS)
        if not board:
            return CLASSES.astype(np.int32)
        centres = self.centres[_BOARDS.index(len(board)) - 1]
        return np.where(live(board), nearest(all_histograms(board), centres), np.int32(-1))


def all_histograms(board: Sequence[int]) -> Histograms:
    """Return the histograms of all hands on a board of 3 to 5 cards; undefined for blocked hands."""
    key, mask = keys_of(board)
    return cumulative(_count(TABLE, key, mask, *runouts(mask, 5 - len(board))))


def cumulative(counts: Ints) -> Histograms:
    """Return cumulative histograms from counts of how often each hand ended in each bin, int64[n, BINS]."""
    sums = np.cumsum(counts, axis=1)
    return (sums / np.maximum(sums[:, -1:], 1)).astype(np.float32)


@jit
def _count(table: Ranks, board_key: int, board_mask: int, keys: Ints, masks: Ints) -> Ints:
    counts = np.zeros((1326, BINS), np.int64)
    hands, ranks, points = np.empty(1326, np.int64), np.empty(1326, np.int64), np.empty(1326, np.int64)
    for future in range(len(keys)):
        count = rank_hands(table, board_key + keys[future], board_mask | masks[future], hands, ranks)
        river_points(hands[:count], ranks[:count], points)
        for i in range(count):
            counts[hands[i], points[i] * BINS // (HAND_POINTS + 1)] += 1
    return counts


@jit
def nearest(histograms: Histograms, centres: Histograms) -> States:
    """Return the nearest centre of each histogram, int32[n]; the first of equally near ones."""
    result = np.zeros(len(histograms), np.int32)
    for one in range(len(histograms)):
        least = np.float32(np.inf)
        for centre in range(len(centres)):
            far = np.float32(0)
            for place in range(histograms.shape[1]):
                far += abs(histograms[one, place] - centres[centre, place])
                if far >= least:
                    break
            if far < least:
                least = far
                result[one] = centre
    return result


def distances(histograms: Histograms, centres: Histograms) -> NDArray[np.float32]:
    """Return the earth mover's distances in bins: float32[histograms, centres]."""
    result = np.empty((len(histograms), len(centres)), np.float32)
    for start in range(0, len(histograms), _BLOCK):
        block = histograms[start : start + _BLOCK, np.newaxis]
        result[start : start + _BLOCK] = np.abs(block - centres).sum(axis=2)
    return result


def fit_centres(
    histograms: Histograms, clusters: int, seed: int, report: ProgressCallback = no_progress
) -> tuple[Histograms, float]:
    """Return this many cluster centres and the mean distance to them.

    The first centres are drawn with probabilities in proportion to the distance from those already drawn.
    Then centres move and hands go to the nearest centre, until nothing changes or for thirty rounds.
    """
    random = np.random.default_rng(seed)
    centres = histograms[random.integers(len(histograms), size=1)]
    near = distances(histograms, centres)[:, 0].astype(np.float64)
    while len(centres) < clusters:
        total = near.sum()
        chosen = random.choice(len(histograms), p=near / total if total else None)
        new = histograms[chosen : chosen + 1]
        near = np.minimum(near, distances(histograms, new)[:, 0])
        centres = np.concatenate([centres, new])
    members = np.full(len(histograms), -1)
    for _ in chunks(_ROUNDS, 1, "clusters of hands", report):
        before, members = members, nearest(histograms, centres)
        if np.array_equal(before, members):
            break
        for cluster in np.unique(members):
            centres[cluster] = np.median(histograms[members == cluster], axis=0)
    # The weaker a hand is, the sooner its cumulative histogram rises.
    centres = centres[np.argsort(-centres.sum(axis=1), kind="stable")]
    return centres, float(distances(histograms, centres).min(axis=1).mean())


def make_clusters(
    sizes: tuple[int, int, int],
    *,
    boards: int = 300,
    hands: int = 20_000,
    seed: int = 1,
    report: ProgressCallback = no_progress,
) -> Clusters:
    """Cluster random hands on random boards for flop, turn and river; takes half a minute."""
    centres = []
    for street, size in enumerate(sizes, start=1):
        state, cards = rng("clusters", seed, street), np.empty(street + 2, np.int64)
        sample = []
        for _ in chunks(boards, 1, "hands to be put into clusters", report):
            deal_board(state, cards)
            board = tuple(cards.tolist())
            sample.append(all_histograms(board)[live(board)])
        whole = np.concatenate(sample)
        chosen = np.random.default_rng([seed, street]).choice(
            len(whole), min(hands, len(whole)), replace=False
        )
        centres.append(fit_centres(whole[chosen], size, seed, report)[0])
    return Clusters((centres[0], centres[1], centres[2]))
