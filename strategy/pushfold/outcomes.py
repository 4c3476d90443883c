"""Push/fold matches drawn from the outcomes of a hand: equivalent to ``kernel``, and much faster.

A hand between two players has five outcomes. Their probabilities are sums over all pairs of classes, and are
the same in every hand with the same tables, so they are computed once per match, and a hand takes one random
number. No cards are dealt, but all hands, stacks and counts have the same distribution as with dealt cards.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit_nogil
from strategy.poker.allin import all_in_table
from strategy.poker.kernels import below, uniform
from strategy.pushfold.game import BIG_BLIND, SMALL_BLIND
from strategy.pushfold.kernel import MatchRules, PushFoldTables, run_matches
from strategy.pushfold.ties import chances

Floats = NDArray[np.float64]


def draw_matches(
    tables: PushFoldTables,
    others: PushFoldTables,
    pairs: NDArray[np.int64],
    rules: MatchRules,
    seeds: NDArray[np.uint64],
    workers: int,
) -> Floats:
    """Play matches as ``kernel.play_matches`` does, with other random numbers."""
    beaten = float(_deals()[1].sum())
    players = (_shown(tables.jam), tables.call, _shown(others.jam), others.call, beaten)
    return run_matches(_play, players, pairs, rules, seeds, workers)


@cache
def _deals() -> Floats:
    """Return the probabilities that two classes are dealt, that the first wins, and that it loses: float64[3,
    169, 169].
    """
    pairs = all_in_table().pairs
    deal = pairs / pairs.sum()
    win, show = chances()
    return np.stack([deal, deal * win, deal * (1 - show)])


def _shown(jam: Floats) -> Floats:
    """Return, for jams [n, L, 169], the probabilities of a jam against each class, and of a win and of a loss
    if that class calls: float64[n, L, 3, 169].
    """
    return np.ascontiguousarray(np.stack([jam @ deal for deal in _deals()], axis=2))


@jit_nogil
def _play(
    shown: Floats,
    call: Floats,
    other_shown: Floats,
    other_call: Floats,
    beaten: float,
    pairs: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    caps: Floats,
    stack: float,
    limit: int,
    won: Floats,
    start: int,
    end: int,
) -> None:
    state = np.empty(1, np.uint64)
    bounds = np.empty((2, len(caps), 3, 4))
    bounds[:, :, 2] = np.array([0, 0, beaten, 2 * beaten])
    for match in range(start, end):
        state[0] = seeds[match]
        one, two = pairs[match]
        for level in range(len(caps)):
            _bound(shown[one, level], other_call[two, level], bounds[0, level])
            _bound(other_shown[two, level], call[one, level], bounds[1, level])
        _match(state, bounds, caps, stack, limit, won[match])


@jit_nogil
def _bound(shown: Floats, call: Floats, bounds: Floats) -> None:
    """Write the cumulative probabilities of the outcomes: for stacks that leave both players a choice, and
    for those that leave a choice only to the small blind.
    """
    bounds[:2, 0] = bounds[1, 1] = 1 - shown[0].sum()
    bounds[0, 1] = 1 - (shown[0] * call).sum()
    bounds[0, 2] = bounds[0, 1] + (shown[1] * call).sum()
    bounds[0, 3] = bounds[0, 2] + (shown[2] * call).sum()
    bounds[1, 2] = bounds[1, 1] + shown[1].sum()
    bounds[1, 3] = bounds[1, 2] + shown[2].sum()


@jit_nogil
def _match(
    state: NDArray[np.uint64], bounds: Floats, caps: Floats, stack: float, limit: int, won: Floats
) -> None:
    seen = np.zeros((2, 3, 5), np.int64)
    amounts = np.array([-SMALL_BLIND, BIG_BLIND, 0.0, 0.0, 0.0])
    net = 0.0
    hands = 0
    side = below(state, 2)
    while hands < limit and -stack < net < stack:
        side = 1 - side
        level = below(state, len(caps)) if len(caps) > 1 else 0
        effective = caps[level]
        choices = 0
        if stack - abs(net) < effective or effective < BIG_BLIND:
            # Rare, and a branch: so the processor need not know who has won what before it goes on.
            effective = min(effective, stack - abs(net))
            while level > 0 and caps[level - 1] >= effective:
                level -= 1
            choices = 0 if effective >= BIG_BLIND else 1 if effective > SMALL_BLIND else 2
        hands += 1
        bound = bounds[side, level, choices]
        amounts[2], amounts[3] = effective, -effective
        drawn = uniform(state)
        outcome = 0
        for end in bound:
            outcome += drawn >= end
        net += amounts[outcome] * (1 - 2 * side)
        seen[side, choices, outcome] += 1
    won[0], won[1], won[2] = hands, net, seen[0].sum()
    won[3], won[4] = seen[0, :2, 1:].sum(), seen[1, :2, 1:].sum()
    won[5], won[6] = seen[1, 0, 2:].sum(), seen[0, 0, 2:].sum()
