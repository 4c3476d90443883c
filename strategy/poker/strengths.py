"""E[HS^2]: the squared strength on the river, averaged over the boards that may come.

Strength is against one random hand, in points: two for each opponent's hand that is beaten, one for a tie, so
1,980 for the nuts. The squared points of all boards to come are summed, and the sum is stored: an integer,
independent of the order of summation, so that play never puts a hand into another bucket than training.

Source: Johanson 2007, Robust strategies and counter-strategies, 2.5 (expected hand strength squared).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit
from strategy.poker.combos import CARDS, CLASSES
from strategy.poker.kernels import (
    CARD_KEYS,
    CARD_MASKS,
    HAND_KEYS,
    HAND_MASKS,
    TABLE,
    Ints,
    Ranks,
    key_of,
    keys_of,
    rank_of,
    runouts,
)
from strategy.poker.suits import RENAMED, canonical, canonical_boards
from strategy.progress import ProgressCallback, chunks, no_progress

HAND_POINTS = 1980
"""The points of a hand that beats all 990 hands of an opponent."""

RIVERS = (comb(50, 5), comb(47, 2), 46, 1)
"""The number of rivers that may come after each street, from the view of a player with two cards."""

_DIGIT_BITS = 10
_DIGITS = 1 << _DIGIT_BITS


class Strengths(NamedTuple):
    """The sums of every hand on every canonical board.

    ``boards``: their masks of three and of four cards, ascending. ``sums``: uint32[boards, 1326] for each, 0
    for hands that share a card with the board. ``preflop``: float64[169], E[HS^2] of each class, from 0 to 1.
    """

    boards: tuple[Ints, Ints]
    sums: tuple[NDArray[np.uint32], NDArray[np.uint32]]
    preflop: NDArray[np.float64]


def sum_of(hole: Sequence[int], board: Sequence[int]) -> int:
    """Return the sum for one hand on a board of 3 to 5 cards; two milliseconds on the flop."""
    if len(board) == 3:
        return _flop_sum(TABLE, *keys_of(hole), *keys_of(board))
    return _sum_of(TABLE, *keys_of(hole), *keys_of(board), 5 - len(board))


def all_sums(board: Sequence[int]) -> Ints:
    """Return the sums for all hands, int64[1326], 0 if blocked; about 40 milliseconds on the flop."""
    key, mask = keys_of(board)
    return _all_sums(TABLE, key, mask, *runouts(mask, 5 - len(board)))


@jit
def _sum_of(table: Ranks, hole_key: int, hole_mask: int, board_key: int, board_mask: int, cards: int) -> int:
    known = hole_mask | board_mask
    others = np.array([hand for hand in range(1326) if not HAND_MASKS[hand] & known])
    keys, masks = runouts(known, cards)
    total = 0
    for future in range(len(keys)):
        key, mask = board_key + keys[future], board_mask | masks[future]
        own = rank_of(table, hole_key + key, hole_mask | mask)
        points = 0
        for other in others:
            if not HAND_MASKS[other] & mask:
                rank = rank_of(table, HAND_KEYS[other] + key, HAND_MASKS[other] | mask)
                points += 2 * (rank < own) + (rank == own)
        total += points * points
    return total


@jit
def _flop_sum(table: Ranks, hole_key: int, hole_mask: int, board_key: int, board_mask: int) -> int:
    """As ``_sum_of``. Turn, river and opponent are four cards, and any two of them may be the opponent's: his
    rank is the same.
    """
    known = hole_mask | board_mask
    unseen = np.array([card for card in range(52) if not CARD_MASKS[card] & known])
    keys, masks, size = CARD_KEYS[unseen], CARD_MASKS[unseen], len(unseen)
    own, points = np.zeros((size, size), np.int64), np.zeros((size, size), np.int64)
    for a in range(size):
        for b in range(a):
            key, mask = keys[a] + keys[b] + board_key, masks[a] | masks[b] | board_mask
            own[a, b] = rank_of(table, hole_key + key, hole_mask | mask)
    for a in range(size):
        for b in range(a):
            for c in range(b):
                key = board_key + keys[a] + keys[b] + keys[c]
                mask = board_mask | masks[a] | masks[b] | masks[c]
                for d in range(c):
                    rank = rank_of(table, keys[d] + key, masks[d] | mask)
                    points[a, b] += (rank < own[a, b]) + (rank <= own[a, b])
                    points[a, c] += (rank < own[a, c]) + (rank <= own[a, c])
                    points[a, d] += (rank < own[a, d]) + (rank <= own[a, d])
                    points[b, c] += (rank < own[b, c]) + (rank <= own[b, c])
                    points[b, d] += (rank < own[b, d]) + (rank <= own[b, d])
                    points[c, d] += (rank < own[c, d]) + (rank <= own[c, d])
    return int((points * points).sum())


@jit
def _all_sums(table: Ranks, board_key: int, board_mask: int, keys: Ints, masks: Ints) -> Ints:
    sums = np.zeros(1326, np.int64)
    hands, ranks, points = np.empty(1326, np.int64), np.empty(1326, np.int64), np.empty(1326, np.int64)
    for future in range(len(keys)):
        key, mask = board_key + keys[future], board_mask | masks[future]
        count = rank_hands(table, key, mask, hands, ranks)
        river_points(hands[:count], ranks[:count], points)
        for i in range(count):
            sums[hands[i]] += points[i] * points[i]
    return sums


@jit
def rank_hands(table: Ranks, key: int, mask: int, hands: Ints, ranks: Ints) -> int:
    """Write the hands that a board leaves and their ranks into the two arrays; return their number."""
    count = 0
    for hand in range(1326):
        if not HAND_MASKS[hand] & mask:
            hands[count] = hand
            ranks[count] = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand])
            count += 1
    return count


@jit
def order_of(ranks: Ints) -> Ints:
    """Return indices that sort ranks of less than 30 bits: digit by digit."""
    size = len(ranks)
    order, spare = np.arange(size), np.empty(size, np.int64)
    starts = np.empty(_DIGITS + 1, np.int64)
    for shift in range(0, 30, _DIGIT_BITS):
        starts[:] = 0
        for i in range(size):
            starts[(ranks[i] >> shift & (_DIGITS - 1)) + 1] += 1
        for digit in range(_DIGITS):
            starts[digit + 1] += starts[digit]
        for one in order:
            place = ranks[one] >> shift & (_DIGITS - 1)
            spare[starts[place]] = one
            starts[place] += 1
        order, spare = spare, order
    return order


@jit
def river_points(hands: Ints, ranks: Ints, points: Ints) -> None:
    """Write each hand's points against all others that share no card with it."""
    size = len(hands)
    order = order_of(ranks)
    below, tied = np.zeros(52, np.int64), np.zeros(52, np.int64)
    end = 0
    while end < size:
        start = end
        rank = ranks[order[start]]
        while end < size and ranks[order[end]] == rank:
            hand = hands[order[end]]
            tied[CARDS[hand, 0]] += 1
            tied[CARDS[hand, 1]] += 1
            end += 1
        for i in order[start:end]:
            low, high = CARDS[hands[i], 0], CARDS[hands[i], 1]
            # The hand itself is among the tied once, and once with each of its cards.
            points[i] = 2 * (start - below[low] - below[high]) + end - start + 1 - tied[low] - tied[high]
        for i in order[start:end]:
            for card in CARDS[hands[i]]:
                below[card] += 1
                tied[card] = 0


@jit
def place_of(boards: Ints, mask: int) -> tuple[int, int]:
    """Return the index of a board's canonical form in ``boards``, and the renaming that leads there."""
    form, code = canonical(mask)
    low, high = 0, len(boards) - 1
    while low < high:
        middle = (low + high) >> 1
        if boards[middle] < form:
            low = middle + 1
        else:
            high = middle
    return low, code


def make_strengths(report: ProgressCallback = no_progress) -> Strengths:
    """Compute all sums, from all boards: takes about half a minute and, meanwhile, 0.5 GB of memory."""
    flops, turns, rivers = (canonical_boards(cards) for cards in (3, 4, 5))
    points = np.empty((len(rivers), 1326), np.uint16)
    for part in chunks(len(rivers), 4096, "strengths on the river", report):
        points[part] = all_points(TABLE, rivers[part])
    turn_sums = np.empty((len(turns), 1326), np.uint32)
    for part in chunks(len(turns), 1024, "strengths on the turn", report):
        turn_sums[part] = _sums_over_rivers(turns[part], rivers, points)
    flop_sums = _sums_over_turns(flops, turns, turn_sums)
    return Strengths((flops, turns), (flop_sums, turn_sums), _preflop(flops, flop_sums))


@jit
def all_points(table: Ranks, boards: Ints) -> NDArray[np.uint16]:
    """Return the points of every hand on each board, without renaming suits: uint16[boards, 1326]; 0 if
    blocked.
    """
    result = np.zeros((len(boards), 1326), np.uint16)
    hands, ranks, points = np.empty(1326, np.int64), np.empty(1326, np.int64), np.empty(1326, np.int64)
    for row in range(len(boards)):
        count = rank_hands(table, key_of(boards[row]), boards[row], hands, ranks)
        river_points(hands[:count], ranks[:count], points)
        for i in range(count):
            result[row, hands[i]] = points[i]
    return result


@jit
def _sums_over_rivers(turns: Ints, rivers: Ints, points: NDArray[np.uint16]) -> NDArray[np.uint32]:
    result = np.zeros((len(turns), 1326), np.uint32)
    for row in range(len(turns)):
        for card in range(52):
            if not CARD_MASKS[card] & turns[row]:
                place, code = place_of(rivers, turns[row] | CARD_MASKS[card])
                for hand in range(1326):
                    # 0 for hands that the larger board blocks.
                    one = np.uint32(points[place, RENAMED[code, hand]])
                    result[row, hand] += one * one
    return result


@jit
def _sums_over_turns(flops: Ints, turns: Ints, sums: NDArray[np.uint32]) -> NDArray[np.uint32]:
    result = np.zeros((len(flops), 1326), np.uint32)
    total = np.empty(1326, np.int64)
    for row in range(len(flops)):
        total[:] = 0
        for card in range(52):
            if not CARD_MASKS[card] & flops[row]:
                place, code = place_of(turns, flops[row] | CARD_MASKS[card])
                for hand in range(1326):
                    total[hand] += sums[place, RENAMED[code, hand]]
        for hand in range(1326):
            # Each pair of turn and river came in both orders.
            result[row, hand] = total[hand] // 2
    return result


def _preflop(flops: Ints, sums: NDArray[np.uint32]) -> NDArray[np.float64]:
    by_hand = _sums_over_flops(flops, sums)
    by_class = np.bincount(CLASSES, by_hand) / np.bincount(CLASSES)
    result: NDArray[np.float64] = by_class / (comb(50, 3) * RIVERS[1] * HAND_POINTS**2)
    return result


@jit
def _sums_over_flops(flops: Ints, sums: NDArray[np.uint32]) -> Ints:
    result = np.zeros(1326, np.int64)
    for first in range(52):
        for second in range(first):
            for third in range(second):
                mask = CARD_MASKS[first] | CARD_MASKS[second] | CARD_MASKS[third]
                place, code = place_of(flops, mask)
                for hand in range(1326):
                    result[hand] += sums[place, RENAMED[code, hand]]
    return result
