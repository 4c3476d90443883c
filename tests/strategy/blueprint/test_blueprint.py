from __future__ import annotations

import json
import lzma
from hashlib import sha256
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.games import load_game
from strategy.abstraction.abstraction import load_abstraction
from strategy.blueprint.blueprint import (
    GAME,
    SHIPPED,
    Blueprint,
    load_blueprint,
    main,
    quantise,
    read_blueprint,
    write_blueprint,
)
from strategy.blueprint.bucketed import BucketedSolver
from strategy.blueprint.parameters import BlueprintParameters
from strategy.blueprint_bots.bot import CfrBot
from strategy.cfr.training import Task
from strategy.cfr.tree import compile_tree, find_node
from strategy.cfr.vectors import make_layout
from strategy.parameters import BadParameters
from strategy.poker.combos import live
from strategy.registry import create_strategy, parameters_of
from tests.strategy.deal_counts import deals

BOARD = parse_cards("2h7hTc3d9h")


def side_of(packed: bytes, k: int) -> bytes:
    """A side file that fits."""
    return json.dumps({"k": k, "sha256": sha256(packed).hexdigest()}).encode()


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
    assert blueprint.metadata["exploitability_mbb"] < 5
    assert blueprint.metadata["iterations"] > 0
    assert blueprint.metadata["solving_cpu_seconds"] < 20 * 60
    # The button's advantage; in the real game about 88.
    assert blueprint.metadata["value_mbb"][1] == pytest.approx(91, abs=2)
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
        node = find_node(blueprint.tree, kinds)
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
    nuts, node = parse_cards("AhKh"), find_node(blueprint.tree, "rccccccr")
    fold, _, raise_ = blueprint.policy(node, nuts, BOARD)
    assert fold == 0
    assert raise_ > 0.5


def test_states_of_all_hands(blueprint: Blueprint) -> None:
    states = blueprint.all_states(BOARD)
    assert np.array_equal(states >= 0, live(BOARD))
    assert states.max() < blueprint.buckets[3]


def test_what_it_never_comes_to(blueprint: Blueprint) -> None:
    trash = blueprint.card_state(parse_cards("3s2d"), ())
    raised, called = find_node(blueprint.tree, "rr"), find_node(blueprint.tree, "r")
    assert blueprint.reached(0, trash)
    assert blueprint.reached(called, trash)
    if blueprint.table(0)[trash, 2] == 0:
        assert not blueprint.reached(raised, trash)
    # Reached means: no own action on the way that it never takes.
    tree = blueprint.tree
    for kinds, state in product(("rcr", "crcr", "ccrr"), range(25)):
        node = find_node(tree, kinds)
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
    main([str(tmp_path / "solution"), "--out", str(path), "--metadata", '{"program": "a test"}'])
    side = json.loads(path.with_suffix(".json").read_text())
    assert json.loads(capsys.readouterr().out) == side
    assert side["iterations"] == 2
    assert side["program"] == "a test"
    # In mbb of the game's big blind, 10 chips.
    exact = solver.exploitability() * 100
    assert side["exploitability_mbb_before_rounding"] == pytest.approx(exact, abs=1e-3)
    assert side["exploitability_mbb"] == pytest.approx(exact, abs=50)
    found, layout, strategy = read_blueprint(path), solver.game.layout, solver.average()
    for node in (0, 2, find_node(found.tree, "ccr"), find_node(found.tree, "cccccccr")):
        for action, slot in enumerate(layout.slot[node].tolist()):
            if slot >= 0:
                column = strategy[slot : slot + layout.width[node]]
                assert np.allclose(found.table(node)[:, action], column, atol=1 / 255)


def test_it_goes_beside_the_solution_and_ships_only_when_asked(
    solver: BucketedSolver,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shipped, files = tmp_path / "data" / "shipped.xz", []

    def write(path: Path, found: BucketedSolver) -> dict[str, int]:
        files.append(path)
        return {"iterations": found.iterations}

    monkeypatch.setattr("strategy.blueprint.blueprint.SHIPPED", shipped)
    # What is written is looked at above.
    monkeypatch.setattr("strategy.blueprint.blueprint.write_blueprint", write)
    solver.save(tmp_path / "mine.npz")
    for more, file in (([], tmp_path / "mine-k5.xz"), (["--ship"], shipped)):
        main([str(tmp_path / "mine.npz"), *more])
        assert files.pop() == file
        assert files == []
        assert json.loads(capsys.readouterr().out) == {"iterations": 2}


def test_destinations_without_sense(solver: BucketedSolver, tmp_path: Path) -> None:
    solver.save(tmp_path / "mine.npz")
    before = sorted(tmp_path.iterdir())
    for more in (["--ship", "--out", "x.xz"], ["--out", str(tmp_path / "x.json")]):
        with pytest.raises(SystemExit):
            main([str(tmp_path / "mine.npz"), *more])
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("side", "content"),
    [
        (SHIPPED.with_suffix(".json").read_bytes(), SHIPPED.read_bytes()[:-1]),
        (SHIPPED.with_suffix(".json").read_bytes(), None),
        (None, SHIPPED.read_bytes()),
        (b"{}", SHIPPED.read_bytes()),
        (b"[]", SHIPPED.read_bytes()),
        (b"\xff", SHIPPED.read_bytes()),
        (side_of(b"rubbish", 5), b"rubbish"),
        (side_of(SHIPPED.read_bytes(), 8), SHIPPED.read_bytes()),
        (side_of(SHIPPED.read_bytes(), 6), SHIPPED.read_bytes()),
    ],
)
def test_a_file_that_is_none_is_refused(side: bytes | None, content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "blueprint.xz"
    for file, found in ((path, content), (path.with_suffix(".json"), side)):
        if found is not None:
            file.write_bytes(found)
    with pytest.raises(BadParameters) as refusal:
        read_blueprint(path)
    assert (refusal.value.code, refusal.value.key) == ("bad_parameters", "blueprint")


def test_a_bot_is_told_which_to_play(solver: BucketedSolver, tmp_path: Path) -> None:
    path, names = tmp_path / "mine.xz", ("cfr", "cfr+river")
    for name in names:
        with pytest.raises(BadParameters):
            parameters_of(name, {"blueprint": str(path)})
        with pytest.raises(BadParameters):
            parameters_of(name, {"blueprint": 5})
    write_blueprint(path, solver)
    for name in names:
        bot = create_strategy(name, 1, GAME, parameters_of(name, {"blueprint": str(path)}))
        assert isinstance(bot, CfrBot)
        assert bot._blueprint.metadata["iterations"] == 2
        plain = create_strategy(name, 1, GAME)
        assert isinstance(plain, CfrBot)
        assert plain._blueprint.metadata == load_blueprint().metadata


def test_eight_buckets_can_be_played(tmp_path: Path) -> None:
    path = tmp_path / "eight.xz"
    tree = compile_tree(GAME)
    layout, _ = make_layout(tree, load_abstraction(8).buckets)
    # All fold where they may: a fold is the first that is written of a decision.
    packed = lzma.compress(
        b"".join(
            bytes([255 * (action == 0)]) * int(layout.width[node])
            for node in range(tree.size)
            for action in (0, 2)
            if layout.slot[node, action] >= 0
        ),
        preset=0,
    )
    path.write_bytes(packed)
    path.with_suffix(".json").write_bytes(side_of(packed, 8))
    bot = CfrBot(1, GAME, BlueprintParameters(str(path)))
    assert bot._blueprint.buckets == (8, 64, 512, 4096)
    assert bot._blueprint.policy(0, parse_cards("AsAd"), ()) == (1, 0, 0)
    node = find_node(bot._blueprint.tree, "cccccccr")
    assert bot._blueprint.policy(node, parse_cards("AsAd"), BOARD) == (1, 0, 0)
