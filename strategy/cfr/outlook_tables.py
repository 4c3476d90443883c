"""The outlook of every hand on every board, for training: some twenty seconds and 500 MB.

Boards that differ only in the names of their suits are one: a board's form has its four sets of ranks, one
for each suit, in falling order, and a hand on it gets the same new names. There are 1,755 forms of flops,
16,432 of four cards and 134,459 of five.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.cfr.outlook import Cuts, cut_at, make_cuts
from strategy.poker.combos import CARDS
from strategy.poker.jit import jit
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
    rank_of,
    rng,
)

__all__ = [
    "BoardForms",
    "Outlooks",
    "StateTable",
    "board_forms",
    "board_index",
    "hand_on",
    "make_outlooks",
    "make_states",
]

_HAND_OF: NDArray[np.int16] = np.full((52, 52), -1, np.int16)
_HAND_OF[CARDS[:, 0], CARDS[:, 1]] = _HAND_OF[CARDS[:, 1], CARDS[:, 0]] = np.arange(1326)
_CHOOSE: Ints = np.array([[comb(n, k) for k in range(6)] for n in range(52)])


class BoardForms(NamedTuple):
    """``form`` int32[boards], of every board by ``board_index``; ``suits`` int8[boards], the new name of
    each suit, two bits each; ``first`` int64[forms], a board of each form, a mask, that is the form itself.
    """

    form: NDArray[np.int32]
    suits: NDArray[np.uint8]
    first: Ints


@jit
def board_index(cards: Ints, count: int) -> int:
    """The place of a set of cards, which are rising, among all sets of so many."""
    index = 0
    for place in range(count):
        index += _CHOOSE[cards[place], place + 1]
    return index


@jit
def _normal(mask: int) -> tuple[int, int]:
    """The form of a mask of cards, and the new names of the suits."""
    form = names = 0
    for suit in range(4):
        ranks = mask >> 13 * suit & 0x1FFF
        name = 0
        for other in range(4):
            others = mask >> 13 * other & 0x1FFF
            name += others > ranks or (others == ranks and other < suit)
        names |= name << 2 * suit
        form |= ranks << 13 * name
    return form, names


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
        forms[place], names[place] = _normal(mask)
        grows = 0
        while grows < count - 1 and cards[grows] + 1 == cards[grows + 1]:
            cards[grows] = grows
            grows += 1
        cards[grows] += 1
    return forms, names


def board_forms(count: int) -> BoardForms:
    """Of all boards of so many cards, three to five."""
    forms, names = _all_forms(count)
    first, form = np.unique(forms, return_inverse=True)
    return BoardForms(form.astype(np.int32), names, first)


@jit
def hand_on(first: int, second: int, names: int) -> int:
    """A hand with the new names of the suits."""
    low = first & ~3 | names >> 2 * (first & 3) & 3
    high = second & ~3 | names >> 2 * (second & 3) & 3
    return int(_HAND_OF[low, high])


class Outlooks(NamedTuple):
    """Of each street from the flop: ``total`` and ``squares`` by form and hand, [forms, 1326], -1 where the
    hand is not there. Types as small as they can be.
    """

    forms: tuple[BoardForms, BoardForms, BoardForms]
    total: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int16]]
    squares: tuple[Ints, Ints]


def make_outlooks() -> Outlooks:
    """Everything, from the river back to the flop."""
    forms = (board_forms(3), board_forms(4), board_forms(5))
    river = _river_points(TABLE, forms[2].first)
    turn, turn_squares = _earlier(forms[1].first, forms[2].form, forms[2].suits, river, 1)
    flop, flop_squares = _earlier(forms[0].first, forms[2].form, forms[2].suits, river, 2)
    return Outlooks(forms, (flop, turn, river), (flop_squares, turn_squares))


@jit
def _river_points(table: Ranks, boards: Ints) -> NDArray[np.int16]:
    """Points of each hand on each board: hands in rising order beat all before them but for those that share
    a card with them.
    """
    result = np.full((len(boards), 1326), -1, np.int16)
    hands, ranks = np.empty(1081, np.int64), np.empty(1081, np.int64)
    for place in range(len(boards)):
        board = boards[place]
        board_key = 0
        for card in range(52):
            if CARD_MASKS[card] & board:
                board_key += CARD_KEYS[card]
        count = 0
        for hand in range(1326):
            if not HAND_MASKS[hand] & board:
                rank = rank_of(table, board_key + HAND_KEYS[hand], board | HAND_MASKS[hand])
                # One number to sort by, with the hand in it.
                ranks[count] = rank << 11 | hand
                count += 1
        ranks.sort()
        before = end = 0
        by_card, tied = np.zeros(52, np.int64), np.zeros(52, np.int64)
        while end < count:
            start = end
            while end < count and ranks[end] >> 11 == ranks[start] >> 11:
                hands[end] = ranks[end] & 2047
                for card in CARDS[hands[end]]:
                    tied[card] += 1
                end += 1
            for i in range(start, end):
                low, high = CARDS[hands[i], 0], CARDS[hands[i], 1]
                beaten = before - by_card[low] - by_card[high]
                # The hand itself was counted with each of its cards, and goes once.
                equal = end - start - tied[low] - tied[high] + 1
                result[place, hands[i]] = 2 * beaten + equal
            before += end - start
            for i in range(start, end):
                for card in CARDS[hands[i]]:
                    by_card[card] += 1
                    tied[card] = 0
    return result


@jit
def _earlier(
    boards: Ints, form: NDArray[np.int32], suits: NDArray[np.uint8], river: NDArray[np.int16], missing: int
) -> tuple[NDArray[np.int32], Ints]:
    """Sums over the boards that may come, of the river's points and their squares."""
    total = np.full((len(boards), 1326), -1, np.int32)
    squares = np.full((len(boards), 1326), -1, np.int64)
    cards = np.empty(5, np.int64)
    for place in range(len(boards)):
        board = boards[place]
        for hand in range(1326):
            if not HAND_MASKS[hand] & board:
                total[place, hand] = squares[place, hand] = 0
        for first in range(52):
            for second in range(first if missing == 2 else 1):
                more = CARD_MASKS[first] | (CARD_MASKS[second] if missing == 2 else 0)
                if more & board or (missing == 2 and CARD_MASKS[second] & board):
                    continue
                count = 0
                for card in range(52):
                    if CARD_MASKS[card] & (board | more):
                        cards[count] = card
                        count += 1
                index = board_index(cards, 5)
                row, names = form[index], suits[index]
                for hand in range(1326):
                    if not HAND_MASKS[hand] & (board | more):
                        points = np.int64(river[row, hand_on(CARDS[hand, 0], CARDS[hand, 1], names)])
                        total[place, hand] += points
                        squares[place, hand] += points * points
    return total, squares


class StateTable(NamedTuple):
    """The card state of every hand by the form of the board, uint8[forms, 1326], for flop, turn and river."""

    forms: tuple[BoardForms, BoardForms, BoardForms]
    states: tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]


def make_states(
    outlooks: Outlooks, shape: Sequence[tuple[int, int]], seed: int
) -> tuple[list[Cuts], StateTable]:
    """Cuts of random hands into ``shape``, rows and columns by street, and the states of all hands by them.

    At most 256 states a street.
    """
    cuts, states = [], []
    for street in range(3):
        total, squares = _sample(outlooks, street, rng("outlook", seed, street))
        cut = make_cuts(total, squares, *shape[street])
        all_squares = outlooks.squares[street] if street < 2 else _NONE
        cuts.append(cut)
        states.append(_all_states(outlooks.total[street], all_squares, cut.squares, cut.sums))
    return cuts, StateTable(outlooks.forms, (states[0], states[1], states[2]))


_SAMPLE = 400_000
_NONE: Ints = np.empty((0, 0), np.int64)


def _sample(outlooks: Outlooks, street: int, state: State) -> tuple[Ints, Ints]:
    forms = outlooks.forms[street]
    places, hands = _random_hands(state, _SAMPLE, 3 + street, forms.form, forms.suits)
    total = outlooks.total[street][places, hands].astype(np.int64)
    return total, outlooks.squares[street][places, hands] if street < 2 else total * total


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
        hands[one] = hand_on(deck[0], deck[1], suits[index])
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
