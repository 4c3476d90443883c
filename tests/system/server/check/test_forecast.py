"""How many turns a check has, counted while programs are checked."""

from __future__ import annotations

import pytest

from server.check.acpc.scenarios import ACPC_SCENARIOS
from server.check.run import CheckReport
from server.check.scenarios import SCENARIOS
from tests.system.server.check.zoo import acpc, native


def asked(report: CheckReport) -> list[int]:
    """The turns of each scene that was played."""
    kinds = [[one.message for one in scene.entries if one.who == "S"] for scene in report.played]
    return [sum(one.get("type") == "turn" or bool(one.get("asked")) for one in said) for said in kinds]


async def test_the_scenes_have_the_turns_that_are_forecast() -> None:
    report = await native("-m", "pokerd", "bot", "call")
    planned = [scene.turns * scene.rounds * scene.tables for scene in SCENARIOS]
    # How many there are of an open table, and of one that it comes back to, is a matter of time.
    found = dict(enumerate(asked(report)))
    wrong = {SCENARIOS[number].id: one for number, one in found.items() if abs(one - planned[number]) > 1}
    assert wrong.keys() <= {"company", "back", "resume-later"}
    assert sum(found.values()) == pytest.approx(sum(planned), rel=0.1)


async def test_the_matches_of_acpc_programs_have_the_turns_that_are_forecast() -> None:
    report = await acpc("-m", "tests.acpc.player", "call", "{host}", "{port}", "--game", "{game}")
    assert asked(report) == [scene.turns for scene in ACPC_SCENARIOS]
