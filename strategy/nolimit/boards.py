"""All boards of a small deck, up to swapped suits, and what hands are alike on them.

A board is the sets of cards that each street has dealt. Of all boards that differ by swapped suits only one
is kept, the first in order of cards; its earlier streets are then kept boards too. Hands are numbered within
a board: those that share no card with it, on the last street from the weakest to the strongest.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, permutations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.errors import GameError
from dealer.rules.games import Game
from strategy.jit import jit
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, TABLE, Ints, Ranks, rank_of

MAX_DEALS = 2_000_000
"""Maximum number of boards, before suits are swapped."""


class StreetBoards(NamedTuple):
    """The boards of one street.

    * ``cards`` int64[boards, cards], numbers of the deck; ``weight`` int64[boards]: how many boards swapped
      suits make of it; ``chance``: in how many ways two players who hold cards can see the street's cards
    * ``hands`` int32[boards, n], numbers of the deck's hands; ``state`` int32[boards, n] with numbers from 0
      to ``states`` - 1: the same for hands that swapped suits make alike
    * ``down`` int16[boards, n]: the number of each hand on the board of the street before, which is
      ``parent`` int32[boards]
    * ``deals``: every way to deal the street's cards on a board of the street before, grouped by that board:
      those of board b are ``start[b]`` to ``start[b + 1]``; ``child`` int32[deals] is the board it leads to,
      and ``up`` int16[deals, n before] the numbers there of the earlier board's hands, -1 if one is dealt
    """

    cards: Ints
    weight: Ints
    chance: int
    hands: NDArray[np.int32]
    state: NDArray[np.int32]
    states: int
    parent: NDArray[np.int32]
    down: NDArray[np.int16]
    start: Ints
    child: NDArray[np.int32]
    up: NDArray[np.int16]


class Boards(NamedTuple):
    """A deck: ``cards`` int64[n] as ``dealer.rules`` numbers them, by rank; ``hands`` int64[hands, 2],
    indices of the deck's cards.

    Where a hand is one card, the second index is a number beyond the deck that no other hand has. ``ends``
    int32[last boards, n]: where the hands of the same rank end; ``ranks`` int64 there.
    """

    game: Game
    cards: Ints
    hands: Ints
    streets: tuple[StreetBoards, ...]
    ends: NDArray[np.int32]
    ranks: Ints


@lru_cache(maxsize=4)
def all_boards(game: Game) -> Boards:
    """Return the boards of a two-player game with hands of one or two cards.

    Raises GameError ``unsolvable_game``, or ``tree_too_large`` if there are too many.
    """
    if game.players != 2 or game.hole_cards > 2:
        raise GameError("unsolvable_game", f"{game.name}: not for two players with at most two cards each")
    deck = np.array(sorted(game.deck), np.int64)
    count, free = 1, len(deck)
    for dealt in game.board_cards:
        count *= comb(free, dealt)
        free -= dealt
    if count > MAX_DEALS:
        raise GameError("tree_too_large", f"{game.name} has too many boards to list")
    if game.hole_cards == 1:
        hands = np.array([(card, len(deck) + card) for card in range(len(deck))], np.int64)
    else:
        hands = np.array(list(combinations(range(len(deck)), 2)), np.int64)
    swaps = _swaps(game, deck)
    hand_swaps = _hand_swaps(game, swaps, hands)
    streets = [_start(hands, hand_swaps)]
    ranks = ends = np.zeros((1, len(hands)), np.int64)
    for street in range(game.rounds):
        if street:
            streets.append(_next_street(game, street, streets[-1], deck, swaps, hand_swaps, hands))
        if street == game.rounds - 1:
            last, ranks, ends = _by_rank(streets[-1], game, deck, hands, street > 0)
            streets[-1] = last
    return Boards(game, deck, hands, tuple(streets), ends.astype(np.int32), ranks)


def _swaps(game: Game, deck: Ints) -> Ints:
    """Return every way to swap suits, int64[ways, cards]: the index of the card that each card becomes."""
    suits = sorted(set((deck & 3).tolist()))
    index = {card: place for place, card in enumerate(deck.tolist())}
    return np.array(
        [
            [index[card & ~3 | order[suits.index(card & 3)]] for card in deck.tolist()]
            for order in permutations(suits)
        ],
        np.int64,
    )


def _hand_swaps(game: Game, swaps: Ints, hands: Ints) -> Ints:
    size = swaps.shape[1]
    if game.hole_cards == 1:
        return swaps
    number = np.zeros((size, size), np.int64)
    number[hands[:, 0], hands[:, 1]] = number[hands[:, 1], hands[:, 0]] = np.arange(len(hands))
    return number[swaps[:, hands[:, 0]], swaps[:, hands[:, 1]]]


def _states(keys: Ints) -> tuple[NDArray[np.int32], int]:
    """Return keys as running numbers, with the same shape, and how many there are."""
    found, numbers = np.unique(keys, return_inverse=True)
    return numbers.reshape(keys.shape).astype(np.int32), len(found)


def _start(hands: Ints, hand_swaps: Ints) -> StreetBoards:
    size = len(hands)
    state, states = _states(hand_swaps.min(axis=0)[None])
    nothing = np.zeros(0, np.int64)
    return StreetBoards(
        cards=np.zeros((1, 0), np.int64),
        weight=np.ones(1, np.int64),
        chance=1,
        hands=np.arange(size, dtype=np.int32)[None],
        state=state,
        states=states,
        parent=np.full(1, -1, np.int32),
        down=np.arange(size, dtype=np.int16)[None],
        start=nothing,
        child=nothing.astype(np.int32),
        up=np.zeros((0, size), np.int16),
    )


def _next_street(
    game: Game, street: int, before: StreetBoards, deck: Ints, swaps: Ints, hand_swaps: Ints, hands: Ints
) -> StreetBoards:
    size, dealt = len(deck), game.board_cards[street]
    groups = [*game.board_cards[1 : street + 1]]
    new = [
        [sorted(cards) for cards in combinations(sorted(set(range(size)) - set(board)), dealt)]
        for board in before.cards.tolist()
    ]
    start = np.cumsum([0, *map(len, new)])
    above = np.repeat(np.arange(len(new)), np.diff(start))
    cards = np.hstack((before.cards[above], np.array([one for each in new for one in each], np.int64)))
    keys = _keys(cards, groups, swaps, size)
    way = keys.argmin(axis=0)
    found, child = np.unique(keys.min(axis=0), return_inverse=True)
    kept = _cards_of(found, cards.shape[1], size)
    weight = np.bincount(child, before.weight[above]).astype(np.int64)
    parent = np.zeros(len(found), np.int32)
    # The kept board itself is one of the deals, on a kept board of the street before.
    itself = keys.min(axis=0) == _keys(cards, groups, swaps[:1], size)[0]
    parent[child[itself]] = above[itself]
    live = _live_hands(kept, hands, size)
    number = np.full((len(found), len(hands)), -1, np.int16)
    np.put_along_axis(number, live, np.arange(live.shape[1], dtype=np.int16)[None], axis=1)
    # Hands are alike if a swap of suits that leaves the board alone makes one the other.
    same = _keys(kept, groups, swaps, size) == found
    first = np.full(live.shape, len(hands), np.int64)
    for swap in range(len(swaps)):
        first = np.where(same[swap][:, None], np.minimum(first, hand_swaps[swap][live]), first)
    state, states = _states(np.arange(len(found))[:, None] * len(hands) + first)
    earlier = np.full((len(before.cards), len(hands)), -1, np.int16)
    np.put_along_axis(
        earlier, before.hands.astype(np.int64), np.arange(before.hands.shape[1], dtype=np.int16)[None], axis=1
    )
    return StreetBoards(
        cards=kept,
        weight=weight,
        chance=comb(size - 2 * game.hole_cards - before.cards.shape[1], dealt),
        hands=live.astype(np.int32),
        state=state,
        states=states,
        parent=parent,
        down=np.take_along_axis(earlier[parent], live, axis=1),
        start=start,
        child=child.astype(np.int32),
        up=np.take_along_axis(number[child], hand_swaps[way[:, None], before.hands[above]], axis=1),
    )


def _keys(cards: Ints, groups: list[int], swaps: Ints, size: int) -> Ints:
    """Return a number for each swap of suits and each row of cards, the same for the same sets of cards."""
    keys = np.zeros((len(swaps), len(cards)), np.int64)
    for place, swap in enumerate(swaps):
        swapped, at = swap[cards], 0
        for group in groups:
            part = np.sort(swapped[:, at : at + group], axis=1)
            for column in range(group):
                keys[place] = keys[place] * size + part[:, column]
            at += group
    return keys


def _cards_of(keys: Ints, count: int, size: int) -> Ints:
    cards = np.zeros((len(keys), count), np.int64)
    for column in range(count - 1, -1, -1):
        cards[:, column] = keys % size
        keys = keys // size
    return cards


def _live_hands(boards: Ints, hands: Ints, size: int) -> Ints:
    dealt = np.zeros((len(boards), 2 * size), np.bool_)
    np.put_along_axis(dealt, boards, True, axis=1)
    live = ~(dealt[:, hands[:, 0]] | dealt[:, hands[:, 1]])
    return np.nonzero(live)[1].reshape(len(boards), -1)


def _by_rank(
    street: StreetBoards, game: Game, deck: Ints, hands: Ints, later: bool
) -> tuple[StreetBoards, Ints, Ints]:
    """Return the last street with its hands by rank, their ranks, and where each rank ends."""
    whole = deck[hands[:, : game.hole_cards]]
    ranks = _rank(TABLE, deck[street.cards], whole, street.hands)
    order = np.argsort(ranks, axis=1, kind="stable")
    ranks = np.take_along_axis(ranks, order, axis=1)
    ends = np.array([np.searchsorted(row, row, side="right") for row in ranks])
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(order.shape[1])[None], axis=1)
    up = street.up
    if later:
        up = np.where(up < 0, -1, np.take_along_axis(place[street.child], np.maximum(up, 0), axis=1))
    moved = street._replace(
        hands=np.take_along_axis(street.hands, order, axis=1),
        state=np.take_along_axis(street.state, order, axis=1),
        down=np.take_along_axis(street.down, order, axis=1),
        up=up.astype(np.int16),
    )
    return moved, ranks, ends


@jit
def _rank(table: Ranks, boards: Ints, hands: Ints, live: NDArray[np.int32]) -> Ints:
    ranks = np.empty(live.shape, np.int64)
    for board in range(len(boards)):
        key = mask = 0
        for card in boards[board]:
            key += CARD_KEYS[card]
            mask |= CARD_MASKS[card]
        for i in range(live.shape[1]):
            own_key, own_mask = key, mask
            for card in hands[live[board, i]]:
                own_key += CARD_KEYS[card]
                own_mask |= CARD_MASKS[card]
            ranks[board, i] = rank_of(table, own_key, own_mask)
    return ranks


@jit
def strengths(hands: Ints, live: NDArray[np.int32], ranks: Ints) -> NDArray[np.int32]:
    """Return, for each hand of each last board, how many hands of the opponent it beats, twice, plus how many
    it ties: int32[boards, n].
    """
    found = np.zeros(live.shape, np.int32)
    for board in range(len(live)):
        for i in range(live.shape[1]):
            first, second = hands[live[board, i]]
            for j in range(live.shape[1]):
                low, high = hands[live[board, j]]
                if first not in (low, high) and second not in (low, high):
                    found[board, i] += 2 * (ranks[board, j] < ranks[board, i])
                    found[board, i] += ranks[board, j] == ranks[board, i]
    return found
