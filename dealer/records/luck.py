"""A hand without the luck of the cards: what a player won, less what each deal of cards brought him.

All cards are in the record, folded ones too. So at each deal of cards one can tell what the player would win
on average if nobody bet any more, just before it and just after: the difference is luck, and its expectation
is nil whatever the players' strategies are. The sum of these differences is subtracted. What is left has the
same expectation as the chips won, and less spread; in particular an all-in is paid by equity.

Source: White and Bowling 2009, "Learning a value analysis tool for agent evaluation" (IJCAI), section 3, with
the share of the pot as the value function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from random import Random
from typing import Final

from dealer.rules.evaluation import rank_hand
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted
from dealer.rules.pots import FOLDED, settle

#: Random boards of each hand before the flop, where counting all would take seconds, and after it if these
#: are fewer than all: at most, at least, and for all hands of a result. With the turn dealt, all are counted.
BOARDS: Final = 10_000
LEAST_BOARDS: Final = 100
ALL_BOARDS: Final = 200_000
_BOARD_CARDS: Final = 5

_Orders = Counter[tuple[int, ...]]


def boards_for(hands: int) -> int:
    """Return the random boards for each of the ``hands`` of a result."""
    return max(LEAST_BOARDS, min(BOARDS, ALL_BOARDS // max(1, hands)))


def adjusted_net(events: Sequence[Event], seat: int, boards: int = BOARDS) -> float:
    """Return the chips that ``seat`` won in a finished hand of hold'em, without the luck of the cards.

    Averages are over ``boards`` random boards, the same whenever the hand is computed, or over all if these
    are fewer or the turn is dealt.
    """
    started, ended = events[0], events[-1]
    assert isinstance(started, HandStarted)
    assert isinstance(ended, HandEnded)
    position = started.seats.index(seat)
    spent = [ante + blind for ante, blind in zip(started.antes, started.blinds, strict=True)]
    folded = [False] * len(spent)
    board: tuple[int, ...] = ()
    # Before any card is dealt everybody's chances are the same, as if all hands tied.
    orders = _Orders([(0,) * len(spent)])
    luck = 0.0

    def deal(cards: tuple[int, ...]) -> None:
        nonlocal board, orders, luck
        luck -= _mean_value(orders, spent, folded, position)
        board += cards
        orders = _showdowns(started.hole, folded, board, boards)
        luck += _mean_value(orders, spent, folded, position)

    deal(())
    for event in events:
        if isinstance(event, Acted):
            player = started.seats.index(event.seat)
            spent[player] += event.paid
            folded[player] |= event.action == "fold"
        elif isinstance(event, BoardDealt) and not folded[position]:
            deal(event.cards)
    return ended.values[position] - luck


def _mean_value(orders: _Orders, spent: Sequence[int], folded: Sequence[bool], position: int) -> float:
    """Return what ``position`` wins on average if the betting is over."""
    total = 0.0
    for order, many in orders.items():
        ranks = [FOLDED if out else rank for rank, out in zip(order, folded, strict=True)]
        total += many * settle(spent, ranks, fractions=True).values[position]
    return total / orders.total()


def _showdowns(
    hole: Sequence[tuple[int, ...]], folded: Sequence[bool], board: tuple[int, ...], boards: int
) -> _Orders:
    """Return how often each order of the hands comes, by position: higher wins, ``FOLDED`` is out."""
    orders = _Orders()
    for more in _boards(hole, board, boards):
        full = board + more
        ranks = [FOLDED if out else rank_hand(cards + full) for cards, out in zip(hole, folded, strict=True)]
        values = sorted({FOLDED, *ranks})
        orders[tuple(values.index(rank) + FOLDED for rank in ranks)] += 1
    return orders


def _boards(hole: Sequence[tuple[int, ...]], board: tuple[int, ...], many: int) -> Iterable[tuple[int, ...]]:
    missing = _BOARD_CARDS - len(board)
    dealt = {*board, *(card for cards in hole for card in cards)}
    rest = [card for card in range(52) if card not in dealt]
    if missing <= 1 or comb(len(rest), missing) <= many:
        return combinations(rest, missing)
    # Seeded by the cards that were known, never by those that came.
    random = Random(repr((hole, board)))
    return (tuple(random.sample(rest, missing)) for _ in range(many))
