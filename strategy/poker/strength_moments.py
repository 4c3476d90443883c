"""How a hand may develop: its points against a random hand on every final board, summed and squared.

A hand's points on a final board count the 990 hands that an opponent may hold: 2 for each that it beats, 1
for each that it ties, from 0 to 1980, so HS is points / 1980. Over all boards that may come, the sum of the
points is E[HS] and the sum of their squares E[HS^2], up to a factor. Both are integers, so training, which
computes them for all hands at once, and play, which computes them for one hand, never disagree.

Card states: hands are cut by the squares, and each slice again by the sum. Of two hands with the same squares
the one with the smaller sum is the draw: it wins all or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from strategy.jit import jit
from strategy.poker.combos import CLASSES, combo_index
from strategy.poker.kernels import HAND_KEYS, HAND_MASKS, TABLE, Ints, Ranks, keys_of, rank_of, runouts
from strategy.poker.preflop import HAND_CLASSES
from strategy.poker.strength import check_cards

MAX_POINTS = 1980
_TILT = 1.4
# Good hands meet each other more often than they are dealt, so slices get thinner for better hands.


class Cuts(NamedTuple):
    """Cuts of the hands of one street.

    A state is the number of ``squares`` not above the hand's, times the columns, plus the number of that
    row's ``sums`` not above its sum. ``squares`` int64[a - 1], ascending; ``sums`` int64[a, b - 1], rows
    ascending. That makes a * b states.
    """

    squares: Ints
    sums: Ints

    @property
    def states(self) -> int:
        """Return the number of states."""
        rows, columns = self.sums.shape
        return int(rows * (columns + 1))


class CardAbstraction(Protocol):
    """A mapping of hands to card states. ``buckets``: their number on each street."""

    @property
    def buckets(self) -> tuple[int, ...]: ...
    def card_state(self, hole: Sequence[int], board: Sequence[int]) -> int: ...


class Slices(NamedTuple):
    """A ``CardAbstraction``: the classes before the flop, and ``cuts`` for flop, turn and river."""

    cuts: tuple[Cuts, ...]

    @property
    def buckets(self) -> tuple[int, ...]:
        """Return the number of card states on each street."""
        return len(HAND_CLASSES), *(cut.states for cut in self.cuts)

    def card_state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """Return the index of these cards' state among those of the street; two milliseconds on a flop."""
        if not board:
            return int(CLASSES[combo_index(*hole)])
        return state_of(self.cuts[len(board) - 3], hole, board)


def moments(hole: Sequence[int], board: Sequence[int]) -> tuple[int, int]:
    """Return the sums of points and of squared points over all final boards, for a board of 3 to 5 cards.

    A flop takes a few milliseconds, or nothing if cached. Raises MathError.
    """
    check_cards(hole, board)
    return _cached_moments(keys_of(hole), keys_of(board), 5 - len(board))


# A cache of a thousand deals: bots play the same ones again and again.
@lru_cache(maxsize=1 << 15)
def _cached_moments(hole: tuple[int, int], board: tuple[int, int], missing: int) -> tuple[int, int]:
    total, squares = _moments(TABLE, *hole, *board, missing)
    return int(total), int(squares)


@jit
def _moments(
    table: Ranks, hole_key: int, hole_mask: int, board_key: int, board_mask: int, missing: int
) -> tuple[int, int]:
    keys, masks = runouts(hole_mask | board_mask, missing)
    total = squares = 0
    for future in range(len(keys)):
        key, mask = board_key + keys[future], board_mask | masks[future]
        own = rank_of(table, hole_key + key, hole_mask | mask)
        used = hole_mask | mask
        points = 0
        for hand in range(1326):
            if not HAND_MASKS[hand] & used:
                rank = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand])
                points += 2 if rank < own else 1 if rank == own else 0
        total += points
        squares += points * points
    return total, squares


def make_cuts(total: Ints, squares: Ints, rows: int, columns: int) -> Cuts:
    """Cut a sample of hands, int64[n] each, into ``rows`` slices of ``columns`` columns.

    Slices get thinner towards the best hands; all columns of a slice hold the same number of hands.
    """
    parts = np.arange(1, rows) / rows
    at = np.quantile(squares, 1 - (1 - parts) ** _TILT).astype(np.int64)
    row = np.searchsorted(at, squares, side="right")
    inner = np.arange(1, columns) / columns
    sums = np.zeros((rows, columns - 1), np.int64)
    for one in range(rows):
        here = total[row == one]
        if len(here):
            sums[one] = np.quantile(here, inner).astype(np.int64)
    return Cuts(at, sums)


@jit
def cut_at(squares_cuts: Ints, sums_cuts: Ints, total: int, squares: int) -> int:
    """Return the state of a hand with these sums."""
    low, high = 0, len(squares_cuts)
    while low < high:
        middle = (low + high) >> 1
        if squares_cuts[middle] <= squares:
            low = middle + 1
        else:
            high = middle
    column = 0
    for place in range(sums_cuts.shape[1]):
        column += sums_cuts[low, place] <= total
    return int(low * (sums_cuts.shape[1] + 1) + column)


def state_of(cuts: Cuts, hole: Sequence[int], board: Sequence[int]) -> int:
    """Return the card state of a hand on a board of 3 to 5 cards. Raises MathError."""
    return int(cut_at(cuts.squares, cuts.sums, *moments(hole, board)))
