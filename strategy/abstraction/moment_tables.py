"""The strength moments of every hand on every board, for training: about twenty seconds and 500 MB.

Boards that differ only in the names of their suits count as one. A board's form has its four sets of ranks,
one per suit, in descending order; hands on it get the same new suit names. There are 1,755 forms of flops,
16,432 of four cards and 134,459 of five.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit
from strategy.poker.combos import CARDS
from strategy.poker.kernels import CARD_MASKS, HAND_MASKS, TABLE, Ints, State, below, next_set, rng
from strategy.poker.strength_moments import Cuts, cut_at, make_cuts
from strategy.poker.strengths import all_points
from strategy.poker.suits import RENAMED, canonical
from strategy.progress import ProgressCallback, chunks, no_progress

_HAND_OF: NDArray[np.int16] = np.full((52, 52), -1, np.int16)
_HAND_OF[CARDS[:, 0], CARDS[:, 1]] = _HAND_OF[CARDS[:, 1], CARDS[:, 0]] = np.arange(1326)
_CHOOSE: Ints = np.array([[comb(n, k) for k in range(6)] for n in range(52)])


class BoardForms(NamedTuple):
    """The forms of all boards with the same number of cards.

    ``form`` int32[boards]: the form of each board, by ``board_index``. ``suits`` int8[boards]: the new name
    of each suit, two bits each. ``first`` int64[forms]: for each form the mask of the board that equals it.
    """

    form: NDArray[np.int32]
    suits: NDArray[np.uint8]
    first: Ints


@jit
def board_index(cards: Ints, count: int) -> int:
    """Return the index of a set of cards, in ascending order, among all sets of the same size."""
    index = 0
    for place in range(count):
        index += _CHOOSE[cards[place], place + 1]
    return index


@jit
def _all_forms(count: int) -> tuple[Ints, NDArray[np.uint8]]:
    boards = 1
    for i in range(count):
        boards = boards * (52 - i) // (i + 1)
    forms, names = np.empty(boards, np.int64), np.empty(boards, np.uint8)
    cards = np.arange(count)
    for place in range(boards):
        mask = 0
        for card in cards:
            mask |= CARD_MASKS[card]
        forms[place], names[place] = canonical(mask)
        next_set(cards)
    return forms, names


def board_forms(count: int) -> BoardForms:
    """Return the forms of all boards of ``count`` cards, three to five."""
    forms, names = _all_forms(count)
    first, form = np.unique(forms, return_inverse=True)
    return BoardForms(form.astype(np.int32), names, first)


@jit
def rename_suits(first: int, second: int, names: int) -> int:
    """Return a hand with the new names of the suits."""
    low = first & ~3 | names >> 2 * (first & 3) & 3
    high = second & ~3 | names >> 2 * (second & 3) & 3
    return int(_HAND_OF[low, high])


Forms = tuple[BoardForms, BoardForms, BoardForms]
"""Of flop, turn and river."""


class MomentTables(NamedTuple):
    """Moments per street from the flop.

    ``total`` and ``squares``, each [forms, 1326]: -1 for blocked hands, on the river 0. The types are as
    small as possible.
    """

    forms: Forms
    total: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int16]]
    squares: tuple[Ints, Ints]


def make_moment_tables(report: ProgressCallback = no_progress) -> MomentTables:
    """Compute all moments, from the river back to the flop."""
    forms = all_forms(report)
    river = river_points(forms[2], report)
    turn, turn_squares = _earlier_moments(forms[1], forms[2], river, _NONE, "outlooks on the turn", report)
    flop, flop_squares = _earlier_moments(
        forms[0], forms[1], turn, turn_squares, "outlooks on the flop", report
    )
    return MomentTables(forms, (flop, turn, river), (flop_squares, turn_squares))


def all_forms(report: ProgressCallback = no_progress) -> Forms:
    """Return the forms of flops, turns and rivers."""
    flop, turn, river = (board_forms(3 + place.start) for place in chunks(3, 1, "forms of boards", report))
    return flop, turn, river


def river_points(forms: BoardForms, report: ProgressCallback = no_progress) -> NDArray[np.int16]:
    """Return the points of each hand on the river by form, int16[forms, 1326]; 0 if blocked."""
    result = np.empty((len(forms.first), 1326), np.int16)
    for part in chunks(len(result), 4096, "strengths on the river", report):
        result[part] = all_points(TABLE, forms.first[part])
    return result


def _earlier_moments(
    forms: BoardForms,
    later: BoardForms,
    later_total: NDArray[Any],
    later_squares: Ints,
    what: str,
    report: ProgressCallback,
) -> tuple[NDArray[np.int32], Ints]:
    """Return sums of the river points and of their squares over the boards that may come, -1 if blocked; from
    those one card later. Rivers have no table of squares.
    """
    total = np.empty((len(forms.first), 1326), np.int32)
    squares = np.empty((len(forms.first), 1326), np.int64)
    for part in chunks(len(total), 512, what, report):
        given = forms.first[part], later.form, later.suits, later_total, later_squares
        _sum_up(*given, total[part], squares[part])
    if len(later_squares):
        # Turn and river come in both orders. What is blocked stays -1.
        total //= 2
        squares //= 2
    return total, squares


@jit
def _sum_up(
    boards: Ints,
    form: NDArray[np.int32],
    suits: NDArray[np.uint8],
    later_total: NDArray[Any],
    later_squares: Ints,
    total: NDArray[np.int32],
    squares: Ints,
) -> None:
    for place in range(len(boards)):
        for hand in range(1326):
            total[place, hand] = squares[place, hand] = -1 if HAND_MASKS[hand] & boards[place] else 0
        for mask in completed_boards(boards[place], 1):
            row, names = form_of(mask, form, suits)
            for hand in range(1326):
                if not HAND_MASKS[hand] & mask:
                    renamed = RENAMED[names, hand]
                    points = np.int64(later_total[row, renamed])
                    total[place, hand] += points
                    square = later_squares[row, renamed] if len(later_squares) else points * points
                    squares[place, hand] += square


@jit
def completed_boards(board: int, missing: int) -> Ints:
    """Return the masks of all boards with one or two more cards."""
    cards = np.array([mask for mask in CARD_MASKS if not mask & board])
    if missing == 1:
        return cards | board
    result = np.empty(len(cards) * (len(cards) - 1) // 2, np.int64)
    count = 0
    for first in range(len(cards)):
        for second in range(first):
            result[count] = board | cards[first] | cards[second]
            count += 1
    return result


@jit
def form_of(mask: int, form: NDArray[np.int32], suits: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the form of a board and the new names of its suits."""
    cards = np.empty(5, np.int64)
    count = 0
    for card in range(52):
        if CARD_MASKS[card] & mask:
            cards[count] = card
            count += 1
    index = board_index(cards, count)
    return form[index], suits[index]


class StateTable(NamedTuple):
    """The card state of every hand by the form of the board, uint8[forms, 1326], for flop, turn and river."""

    forms: Forms
    states: tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]


def make_states(
    moments: MomentTables, shape: Sequence[tuple[int, int]], seed: int, report: ProgressCallback = no_progress
) -> tuple[list[Cuts], StateTable]:
    """Cut random hands into ``shape``, rows and columns per street; return the cuts and the states of all
    hands.

    At most 256 states per street.
    """
    cuts, states = [], []
    for street in range(3):
        total, squares = _sample(moments, street, rng("outlook", seed, street))
        cut = make_cuts(total, squares, *shape[street])
        cuts.append(cut)
        totals = moments.total[street]
        all_squares = moments.squares[street] if street < 2 else _NONE
        state = np.empty(totals.shape, np.uint8)
        for part in chunks(len(state), 8192, f"card states on the {_STREETS[street]}", report):
            state[part] = _all_states(totals[part], all_squares[part], cut.squares, cut.sums)
        states.append(state)
    return cuts, StateTable(moments.forms, (states[0], states[1], states[2]))


_STREETS = ("flop", "turn", "river")
_SAMPLE = 400_000
_NONE: Ints = np.empty((0, 0), np.int64)


def _sample(moments: MomentTables, street: int, state: State) -> tuple[Ints, Ints]:
    forms = moments.forms[street]
    places, hands = _random_hands(state, _SAMPLE, 3 + street, forms.form, forms.suits)
    total = moments.total[street][places, hands].astype(np.int64)
    return total, moments.squares[street][places, hands] if street < 2 else total * total


@jit
def _random_hands(
    state: State, count: int, size: int, form: NDArray[np.int32], suits: NDArray[np.uint8]
) -> tuple[Ints, Ints]:
    places, hands = np.empty(count, np.int64), np.empty(count, np.int64)
    deck = np.arange(52)
    for one in range(count):
        for i in range(size + 2):
            j = i + below(state, 52 - i)
            deck[i], deck[j] = deck[j], deck[i]
        index = board_index(np.sort(deck[2 : size + 2]), size)
        places[one] = form[index]
        hands[one] = rename_suits(deck[0], deck[1], suits[index])
    return places, hands


@jit
def _all_states(total: NDArray[Any], squares: Ints, squares_cuts: Ints, sums_cuts: Ints) -> NDArray[np.uint8]:
    result = np.zeros(total.shape, np.uint8)
    for place in range(total.shape[0]):
        for hand in range(1326):
            points = int(total[place, hand])
            if points >= 0:
                square = int(squares[place, hand]) if len(squares) else points * points
                result[place, hand] = cut_at(squares_cuts, sums_cuts, points, square)
    return result
