"""Betting trees as arrays: known sizes, and node by node what the rules say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dealer.rules.actions import CALL, FOLD, RAISE
from dealer.rules.betting import Betting
from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.tree import count_tree
from strategy.cfr.tree import ACTIONS, BettingTree, TreeError, compile_tree, find_node


def counts(tree: BettingTree) -> tuple[list[int], int, int]:
    ends, live = tree.player < 0, tree.live.sum(axis=1)
    streets = np.bincount(tree.street[tree.decisions], minlength=tree.game.rounds)
    return streets.tolist(), int((ends & (live == 1)).sum()), int((ends & (live > 1)).sum())


@pytest.mark.parametrize(
    ("name", "streets", "folds", "showdowns"),
    [
        ("kuhn.limit.2p", [4], 2, 3),
        ("kuhn.limit.3p", [12], 3, 10),
        ("leduc.limit.2p", [6, 30], 24, 25),
        ("holdem.limit.2p.reverse_blinds", [8, 70, 630, 5670], 5103, 5103),
    ],
)
def test_known_sizes(name: str, streets: list[int], folds: int, showdowns: int) -> None:
    tree = compile_tree(load_game(name))
    assert counts(tree) == (streets, folds, showdowns)
    assert len(tree.decisions) == sum(streets)
    assert tree.size == sum(streets) + folds + showdowns


def test_folding_for_nothing_makes_the_known_larger_tree() -> None:
    game = load_game("holdem.limit.3p")
    flop = replace(
        game, rounds=2, raise_sizes=(10, 10), first_player=(2, 0), max_raises=(3, 4), board_cards=(0, 3)
    )
    assert counts(compile_tree(flop, free_folds=True))[0] == [90, 4752]
    assert counts(compile_tree(flop))[0] == [90, 4412]
    kuhn = compile_tree(load_game("kuhn.limit.2p"), free_folds=True)
    assert find_node(kuhn, "f") == kuhn.child[0, 0] == 1
    assert kuhn.live[1].tolist() == [False, True]
    assert kuhn.paid[1].tolist() == [1, 1]


@pytest.mark.parametrize(
    "game",
    [
        load_game("kuhn.limit.3p"),
        load_game("leduc.limit.2p"),
        load_game("holdem.limit.2p.reverse_blinds"),
        holdem(3, 1, 2, stack=(9, 5, 12), limit=True, rules="standard"),
        holdem(3, 1, 2, stack=(9, 5, 12), limit=True, rules="acpc"),
    ],
)
def test_every_node_is_what_the_rules_say(game: Game) -> None:
    tree = compile_tree(game)
    assert counts(tree) == (list((known := count_tree(game)).streets), known.folds, known.showdowns)
    seen: list[int] = []

    def walk(node: int, betting: Betting) -> None:
        assert node == len(seen)
        seen.append(node)
        assert tree.player[node] == betting.to_act
        assert tree.street[node] == betting.street
        assert tree.paid[node].tolist() == betting.spent
        assert (~tree.live[node]).tolist() == betting.folded
        legal = betting.legal()
        allowed = [not betting.over and legal.fold, not betting.over, legal.max_raise is not None]
        assert (tree.child[node] >= 0).tolist() == allowed
        for number, action in enumerate((FOLD, CALL, RAISE)):
            if allowed[number]:
                child = int(tree.child[node, number])
                assert (tree.parent[child], tree.action[child]) == (node, number)
                after = betting.copy()
                after.act(action)
                walk(child, after)

    walk(0, Betting(game))
    assert len(seen) == tree.size
    assert tree.decision[tree.decisions].tolist() == list(range(len(tree.decisions)))
    assert (tree.decision[tree.player < 0] == -1).all()
    assert (tree.parent[0], tree.action[0]) == (-1, -1)


def test_nodes_of_one_state_are_alike() -> None:
    tree = compile_tree(load_game("holdem.limit.2p.reverse_blinds"))
    _, first = np.unique(tree.state, return_index=True)
    of = first[np.searchsorted(tree.state[first], tree.state)]
    assert len(first) < tree.size / 10
    assert (tree.paid == tree.paid[of]).all()
    assert (tree.player == tree.player[of]).all()
    nodes = np.arange(tree.size)
    for number in range(len(ACTIONS)):
        steps = tree.child[:, number]
        assert (np.where(steps < 0, -1, steps - nodes) == np.where(steps < 0, -1, steps - nodes)[of]).all()


def test_push_or_fold() -> None:
    tree = compile_tree(holdem(2, 1, 2, stack=20), actions="push_fold")
    assert counts(tree) == ([2, 0, 0, 0], 2, 1)
    assert tree.player[:1].tolist() == [1]
    assert tree.paid[find_node(tree, "f")].tolist() == [2, 1]
    assert tree.paid[find_node(tree, "rf")].tolist() == [2, 20]
    assert tree.paid[find_node(tree, "rc")].tolist() == [20, 20]
    unequal = compile_tree(holdem(3, 1, 2), stacks=(10, 20, 30), actions="push_fold")
    # The button pushes 30 over nobody: both others may fold or call, and the small blind has only 10.
    assert unequal.paid[find_node(unequal, "rcc")].tolist() == [10, 20, 30]
    # Nobody pushed: the big blind has won, and was not asked.
    assert unequal.player[find_node(unequal, "ff")] == -1


def test_without_a_decision_there_is_no_tree() -> None:
    with pytest.raises(GameError) as caught:
        compile_tree(holdem(2, 1, 2), stacks=(1, 1), actions="push_fold")
    assert caught.value.code == "unsolvable_game"


def test_following() -> None:
    tree = compile_tree(load_game("leduc.limit.2p"))
    assert find_node(tree, "") == 0
    node = find_node(tree, "crrc")
    assert (tree.street[node], tree.player[node], tree.paid[node].tolist()) == (1, 0, [5, 5])
    for wrong in ("f", "crrr", "rcrrcc", "x", "rf c", ["cc"]):
        with pytest.raises(TreeError) as caught:
            find_node(tree, wrong)
        assert caught.value.code == "no_such_history"


@pytest.mark.parametrize(
    ("game", "code"),
    [
        (load_game("holdem.nolimit.2p.reverse_blinds"), "unsolvable_game"),
        (holdem(6, 1, 2, limit=True), "tree_too_large"),
        (replace(holdem(2, 1, 2, limit=True), max_raises=(255,) * 4), "tree_too_large"),
    ],
)
def test_what_has_no_tree(game: Game, code: str) -> None:
    with pytest.raises(GameError) as caught:
        compile_tree(game)
    assert caught.value.code == code
    if game.limit:
        with pytest.raises(GameError) as caught:
            compile_tree(game, actions="push_fold")
        assert caught.value.code == "unsolvable_game"
