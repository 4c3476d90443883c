"""The games for two that a fold before the flop leaves."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from strategy.abstraction.abstraction import load_abstraction
from strategy.cfr.files import SolveError, write_arrays
from strategy.cfr.tree import find_node
from strategy.cfr.vectors import make_layout
from strategy.poker.combos import combo_index
from strategy.three_player.policy import load_policy
from strategy.three_player.subgame_strategy import pack, unpack
from strategy.three_player.subgames import (
    BUCKETS,
    SubgameRoot,
    SubgameSolver,
    flop_tree,
    most_similar,
    subgame_nodes,
    subgame_roots,
)
from tests.strategy.deal_counts import uneven_deals


@cache
def found() -> list[SubgameRoot]:
    return subgame_roots(load_policy())


def test_the_starts_are_all_flops_of_two() -> None:
    graph = load_policy().graph
    nodes = [start.node for start in found()]
    assert sorted(nodes) == subgame_nodes(graph)
    assert len(nodes) == 47
    chances = [start.chance for start in found()]
    assert chances == sorted(chances, reverse=True)
    # Two see most flops; the others are seen by three, or by nobody.
    assert 0.6 < sum(chances) < 0.8
    for node in nodes:
        assert graph.live[node].sum() == 2
        assert len(set(graph.paid[node][graph.live[node]])) == 1


def test_ranges_are_what_the_strategy_plays() -> None:
    table = load_policy()
    graph = table.graph
    # The button folds, the small blind raises, the big blind calls: nothing else leads there.
    fold = int(graph.child[0, 0])
    raised = int(graph.child[fold, 2])
    start = next(one for one in found() if one.node == graph.child[raised, 1])
    own, other = ((combo_index(12 * 4, 11 * 4), node, row) for node, row in ((fold, 0), (raised, 1)))
    weak = combo_index(0, 4 * 5 + 1)
    for hand, node, row in (own, other):
        action = 2 if row == 0 else 1
        cards = [(12 * 4, 11 * 4), (0, 4 * 5 + 1)]
        said = [table.policy(node, hole, ())[action] for hole in cards]
        weights = start.ranges[row][[hand, weak]]
        assert weights[0] * said[1] == pytest.approx(weights[1] * said[0])
        assert start.ranges[row].mean() == pytest.approx(start.chance)


def test_the_most_similar_is_of_the_same_raiser_and_pot() -> None:
    graph, nodes = load_policy().graph, subgame_nodes(load_policy().graph)
    known = nodes[::3]
    for node in nodes:
        other = most_similar(graph, node, known)
        assert other in known
        if node in known:
            assert other == node


def test_what_the_third_has_paid_belongs_to_both() -> None:
    tree = flop_tree(45)
    layout, _ = make_layout(tree, BUCKETS)
    # Both check to the end: the pot is 45 chips, and these are half ones.
    checked = find_node(tree, "cccccc")
    assert layout.payoff[:, checked].tolist() == [45, 45]
    folded = find_node(tree, "rf")
    assert layout.payoff[:, folded].tolist() == [45, -45]
    called = find_node(tree, "rccccc")
    assert layout.payoff[:, called].tolist() == [65, 65]
    # Bets of 10, 20 and 20 chips.
    assert tree.paid[find_node(tree, "ccccr")].tolist() == [85, 45]
    assert [int((tree.player[tree.street == street] >= 0).sum()) for street in range(3)] == [10, 90, 810]


def test_other_files_are_refused(tmp_path: Path) -> None:
    write_arrays(tmp_path / "other.npz", {"solver": "small"}, {"some": np.zeros(3)})
    with pytest.raises(SolveError) as refusal:
        SubgameSolver.load(tmp_path / "other.npz")
    assert refusal.value.code == "wrong_file"


def test_what_is_packed_is_what_was_found_where_it_comes_to() -> None:
    some = uneven_deals(2)
    # Who acts first never holds the lowest fifth of the hands.
    some.counts[:125] = some.wins[:125] = 0
    solver = SubgameSolver(40, some)
    solver.iterate(8)
    layout, average = solver.game.layout, solver.average()
    packed = pack(solver)
    assert packed.shape == (10 * 25 + 90 * 125 + 810 * 625, 2)
    unknown = (packed == 255).all(axis=1)
    # The first to act is at the first decision: 5 of its 25 states are in that fifth.
    assert unknown[:25].tolist() == [True] * 5 + [False] * 20
    assert 0.1 < unknown.mean() < 0.9
    back = unpack(layout, packed) / np.float32(255)
    first = layout.slot[0, 1]
    assert back[first + 5 : first + 25] == pytest.approx(average[first + 5 : first + 25], abs=1 / 255)
    assert back[first : first + 5].tolist() == [1] * 5
    # For hands that nobody holds it makes no difference what they play.
    assert solver.exploitability(back) == pytest.approx(solver.exploitability(average), abs=0.1)


def test_the_states_are_those_of_the_abstraction() -> None:
    assert load_abstraction().buckets[1:] == BUCKETS
