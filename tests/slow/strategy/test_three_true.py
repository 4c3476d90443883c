"""The solver for three players with the true card states, which take half a minute and more to make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any

import numpy as np
import pytest

from dealer.rules.games import load_game
from strategy.abstraction import cluster_tables, moment_tables
from strategy.abstraction.cluster_tables import make_cluster_states
from strategy.abstraction.clusters import Clusters, make_clusters
from strategy.abstraction.moment_tables import StateTable, make_states
from strategy.cfr.sampling import Floats, _net_chips
from strategy.cfr.training import Task
from strategy.poker.combos import live
from strategy.poker.kernels import CARD_MASKS
from strategy.three_player import cfr_three as module
from strategy.three_player.cfr_three import ThreeSolver
from strategy.three_player.policy import THREE_PLAYERS

# Making tables is slow where others work on the machine too.
pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(scope="module", autouse=True)
def made_once() -> Iterator[None]:
    """What all tables begin with takes ten seconds to make, and so do the moments."""
    with pytest.MonkeyPatch.context() as patched:
        for made in (moment_tables.all_forms, moment_tables.river_points):
            once = _once(made)
            for where in (moment_tables, cluster_tables):
                patched.setattr(where, made.__name__, once)
        once = _once(moment_tables.make_moment_tables)
        for user in (moment_tables, module):
            patched.setattr(user, "make_moment_tables", once)
        yield


def _once(make: Callable[..., Any]) -> Callable[..., Any]:
    made: list[Any] = []

    def once(*given: Any) -> Any:
        if not made:
            made.append(make(*given))
        return made[0]

    return once


def test_what_a_training_computes_never_changes() -> None:
    """A training that took days can be gone on with by a later version."""
    solver = ThreeSolver(Task(THREE_PLAYERS, "es-mccfr", seed=0))
    said: list[str] = []
    solver.prepare(lambda what, _: said.append(what))
    assert said[0] == "forms of boards"
    solver.iterate(5000)
    solver.iterate(7000)
    found = sha256(solver._sampler.table.tobytes()).hexdigest()
    assert found == "6fabe92d60e5500d58cf6b9526f57623819c8ce7e0066084b9c7b683dc0e938f"


CLUSTERS = (10, 10, 10)


@pytest.fixture(scope="module")
def quick_clusters() -> Iterator[None]:
    """Centres from some of the hands."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cluster_tables, "make_clusters", partial(make_clusters, boards=20, hands=2000))
        yield


@pytest.mark.usefixtures("quick_clusters")
def test_the_clusters_of_all_hands_are_those_of_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """On some boards of each street: all of them take a minute, and each is done alone."""
    flop, turn, river = moment_tables.all_forms()
    some = [forms._replace(first=forms.first[:: len(forms.first) // 20]) for forms in (flop, turn)]
    monkeypatch.setattr(cluster_tables, "all_forms", lambda _: (*some, river))
    clusters, table = make_cluster_states(CLUSTERS, 4)
    assert table.forms == (*some, river)
    assert clusters.buckets == (169, *CLUSTERS)
    for forms, states in zip(table.forms, table.states, strict=True):
        assert states.shape == (len(forms.first), 1326)
        for row in range(0, len(states), max(1, len(states) // 20)):
            board = [card for card in range(52) if CARD_MASKS[card] & forms.first[row]]
            assert np.array_equal(states[row][live(board)], clusters.all_states(board)[live(board)])


@pytest.fixture(scope="module")
def made() -> tuple[Clusters, StateTable]:
    """Clusters, and a state of as many for every hand: by its mean strength, which is sooner made."""
    _, table = make_states(moment_tables.make_moment_tables(), [(size, 1) for size in CLUSTERS], 4)
    return make_clusters(CLUSTERS, boards=20, hands=2000, seed=4), table


def won(solver: ThreeSolver, trained: Floats, other: Floats, hands: int) -> list[float]:
    """What ``trained`` wins in a seat that changes, when ``other`` plays in all others."""
    sampler, graph, random = solver._sampler, solver.graph, Random(7)
    batch = sampler.deals.batch(np.array([1, 2, 3, 4], np.uint64), hands)
    results = []
    for deal in range(hands):
        seat, node = deal % graph.players, 0
        while graph.player[node] >= 0:
            who = graph.player[node]
            state = batch.states[deal, who, graph.street[node]]
            row = (trained if who == seat else other)[sampler.first[node] + sampler.step[node] * state]
            node = graph.child[node, random.choices(range(3), row.tolist())[0]]
        results.append(_net_chips(graph.paid[node], graph.live[node], batch.ranks[deal], seat))
    return results


@pytest.mark.parametrize("game", ["holdem.limit.2p.reverse_blinds", "holdem.limit.3p"])
def test_clusters_can_be_trained(
    game: str, made: tuple[Clusters, StateTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def make(*given: object) -> tuple[Clusters, StateTable]:
        asked.append(given)
        return made

    monkeypatch.setattr(module, "make_cluster_states", make)
    solver = ThreeSolver(Task(load_game(game), "es-mccfr", buckets=10, seed=4))
    untrained = solver.policy()
    solver.iterate(20_000)
    assert [given[:2] for given in asked] == [(CLUSTERS, 4)]
    assert solver.cards is made[0]
    results = won(solver, solver.policy(), untrained, 6000)
    assert np.mean(results) > 4 * np.std(results) / len(results) ** 0.5
