"""``check-bot`` with real programs: right ones have no fault, and wrong ones are told theirs and no other."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from dealer.deck import SecureDeals
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import TableEvent
from dealer.rules.games import load_game
from dealer.rules.hand import HandState
from server.check.model import CheckResult
from server.check.scenarios import SCENARIOS, SEED, Scenario, TableSetup
from tests.server.check.dialogues import told
from tests.server.check.guilt import BREAKS, LIVE, NATIVE_GUILT
from tests.system.server.check.zoo import QUICK, WRONG, all_told, asked, at_once, native, wrong

EXAMPLES = "clients/examples"
#: Programs of ours, and the advice that they are given.
OURS: dict[str, set[str]] = {
    "-m pokerd bot call": set(),
    "-m pokerd bot random": set(),
    f"{EXAMPLES}/caller.py": set(),
    f"{EXAMPLES}/json_bot.py": {"back", "restart", *BREAKS},
    f"{EXAMPLES}/msgpack_bot.py": {"back", "restart", *BREAKS},
}


async def test_wrong_programs_are_told_their_fault() -> None:
    found = await all_told(LIVE, wrong)
    # On a busy machine a bot may come late to its next match: who was told so is asked again, alone.
    for name in [name for name in LIVE if found[name] != NATIVE_GUILT[name]]:
        found |= await all_told([name], wrong)
    assert found == {name: NATIVE_GUILT[name] for name in LIVE}


async def test_our_own_bots_have_no_fault_and_the_turns_that_are_forecast() -> None:
    # How a process starts and ends does not depend on the codec, or on who decides for the SDK.
    quick = (f"{EXAMPLES}/caller.py", f"{EXAMPLES}/msgpack_bot.py")
    reports = await at_once(
        OURS, lambda command: native(*command.split(), script=QUICK if command in quick else SCENARIOS)
    )
    found = {command: told(report.results) for command, report in reports.items()}
    assert found == {command: (set(), hints) for command, hints in OURS.items()}
    # One that does a little of everything is asked everything.
    results = reports["-m pokerd bot random"].results
    assert not [result.check.id for result in results if result.status != "pass"]
    planned = [scenario.turns * scenario.rounds * scenario.tables for scenario in SCENARIOS]
    turns = asked(reports["-m pokerd bot call"])
    # How many there are of an open table, and of one that it comes back to, is a matter of time.
    others = {SCENARIOS[number].id: one for number, one in enumerate(turns) if abs(one - planned[number]) > 1}
    assert others.keys() <= {"company", "back", "resume-later"}
    assert sum(turns) == pytest.approx(sum(planned), rel=0.1)


async def test_a_slow_answer_is_told() -> None:
    report = await native(*WRONG, "Thinker", script=QUICK[:1])
    result = example(list(report.results), "thinking")
    assert result.status == "advice"
    assert result.example is not None
    assert "s of 3 s" in result.example.what


def example(results: list[CheckResult], check: str) -> CheckResult:
    (result,) = [one for one in results if one.check.id == check]
    return result


class _Unlucky(FixedStacks):
    """Breaks when a hand is over."""

    def __init__(self) -> None:
        game = load_game("holdem.nolimit.2p.reverse_blinds")
        super().__init__(game, SecureDeals(SEED, 0, game), 2)

    def finish_hand(self, hand: HandState) -> Sequence[TableEvent]:
        raise ZeroDivisionError("broken by the test")


@pytest.mark.parametrize(
    "broken",
    [
        Scenario("no-limit", SCENARIOS[2].setup, disruptions={1: "unheard of"}),
        Scenario("no-limit", TableSetup(_Unlucky, 0, "c")),
    ],
    ids=["a trick", "the house"],
)
async def test_what_breaks_on_our_side_is_no_fault_of_the_bot(
    broken: Scenario, no_error_logged: list[str]
) -> None:
    report = await native(*WRONG, "Right", script=[SCENARIOS[0], broken])
    assert (report.ended, report.faults) == ("failed", 0)
    assert "Traceback" in report.failure
    assert example(list(report.results), "plays").status == "pass"
    no_error_logged.clear()


async def test_a_fault_is_told_with_what_was_said() -> None:
    report = await native(*WRONG, "By", script=QUICK[:3])
    result = example(list(report.results), "raise-to")
    assert result.example is not None
    assert result.example.sent.startswith('{"type": "turn"')
    assert '"action": "raise"' in result.example.reply
    assert result.times > 1


async def test_a_crash_is_told_with_the_last_words_and_ends_the_check() -> None:
    report = await native(*WRONG, "Crasher", script=QUICK[:2])
    result = example(list(report.results), "plays")
    assert result.example is not None
    assert re.search(r"\b1\b", result.example.what)
    assert result.last_words.endswith("AssertionError: no such street")
    result = example(list(report.results), "next-match")
    assert result.status == "not reached"
    assert "plays" in result.why
