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
from typing import Any, Final, NamedTuple

from dealer.luck.value import Shapes, card_shapes, mean_shapes, strength_shapes
from dealer.rules.evaluation import fast_ranker, rank_hand
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

    def shapes(self) -> Shapes:
        """Return the shapes of the value function."""
        return card_shapes(self.win + self.tie / 2, self.strength, self.other)


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
        self._rank, self._forms = fast_ranker(len(hole[0]) + size)
        self._one, self._other = map(self._form, hole)
        self._size = size
        gone = {*hole[0], *hole[1], *dead}
        self._rest = [card for card in deck if card not in gone]
        self._seed = repr((hole, sorted(dead)))
        random = Random(f"rivals {self._seed}")
        rivals = [random.sample(self._rest, len(hole[0])) for _ in range(RIVALS)]
        self._rivals = [(sum([1 << card for card in hand]), self._form(hand)) for hand in rivals]
        self._pairs: dict[tuple[int, ...], dict[int, dict[int, int]]] = {}
        self._strong: dict[tuple[int, ...], tuple[float, float]] = {}
        self._next: dict[tuple[int, ...], tuple[dict[int, Outlook], Shapes]] = {}
        self._flops: dict[tuple[int, ...], Shapes] = {}
        self._sampled: dict[tuple[tuple[int, ...], int], tuple[float, float]] = {}

    def _form(self, cards: Iterable[int]) -> list[Any]:
        return [self._forms[card] for card in cards]

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
        """Return the outlook on a board; ``many`` as in ``chances``."""
        return Outlook(*self.chances(board, many), *self._strengths(board))

    def change(self, board: tuple[int, ...], cards: tuple[int, ...], many: int) -> Change:
        """Return what ``cards`` changed after ``board``; ``many`` as in ``chances``."""
        left = self._size - len(board) - len(cards)
        old = self.chances(board, many)
        if len(cards) == 1 and left <= 1:
            outlooks, mean = self._after_next(board)
            now = outlooks[cards[0]]
            return Change(old, now[:2], now.shapes().minus(mean))
        new = self.chances(board + cards, many)
        # All cards that could come would be too many, so strengths are compared with a few, equities exactly.
        usual = self._flops.get(board)
        if usual is None:
            random = Random(f"flops {self._seed} {board}")
            rest = [card for card in self._rest if card not in board]
            usual = self._flops[board] = mean_shapes(
                [self._strong_shapes(board + tuple(random.sample(rest, len(cards)))) for _ in range(FLOPS)]
            )
        strong = self._strong_shapes(board + cards).minus(usual).sides
        lead = new[0] + new[1] / 2 - old[0] - old[1] / 2
        return Change(old, new, Shapes((lead, *strong)))

    def _strong_shapes(self, board: tuple[int, ...]) -> Shapes:
        return Shapes(strength_shapes(*self._strengths(board)))

    def _after_next(self, board: tuple[int, ...]) -> tuple[dict[int, Outlook], Shapes]:
        """Return the outlook after every card that may come next, of the last one or two of a board, and the
        mean of the shapes.
        """
        found = self._next.get(board)
        if found is None:
            rows = self._results(board) if self._size - len(board) == 2 else None
            outlooks = {}
            for card in self._rest:
                if card not in board:
                    full = (*board, card)
                    win, tie = self._count([full]) if rows is None else _mean((rows[card],))
                    outlooks[card] = Outlook(win, tie, *self._strengths(full))
            mean = mean_shapes([outlook.shapes() for outlook in outlooks.values()])
            found = self._next[board] = outlooks, mean
        return found

    def _results(self, board: tuple[int, ...]) -> dict[int, dict[int, int]]:
        """Return 2 for a win of the first hand, 1 for a tie, by the two cards to come."""
        found = self._pairs.get(board)
        if found is not None:
            return found
        rank, forms = self._rank, self._forms
        known = self._form(board)
        left = [card for card in self._rest if card not in board]
        rows: dict[int, dict[int, int]] = {card: {} for card in left}
        for number, card in enumerate(left):
            row, more = rows[card], [*known, forms[card]]
            one, other = self._one + more, self._other + more
            for later in left[number + 1 :]:
                last = [forms[later]]
                a, b = rank(one + last), rank(other + last)
                row[later] = rows[later][card] = 2 if a > b else 1 if a == b else 0
        self._pairs[board] = rows
        return rows

    def _count(self, boards: Sequence[tuple[int, ...]]) -> tuple[float, float]:
        rank, one, other = self._rank, self._one, self._other
        wins = ties = 0
        for board in boards:
            cards = self._form(board)
            a, b = rank(one + cards), rank(other + cards)
            wins += a > b
            ties += a == b
        return wins / len(boards), ties / len(boards)

    def _strengths(self, board: tuple[int, ...]) -> tuple[float, float]:
        found = self._strong.get(board)
        if found is not None:
            return found
        rank, cards = self._rank, self._form(board)
        mask = sum([1 << card for card in board])
        ranks = sorted([rank(hand + cards) for own, hand in self._rivals if not own & mask])
        strong = 0.5, 0.5
        if ranks:
            strong = _share(ranks, rank(self._one + cards)), _share(ranks, rank(self._other + cards))
        self._strong[board] = strong
        return strong


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


def final_ranks(
    deck: tuple[int, ...], hole: tuple[tuple[int, ...], ...], board: tuple[int, ...], size: int, many: int
) -> list[tuple[int, ...]]:
    """Return what every hand is worth on each of the boards that can still come, over ``many`` random ones if
    not all are counted; ``FOLDED`` for hands without cards.
    """
    gone = {card for cards in hole for card in cards}
    rest = [card for card in deck if card not in gone]
    return [
        tuple([rank_hand(cards + board + more) if cards else FOLDED for cards in hole])
        for more in _boards(rest, board, size - len(board), many, repr(hole))
    ]


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
