"""Games with few cards, as explicit deals for solvers.

A deal is all cards of a hand at once. Deals that differ only in irrelevant suits count as one, with the sum
of their probabilities. If no hand has five cards there are neither straights nor flushes, so only ranks
matter; otherwise suits may be exchanged for each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.errors import GameError
from dealer.rules.evaluation import rank_hand
from dealer.rules.games import Game
from dealer.rules.pots import FOLDED, settle
from strategy.cfr.training import is_holdem
from strategy.cfr.tree import BettingTree, compile_tree
from strategy.poker.allin import CLASSES, all_in_table

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

MAX_DEALS = 300_000
"""Maximum number of ways to deal the cards before equal ones are merged: more would take too long to list."""
MAX_VISITS = 1 << 22
"""Maximum of nodes times deals: more would take too much time and memory."""
FLUSH = 5
"""Number of cards in a straight or a flush."""


class SmallGame(NamedTuple):
    """A betting tree and the possible deals.

    * ``cards``: the number of card states, the largest of any street. A card state is one player's knowledge
      of the cards on a street; states are numbered by the player's own cards and then the board's, in
      ascending order of rank
    * ``probability`` float64[deals]
    * ``info`` int32[players, streets, deals]: the card states
    * ``seen`` int32[sets, streets, deals]: a number for the board and the cards of a set of players together;
      bit p of the set is position p, and set 0 sees only the board
    * ``payoff`` float64[players, nodes, deals]: the chips won at a terminal; 0 at the other nodes
    """

    tree: BettingTree
    cards: int
    probability: Floats
    info: Ints
    seen: Ints
    payoff: Floats

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return the shape of a strategy: a probability for every decision, card state and action."""
        return len(self.tree.decisions), self.cards, 3


def small_game(game: Game) -> SmallGame:
    """Return a limit game with few cards. Raises GameError ``unsolvable_game`` or ``tree_too_large``."""
    if not game.limit:
        raise GameError("unsolvable_game", f"{game.name}: no-limit games are solved as push/fold only")
    ways = _ways(game)
    if ways > MAX_DEALS:
        raise GameError(
            "unsolvable_game", f"{game.name}: {ways:.3g} ways to deal, at most {MAX_DEALS:,} can be solved"
        )
    tree = compile_tree(game)
    same = _canonical_key(game)
    deals: dict[_Key, _Deal] = {}
    counts: Counter[_Key] = Counter()
    for deal in _deals(game):
        key = same(deal)
        counts[key] += 1
        # The first one represents all equal ones.
        deals.setdefault(key, deal)
    if tree.size * len(deals) > MAX_VISITS:
        raise GameError("tree_too_large", f"{game.name}: {tree.size:,} nodes with {len(deals):,} deals each")
    distinct = list(deals.values())
    info = _info(game, distinct, same)
    return SmallGame(
        tree=tree,
        cards=int(info.max()) + 1,
        probability=np.array([counts[key] / ways for key in deals]),
        info=info,
        seen=_seen(game, distinct, same),
        payoff=_payoff(tree, distinct),
    )


def push_fold_game(game: Game, stack: int) -> SmallGame:
    """Return heads-up no-limit hold'em in which each player has ``stack`` chips and may only go all-in or
    fold.

    Card states are the 169 classes in the order of ``HAND_CLASSES``; an all-in is worth its exact equity.
    Raises GameError ``unsolvable_game`` or ``bad_stacks``.
    """
    if game.players != 2 or not is_holdem(game):
        raise GameError("unsolvable_game", f"{game.name}: push/fold is solved for heads-up hold'em only")
    tree = compile_tree(game, stacks=(stack, stack), actions="push_fold")
    table = all_in_table()
    first, second = np.divmod(np.arange(CLASSES * CLASSES, dtype=np.int32), CLASSES)
    pairs = table.pairs[first, second]
    deals = np.arange(len(pairs), dtype=np.int32)
    return SmallGame(
        tree=tree,
        cards=CLASSES,
        probability=pairs / pairs.sum(),
        info=np.repeat(np.stack([first, second])[:, None], game.rounds, axis=1),
        seen=np.repeat(np.stack([0 * deals, first, second, deals])[:, None], game.rounds, axis=1),
        payoff=_all_in_payoff(tree, table.equity[first, second]),
    )


def _all_in_payoff(tree: BettingTree, equity: Floats) -> Floats:
    payoff = np.zeros((2, tree.size, len(equity)))
    for node in np.flatnonzero(tree.player < 0):
        lost = int(tree.paid[node].min())
        share = equity if tree.live[node].all() else float(tree.live[node, 0])
        payoff[0, node] = lost * (2 * share - 1)
    payoff[1] = -payoff[0]
    return payoff


# All deals: hole cards by position, then the new board cards by street.

_Cards = tuple[int, ...]
_Deal = tuple[_Cards, ...]
_Key = tuple[_Cards, ...]
_Same = Callable[[Sequence[_Cards]], _Key]


def _ways(game: Game) -> int:
    ways, left = 1, len(game.deck)
    for count in (*[game.hole_cards] * game.players, *game.board_cards):
        ways *= comb(left, count)
        left -= count
    return ways


def _deals(game: Game) -> Iterator[_Deal]:
    counts = (*[game.hole_cards] * game.players, *game.board_cards)

    def dealt(deck: frozenset[int], rest: tuple[int, ...]) -> Iterator[_Deal]:
        if not rest:
            yield ()
            return
        for cards in combinations(sorted(deck), rest[0]):
            for others in dealt(deck.difference(cards), rest[1:]):
                yield (cards, *others)

    return dealt(frozenset(game.deck), counts)


def _canonical_key(game: Game) -> _Same:
    """Return a function that maps groups of cards to the same key if they are equivalent."""
    if game.hole_cards + sum(game.board_cards) < FLUSH:
        maps = [[card >> 2 for card in range(52)]]
    else:
        orders = [(*range(4 - game.suits), *order) for order in permutations(range(4 - game.suits, 4))]
        maps = [[card & ~3 | order[card & 3] for card in range(52)] for order in orders]

    def same(groups: Sequence[_Cards]) -> _Key:
        return min(tuple(tuple(sorted(cards[card] for card in group)) for group in groups) for cards in maps)

    return same


def _info(game: Game, deals: Sequence[_Deal], same: _Same) -> Ints:
    info = np.empty((game.players, game.rounds, len(deals)), np.int32)
    for street in range(game.rounds):
        board = slice(game.players, game.players + street + 1)
        keys = [same((deal[player], *deal[board])) for player in range(game.players) for deal in deals]
        info[:, street] = _numbers(keys).reshape(game.players, len(deals))
    return info


def _seen(game: Game, deals: Sequence[_Deal], same: _Same) -> Ints:
    seen = np.empty((1 << game.players, game.rounds, len(deals)), np.int32)
    for chosen in range(1 << game.players):
        players = [player for player in range(game.players) if chosen >> player & 1]
        for street in range(game.rounds):
            board = slice(game.players, game.players + street + 1)
            keys = [same((*(deal[player] for player in players), *deal[board])) for deal in deals]
            seen[chosen, street] = _numbers(keys)
    return seen


def _numbers(keys: Sequence[_Key]) -> Ints:
    """Return a number for each key: its index among the distinct ones in ascending order."""
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    return np.array([places[key] for key in keys], np.int32)


def _payoff(tree: BettingTree, deals: Sequence[_Deal]) -> Floats:
    """Compute the payoffs once for every possible order of the hands."""
    players = tree.players
    orders: dict[tuple[int, ...], list[int]] = {}
    for number, deal in enumerate(deals):
        board = tuple(card for cards in deal[players:] for card in cards)
        ranks = [rank_hand(hole + board) for hole in deal[:players]]
        order = tuple(sorted(set(ranks)).index(rank) for rank in ranks)
        orders.setdefault(order, []).append(number)
    payoff = np.zeros((players, tree.size, len(deals)))
    fractions = tree.game.rules == "acpc"
    for node in np.flatnonzero(tree.player < 0):
        spent, live = tree.paid[node].tolist(), tree.live[node].tolist()
        for order, numbers in orders.items():
            ranks = [place if alive else FOLDED for place, alive in zip(order, live, strict=True)]
            won = settle(spent, ranks, fractions=fractions).values
            payoff[:, node, numbers] = np.array(won, float)[:, None]
    return payoff
