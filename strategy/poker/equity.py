"""Equity: the share of the pot that a hand takes on average at a showdown against random hands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb, prod
from random import Random
from typing import NamedTuple

from dealer.rules.evaluation import rank_hand
from dealer.rules.games import Game

EXACT_LIMIT = 1_000
"""Maximum number of different showdowns to enumerate: a heads-up river of hold'em has 990 (about 1 ms)."""

_SPARE_HANDS = 2
# A sample deals this many hands more than there are opponents and averages over which of them are in the
# hand.


class CardSetup(NamedTuple):
    """The cards of a game: the deck, hole cards per player, board cards of all streets together."""

    deck: tuple[int, ...]
    hole: int
    board: int


HOLDEM = CardSetup(tuple(range(52)), 2, 5)


def card_setup(game: Game) -> CardSetup:
    """Return the cards of ``game``; equal to ``HOLDEM`` for every kind of hold'em."""
    return CardSetup(tuple(sorted(game.deck)), game.hole_cards, sum(game.board_cards))


def showdowns(cards: CardSetup, board: int, opponents: int) -> int:
    """Return in how many ways the opponents' hands and the cards missing from ``board`` can be dealt."""
    unseen = len(cards.deck) - cards.hole - board
    missing = cards.board - board
    hands = range(unseen - missing, 0, -cards.hole)[:opponents]
    if len(hands) < opponents:
        return 0
    return comb(unseen, missing) * prod(comb(left, cards.hole) for left in hands)


def equity(
    hole: Sequence[int],
    board: Sequence[int],
    opponents: int,
    *,
    cards: CardSetup = HOLDEM,
    random: Random,
    samples: int,
) -> float:
    """Return the share of the pot, 0 to 1, against ``opponents`` random hands if all stay to the showdown.

    Exact for at most ``EXACT_LIMIT`` showdowns, else the mean of ``samples`` deals. Raises ValueError if the
    deck has too few cards for the opponents.
    """
    if showdowns(cards, len(board), opponents) <= EXACT_LIMIT:
        return exact_equity(hole, board, opponents, cards=cards)
    return sampled_equity(hole, board, opponents, cards=cards, random=random, samples=samples)


def exact_equity(
    hole: Sequence[int], board: Sequence[int], opponents: int, *, cards: CardSetup = HOLDEM
) -> float:
    """Return the equity by enumerating every showdown; mind their number."""
    count = showdowns(cards, len(board), opponents)
    if count == 0:
        raise ValueError(f"{opponents} opponents need more cards than the deck has")
    unseen = _unseen(cards, hole, board)
    total = 0.0
    for rest in combinations(unseen, cards.board - len(board)):
        full = (*board, *rest)
        left = tuple(card for card in unseen if card not in rest)
        total += _shares(full, left, cards.hole, opponents, rank_hand((*full, *hole)), 0)
    return total / count


def _shares(
    board: tuple[int, ...], unseen: tuple[int, ...], hole_cards: int, opponents: int, own: int, tied: int
) -> float:
    """Return the sum of the player's share over all ways to deal the opponents."""
    if opponents == 0:
        return 1 / (tied + 1)
    total = 0.0
    for hand in combinations(unseen, hole_cards):
        rank = rank_hand(board + hand)
        if rank > own:
            continue
        if opponents == 1:
            total += 1 / (tied + 2) if rank == own else 1 / (tied + 1)
        else:
            left = tuple(card for card in unseen if card not in hand)
            total += _shares(board, left, hole_cards, opponents - 1, own, tied + (rank == own))
    return total


def sampled_equity(
    hole: Sequence[int],
    board: Sequence[int],
    opponents: int,
    *,
    cards: CardSetup = HOLDEM,
    random: Random,
    samples: int,
) -> float:
    """Return the equity from random deals, each with a few more hands than opponents; see ``expected_share``.

    Heads-up, 200 samples have a standard error of about 0.02.
    """
    missing = cards.board - len(board)
    unseen = list(_unseen(cards, hole, board))
    left, size = len(unseen), cards.hole
    hands = min(opponents + _SPARE_HANDS, (left - missing) // size)
    if hands < opponents:
        raise ValueError(f"{opponents} opponents need more cards than the deck has")
    own_hole, shown = list(hole), list(board)
    end = missing + hands * size
    uniform = random.random
    total = 0.0
    for _ in range(samples):
        # A partial shuffle. The bias of scaling a 53-bit number to at most 52 cards is far below the sampling
        # error.
        for i in range(end):
            j = i + int(uniform() * (left - i))
            unseen[i], unseen[j] = unseen[j], unseen[i]
        full = shown + unseen[:missing]
        own = rank_hand(full + own_hole)
        ahead = tied = 0
        for start in range(missing, end, size):
            rank = rank_hand(full + unseen[start : start + size])
            if rank > own:
                ahead += 1
            elif rank == own:
                tied += 1
        total += expected_share(hands - ahead - tied, tied, ahead, opponents)
    return total / samples


@cache
def expected_share(worse: int, tied: int, better: int, opponents: int) -> float:
    """Return the share against ``opponents`` hands drawn from ``worse + tied + better`` ones.

    A pot is shared with the ties and lost to a single better hand:
    sum over j of C(tied, j) C(worse, opponents - j) / C(all, opponents) / (1 + j).
    """
    ways = sum(
        comb(tied, ties) * comb(worse, opponents - ties) / (1 + ties)
        for ties in range(min(tied, opponents) + 1)
    )
    return ways / comb(worse + tied + better, opponents)


def _unseen(cards: CardSetup, hole: Sequence[int], board: Sequence[int]) -> tuple[int, ...]:
    known = {*hole, *board}
    return tuple(card for card in cards.deck if card not in known)
