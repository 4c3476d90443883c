"""What a hand is worth at the showdown.

A rank is an integer, higher is better: the category in bits 24 and up, then the ranks that decide, four
bits each, most significant first. eval7 counts in the same way. Hands of up to seven cards are looked up in
the table that ``strategy.poker.kernels`` describes, which is also in a file; with more we find the rank.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Final

from dealer import rules
from dealer.rules.errors import CardError

CATEGORIES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house",
    "four of a kind", "straight flush",
)  # fmt: skip
"""The names of the categories, weakest first; the index is the rank's category."""

_HIGH, _PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH = range(9)
_MOST_CARDS = 10
_CATEGORY_SHIFT = 24
_SHIFTS = (16, 12, 8, 4, 0)
_TOP_SHIFT = _SHIFTS[0]
_WHEEL = 0b1000000001111
_WHEEL_TOP = 3
_RANKS = (1 << 13) - 1
#: By card: its rank's bit among the 13 of its suit.
_BITS = tuple(1 << card % 4 * 13 + card // 4 for card in range(52))


TABLE_FILE: Final = Path(rules.__path__[0]) / "ranks.zlib"
"""Made by ``zlib.compress(TABLE.astype("<i4").tobytes(), 9)`` of the table in ``strategy.poker.kernels``."""

# Keys of cards, and where what they add up to is in the table.
_MOST_IN_TABLE: Final = 7
_LOW_RANKS: Final = 6
_LOW_BITS: Final = 14
_HIGH_BITS: Final = 17
_SUITS_AT: Final = 32
_KEYS: Final[tuple[int, ...]] = tuple(
    (5 ** (card // 4) if card // 4 < _LOW_RANKS else 5 ** (card // 4 - _LOW_RANKS) << _LOW_BITS)
    | 1 << (_SUITS_AT + card % 4 * 4)
    for card in range(52)
)
_LOW_AT: Final = 5 ** (13 - _LOW_RANKS)
_FLUSHES_AT: Final = _LOW_AT + 5**_LOW_RANKS
_read: Final[list[array[int]]] = []


def _table() -> array[int]:
    """The table, read when the first hand is ranked: it takes 3 ms, and most programs never rank one."""
    table = array("i", zlib.decompress(TABLE_FILE.read_bytes()))
    if sys.byteorder == "big":
        table.byteswap()
    _read.append(table)
    return table


def rank_hand(cards: Sequence[int]) -> int:
    """The rank of the best five of 1 to 10 different cards.

    The ace is also the low card of A-2-3-4-5, whatever the deck. With fewer than five cards four of a kind
    beat three, then two pair, a pair, high card; there are no straights and flushes. Ranks of hands of the
    same number of cards compare, and so do those of any hands of five or more.
    Raises CardError ``bad_card_count``. That the cards are different and exist is the caller's promise.
    """
    count = len(cards)
    if not 1 <= count <= _MOST_IN_TABLE:
        if not 1 <= count <= _MOST_CARDS:
            raise CardError("bad_card_count", f"1 to {_MOST_CARDS} cards make a hand, not {count}")
        return _rank(cards)
    table = _read[0] if _read else _table()
    key = 0
    for card in cards:
        key += _KEYS[card]
    # A suit counted five or more times has its highest bit set after adding three.
    flush = (key >> _SUITS_AT) + 0x3333 & 0x8888
    if flush:
        held = 0
        for card in cards:
            held |= _BITS[card]
        return table[_FLUSHES_AT + (held >> flush.bit_length() // 4 * 13 - 13 & _RANKS)]
    high: int = table[key >> _LOW_BITS & (1 << _HIGH_BITS) - 1]
    low: int = table[_LOW_AT + (key & (1 << _LOW_BITS) - 1)]
    return table[high + low]


def _rank(cards: Sequence[int]) -> int:
    """``rank_hand`` for any number of cards. Sets of ranks are bits: bit 0 is the deuce."""
    held = 0
    for card in cards:
        held |= _BITS[card]
    a, b, c, d = held & _RANKS, held >> 13 & _RANKS, held >> 26 & _RANKS, held >> 39
    ranks = a | b | c | d
    flushes = [mask for mask in (a, b, c, d) if mask.bit_count() >= 5]
    straight_flush = max(map(_straight_top, flushes), default=-1)
    if straight_flush >= 0:
        return _STRAIGHT_FLUSH << _CATEGORY_SHIFT | straight_flush << _TOP_SHIFT
    fours = a & b & c & d
    if fours:
        return _grouped(_QUADS, fours, 1, ranks, 1)
    pairs = a & b | c & d | (a | b) & (c | d)
    threes = a & b & (c | d) | c & d & (a | b)
    if threes and pairs.bit_count() > 1:
        return _grouped(_FULL_HOUSE, threes, 1, pairs, 1)
    if flushes:
        return _FLUSH << _CATEGORY_SHIFT | max(_highest(mask, 5) for mask in flushes)
    straight = _straight_top(ranks)
    if straight >= 0:
        return _STRAIGHT << _CATEGORY_SHIFT | straight << _TOP_SHIFT
    if threes:
        return _grouped(_TRIPS, threes, 1, ranks, 2)
    if pairs:
        two = pairs.bit_count() > 1
        return _grouped(_TWO_PAIR, pairs, 2, ranks, 1) if two else _grouped(_PAIR, pairs, 1, ranks, 3)
    return _HIGH << _CATEGORY_SHIFT | _highest(ranks, 5)


@cache
def _straight_top(mask: int) -> int:
    """The rank of the highest card of the best straight in a set of ranks; -1 when there is none."""
    runs = mask & mask >> 1 & mask >> 2 & mask >> 3 & mask >> 4
    if runs:
        return runs.bit_length() + 3
    return _WHEEL_TOP if mask & _WHEEL == _WHEEL else -1


@cache
def _highest(mask: int, count: int) -> int:
    """The ``count`` highest ranks of a set, four bits each, the first where a rank's first belongs."""
    ranks = [rank for rank in range(12, -1, -1) if mask >> rank & 1][:count]
    return sum(rank << shift for rank, shift in zip(ranks, _SHIFTS, strict=False))


@cache
def _grouped(category: int, groups: int, taken: int, ranks: int, kickers: int) -> int:
    """The ``taken`` highest ranks of ``groups``, and then the highest ``kickers`` of the other ``ranks``."""
    rest = ranks
    for _ in range(taken):
        top = 1 << groups.bit_length() - 1
        rest &= ~top
        groups ^= top
    own = _highest(ranks & ~rest, taken)
    return category << _CATEGORY_SHIFT | own | _highest(rest, kickers) >> 4 * taken


def best_cards(cards: Sequence[int]) -> tuple[int, ...]:
    """The five of these cards that make the best hand, or all where there are fewer; the first of them where
    several do. Raises CardError ``bad_card_count``.
    """
    return max(combinations(cards, min(5, len(cards))), key=rank_hand)


_NAMES = (
    "deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king",
    "ace",
)  # fmt: skip
_PLURALS = tuple("sixes" if name == "six" else f"{name}s" for name in _NAMES)


def hand_label(cards: Sequence[int]) -> str:
    """What players call the hand, as in ``two pair, kings and tens``. Raises CardError ``bad_card_count``."""
    return _label(rank_hand(cards))


def hand_labels(hands: Sequence[Sequence[int]]) -> list[str]:
    """What players call hands that are compared: as ``hand_label`` does, with the kickers where only these
    decide between two of them, as in ``pair, queens, king kicker``. Raises CardError ``bad_card_count``.
    """
    ranks = [rank_hand(cards) for cards in hands]
    labels = [_label(rank) for rank in ranks]
    return [
        label + _kickers(rank, [other for other, same in zip(ranks, labels, strict=True) if same == label])
        for rank, label in zip(ranks, labels, strict=True)
    ]


def _kickers(rank: int, others: Sequence[int]) -> str:
    """Those cards of a hand, by rank, that decide against others of the same label."""
    # Where it first differs from each of them.
    shifts = {((rank ^ other).bit_length() - 1) // 4 * 4 for other in others if other != rank}
    names = [_NAMES[rank >> shift & 15] for shift in sorted(shifts, reverse=True)]
    if not names:
        return ""
    return f", {' and '.join(names)} kicker{'s' if len(names) > 1 else ''}"


def _label(rank: int) -> str:
    category = rank >> _CATEGORY_SHIFT
    name = CATEGORIES[category]
    top, second = [rank >> shift & 15 for shift in _SHIFTS[:2]]
    if category == _STRAIGHT_FLUSH and top == 12:
        return "royal flush"
    if category == _HIGH:
        return f"{name}, {_NAMES[top]}"
    if category in {_STRAIGHT, _FLUSH, _STRAIGHT_FLUSH}:
        return f"{name}, {_NAMES[top]} high"
    if category == _TWO_PAIR:
        return f"{name}, {_PLURALS[top]} and {_PLURALS[second]}"
    if category == _FULL_HOUSE:
        return f"{name}, {_PLURALS[top]} over {_PLURALS[second]}"
    return f"{name}, {_PLURALS[top]}"
