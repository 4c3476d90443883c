"""Hand strength and potential (Papp 1998, 5.2 and 5.3; Peña 1999, 3.2), against a table of weights.

The opponent holds each hand that the known cards allow in proportion to its weight. Strength is the
probability that the player's hand is best now. Potential is how this changes with the cards to come: a table
of three by three, now ahead, tied or behind against the same later, over all the opponent's hands and all
next cards. Everything here is enumerated, so it is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strategy.jit import jit
from strategy.poker.combos import MathError, Weights, as_weights
from strategy.poker.kernels import HAND_KEYS, HAND_MASKS, TABLE, Ranks, keys_of, rank_of, runouts

StrengthTable = NDArray[np.float64]
Number = TypeVar("Number", float, Weights)

BOARDS = (3, 4, 5)


class Field(NamedTuple):
    """The weight of the opponent's hands that the player's hand beats, ties and loses to."""

    ahead: float
    tied: float
    behind: float

    @property
    def strength(self) -> float:
        """Return HS: the probability of being ahead, a tie as half. Raises MathError ``no_live_hand``."""
        total = self.ahead + self.tied + self.behind
        if not total:
            raise MathError("no_live_hand", "the weights leave the opponent no hand")
        return (self.ahead + self.tied / 2) / total


class Potential(NamedTuple):
    """``table[now, later]``, float64[3, 3]: the weight of the cases; 0 is ahead, 1 tied, 2 behind."""

    table: StrengthTable

    @property
    def ppot(self) -> float:
        """Return the probability of coming from behind, or from a tie; 0 for a hand that is never behind nor
        tied.
        """
        now = self.table.sum(axis=1)
        gained = self.table[2, 0] + (self.table[2, 1] + self.table[1, 0]) / 2
        return _share(gained, now[2] + now[1] / 2)

    @property
    def npot(self) -> float:
        """Return the probability of falling behind, or into a tie; 0 if the hand is never ahead nor tied."""
        now = self.table.sum(axis=1)
        lost = self.table[0, 2] + (self.table[0, 1] + self.table[1, 2]) / 2
        return _share(lost, now[0] + now[1] / 2)

    @property
    def equity(self) -> float:
        """Return the mean strength after the cards to come. Raises MathError ``no_live_hand``."""
        ahead, tied, behind = self.table.sum(axis=0).tolist()
        return Field(ahead, tied, behind).strength


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


def check_cards(hole: Sequence[int], board: Sequence[int], boards: Sequence[int] = BOARDS) -> None:
    """Check that there are two hole cards, a board of one of these lengths, and no card twice.

    Raises MathError ``bad_hole``, ``bad_board``, ``bad_card`` or ``duplicate_card``.
    """
    if len(hole) != 2:
        raise MathError("bad_hole", f"a hand has 2 cards, not {len(hole)}")
    check_board(board, hole, boards)


def check_board(board: Sequence[int], others: Sequence[int] = (), boards: Sequence[int] = BOARDS) -> None:
    """Check that the board has one of these lengths and no card twice, as in ``check_cards``."""
    if len(board) not in boards:
        *some, last = map(str, boards)
        wanted = f"{', '.join(some)} or {last}" if some else last
        raise MathError("bad_board", f"a board of {wanted} cards is needed, not of {len(board)}")
    cards = (*others, *board)
    if not all(0 <= card < 52 for card in cards):
        raise MathError("bad_card", "cards are numbers from 0 to 51")
    if len(set(cards)) != len(cards):
        raise MathError("duplicate_card", "the same card twice")


def field(hole: Sequence[int], board: Sequence[int], weights: ArrayLike | None = None) -> Field:
    """Return the weights that a hand beats, ties and loses to on a 3 to 5 card board. Raises MathError."""
    ahead, tied, behind = _look_ahead(hole, board, 0, weights, BOARDS).diagonal().tolist()
    return Field(ahead, tied, behind)


def hand_strength(
    hole: Sequence[int], board: Sequence[int], weights: ArrayLike | None = None, opponents: int = 1
) -> float:
    """Return HS against this many opponents, the product over them (Papp 1998, 5.2.1).

    ``weights`` is one table for all, or one for each: ``[opponents, 1326]``. Raises MathError.
    """
    if opponents < 1:
        raise MathError("bad_opponents", f"there must be an opponent, not {opponents}")
    if weights is None or np.ndim(weights) != 2:
        return field(hole, board, weights).strength ** opponents
    tables = np.asarray(weights)
    if len(tables) != opponents:
        raise MathError("bad_weights", f"{len(tables)} tables of weights for {opponents} opponents")
    return prod(field(hole, board, table).strength for table in tables)


def potential(
    hole: Sequence[int], board: Sequence[int], cards: int = 1, weights: ArrayLike | None = None
) -> Potential:
    """Return the table of now and later with one or two cards to come.

    On the river no card comes, so nothing changes. Raises MathError, for two cards on the turn or any other
    number ``bad_look_ahead``.
    """
    if cards not in (1, 2) or (len(board) == 4 and cards == 2):
        raise MathError("bad_look_ahead", f"no look-ahead of {cards} cards on a board of {len(board)}")
    return Potential(_look_ahead(hole, board, 0 if len(board) == 5 else cards, weights, BOARDS))


def exact_equity(hole: Sequence[int], board: Sequence[int] = (), weights: ArrayLike | None = None) -> float:
    """Return the share of the pot at a showdown with one opponent over all boards, for a board of up to 5
    cards.

    A flop takes about ten milliseconds, an empty board a quarter of a minute. Raises MathError.
    """
    return Potential(_look_ahead(hole, board, 5 - len(board), weights, range(6))).equity


def optimistic_ehs(strength: Number, ppot: Number) -> Number:
    """Return EHS of a player who only bets when the hand improves or is best: HS + (1 - HS) PPot."""
    return strength + (1 - strength) * ppot


def full_ehs(strength: Number, ppot: Number, npot: Number) -> Number:
    """Return EHS including what may be lost: HS (1 - NPot) + (1 - HS) PPot."""
    return strength * (1 - npot) + (1 - strength) * ppot


def _look_ahead(
    hole: Sequence[int], board: Sequence[int], cards: int, weights: ArrayLike | None, boards: Sequence[int]
) -> StrengthTable:
    check_cards(hole, board, boards)
    return _compare(TABLE, *keys_of(hole), *keys_of(board), cards, as_weights(weights))


@jit
def _compare(
    table: Ranks, hole_key: int, hole_mask: int, board_key: int, board_mask: int, cards: int, weights: Weights
) -> StrengthTable:
    """Return the weights by now and later, with ``cards`` cards to come."""
    known = hole_mask | board_mask
    own = rank_of(table, hole_key + board_key, known)
    keys, masks = np.empty(1326, np.int64), np.empty(1326, np.int64)
    now, weight = np.empty(1326, np.int64), np.empty(1326)
    count = 0
    for hand in range(1326):
        if not HAND_MASKS[hand] & known and weights[hand] > 0:
            rank = rank_of(table, board_key + HAND_KEYS[hand], board_mask | HAND_MASKS[hand])
            keys[count], masks[count] = HAND_KEYS[hand], HAND_MASKS[hand]
            now[count], weight[count] = 0 if rank < own else 1 if rank == own else 2, weights[hand]
            count += 1
    result = np.zeros((3, 3))
    next_keys, next_masks = runouts(known, cards)
    for future in range(len(next_keys)):
        key, mask = board_key + next_keys[future], board_mask | next_masks[future]
        own = rank_of(table, hole_key + key, hole_mask | mask)
        for hand in range(count):
            if not masks[hand] & mask:
                rank = rank_of(table, keys[hand] + key, masks[hand] | mask)
                later = 0 if rank < own else 1 if rank == own else 2
                result[now[hand], later] += weight[hand]
    return result
