"""What share of a pot hands win on average over all boards that can still come, exactly.

Before the flop there are up to 1.7 million boards, too many to rank one by one. But nearly all of them cannot
make a flush, and then suits do not matter: boards of the same ranks are counted together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb

from dealer.rules.evaluation import rank_hand

POINTS = 2520
"""What a board is worth in points: winners that tie, up to ten, share it without a remainder."""

# A set of ranks as a number whose digit r, in base 5, is how many cards of rank r there are.
_ONE = tuple(5**rank for rank in range(13))
_SUITS = range(4)
_BOARD = 5

_plain: dict[int, int] = {}
_flushes: dict[int, int] = {}


def count_points(
    hands: Sequence[Sequence[int]], board: Sequence[int], size: int, deck: Collection[int]
) -> list[int]:
    """The points that each of two to ten ``hands`` wins on all boards of ``size`` cards in the end: its
    equity is its part of their sum, which is ``POINTS`` for every board.

    ``deck`` is what can still come. With more than a thousand boards, hands are of two cards, the board is
    empty and of five cards in the end, and the deck is of 52 cards without the ``hands``.
    """
    missing = size - len(board)
    winners = (
        _count_each(hands, board, missing, deck)
        if comb(len(deck), missing) <= 5_000
        else _count_by_ranks(hands, deck)
    )
    points = [0] * len(hands)
    for mask, boards in winners.items():
        share = POINTS // mask.bit_count() * boards
        for index in range(len(hands)):
            if mask >> index & 1:
                points[index] += share
    return points


def _winners(values: Sequence[int]) -> int:
    """The hands that are worth most, as bits."""
    best = max(values)
    return sum([1 << index for index, value in enumerate(values) if value == best])


def _count_each(
    hands: Sequence[Sequence[int]], board: Sequence[int], missing: int, deck: Collection[int]
) -> dict[int, int]:
    found: dict[int, int] = {}
    known = [(*hand, *board) for hand in hands]
    for more in combinations(sorted(deck), missing):
        mask = _winners([rank_hand(cards + more) for cards in known])
        found[mask] = found.get(mask, 0) + 1
    return found


def _count_by_ranks(hands: Sequence[Sequence[int]], deck: Collection[int]) -> dict[int, int]:
    """How many boards each set of hands wins."""
    found: dict[int, int] = {}
    left = _boards_by_ranks(deck)
    own = [_key([card // 4 for card in hand]) for hand in hands]
    for key, boards, mask in _flush_boards(hands, own, deck):
        left[key] -= boards
        found[mask] = found.get(mask, 0) + boards
    for key, boards in left.items():
        if boards:
            mask = _winners([_rank_plain(key + more) for more in own])
            found[mask] = found.get(mask, 0) + boards
    return found


def _key(ranks: Iterable[int]) -> int:
    return sum([_ONE[rank] for rank in ranks])


def _boards_by_ranks(deck: Collection[int]) -> dict[int, int]:
    """How many boards there are of each set of ranks."""
    found = [{0: 1}, *[{} for _ in range(_BOARD)]]
    for rank in range(13):
        cards = sum([card // 4 == rank for card in deck])
        for held in range(_BOARD, 0, -1):
            into = found[held]
            for more in range(1, min(held, cards) + 1):
                ways, key = comb(cards, more), more * _ONE[rank]
                for before, boards in found[held - more].items():
                    into[before + key] = boards * ways
    return found[_BOARD]


def _flush_boards(
    hands: Sequence[Sequence[int]], own: Sequence[int], deck: Collection[int]
) -> Iterator[tuple[int, int, int]]:
    """The boards on which somebody has a flush: their set of ranks, how many there are, and who wins."""
    for suit in _SUITS:
        suited = [sum([1 << card // 4 for card in hand if card % 4 == suit]) for hand in hands]
        most = max([mask.bit_count() for mask in suited])
        ranks = [rank for rank in range(13) if rank * 4 + suit in deck]
        others = [sum([rank * 4 + other in deck for other in _SUITS if other != suit]) for rank in range(13)]
        for count in range(_BOARD - most, _BOARD + 1):
            rest = _other_ranks(others, _BOARD - count)
            for chosen in combinations(ranks, count):
                bits = sum([1 << rank for rank in chosen])
                key = _key(chosen)
                flushes = [
                    _rank_flush(bits | mask) if mask.bit_count() + count >= _BOARD else 0 for mask in suited
                ]
                best = max(flushes)
                top = _winners(flushes)
                for more, boards, off, pair in rest:
                    mask = top
                    # Only a full house or four of a kind is better, and needs a pair on the board.
                    if pair or off & bits:
                        values = [_rank_plain(key + more + hand) for hand in own]
                        if max(values) > best:
                            mask = _winners(list(map(max, values, flushes)))
                    yield key + more, boards, mask


def _other_ranks(cards: Sequence[int], count: int) -> list[tuple[int, int, int, bool]]:
    """The sets of ranks of ``count`` (up to two) cards of other suits, how many there are of each, their
    bits, and whether they are a pair.
    """
    if count == 0:
        return [(0, 1, 0, False)]
    if count == 1:
        return [(_ONE[rank], many, 1 << rank, False) for rank, many in enumerate(cards) if many]
    return [
        (_ONE[a] + _ONE[b], comb(cards[a], 2) if a == b else cards[a] * cards[b], 1 << a | 1 << b, a == b)
        for a, b in combinations_with_replacement(range(13), 2)
        if (cards[a] > 1 if a == b else cards[a] and cards[b])
    ]


def _rank_plain(key: int) -> int:
    """The rank of seven cards with this set of ranks that make no flush."""
    known = _plain.get(key)
    if known is None:
        ranks = [rank for rank in range(13) for _ in range(key // _ONE[rank] % 5)]
        known = _plain[key] = rank_hand([rank * 4 + place % 4 for place, rank in enumerate(ranks)])
    return known


def _rank_flush(bits: int) -> int:
    """The rank of five to seven cards of one suit; bit 0 is the deuce."""
    known = _flushes.get(bits)
    if known is None:
        known = _flushes[bits] = rank_hand([rank * 4 for rank in range(13) if bits >> rank & 1])
    return known
