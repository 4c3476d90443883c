"""Ranks of hands and random numbers for compiled loops.

A set of cards is two integers. Its ``key`` is the sum of its cards' keys: the count of each rank in base
five, the six low ranks in bits 0 to 13 and the seven high ones in bits 14 to 30; then the count of each suit,
four bits each from bit 32. Its ``mask`` has bit ``13 suit + rank`` for every card. Keys and masks of a board
and a hand add up, so a loop over hands or boards never looks at single cards again.

The rank of one to seven cards is the integer of ``dealer.rules.evaluation.rank_hand``. Two numbers from the
table, one for the high and one for the low ranks, add up to the index of the rank; no two sets of ranks share
an index. If five or more cards have one suit, the set of their ranks is the index.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit, lean_jit
from strategy.poker.combos import CARDS, MASKS, card_mask

Ints = NDArray[np.int64]
Ranks = NDArray[np.int32]
State = NDArray[np.uint64]

_MAX_CARDS = 7
_LOW_RANKS = 6
_LOW_BITS = 14
_HIGH_BITS = 17
_SUITS_AT = 32
_LOW = 5**_LOW_RANKS
_HIGH = 5 ** (13 - _LOW_RANKS)
_LOW_AT = _HIGH
_FLUSH_AT = _LOW_AT + _LOW
_RANKS_AT = _FLUSH_AT + (1 << 13)
_RANK_SETS = 76_155  # ways to choose the ranks of 0 to 7 cards

_PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH = range(1, 9)
_WHEEL = 0b1000000001111


def _card_key(card: int) -> int:
    rank, suit = card >> 2, card & 3
    ranks: int = 5**rank if rank < _LOW_RANKS else 5 ** (rank - _LOW_RANKS) << _LOW_BITS
    return ranks | 1 << (_SUITS_AT + 4 * suit)


CARD_KEYS: Ints = np.array([_card_key(card) for card in range(52)], np.int64)
CARD_MASKS: Ints = np.array([card_mask((card,)) for card in range(52)], np.int64)
HAND_KEYS: Ints = CARD_KEYS[CARDS[:, 0]] + CARD_KEYS[CARDS[:, 1]]
HAND_MASKS: Ints = MASKS


@jit
def _straight_top(mask: int) -> int:
    for top in range(12, 3, -1):
        if mask >> (top - 4) & 31 == 31:
            return top
    return 3 if mask & _WHEEL == _WHEEL else -1


@jit
def _highest(mask: int, count: int, shift: int) -> int:
    """Return the ``count`` highest ranks of a set, the first from bit ``shift`` and each next four lower."""
    value = 0
    for rank in range(12, -1, -1):
        if mask >> rank & 1 and count > 0:
            value |= rank << shift
            shift -= 4
            count -= 1
    return value


@jit
def _rank_of_ranks(high: int, low: int) -> int:
    """Return the rank of cards of which no five share a suit, from the counts of ranks in base five."""
    ranks = pairs = threes = fours = 0
    for rank in range(13):
        if rank < _LOW_RANKS:
            times = low % 5
            low //= 5
        else:
            times = high % 5
            high //= 5
        ranks |= (times > 0) << rank
        pairs |= (times == 2) << rank
        threes |= (times == 3) << rank
        fours |= (times == 4) << rank
    if fours:
        return _QUADS << 24 | _highest(fours, 1, 16) | _highest(ranks & ~fours, 1, 12)
    three = _highest(threes, 1, 0)
    if threes and (pairs or threes & ~(1 << three)):
        return _FULL_HOUSE << 24 | three << 16 | _highest((pairs | threes) & ~(1 << three), 1, 12)
    straight = _straight_top(ranks)
    if straight >= 0:
        return _STRAIGHT << 24 | straight << 16
    if threes:
        return _TRIPS << 24 | three << 16 | _highest(ranks & ~threes, 2, 12)
    if pairs:
        first = _highest(pairs, 1, 0)
        others = pairs & ~(1 << first)
        if others:
            second = _highest(others, 1, 0)
            rest = ranks & ~(1 << first | 1 << second)
            return _TWO_PAIR << 24 | first << 16 | second << 12 | _highest(rest, 1, 8)
        return _PAIR << 24 | first << 16 | _highest(ranks & ~pairs, 3, 12)
    return _highest(ranks, 5, 16)


@jit
def _make_table() -> Ranks:
    """Return high ranks, low ranks, flushes and ranks, one after the other."""
    table = np.zeros(_RANKS_AT + _RANK_SETS, np.int32)
    # The sets of low ranks by their number of cards: those that fit some high cards are a prefix.
    lows = np.empty(_LOW, np.int32)
    ends = np.zeros(_MAX_CARDS + 1, np.int64)
    found = 0
    for cards in range(_MAX_CARDS + 1):
        for low in range(_LOW):
            rest, count = low, 0
            while rest:
                count += rest % 5
                rest //= 5
            if count == cards:
                table[_LOW_AT + low] = found
                lows[found] = low
                found += 1
        ends[cards] = found
    start = _RANKS_AT
    for high in range(_HIGH):
        rest, count = high, 0
        while rest:
            count += rest % 5
            rest //= 5
        if count <= _MAX_CARDS:
            table[high] = start
            end = ends[_MAX_CARDS - count]
            for place in range(end):
                table[start + place] = _rank_of_ranks(high, lows[place])
            start += end
    for mask in range(1 << 13):
        straight = _straight_top(mask)
        table[_FLUSH_AT + mask] = (
            _STRAIGHT_FLUSH << 24 | straight << 16 if straight >= 0 else _FLUSH << 24 | _highest(mask, 5, 16)
        )
    return table


TABLE: Ranks = _make_table()
"""The table for ``rank_of``. Pass it: a global would be copied into every compiled function."""


@jit
def rank_of(table: Ranks, key: int, mask: int) -> int:
    """Return the rank of a set of 1 to 7 cards."""
    # A suit counted five or more times has its highest bit set after adding three.
    flush = (key >> _SUITS_AT) + 0x3333 & 0x8888
    if flush:
        suit = 0
        while not flush >> (4 * suit + 3) & 1:
            suit += 1
        flush_rank: int = table[_FLUSH_AT + (mask >> 13 * suit & 0x1FFF)]
        return flush_rank
    high = key >> _LOW_BITS & ((1 << _HIGH_BITS) - 1)
    low = key & ((1 << _LOW_BITS) - 1)
    rank: int = table[table[high] + table[_LOW_AT + low]]
    return rank


@jit
def rank_rows(table: Ranks, cards: NDArray[np.int8]) -> Ints:
    """Return the ranks of many sets of cards, int8[n, 1 to 7]."""
    ranks = np.empty(len(cards), np.int64)
    for row in range(len(cards)):
        key = mask = 0
        for card in cards[row]:
            key += CARD_KEYS[card]
            mask |= CARD_MASKS[card]
        ranks[row] = rank_of(table, key, mask)
    return ranks


def keys_of(cards: Iterable[int]) -> tuple[int, int]:
    """Return key and mask of different cards."""
    chosen = list(cards)
    return int(CARD_KEYS[chosen].sum()), int(CARD_MASKS[chosen].sum())


@jit
def key_of(mask: int) -> int:
    """Return the key of the cards of a mask."""
    key = 0
    for card in range(52):
        if mask & CARD_MASKS[card]:
            key += CARD_KEYS[card]
    return key


@jit
def next_set(chosen: Ints) -> None:
    """Replace ascending numbers by the next set of as many: the last one has grown when all are done."""
    # Increase the first number that can grow, and reset those before it.
    grows = 0
    while grows < len(chosen) - 1 and chosen[grows] + 1 == chosen[grows + 1]:
        chosen[grows] = grows
        grows += 1
    chosen[grows] += 1


@jit
def runouts(known: int, cards: int) -> tuple[Ints, Ints]:
    """Return keys and masks of every set of ``cards`` cards that are not in the mask ``known``."""
    unseen: Ints = np.array([card for card in range(52) if not CARD_MASKS[card] & known])
    size = len(unseen)
    count = 1
    for i in range(cards):
        count = count * (size - i) // (i + 1)
    keys, masks = np.empty(count, np.int64), np.empty(count, np.int64)
    chosen = np.arange(cards)
    for place in range(count):
        key = mask = 0
        for card in unseen[chosen]:
            key += CARD_KEYS[card]
            mask |= CARD_MASKS[card]
        keys[place], masks[place] = key, mask
        if cards:
            next_set(chosen)
    return keys, masks


# Random numbers: SplitMix64 (Steele, Lea and Flood 2014), one word of state.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_U11, _U27, _U30, _U31, _U32 = (np.uint64(bits) for bits in (11, 27, 30, 31, 32))


def rng(*parts: object) -> State:
    """Return a generator's state, which follows from the text of ``parts``."""
    text = " ".join(map(str, parts)).encode()
    return np.array([int.from_bytes(blake2b(text, digest_size=8).digest(), "little")], np.uint64)


@jit
def _next(state: State) -> np.uint64:
    state[0] += _STEP
    z: np.uint64 = state[0]
    z = (z ^ (z >> _U30)) * _MIX1
    z = (z ^ (z >> _U27)) * _MIX2
    return z ^ (z >> _U31)


@jit
def below(state: State, limit: int) -> int:
    """Return an integer from 0 to ``limit - 1``, at most 2**31; the bias is below ``limit`` in 2**32."""
    return int(np.int64(((_next(state) >> _U32) * np.uint64(limit)) >> _U32))


@jit
def uniform(state: State) -> float:
    """Return a number from 0 to below 1."""
    return np.float64(_next(state) >> _U11) * 2.0**-53


@lean_jit
def pot_share(paid: Ints, folded: Ints, ranks: Ints, own: int) -> float:
    """Return a player's share of the main pot and of the side pots that the player paid for. By player:
    chips paid in the hand, whether he has folded, and the rank of his hand.
    """
    won = 0.0
    settled = 0
    while settled < paid[own]:
        # The next layer ends where the next remaining player has no more in the pot.
        top = paid[own]
        for place in range(len(paid)):
            if not folded[place] and paid[place] > settled:
                top = min(top, paid[place])
        layer = winners = 0
        best = True
        for place in range(len(paid)):
            layer += max(0, min(paid[place], top) - settled)
            if not folded[place] and paid[place] >= top:
                best = best and ranks[place] <= ranks[own]
                winners += ranks[place] == ranks[own]
        if best:
            won += layer / winners
        settled = top
    return won
