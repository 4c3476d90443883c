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
_TURNS = 64
"""Maximum number of a player's decisions on a path."""


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


_PLAYER, _STREET, _CHOICES, _FIRST, _OFFSET, _LOSER, _PAID = range(7)


class _Arrays(NamedTuple):
    """A tree for the kernel. ``nodes`` int32[n, 8] has the columns ``_PLAYER`` to ``_PAID``; ``child`` int32:
    the children of one node after those of the other, from ``_FIRST`` on.
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
        columns = (
            tree.player,
            tree.street,
            tree.choices,
            first,
            self.layout.offset,
            tree.loser,
            paid,
            0 * paid,
        )
        self._tree = _Arrays(
            np.stack(columns, axis=1).astype(np.int32),
            tree.child[tree.child >= 0],
            self.layout.base,
            self.layout.width,
        )
        size = max(1 << 17, 4 * len(self._tree.child))
        self._lists = [_List(size) for _ in range(PARTS)]

    def run(self, batches: int, workers: int = 1) -> None:
        """Do so many more batches with so many threads."""
        with ThreadPoolExecutor(workers) as pool:
            for _ in range(batches):
                weight = self.batches // self.period + 1
                self.visits += sum(pool.map(self._walk, range(PARTS)))
                added = pool.submit(self._add_sums, weight)
                for part in self._lists:
                    _add_regrets(self.regrets, part.entries.slots, part.entries.deltas, part.ends[0])
                added.result()
                self.batches += 1
                if self.batches % self.period == 0:
                    _discount(self.regrets, weight, weight + 1)

    def _walk(self, part: int) -> int:
        """Fill the list of a part; return the number of decisions visited."""
        random = rng("walks", self.seed, self.batches, part)
        deal = self.deals.deal(random, DEALS)
        found = self._lists[part]
        found.ends[:] = 0
        visits = done = 0
        while done < DEALS:
            more, done = _walks(
                random, self.unit, self._tree, deal, done, self.regrets, found.entries, found.ends
            )
            visits += more
            if done < DEALS:
                found.grow()
        return visits

    def _add_sums(self, weight: int) -> None:
        for part in self._lists:
            _add_sums(self.sums, part.entries.chosen, part.entries.chances, part.ends[1], weight)

    def policy(self) -> NDArray[np.float32]:
        """Return the average strategy, float32[layout.size]; where nothing was learned, all actions alike."""
        result = np.empty(self.layout.size, np.float32)
        _average(self._tree.nodes, *self._tree[2:], np.array(self.deals.sizes), self.sums, result)
        return result


class _Entries(NamedTuple):
    """What a part would add, all int32 and as long: ``deltas`` to the regrets in ``slots``, and ``chances``
    of the average strategy to the sums in ``chosen``.
    """

    slots: NDArray[np.int32]
    deltas: NDArray[np.int32]
    chosen: NDArray[np.int32]
    chances: NDArray[np.int32]


class _List:
    """The entries of a part, and how many of regrets and of sums there are: ``ends`` int64[2]."""

    def __init__(self, size: int) -> None:
        self.entries = _Entries(*np.empty((4, size), np.int32))
        self.ends = np.zeros(2, np.int64)

    def grow(self) -> None:
        """Make room for as many entries more."""
        self.entries = _Entries(*(np.concatenate((array, np.empty_like(array))) for array in self.entries))


class _Work(NamedTuple):
    """What a walk writes. By the walking player's decisions on the path: ``turns`` int64[path, 4] (node,
    slot, the action being tried, whether actions are left out), ``chances`` and ``values`` float64[path,
    most], NaN if not tried; the other player's strategy float64[most]; and ``rows`` int64[2, streets], where
    the actions of a player's card state begin.
    """

    turns: Ints
    chances: NDArray[np.float64]
    values: NDArray[np.float64]
    other: NDArray[np.float64]
    rows: Ints


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
def _draw(state: State, chances: NDArray[np.float64], count: int) -> int:
    at, last = uniform(state), 0
    for action in range(count):
        if chances[action] > 0:
            last = action
            at -= chances[action]
            if at < 0:
                return action
    return last


@vector_jit
def _walks(
    random: State,
    unit: float,
    tree: _Arrays,
    deal: Deal,
    done: int,
    regrets: NDArray[np.int32],
    lists: _Entries,
    ends: Ints,
) -> tuple[int, int]:
    """Walk with both players through each deal from ``done`` on; return the number of decisions visited, and
    of deals done: fewer than all if the lists may be too short for another.
    """
    most = tree.nodes[:, _CHOICES].max()
    work = _Work(
        np.empty((_TURNS, 4), np.int64),
        np.empty((_TURNS, most)),
        np.empty((_TURNS, most)),
        np.empty(most),
        np.empty((2, len(tree.base)), np.int64),
    )
    visits = 0
    while done < len(deal.states) and ends.max() + 2 * len(tree.child) <= len(lists.slots):
        for player in range(2):
            for street in range(len(tree.base)):
                state = deal.states[done, player, street]
                work.rows[player, street] = tree.base[street] + tree.width[street] * state
        for player in range(2):
            won = float(deal.winner[done] if player == 0 else -deal.winner[done])
            prune = uniform(random) >= _TRY_ALL
            visits += _walk(random, unit, tree, player, won, prune, regrets, lists, ends, work)
        done += 1
    return visits, done


@vector_jit
def _walk(
    random: State,
    unit: float,
    tree: _Arrays,
    player: int,
    won: float,
    prune: bool,
    regrets: NDArray[np.int32],
    lists: _Entries,
    ends: Ints,
    work: _Work,
) -> int:
    """Walk with one player through a deal; ``won``: 1 if he wins a showdown, -1 if he loses, 0 for a tie."""
    node = depth = visits = 0
    while node >= 0:
        while tree.nodes[node, _PLAYER] >= 0:
            visits += 1
            if tree.nodes[node, _PLAYER] == player:
                action = _try_first(tree, node, player, depth, prune, regrets, work)
                depth += 1
            else:
                action = _other_acts(random, tree, node, 1 - player, regrets, lists, ends, work)
            node = tree.child[tree.nodes[node, _FIRST] + action]
        loser, value = tree.nodes[node, _LOSER], float(tree.nodes[node, _PAID])
        value *= won if loser < 0 else (-1.0 if loser == player else 1.0)
        node = -1
        while depth and node < 0:
            turn = depth - 1
            node = _try_next(tree, turn, value, regrets, work)
            if node < 0:
                value = _list_regrets(tree, turn, unit, lists, ends, work)
                depth = turn
    return visits


@vector_jit
def _try_first(
    tree: _Arrays, node: int, player: int, depth: int, prune: bool, regrets: NDArray[np.int32], work: _Work
) -> int:
    """Begin with a decision of the player who walks; return the first action to try."""
    slot = work.rows[player, tree.nodes[node, _STREET]] + tree.nodes[node, _OFFSET]
    some = _match(regrets, slot, tree.nodes[node, _CHOICES], work.chances[depth])
    turn = work.turns[depth]
    turn[0], turn[1], turn[3] = node, slot, prune and some
    turn[2] = _next_action(tree, node, 0, slot, regrets, prune and some)
    work.values[depth, :] = np.nan
    return int(turn[2])


@vector_jit
def _try_next(tree: _Arrays, depth: int, value: float, regrets: NDArray[np.int32], work: _Work) -> int:
    """Note the value of the action just tried; return the node after the next action, -1 if there is none."""
    turn = work.turns[depth]
    node, slot, action, pruned = turn
    work.values[depth, action] = value
    turn[2] = _next_action(tree, node, action + 1, slot, regrets, pruned > 0)
    return tree.child[tree.nodes[node, _FIRST] + turn[2]] if turn[2] < tree.nodes[node, _CHOICES] else -1


@vector_jit
def _next_action(
    tree: _Arrays, node: int, action: int, slot: int, regrets: NDArray[np.int32], pruned: bool
) -> int:
    """Return the next action to try from ``action`` on, or the number of actions. With ``pruned`` some regret
    is positive, so what is left out is never the best.
    """
    children = tree.nodes[node, _FIRST]
    if pruned:
        while (
            action < tree.nodes[node, _CHOICES]
            and regrets[slot + action] < _PRUNE
            and tree.nodes[tree.child[children + action], _PLAYER] >= 0
        ):
            action += 1
    return action


@vector_jit
def _list_regrets(tree: _Arrays, depth: int, unit: float, lists: _Entries, ends: Ints, work: _Work) -> float:
    """List the regrets of a decision whose actions were tried; return its value."""
    node, slot = work.turns[depth, 0], work.turns[depth, 1]
    chances, values = work.chances[depth], work.values[depth]
    value, end = 0.0, ends[0]
    for action in range(tree.nodes[node, _CHOICES]):
        if chances[action] > 0:
            value += chances[action] * values[action]
    for action in range(tree.nodes[node, _CHOICES]):
        delta = 0 if np.isnan(values[action]) else round((values[action] - value) * unit)
        if delta:
            lists.slots[end], lists.deltas[end] = slot + action, delta
            end += 1
    ends[0] = end
    return value


@vector_jit
def _other_acts(
    random: State,
    tree: _Arrays,
    node: int,
    player: int,
    regrets: NDArray[np.int32],
    lists: _Entries,
    ends: Ints,
    work: _Work,
) -> int:
    """List the strategy of the player who does not walk; return the action drawn from it."""
    slot = work.rows[player, tree.nodes[node, _STREET]] + tree.nodes[node, _OFFSET]
    choices, chances, end = tree.nodes[node, _CHOICES], work.other, ends[1]
    _match(regrets, slot, choices, chances)
    for action in range(choices):
        if chances[action] > 0:
            lists.chosen[end], lists.chances[end] = slot + action, round(chances[action] * _WHOLE)
            end += 1
    ends[1] = end
    return _draw(random, chances, choices)


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
    nodes: NDArray[np.int32], base: Ints, width: Ints, sizes: Ints, sums: Ints, result: NDArray[np.float32]
) -> None:
    for node in range(len(nodes)):
        if nodes[node, 0] < 0:
            continue
        street, count = nodes[node, 1], nodes[node, 2]
        for state in range(sizes[street]):
            slot = base[street] + width[street] * state + nodes[node, 4]
            total = 0.0
            for action in range(count):
                total += sums[slot + action]
            for action in range(count):
                result[slot + action] = sums[slot + action] / total if total > 0 else 1.0 / count
