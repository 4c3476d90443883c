"""The betting graph: the same game as the tree, with far fewer nodes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from dealer.rules.errors import GameError
from dealer.rules.games import load_game
from strategy.cfr import graph as module
from strategy.cfr.graph import BettingGraph, compile_graph
from strategy.cfr.tree import ACTIONS, compile_tree, find_node

THREE = load_game("holdem.limit.3p")


@cache
def three() -> BettingGraph:
    return compile_graph(THREE)


def after(graph: BettingGraph, kinds: str) -> int:
    node = 0
    for kind in kinds:
        node = int(graph.child[node, ACTIONS.index(kind)])
        assert node >= 0
    return node


def ways(graph: BettingGraph) -> NDArray[np.int64]:
    """In how many ways the betting comes to each node: as many nodes of the tree are this one."""
    counts = np.zeros(graph.size, np.int64)
    counts[0] = 1
    pending = np.bincount(graph.child[graph.child >= 0], minlength=graph.size)
    ready = [0]
    while ready:
        node = ready.pop()
        for child in graph.child[node][graph.child[node] >= 0]:
            counts[child] += counts[node]
            pending[child] -= 1
            if not pending[child]:
                ready.append(int(child))
    return counts


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "kuhn.limit.3p", "leduc.limit.2p"])
def test_small_games_lose_no_decision(name: str) -> None:
    graph, tree = compile_graph(load_game(name)), compile_tree(load_game(name))
    assert (graph.player >= 0).sum() == len(tree.decisions)


def test_three_players_have_every_history_of_the_tree() -> None:
    graph = three()
    decides = graph.player >= 0
    assert np.bincount(graph.street[decides]).tolist() == [66, 1310, 5034, 13496]
    counts = ways(graph)
    by_street = np.bincount(graph.street[decides], weights=counts[decides])
    assert by_street.tolist() == [90, 4412, 205_962, 9_501_342]
    ends = ~decides
    assert counts[ends & (graph.live.sum(axis=1) == 1)].sum() == 4_971_359
    assert counts[ends & (graph.live.sum(axis=1) > 1)].sum() == 9_254_143


@pytest.mark.parametrize("kinds", ["", "rrc", "fc", "ccc", "rcccrc", "rcccrrf", "frcccrcrc", "cccccccccrr"])
def test_a_history_is_what_the_rules_make_of_it(kinds: str) -> None:
    tree = compile_tree(replace(THREE, max_raises=(2, 2, 2, 2)))
    graph = compile_graph(tree.game)
    node, there = after(graph, kinds), find_node(tree, kinds)
    assert graph.player[node] == tree.player[there]
    assert graph.street[node] == tree.street[there]
    assert graph.paid[node].tolist() == tree.paid[there].tolist()
    assert graph.live[node].tolist() == tree.live[there].tolist()
    assert (graph.child[node] >= 0).tolist() == (tree.child[there] >= 0).tolist()


def test_what_is_remembered_of_earlier_streets() -> None:
    graph = three()
    nothing, button, small = after(graph, "ccc"), after(graph, "rcc"), after(graph, "crcc")
    assert [graph.raiser[node] for node in (nothing, button, small)] == [-1, 2, 0]
    assert [graph.quiet[node] for node in (nothing, button)] == [True, False]
    assert button != small
    # The flop is checked through: the raiser of before the flop is still known.
    assert graph.raiser[after(graph, "rcc" + "ccc")] == 2
    assert graph.quiet[after(graph, "rcc" + "ccc")]
    # He folds, and is forgotten.
    assert graph.raiser[after(graph, "rcc" + "rcf")] == 0
    assert graph.raiser[after(graph, "rcc" + "rf")] == 2
    # Two ways to the same pot with the same last raiser.
    assert after(graph, "ccrrcc") == after(graph, "crcrcc")
    assert after(graph, "ccrrcc" + "ccc") == after(graph, "crcrcc" + "ccc")


def test_streets_open_where_they_begin() -> None:
    graph = three()
    child = graph.child[graph.player >= 0]
    street = np.repeat(graph.street[graph.player >= 0][:, None], 3, axis=1)
    later = (child >= 0) & (graph.player[child] >= 0) & (graph.street[child] > street)
    assert sorted(set(child[later].tolist()) | {0}) == np.flatnonzero(graph.opens).tolist()


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GameError) as refusal:
        compile_graph(load_game("holdem.nolimit.3p"))
    assert refusal.value.code == "unsolvable_game"
    monkeypatch.setattr(module, "MAX_NODES", 100)
    with pytest.raises(GameError) as refusal:
        compile_graph(THREE)
    assert refusal.value.code == "tree_too_large"
