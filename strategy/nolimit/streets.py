"""The betting of one street as vectors over all hands: what each hand reaches, wins, and learns.

Nodes of a street are its decisions, folds and showdowns, and the places where the next street begins; those
where it begins itself come first. Whoever is all-in passes through the streets that are left. Values are
counterfactual: sums over the opponent's hands, weighted by their reach.

At a showdown hands are passed once by rank: running sums give the weight of weaker and of tied hands, and
running sums for each card subtract those that share a card with the player's own. Such a pass waits for
memory, so one pass handles several showdowns at once, its lanes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.jit import vector_jit
from strategy.nolimit.tree import BettingTree
from strategy.poker.kernels import Ints

Vectors = NDArray[np.float32] | NDArray[np.float64]
Weights = Vectors | NDArray[np.uint8]

_LANES = 8
"""Showdowns or folds in one pass. A constant when the pass is compiled."""

BEST, EXPECT, LEARN = range(3)
"""How to combine a player's actions: their maximum, their mean, or their mean while regrets are updated."""


class Street(NamedTuple):
    """The nodes of one street.

    * ``node`` int32[n]: their numbers in the betting tree; the first ``starts`` begin the street
    * ``player`` int8[n], -1 where nobody decides; ``choices`` int8[n] and ``child`` int32[n, most], numbers
      here; children come after their parents
    * ``row`` int32[n]: running number of the decisions, -1 elsewhere; ``rows``: how many there are
    * ``folds`` and ``shown`` int32: nodes where somebody has folded, or hands are shown; ``ends`` int32:
      where the next street begins, in the order of its starts
    * ``stake`` float32[n]: chips that the loser pays; ``loser`` int8[n], -1 if nobody has folded
    """

    node: NDArray[np.int32]
    starts: int
    player: NDArray[np.int8]
    choices: NDArray[np.int8]
    child: NDArray[np.int32]
    row: NDArray[np.int32]
    rows: int
    folds: NDArray[np.int32]
    shown: NDArray[np.int32]
    ends: NDArray[np.int32]
    stake: NDArray[np.float32]
    loser: NDArray[np.int8]


def streets_of(tree: BettingTree) -> list[Street]:
    """Return the streets of a tree, from that of its first node on."""
    found: list[Street] = []
    starts = [0]
    for street in range(int(tree.street[0]), tree.game.rounds):
        found.append(street_from(tree, street, starts))
        starts = found[-1].node[found[-1].ends].tolist()
    return found


def street_from(tree: BettingTree, street: int, starts: list[int]) -> Street:
    """Return the nodes of a street that follow on some nodes, its ``starts``."""
    last = street == tree.game.rounds - 1
    nodes = list(starts)
    ends: list[int] = []
    for node in nodes:
        if tree.player[node] >= 0 and tree.street[node] == street:
            nodes += tree.child[node, : tree.choices[node]].tolist()
        elif tree.loser[node] < 0 and not last:
            ends.append(node)
    place = {node: index for index, node in enumerate(nodes)}
    chosen = np.array(nodes, np.int64)
    decides = (tree.player[chosen] >= 0) & (tree.street[chosen] == street)
    child = np.array(
        [[place[c] if here and c >= 0 else -1 for c in tree.child[node].tolist()]
         for node, here in zip(nodes, decides, strict=True)],
        np.int32,
    )  # fmt: skip
    over = tree.player[chosen] < 0
    loser = tree.loser[chosen]
    return Street(
        node=chosen.astype(np.int32),
        starts=len(starts),
        player=np.where(decides, tree.player[chosen], -1).astype(np.int8),
        choices=np.where(decides, tree.choices[chosen], 0).astype(np.int8),
        child=child,
        row=np.where(decides, np.cumsum(decides) - 1, -1).astype(np.int32),
        rows=int(decides.sum()),
        folds=np.flatnonzero(over & (loser >= 0)).astype(np.int32),
        shown=np.flatnonzero(over & (loser < 0) & last).astype(np.int32),
        ends=np.array([place[node] for node in ends], np.int32),
        stake=tree.paid[chosen].min(axis=1).astype(np.float32),
        loser=loser,
    )


@vector_jit
def forward(street: Street, player: int, weights: Weights, reach: Vectors) -> None:
    """Write a player's reach at each node, [nodes, hands], from that at the starts.

    The player plays in proportion to ``weights`` [rows, most, hands], not negative; all alike if all are 0.
    """
    hands = reach.shape[1]
    part, total = np.empty_like(reach[0]), np.empty_like(reach[0])
    for node in range(len(street.player)):
        count, here = street.choices[node], reach[node]
        if street.player[node] != player:
            for action in range(count):
                reach[street.child[node, action]] = here
            continue
        row = weights[street.row[node]]
        _shares(row, count, here, part, total)
        for action in range(count):
            there, weight = reach[street.child[node, action]], row[action]
            for i in range(hands):
                there[i] = part[i] * weight[i] if total[i] > 0 else part[i]


@vector_jit
def _shares(row: Weights, count: int, here: Vectors, part: Vectors, total: Vectors) -> None:
    """Write the sums of the weights, and what is to be multiplied by each: reach / sum."""
    total[:] = 0
    for action in range(count):
        weight = row[action]
        for i in range(len(total)):
            total[i] += weight[i]
    for i in range(len(total)):
        part[i] = here[i] / (total[i] if total[i] > 0 else count)


@vector_jit
def add_up(street: Street, player: int, reach: Vectors, factor: float, sums: Weights) -> None:
    """Add ``factor`` times a player's reach after each action to ``sums`` [rows, most, hands]."""
    for node in range(len(street.player)):
        if street.player[node] == player:
            for action in range(street.choices[node]):
                there, added = reach[street.child[node, action]], sums[street.row[node], action]
                for i in range(len(there)):
                    added[i] += factor * there[i]


@vector_jit
def fold_values(street: Street, player: int, cards: Ints, reach: Vectors, values: Vectors) -> None:
    """Write a player's values where somebody has folded, from the opponent's reach.

    ``cards`` int64[hands, 2] are the hands' cards.
    """
    hands = reach.shape[1]
    by_card = np.empty(cards.max() + 1, reach.dtype)
    for node in street.folds:
        here, there = reach[node], values[node]
        by_card[:] = 0
        total = here[0] * 0
        for i in range(hands):
            total += here[i]
            by_card[cards[i, 0]] += here[i]
            by_card[cards[i, 1]] += here[i]
        stake = street.stake[node] if street.loser[node] != player else -street.stake[node]
        for i in range(hands):
            there[i] = stake * (total - by_card[cards[i, 0]] - by_card[cards[i, 1]] + here[i])


@vector_jit
def shown_values(street: Street, cards: Ints, ends: Ints, reach: Vectors, values: Vectors) -> None:
    """Write the values of showdowns, from the opponent's reach; hands stand by rank, ``ends`` int64[hands]
    tells where those of a hand's rank end.
    """
    hands = reach.shape[1]
    size = cards.max() + 1
    lanes, won = np.empty((hands, _LANES), reach.dtype), np.empty((hands, _LANES), reach.dtype)
    by_card, total = np.empty((size, _LANES), reach.dtype), np.empty(_LANES, reach.dtype)
    for first in range(0, len(street.shown), _LANES):
        chosen = street.shown[first : first + _LANES]
        for lane in range(_LANES):
            node = chosen[min(lane, len(chosen) - 1)]
            here, stake = reach[node], street.stake[node]
            for i in range(hands):
                lanes[i, lane] = stake * here[i]
        by_card[:] = 0
        total[:] = 0
        for i in range(hands):
            _pass(lanes[i], -1, total, by_card[cards[i, 0]], by_card[cards[i, 1]])
        # All others count as stronger at first; each rank counts once more when tied, and again when passed.
        start = 0
        while start < hands:
            end = ends[start]
            for i in range(start, end):
                _pass(lanes[i], 1, total, by_card[cards[i, 0]], by_card[cards[i, 1]])
            for i in range(start, end):
                low, high, out = by_card[cards[i, 0]], by_card[cards[i, 1]], won[i]
                for lane in range(_LANES):
                    out[lane] = total[lane] - low[lane] - high[lane]
            for i in range(start, end):
                _pass(lanes[i], 1, total, by_card[cards[i, 0]], by_card[cards[i, 1]])
            start = end
        for lane in range(len(chosen)):
            there = values[chosen[lane]]
            for i in range(hands):
                there[i] = won[i, lane]


@vector_jit
def _pass(one: Vectors, sign: int, total: Vectors, low: Vectors, high: Vectors) -> None:
    if sign > 0:
        for lane in range(_LANES):
            total[lane] += one[lane]
            low[lane] += one[lane]
            high[lane] += one[lane]
    else:
        for lane in range(_LANES):
            total[lane] -= one[lane]
            low[lane] -= one[lane]
            high[lane] -= one[lane]


@vector_jit
def backward(street: Street, player: int, weights: Weights, values: Vectors, mode: int) -> None:
    """Write a player's values [nodes, hands] at decisions, from those of their children.

    With ``LEARN`` the difference between each action's value and the mean is added to the player's
    ``weights``, which stay at 0 or above.
    """
    total = np.empty_like(values[0])
    for node in range(len(street.player) - 1, -1, -1):
        if street.player[node] < 0:
            continue
        children = street.child[node, : street.choices[node]]
        if street.player[node] != player:
            _add(children, values, values[node])
        elif mode == BEST:
            _best(children, values, values[node])
        else:
            row = weights[street.row[node]]
            _mean(children, row, values, total, values[node])
            if mode == LEARN:
                _learn(children, row, values, values[node])


@vector_jit
def _add(children: NDArray[np.int32], values: Vectors, here: Vectors) -> None:
    here[:] = 0
    for child in children:
        there = values[child]
        for i in range(len(here)):
            here[i] += there[i]


@vector_jit
def _best(children: NDArray[np.int32], values: Vectors, here: Vectors) -> None:
    here[:] = values[children[0]]
    for child in children[1:]:
        there = values[child]
        for i in range(len(here)):
            here[i] = max(here[i], there[i])


@vector_jit
def _mean(children: NDArray[np.int32], row: Weights, values: Vectors, total: Vectors, here: Vectors) -> None:
    """Write the mean of the actions' values in proportion to their weights; all alike if those are 0."""
    here[:] = 0
    total[:] = 0
    for action in range(len(children)):
        there, weight = values[children[action]], row[action]
        for i in range(len(here)):
            total[i] += weight[i]
            here[i] += weight[i] * there[i]
    for i in range(len(here)):
        if total[i] > 0:
            here[i] /= total[i]
        else:
            here[i] = 0
            for child in children:
                here[i] += values[child, i] / len(children)


@vector_jit
def _learn(children: NDArray[np.int32], row: Weights, values: Vectors, here: Vectors) -> None:
    for action in range(len(children)):
        there, weight = values[children[action]], row[action]
        for i in range(len(here)):
            weight[i] = max(weight[i] * 0, weight[i] + there[i] - here[i])


@vector_jit
def last_values(
    street: Street,
    player: int,
    cards: Ints,
    ends: Ints,
    weights: Weights,
    reach: Vectors,
    values: Vectors,
    mode: int,
) -> None:
    """Write a player's values on the last street, from the opponent's reach at its starts."""
    forward(street, 1 - player, weights, reach)
    fold_values(street, player, cards, reach, values)
    shown_values(street, cards, ends, reach, values)
    backward(street, player, weights, values, mode)
