"""Strategy files: a way there and back, and refusals with a code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from strategy.evolution.plan import EvolutionPlan, best_chart, run_evolution
from strategy.poker.preflop import HAND_CLASSES
from strategy.pushfold.equilibrium import equilibrium, exploitability
from strategy.pushfold.files import (
    STACKS,
    PushFoldChart,
    StrategyFileError,
    load_chart,
    save_chart,
    shipped_chart,
)
from strategy.pushfold.game import best_call, best_jam

GOOD: dict[str, Any] = {
    "kind": "pushfold strategy",
    "version": 1,
    "stacks": [{"stack": 5, "jam": "*", "call": "22+"}, {"stack": 10, "jam": "22+, 72o:0.5", "call": ""}],
}


def written(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "strategy.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_tables_go_there_and_back(tmp_path: Path) -> None:
    draw = default_rng(1)
    tables = np.round(draw.random((2, 3, 169)) * (draw.random((2, 3, 169)) < 0.5), 6)
    book = PushFoldChart(np.array([1.0, 2.5, 10.0]), *tables)
    save_chart(tmp_path / "a.json", book, {"by": "a test"})
    again = load_chart(tmp_path / "a.json")
    assert not again.caps
    for before, after in zip(book[:3], again[:3], strict=True):
        assert (np.asarray(before) == np.asarray(after)).all()
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("players", ["simple", "complex", "variable"])
def test_evolved_players_are_saved_and_play_the_same(tmp_path: Path, players: str) -> None:
    plan = EvolutionPlan(players=players, tournament="round-robin", size=6, generations=3)
    *_, last = run_evolution(plan)
    save_chart(tmp_path / "a.json", best_chart(plan, last), {})
    again = load_chart(tmp_path / "a.json")
    tables = plan.player_kind().tables(last.genes[[last.best]], plan.caps)
    for level, cap in enumerate(plan.caps):
        jam, call = again.pair(cap)
        assert jam == pytest.approx(tables.jam[0, level], abs=1e-9)
        assert call == pytest.approx(tables.call[0, level], abs=1e-9)


def test_best_responses_can_be_saved(tmp_path: Path) -> None:
    jam, call = equilibrium(10.0)[:2]
    reply = PushFoldChart(np.array([10.0]), best_jam(call, 10.0)[None], best_call(jam, 10.0)[None])
    save_chart(tmp_path / "a.json", reply, {"against": "the equilibrium"})
    assert (load_chart(tmp_path / "a.json").pair(7.5)[0] == reply.jam[0]).all()


def test_between_stacks_chances_are_interpolated(tmp_path: Path) -> None:
    book = load_chart(written(tmp_path, GOOD))
    aces, worst = HAND_CLASSES.index("AA"), HAND_CLASSES.index("72o")
    for stack, jam, call in ((1, 1, 0), (5, 1, 0), (7.5, 0.75, 0), (10, 0.5, 0), (50, 0.5, 0)):
        found = book.pair(stack)
        assert (found[0][worst], found[1][worst]) == (jam, call)
    assert book.pair(7.5)[1][aces] == 0.5


def test_caps_are_the_largest_stack(tmp_path: Path) -> None:
    rest = {key: value for key, value in GOOD.items() if key != "stacks"}
    book = load_chart(written(tmp_path, {**rest, "caps": {"jam": "AA:10, 72o:2", "call": "AA:3"}}))
    aces, worst = HAND_CLASSES.index("AA"), HAND_CLASSES.index("72o")
    assert [book.pair(stack)[0][worst] for stack in (1, 2, 2.5, 10)] == [1, 1, 0, 0]
    # Beyond the largest cap of all, what is played there is.
    assert [book.pair(stack)[0][aces] for stack in (10, 25)] == [1, 1]
    assert [book.pair(stack)[1][aces] for stack in (3, 3.5)] == [1, 0]


BAD: dict[str, object] = {
    "no JSON": "{",
    "no object": [],
    "another kind": {**GOOD, "kind": "x"},
    "another version": {**GOOD, "version": 2},
    "a version that is true": {**GOOD, "version": True},
    "too many digits": '{"kind": "pushfold strategy", "version": ' + 5000 * "1" + "}",
    "a stack of many digits": {**GOOD, "stacks": [{"stack": 10**400, "jam": "", "call": ""}]},
    "a chance of many digits": {**GOOD, "stacks": [{"stack": 1, "jam": "AA:" + 5000 * "1", "call": ""}]},
    "neither": {"kind": "pushfold strategy", "version": 1},
    "both": {**GOOD, "caps": {"jam": "", "call": ""}},
    "no stacks": {**GOOD, "stacks": []},
    "falling stacks": {**GOOD, "stacks": GOOD["stacks"][::-1]},
    "a stack of 0": {**GOOD, "stacks": [{"stack": 0, "jam": "", "call": ""}]},
    "a stack that is none": {**GOOD, "stacks": [{"stack": True, "jam": "", "call": ""}]},
    "no call": {**GOOD, "stacks": [{"stack": 1, "jam": ""}]},
    "a chance above 1": {**GOOD, "stacks": [{"stack": 1, "jam": "AA:1.5", "call": ""}]},
    "half a class": {**GOOD, "stacks": [{"stack": 1, "jam": "AhAs", "call": ""}]},
    "no range": {**GOOD, "stacks": [{"stack": 1, "jam": "XX", "call": ""}]},
    "a range that is no text": {**GOOD, "stacks": [{"stack": 1, "jam": 3, "call": ""}]},
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_strategy_is_refused(tmp_path: Path, what: str) -> None:
    with pytest.raises(StrategyFileError) as refusal:
        load_chart(written(tmp_path, BAD[what]))
    assert refusal.value.code == "bad_strategy_file"


def test_the_shipped_equilibria_are_exact_and_between_them_almost() -> None:
    book = shipped_chart()
    assert tuple(book.stacks) == STACKS
    for stack in (1.0, 5.0, 10.0, 25.0, 100.0):
        assert 1000 * sum(exploitability(book.pair(stack), stack)) < 1e-3
    for stack in (2.25, 2.68, 6.3, 10.25, 17.7):
        assert 1000 * sum(exploitability(book.pair(stack), stack)) / 2 < 1
