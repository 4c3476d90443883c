"""Strength and potential of every hand at once.

Hand by hand this would compare each hand with each. Instead the hands are sorted by rank, and the weight of
all weaker hands is a running sum. Hands that share a card are subtracted with a running sum for each card.
Potential needs the weight of hands that are better now and weaker later: hands are processed from best to
worst now, and a Fenwick tree over the later ranks sums those processed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from strategy.jit import jit
from strategy.poker.combos import CARDS, MathError, Weights, as_weights, card_mask
from strategy.poker.kernels import (
    CARD_KEYS,
    CARD_MASKS,
    HAND_KEYS,
    HAND_MASKS,
    TABLE,
    Ints,
    Ranks,
    keys_of,
    rank_of,
    runouts,
)
from strategy.poker.strength import check_board
from strategy.poker.strengths import rank_hands, river_points

_NOTHING = 1e-12
# Sums of weights are differences of sums; below this part of all weight a result counts as zero.


def all_strengths(
    board: Sequence[int], weights: ArrayLike | None = None, dead: Sequence[int] = ()
) -> Weights:
    """Return HS of every hand against an opponent with these weights, float64[1326], on a board of 3 to 5
    cards.

    ``dead`` cards are known beside the board, and neither side holds one. Hands that are not live have 0, and
    live ones without any possible opponent's hand 0.5. Raises MathError.
    """
    check_board(board, dead)
    return _strengths(TABLE, *keys_of(board), card_mask(dead), as_weights(weights))


def next_card_strengths(board: Sequence[int]) -> Weights:
    """Return HS of every hand against one random hand, averaged over the next card, float64[1326]; about 0
    for hands that are not live. The board has 3 or 4 cards. Raises MathError.
    """
    check_board(board)
    return _next_card_strengths(TABLE, *keys_of(board), comb(49 - len(board), 2))


def all_potentials(
    board: Sequence[int], weights: ArrayLike | None = None, dead: Sequence[int] = (), cards: int = 1
) -> tuple[Weights, Weights]:
    """Return PPot and NPot of every hand, each float64[1326]; see ``all_strengths``. On the river both are 0.

    Exact. One card takes about ten milliseconds, two a quarter of a second. Raises MathError.
    """
    check_board(board, dead)
    if cards not in (1, 2) or (len(board) == 4 and cards == 2):
        raise MathError("bad_look_ahead", f"no look-ahead of {cards} cards on a board of {len(board)}")
    if len(board) == 5:
        return np.zeros(1326), np.zeros(1326)
    board_key, board_mask = keys_of(board)
    keys, masks = runouts(board_mask | card_mask(dead), cards)
    return _potentials(TABLE, board_key, board_mask, card_mask(dead), as_weights(weights), keys, masks)


@jit
def _live(known: int) -> Ints:
    """Return the hands that use no known card."""
    return np.array([hand for hand in range(1326) if not HAND_MASKS[hand] & known])


@jit
def _ranks(table: Ranks, key: int, mask: int, hands: Ints) -> Ints:
    """Return the hands' ranks on a board; -1 for those that use one of its cards."""
    ranks = np.empty(len(hands), np.int64)
    for i in range(len(hands)):
        hand = hands[i]
        free = not HAND_MASKS[hand] & mask
        ranks[i] = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand]) if free else -1
    return ranks


@jit
def _weights_ahead(ranks: Ints, order: Ints, hands: Ints, weight: Weights) -> tuple[Weights, Weights]:
    """Return for each hand the weight it is ahead of, a tie as half, and all weight, both without hands that
    share a card.

    ``order`` sorts ``ranks``. An impossible hand has weight 0, and an undefined result.
    """
    size = len(hands)
    stands, total = np.zeros(size), np.zeros(size)
    all_weight = 0.0
    by_card, tied_by_card = np.zeros(52), np.zeros(52)
    end = 0
    while end < size:
        start = end
        tied_weight = 0.0
        while end < size and ranks[order[end]] == ranks[order[start]]:
            i = order[end]
            tied_weight += weight[i]
            for card in CARDS[hands[i]]:
                tied_by_card[card] += weight[i]
            end += 1
        for i in order[start:end]:
            low, high = CARDS[hands[i], 0], CARDS[hands[i], 1]
            # No other hand has both cards; the hand itself is subtracted once with each card, so add it back.
            tied = tied_weight - tied_by_card[low] - tied_by_card[high] + weight[i]
            stands[i] = all_weight - by_card[low] - by_card[high] + tied / 2
        all_weight += tied_weight
        for i in order[start:end]:
            for card in CARDS[hands[i]]:
                by_card[card] += weight[i]
                tied_by_card[card] = 0.0
    for i in range(size):
        rest = all_weight - by_card[CARDS[hands[i], 0]] - by_card[CARDS[hands[i], 1]] + weight[i]
        total[i] = rest if rest > _NOTHING * all_weight else 0.0
    return stands, total


@jit
def _strengths(table: Ranks, board_key: int, board_mask: int, dead: int, weights: Weights) -> Weights:
    hands = _live(board_mask | dead)
    ranks = _ranks(table, board_key, board_mask, hands)
    stands, total = _weights_ahead(ranks, np.argsort(ranks), hands, weights[hands])
    result = np.zeros(1326)
    for i in range(len(hands)):
        result[hands[i]] = min(1.0, max(0.0, stands[i] / total[i])) if total[i] else 0.5
    return result


@jit
def _next_card_strengths(table: Ranks, board_key: int, board_mask: int, others: int) -> Weights:
    """``others``: the number of hands that an opponent may hold once the next card is out."""
    hands, ranks, points = np.empty(1326, np.int64), np.empty(1326, np.int64), np.empty(1326, np.int64)
    # Not 0, by which hands that are not live would be divided.
    strengths, live = np.zeros(1326), np.full(1326, 1e-9)
    for card in range(52):
        if not CARD_MASKS[card] & board_mask:
            key, mask = board_key + CARD_KEYS[card], board_mask | CARD_MASKS[card]
            count = rank_hands(table, key, mask, hands, ranks)
            river_points(hands[:count], ranks[:count], points)
            for i in range(count):
                strengths[hands[i]] += points[i] / 2 / others
                live[hands[i]] += 1.0
    result: Weights = strengths / live
    return result


@jit
def _places(ranks: Ints, order: Ints) -> Ints:
    """Return each hand's index among the distinct ranks, from 1; 0 for impossible hands."""
    places = np.zeros(len(ranks), np.int64)
    place, last = 0, -1
    for i in order:
        if ranks[i] >= 0:
            if ranks[i] != last:
                place, last = place + 1, ranks[i]
            places[i] = place
    return places


@jit
def _potentials(
    table: Ranks, board_key: int, board_mask: int, dead: int, weights: Weights, keys: Ints, masks: Ints
) -> tuple[Weights, Weights]:
    hands = _live(board_mask | dead)
    size = len(hands)
    own_ranks = _ranks(table, board_key, board_mask, hands)
    now = _places(own_ranks, np.argsort(own_ranks))
    # From here on hands are numbered from best to worst now, and so are those with a card.
    best_first = np.argsort(-own_ranks)
    hands, now = hands[best_first], now[best_first]
    weight = weights[hands]
    with_card = np.zeros((52, 51), np.int64)
    counts = np.zeros(52, np.int64)
    for i in range(size):
        for card in CARDS[hands[i]]:
            with_card[card, counts[card]] = i
            counts[card] += 1
    gained, lost = np.zeros(size), np.zeros(size)
    behind, before = np.zeros(size), np.zeros(size)
    worst_first = np.arange(size)[::-1].copy()
    for future in range(len(keys)):
        ranks = _ranks(table, board_key + keys[future], board_mask | masks[future], hands)
        order = np.argsort(ranks)
        later = _places(ranks, order)
        there = weight * (later > 0)
        stood, total = _weights_ahead(now, worst_first, hands, there)
        stands, _ = _weights_ahead(ranks, order, hands, there)
        gains = _overtaken(now, later, there, hands, with_card, counts)
        for i in range(size):
            if later[i]:
                gained[i] += gains[i]
                # Gains less losses are the change of the strength.
                lost[i] += gains[i] + stood[i] - stands[i]
                before[i] += stood[i]
                behind[i] += total[i] - stood[i]
    ppot, npot = np.zeros(1326), np.zeros(1326)
    for i in range(size):
        least = _NOTHING * (before[i] + behind[i])
        if behind[i] > least:
            ppot[hands[i]] = min(1.0, max(0.0, gained[i] / behind[i]))
        if before[i] > least:
            npot[hands[i]] = min(1.0, max(0.0, lost[i] / before[i]))
    return ppot, npot


@jit
def _overtaken(
    now: Ints, later: Ints, weight: Weights, hands: Ints, with_card: Ints, counts: Ints
) -> Weights:
    """Return for each hand the weight of hands it is behind now and ahead of later, a tie on one side as
    half.

    Hands come best first. With "behind or tied now and ahead later" and "behind now and ahead or tied later"
    every such pair is counted twice and every half one once, so the result is half of their sum.
    """
    size = len(hands)
    places = later.max() + 1
    tree = np.zeros(places)
    result = np.zeros(size)
    end = 0
    while end < size:
        start = end
        while end < size and now[end] == now[start]:
            result[end] = _prefix(tree, later[end])
            end += 1
        for i in range(start, end):
            place = later[i]
            while 0 < place < places:
                tree[place] += weight[i]
                place += place & -place
        for i in range(start, end):
            result[i] += _prefix(tree, later[i] - 1)
    for i in range(size):
        for card in CARDS[hands[i]]:
            for other in with_card[card, : counts[card]]:
                if now[other] < now[i]:
                    break
                twice = (now[other] > now[i]) & (later[other] <= later[i])
                result[i] -= weight[other] * (twice + (later[other] < later[i]))
    return result / 2


@jit
def _prefix(tree: Weights, place: int) -> float:
    """Return the sum of the places up to this one."""
    total = 0.0
    while place > 0:
        total += tree[place]
        place &= place - 1
    return total
