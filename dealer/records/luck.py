"""All-ins without the luck of the board: what a player wins on average over the cards still to come.

When the betting ends before the river, the rest of the board is dealt without a decision. All hole cards are
in the record, folded ones too, so the undealt cards are known, and every board of them is equally likely. The
mean over these boards replaces the chips won on the one that came. It has the same expectation, whatever the
players' strategies are, so a sum of such hands has the same expectation as the sum of chips won.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random
from typing import Final

from dealer.rules.evaluation import rank_hand
from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandEnded, HandStarted
from dealer.rules.pots import FOLDED, settle

#: Random boards for an all-in before the flop, where C(48, 5) and fewer would take seconds: at most, at
#: least, and for all such hands of a result. After the flop all boards are counted, at most 990 heads-up.
BOARDS: Final = 10_000
LEAST_BOARDS: Final = 100
ALL_BOARDS: Final = 200_000
_BOARD_CARDS: Final = 5
_COUNTED: Final = 2


def boards_for(hands: int) -> int:
    """Return the random boards for each of so many hands that need them, of one result."""
    return max(LEAST_BOARDS, min(BOARDS, ALL_BOARDS // max(1, hands)))


def needs_random_boards(events: Sequence[Event], seat: int) -> bool:
    """Return whether ``seat`` was in an all-in before the flop of a finished hand."""
    dealt = False
    for event in events:
        if isinstance(event, BoardDealt):
            dealt = True
        elif isinstance(event, Acted) and (dealt or (event.seat == seat and event.action == "fold")):
            return False
    return dealt


def adjusted_net(
    events: Sequence[Event], seat: int, boards: int = BOARDS, *, fractions: bool = False
) -> Chips:
    """Return the chips that ``seat`` won in a finished hand of hold'em, with an all-in paid by equity.

    Before the flop it is the mean over ``boards`` random boards, the same whenever the hand is computed. The
    hand's result if there was no all-in before the river, or the seat had folded. ``fractions``: pots are
    split into fractions of chips, as by the ``acpc`` rules.
    """
    started, ended = events[0], events[-1]
    assert isinstance(started, HandStarted)
    assert isinstance(ended, HandEnded)
    position = started.seats.index(seat)
    spent = [ante + blind for ante, blind in zip(started.antes, started.blinds, strict=True)]
    folded = [False] * len(spent)
    board: tuple[int, ...] = ()
    undecided = 0
    for event in events:
        if isinstance(event, Acted):
            player = started.seats.index(event.seat)
            spent[player] += event.paid
            folded[player] |= event.action == "fold"
            undecided = 0
        elif isinstance(event, BoardDealt):
            board += event.cards
            undecided += len(event.cards)
    if not undecided or folded[position]:
        return ended.values[position]
    orders = _showdowns(started.hole, folded, board[: len(board) - undecided], boards)
    total = sum(
        many * settle(spent, ranks, fractions=fractions).values[position] for ranks, many in orders.items()
    )
    return total / orders.total()


def _showdowns(
    hole: Sequence[tuple[int, ...]], folded: Sequence[bool], board: tuple[int, ...], boards: int
) -> Counter[tuple[int, ...]]:
    """Return how often each order of the hands comes, by position: higher wins, ``FOLDED`` is out."""
    orders: Counter[tuple[int, ...]] = Counter()
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
    if missing <= _COUNTED:
        return combinations(rest, missing)
    # Seeded by the cards that were known, never by those that came.
    random = Random(repr((hole, board)))
    return (tuple(random.sample(rest, missing)) for _ in range(many))
