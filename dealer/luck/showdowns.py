"""Who wins with which cards to come, if all hole cards are known.

Averages are over all boards that can still come if these are few, otherwise over random ones, which are
drawn from the hole cards alone: the same whenever a hand is computed, and in every seating of a deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from random import Random
from typing import Final, NamedTuple

import numpy as np

from dealer.luck.ranks import CARD_BITS, Hands, hand_bits, rank_many
from dealer.luck.shapes import Numbers, card_shapes, strength_shapes
from dealer.luck.value import Shapes
from dealer.rules.pots import FOLDED

#: Random hands that a hand's strength is compared with.
RIVALS: Final = 60
#: Random flops that a flop is compared with.
FLOPS: Final = 16
#: Boards that are counted one by one; where there are more, random ones are drawn.
MAX_BOARDS: Final = 1000

Orders = Counter[tuple[int, ...]]
"""How often each order of the hands comes, by position: higher wins, ``FOLDED`` is out."""


class Outlook(NamedTuple):
    """Two hands at some point: the probabilities that the first wins and that they tie, and the share of
    random hands that each of them beats now.
    """

    win: float
    tie: float
    strength: float
    other: float


class Change(NamedTuple):
    """What cards changed: the probabilities of a win and a tie before and after them, and the shapes of the
    value function after them, less their mean over all cards that could have come.
    """

    old: tuple[float, float]
    new: tuple[float, float]
    shapes: Shapes


class Duel:
    """Two hands, by ``hole``; ``dead``: cards that others have folded. ``deck``: all cards of the game;
    ``size``: those of a whole board.
    """

    def __init__(
        self,
        deck: Sequence[int],
        hole: tuple[tuple[int, ...], tuple[int, ...]],
        dead: Sequence[int],
        size: int,
    ) -> None:
        self._both = _bits(hole)
        self._size = size
        gone = {*hole[0], *hole[1], *dead}
        self._rest = [card for card in deck if card not in gone]
        self._seed = repr((hole, sorted(dead)))
        random = Random(f"rivals {self._seed}")
        self._rivals = _bits([random.sample(self._rest, len(hole[0])) for _ in range(RIVALS)])
        # The results at one board: a table is large, and the others are not asked for again.
        self._pairs: dict[tuple[int, ...], Hands] = {}
        self._counted: dict[tuple[int, ...], tuple[float, float]] = {}
        self._next: dict[tuple[tuple[int, ...], int], tuple[tuple[float, float], Shapes]] = {}
        self._flops: dict[tuple[int, ...], Shapes] = {}
        self._sampled: dict[tuple[tuple[int, ...], int], tuple[float, float]] = {}

    def chances(self, board: tuple[int, ...], many: int) -> tuple[float, float]:
        """Return the probabilities of a win and of a tie; over ``many`` random boards if not all are
        counted.
        """
        missing = self._size - len(board)
        if missing == 2 and len(self._rest) - len(board) <= 46:
            if board not in self._counted:
                self._counted[board] = _rows(*_shares(self._results(board).reshape(1, -1)))[0]
            return self._counted[board]
        known = self._sampled.get((board, many))
        if known is None:
            boards = _boards(self._rest, board, missing, many, self._seed)
            results = _results(self._ranks(_bits(boards) | hand_bits(board)))
            known = self._sampled[board, many] = _rows(*_shares(results[np.newaxis]))[0]
        return known

    def outlook(self, board: tuple[int, ...], many: int) -> Outlook:
        """Return the outlook on a board; ``many`` as in ``chances``."""
        return Outlook(*self.chances(board, many), *_rows(*self._strengths([board]))[0])

    def change(self, board: tuple[int, ...], cards: tuple[int, ...], many: int) -> Change:
        """Return what ``cards`` changed after ``board``; ``many`` as in ``chances``."""
        left = self._size - len(board) - len(cards)
        old = self.chances(board, many)
        if len(cards) == 1 and left <= 1:
            return Change(old, *self._change_by(board, cards[0]))
        new = self.chances(board + cards, many)
        # All cards that could come would be too many, so strengths are compared with a few, equities exactly.
        usual = self._flops.get(board)
        if usual is None:
            random = Random(f"flops {self._seed} {board}")
            rest = [card for card in self._rest if card not in board]
            flops = [(*board, *random.sample(rest, len(cards))) for _ in range(FLOPS)]
            usual = self._flops[board] = strength_shapes(*self._strengths(flops)).mean()
        strong = strength_shapes(*self._strengths([board + cards])).of(0).minus(usual).sides
        lead = new[0] + new[1] / 2 - old[0] - old[1] / 2
        return Change(old, new, Shapes((lead, *strong)))

    def _change_by(self, board: tuple[int, ...], card: int) -> tuple[tuple[float, float], Shapes]:
        """Return what a card brought, the last one or that before the last: the chances after it, and the
        shapes less their mean over all cards that could have come.
        """
        found = self._next.get((board, card))
        if found is None:
            left = [card for card in self._rest if card not in board]
            boards = CARD_BITS[left] | hand_bits(board)
            ranks = self._ranks(boards)
            last = self._size - len(board) == 1
            win, tie = _shares(_results(ranks)[:, np.newaxis] if last else self._results(board))
            shapes = card_shapes(win + tie / 2, *self._beaten(boards, ranks))
            at = left.index(card)
            chances = float(win[at]), float(tie[at])
            found = self._next[board, card] = chances, shapes.of(at).minus(shapes.mean())
        return found

    def _results(self, board: tuple[int, ...]) -> Hands:
        """Return the results by the two cards to come, in both orders: rows without the cards themselves."""
        found = self._pairs.get(board)
        if found is None:
            left = CARD_BITS[[card for card in self._rest if card not in board]]
            one, other = np.triu_indices(len(left), 1)
            table = np.empty((len(left), len(left)), np.int64)
            table[one, other] = table[other, one] = _results(
                self._ranks(left[one] | left[other] | hand_bits(board))
            )
            found = table[~np.eye(len(left), dtype=bool)].reshape(len(left), -1)
            self._pairs = {board: found}
        return found

    def _ranks(self, boards: Hands) -> Hands:
        """Return the ranks of both hands, a row for each, by board."""
        return rank_many(boards | self._both[:, np.newaxis])

    def _strengths(self, boards: Sequence[tuple[int, ...]]) -> tuple[Numbers, Numbers]:
        bits = _bits(boards)
        return self._beaten(bits, self._ranks(bits))

    def _beaten(self, boards: Hands, both: Hands) -> tuple[Numbers, Numbers]:
        """Return the shares of the random hands that each of the two beats, by board; ``both``: ranks."""
        possible = boards[:, np.newaxis] & self._rivals == 0
        ranks = rank_many(boards[:, np.newaxis] | self._rivals)
        own = both[:, :, np.newaxis]
        beaten = (possible & (ranks < own)).sum(2) + (possible & (ranks <= own)).sum(2)
        twice = 2 * possible.sum(1)
        # Without a rival that is possible, nothing is known.
        one, other = np.where(twice > 0, beaten / np.maximum(twice, 1), 0.5)
        return one, other


def _results(both: Hands) -> Hands:
    """Return 2 for a win of the first hand, 1 for a tie, by board, from the ranks of both."""
    one, other = both
    found: Hands = 2 * (one > other) + (one == other)
    return found


def _bits(hands: Iterable[Iterable[int]]) -> Hands:
    return np.array([hand_bits(hand) for hand in hands], np.int64)


def _shares(results: Hands) -> tuple[Numbers, Numbers]:
    """Return how often a result is a win, and a tie, by row."""
    return (results == 2).sum(1) / results.shape[1], (results == 1).sum(1) / results.shape[1]


def _rows(one: Numbers, other: Numbers) -> list[tuple[float, float]]:
    return list(zip(one.tolist(), other.tolist(), strict=True))


@lru_cache(maxsize=4096)
def duel(
    deck: tuple[int, ...], hole: tuple[tuple[int, ...], tuple[int, ...]], dead: tuple[int, ...], size: int
) -> Duel:
    """Return the same ``Duel`` for the same cards: all seatings and line-ups share a deal, and a session of
    one is read to its end before that of the next.
    """
    return Duel(deck, hole, dead, size)


@lru_cache(maxsize=256)
def orders(
    deck: tuple[int, ...],
    hole: tuple[tuple[int, ...], ...],
    folded: tuple[bool, ...],
    board: tuple[int, ...],
    size: int,
    many: int,
) -> Orders:
    """Return the orders of the hands of all who have not folded, on a board of ``size`` cards in the
    end."""
    gone = {card for cards in hole for card in cards}
    rest = [card for card in deck if card not in gone]
    found = Orders()
    shown = [() if out else cards for cards, out in zip(hole, folded, strict=True)]
    more = _boards(rest, board, size - len(board), many, repr(hole))
    for ranks in _rank_boards(shown, board, more):
        values = sorted({FOLDED, *ranks})
        found[tuple([values.index(rank) + FOLDED for rank in ranks])] += 1
    return found


def final_ranks(
    deck: tuple[int, ...], hole: tuple[tuple[int, ...], ...], board: tuple[int, ...], size: int, many: int
) -> list[tuple[int, ...]]:
    """Return what every hand is worth on each of the boards that can still come, over ``many`` random ones if
    not all are counted; ``FOLDED`` for hands without cards.
    """
    gone = {card for cards in hole for card in cards}
    rest = [card for card in deck if card not in gone]
    return _rank_boards(hole, board, _boards(rest, board, size - len(board), many, repr(hole)))


def _rank_boards(
    hole: Sequence[tuple[int, ...]], board: tuple[int, ...], more: Iterable[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """Return what every hand is worth on each whole board; ``FOLDED`` for hands without cards."""
    boards = _bits(more) | hand_bits(board)
    ranks = [
        rank_many(boards | hand_bits(cards)) if cards else np.full(len(boards), FOLDED) for cards in hole
    ]
    return list(zip(*(column.tolist() for column in ranks), strict=True))


def equities(ranks: Sequence[tuple[int, ...]], left: Sequence[int]) -> tuple[float, ...]:
    """Return the share of a pot that each position wins on average among those who are ``left``, from
    ``final_ranks``: 0 for all others.
    """
    shares = [0.0] * len(ranks[0])
    for row in ranks:
        best = max([row[position] for position in left])
        winners = [position for position in left if row[position] == best]
        for position in winners:
            shares[position] += 1 / len(winners)
    return tuple([share / len(ranks) for share in shares])


def _boards(
    rest: Sequence[int], board: tuple[int, ...], missing: int, many: int, seed: str
) -> Iterator[tuple[int, ...]]:
    left = [card for card in rest if card not in board]
    if missing <= 1 or comb(len(left), missing) <= min(many, MAX_BOARDS):
        yield from combinations(left, missing)
        return
    # Seeded by the cards that were known, never by those that came.
    random = Random(repr((seed, board)))
    for _ in range(many):
        yield tuple(random.sample(left, missing))
