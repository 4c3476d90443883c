"""What a hand is worth at the showdown.

A rank is an integer, higher is better: the category in bits 24 and up, then the ranks that decide, four
bits each, most significant first. eval7 counts in the same way. It is made for 5 to 7 cards and right for
fewer, too, as the tests show for every such hand; with more than 7 it is wrong now and then, so those we
rank ourselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import eval7

from dealer.rules.cards import CARD_TEXTS
from dealer.rules.errors import CardError

__all__ = ["CATEGORIES", "best_cards", "hand_label", "hand_labels", "rank_hand"]

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
"""The names of the categories, weakest first; the index is the rank's category."""

_HIGH, _PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH = range(9)
_MOST_CARDS = 10
_CATEGORY_SHIFT = 24
_SHIFTS = (16, 12, 8, 4, 0)
_WHEEL = 0b1000000001111
_WHEEL_TOP = 3

_EVAL7 = tuple(map(eval7.Card, CARD_TEXTS))
_evaluate = eval7.evaluate


def rank_hand(cards: Sequence[int]) -> int:
    """The rank of the best five of 1 to 10 different cards.

    The ace is also the low card of A-2-3-4-5, whatever the deck. With fewer than five cards four of a kind
    beat three, then two pair, a pair, high card; there are no straights and flushes. Ranks of hands of the
    same number of cards compare, and so do those of any hands of five or more.
    Raises CardError ``bad_card_count``. That the cards are different and exist is the caller's promise.
    """
    count = len(cards)
    if 1 <= count <= 7:
        rank: int = _evaluate([_EVAL7[card] for card in cards])
        return rank
    if not 1 <= count <= _MOST_CARDS:
        raise CardError("bad_card_count", f"1 to {_MOST_CARDS} cards make a hand, not {count}")
    return _rank(cards)


def _rank(cards: Sequence[int]) -> int:
    """``rank_hand`` for any number of cards."""
    suits = [0, 0, 0, 0]
    counts = [0] * 13
    for card in cards:
        suits[card & 3] |= 1 << (card >> 2)
        counts[card >> 2] += 1
    flushes = [mask for mask in suits if mask.bit_count() >= 5]
    straight_flush = max(map(_straight_top, flushes), default=-1)
    if straight_flush >= 0:
        return _value(_STRAIGHT_FLUSH, [straight_flush])
    # Ranks by how often they occur, then by height.
    groups = sorted(
        (rank for rank in range(13) if counts[rank]), key=lambda rank: (counts[rank], rank), reverse=True
    )
    first = counts[groups[0]]
    pairs = [rank for rank in groups[1:] if counts[rank] >= 2]
    if first == 4:
        return _grouped(_QUADS, groups, 1, 1)
    if first == 3 and pairs:
        return _value(_FULL_HOUSE, [groups[0], max(pairs)])
    if flushes:
        return max(_value(_FLUSH, _high_ranks(mask)) for mask in flushes)
    straight = _straight_top(suits[0] | suits[1] | suits[2] | suits[3])
    if straight >= 0:
        return _value(_STRAIGHT, [straight])
    if first == 3:
        return _grouped(_TRIPS, groups, 1, 2)
    if first == 2:
        return _grouped(_TWO_PAIR, groups, 2, 1) if pairs else _grouped(_PAIR, groups, 1, 3)
    return _value(_HIGH, groups[:5])


def _straight_top(mask: int) -> int:
    """The rank of the highest card of the best straight in a set of ranks; -1 when there is none."""
    runs = mask & mask >> 1 & mask >> 2 & mask >> 3 & mask >> 4
    if runs:
        return runs.bit_length() + 3
    return _WHEEL_TOP if mask & _WHEEL == _WHEEL else -1


def _high_ranks(mask: int) -> list[int]:
    return [rank for rank in range(12, -1, -1) if mask >> rank & 1][:5]


def _grouped(category: int, groups: list[int], sets: int, kickers: int) -> int:
    return _value(category, groups[:sets] + sorted(groups[sets:], reverse=True)[:kickers])


def _value(category: int, ranks: Sequence[int]) -> int:
    return category << _CATEGORY_SHIFT | sum(
        rank << shift for rank, shift in zip(ranks, _SHIFTS, strict=False)
    )


def best_cards(cards: Sequence[int]) -> tuple[int, ...]:
    """The five of these cards that make the best hand, or all where there are fewer; the first of them where
    several do. Raises CardError ``bad_card_count``.
    """
    return max(combinations(cards, min(5, len(cards))), key=rank_hand)


_NAMES = (
    "deuce",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)
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
    top, second = (rank >> shift & 15 for shift in _SHIFTS[:2])
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
