"""River endgames of heads-up limit hold'em with every hand that there is: no buckets.

All numbers of a node are vectors over the hands that the board leaves, weakest first. An end's values take
one walk over the hands: what is below and what is tied are running sums, and running sums for each card take
away the hands that share a card with the own one.

Regrets are matched as in CFR+ (Tammelin 2014): never below 0, players in turn, averages weighted by the
number of the iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from strategy.cfr.strengths import rank_hands
from strategy.cfr.tree import BettingTree
from strategy.poker.combos import CARDS
from strategy.poker.kernels import TABLE, Ints, keys_of

__all__ = [
    "Endgame",
    "Floats",
    "best_response",
    "endgame_at",
    "iterate",
    "meetings",
    "mixture",
    "normalised",
    "pairs",
    "worth",
]

Floats = NDArray[np.float64]
_Function = TypeVar("_Function", bound=Callable[..., object])

_MORE, _LESS = 1.03, 0.98
"""What the weight of a hand that may refuse is multiplied by while it gains, and while it does not. Single
hands have little weight: with the same for all they keep what they gain for thousands of iterations."""


class Endgame(NamedTuple):
    """The betting from a decision on the river, and the hands.

    * ``player`` int64[nodes], -1 at an end; ``child`` int64[nodes, 3], -1 where the action is not legal;
      node 0 is the start, and children come behind their parents
    * ``stake`` float64[nodes]: chips that an end costs the loser; ``loser`` int64[nodes]: who has folded, -1
      at a showdown
    * ``hands`` int64[n], indices of ``strategy.poker.combos``, by rank; ``cards`` int64[n, 2]; ``ties``
      int64[n]: where the hands of the same rank end
    """

    player: Ints
    child: Ints
    stake: Floats
    loser: Ints
    hands: Ints
    cards: Ints
    ties: Ints


def endgame_at(tree: BettingTree, node: int, board: Sequence[int]) -> Endgame:
    """The endgame from a decision of a two-player tree on, on a board of five cards."""
    end = node + 1
    while end < tree.size and tree.parent[end] >= node:
        end += 1
    here = slice(node, end)
    child = tree.child[here].astype(np.int64)
    live, paid = tree.live[here], tree.paid[here]
    hands, ranks = np.empty(1326, np.int64), np.empty(1326, np.int64)
    count = rank_hands(TABLE, *keys_of(board), hands, ranks)
    order = np.argsort(ranks[:count], kind="stable")
    hands, ranks = hands[order], ranks[order]
    return Endgame(
        player=tree.player[here].astype(np.int64),
        child=np.where(child >= 0, child - node, -1),
        stake=paid.min(axis=1).astype(np.float64),
        loser=np.where(live.all(axis=1), -1, np.argmin(live, axis=1)).astype(np.int64),
        hands=hands,
        cards=CARDS[hands].astype(np.int64),
        ties=np.searchsorted(ranks, ranks, side="right").astype(np.int64),
    )


def _kernel(function: _Function) -> _Function:
    # Loops over hands are to become vector instructions; checks for a division by zero prevent that.
    return cast(_Function, njit(cache=True, error_model="numpy", nogil=True)(function))


@_kernel
def _pay(game: Endgame, node: int, player: int, reach: Floats, values: Floats) -> None:
    """Write ``player``'s values at an end, where the other's hands come with the weights ``reach``."""
    hands, cards, stake = len(reach), game.cards, game.stake[node]
    total = 0.0
    by_card = np.zeros(52)
    for i in range(hands):
        total += reach[i]
        by_card[cards[i, 0]] += reach[i]
        by_card[cards[i, 1]] += reach[i]
    if game.loser[node] >= 0:
        won = -stake if game.loser[node] == player else stake
        for i in range(hands):
            values[i] = won * (total - by_card[cards[i, 0]] - by_card[cards[i, 1]] + reach[i])
        return
    # What is below counts once for it and what is above once against it: all against, then each hand that is
    # passed by twice for it, the first time where it is tied.
    for card in range(52):
        by_card[card] = -by_card[card]
    total = -total
    start = 0
    while start < hands:
        end = game.ties[start]
        for i in range(start, end):
            total += reach[i]
            by_card[cards[i, 0]] += reach[i]
            by_card[cards[i, 1]] += reach[i]
        for i in range(start, end):
            values[i] = stake * (total - by_card[cards[i, 0]] - by_card[cards[i, 1]])
        for i in range(start, end):
            total += reach[i]
            by_card[cards[i, 0]] += reach[i]
            by_card[cards[i, 1]] += reach[i]
        start = end


@_kernel
def normalised(game: Endgame, weights: Floats, strategy: Floats) -> None:
    """Write what is in proportion to the positive ``weights``, and even where there is nothing positive.

    Both are float64[nodes, 3, hands].
    """
    total = np.empty(weights.shape[2])
    for node in range(len(game.player)):
        if game.player[node] < 0:
            continue
        total[:] = 0.0
        legal = 0
        for action in range(3):
            if game.child[node, action] >= 0:
                legal += 1
                row = weights[node, action]
                for i in range(len(total)):
                    total[i] += max(row[i], 0.0)
        for action in range(3):
            if game.child[node, action] >= 0:
                row, part = weights[node, action], strategy[node, action]
                for i in range(len(total)):
                    part[i] = max(row[i], 0.0) / total[i] if total[i] > 0 else 1.0 / legal


@_kernel
def _forward(
    game: Endgame, strategy: Floats, player: int, start: Floats, reach: Floats, sums: Floats, counts: Floats
) -> None:
    """Write ``player``'s weights at each node, float64[nodes, hands], ``start`` at the first.

    To ``sums`` the chance to come to each action is added, times what a hand counts: float64[hands].
    """
    hands = len(start)
    own = np.ones((len(game.player), hands))
    for node in range(len(game.player)):
        if game.player[node] < 0:
            continue
        for action in range(3):
            child = game.child[node, action]
            if child < 0:
                continue
            if game.player[node] == player:
                part, added = strategy[node, action], sums[node, action]
                for i in range(hands):
                    own[child, i] = own[node, i] * part[i]
                    added[i] += counts[i] * own[child, i]
            else:
                own[child] = own[node]
    for node in range(len(game.player)):
        if game.player[node] < 0:
            for i in range(hands):
                reach[node, i] = own[node, i] * start[i]


@_kernel
def _backward(
    game: Endgame, player: int, reach: Floats, values: Floats, strategy: Floats, regrets: Floats
) -> None:
    """Write ``player``'s values at each node, and change his regrets by what each action is worth more."""
    hands = reach.shape[1]
    for node in range(len(game.player) - 1, -1, -1):
        here = values[node]
        if game.player[node] < 0:
            _pay(game, node, player, reach[node], here)
            continue
        here[:] = 0.0
        for action in range(3):
            child = game.child[node, action]
            if child >= 0:
                part, there = strategy[node, action], values[child]
                if game.player[node] == player:
                    for i in range(hands):
                        here[i] += part[i] * there[i]
                else:
                    for i in range(hands):
                        here[i] += there[i]
        if game.player[node] == player:
            for action in range(3):
                child = game.child[node, action]
                if child >= 0:
                    row, there = regrets[node, action], values[child]
                    for i in range(hands):
                        row[i] = max(0.0, row[i] + there[i] - here[i])


@_kernel
def iterate(
    game: Endgame,
    ranges: Floats,
    free: Floats,
    offer: Floats,
    allowed: Floats,
    chooser: int,
    iterations: int,
    regrets: Floats,
    sums: Floats,
) -> Floats:
    """Solve: change ``regrets`` and ``sums``, the average strategy, each float64[nodes, 3, hands].

    ``ranges`` float64[2, hands] are the weights with which the players come. If ``chooser`` is a player, he
    also comes with the weights ``free`` when he likes to: with each hand he may take instead the values
    ``offer``, in the units of his values at the start. A hand that has gained more than ``allowed``,
    float64[hands], comes with more weight from iteration to iteration, and with less again when it does not:
    ``free`` is where all begin, and the least. Returned is with which weight he came, on average.
    """
    nodes, hands = len(game.player), ranges.shape[1]
    part, came, gained = np.full(hands, 0.5), np.zeros(hands), np.zeros(hands)
    strategy, reach = np.zeros((nodes, 3, hands)), np.zeros((nodes, hands))
    values, start, most = np.zeros((nodes, hands)), np.zeros(hands), free.copy()
    comes, takes, counts = np.zeros(hands), np.zeros(hands), np.zeros(hands)
    for now in range(1, iterations + 1):
        for player in range(2):
            other = 1 - player
            normalised(game, regrets, strategy)
            start[:] = ranges[other]
            counts[:] = now
            if other == chooser:
                for i in range(hands):
                    start[i] += most[i] * part[i]
                    came[i] += now * most[i] * part[i]
                    # His average counts how often he came with the hand.
                    counts[i] *= start[i]
            _forward(game, strategy, other, start, reach, sums, counts)
            _backward(game, player, reach, values, strategy, regrets)
            if player == chooser:
                for i in range(hands):
                    mean = part[i] * values[0, i] + (1 - part[i]) * offer[i]
                    comes[i] = max(0.0, comes[i] + values[0, i] - mean)
                    takes[i] = max(0.0, takes[i] + offer[i] - mean)
                    both = comes[i] + takes[i]
                    part[i] = comes[i] / both if both > 0 else 0.5
                    gained[i] += (values[0, i] - offer[i] - gained[i]) * 2 / (now + 1)
                    much = gained[i] > allowed[i]
                    most[i] = most[i] * _MORE if much else max(free[i], most[i] * _LESS)
    return came / (iterations * (iterations + 1) / 2)


@_kernel
def best_response(game: Endgame, strategy: Floats, player: int, start: Floats) -> Floats:
    """What each of ``player``'s hands wins at most against the other's ``strategy`` and weights ``start``."""
    nodes, hands = len(game.player), len(start)
    reach, values = np.zeros((nodes, hands)), np.zeros((nodes, hands))
    _forward(game, strategy, 1 - player, start, reach, np.zeros_like(strategy), np.zeros(hands))
    for node in range(nodes - 1, -1, -1):
        here = values[node]
        if game.player[node] < 0:
            _pay(game, node, player, reach[node], here)
            continue
        own = game.player[node] == player
        here[:] = -np.inf if own else 0.0
        for action in range(3):
            child = game.child[node, action]
            if child >= 0:
                there = values[child]
                for i in range(hands):
                    here[i] = max(here[i], there[i]) if own else here[i] + there[i]
    result: Floats = values[0].copy()
    return result


@_kernel
def worth(game: Endgame, strategy: Floats, player: int, start: Floats) -> Floats:
    """What each of ``player``'s hands wins when both play ``strategy``, the other with weights ``start``."""
    nodes, hands = len(game.player), len(start)
    reach, values = np.zeros((nodes, hands)), np.zeros((nodes, hands))
    _forward(game, strategy, 1 - player, start, reach, np.zeros_like(strategy), np.zeros(hands))
    _backward(game, player, reach, values, strategy, np.zeros_like(strategy))
    result: Floats = values[0].copy()
    return result


@_kernel
def mixture(game: Endgame, first: Floats, second: Floats, player: int, share: float) -> Floats:
    """What ``player`` plays who takes the strategy ``first`` with the chance ``share`` at the start, else
    ``second``: float64[nodes, 3, hands]; 0 at the other's nodes.

    None of the other's hands wins more from it than ``share`` times what it wins from the one, and the rest
    times what it wins from the other.
    """
    sums, start = np.zeros_like(first), np.zeros(first.shape[2])
    reach = np.zeros((len(game.player), first.shape[2]))
    _forward(game, first, player, start, reach, sums, np.full(len(start), share))
    _forward(game, second, player, start, reach, sums, np.full(len(start), 1.0 - share))
    result: Floats = np.zeros_like(first)
    normalised(game, sums, result)
    for node in range(len(game.player)):
        if game.player[node] != player:
            result[node] = 0.0
    return result


def meetings(game: Endgame, weights: Floats) -> Floats:
    """The weight of the hands that share no card with each hand: float64[hands]."""
    low, high = game.cards.T
    by_card = np.bincount(low, weights, 52) + np.bincount(high, weights, 52)
    found: Floats = weights.sum() - by_card[low] - by_card[high] + weights
    return found


def pairs(game: Endgame, ranges: Floats) -> float:
    """The weight of all pairs of hands that share no card: what values are to be divided by."""
    return float((ranges[0] * meetings(game, ranges[1])).sum())
