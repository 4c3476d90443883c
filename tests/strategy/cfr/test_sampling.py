"""External sampling on games whose solutions are known."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from dealer.rules.games import load_game
from strategy.cfr.graph import compile_graph
from strategy.cfr.response import exploitability, gains, values
from strategy.cfr.sampling import Batch, Sampler, probabilities, rows_of
from strategy.cfr.small import SmallGame, small_game
from strategy.poker.kernels import State, uniform


class Listed:
    """Deals of a small game, each as likely as it is there."""

    def __init__(self, game: SmallGame) -> None:
        self.sizes = [game.cards] * game.tree.game.rounds
        self._states = np.moveaxis(game.info, 2, 0).astype(np.int16)
        # At the last showdown of all he wins most who has the best hand, and equal hands win alike.
        last = int(np.flatnonzero((game.tree.player < 0) & game.tree.live.all(axis=1))[-1])
        self._ranks = np.round(game.payoff[:, last].T * 6).astype(np.int32) + 1000
        self._upto = np.cumsum(game.probability)

    def batch(self, state: State, count: int) -> Batch:
        drawn = [uniform(state) for _ in range(count)]
        at = np.searchsorted(self._upto, np.array(drawn) * self._upto[-1])
        return Batch(self._states[at], self._ranks[at])


@cache
def game(name: str) -> SmallGame:
    return small_game(load_game(name))


def sampler(name: str, seed: int = 1, *, tremble: float = 0.0, period: int = 2000) -> Sampler:
    return Sampler(game(name).tree, Listed(game(name)), seed, period=period, tremble=tremble)


def strategy(name: str, made: Sampler) -> NDArray[np.float64]:
    """In the layout of the exact solvers."""
    tree, cards = game(name).tree, game(name).cards
    policy = made.policy().astype(np.float64)
    first, step, rows = rows_of(tree, made.deals.sizes)
    assert rows == len(policy)
    return np.array([policy[first[node] :: step[node]][:cards] for node in tree.decisions])


def test_kuhn_is_solved() -> None:
    made = sampler("kuhn.limit.2p")
    made.run(200_000)
    found = strategy("kuhn.limit.2p", made)
    assert exploitability(game("kuhn.limit.2p"), found) < 0.004
    assert values(game("kuhn.limit.2p"), found) == pytest.approx([-1 / 18, 1 / 18], abs=0.005)
    nets = made.values(made.policy(), 40_000, 3)
    assert nets.sum(axis=1) == pytest.approx(0)
    assert nets.mean(axis=0) == pytest.approx([-1 / 18, 1 / 18], abs=0.03)


def test_leduc_gets_better() -> None:
    made = sampler("leduc.limit.2p")
    seen: list[float] = []
    for _ in range(4):
        made.run(40_000 * (1 + 2 * len(seen)))
        seen.append(exploitability(game("leduc.limit.2p"), strategy("leduc.limit.2p", made)))
    assert all(later < earlier for earlier, later in pairwise(seen))
    assert seen[-1] < 0.03


def test_kuhn_for_three_leaves_little_to_gain() -> None:
    made = sampler("kuhn.limit.3p")
    made.run(200_000)
    assert gains(game("kuhn.limit.3p"), strategy("kuhn.limit.3p", made)).max() < 0.01


def test_steps_do_not_matter_and_seeds_do() -> None:
    tables = []
    for seed, steps in ((1, (12_000,)), (1, (1, 999, 8500, 2500)), (2, (12_000,))):
        made = sampler("kuhn.limit.3p", seed)
        for count in steps:
            made.run(count)
        assert made.done == 12_000
        tables.append(made.table)
    assert (tables[0] == tables[1]).all()
    assert (tables[0] != tables[2]).any()


def test_trembling_hands_come_everywhere() -> None:
    def met(tremble: float) -> int:
        made = sampler("leduc.limit.2p", tremble=tremble)
        made.run(20_000)
        return int((made.table[:, 3:].sum(axis=1) > 0).sum())

    assert met(0.2) > met(0.0)


def test_a_graph_serves_as_well_as_a_tree() -> None:
    graph = compile_graph(load_game("kuhn.limit.2p"))
    made = Sampler(graph, Listed(game("kuhn.limit.2p")), 1, period=2000)
    made.run(100_000)
    nets = made.values(made.policy(), 40_000, 3)
    assert nets.mean(axis=0) == pytest.approx([-1 / 18, 1 / 18], abs=0.03)


def test_rows_hold_every_decision_once() -> None:
    tree = game("leduc.limit.2p").tree
    first, step, rows = rows_of(tree, (3, 9))
    taken = [
        first[node] + step[node] * state
        for node in tree.decisions
        for state in range((3, 9)[tree.street[node]])
    ]
    assert sorted(taken) == list(range(rows))


def test_every_row_has_a_defined_answer() -> None:
    sums = np.array([[1, 3, 0], [0, 0, 0], [0, 0, 0]], np.float32)
    regrets = np.array([[9, 0, 0], [-1, 2, 6], [-1, -5, 0]], np.float32)
    legal = np.array([[True] * 3, [True] * 3, [False, True, True]])
    found = probabilities(sums, regrets, legal)
    assert found.tolist() == [[0.25, 0.75, 0], [0, 0.25, 0.75], [0, 0.5, 0.5]]
