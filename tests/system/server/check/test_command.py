"""The command line: what it prints, and its exit codes."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from pokerd.__main__ import main
from server.check.acpc.checks import ACPC_CHECKS
from server.check.acpc.scenarios import ACPC_QUICK, ACPC_SCENARIOS
from server.check.checks import CHECKS
from server.check.scenario_runner import ScenarioRunner
from server.check.scenarios import QUICK, SCENARIOS
from tests.support.programs import PYTHON, Program, outcome

WRONG = (PYTHON, "-m", "tests.system.server.check.wrong")
PLAYER = "tests/acpc/player.py"
CALLER = (PYTHON, "-m", "tests.acpc.player", "call", "{host}", "{port}", "--game", "{game}")


class Done(NamedTuple):
    """Exit code, output and errors of a command."""

    returncode: int
    stdout: str
    stderr: str


Check = Callable[..., Done]


@pytest.fixture
def check(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Check:
    """The command in this process; the bot is one of its own."""
    monkeypatch.setenv("COLUMNS", "100")

    def done(*arguments: str) -> Done:
        capfd.readouterr()
        code = main(["check-bot", *arguments])
        told = capfd.readouterr()
        return Done(code, told.out, told.err)

    return done


def test_a_bot_without_faults(check: Check) -> None:
    done = check("--timeout", "2", "--only", "plays", "--", PYTHON, "-m", "pokerd", "bot", "call")
    assert done.returncode == 0, done.stderr
    (plays,) = [check for check in CHECKS if check.id == "plays"]
    first, _, last = [line.rstrip() for line in done.stdout.splitlines()]
    assert first == f"PASS  plays  {plays.title}"
    assert re.findall(r"\d+", last) == ["1", "1", "0", "0", "0"]


def test_it_tells_how_far_it_is_unless_it_is_not_to(check: Check) -> None:
    arguments = ("--timeout", "2", "--only", "no-limit", "--", PYTHON, "-m", "pokerd", "bot", "call")
    done = check(*arguments)
    first, second = done.stderr.splitlines()
    assert first == "1 of 2: plays"
    assert second.startswith("2 of 2: no-limit, ")
    assert check("--quiet", *arguments).stderr == ""


def test_a_stranger_s_program_is_checked_in_isolation_or_not_at_all(check: Check) -> None:
    isolated = ("--timeout", "2", "--quiet", "--sandbox", "strict")
    for command in (
        ("--only", "plays", "--", PYTHON, "-m", "pokerd", "bot", "call"),
        ("--only", "plays", "--acpc", "--", PYTHON, PLAYER, *CALLER[3:]),
    ):
        done = check(*isolated, *command)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "bubblewrap" in done.stderr
    # A process of its own: this one knows already where bubblewrap is.
    words = (*isolated, "--", PYTHON, "-m", "pokerd", "bot", "call")
    alone = outcome(PYTHON, "-m", "pokerd", "check-bot", *words, variables={"PATH": "/nowhere"})
    assert alone.returncode == 2
    assert "no_sandbox" in alone.stderr


@pytest.mark.parametrize(
    ("command", "quick", "known"),
    [
        (("--", PYTHON, "-m", "pokerd", "bot", "call"), QUICK, {scenario.id for scenario in SCENARIOS}),
        (("--acpc", "--", *CALLER), ACPC_QUICK, {scenario.id for scenario in ACPC_SCENARIOS}),
    ],
    ids=["a bot", "an ACPC program"],
)
def test_quick_leaves_out_what_takes_long(
    check: Check, command: tuple[str, ...], quick: set[str], known: set[str]
) -> None:
    done = check("--timeout", "2", "--quick", "--json", *command)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["ended"] == "complete"
    told = {one["check"]: one for one in data["checks"]}
    assert {name for name in known if told[name]["status"] != "not reached"} == quick
    assert all("--quick" in told[name]["why"] for name in known - quick)


def test_a_bot_with_a_fault_is_told_all_about_it(check: Check) -> None:
    done = check("--timeout", "2", "--only", "frames", "--only", "plays", "-v", "--", *WRONG, "Babbler")
    assert done.returncode == 1, done.stderr
    told = done.stdout
    assert "== plays" in told
    assert "FAULT frames (in plays" in told
    paragraph = told[told.index("FAULT frames") :]
    for words in ("found", "malformed_frame", "sent", "reply", "docs/protocol.md#frames", "to do"):
        assert words in paragraph
    assert "NOT REACHED  plays" in told
    assert max(map(len, told.splitlines())) <= 100


def test_a_crash_shows_the_last_words(check: Check) -> None:
    done = check("--timeout", "2", "--", *WRONG, "Stillborn")
    assert done.returncode == 1
    assert "FAULT connect" in done.stdout
    assert re.search(r"^ +output +no such strategy *$", done.stdout, re.MULTILINE)


def test_the_outcome_as_json(check: Check) -> None:
    program = "tests.system.server.check.wrong_acpc"
    arguments = ("--timeout", "2", "--acpc", "--json", "--", PYTHON, "-m", program)
    done = check(*arguments, "Stillborn", "{host}", "{port}", "{game}")
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert data["faults"] == 1
    (fault,) = [one for one in data["checks"] if one["status"] == "fault"]
    assert (fault["check"], fault["output"]) == ("connect", "no such strategy")


def test_a_failure_of_ours_prints_what_was_found_so_far(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("broken by the test")

    monkeypatch.setattr(ScenarioRunner, "_expire_turn", broken)
    bot = ("--timeout", "2", "--only", "late", "--", PYTHON, "-m", "pokerd", "bot", "call")
    done = check("--json", "--only", "plays", "--verbose", *bot)
    assert done.returncode == 3, done.stderr
    data = json.loads(done.stdout)
    assert (data["ended"], data["played"], data["planned"]) == ("failed", 1, 2)
    assert {one["check"]: one["status"] for one in data["checks"]} == {"plays": "pass", "late": "not reached"}
    assert [scenario["scene"] for scenario in data["scenes"]] == ["plays", "late"]
    assert "ZeroDivisionError: broken by the test" in data["failure"]
    assert "ZeroDivisionError: broken by the test" in done.stderr
    done = check(*bot)
    assert done.returncode == 3
    assert "1 of 2 scenes" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_prints_what_was_found_so_far(number: signal.Signals) -> None:
    # It waits for an answer that never comes.
    bot = ("--timeout", "60", "--only", "plays", "--only", "resume", "--", *WRONG, "Forgetful")
    with Program(sys.executable, "-m", "pokerd", "check-bot", "--json", *bot) as checking:
        checking.says("^2 of 2: resume")
        assert checking.stop(number) == 130
    data = json.loads("\n".join(checking.lines[checking.lines.index("{") :]))
    assert (data["ended"], data["played"], data["planned"]) == ("interrupted", 1, 2)
    told = {one["check"]: one["status"] for one in data["checks"]}
    assert told == {"plays": "pass", "resume": "not reached"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--", "./no-such-program"), "cannot_start"),
        (("--acpc", "--", "./no-such-program"), "cannot_start"),
        ((), "no_command"),
        (("--only", "politeness", "--", PYTHON), "unknown_check"),
        (("--quick", "--only", "plays", "--", PYTHON), "bad_arguments"),
        (("--timeout", "0", "--", PYTHON), "bad_timeout"),
        (("--timeout", "nan", "--", PYTHON), "bad_timeout"),
        (("--timeout", "inf", "--", PYTHON), "bad_timeout"),
        (("--acpc", "--game", "chess", "--", PYTHON), "unknown_game"),
    ],
)
def test_what_cannot_be_checked(
    arguments: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        sys.exit(main(["check-bot", *arguments]))
    assert end.value.code == 2
    assert capsys.readouterr().err.rstrip().endswith(f"[{code}]")


def test_the_list_names_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, checks in ((["--list"], CHECKS), (["--list", "--acpc"], ACPC_CHECKS)):
        assert main(["check-bot", *arguments]) == 0
        words = capsys.readouterr().out.split()
        assert {one.id for one in checks} <= set(words)
        assert {one.section for one in checks} <= set(words)
