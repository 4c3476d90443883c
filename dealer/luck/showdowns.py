"""Who wins with which cards to come, if all hole cards are known.

Averages are over all boards that can still come if these are few, otherwise over random ones, which are
drawn from the hole cards alone: the same whenever a hand is computed, and in every seating of a deal.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from random import Random
from typing import Final, NamedTuple

from dealer.rules.evaluation import rank_hand
from dealer.rules.pots import FOLDED

#: Random hands that a hand's strength is compared with.
RIVALS: Final = 40
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
        self._hole = hole
        self._size = size
        gone = {*hole[0], *hole[1], *dead}
        self._rest = [card for card in deck if card not in gone]
        self._seed = repr((hole, sorted(dead)))
        random = Random(f"rivals {self._seed}")
        self._rivals = [tuple(random.sample(self._rest, len(hole[0]))) for _ in range(RIVALS)]
        self._pairs: dict[tuple[int, ...], dict[int, dict[int, int]]] = {}
        self._outlooks: dict[tuple[int, ...], Outlook] = {}
        self._next: dict[tuple[int, ...], dict[int, Outlook]] = {}
        self._sampled: dict[tuple[tuple[int, ...], int], tuple[float, float]] = {}

    def chances(self, board: tuple[int, ...], many: int) -> tuple[float, float]:
        """Return the probabilities of a win and of a tie; over ``many`` random boards if not all are
        counted.
        """
        missing = self._size - len(board)
        if missing == 2 and len(self._rest) - len(board) <= 46:
            return _mean(self._results(board).values())
        known = self._sampled.get((board, many))
        if known is None:
            boards = _boards(self._rest, board, missing, many, self._seed)
            known = self._sampled[board, many] = self._count([board + more for more in boards])
        return known

    def outlook(self, board: tuple[int, ...], many: int) -> Outlook:
        """Return the outlook on a board."""
        found = self._outlooks.get(board)
        if found is None:
            win, tie = self.chances(board, many)
            found = self._outlooks[board] = Outlook(win, tie, *self._strengths(board))
        return found

    def after_next(self, board: tuple[int, ...]) -> dict[int, Outlook]:
        """Return the outlook after every card that may come next, of the last one or two of a board."""
        found = self._next.get(board)
        if found is None:
            rows = self._results(board) if self._size - len(board) == 2 else None
            found = self._next[board] = {}
            for card in self._rest:
                if card not in board:
                    full = (*board, card)
                    win, tie = self._count([full]) if rows is None else _mean((rows[card],))
                    found[card] = Outlook(win, tie, *self._strengths(full))
        return found

    def _results(self, board: tuple[int, ...]) -> dict[int, dict[int, int]]:
        """Return 2 for a win of the first hand, 1 for a tie, by the two cards to come."""
        found = self._pairs.get(board)
        if found is not None:
            return found
        one, other = self._hole[0] + board, self._hole[1] + board
        left = [card for card in self._rest if card not in board]
        rows: dict[int, dict[int, int]] = {card: {} for card in left}
        for number, card in enumerate(left):
            row, mine, his = rows[card], (*one, card), (*other, card)
            for later in left[number + 1 :]:
                a, b = rank_hand((*mine, later)), rank_hand((*his, later))
                row[later] = rows[later][card] = 2 if a > b else 1 if a == b else 0
        self._pairs[board] = rows
        return rows

    def _count(self, boards: Sequence[tuple[int, ...]]) -> tuple[float, float]:
        one, other = self._hole
        wins = ties = 0
        for board in boards:
            a, b = rank_hand(one + board), rank_hand(other + board)
            wins += a > b
            ties += a == b
        return wins / len(boards), ties / len(boards)

    def _strengths(self, board: tuple[int, ...]) -> tuple[float, float]:
        ranks = sorted(
            [rank_hand(hand + board) for hand in self._rivals if not any(card in board for card in hand)]
        )
        if not ranks:
            return 0.5, 0.5
        one, other = self._hole
        return _share(ranks, rank_hand(one + board)), _share(ranks, rank_hand(other + board))


def _share(ranks: Sequence[int], rank: int) -> float:
    return (bisect_left(ranks, rank) + bisect_right(ranks, rank)) / (2 * len(ranks))


def _mean(rows: Iterable[dict[int, int]]) -> tuple[float, float]:
    wins = ties = total = 0
    for row in rows:
        results = list(row.values())
        wins += results.count(2)
        ties += results.count(1)
        total += len(results)
    return wins / total, ties / total


@lru_cache(maxsize=256)
def duel(
    deck: tuple[int, ...], hole: tuple[tuple[int, ...], tuple[int, ...]], dead: tuple[int, ...], size: int
) -> Duel:
    """Return the same ``Duel`` for the same cards: all seatings and line-ups share a deal."""
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
    for more in _boards(rest, board, size - len(board), many, repr(hole)):
        full = board + more
        ranks = [FOLDED if out else rank_hand(cards + full) for cards, out in zip(hole, folded, strict=True)]
        values = sorted({FOLDED, *ranks})
        found[tuple([values.index(rank) + FOLDED for rank in ranks])] += 1
    return found


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
