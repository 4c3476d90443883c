"""``check-bot`` with real programs: right ones have no fault, and wrong ones are told theirs and no other."""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Sequence
from pathlib import Path

import pytest

from dealer.deck import SecureDeals
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import TableEvent
from dealer.rules.games import load_game
from dealer.rules.hand import HandState
from server.check.checks import CHECKS
from server.check.model import CheckResult
from server.check.run import CheckReport
from server.check.scenarios import SCENARIOS, SEED, Scenario, TableSetup
from tests.system.server.check.zoo import QUICK, SHORT, Told, all_of, native

HERE = Path(__file__).parent
BREAKS = {"resume", "resume-later"}


def fault(*checks: str) -> Told:
    return set(checks), set()


def advice(*checks: str) -> Told:
    return set(), set(checks)


#: What each of ``wrong.py`` is told.
GUILT: dict[str, Told] = {
    "Right": fault(),
    "Packed": fault(),
    "Mender": fault(),
    "Absent": fault("connect"),
    "Stillborn": fault("connect"),
    "Foreign": fault("subprotocol"),
    "Anonymous": fault("token"),
    "Hasty": fault("hello-first"),
    "Mute": fault("hello-first"),
    "Polite": fault("hello-once"),
    "Babbler": fault("frames"),
    "Hollow": fault("frames"),
    "Binary": fault("frames"),
    "Huge": fault("frames"),
    "Typist": fault("fields"),
    "Inventor": fault("fields"),
    "NeverReady": fault("ready"),
    "AlwaysReady": fault("ready-once"),
    "Misaddressed": fault("table"),
    "Counter": fault("turn-number"),
    "Elsewhere": fault("table"),
    "Double": fault("answers-once"),
    "Eager": fault("unasked"),
    "Slow": fault("in-time"),
    "Thinker": fault(),
    "Silent": fault("plays"),
    "Crasher": fault("plays"),
    "Leaver": fault("plays"),
    "By": fault("raise-to"),
    "Total": fault("raise-bounds"),
    "Greedy": fault("raise-bounds"),
    "Raiser": fault("no-raise"),
    "Checker": fault("check-a-bet"),
    "Folder": fault("fold-free"),
    "OneMatch": advice("next-match"),
    "Narrow": fault("turn-number"),
    "Duellist": fault("side-pots", "ten-seats", "company"),
    "Ascii": fault("ten-seats"),
    "TwoCards": advice("one-card"),
    "Whole": fault("fractions"),
    "WholeStacks": fault("fractions"),
    "WholeRefill": fault("fractions"),
    "NoRaise": fault("all-in"),
    "Refilled": fault("refilled"),
    "Dealt": fault("eliminated", "company"),
    "Strict": fault("unknown-fields"),
    "Closed": fault("unknown-types"),
    "Default": fault("defaults"),
    "TypeFirst": fault("order"),
    "Compact": fault("spelling"),
    "Pair": fault("arrays"),
    "Single": fault("arrays"),
    "SingleOrNothing": fault("arrays"),
    "Deaf": fault("fragments", "ping"),
    "Small": fault("big-frame"),
    "Plodder": fault("many-tables"),
    "LastTurn": fault("many-tables"),
    "Touchy": ({"late"}, {"back"}),
    "Sulking": advice("back"),
    "Early": ({"unasked", "answers-once"}, {"back"}),
    "Fatalist": (BREAKS, {"restart"}),
    "Ender": (set(), {*BREAKS, "restart"}),
    "Forgetful": (BREAKS, {"restart"}),
    "Once": (set(), {*BREAKS, "restart"}),
    "Timid": advice("restart"),
    "Impatient": advice("restart"),
    "Returner": fault("goodbye"),
    "Visitor": advice("goodbye"),
    "Learner": advice("reset"),
    "Lingering": ({"goodbye"}, {"shutdown"}),
    "Parent": fault("orphans"),
    "Homeless": advice("join"),
    "Loner": fault("company"),
    "Shy": fault("company"),
    "Fighter": advice("replaced"),
    "Stormer": advice("turned-away"),
    "Survivor": advice("shutdown", "turned-away"),
}
#: Those whose fault shows only in a process of its own; the others are spared those scenes, and those whose
#: fault shows anywhere most of the rest.
ALL_SCENES = {
    "Right", "Duellist", "Dealt", "Lingering", "Homeless", "Loner", "Shy", "Fighter", "Stormer", "Survivor",
}  # fmt: skip
EXAMPLES = "clients/examples"
#: Programs of ours, and the advice that they are given.
OURS: dict[str, set[str]] = {
    "-m pokerd bot call": set(),
    "-m pokerd bot fair": set(),
    "-m pokerd bot raise": set(),
    "-m pokerd bot random": set(),
    f"{EXAMPLES}/caller.py": set(),
    f"{EXAMPLES}/json_bot.py": {"back", "restart", *BREAKS},
    f"{EXAMPLES}/msgpack_bot.py": {"back", "restart", *BREAKS},
}


def test_all_of_the_zoo_is_here() -> None:
    tree = ast.parse((HERE / "wrong.py").read_text(encoding="utf-8"))
    assert {node.name for node in tree.body if isinstance(node, ast.ClassDef)} == set(GUILT)


def test_every_check_is_one_that_somebody_fails() -> None:
    failed = {check for faults, hints in GUILT.values() for check in faults | hints}
    # What these ask for is asked for elsewhere, too; a bot that fails here fails there.
    never = {"refused", "no-limit", "three-seats", "one-raise", "large-numbers", "levels", "thinking"}
    assert {check.id for check in CHECKS} - failed == never


def test_every_scene_examines_a_check() -> None:
    assert {scene.id for scene in SCENARIOS} <= {check.id for check in CHECKS}
    assert len({check.id for check in CHECKS}) == len(CHECKS)


async def test_each_of_the_zoo_is_told_its_fault() -> None:
    shown_anywhere = list(GUILT)[3 : list(GUILT).index("OneMatch")]

    def check(name: str) -> Awaitable[CheckReport]:
        script = SCENARIOS if name in ALL_SCENES else SHORT if name in shown_anywhere else QUICK
        return native("-m", "tests.system.server.check.wrong", name, script=script)

    found = await all_of(GUILT, check)
    # On a busy machine a bot may come late to its next match: who was told so is asked again, alone.
    for name in [name for name in GUILT if found[name] != GUILT[name]]:
        found |= await all_of([name], check)
    assert found == GUILT


async def test_our_own_bots_have_no_fault() -> None:
    found = await all_of(OURS, lambda command: native(*command.split()))
    assert found == {command: (set(), hints) for command, hints in OURS.items()}


async def test_a_bot_that_does_a_little_of_everything_passes_every_check() -> None:
    report = await native("-m", "pokerd", "bot", "random")
    assert not [result.check.id for result in report.results if result.status != "pass"]


async def test_a_slow_answer_is_told() -> None:
    report = await native("-m", "tests.system.server.check.wrong", "Thinker", script=QUICK[:1])
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
    report = await native("-m", "tests.system.server.check.wrong", "Right", script=[SCENARIOS[0], broken])
    assert (report.ended, report.faults) == ("failed", 0)
    assert "Traceback" in report.failure
    assert example(list(report.results), "plays").status == "pass"
    no_error_logged.clear()


async def test_a_fault_is_told_with_what_was_said() -> None:
    report = await native("-m", "tests.system.server.check.wrong", "By", script=QUICK[:3])
    result = example(list(report.results), "raise-to")
    assert result.example is not None
    assert "say by how much" in result.example.what
    assert result.example.sent.startswith('{"type": "turn"')
    assert '"action": "raise"' in result.example.reply
    assert result.times > 1


async def test_a_crash_is_told_with_the_last_words_and_ends_the_check() -> None:
    report = await native("-m", "tests.system.server.check.wrong", "Crasher", script=QUICK[:2])
    result = example(list(report.results), "plays")
    assert result.example is not None
    assert "exit code 1" in result.example.what
    assert result.last_words.endswith("AssertionError: no such street")
    result = example(list(report.results), "next-match")
    assert (result.status, result.why) == ("not reached", "plays comes first")
