"""Passes over a two-player betting tree in which every node has a number for each card state.

The offsets of each vector and of a strategy's numbers are computed once (``make_layout``). The vectors of a
street are contiguous: showdowns, folds, then decisions, so that one matrix product covers all showdowns or
all folds of a street.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.cfr.tree import BettingTree
from strategy.jit import vector_jit
from strategy.poker.kernels import Ints

Vectors = NDArray[np.float32]

EXPECT, BEST, LEARN = range(3)
"""How ``backward`` combines a player's actions: their mean, their maximum, or their mean while updating
regrets.
"""


class Terminals(NamedTuple):
    """The terminals of a street: vectors from ``start``, ``width`` numbers each, showdowns before folds."""

    start: int
    width: int
    showdowns: int
    folds: int


class VectorLayout(NamedTuple):
    """Offsets per node.

    ``at`` int64[size]: where its vector begins; ``width`` int64[size]: the vector's length. ``slot``
    int64[size, 3]: where the numbers of an action begin in a strategy, -1 if it is illegal. ``payoff``
    float32[2, size]: a terminal's payment to each player per unit of winning probability. ``player`` and
    ``child`` are the tree's.
    """

    player: NDArray[np.int8]
    child: NDArray[np.int32]
    at: Ints
    width: Ints
    slot: Ints
    payoff: Vectors

    @property
    def size(self) -> int:
        """Return the total length of all vectors."""
        return int(self.width.sum())

    @property
    def slots(self) -> int:
        """Return the length of a strategy."""
        return int(((self.child >= 0).sum(axis=1) * self.width).sum())


def make_layout(tree: BettingTree, buckets: tuple[int, ...]) -> tuple[VectorLayout, tuple[Terminals, ...]]:
    """Return the layout of a two-player tree with ``buckets`` card states per street, and its terminals by
    street.
    """
    width = np.array(buckets, np.int64)[tree.street]
    end = tree.player < 0
    showdown = end & tree.live.all(axis=1)
    kind = np.where(showdown, 0, np.where(end, 1, 2))
    order = np.lexsort((np.arange(tree.size), kind, tree.street))
    at = np.empty(tree.size, np.int64)
    at[order] = np.cumsum(width[order]) - width[order]
    legal = tree.child >= 0
    sizes = (legal * width[:, np.newaxis]).ravel()
    slot = np.where(legal, (np.cumsum(sizes) - sizes).reshape(-1, 3), -1)
    # A showdown is for the opponent's chips; a fold costs the folder's own.
    payoff = np.zeros((2, tree.size), np.float32)
    for player in (0, 1):
        paid = np.where(tree.live[:, player], tree.paid[:, 1 - player], -tree.paid[:, player])
        payoff[player] = np.where(end, paid, 0)
    ends = []
    for street, states in enumerate(buckets):
        here = tree.street == street
        start = int(at[here].min()) if here.any() else 0
        ends.append(Terminals(start, states, int((here & showdown).sum()), int((here & (kind == 1)).sum())))
    return VectorLayout(tree.player, tree.child, at, width, slot, payoff), tuple(ends)


@vector_jit
def _current_strategy(weights: Vectors, slots: Ints, width: int, mix: Vectors) -> None:
    """Write a node's strategy into ``mix``, float32[4, width or more]: in proportion to the positive weights;
    uniform if there are none. The last row is the sum of the positive weights.
    """
    zero, one = np.float32(0), np.float32(1)
    legal = 0
    for action in range(3):
        legal += slots[action] >= 0
    even = one / np.float32(legal)
    total = mix[3]
    total[:width] = zero
    for action in range(3):
        if slots[action] >= 0:
            row, part = weights[slots[action] : slots[action] + width], mix[action]
            for i in range(width):
                part[i] = max(row[i], zero)
                total[i] += part[i]
    for action in range(3):
        if slots[action] >= 0:
            part = mix[action]
            for i in range(width):
                part[i] = part[i] / total[i] if total[i] > zero else even


@vector_jit
def _spread(row: Vectors, width: int, there: Vectors) -> None:
    """Copy each state's number to all states that follow from it."""
    times = len(there) // width
    if times == 1:
        for i in range(width):
            there[i] = row[i]
    else:
        for i in range(width):
            for j in range(times):
                there[i * times + j] = row[i]


@vector_jit
def _gather(there: Vectors, width: int, row: Vectors) -> None:
    """Sum the numbers of the states that follow from each state."""
    times = len(there) // width
    if times == 1:
        for i in range(width):
            row[i] = there[i]
    else:
        for i in range(width):
            total = np.float32(0)
            for j in range(times):
                total += there[i * times + j]
            row[i] = total


@vector_jit
def _add_product(one: Vectors, other: Vectors, width: int, total: Vectors) -> None:
    for i in range(width):
        total[i] += one[i] * other[i]


@vector_jit
def forward(
    layout: VectorLayout, weights: Vectors, player: int, reach: Vectors, averages: Vectors, weight: float
) -> None:
    """Write into ``reach`` ``player``'s reach probability of each node, from the player's own choices alone.

    ``weight`` times the probability of each action is added to ``averages``, unless ``weight`` is 0.
    """
    mix = np.empty((4, layout.width.max()), np.float32)
    factor = np.float32(weight)
    reach[layout.at[0] : layout.at[0] + layout.width[0]] = np.float32(1)
    for node in range(len(layout.player)):
        if layout.player[node] < 0:
            continue
        width = layout.width[node]
        here = reach[layout.at[node] :][:width]
        own = layout.player[node] == player
        if own:
            _current_strategy(weights, layout.slot[node], width, mix)
        for action in range(3):
            child = layout.child[node, action]
            if child < 0:
                continue
            part = here
            if own:
                part = mix[action, :width]
                part *= here
                if factor > 0:
                    slot = layout.slot[node, action]
                    averages[slot : slot + width] += factor * part
            _spread(part, width, reach[layout.at[child] :][: layout.width[child]])


@vector_jit
def backward(
    layout: VectorLayout,
    weights: Vectors,
    player: int,
    values: Vectors,
    mode: int,
    keep: tuple[float, float, float],
) -> None:
    """Compute ``player``'s values at every node from those at the terminals, which are per chip.

    A value is in chips, times the probability of the player's cards and of all the opponent's actions. With
    ``LEARN``, ``weights`` are regrets: positive ones are multiplied by ``keep[0]``, negative ones by
    ``keep[1]``, the new ones are added, and results below ``keep[2]`` are raised to it.
    """
    mix = np.empty((4, layout.width.max()), np.float32)
    rows = np.empty((3, layout.width.max()), np.float32)
    for node in range(len(layout.player) - 1, -1, -1):
        width = layout.width[node]
        here = values[layout.at[node] :][:width]
        if layout.player[node] < 0:
            here *= layout.payoff[player, node]
            continue
        own = layout.player[node] == player
        best = own and mode == BEST
        mix[:3] = np.float32(1)
        if own and not best:
            _current_strategy(weights, layout.slot[node], width, mix)
        here[:] = np.float32(-np.inf) if best else np.float32(0)
        for action in range(3):
            child = layout.child[node, action]
            if child < 0:
                continue
            row = rows[action]
            _gather(values[layout.at[child] :][: layout.width[child]], width, row)
            if best:
                here[:] = np.maximum(here, row[:width])
            else:
                _add_product(row, mix[action], width, here)
        if own and mode == LEARN:
            _learn(weights, layout.slot[node], width, rows, here, keep)


@vector_jit
def _learn(
    regrets: Vectors, slots: Ints, width: int, rows: Vectors, mean: Vectors, keep: tuple[float, float, float]
) -> None:
    rise, fall, floor = np.float32(keep[0]), np.float32(keep[1]), np.float32(keep[2])
    for action in range(3):
        if slots[action] >= 0:
            own, row = regrets[slots[action] : slots[action] + width], rows[action]
            for i in range(width):
                old = own[i] * (rise if own[i] > 0 else fall)
                own[i] = max(old + row[i] - mean[i], floor)


@vector_jit
def normalise(layout: VectorLayout, weights: Vectors, otherwise: Vectors) -> Vectors:
    """Return the strategy in proportion to ``weights``; where all are 0, in proportion to the positive parts
    of ``otherwise``; where there are none, uniform.
    """
    result = np.empty_like(weights)
    mix, other = np.empty((4, layout.width.max()), np.float32), np.empty((4, layout.width.max()), np.float32)
    for node in range(len(layout.player)):
        if layout.player[node] < 0:
            continue
        width = layout.width[node]
        _current_strategy(weights, layout.slot[node], width, mix)
        known = mix[3]
        _current_strategy(otherwise, layout.slot[node], width, other)
        for action in range(3):
            slot = layout.slot[node, action]
            if slot >= 0:
                for i in range(width):
                    result[slot + i] = mix[action, i] if known[i] > 0 else other[action, i]
    return result
