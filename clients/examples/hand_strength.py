"""How strong hands are, for learners of hold'em: from the observations of ``pokerd.env``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.batch.observation import fields
from strategy.jit import jit
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, TABLE, Ranks, State, below, rank_of

Seen = NDArray[np.float32]

#: Where the fields of an observation begin that are the same for any number of players.
AT = {field.name: field.start for field in fields(2)}

_SAMPLES = 100
_CARDS = 52
_BOARD = 5
_PARTS = 4  # own cards, flop, turn, river


def strengths(seen: Seen) -> Seen:
    """Return the share of the pot that each hand wins at a showdown with one random hand, float32[n].

    It is estimated from random hands and boards, which follow from the cards: the same cards, in the same
    suits, always have the same strength. The standard error is at most 0.05.
    """
    found = np.empty(len(seen), np.float32)
    _strengths(TABLE, seen, np.zeros(1, np.uint64), found)
    return found


@jit
def _strengths(table: Ranks, seen: Seen, state: State, found: Seen) -> None:
    for row in range(len(seen)):
        found[row] = strength_of(table, seen[row], state)


@jit
def strength_of(table: Ranks, seen: Seen, state: State) -> float:
    """Return the strength of one observation. ``state``, uint64[1], is room to work in."""
    own_key = own_mask = key = mask = 0
    missing = _BOARD
    for card in range(_PARTS * _CARDS):
        if seen[card]:
            if card < _CARDS:
                own_key += CARD_KEYS[card]
                own_mask += CARD_MASKS[card]
            else:
                key += CARD_KEYS[card % _CARDS]
                mask += CARD_MASKS[card % _CARDS]
                missing -= 1
    state[0] = np.uint64(own_mask) * np.uint64(31) + np.uint64(mask)
    won = 0.0
    for _ in range(_SAMPLES):
        board_key, board_mask = key, mask
        for _ in range(missing):
            card = _draw(own_mask | board_mask, state)
            board_key += CARD_KEYS[card]
            board_mask += CARD_MASKS[card]
        first = _draw(own_mask | board_mask, state)
        second = _draw(own_mask | board_mask | CARD_MASKS[first], state)
        own = rank_of(table, board_key + own_key, board_mask + own_mask)
        other = rank_of(
            table,
            board_key + CARD_KEYS[first] + CARD_KEYS[second],
            board_mask + CARD_MASKS[first] + CARD_MASKS[second],
        )
        won += 1.0 if own > other else 0.5 if own == other else 0.0
    return won / _SAMPLES


@jit
def _draw(used: int, state: State) -> int:
    card = below(state, _CARDS)
    while CARD_MASKS[card] & used:
        card = below(state, _CARDS)
    return card
