"""Random hold'em deals as card states: the class before the flop, strength and potential after it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.moment_tables import StateTable, board_index, rename_suits
from strategy.cfr.sampling import Batch
from strategy.jit import jit
from strategy.poker.combos import CLASSES, combo_index
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, TABLE, Ranks, State, below, rank_of

PREFLOP_STATES = 169


class HoldemDeals:
    """Deals for ``players``, with card states from ``table``. ``sizes``: the number of states per street."""

    def __init__(self, players: int, table: StateTable, sizes: tuple[int, int, int]) -> None:
        self.players = players
        self.sizes = (PREFLOP_STATES, *sizes)
        self._table = table

    def batch(self, state: State, count: int) -> Batch:
        """Return ``count`` random deals."""
        states = np.empty((count, self.players, 4), np.int16)
        ranks = np.empty((count, self.players), np.int32)
        (flop, turn, river), by_form = self._table
        _deal(
            TABLE,
            state,
            flop.form,
            flop.suits,
            by_form[0],
            turn.form,
            turn.suits,
            by_form[1],
            river.form,
            river.suits,
            by_form[2],
            states,
            ranks,
        )
        return Batch(states, ranks)


_HAND: NDArray[np.int16] = np.array(
    [[combo_index(one, two) if one != two else -1 for two in range(52)] for one in range(52)], np.int16
)

_Forms = NDArray[np.int32]
_Bytes = NDArray[np.uint8]


@jit
def _deal(
    table: Ranks,
    random: State,
    flop: _Forms,
    flop_suits: _Bytes,
    flop_states: _Bytes,
    turn: _Forms,
    turn_suits: _Bytes,
    turn_states: _Bytes,
    river: _Forms,
    river_suits: _Bytes,
    river_states: _Bytes,
    states: NDArray[np.int16],
    ranks: NDArray[np.int32],
) -> None:
    deck = np.arange(52)
    board = np.empty(5, np.int64)
    players = states.shape[1]
    for deal in range(len(states)):
        for i in range(5 + 2 * players):
            j = i + below(random, 52 - i)
            deck[i], deck[j] = deck[j], deck[i]
        key = mask = 0
        for card in deck[:5]:
            key += CARD_KEYS[card]
            mask |= CARD_MASKS[card]
        at = np.empty(3, np.int64)
        for street in range(3):
            _sort(deck, board, 3 + street)
            at[street] = board_index(board, 3 + street)
        for seat in range(players):
            one, two = deck[5 + 2 * seat], deck[6 + 2 * seat]
            states[deal, seat, 0] = CLASSES[_HAND[one, two]]
            states[deal, seat, 1] = flop_states[flop[at[0]], rename_suits(one, two, flop_suits[at[0]])]
            states[deal, seat, 2] = turn_states[turn[at[1]], rename_suits(one, two, turn_suits[at[1]])]
            states[deal, seat, 3] = river_states[river[at[2]], rename_suits(one, two, river_suits[at[2]])]
            hand_key, hand_mask = CARD_KEYS[one] + CARD_KEYS[two], CARD_MASKS[one] | CARD_MASKS[two]
            ranks[deal, seat] = rank_of(table, key + hand_key, mask | hand_mask)


@jit
def _sort(deck: NDArray[np.int64], board: NDArray[np.int64], count: int) -> None:
    """Sort the first ``count`` cards into ``board``, ascending."""
    for i in range(count):
        card, place = deck[i], i
        while place > 0 and board[place - 1] > card:
            board[place] = board[place - 1]
            place -= 1
        board[place] = card
