"""Compiled loops of the learners, on observations of heads-up limit hold'em: how strong a hand is, and the
numbers of information sets.

numba keeps what it has compiled together with the name of the module, so this one is never run as a program.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.batch.observation import fields
from strategy.jit import jit
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, TABLE, Ranks, State, below, rank_of, uniform

Seen = NDArray[np.float32]
Mask = NDArray[np.int8]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Where the fields of an observation begin that are the same for any number of players.
AT = {field.name: field.start for field in fields(2)}

ACTIONS = 3
STREETS = 4
LEVELS = 5  # bets and raises on this street: 0 to 4
POTS = 17  # big blinds that each player has paid on earlier streets: 0 to 16
RAISERS = 3  # who raised last on earlier streets: nobody, the player, the opponent
BETTINGS = STREETS * 2 * LEVELS * POTS * RAISERS
HANDS = 169  # classes before the flop; after it there are
BINS = 20  # of strength

LOOKS = 40  # samples of strength for the number of a hand: most of what learning a decision costs

_CARDS = 52
_BOARD = 5
_PARTS = 4  # own cards, flop, turn, river
_STREET, _BET, _POSITION, _BETS, _PAID, _HISTORY = (
    AT[name] for name in ("street", "bet", "position", "bets", "paid", "history")
)
_ACTION, _WHO, _RAISE = 10, 4, 8  # the length of an action in the history, and where these are in it


def strengths(seen: Seen, samples: int = 100) -> Seen:
    """Return the share of the pot that each hand wins at a showdown with one random hand, float32[n].

    It is estimated from ``samples`` of random hands and boards, which follow from the cards: the same cards,
    in the same suits, always have the same strength. The standard error is at most 0.05 for 100 of them.
    """
    found = np.empty(len(seen), np.float32)
    _strengths(TABLE, seen, np.zeros(1, np.uint64), samples, found)
    return found


@jit
def _strengths(table: Ranks, seen: Seen, state: State, samples: int, found: Seen) -> None:
    for row in range(len(seen)):
        found[row] = strength_of(table, seen[row], state, samples)


@jit
def strength_of(table: Ranks, seen: Seen, state: State, samples: int) -> float:
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
    for _ in range(samples):
        board_key, board_mask = key, mask
        for _ in range(missing):
            card = _card(own_mask | board_mask, state)
            board_key += CARD_KEYS[card]
            board_mask += CARD_MASKS[card]
        first = _card(own_mask | board_mask, state)
        second = _card(own_mask | board_mask | CARD_MASKS[first], state)
        own = rank_of(table, board_key + own_key, board_mask + own_mask)
        other = rank_of(
            table,
            board_key + CARD_KEYS[first] + CARD_KEYS[second],
            board_mask + CARD_MASKS[first] + CARD_MASKS[second],
        )
        won += 1.0 if own > other else 0.5 if own == other else 0.0
    return won / samples


@jit
def _card(used: int, state: State) -> int:
    card = below(state, _CARDS)
    while CARD_MASKS[card] & used:
        card = below(state, _CARDS)
    return card


@jit
def betting_of(seen: Seen) -> int:
    """Return the number of an observation's betting, below ``BETTINGS``."""
    street = 0
    while not seen[_STREET + street]:
        street += 1
    own = int(seen[_POSITION + 1])
    # In big blinds: before the flop the blind is one, on turn and river a bet is two.
    bet = int(seen[_BET] + 0.5)
    level = bet - 1 if street == 0 else bet if street == 1 else bet // 2
    pot = int(seen[_PAID + own] - seen[_BETS + own] + 0.5)
    raiser = 0
    for action in range(_HISTORY, len(seen), _ACTION):
        if seen[action + street]:
            break
        if seen[action + _RAISE]:
            raiser = 1 if seen[action + _WHO + own] else 2
    return (((street * 2 + own) * LEVELS + level) * POTS + pot) * RAISERS + raiser


@jit
def hand_of(table: Ranks, seen: Seen, work: State) -> int:
    """Return the number of an observation's hand, below ``HANDS``."""
    if not seen[_STREET]:
        return min(BINS - 1, int(strength_of(table, seen, work, LOOKS) * BINS))
    high = low = 0
    for card in range(52):
        if seen[card]:
            high, low = card, high
    suited = (high ^ low) & 3 == 0
    return (high >> 2) * 13 + (low >> 2) if suited else (low >> 2) * 13 + (high >> 2)


@jit
def in_proportion(weights: Floats, mask: Mask, chances: Floats) -> None:
    """Write chances in proportion to the positive weights; without any, all legal actions have the same."""
    total = 0.0
    legal = 0
    for action in range(ACTIONS):
        chances[action] = max(0.0, weights[action]) if mask[action] else 0.0
        total += chances[action]
        legal += mask[action]
    for action in range(ACTIONS):
        chances[action] = chances[action] / total if total > 0 else mask[action] / legal


@jit
def draw(chances: Floats, state: State) -> int:
    """Return an action with these chances."""
    left = uniform(state)
    last = 0
    for action in range(ACTIONS):
        if chances[action] > 0:
            last = action
            left -= chances[action]
            if left < 0:
                break
    return last


@jit
def play(table: Ranks, seen: Seen, mask: Mask, average: Floats, state: State, actions: Ints) -> None:
    """Write actions drawn from a table of strategies, float64[BETTINGS * HANDS, ACTIONS]."""
    chances, work = np.zeros(ACTIONS), np.zeros(1, np.uint64)
    for row in range(len(seen)):
        at = betting_of(seen[row]) * HANDS + hand_of(table, seen[row], work)
        in_proportion(average[at], mask[row], chances)
        actions[row] = draw(chances, state)
