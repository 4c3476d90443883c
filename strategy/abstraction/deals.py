"""How often two players' card states meet, and who wins then: hold'em as a game of two matrices.

On each random board every hand meets some others. Only the states on the river are counted: they include
those of all earlier streets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.abstraction import Abstraction, Boards, deal_board, prepare, states_on
from strategy.jit import jit
from strategy.poker.kernels import HAND_MASKS, TABLE, Ints, Ranks, State, below, rng, uniform
from strategy.poker.strengths import Strengths, make_strengths
from strategy.progress import ProgressCallback, chunks, no_progress

Counts = NDArray[np.int32]
Weights = NDArray[np.float64]


_DRAWS = 1000


class DealCounts(NamedTuple):
    """Counts of deals, from the view of each of the two hands.

    ``counts[own, other]``: deals in which these river states met; ``wins``: deals that the first state won,
    less those that it lost. int32[states, states], symmetric and antisymmetric. From ``count_weighted_deals``
    both are float64 and neither symmetric nor antisymmetric.
    """

    counts: NDArray[Any]
    wins: NDArray[Any]


@jit
def count_deals(
    table: Ranks, boards: Boards, state: State, deals: int, partners: int, counts: Counts, wins: Counts
) -> None:
    """Add this many boards; on each of them every hand meets ``partners`` random others."""
    hands, ranks = np.empty(1326, np.int64), np.empty(1326, np.int64)
    states, cards = np.empty(1326, np.int64), np.empty(5, np.int64)
    for _ in range(deals):
        deal_board(state, cards)
        count = states_on(table, boards, cards, 3, hands, ranks, states)
        for own in range(count):
            for _ in range(partners):
                other = below(state, count)
                while HAND_MASKS[hands[own]] & HAND_MASKS[hands[other]]:
                    other = below(state, count)
                counts[states[own], states[other]] += 1
                wins[states[own], states[other]] += (ranks[own] > ranks[other]) - (ranks[own] < ranks[other])


def count_sampled_deals(
    abstraction: Abstraction,
    *,
    strengths: Strengths | None = None,
    boards: int = 1_000_000,
    partners: int = 3,
    seed: int = 0,
    report: ProgressCallback = no_progress,
) -> DealCounts:
    """Count deals on ``boards`` random boards, 1,081 times ``partners`` on each.

    The default is 3.2 billion deals, which take a minute or two. ``strengths`` are computed if not given.
    """
    states = abstraction.buckets[-1]
    counts, wins = np.zeros((states, states), np.int32), np.zeros((states, states), np.int32)
    prepared, state = prepare(strengths or make_strengths(report), abstraction), rng("deals", seed)
    for part in chunks(boards, 4096, "deals", report):
        count_deals(TABLE, prepared, state, part.stop - part.start, partners, counts, wins)
    return DealCounts(counts + counts.T, wins - wins.T)


@jit
def _draw_hands(state: State, hands: Ints, weights: Weights, drawn: Ints) -> float:
    """Draw indices of ``hands`` in proportion to ``weights``, float64[1326], by systematic sampling; return
    the sum of the weights.
    """
    total = 0.0
    for hand in hands:
        total += weights[hand]
    step = total / len(drawn)
    place, passed = 0, weights[hands[0]]
    first = uniform(state)
    for i in range(len(drawn)):
        while passed <= (i + first) * step and place < len(hands) - 1:
            place += 1
            passed += weights[hands[place]]
        drawn[i] = place
    return total


@jit
def _count_weighted(
    table: Ranks, boards: Boards, state: State, deals: int, ranges: Weights, counts: Weights, wins: Weights
) -> None:
    hands, ranks = np.empty(1326, np.int64), np.empty(1326, np.int64)
    states, cards = np.empty(1326, np.int64), np.empty(5, np.int64)
    own, other = np.empty(_DRAWS, np.int64), np.empty(_DRAWS, np.int64)
    for _ in range(deals):
        deal_board(state, cards)
        count = states_on(table, boards, cards, 3, hands, ranks, states)
        weight = _draw_hands(state, hands[:count], ranges[0], own) * _draw_hands(
            state, hands[:count], ranges[1], other
        )
        for i in range(_DRAWS - 1, -1, -1):
            j = below(state, i + 1)
            other[i], other[j] = other[j], other[i]
            one, two = own[i], other[i]
            if not HAND_MASKS[hands[one]] & HAND_MASKS[hands[two]]:
                counts[states[one], states[two]] += weight
                wins[states[one], states[two]] += weight * (
                    (ranks[one] > ranks[two]) - (ranks[one] < ranks[two])
                )


def count_weighted_deals(
    abstraction: Abstraction, strengths: Strengths, ranges: Weights, *, boards: int, seed: int
) -> DealCounts:
    """Count deals on ``boards`` random boards for hand weights ``ranges``, float64[2, 1326], one row per
    player.

    Draws 1,000 pairs of hands on each board; together they count as much as the total weight of all hands
    that the board leaves.
    """
    states = abstraction.buckets[-1]
    counts, wins = np.zeros((2, states, states))
    _count_weighted(
        TABLE, prepare(strengths, abstraction), rng("weighed deals", seed), boards, ranges, counts, wins
    )
    return DealCounts(counts, wins)
