"""``pokerd train`` of games that take seconds to solve."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pokerd.commands import PUSH, told, trained


def test_the_game_of_push_or_fold_has_its_stack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, file = "holdem.pushfold.2p", str(tmp_path / "push")
    values = trained(capsys, game, "--iterations", "50", "--out", file)
    same = trained(capsys, *PUSH, "--iterations", "50")
    for name in ("value", "exploitability"):
        assert values[name] == same[name]
    found = json.loads(told(capsys, "exploitability", game, file, "--json"))
    assert found["exploitability"] == values["exploitability"]


def test_lbr_is_told_beside_the_abstraction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from strategy.blueprint.blueprint import GAME
    from strategy.blueprint.bucketed import BucketedSolver
    from strategy.cfr.training import Task
    from tests.strategy.deal_counts import deals

    solver = BucketedSolver(Task(GAME, "dcfr"), deals(1))
    solver.iterate(1)
    solver.save(tmp_path / "file")
    command = ("exploitability", GAME.name, str(tmp_path / "file"), "--lbr", "2")
    values = json.loads(told(capsys, *command, "--json"))
    assert values["lbr_deals"] == 2
    assert values["lbr_mbb_error"] > 0
    won = f"LBR wins {values['lbr_mbb']:.0f} +- {values['lbr_mbb_error']:.0f} mbb/hand"
    assert won in told(capsys, *command)
