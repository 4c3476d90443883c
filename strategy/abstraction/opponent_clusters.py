"""Hands on the river in clusters by how they do against eight groups of opposing hands.

The 169 classes before the flop are put into groups by what becomes of them (``clusters``). A hand's row says
how much of the pot each group wins from it; hands with near rows are a cluster. It tells hands apart that win
equally often against a random hand but not against a strong one.

Source: Johanson, Burch, Valenzano and Bowling 2013, Evaluating state-space abstractions in extensive-form
games, section 4 (opponent cluster hand strength).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.abstraction import States, deal_board
from strategy.abstraction.clusters import BINS, all_histograms, fit_centres, nearest
from strategy.jit import vector_jit
from strategy.poker.combos import CARDS, CLASSES, live
from strategy.poker.kernels import TABLE, Ranks, keys_of, rng
from strategy.poker.strengths import order_of, rank_hands

GROUPS = 8

_BOARDS = 2000
_HANDS = 20

Groups = NDArray[np.int64]
"""The group of each hand, int64[1326]."""

Rows = NDArray[np.float32]
"""float32[hands, GROUPS]: what part of the pot each group wins from each hand."""


def opponent_groups(seed: int) -> Groups:
    """Group the hands before the flop, weak to strong, by how strong they are on random rivers."""
    state, cards = rng("groups", seed), np.empty(5, np.int64)
    # Of each hand first, then of its class: on a river every histogram is of whole numbers.
    hands, dealt = np.zeros((1326, BINS)), np.zeros((1326, 1))
    for _ in range(_BOARDS):
        deal_board(state, cards)
        board = cards.tolist()
        alive = live(board)
        hands[alive] += all_histograms(board)[alive]
        dealt[alive] += 1
    total, seen = np.zeros((169, BINS)), np.zeros((169, 1))
    np.add.at(total, CLASSES, hands)
    np.add.at(seen, CLASSES, dealt)
    histograms = (total / seen).astype(np.float32)
    groups: Groups = nearest(histograms, fit_centres(histograms, GROUPS, seed)[0])[CLASSES].astype(np.int64)
    return groups


def river_rows(board: tuple[int, ...] | list[int], groups: Groups) -> Rows:
    """Return the rows of all 1326 hands on a board of five cards; undefined for blocked hands."""
    rows = np.zeros((1326, GROUPS), np.float32)
    write_rows(TABLE, *keys_of(board), groups, rows)
    return rows


def fit_rivers(clusters: int, groups: Groups, seed: int) -> Rows:
    """Return the centres of so many clusters of hands on random rivers, weak to strong."""
    state, cards = rng("rivers", seed), np.empty(5, np.int64)
    random = np.random.default_rng([seed, 4])
    sample = []
    for _ in range(_BOARDS):
        deal_board(state, cards)
        board = cards.tolist()
        sample.append(river_rows(board, groups)[random.choice(np.flatnonzero(live(board)), _HANDS)])
    return fit_centres(np.concatenate(sample), clusters, seed)[0]


def river_states(board: tuple[int, ...] | list[int], groups: Groups, centres: Rows) -> States:
    """Return the cluster of each hand on a board of five cards, int32[1326], -1 if blocked."""
    return np.where(live(board), nearest(river_rows(board, groups), centres), np.int32(-1))


@vector_jit
def write_rows(table: Ranks, key: int, mask: int, groups: Groups, rows: Rows) -> None:
    """Write the rows of the hands that a board leaves."""
    hands, ranks = np.empty(1326, np.int64), np.empty(1326, np.int64)
    size = rank_hands(table, key, mask, hands, ranks)
    order = order_of(ranks[:size])
    # Hands of each group that are in the deck, weaker than the hand at hand, and of the same rank; the first
    # three rows stand for all hands, the others for those with a card.
    every, weaker, tied = np.zeros((3, 53, GROUPS), np.int32)
    for i in range(size):
        _count(every, hands[i], groups, 1)
    end = 0
    while end < size:
        start = end
        rank = ranks[order[start]]
        while end < size and ranks[order[end]] == rank:
            _count(tied, hands[order[end]], groups, 1)
            end += 1
        for i in order[start:end]:
            hand = hands[i]
            low, high = CARDS[hand, 0] + 1, CARDS[hand, 1] + 1
            for group in range(GROUPS):
                # The hand itself is subtracted twice, once for each card.
                own = 1 if groups[hand] == group else 0
                met = every[0, group] - every[low, group] - every[high, group] + own
                beaten = weaker[0, group] - weaker[low, group] - weaker[high, group]
                split = tied[0, group] - tied[low, group] - tied[high, group] + own
                lost = 2 * (met - beaten) - split
                rows[hand, group] = np.float32(lost) / np.float32(2 * met) if met > 0 else np.float32(0.5)
        for i in order[start:end]:
            _count(tied, hands[i], groups, -1)
            _count(weaker, hands[i], groups, 1)


@vector_jit
def _count(table: NDArray[np.int32], hand: int, groups: Groups, change: int) -> None:
    group = groups[hand]
    table[0, group] += change
    table[CARDS[hand, 0] + 1, group] += change
    table[CARDS[hand, 1] + 1, group] += change
