from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.games import load_game
from strategy.cfr.blueprint import (
    GAME,
    SHIPPED,
    Blueprint,
    load_blueprint,
    main,
    quantise,
    read_blueprint,
)
from strategy.cfr.bucketed import BucketedSolver
from strategy.cfr.training import Task
from strategy.cfr.tree import follow
from strategy.poker.combos import live
from tests.strategy.cfr.test_bucketed import deals

BOARD = parse_cards("2h7hTc3d9h")


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return load_blueprint()


@pytest.fixture(scope="module")
def solver() -> BucketedSolver:
    solver = BucketedSolver(Task(GAME, "dcfr"), deals(1))
    solver.iterate(2)
    return solver


def test_the_game_is_the_file_in_games() -> None:
    assert load_game(GAME.name) == GAME


def test_what_is_shipped_says_what_it_is(blueprint: Blueprint) -> None:
    assert SHIPPED.stat().st_size < 10_000_000
    assert blueprint.told["exploitability_mbb"] < 5
    assert blueprint.told["iterations"] > 0
    assert blueprint.told["solving_cpu_seconds"] < 20 * 60
    # The button's advantage; in the real game about 88.
    assert blueprint.told["value_mbb"][1] == pytest.approx(91, abs=2)
    assert blueprint.buckets == (5, 25, 125, 625)


def test_chances_sum_to_one_and_what_is_illegal_has_none(blueprint: Blueprint) -> None:
    tree = blueprint.tree
    for node in tree.decisions.tolist():
        table = blueprint.table(node)
        assert table.shape == (blueprint.buckets[tree.street[node]], 3)
        assert not np.isnan(table).any()
        assert np.allclose(table.sum(axis=1), 1, atol=1e-6)
        assert not table[:, tree.child[node] < 0].any()


def test_a_policy_is_a_row_of_the_table(blueprint: Blueprint) -> None:
    hole = parse_cards("AhKh")
    for kinds, cards in (("", 0), ("r", 0), ("rcr", 3), ("rccrrcr", 4), ("cccccccr", 5)):
        node = follow(blueprint.tree, kinds)
        state = blueprint.card_state(hole, BOARD[:cards])
        said = blueprint.policy(node, hole, BOARD[:cards])
        assert said == pytest.approx(blueprint.table(node)[state].tolist())
        assert said == blueprint.chances(node, state)
        assert sum(said) == pytest.approx(1)


def test_it_plays_poker(blueprint: Blueprint) -> None:
    aces, trash = parse_cards("AsAd"), parse_cards("3s2d")
    assert blueprint.policy(0, aces, ())[2] > 0.9
    assert blueprint.policy(0, trash, ())[0] > 0.5
    # The nuts never fold, and raise more often than not.
    nuts, node = parse_cards("AhKh"), follow(blueprint.tree, "rccccccr")
    fold, _, raise_ = blueprint.policy(node, nuts, BOARD)
    assert fold == 0
    assert raise_ > 0.5


def test_states_of_all_hands(blueprint: Blueprint) -> None:
    states = blueprint.all_states(BOARD)
    assert np.array_equal(states >= 0, live(BOARD))
    assert states.max() < blueprint.buckets[3]


def test_what_it_never_comes_to(blueprint: Blueprint) -> None:
    trash = blueprint.card_state(parse_cards("3s2d"), ())
    raised, called = follow(blueprint.tree, "rr"), follow(blueprint.tree, "r")
    assert blueprint.reached(0, trash)
    assert blueprint.reached(called, trash)
    if blueprint.table(0)[trash, 2] == 0:
        assert not blueprint.reached(raised, trash)
    # Reached means: no own action on the way that it never takes.
    tree = blueprint.tree
    for kinds, state in product(("rcr", "crcr", "ccrr"), range(25)):
        node = follow(tree, kinds)
        chance, walk, player = 1.0, node, tree.player[node]
        while walk:
            action, walk = tree.action[walk], int(tree.parent[walk])
            if tree.player[walk] == player:
                table = blueprint.table(walk)
                chance *= float(table[state // (25 // len(table)), action])
        assert blueprint.reached(node, state) == (chance > 0)


def test_rounding_keeps_sums_and_stays_close(solver: BucketedSolver) -> None:
    layout, strategy = solver.game.layout, solver.average()
    parts = quantise(layout.slot, layout.width, strategy)
    assert np.abs(parts / 255 - strategy).max() < 1 / 255
    for node in solver.tree.decisions[:200].tolist():
        starts = layout.slot[node][layout.slot[node] >= 0]
        sums = parts[starts[:, np.newaxis] + np.arange(layout.width[node])].astype(int).sum(axis=0)
        assert np.all(sums == 255)


def test_a_file_says_what_the_solver_found(
    solver: BucketedSolver, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "blueprint.xz"
    solver.save(tmp_path / "solution")
    main([str(tmp_path / "solution"), "--out", str(path), "--told", '{"program": "a test"}'])
    side = json.loads(path.with_suffix(".json").read_text())
    assert json.loads(capsys.readouterr().out) == side
    assert side["iterations"] == 2
    assert side["program"] == "a test"
    # In mbb of the game's big blind, 10 chips.
    exact = solver.exploitability() * 100
    assert side["exploitability_mbb_before_rounding"] == pytest.approx(exact, abs=1e-3)
    assert side["exploitability_mbb"] == pytest.approx(exact, abs=50)
    found, layout, strategy = read_blueprint(path), solver.game.layout, solver.average()
    for node in (0, 2, follow(found.tree, "ccr"), follow(found.tree, "cccccccr")):
        for action, slot in enumerate(layout.slot[node].tolist()):
            if slot >= 0:
                column = strategy[slot : slot + layout.width[node]]
                assert np.allclose(found.table(node)[:, action], column, atol=1 / 255)


def test_a_file_that_is_not_the_one_told_of_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "blueprint.xz"
    path.write_bytes(SHIPPED.read_bytes()[:-1])
    path.with_suffix(".json").write_bytes(SHIPPED.with_suffix(".json").read_bytes())
    with pytest.raises(ValueError, match=r"blueprint\.json"):
        read_blueprint(path)
