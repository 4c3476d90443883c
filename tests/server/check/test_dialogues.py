"""Recorded conversations of programs that do one thing wrong: each is told its fault and no other."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from server.check.acpc.checks import ACPC_CHECKS
from server.check.acpc.scenarios import ACPC_SCENARIOS
from server.check.checks import CHECKS
from server.check.model import Check
from server.check.scenarios import SCENARIOS
from tests.server.check.dialogues import ACPC, NATIVE, Judge, Told, load
from tests.server.check.guilt import ACPC_GUILT, LIVE, LIVE_ACPC, NATIVE_GUILT, SEGMENTS
from tests.support.programs import ROOT

PROTOCOLS = [(NATIVE, NATIVE_GUILT, LIVE), (ACPC, ACPC_GUILT, LIVE_ACPC)]
RECORDED = [
    pytest.param(judge, name, guilt[name], id=f"{judge.folder.name}-{name}")
    for judge, guilt, live in PROTOCOLS
    for name in guilt
    if name not in live
]


@pytest.mark.parametrize(("judge", "name", "guilt"), RECORDED)
def test_a_recorded_program_is_told_its_fault(judge: Judge, name: str, guilt: Told) -> None:
    played = load(judge.folder / f"{name}.jsonl")
    assert judge.told(played) == guilt
    for one in played:
        assert judge.told([one]) != (set(), set()), one.scenario


@pytest.mark.parametrize(("judge", "guilt", "live"), PROTOCOLS, ids=["native", "acpc"])
def test_every_program_is_recorded_or_checked_as_a_process(
    judge: Judge, guilt: Mapping[str, Told], live: set[str]
) -> None:
    assert {path.stem for path in judge.folder.iterdir()} == set(guilt) - live
    assert live <= set(guilt)


@pytest.mark.parametrize(
    ("module", "guilt", "others"),
    [("wrong", NATIVE_GUILT, set()), ("wrong_acpc", ACPC_GUILT, {"Reader", "Inverted"})],
)
def test_all_of_the_zoo_is_here(module: str, guilt: Mapping[str, Told], others: set[str]) -> None:
    path = ROOT / "tests" / "system" / "server" / "check" / f"{module}.py"
    tree = ast.parse(path.read_text("utf-8"))
    assert {node.name for node in tree.body if isinstance(node, ast.ClassDef)} == {*guilt, *others}


#: What these ask for is asked for elsewhere, too; a program that fails here fails there.
NEVER = {"refused", "no-limit", "three-seats", "one-raise", "large-numbers", "levels", "thinking"}
NEVER_ACPC = {"thinking", "last-seat", "all-in", "limit", "no-limit"}


@pytest.mark.parametrize(
    ("checks", "guilt", "elsewhere"),
    [(CHECKS, NATIVE_GUILT, NEVER), (ACPC_CHECKS, ACPC_GUILT, NEVER_ACPC | SEGMENTS)],
    ids=["native", "acpc"],
)
def test_every_check_is_one_that_somebody_fails(
    checks: list[Check], guilt: Mapping[str, Told], elsewhere: set[str]
) -> None:
    failed = {check for faults, hints in guilt.values() for check in faults | hints}
    assert {check.id for check in checks} - failed == elsewhere


def test_every_scene_examines_a_check() -> None:
    assert {scenario.id for scenario in SCENARIOS} <= {check.id for check in CHECKS}
    assert len({check.id for check in CHECKS}) == len(CHECKS)
    assert {scenario.id for scenario in ACPC_SCENARIOS} <= {check.id for check in ACPC_CHECKS}
