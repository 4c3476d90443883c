"""The value of a heads-up hand with all cards known, if both players continue by known probabilities.

The probabilities are those of the blueprint, or the same with all cards.

From the flop on the value is exact: all turns and rivers, all actions. Before the flop it is an estimate that
is linear in facts about both hands on the flop, averaged over all flops; its coefficients were fitted to
exact values beforehand (``benchmarks.players.headsup_aivat``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.blueprint.blueprint import Blueprint
from strategy.blueprint.endgame import Floats
from strategy.jit import jit
from strategy.poker.combos import CLASSES
from strategy.poker.kernels import (
    CARD_KEYS,
    CARD_MASKS,
    HAND_KEYS,
    HAND_MASKS,
    TABLE,
    Ints,
    Ranks,
    keys_of,
    rank_of,
)
from strategy.poker.strengths import all_points, place_of
from strategy.poker.suits import RENAMED, canonical_boards

#: Players whose actions do not depend on their cards (``strategy.baseline.simple``): weights of fold, call
#: and raise among the legal ones; a call where none of them is legal.
PLAIN: Final[Mapping[str, tuple[float, float, float]]] = {
    "call": (0.0, 1.0, 0.0),
    "raise": (0.0, 0.0, 1.0),
    "random": (1.0, 1.0, 1.0),
}

FACTS = 12
#: When the hands are exchanged, the facts are exchanged too, and change their signs.
EXCHANGED: Final = [0, 2, 1, 5, 4, 3, 7, 6, 8, 10, 9, 11]
SIGNS: Final = np.array([1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1])

_TURNS = 47
_MOST = 2070.0
"""The points of a hand that beats all 1,035 hands of an opponent on the turn."""

_Table = NDArray[np.float32]


class StreetValues(NamedTuple):
    """Values of a subtree's nodes to position 0, in chips, indexed by node less the first.

    ``values``: with the cards dealt on the node's street, NaN where none were. ``before``: for a street's
    first decision, the mean over the cards that could have come; undefined at other nodes.
    """

    values: Floats
    before: Floats


class _KernelTables(NamedTuple):
    """Strategies for compiled loops.

    These are the tree, the terminals' chips to position 0 (of a showdown the stake), and all probabilities,
    float32[rows, 3], those of a node from row ``first[node]`` on.
    """

    player: NDArray[np.int8]
    street: NDArray[np.int8]
    child: NDArray[np.int32]
    chips: Floats
    showdown: NDArray[np.bool_]
    chances: NDArray[np.float32]
    first: Ints


class FullInformationValues:
    """The values of nodes, given both hands; position 0 first. ``hands`` are indices of combos.

    ``players``: the player at each position, ``cfr`` (the blueprint) or one of ``PLAIN``.
    """

    def __init__(self, blueprint: Blueprint, players: tuple[str, str] = ("cfr", "cfr")) -> None:
        self.blueprint = blueprint
        tree = blueprint.tree
        tables = [_table(blueprint, node, players[tree.player[node]]) for node in tree.decisions.tolist()]
        first = np.zeros(tree.size, np.int64)
        first[tree.decisions] = np.cumsum([0, *map(len, tables[:-1])])
        won = np.where(tree.live[:, 0], tree.paid[:, 1], -tree.paid[:, 0])
        self._tables = _KernelTables(
            tree.player,
            tree.street,
            tree.child,
            won.astype(np.float64),
            np.all(tree.live, axis=1),
            np.concatenate(tables),
            first,
        )

    def flop_values(self, node: int, hands: tuple[int, int], board: Sequence[int]) -> StreetValues:
        """Return exact values of all nodes from a first decision on the flop on; takes about 40 ms.

        ``board`` includes the cards dealt so far, at least the flop.
        """
        tree = self.blueprint.tree
        end = node + 1
        while end < tree.size and tree.parent[end] >= node:
            end += 1
        abstraction = self.blueprint.abstraction
        key, mask = keys_of(board[:3])
        later = (*board[3:], -1, -1)
        states = [
            _states(_points(TABLE, hand, key, mask), int(abstraction.preflop[CLASSES[hand]]), *abstraction[2])
            for hand in hands
        ]
        one, other = states
        result = _results(TABLE, *hands, key, mask)
        free = np.flatnonzero(CARD_MASKS & (mask | int(HAND_MASKS[list(hands)].sum())) == 0)
        return StreetValues(*_walk(self._tables, node, end, one, other, result, free, later[0], later[1]))

    def chances(self, node: int, hole: Sequence[int], board: Sequence[int]) -> tuple[float, float, float]:
        """Return the probabilities of fold, call and raise of the player to act at a node."""
        state = self.blueprint.card_state(hole, board)
        fold, call, raise_ = self._tables.chances[self._tables.first[node] + state].tolist()
        return fold, call, raise_

    def showdown(self, hands: tuple[int, int], board: Sequence[int]) -> int:
        """Return 1 if the first hand wins on a five-card board, -1 if the second does, 0 for a tie."""
        key, mask = keys_of(board)
        one, other = (
            rank_of(TABLE, key + int(HAND_KEYS[hand]), mask | int(HAND_MASKS[hand])) for hand in hands
        )
        return (one > other) - (one < other)

    def preflop_values(self, hands: tuple[int, int], worth: Floats) -> Floats:
        """Return values by node, float64[size]; those of nodes after the flop's first decisions are 0.

        ``worth`` float64[size] are the means of the first decisions on the flop.
        """
        tree, abstraction = self.blueprint.tree, self.blueprint.abstraction
        states = [int(abstraction.preflop[CLASSES[hand]]) for hand in hands]
        values = np.where(tree.player < 0, self._tables.chips, worth)
        for node in np.flatnonzero((tree.street == 0) & (tree.player >= 0))[::-1].tolist():
            chances = self._tables.chances[self._tables.first[node] + states[tree.player[node]]].tolist()
            values[node] = sum(
                chance * values[child]
                for chance, child in zip(chances, tree.child[node].tolist(), strict=True)
                if child >= 0
            )
        return values


def _table(blueprint: Blueprint, node: int, player: str) -> _Table:
    """Return the probabilities of fold, call and raise with every card state: float32[states, 3]."""
    table = blueprint.table(node)
    if player in PLAIN:
        legal = blueprint.tree.child[node] >= 0
        weights = np.where(legal, PLAIN[player], 0.0)
        if not weights.any():
            weights[1] = 1.0
        table[:] = weights / weights.sum()
    return table


@cache
def _flops() -> tuple[Ints, _Table]:
    """Return the masks of the canonical flops, ascending, and every hand's strength there, float32[flops,
    1326].

    The strength is the root mean square of the strength on the turn, against any hand. Takes a few seconds.
    """
    flops, turns = canonical_boards(3), canonical_boards(4)
    strengths = (all_points(TABLE, turns) / _MOST).astype(np.float32)
    return flops, _flop_strengths(flops, turns, strengths)


@jit
def _flop_strengths(flops: Ints, turns: Ints, strengths: _Table) -> _Table:
    result = np.zeros((len(flops), 1326), np.float32)
    total = np.empty(1326)
    for row in range(len(flops)):
        total[:] = 0.0
        for card in range(52):
            if not CARD_MASKS[card] & flops[row]:
                place, code = place_of(turns, flops[row] | CARD_MASKS[card])
                for hand in range(1326):
                    # 0 for hands that have the card.
                    total[hand] += strengths[place, RENAMED[code, hand]] ** 2
        for hand in range(1326):
            result[row, hand] = np.sqrt(total[hand] / _TURNS)
    return result


def mean_facts(hands: tuple[int, int]) -> Floats:
    """Return the facts averaged over all flops, exactly: float64[FACTS]."""
    return _mean_facts(TABLE, *_flops(), *hands)


def facts_of_groups(groups: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """Return the number of pairs of hands and their mean facts, by the groups of both hands: int64[groups,
    groups] and float64[groups, groups, FACTS].

    ``groups`` int64[1326] must be the same for hands that differ in suits alone. Takes a few minutes.
    """
    count = int(groups.max()) + 1
    pairs, facts = np.zeros((count, count), np.int64), np.zeros((count, count, FACTS))
    for one, other, times in pairs_of_hands():
        found = times * mean_facts((one, other))
        for a, b, seen in ((one, other, found), (other, one, found[EXCHANGED] * SIGNS)):
            pairs[groups[a], groups[b]] += times
            facts[groups[a], groups[b]] += seen
    return pairs, facts / pairs[..., np.newaxis]


def pairs_of_hands() -> list[tuple[int, int, int]]:
    """Return pairs of hands without a common card, each with the number of pairs that differ from it only in
    suits; each way round once.
    """
    one, other = np.triu_indices(len(HAND_MASKS), 1)
    apart = HAND_MASKS[one] & HAND_MASKS[other] == 0
    one, other = one[apart], other[apart]
    least = np.full(len(one), len(HAND_MASKS) ** 2)
    for places in RENAMED[RENAMED.any(axis=1)].astype(np.int64):
        a, b = places[one], places[other]
        least = np.minimum(least, np.minimum(a, b) * len(HAND_MASKS) + np.maximum(a, b))
    found, times = np.unique(least, return_counts=True)
    ones, others = np.divmod(found, len(HAND_MASKS))
    return list(zip(ones.tolist(), others.tolist(), times.tolist(), strict=True))


def facts_on(hands: tuple[int, int], flop: Sequence[int]) -> Floats:
    """Return facts about two hands on a flop: float64[FACTS]."""
    facts = np.zeros(FACTS)
    _add_facts(TABLE, *_flops(), *hands, *keys_of(flop), facts)
    return facts


@jit
def _add_facts(
    table: Ranks, flops: Ints, strengths: _Table, one: int, other: int, key: int, mask: int, facts: Floats
) -> None:
    """Add: 1, products of the two strengths, who is ahead, and products of both."""
    place, code = place_of(flops, mask)
    x = np.float64(strengths[place, RENAMED[code, one]])
    y = np.float64(strengths[place, RENAMED[code, other]])
    own = rank_of(table, HAND_KEYS[one] + key, HAND_MASKS[one] | mask)
    his = rank_of(table, HAND_KEYS[other] + key, HAND_MASKS[other] | mask)
    ahead = (own > his) - (own < his)
    facts[0] += 1.0
    facts[1] += x
    facts[2] += y
    facts[3] += x * x
    facts[4] += x * y
    facts[5] += y * y
    facts[6] += x * x * x
    facts[7] += y * y * y
    facts[8] += ahead
    facts[9] += ahead * x
    facts[10] += ahead * y
    facts[11] += ahead * x * y


@jit
def _mean_facts(table: Ranks, flops: Ints, strengths: _Table, one: int, other: int) -> Floats:
    facts = np.zeros(FACTS)
    used = HAND_MASKS[one] | HAND_MASKS[other]
    for a in range(52):
        if CARD_MASKS[a] & used:
            continue
        for b in range(a):
            if CARD_MASKS[b] & used:
                continue
            for c in range(b):
                if not CARD_MASKS[c] & used:
                    key = CARD_KEYS[a] + CARD_KEYS[b] + CARD_KEYS[c]
                    mask = CARD_MASKS[a] | CARD_MASKS[b] | CARD_MASKS[c]
                    _add_facts(table, flops, strengths, one, other, key, mask, facts)
    mean: Floats = facts / facts[0]
    return mean


@jit
def _points(table: Ranks, hand: int, flop_key: int, flop_mask: int) -> Ints:
    """Return the squared points of a hand on each final board, by turn and river: int64[52, 52], 0 if
    blocked.
    """
    known = HAND_MASKS[hand] | flop_mask
    others = np.array([other for other in range(1326) if not HAND_MASKS[other] & known])
    result = np.zeros((52, 52), np.int64)
    for turn in range(52):
        for river in range(turn):
            new = CARD_MASKS[turn] | CARD_MASKS[river]
            if new & known:
                continue
            key, mask = flop_key + CARD_KEYS[turn] + CARD_KEYS[river], flop_mask | new
            own = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand])
            points = 0
            for other in others:
                if not HAND_MASKS[other] & new:
                    rank = rank_of(table, key + HAND_KEYS[other], mask | HAND_MASKS[other])
                    points += 2 * (rank < own) + (rank == own)
            result[turn, river] = result[river, turn] = points * points
    return result


@jit
def _bucket_of(thresholds: Ints, state: int, total: int) -> int:
    bucket: int = 0
    for threshold in thresholds[state]:
        bucket += threshold <= total
    parts: int = thresholds.shape[1] + 1
    return state * parts + bucket


@jit
def _states(points: Ints, preflop: int, flop: Ints, turn: Ints, river: Ints) -> Ints:
    """Return the card states of a hand by turn and river, int64[53, 53]; the last column holds those on the
    turn, the last element that on the flop.
    """
    states = np.zeros((53, 53), np.int64)
    start = _bucket_of(flop, preflop, points.sum() // 2)
    states[52, 52] = start
    for one in range(52):
        states[one, 52] = _bucket_of(turn, start, points[one].sum())
        for other in range(52):
            states[one, other] = _bucket_of(river, states[one, 52], points[one, other])
    return states


@jit
def _results(table: Ranks, one: int, other: int, flop_key: int, flop_mask: int) -> Floats:
    """Return the winner on each final board, by turn and river: 1 for the first hand, -1 for the other."""
    results = np.zeros((52, 52))
    known = flop_mask | HAND_MASKS[one] | HAND_MASKS[other]
    for turn in range(52):
        for river in range(turn):
            new = CARD_MASKS[turn] | CARD_MASKS[river]
            if not new & known:
                key, mask = flop_key + CARD_KEYS[turn] + CARD_KEYS[river], flop_mask | new
                own = rank_of(table, key + HAND_KEYS[one], mask | HAND_MASKS[one])
                his = rank_of(table, key + HAND_KEYS[other], mask | HAND_MASKS[other])
                results[turn, river] = results[river, turn] = (own > his) - (own < his)
    return results


@jit
def _walk(
    tables: _KernelTables,
    root: int,
    end: int,
    one: Ints,
    other: Ints,
    result: Floats,
    free: Ints,
    turn: int,
    river: int,
) -> tuple[Floats, Floats]:
    values, before = np.full(end - root, np.nan), np.zeros(end - root)
    rows = np.zeros((end - root, len(free)))
    for card in free:
        _walk_turn(tables, root, end, one, other, result, free, card, rows)
        for place in range(end - root):
            street = tables.street[root + place]
            if street == 2:
                before[place] += _mean(rows[place], free, card) / len(free)
            if card == turn and street == 2:
                values[place] = _mean(rows[place], free, card)
            if card == turn and street == 3:
                before[place] = _mean(rows[place], free, card)
                for i in range(len(free)):
                    if free[i] == river:
                        values[place] = rows[place, i]
    _walk_flop(tables, root, end, one[52, 52], other[52, 52], values, before)
    return values, before


@jit
def _walk_flop(
    tables: _KernelTables, root: int, end: int, one: int, other: int, values: Floats, before: Floats
) -> None:
    for place in range(end - root - 1, -1, -1):
        node = root + place
        if tables.street[node] > 1:
            continue
        values[place] = tables.chips[node] if tables.player[node] < 0 else 0.0
        chances = tables.chances[tables.first[node] + (one if tables.player[node] == 0 else other)]
        for action in range(3):
            child = tables.child[node, action]
            if child >= 0:
                values[place] += chances[action] * before[child - root]
        before[place] = values[place]


@jit
def _mean(row: Floats, free: Ints, but: int) -> float:
    total = 0.0
    for i in range(len(free)):
        if free[i] != but:
            total += row[i]
    return total / (len(free) - 1)


@jit
def _walk_turn(
    tables: _KernelTables,
    root: int,
    end: int,
    one: Ints,
    other: Ints,
    result: Floats,
    free: Ints,
    card: int,
    rows: Floats,
) -> None:
    """Write the values of nodes after the turn ``card`` and each river into ``rows``."""
    for place in range(end - root - 1, -1, -1):
        node = root + place
        street, player = tables.street[node], tables.player[node]
        if street < 2:
            continue
        states = one if player == 0 else other
        for i in range(len(free)):
            if player < 0:
                rows[place, i] = tables.chips[node] * (
                    result[card, free[i]] if tables.showdown[node] else 1.0
                )
                continue
            state = states[card, free[i] if street == 3 else 52]
            chances, total = tables.chances[tables.first[node] + state], 0.0
            for action in range(3):
                child = tables.child[node, action]
                if child >= 0:
                    total += chances[action] * rows[child - root, i]
            rows[place, i] = total
