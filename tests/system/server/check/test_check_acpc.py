"""``check-bot --acpc`` with real programs: right ones have no fault, and wrong ones are told theirs."""

from __future__ import annotations

from server.check.acpc.scenarios import ACPC_SCENARIOS
from server.check.suite import CheckReport
from tests.server.check.dialogues import told
from tests.server.check.guilt import ACPC_GUILT, LIVE_ACPC, SEGMENTS, fault
from tests.system.server.check.zoo import WRONG_ACPC, acpc, all_told, asked, wrong_acpc


async def test_wrong_programs_are_told_their_fault() -> None:
    assert await all_told(LIVE_ACPC, wrong_acpc) == {name: ACPC_GUILT[name] for name in LIVE_ACPC}


async def test_who_takes_a_segment_for_a_line_is_told_so() -> None:
    command = (*WRONG_ACPC, "Reader", "{host}", "{port}", "{game}")
    faults, _ = told((await acpc(*command, matches=SEGMENTS)).results)
    # On a busy machine lines come together in the first match already.
    assert faults in (SEGMENTS, {"plays"})


async def test_whoever_takes_the_turns_of_others_is_told_that_or_that_its_answers_are_stale() -> None:
    # Which it is only time can tell, and on a busy machine not even that.
    assert told((await wrong_acpc("Inverted")).results) in (fault("silent"), fault("echo"))


async def test_right_players_have_no_fault_and_the_turns_that_are_forecast() -> None:
    report = await player("call")
    assert told(report.results) == fault()
    assert asked(report) == [scenario.turns for scenario in ACPC_SCENARIOS]


async def test_who_does_a_little_of_everything_has_no_fault_and_a_wild_one_many() -> None:
    async def check(kind: str) -> CheckReport:
        return await player(kind, "all-in", "limit", "no-limit", "three-players")

    assert await all_told(["hash", "wild"], check) == {
        "hash": fault(),
        "wild": ({"echo", "action", "fold-free", "no-raise", "amount"}, {"exact", "line-end"}),
    }


async def player(kind: str, *matches: str) -> CheckReport:
    command = ("-m", "tests.acpc.player", kind, "{host}", "{port}", "--game", "{game}")
    return await acpc(*command, matches=matches)


async def test_host_and_port_are_added_to_a_command_that_has_no_place_for_them() -> None:
    game = "holdem.nolimit.2p.reverse_blinds"
    report = await acpc("-m", "tests.acpc.player", "call", "--game", game, matches={"six-players"})
    assert not report.faults
    whys = {result.check.id: result.why for result in report.results if result.status == "not reached"}
    assert "{game}" in whys["six-players"]
