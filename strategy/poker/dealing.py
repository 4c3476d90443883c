"""Random deals: opponents' hands from their tables of weights, boards, and equity from both.

All randomness comes from a generator's state (``kernels.rng``), so a seed gives the same deals everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strategy.jit import jit
from strategy.poker.combos import HANDS, MathError, Weights, as_weights, uniform
from strategy.poker.kernels import (
    CARD_KEYS,
    CARD_MASKS,
    HAND_KEYS,
    HAND_MASKS,
    TABLE,
    Ints,
    Ranks,
    State,
    below,
    keys_of,
    rank_of,
)
from strategy.poker.kernels import uniform as random_number
from strategy.poker.strength import check_cards

Sums = NDArray[np.float64]

MAX_OPPONENTS = 22
_TRIES = 1_000
# Nine random hands have no overlap once in about 40 tries; tables that agree on a few hands take more.
_MIX = 197


class SampledMean(NamedTuple):
    """A mean and its standard error."""

    value: float
    error: float


def cumulative(tables: ArrayLike, known: Iterable[int] = ()) -> Sums:
    """Return the running sums for ``deal_hands``, float64[n, 1326]: a row per table, without the known cards.

    Raises MathError ``bad_weights``, and ``no_live_hand`` if a table has no live hand.
    """
    free = uniform(known)
    sums = np.array([np.cumsum(as_weights(table) * free) for table in np.asarray(tables)])
    if sums.size and not np.all(sums[:, -1] > 0):
        raise MathError("no_live_hand", "the weights leave an opponent no hand")
    return sums.reshape(-1, HANDS)


def stratified_sample(sums: Weights, size: int) -> Ints:
    """Return ``size`` hands in proportion to the steps of the running ``sums``, float64[1326], well mixed and
    without random numbers.
    """
    hands: Ints = np.searchsorted(sums, (np.arange(size) + 0.5) / size * sums[-1])
    # Coprime to the size: spreads neighbours far apart.
    return hands[np.arange(size) * _MIX % size]


@jit
def deal_hands(state: State, sums: Sums, known: int, hands: Ints) -> bool:
    """Draw a hand for each row of ``sums``, no two with a card in common, into ``hands``, int64[n].

    Each set of hands has a probability in proportion to the product of its weights: if two overlap, all are
    drawn again. After many failed tries the rows draw in random order, each from what the others left.
    Returns False if then a row has no hand; ``hands`` is then undefined.
    """
    for _ in range(_TRIES):
        used, done = known, 0
        for row in range(len(sums)):
            hands[row] = _draw(state, sums[row])
            if HAND_MASKS[hands[row]] & used:
                break
            used |= HAND_MASKS[hands[row]]
            done += 1
        if done == len(sums):
            return True
    turns = np.arange(len(sums))
    for i in range(len(turns) - 1, 0, -1):
        j = below(state, i + 1)
        turns[i], turns[j] = turns[j], turns[i]
    used = known
    for i in range(len(turns)):
        row = turns[i]
        left = np.zeros(1326)
        total = before = 0.0
        for hand in range(1326):
            if not HAND_MASKS[hand] & used:
                total += sums[row, hand] - before
            before = sums[row, hand]
            left[hand] = total
        if total <= 0:
            return False
        hands[row] = _draw(state, left)
        used |= HAND_MASKS[hands[row]]
    return True


@jit
def _draw(state: State, sums: Weights) -> int:
    """Draw an index in proportion to the steps of running sums; an index without a step is never drawn."""
    target = random_number(state) * sums[-1]
    low, high = 0, len(sums) - 1
    while low < high:
        middle = (low + high) >> 1
        if sums[middle] > target:
            high = middle
        else:
            low = middle + 1
    return low


@jit
def deal_cards(state: State, known: int, count: int) -> tuple[int, int]:
    """Return key and mask of ``count`` random cards that are not in the mask ``known``."""
    key = mask = 0
    while count > 0:
        card = below(state, 52)
        if not CARD_MASKS[card] & (known | mask):
            key += CARD_KEYS[card]
            mask |= CARD_MASKS[card]
            count -= 1
    return key, mask


def sampled_equity(
    hole: Sequence[int],
    board: Sequence[int] = (),
    opponents: int = 1,
    tables: ArrayLike | None = None,
    *,
    state: State,
    samples: int = 100_000,
) -> SampledMean:
    """Return the share of the pot at a showdown with this many opponents.

    They hold random hands, or draw them from ``tables``, ``[opponents, 1326]``. Raises MathError.
    """
    check_cards(hole, board, range(6))
    if not 1 <= opponents <= MAX_OPPONENTS:
        raise MathError("bad_opponents", f"there can be 1 to {MAX_OPPONENTS} opponents, not {opponents}")
    sums = np.empty((0, HANDS)) if tables is None else cumulative(tables, (*hole, *board))
    if len(sums) not in (0, opponents):
        raise MathError("bad_weights", f"{len(sums)} tables of weights for {opponents} opponents")
    missing = 5 - len(board)
    mean, square = _play_out(TABLE, state, *keys_of(hole), *keys_of(board), missing, opponents, sums, samples)
    if mean < 0:
        raise MathError("no_live_hand", "the weights leave the opponents no hands without the same card")
    return SampledMean(mean, (max(0.0, square - mean * mean) / samples) ** 0.5)


@jit
def _play_out(
    table: Ranks,
    state: State,
    hole_key: int,
    hole_mask: int,
    board_key: int,
    board_mask: int,
    missing: int,
    opponents: int,
    sums: Sums,
    samples: int,
) -> tuple[float, float]:
    """Return mean share and mean square; -1 for both if no hands could be dealt."""
    known = hole_mask | board_mask
    hands = np.zeros(opponents, np.int64)
    keys, masks = np.empty(opponents, np.int64), np.empty(opponents, np.int64)
    total = squares = 0.0
    for _ in range(samples):
        used = known
        if len(sums):
            if not deal_hands(state, sums, known, hands):
                return -1.0, -1.0
            for i in range(opponents):
                keys[i], masks[i] = HAND_KEYS[hands[i]], HAND_MASKS[hands[i]]
                used |= masks[i]
        else:
            for i in range(opponents):
                keys[i], masks[i] = deal_cards(state, used, 2)
                used |= masks[i]
        rest_key, rest_mask = deal_cards(state, used, missing)
        key, mask = board_key + rest_key, board_mask | rest_mask
        own = rank_of(table, hole_key + key, hole_mask | mask)
        winners = 1
        for i in range(opponents):
            rank = rank_of(table, keys[i] + key, masks[i] | mask)
            if rank > own:
                winners = 0
                break
            winners += rank == own
        if winners:
            total += 1 / winners
            squares += 1 / (winners * winners)
    return total / samples, squares / samples
