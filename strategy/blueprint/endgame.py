"""River endgames of heads-up limit hold'em with all individual hands: no buckets.

All data of a node are vectors over the hands that the board leaves, weakest first. The values of a terminal
node take one pass over the hands: running sums give the weight of weaker and of tied hands, and running sums
per card subtract the hands that share a card with the player's own. Such a pass mostly waits for memory, so
one pass handles all terminals at once. Since it only computes sums, the fold and the showdown after the same
decision share one lane.

Regrets are matched as in CFR+ (Tammelin 2014): never below 0, players in turn, averages weighted by the
number of the iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.cfr.tree import BettingTree
from strategy.jit import vector_jit
from strategy.poker.combos import CARDS
from strategy.poker.kernels import TABLE, Ints, keys_of
from strategy.poker.strengths import rank_hands

Floats = NDArray[np.float64]

_LANES = 9
"""Maximum number of decisions before a terminal, with four bets. A constant when the pass is compiled makes
it twice as fast.
"""

_BEST, _EXPECT, _LEARN = range(3)
"""How to combine a player's actions: their maximum, their mean, or their mean while updating regrets."""

_MORE, _LESS, _STEADY = 0.03, 0.02, 150
"""Relative increase of the weight of a hand that may refuse while it gains, and decrease while it does not.
Single hands have little weight: with the same weight for all they would keep gaining for thousands of
iterations. After this many iterations the steps become smaller; with constant steps some weights never
settle.
"""


class Endgame(NamedTuple):
    """The betting from a decision on the river, and the hands.

    * ``player`` int64[nodes], -1 at a terminal; ``child`` int64[nodes, 3], -1 if the action is illegal; node
      0 is the start, and children come after their parents
    * ``stake`` float64[nodes]: chips that the loser pays at a terminal; ``loser`` int64[nodes]: the player
      who has folded, -1 at a showdown
    * ``lane`` int64[nodes]: a running number for decisions that lead to a terminal; -1 elsewhere
    * ``hands`` int64[n], indices of ``strategy.poker.combos``, by rank; ``cards`` uint8[n, 2]; ``ties``
      int64[n]: the index where the hands of the same rank end
    """

    player: Ints
    child: Ints
    stake: Floats
    loser: Ints
    lane: Ints
    hands: Ints
    cards: NDArray[np.uint8]
    ties: Ints


class Gadget(NamedTuple):
    """State of ``iterate`` for each hand that may refuse to play: all arrays float64[hands].

    ``free`` is a hand's initial and minimum weight; ``offer`` its payment for refusing, in the units of
    values at the start; ``allowed`` the gain above which its weight increases. ``enter_regret`` and
    ``refuse_regret`` are the regrets of both choices, ``mean_gain`` the hand's average gain so far,
    ``current_weight`` its weight now, ``reach_sum`` the sum of the weights with which it played.
    """

    free: Floats
    offer: Floats
    allowed: Floats
    enter_regret: Floats
    refuse_regret: Floats
    mean_gain: Floats
    current_weight: Floats
    reach_sum: Floats


def make_gadget(free: Floats, offer: Floats, allowed: Floats) -> Gadget:
    """Return the gadget before the first iteration."""
    enter_regret, refuse_regret, mean_gain, reach_sum = np.zeros((4, len(free)))
    return Gadget(free, offer, allowed, enter_regret, refuse_regret, mean_gain, free.copy(), reach_sum)


def endgame_at(tree: BettingTree, node: int, board: Sequence[int]) -> Endgame:
    """Return the endgame from a decision of a two-player tree on, with a five-card board."""
    end = node + 1
    while end < tree.size and tree.parent[end] >= node:
        end += 1
    here = slice(node, end)
    child = tree.child[here].astype(np.int64)
    child = np.where(child >= 0, child - node, -1)
    player = tree.player[here].astype(np.int64)
    leads = (player >= 0) & ((child > 0) & (player[child] < 0)).any(axis=1)
    assert leads.sum() <= _LANES
    live, paid = tree.live[here], tree.paid[here]
    hands, ranks = np.empty(1326, np.int64), np.empty(1326, np.int64)
    count = rank_hands(TABLE, *keys_of(board), hands, ranks)
    order = np.argsort(ranks[:count], kind="stable")
    hands, ranks = hands[order], ranks[order]
    return Endgame(
        player=player,
        child=child,
        stake=paid.min(axis=1).astype(np.float64),
        loser=np.where(live.all(axis=1), -1, np.argmin(live, axis=1)).astype(np.int64),
        lane=np.where(leads, np.cumsum(leads) - 1, -1),
        hands=hands,
        cards=CARDS[hands].astype(np.uint8),
        ties=np.searchsorted(ranks, ranks, side="right").astype(np.int64),
    )


@vector_jit
def _add_up(game: Endgame, shown: Floats, folded: Floats, total: Floats, by_card: Floats) -> None:
    """Add the weights ``folded`` less ``shown`` of all hands, and of those with each card, by lane."""
    cards = game.cards
    for i in range(len(game.hands)):
        low, high = by_card[cards[i, 0]], by_card[cards[i, 1]]
        for lane in range(_LANES):
            one = folded[i, lane] - shown[i, lane]
            total[lane] += one
            low[lane] += one
            high[lane] += one


@vector_jit
def _walk(game: Endgame, shown: Floats, folded: Floats, total: Floats, by_card: Floats, won: Floats) -> None:
    """Write for each hand and lane, from the sums of ``_add_up``: the weight ``shown`` of the hands that it
    beats less that of the hands that beat it, and the weight ``folded`` of all hands that it meets.
    """
    # Count weaker hands as +1 and stronger ones as -1: start with all against, then add each hand passed
    # twice, the first time where it is tied.
    cards, start = game.cards, 0
    while start < len(game.hands):
        end = game.ties[start]
        _pass(cards, start, end, shown, total, by_card)
        for i in range(start, end):
            low, high = by_card[cards[i, 0]], by_card[cards[i, 1]]
            for lane in range(_LANES):
                won[i, lane] = total[lane] - low[lane] - high[lane] + folded[i, lane]
        _pass(cards, start, end, shown, total, by_card)
        start = end


@vector_jit
def _pass(
    cards: NDArray[np.uint8], start: int, end: int, shown: Floats, total: Floats, by_card: Floats
) -> None:
    for i in range(start, end):
        low, high = by_card[cards[i, 0]], by_card[cards[i, 1]]
        for lane in range(_LANES):
            one = shown[i, lane]
            total[lane] += one
            low[lane] += one
            high[lane] += one


@vector_jit
def _forward(
    game: Endgame, weights: Floats, player: int, start: Floats, reach: Floats, sums: Floats, factor: float
) -> None:
    """Write ``player``'s weights at each node, float64[nodes, hands], ``start`` at the first.

    The player plays in proportion to ``weights``, which are not negative, and uniformly if all are 0.
    ``factor`` times the player's weight after each action is added to ``sums``. Both are float64[nodes, 3,
    hands], and 0 where an action is illegal.
    """
    hands = len(start)
    reach[0] = start
    part, total = np.empty(hands), np.empty(hands)
    for node in range(len(game.player)):
        here, child = reach[node], game.child[node]
        if game.player[node] != player:
            for action in range(3):
                if child[action] >= 0:
                    reach[child[action]] = here
            continue
        fold, call, raised = weights[node]
        even = 1.0 / (child >= 0).sum()
        for i in range(hands):
            total[i] = fold[i] + call[i] + raised[i]
            part[i] = here[i] / total[i] if total[i] > 0 else here[i] * even
        for action in range(3):
            if child[action] >= 0:
                row, there, added = weights[node, action], reach[child[action]], sums[node, action]
                for i in range(hands):
                    there[i] = part[i] * row[i] if total[i] > 0 else part[i]
                    added[i] += factor * there[i]


@vector_jit
def _terminal_values(game: Endgame, player: int, reach: Floats, values: Floats) -> None:
    """Write ``player``'s values at the terminals after the player's own decisions, and at each of the
    opponent's decisions the sum over the terminals after it.
    """
    hands = reach.shape[1]
    shown, folded, won = np.zeros((hands, _LANES)), np.zeros((hands, _LANES)), np.empty((hands, _LANES))
    total, by_card = np.zeros(_LANES), np.zeros((52, _LANES))
    for node in np.flatnonzero(game.lane >= 0):
        lane = game.lane[node]
        if game.player[node] == player:
            # The opponent's weights are the same for each of the player's actions.
            shown[:, lane] = reach[node]
            continue
        for end in game.child[node]:
            if end >= 0 and game.player[end] < 0:
                into, stake = folded if game.loser[end] >= 0 else shown, game.stake[end]
                for i in range(hands):
                    into[i, lane] = stake * reach[end, i]
    _add_up(game, shown, folded, total, by_card)
    for node in np.flatnonzero(game.lane >= 0):
        end = game.child[node, 0]
        if game.player[node] == player and end >= 0:
            _fold_values(
                game, end, total[game.lane[node]], by_card[:, game.lane[node]], reach[node], values[end]
            )
    _walk(game, shown, folded, total, by_card, won)
    for node in np.flatnonzero(game.lane >= 0):
        lane, end = game.lane[node], game.child[node, 1]
        if game.player[node] != player:
            values[node] = won[:, lane]
        elif end >= 0 and game.player[end] < 0:
            for i in range(hands):
                values[end, i] = game.stake[end] * won[i, lane]


@vector_jit
def _fold_values(
    game: Endgame, end: int, total: float, by_card: Floats, reach: Floats, values: Floats
) -> None:
    """Write the values of a player who folds; ``total`` and ``by_card`` are sums of ``reach``, negative."""
    cards = game.cards
    for i in range(len(reach)):
        met = total - by_card[cards[i, 0]] - by_card[cards[i, 1]] - reach[i]
        values[i] = game.stake[end] * met


@vector_jit
def _backward(game: Endgame, player: int, weights: Floats, values: Floats, mode: int) -> None:
    """Write ``player``'s values at each decision, from those of ``_terminal_values``; with ``_LEARN``, update
    the player's ``weights`` by the difference between each action's value and the mean.
    """
    for node in range(len(game.player) - 1, -1, -1):
        if game.player[node] < 0:
            continue
        here, child = values[node], game.child[node]
        if game.player[node] != player:
            _add(game, node, values)
        elif mode == _BEST:
            here[:] = -np.inf
            for after in child[child >= 0]:
                there = values[after]
                for i in range(len(here)):
                    here[i] = max(here[i], there[i])
        else:
            _average(child, weights[node], values, here)
            if mode == _LEARN:
                for action in np.flatnonzero(child >= 0):
                    row, there = weights[node, action], values[child[action]]
                    for i in range(len(here)):
                        row[i] = max(0.0, row[i] + there[i] - here[i])


@vector_jit
def _add(game: Endgame, node: int, values: Floats) -> None:
    """Add the values of a non-terminal node to those of the opponent's decision."""
    here = values[node]
    if game.lane[node] < 0:
        here[:] = 0.0
    for after in game.child[node]:
        if after >= 0 and game.player[after] >= 0:
            there = values[after]
            for i in range(len(here)):
                here[i] += there[i]


@vector_jit
def _average(child: Ints, weights: Floats, values: Floats, mean: Floats) -> None:
    """Write the mean of the actions' values in proportion to ``weights``; uniform if all weights are 0."""
    nothing, even = np.zeros(len(mean)), 1.0 / (child >= 0).sum()
    first = values[child[0]] if child[0] >= 0 else nothing
    second = values[child[1]] if child[1] >= 0 else nothing
    third = values[child[2]] if child[2] >= 0 else nothing
    fold, call, raised = weights
    for i in range(len(mean)):
        total = fold[i] + call[i] + raised[i]
        found = fold[i] * first[i] + call[i] * second[i] + raised[i] * third[i]
        mean[i] = found / total if total > 0 else (first[i] + second[i] + third[i]) * even


@vector_jit
def normalise_weights(game: Endgame, weights: Floats, strategy: Floats) -> None:
    """Write the strategy in proportion to ``weights``, which are not negative; uniform if all are 0.

    Both are float64[nodes, 3, hands].
    """
    for node in range(len(game.player)):
        if game.player[node] < 0:
            continue
        legal = game.child[node] >= 0
        total = weights[node, 0] + weights[node, 1] + weights[node, 2]
        for action in range(3):
            if legal[action]:
                row, part = weights[node, action], strategy[node, action]
                for i in range(len(total)):
                    part[i] = row[i] / total[i] if total[i] > 0 else 1.0 / legal.sum()


@vector_jit
def iterate(
    game: Endgame,
    ranges: Floats,
    gadget: Gadget,
    opponent: int,
    first: int,
    iterations: int,
    regrets: Floats,
    sums: Floats,
) -> None:
    """Solve: continue with iteration ``first``, counted from 1; update ``regrets`` and ``sums``, the average
    strategy, each float64[nodes, 3, hands].

    ``ranges`` float64[2, hands] are the weights of the players' hands. If ``opponent`` is a player, that
    player also has additional weights: each of these hands may take its offer instead of playing. A hand that
    gains more than allowed gets more weight from iteration to iteration, and less again when it does not.
    """
    nodes, hands = len(game.player), ranges.shape[1]
    reach, values = np.zeros((nodes, hands)), np.zeros((nodes, hands))
    start = np.zeros(hands)
    free, offer, allowed, enter_regret, refuse_regret, mean_gain, current_weight, reach_sum = gadget
    for now in range(first, first + iterations):
        step = min(1.0, _STEADY / now)
        for player in range(2):
            other = 1 - player
            start[:] = ranges[other]
            if other == opponent:
                for i in range(hands):
                    both = enter_regret[i] + refuse_regret[i]
                    weight = current_weight[i] * (enter_regret[i] / both if both > 0 else 0.5)
                    start[i] += weight
                    reach_sum[i] += now * weight
            _forward(game, regrets, other, start, reach, sums, now)
            _terminal_values(game, player, reach, values)
            _backward(game, player, regrets, values, _LEARN)
            if player == opponent:
                for i in range(hands):
                    both, more = enter_regret[i] + refuse_regret[i], values[0, i] - offer[i]
                    part = enter_regret[i] / both if both > 0 else 0.5
                    enter_regret[i] = max(0.0, enter_regret[i] + (1 - part) * more)
                    refuse_regret[i] = max(0.0, refuse_regret[i] - part * more)
                    mean_gain[i] += (more - mean_gain[i]) * 2 / (now + 1)
                    change = _MORE if mean_gain[i] > allowed[i] else -_LESS
                    current_weight[i] = max(free[i], current_weight[i] * (1 + step * change))


@vector_jit
def _respond(game: Endgame, strategy: Floats, player: int, start: Floats, mode: int) -> Floats:
    nodes, hands = len(game.player), len(start)
    reach, values = np.zeros((nodes, hands)), np.zeros((nodes, hands))
    _forward(game, strategy, 1 - player, start, reach, np.zeros_like(strategy), 0.0)
    _terminal_values(game, player, reach, values)
    _backward(game, player, strategy, values, mode)
    result: Floats = values[0].copy()
    return result


def best_response(game: Endgame, strategy: Floats, player: int, start: Floats) -> Floats:
    """Return the most that each of ``player``'s hands can win against the opponent's ``strategy``.

    ``start`` are the opponent's weights.
    """
    return _respond(game, strategy, player, start, _BEST)


def strategy_values(game: Endgame, strategy: Floats, player: int, start: Floats) -> Floats:
    """Return what each of ``player``'s hands wins if both play ``strategy``; the opponent has weights
    ``start``.
    """
    return _respond(game, strategy, player, start, _EXPECT)


@vector_jit
def mixture(game: Endgame, first: Floats, second: Floats, player: int, share: float) -> Floats:
    """Return ``player``'s mixture of two strategies: float64[nodes, 3, hands]; 0 at the opponent's nodes.

    The player chooses ``first`` with probability ``share`` at the start, else ``second``. No hand of the
    opponent wins more against it than ``share`` times its win against ``first`` plus the rest times its win
    against ``second``.
    """
    sums, hands = np.zeros_like(first), first.shape[2]
    reach = np.zeros((len(game.player), hands))
    _forward(game, first, player, np.full(hands, share), reach, sums, 1.0)
    _forward(game, second, player, np.full(hands, 1.0 - share), reach, sums, 1.0)
    result: Floats = np.zeros_like(first)
    normalise_weights(game, sums, result)
    for node in range(len(game.player)):
        if game.player[node] != player:
            result[node] = 0.0
    return result


def opponent_mass(game: Endgame, weights: Floats) -> Floats:
    """Return the weight of the hands that share no card with each hand: float64[hands]."""
    low, high = game.cards.T
    by_card = np.bincount(low, weights, 52) + np.bincount(high, weights, 52)
    found: Floats = weights.sum() - by_card[low] - by_card[high] + weights
    return found


def total_pair_weight(game: Endgame, ranges: Floats) -> float:
    """Return the weight of all pairs of hands that share no card: the divisor for values."""
    return float((ranges[0] * opponent_mass(game, ranges[1])).sum())
