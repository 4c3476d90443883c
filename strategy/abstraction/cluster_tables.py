"""The cluster of every hand on every board, for training: takes a minute or two and, meanwhile, 500 MB."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.clusters import BINS, Clusters, Histograms, cumulative, make_clusters, nearest
from strategy.abstraction.moment_tables import (
    BoardForms,
    StateTable,
    all_forms,
    completed_boards,
    form_of,
    river_points,
)
from strategy.jit import jit
from strategy.poker.kernels import HAND_MASKS, Ints
from strategy.poker.strengths import HAND_POINTS
from strategy.poker.suits import RENAMED
from strategy.progress import ProgressCallback, chunks, no_progress

MAX_CLUSTERS = 256
"""Maximum number of clusters per street: a state is a byte."""

_Bytes = NDArray[np.uint8]


def cluster_sizes(clusters: int) -> tuple[int, int, int]:
    """Return the number of clusters on flop, turn and river; the river has only ``BINS`` strengths."""
    return clusters, clusters, min(clusters, BINS)


def make_cluster_states(
    sizes: tuple[int, int, int], seed: int, report: ProgressCallback = no_progress
) -> tuple[Clusters, StateTable]:
    """Make clusters of these sizes from random hands, and find the cluster of every hand."""
    made = make_clusters(sizes, seed=seed, report=report)
    forms = all_forms(report)
    river = river_points(forms[2], report)
    flop, turn = (
        earlier_states(forms[street], forms[2], river, 2 - street, made.centres[street], report)
        for street in (0, 1)
    )
    return made, StateTable(forms, (flop, turn, river_states(river, made.centres[2], report)))


def river_states(
    river: NDArray[np.int16], centres: Histograms, report: ProgressCallback = no_progress
) -> _Bytes:
    """Return the cluster of each hand on the river, from its points there: uint8[boards, 1326]."""
    steps = (np.arange(BINS) >= np.arange(BINS)[:, np.newaxis]).astype(np.float32)
    by_bin = nearest(steps, centres).astype(np.uint8)
    result = np.empty(river.shape, np.uint8)
    for part in chunks(len(river), 4096, "clusters on the river", report):
        result[part] = by_bin[river[part].astype(np.int32) * BINS // (HAND_POINTS + 1)]
    return result


def earlier_states(
    forms: BoardForms,
    rivers: BoardForms,
    river: NDArray[np.int16],
    missing: int,
    centres: Histograms,
    report: ProgressCallback = no_progress,
) -> _Bytes:
    """Return the cluster of each hand on flops or turns: uint8[forms, 1326], undefined for blocked hands.

    ``missing`` is the number of board cards to come; ``river`` are the points on the river.
    """
    result = np.empty((len(forms.first), 1326), np.uint8)
    for place in chunks(len(result), 1, f"clusters on the {'turn' if missing == 1 else 'flop'}", report):
        board = int(forms.first[place][0])
        counts = _count_ends(completed_boards(board, missing), rivers.form, rivers.suits, river)
        result[place] = nearest(cumulative(counts), centres)
    return result


@jit
def _count_ends(boards: Ints, form: NDArray[np.int32], suits: _Bytes, river: NDArray[np.int16]) -> Ints:
    """Count how often each hand ends in each bin on these rivers: int64[1326, BINS]."""
    counts = np.zeros((1326, BINS), np.int64)
    for mask in boards:
        row, names = form_of(mask, form, suits)
        for hand in range(1326):
            if not HAND_MASKS[hand] & mask:
                points = np.int64(river[row, RENAMED[names, hand]])
                counts[hand, points * BINS // (HAND_POINTS + 1)] += 1
    return counts
