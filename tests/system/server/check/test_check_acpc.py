"""``check-bot --acpc`` with real programs: right ones have no fault, and wrong ones are told theirs."""

from __future__ import annotations

import ast
import asyncio
import json
from collections.abc import Awaitable
from pathlib import Path

from server.check.acpc.checks import ACPC_CHECKS
from server.check.acpc.scenarios import ACPC_SCENARIOS
from server.check.report import report_data
from server.check.run import CheckReport
from tests.docs.pages import ROOT, section
from tests.system.server.check.test_check_bot import advice, fault
from tests.system.server.check.zoo import Told, acpc, all_of, told

HERE = Path(__file__).parent
HEADINGS = {"docs/acpc.md#the-lines": "## The lines", "docs/acpc.md#conduct": "### Conduct"}
GAMES = {"three-players", "six-players", "ten-players", "short-stacks"}
SEGMENTS = {"one-segment", "split-line"}
#: What each of ``wrong_acpc.py`` is told.
GUILT: dict[str, Told] = {
    "Right": fault(),
    "Absent": fault("connect"),
    "Stillborn": fault("connect"),
    "Mute": fault("version"),
    "Greeter": fault("version"),
    "Older": advice("version"),
    "Forgetter": fault("echo"),
    "Colonless": fault("colon"),
    "Amountless": fault("colon"),
    "Inventor": fault("action"),
    "Folder": fault("fold-free"),
    "Raiser": fault("no-raise"),
    "Street": fault("amount"),
    "By": fault("amount"),
    "Loud": advice("exact"),
    "Unix": advice("line-end"),
    "Endless": fault("no-line-end"),
    "Typewriter": fault("no-line-end"),
    "Breathless": fault("no-line-end"),
    "Monosyllabic": fault("echo"),
    "Stale": fault("echo"),
    "Later": fault("echo"),
    "Commentator": fault("plays"),
    "Chatty": fault("silent"),
    "Mourner": fault("folded"),
    "Double": fault("once"),
    "Slow": fault("in-time"),
    "Silent": fault("plays"),
    "Crasher": fault("plays"),
    "Narrow": fault("large-hands"),
    "Witness": advice("mid-hand"),
    "Duellist": (GAMES, {"one-card"}),
    "Lingering": ({"ends"}, {"cut-off"}),
    "Parent": fault("orphans"),
}
#: Matches that each of them plays; without an entry the two that show most.
MATCHES = {
    "Right": {scene.id for scene in ACPC_SCENARIOS},
    "Narrow": {"large-hands"},
    "Witness": {"mid-hand"},
    "Duellist": {*GAMES, "one-card"},
    "Lingering": {"cut-off"},
    "Parent": {"plays"},
}


def test_all_of_the_zoo_is_here() -> None:
    tree = ast.parse((HERE / "wrong_acpc.py").read_text(encoding="utf-8"))
    assert {node.name for node in tree.body if isinstance(node, ast.ClassDef)} == {
        *GUILT,
        "Reader",
        "Inverted",
    }


def test_every_check_is_one_that_somebody_fails() -> None:
    failed = {check for faults, hints in GUILT.values() for check in faults | hints} | SEGMENTS
    # A program that fails there fails somewhere else, too.
    never = {"thinking", "last-seat", "all-in", "limit", "no-limit"}
    assert {check.id for check in ACPC_CHECKS} - failed == never
    assert {scene.id for scene in ACPC_SCENARIOS} <= {check.id for check in ACPC_CHECKS}


async def test_each_of_the_zoo_is_told_its_fault() -> None:
    def check(name: str) -> Awaitable[CheckReport]:
        matches = MATCHES.get(name, {"limit", "three-players"})
        command = ("-m", "tests.system.server.check.wrong_acpc", name, "{host}", "{port}", "{game}")
        return acpc(*command, matches=matches)

    assert await all_of(GUILT, check) == GUILT


async def test_who_takes_a_segment_for_a_line_is_told_so() -> None:
    command = ("-m", "tests.system.server.check.wrong_acpc", "Reader", "{host}", "{port}", "{game}")
    faults, _ = told(await acpc(*command, matches=SEGMENTS))
    # On a busy machine lines come together in the first match already.
    assert faults in (SEGMENTS, {"plays"})


async def test_whoever_takes_the_turns_of_others_is_told_that_or_that_its_answers_are_stale() -> None:
    command = ("-m", "tests.system.server.check.wrong_acpc", "Inverted", "{host}", "{port}", "{game}")
    # Which it is only time can tell, and on a busy machine not even that.
    assert told(await acpc(*command, matches={"plays"})) in (fault("silent"), fault("echo"))


#: Who does what, by the check: what is said of it, and what the page says of that.
SAID = {
    "Endless": ("no-line-end", "The line has no end;", "action\\r\\n"),
    "Typewriter": ("no-line-end", "The line ends with a carriage return alone;", "action\\r\\n"),
    "Monosyllabic": ("echo", "The line is no state of this game;", "(`bad_state`)"),
    "Stale": ("echo", "It answered a state that was sent before, and not this one;", "(`unrequested`)"),
}


async def test_what_is_found_is_said_plainly_and_with_the_right_words_of_the_page() -> None:
    def check(name: str) -> Awaitable[CheckReport]:
        command = ("-m", "tests.system.server.check.wrong_acpc", name, "{host}", "{port}", "{game}")
        return acpc(*command, matches={"plays"})

    # Each is waited for until its time is over; so they are at once.
    reports = await asyncio.gather(*map(check, SAID))
    for (asked, what, quote), report in zip(SAID.values(), reports, strict=True):
        data = json.loads(report_data(report))["checks"]
        (one,) = [one for one in data if one["check"] == asked]
        assert one["found"].startswith(what)
        assert quote in one["says"]
        words = section(ROOT / "docs" / "acpc.md", HEADINGS[one["document"]]).split()
        assert " ".join(one["says"].split()) in " ".join(words)
        (plays,) = [one for one in data if one["check"] == "plays"]
        assert plays["why"] == "it did not come to that"


async def test_right_players_have_no_fault_and_a_wild_one_many() -> None:
    def check(kind: str) -> Awaitable[CheckReport]:
        return acpc("-m", "tests.acpc.player", kind, "{host}", "{port}", "--game", "{game}")

    assert await all_of(["call", "raise", "hash", "wild"], check) == {
        "call": fault(),
        "raise": fault(),
        "hash": fault(),
        "wild": ({"echo", "action", "fold-free", "no-raise", "amount"}, {"exact", "line-end"}),
    }


async def test_host_and_port_are_added_to_a_command_that_has_no_place_for_them() -> None:
    report = await acpc("-m", "tests.acpc.player", "call", "--game", "holdem.nolimit.2p.reverse_blinds")
    assert not report.faults
    whys = {result.check.id: result.why for result in report.results if result.status == "not reached"}
    assert whys["six-players"] == "the command has no {game}"
