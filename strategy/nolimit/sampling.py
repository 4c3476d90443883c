"""External-sampling Monte Carlo CFR (Lanctot et al. 2009) over a betting tree and card states, in integers.

One player walks through the tree with cards dealt to both: at his own decisions he tries every action, at the
other's one action is drawn. Training goes in batches of deals. A batch is split into parts, always the same
ones; each part reads the regrets of the batch's start and lists what it would add to them, and the lists are
added in order. So the number of threads that work on the parts changes nothing.

Weights are linear (Brown and Sandholm 2019): a period of batches counts in proportion to its number. Regrets
are int32, in parts of a chip (``Table.unit``), and bounded below. In most walks an action whose regret is far
below zero is not tried, as in Pluribus (Brown and Sandholm 2019), unless it ends the hand or is the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from strategy.jit import vector_jit
from strategy.nolimit.tree import BettingTree
from strategy.poker.kernels import Ints, State, rng, uniform

PARTS = 8
"""Parts of a batch."""
DEALS = 1024
"""Deals of a part."""
BATCH = PARTS * DEALS

_PER_BIG_BLIND = 200
"""Units of regret in a big blind."""
_CEILING = 2_000_000_000
_FLOOR = -400_000_000
_PRUNE = -300_000_000
"""An action with a lower regret is tried in few walks: it has lost 1.5 million big blinds."""
_TRY_ALL = 0.05
"""Share of the deals in which every action is tried."""
_WHOLE = 4096
"""What the average strategy counts for probability 1."""
_RARE = 1 << 24
"""Where the strategy counts less than this, the first guesses of the training would be much of it."""
_TURNS = 64
"""Maximum number of a player's decisions on a path."""


_Counts = NDArray[np.int32]


class Deal(NamedTuple):
    """Some deals. ``states`` int32[n, 2, streets]: each player's card state by street; ``winner`` int8[n]: 1
    if player 0 wins a showdown, -1 if he loses, 0 for a tie.
    """

    states: NDArray[np.int32]
    winner: NDArray[np.int8]


class Deals(Protocol):
    """A source of cards. ``sizes``: the number of card states by street."""

    @property
    def sizes(self) -> Sequence[int]: ...

    def deal(self, state: State, count: int) -> Deal:
        """Return random deals that follow from the generator's ``state``."""
        ...


class Layout(NamedTuple):
    """Where the actions of each decision and card state stand in a table: from ``slot(node, state)`` on.

    All decisions of a street with the same card state stand together, because a walk has few card states and
    many decisions. ``base`` and ``width`` int64[streets]; ``offset`` int64[nodes], 0 at the end of the
    betting; ``size``: the length of the table.
    """

    base: Ints
    width: Ints
    offset: Ints
    size: int

    def slot(self, street: int, node: int, state: int) -> int:
        """Return the place of a decision's first action."""
        return int(self.base[street] + state * self.width[street] + self.offset[node])


def layout_of(tree: BettingTree, sizes: Sequence[int]) -> Layout:
    """Return the layout for so many card states by street."""
    base, width = np.zeros((2, len(sizes)), np.int64)
    offset = np.zeros(len(tree.player), np.int64)
    size = 0
    for street, states in enumerate(sizes):
        nodes = np.flatnonzero((tree.player >= 0) & (tree.street == street))
        counts = tree.choices[nodes].astype(np.int64)
        offset[nodes] = np.cumsum(counts) - counts
        base[street], width[street] = size, counts.sum()
        size += states * int(counts.sum())
    return Layout(base, width, offset, size)


class _Arrays(NamedTuple):
    """A tree for the kernel. ``nodes`` int32[n, 8]: player, street, count, first index in ``child``, offset,
    loser, least paid by a player; ``child`` int32: the children of one node after those of the other.
    """

    nodes: NDArray[np.int32]
    child: NDArray[np.int32]
    base: Ints
    width: Ints


class Table:
    """Regrets int32 and sums of strategies int64, both ``layout.size`` long, and the batches that made them.

    ``period``: batches after which the past is discounted. Equal arguments and equal numbers of batches give
    equal tables.
    """

    def __init__(self, tree: BettingTree, deals: Deals, seed: int, *, period: int = 100) -> None:
        self.layout = layout_of(tree, deals.sizes)
        self.deals, self.seed, self.period = deals, seed, period
        self.unit = _PER_BIG_BLIND / max(1, *tree.game.blinds)
        self.batches = self.visits = 0
        self.regrets = np.zeros(self.layout.size, np.int32)
        self.sums = np.zeros(self.layout.size, np.int64)
        first = np.cumsum(tree.choices, dtype=np.int64) - tree.choices
        paid = tree.paid.min(axis=1)
        offset = self.layout.offset
        columns = (tree.player, tree.street, tree.choices, first, offset, tree.loser, paid, 0 * paid)
        self._tree = _Arrays(
            np.stack(columns, axis=1).astype(np.int32),
            tree.child[tree.child >= 0],
            self.layout.base,
            self.layout.width,
        )
        self._lists = [_Lists() for _ in range(PARTS)]

    def run(self, batches: int, workers: int = 1) -> None:
        """Do so many more batches with so many threads."""
        with ThreadPoolExecutor(workers) as pool:
            for _ in range(batches):
                weight = self.batches // self.period + 1
                for visits in pool.map(self._walk, range(PARTS)):
                    self.visits += visits
                added = pool.submit(self._add_sums, weight)
                for lists in self._lists:
                    _add_regrets(self.regrets, lists.slots, lists.deltas, lists.ends[0])
                added.result()
                self.batches += 1
                if self.batches % self.period == 0:
                    _discount(self.regrets, weight, weight + 1)

    def _walk(self, part: int) -> int:
        """Fill the lists of a part; return the number of decisions visited."""
        random = rng("walks", self.seed, self.batches, part)
        deal = self.deals.deal(random, DEALS)
        lists = self._lists[part]
        visits, done = 0, 0
        lists.ends[:] = 0
        while done < DEALS:
            more, done = _walks(
                random, self.unit, *self._tree, *deal, done, self.regrets, *lists.arrays(), lists.ends
            )
            visits += more
            if done < DEALS:
                lists.grow()
        return visits

    def _add_sums(self, weight: int) -> None:
        for lists in self._lists:
            _add_sums(self.sums, lists.chosen, lists.chances, lists.ends[1], weight)

    def policy(self) -> NDArray[np.float32]:
        """Return the average strategy, float32[layout.size].

        Where a player hardly ever went himself it is what he would do there now; where nothing is known, all
        alike.
        """
        result = np.empty(self.layout.size, np.float32)
        sizes = np.array(self.deals.sizes)
        _average(self._tree.nodes, *self._tree[2:], sizes, self.sums, self.regrets, result)
        return result


class _Lists:
    """What a part would add: ``slots`` and ``deltas`` of regrets, ``chosen`` slots and ``chances`` of the
    average strategy, and ``ends``, how many entries both have.
    """

    def __init__(self, size: int = 1 << 17) -> None:
        self.slots, self.deltas, self.chosen, self.chances = np.empty((4, size), np.int32)
        self.ends = np.zeros(2, np.int64)

    def arrays(self) -> tuple[_Counts, _Counts, _Counts, _Counts]:
        """Return them in the order of the kernel."""
        return self.slots, self.deltas, self.chosen, self.chances

    def grow(self) -> None:
        """Make room for as many entries more."""
        self.slots, self.deltas, self.chosen, self.chances = (
            np.concatenate((array, np.empty_like(array))) for array in self.arrays()
        )


@vector_jit
def _match(regrets: NDArray[np.int32], slot: int, count: int, chances: NDArray[np.float64]) -> bool:
    """Write the strategy of a decision; return whether any regret is positive."""
    total = 0.0
    for action in range(count):
        regret = regrets[slot + action]
        chances[action] = regret if regret > 0 else 0.0
        total += chances[action]
    for action in range(count):
        chances[action] = chances[action] / total if total > 0 else 1.0 / count
    return total > 0


@vector_jit
def draw(state: State, chances: NDArray[np.float64], count: int) -> int:
    """Return one of ``count`` actions, at random by their ``chances``."""
    at, last = uniform(state), 0
    for action in range(count):
        if chances[action] > 0:
            last = action
            at -= chances[action]
            if at < 0:
                return action
    return last


@vector_jit
def _next_action(
    action: int,
    count: int,
    slot: int,
    regrets: NDArray[np.int32],
    pruned: bool,
    nodes: NDArray[np.int32],
    children: NDArray[np.int32],
) -> int:
    """Return the next action to try from ``action`` on, or ``count``. Only called with ``pruned`` where some
    regret is positive, so what is left out is never the best.
    """
    if pruned:
        while action < count and regrets[slot + action] < _PRUNE and nodes[children[action], 0] >= 0:
            action += 1
    return action


# One long function: calls of parts of it, with all these arrays, cost three times what they do.
@vector_jit
def _walks(  # noqa: C901, PLR0912, PLR0915
    random: State,
    unit: float,
    nodes: NDArray[np.int32],
    children: NDArray[np.int32],
    base: Ints,
    width: Ints,
    states: NDArray[np.int32],
    winner: NDArray[np.int8],
    done: int,
    regrets: NDArray[np.int32],
    slots: NDArray[np.int32],
    deltas: NDArray[np.int32],
    chosen: NDArray[np.int32],
    chances_out: NDArray[np.int32],
    ends: Ints,
) -> tuple[int, int]:
    """Walk with both players through each deal from ``done`` on; return the number of decisions visited, and
    of deals done: fewer than all if the lists may be too short for another.
    """
    most = 0
    for node in range(len(nodes)):
        most = max(most, nodes[node, 2])
    stack = np.empty((_TURNS, 4), np.int64)  # node, slot, action being tried, whether actions are pruned
    chances, values = np.empty((_TURNS, most)), np.empty((_TURNS, most))
    other = np.empty(most)
    streets = len(base)
    rows = np.empty((2, streets), np.int64)
    visits = 0
    end, count_end = ends
    while done < len(states):
        start, count_start, visits_start, random_start = end, count_end, visits, random[0]
        whole = True
        for player in range(2):
            for street in range(streets):
                rows[player, street] = base[street] + width[street] * states[done, player, street]
        for player in range(2):
            prune = uniform(random) >= _TRY_ALL
            won = float(winner[done] if player == 0 else -winner[done])
            node = depth = 0
            walking = True
            while walking:
                who = nodes[node, 0]
                while who >= 0:
                    visits += 1
                    count, first = nodes[node, 2], nodes[node, 3]
                    slot = rows[who, nodes[node, 1]] + nodes[node, 4]
                    if who == player:
                        some = _match(regrets, slot, count, chances[depth])
                        action = _next_action(
                            0, count, slot, regrets, prune and some, nodes, children[first : first + count]
                        )
                        stack[depth, 0], stack[depth, 1] = node, slot
                        stack[depth, 2], stack[depth, 3] = action, prune and some
                        values[depth, :] = np.nan
                        depth += 1
                    else:
                        _match(regrets, slot, count, other)
                        if count_end + count > len(chosen):
                            whole = False
                            break
                        for action in range(count):
                            if other[action] > 0:
                                chosen[count_end] = slot + action
                                chances_out[count_end] = round(other[action] * _WHOLE)
                                count_end += 1
                        action = draw(random, other, count)
                    node = children[first + action]
                    who = nodes[node, 0]
                if not whole:
                    break
                loser = nodes[node, 5]
                value = float(nodes[node, 6])
                value *= won if loser < 0 else (-1.0 if loser == player else 1.0)
                walking = False
                while depth and not walking:
                    turn = depth - 1
                    at, slot, action = stack[turn, 0], stack[turn, 1], stack[turn, 2]
                    values[turn, action] = value
                    count, first = nodes[at, 2], nodes[at, 3]
                    action = _next_action(
                        action + 1,
                        count,
                        slot,
                        regrets,
                        stack[turn, 3] > 0,
                        nodes,
                        children[first : first + count],
                    )
                    if action < count:
                        stack[turn, 2] = action
                        node = children[first + action]
                        walking = True
                        continue
                    if end + count > len(slots):
                        whole = False
                        break
                    value = 0.0
                    for each in range(count):
                        if chances[turn, each] > 0:
                            value += chances[turn, each] * values[turn, each]
                    for each in range(count):
                        if not np.isnan(values[turn, each]):
                            delta = round((values[turn, each] - value) * unit)
                            if delta:
                                slots[end], deltas[end] = slot + each, delta
                                end += 1
                    depth = turn
                if not whole:
                    break
            if not whole:
                break
        if not whole:
            # The caller makes longer lists, and the deal is done again.
            end, count_end, visits, random[0] = start, count_start, visits_start, random_start
            break
        done += 1
    ends[0], ends[1] = end, count_end
    return visits, done


@vector_jit
def _add_regrets(
    regrets: NDArray[np.int32], slots: NDArray[np.int32], deltas: NDArray[np.int32], end: int
) -> None:
    for place in range(end):
        found = np.int64(regrets[slots[place]]) + deltas[place]
        regrets[slots[place]] = min(max(found, _FLOOR), _CEILING)


@vector_jit
def _add_sums(
    sums: Ints, chosen: NDArray[np.int32], chances: NDArray[np.int32], end: int, weight: int
) -> None:
    for place in range(end):
        sums[chosen[place]] += weight * np.int64(chances[place])


@vector_jit
def _discount(regrets: NDArray[np.int32], past: int, parts: int) -> None:
    """Multiply all regrets by past / parts, rounded to the nearest."""
    for place in range(len(regrets)):
        regrets[place] = (np.int64(regrets[place]) * past + parts // 2) // parts


@vector_jit
def _average(
    nodes: NDArray[np.int32],
    base: Ints,
    width: Ints,
    sizes: Ints,
    sums: Ints,
    regrets: NDArray[np.int32],
    result: NDArray[np.float32],
) -> None:
    last = np.empty(nodes[:, 2].max())
    for node in range(len(nodes)):
        if nodes[node, 0] < 0:
            continue
        street, count = nodes[node, 1], nodes[node, 2]
        for state in range(sizes[street]):
            slot = base[street] + width[street] * state + nodes[node, 4]
            total = 0.0
            for action in range(count):
                total += sums[slot + action]
            if total < _RARE:
                _match(regrets, slot, count, last)
            for action in range(count):
                result[slot + action] = sums[slot + action] / total if total >= _RARE else last[action]
