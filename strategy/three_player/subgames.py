"""Three-player limit hold'em after a fold before the flop: games for two, and their solution.

A betting history that ends with two players at the flop determines the pot, the player who acts first, and
both players' ranges, if they play the strategy of ``strategy.three_player.policy``. From there it is a
zero-sum game for two: the third player's chips belong to both in equal parts until they are won. It is solved
like the heads-up game (``strategy.blueprint.bucketed``), with the same card states and discounted CFR.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.abstraction import load_abstraction
from strategy.abstraction.deals import DealCounts, count_weighted_deals
from strategy.blueprint.blueprint import GAME
from strategy.blueprint.bucketed import BucketedGame, iteration_weights
from strategy.cfr.files import SolveError, count_in, read_arrays, write_arrays
from strategy.cfr.graph import BettingGraph
from strategy.cfr.tree import BettingTree, compile_tree, find_node
from strategy.cfr.vectors import Vectors, normalise
from strategy.poker.combos import CARDS, CLASSES
from strategy.poker.strengths import Strengths
from strategy.three_player.policy import ThreePlayerPolicy

_KIND = "a flop for two at a table of three"
_BOARDS = 200_000

K = 5
BUCKETS = load_abstraction(K).buckets[1:]
"""The abstraction, and its card states on flop, turn and river."""


class SubgameRoot(NamedTuple):
    """A ``node`` of the betting graph where two begin the flop: its probability, and ``ranges`` float64[2,
    1326], the weights of the hands of the first player to act and of the other.
    """

    node: int
    chance: float
    ranges: NDArray[np.float64]


def subgame_nodes(graph: BettingGraph) -> list[int]:
    """Return the nodes where two begin the flop, ascending."""
    two = graph.live.sum(axis=1) == 2
    nodes: list[int] = np.flatnonzero(graph.opens & (graph.street == 1) & two).tolist()
    return nodes


def subgame_roots(table: ThreePlayerPolicy) -> list[SubgameRoot]:
    """Return all roots, the most likely first, if all play the strategy.

    Hands of different players are treated as independent; if several histories lead to a node, their weights
    are summed.
    """
    graph, found = table.graph, {node: np.zeros((3, 1326)) for node in subgame_nodes(table.graph)}
    chances = dict.fromkeys(found, 0.0)
    first_of_class = np.unique(CLASSES, return_index=True)[1]
    waiting = [(0, np.ones((3, 1326)))]
    while waiting:
        node, reach = waiting.pop()
        if graph.street[node] > 0 or graph.player[node] < 0:
            if node in found:
                chance = float(reach.mean(axis=1).prod())
                chances[node] += chance
                # As likely as the history, whatever the hands.
                found[node] += reach / np.maximum(reach.mean(axis=1, keepdims=True), 1e-300) * chance
            continue
        policy = np.array([table.policy(node, CARDS[hand].tolist(), ()) for hand in first_of_class])[CLASSES]
        for action, child in enumerate(graph.child[node].tolist()):
            if child >= 0:
                after = reach.copy()
                after[graph.player[node]] *= policy[:, action]
                waiting.append((child, after))
    order = sorted(found, key=lambda node: (-chances[node], node))
    return [SubgameRoot(node, chances[node], found[node][graph.live[node]]) for node in order]


def most_similar(graph: BettingGraph, node: int, known: list[int]) -> int:
    """Return the node among ``known`` that is most like ``node``: by which of the two raised last, then by
    the pot, then by their positions.
    """

    def differs(other: int) -> tuple[bool, int, bool, int]:
        pots = [int(graph.paid[one].sum()) for one in (node, other)]
        raised = [_last_raiser(graph, one) for one in (node, other)]
        seats = [graph.live[one].tolist() for one in (node, other)]
        return raised[0] != raised[1], abs(pots[0] - pots[1]), seats[0] != seats[1], other

    return min(known, key=differs)


def _last_raiser(graph: BettingGraph, node: int) -> int:
    """Return the last raiser: 0 for the first of the two to act, 1 for the second; -1 if nobody still in
    raised.
    """
    live = np.flatnonzero(graph.live[node]).tolist()
    raiser = int(graph.raiser[node])
    return live.index(raiser) if raiser in live else -1


def flop_tree(pot: int) -> BettingTree:
    """Return the betting from the flop on with this pot, in half chips: the first to act is player 0, and
    each has paid half of the pot.
    """
    whole = compile_tree(GAME)
    # Both have put in two bets.
    start = find_node(whole, "rc")
    end = start + 1
    while end < whole.size and whole.parent[end] >= start:
        end += 1
    here = slice(start, end)
    child, parent = whole.child[here], whole.parent[here] - start
    parent[0] = -1
    action = whole.action[here].copy()
    action[0] = -1
    player = whole.player[here]
    decisions = np.flatnonzero(player >= 0).astype(np.int32)
    decision = np.full(end - start, -1, np.int32)
    decision[decisions] = np.arange(len(decisions), dtype=np.int32)
    return BettingTree(
        game=GAME,
        players=2,
        size=end - start,
        player=player,
        street=whole.street[here] - np.int8(1),
        child=np.where(child >= 0, child - start, -1).astype(np.int32),
        parent=parent,
        action=action,
        paid=2 * (whole.paid[here] - whole.paid[start]) + pot,
        live=whole.live[here],
        decision=decision,
        decisions=decisions,
        state=whole.state[here],
    )


class SubgameSolver:
    """Solver of the game from a root; ``deals`` are sampled if not given. See ``strategy.cfr.training``."""

    def __init__(self, pot: int, deals: DealCounts) -> None:
        self.pot, self.deals = pot, deals
        self.game = BucketedGame(flop_tree(pot), BUCKETS, deals)
        self._regrets, self._averages = np.zeros((2, self.game.layout.slots), np.float32)
        self.iterations = 0

    @classmethod
    def set_root(
        cls, start: SubgameRoot, graph: BettingGraph, strengths: Strengths, seed: int
    ) -> SubgameSolver:
        """Return a solver with the ranges of a root."""
        deals = count_weighted_deals(load_abstraction(K), strengths, start.ranges, boards=_BOARDS, seed=seed)
        return cls(int(graph.paid[start.node].sum()), deals)

    def iterate(self, n: int) -> None:
        """Do ``n`` more iterations."""
        for _ in range(n):
            self.iterations += 1
            weight, keep = iteration_weights("dcfr", self.iterations)
            for player in (0, 1):
                self.game.learn(player, self._regrets, self._averages, weight, keep)

    def reachable_states(self, player: int) -> Vectors:
        """Return which card states a player's hands reach: float32[size], laid out as vectors, 1 or 0."""
        layout, held = self.game.layout, self.deals.counts.any(axis=1 - player)
        found = np.zeros(layout.size, np.float32)
        for at, width in zip(layout.at.tolist(), layout.width.tolist(), strict=True):
            found[at : at + width] = held.reshape(width, -1).any(axis=1)
        return found

    def average(self) -> Vectors:
        """Return the average strategy, float32[slots]."""
        return normalise(self.game.layout, self._averages, self._regrets)

    def exploitability(self, strategy: Vectors) -> float:
        """Return the value of a best response within the abstraction, the mean of both players, in chips."""
        return self.game.exploitability(strategy) / 2

    def save(self, path: Path) -> None:
        """Save everything. Raises OSError."""
        header = {"solver": _KIND, "pot": self.pot, "iterations": self.iterations}
        arrays = {"regrets": self._regrets, "averages": self._averages}
        write_arrays(path, header, {**arrays, **self.deals._asdict()})

    @classmethod
    def load(cls, path: Path) -> SubgameSolver:
        """Load a file of ``save``. Raises SolveError and OSError."""
        header, arrays = read_arrays(path)
        if header.get("solver") != _KIND:
            raise SolveError("wrong_file", f"{path} is not of {_KIND}")
        solver = cls(count_in(header, "pot"), DealCounts(arrays["counts"], arrays["wins"]))
        solver._regrets, solver._averages = arrays["regrets"], arrays["averages"]
        solver.iterations = count_in(header, "iterations")
        return solver
