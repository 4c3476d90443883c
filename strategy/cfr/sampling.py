"""External-sampling Monte Carlo CFR (Lanctot et al. 2009) for two or more players.

The learning player walks through a betting tree or graph with cards dealt to all. At the player's own
decisions every action is tried; at the others' decisions one action is drawn from the current strategy and
counted for the average. The current strategy follows from the regrets by regret matching. Every walk has a
weight in proportion to the number of its period, as in linear CFR (Brown and Sandholm 2019): at the end of
period t all sums are multiplied by t / (t + 1).

With two players and perfect recall the average strategy converges to an equilibrium. With three, or with
imperfect recall of cards or betting, nothing is guaranteed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from strategy.cfr.graph import BettingGraph
from strategy.cfr.tree import BettingTree
from strategy.jit import jit
from strategy.poker.kernels import Ints, State, below, rng, uniform

Floats = NDArray[np.float32]
_MAX_TURNS = 64
# Maximum number of turns of one player in a hand.
_BATCH = 10_000

BettingStructure = BettingTree | BettingGraph


class Batch(NamedTuple):
    """A batch of deals.

    ``states`` int16[n, players, streets]: the card state of each player; ``ranks`` int32[n, players]: the
    highest wins at a showdown.
    """

    states: NDArray[np.int16]
    ranks: NDArray[np.int32]


class DealSource(Protocol):
    """A source of cards. ``sizes``: the number of card states per street."""

    @property
    def sizes(self) -> Sequence[int]: ...

    def batch(self, state: State, count: int) -> Batch:
        """Return ``count`` random deals that follow from the generator's ``state``."""
        ...


class _Arrays(NamedTuple):
    """A betting tree for the kernels.

    ``nodes`` int32[size, 8] has the columns ``_PLAYER`` to ``_STEP``; a decision's row for card state s is
    first + step * s.
    """

    nodes: NDArray[np.int32]
    paid: NDArray[np.int32]
    live: NDArray[np.bool_]


# The children have the order of the actions.
_PLAYER, _STREET, _FIRST, _STEP = 3, 4, 5, 6


class Sampler:
    """Regrets and sums of strategies, both in ``table``, float32[rows, 6], for every decision and card state.

    The row of a node's decision with card state s is ``first[node] + step[node] * s``: sorted by street and
    card state first and by node last, because a walk has few card states and many nodes. ``period``: deals
    after which the past is discounted. ``tremble``: how often an action of the others is drawn uniformly from
    the legal ones, so that actions they never take get an answer too. Equal arguments and equal numbers of
    deals give equal strategies.
    """

    def __init__(
        self,
        betting: BettingStructure,
        deals: DealSource,
        seed: int,
        *,
        period: int = 100_000,
        tremble: float = 0.0,
    ) -> None:
        self.first, self.step, rows = rows_of(betting, deals.sizes)
        self.deals = deals
        self.done = 0
        self.period = period
        self.tremble = tremble
        self.players = betting.players
        # One generator for the walks, and one for the deals, in its state before the current batch.
        self.random = np.concatenate((rng("external sampling", seed), rng("deals", seed)))
        self._batch: tuple[Batch, State] | None = None
        self.table: Floats = np.zeros((rows, 6), np.float32)
        nodes = np.zeros((len(betting.player), 8), np.int32)
        nodes[:, :3] = betting.child
        for place, values in (
            (_PLAYER, betting.player),
            (_STREET, betting.street),
            (_FIRST, self.first),
            (_STEP, self.step),
        ):
            nodes[:, place] = values
        self.arrays = _Arrays(nodes, betting.paid, betting.live)

    def run(self, count: int) -> None:
        """Let each player learn in turn from each of ``count`` more deals. 0 only compiles what is needed."""
        if count == 0:
            _learn(self.random[:1], self.tremble, *self.arrays, *self.deals.batch(rng(), 0), self.table)
        end = self.done + count
        while self.done < end:
            place = self.done % _BATCH
            batch, after = self._current_batch(place)
            size = min(end - self.done, self.period - self.done % self.period, _BATCH - place)
            part = Batch(batch.states[place : place + size], batch.ranks[place : place + size])
            _learn(self.random[:1], self.tremble, *self.arrays, *part, self.table)
            self.done += size
            if self.done % _BATCH == 0:
                self.random[1:] = after
            if self.done % self.period == 0:
                past = self.done // self.period
                factor = np.float32(past / (past + 1))
                self.table *= factor

    def _current_batch(self, place: int) -> tuple[Batch, State]:
        """Return the deals that include the next one, and the generator's state after them.

        Batches always have the same size, so the result does not depend on how training is split into runs.
        """
        if place == 0 or self._batch is None:
            after = self.random[1:].copy()
            self._batch = self.deals.batch(after, _BATCH), after
        return self._batch

    def policy(self) -> Floats:
        """Return the average strategy, float32[rows, 3]; see ``probabilities``."""
        legal = np.zeros((len(self.table), 3), np.bool_)
        nodes = self.arrays.nodes
        for node in np.flatnonzero(nodes[:, _PLAYER] >= 0):
            states = self.deals.sizes[nodes[node, _STREET]]
            legal[self.first[node] :: self.step[node]][:states] = nodes[node, :3] >= 0
        return probabilities(self.table[:, 3:], self.table[:, :3], legal)

    def values(self, policy: Floats, count: int, seed: int) -> NDArray[np.float64]:
        """Return each position's results of ``count`` hands of this strategy in all seats, float64[count,
        players].
        """
        random, cards = rng("values", seed), rng("value deals", seed)
        nets = np.empty((count, self.players))
        for start in range(0, count, _BATCH):
            batch = self.deals.batch(cards, min(_BATCH, count - start))
            _play(random, *self.arrays, *batch, policy, nets[start : start + _BATCH])
        return nets


def rows_of(betting: BettingStructure, sizes: Sequence[int]) -> tuple[Ints, Ints, int]:
    """Return ``first`` and ``step`` of every node, int64[size], 0 for terminals (see ``Sampler``), and the
    number of rows, for ``sizes`` card states per street.
    """
    first, step = np.zeros(len(betting.player), np.int64), np.zeros(len(betting.player), np.int64)
    start = 0
    for street, states in enumerate(sizes):
        nodes = np.flatnonzero((betting.player >= 0) & (betting.street == street))
        first[nodes] = start + np.arange(len(nodes))
        step[nodes] = len(nodes)
        start += states * len(nodes)
    return first, step, start


def probabilities(sums: Floats, regrets: Floats, legal: NDArray[np.bool_]) -> Floats:
    """Return strategies, float32[rows, 3]: the average play; if there is none, the strategy from the regrets;
    if there are none either, the uniform strategy over the legal actions.
    """
    for weights in (np.maximum(regrets, 0) * legal, legal.astype(np.float32)):
        sums = np.where(sums.sum(axis=1, keepdims=True) > 0, sums, weights)
    result: Floats = sums / sums.sum(axis=1, keepdims=True)
    return result


@jit
def _match_regrets(
    table: Floats, row: int, nodes: NDArray[np.int32], node: int, chances: NDArray[np.float64]
) -> None:
    """Match regrets; play every legal action alike if no regret is positive."""
    total = 0.0
    legal = 0
    for action in range(3):
        regret = table[row, action]
        chances[action] = regret if regret > 0 and nodes[node, action] >= 0 else 0.0
        total += chances[action]
        legal += nodes[node, action] >= 0
    for action in range(3):
        if total > 0:
            chances[action] /= total
        else:
            chances[action] = 1.0 / legal if nodes[node, action] >= 0 else 0.0


@jit
def _draw_action(state: State, chances: NDArray[np.float64]) -> int:
    at = uniform(state) - chances[0]
    if at < 0:
        return 0
    # Rounding must not select an action of probability 0.
    return 1 if chances[1] > 0 and (at < chances[1] or chances[2] <= 0) else 2


@jit
def _random_action(state: State, nodes: NDArray[np.int32], node: int) -> int:
    while True:
        action = below(state, 3)
        if nodes[node, action] >= 0:
            return action


@jit
def _net_chips(
    paid: NDArray[np.int32], live: NDArray[np.bool_], ranks: NDArray[np.int32], seat: int
) -> float:
    """Return a seat's net chips at a terminal: the best remaining hands share the pot."""
    best = -1
    winners = pot = 0
    for other in range(len(paid)):
        pot += paid[other]
        if live[other]:
            if ranks[other] > best:
                best = ranks[other]
                winners = 0
            winners += ranks[other] == best
    return float((pot / winners if live[seat] and ranks[seat] == best else 0.0) - paid[seat])


@jit
def _learn(
    random: State,
    tremble: float,
    nodes: NDArray[np.int32],
    paid: NDArray[np.int32],
    live: NDArray[np.bool_],
    states: NDArray[np.int16],
    ranks: NDArray[np.int32],
    table: Floats,
) -> None:
    # The learner's turns on the path to the current node, with their data.
    turns, rows = np.empty(_MAX_TURNS, np.int64), np.empty(_MAX_TURNS, np.int64)
    tried = np.empty(_MAX_TURNS, np.int64)
    chances, values = np.empty((_MAX_TURNS, 3)), np.empty((_MAX_TURNS, 3))
    other = np.empty(3)
    for deal in range(len(states)):
        for seat in range(states.shape[1]):
            node = depth = 0
            walking = True
            while walking:
                who = nodes[node, _PLAYER]
                while who >= 0:
                    row = nodes[node, _FIRST] + nodes[node, _STEP] * states[deal, who, nodes[node, _STREET]]
                    if who == seat:
                        _match_regrets(table, row, nodes, node, chances[depth])
                        turns[depth], rows[depth] = node, row
                        action = 0 if nodes[node, 0] >= 0 else 1
                        tried[depth] = action
                        depth += 1
                    else:
                        _match_regrets(table, row, nodes, node, other)
                        for action in range(3):
                            table[row, 3 + action] += np.float32(other[action])
                        if tremble > 0 and uniform(random) < tremble:
                            action = _random_action(random, nodes, node)
                        else:
                            action = _draw_action(random, other)
                    node = nodes[node, action]
                    who = nodes[node, _PLAYER]
                value = _net_chips(paid[node], live[node], ranks[deal], seat)
                walking = False
                while depth and not walking:
                    turn = depth - 1
                    values[turn, tried[turn]] = value
                    action = tried[turn] + 1
                    while action < 3 and nodes[turns[turn], action] < 0:
                        action += 1
                    if action < 3:
                        tried[turn] = action
                        node = nodes[turns[turn], action]
                        walking = True
                    else:
                        value = _update_regrets(
                            table, rows[turn], nodes[turns[turn]], chances[turn], values[turn]
                        )
                        depth = turn


@jit
def _update_regrets(
    table: Floats,
    row: int,
    children: NDArray[np.int32],
    chances: NDArray[np.float64],
    values: NDArray[np.float64],
) -> float:
    """Add the regrets of one turn; return its value."""
    value = 0.0
    for action in range(3):
        if children[action] >= 0:
            value += chances[action] * values[action]
    for action in range(3):
        if children[action] >= 0:
            table[row, action] += np.float32(values[action] - value)
    return value


@jit
def _play(
    random: State,
    nodes: NDArray[np.int32],
    paid: NDArray[np.int32],
    live: NDArray[np.bool_],
    states: NDArray[np.int16],
    ranks: NDArray[np.int32],
    policy: Floats,
    nets: NDArray[np.float64],
) -> None:
    chances = np.empty(3)
    for deal in range(len(states)):
        node = 0
        while nodes[node, _PLAYER] >= 0:
            state = states[deal, nodes[node, _PLAYER], nodes[node, _STREET]]
            row = nodes[node, _FIRST] + nodes[node, _STEP] * state
            for action in range(3):
                chances[action] = policy[row, action]
            node = nodes[node, _draw_action(random, chances)]
        for seat in range(states.shape[1]):
            nets[deal, seat] = _net_chips(paid[node], live[node], ranks[deal], seat)
