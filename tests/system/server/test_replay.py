"""``pokerd replay``: real bots in recorded sessions, found out where they decide otherwise."""

from __future__ import annotations

import re
import subprocess
import textwrap
from pathlib import Path

import pytest

from pokerd.__main__ import main
from tests.support.arena import bot, competition, division
from tests.support.programs import PYTHON, environment, outcome

POKERD = (PYTHON, "-m", "pokerd")
SESSION = "duel/m0000-l000-s0"
ACPC = ["{python}", "-m", "tests.acpc.player", "call", "{host}", "{port}", "--game", "{game}"]


def program(condition: str = "hand.number % 7 == 0", *, act: str = "def act", more: str = "") -> str:
    """A bot that raises where ``condition`` holds."""
    return textwrap.dedent(f"""\
        from pokerd_bot import Bot, run

        class Mine(Bot):
            {act}(self, turn):
                hand = turn.hand
                {more}
                return turn.raise_pot(0.75) if {condition} else turn.call()

        run(Mine)
        """)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replay")


@pytest.fixture(scope="module")
def results(folder: Path) -> Path:
    """A bot of its own against a house bot, and in a tournament with an ACPC program."""
    mine = folder / "mine.py"
    mine.write_text(program())
    bots = [
        bot("mine", command=["{python}", str(mine)]),
        bot("fair"),
        bot("theirs", command=ACPC, protocol="acpc"),
    ]
    duel = division("duel", game="holdem.nolimit.2p.reverse_blinds", hands=30, bots=["mine", "fair"])
    acpc = division("acpc", game="holdem.limit.2p.reverse_blinds", hands=20, bots=["theirs", "fair"])
    cup = division("cup", bots=["mine", "fair"], table={"mode": "tournament", "players": 2, "stack": 500})
    out = folder / "out"
    file = folder / "competition.toml"
    file.write_text(competition(bots, [duel, acpc, cup], workers=2))
    done = outcome(*POKERD, "compete", file, "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def replay(results: Path, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*POKERD, "replay", str(results), *words],
        env=environment(PYTHONUNBUFFERED="1"),
        input=said,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--session", SESSION),
        ("--session", SESSION, "--player", "fair"),
        ("--session", "cup/m0000-l000-s1", "--player", "mine"),
        ("--session", "acpc/m0000-l000-s0", "--player", "theirs"),
    ],
    ids=["sdk", "house bot", "tournament", "acpc"],
)
def test_the_same_bot_decides_as_it_did(results: Path, words: tuple[str, ...]) -> None:
    done = replay(results, *words)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout + done.stderr


def test_an_acpc_program_is_given_with_bot(results: Path) -> None:
    command = " ".join(ACPC).replace("{python}", PYTHON)
    words = ("--session", SESSION, "--player", "mine", "--acpc", "--bot", command)
    done = replay(results, *words, "--hand", "3")
    assert done.returncode in (0, 1), done.stderr
    assert f"{SESSION}, hand 3\n" in done.stdout


def test_it_stops_at_the_first_decision_that_differs(results: Path, folder: Path) -> None:
    other = folder / "other.py"
    other.write_text(program("hand.number % 7 == 0 and hand.number != 14"))
    done = replay(results, "--session", SESSION, "--bot", str(other))
    assert done.returncode == 1
    assert f"{SESSION}, hand 14\n" in done.stdout
    compared = [line for line in done.stdout.splitlines() if line.startswith(("  rec", "  now"))]
    recorded, now = [line.split()[1] for line in compared]
    assert recorded in ("raises", "bets")
    assert now in ("calls", "checks")
    # What the other one holds is not shown.
    starts = [line for line in done.stdout.splitlines() if line.startswith("Seat ")]
    assert [bool(re.search(r"([2-9TJQKA][cdhs] ?){2}$", line)) for line in starts] == [True, False]


def test_a_hand_is_shown_whole_and_what_differs_before_is_passed_over(results: Path, folder: Path) -> None:
    other = folder / "never.py"
    other.write_text(program("False"))
    done = replay(results, "--session", SESSION, "--bot", str(other), "--hand", "14")
    assert done.returncode == 1
    assert done.stdout.count(f"{SESSION}, hand 14\n") == done.stdout.count("  recorded:") >= 1
    assert "hand 7\n" not in done.stdout


def test_a_bot_that_fails_is_shown_with_the_turn_that_it_failed_at(results: Path, folder: Path) -> None:
    broken = folder / "broken.py"
    broken.write_text(program(more="1 / (hand.number - 9)"))
    done = replay(results, "--session", SESSION, "--bot", str(broken))
    assert done.returncode == 1
    assert f"{SESSION}, hand 9\n" in done.stdout
    assert "code 1 in hand 9" in done.stdout
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("act", ["def act", "async def act"])
def test_the_debugger_stops_at_the_turn(results: Path, folder: Path, act: str) -> None:
    other = folder / f"debugged-{len(act)}.py"
    other.write_text(program("hand.number % 7 == 0 and hand.number != 14", act=act))
    steps = "s\ns\n" if act.startswith("async") else ""
    said = f"{steps}p 'hand', turn.hand.number\nc\n"
    done = replay(results, "--session", SESSION, "--bot", str(other), "--debug", said=said)
    assert "('hand', 14)" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1


def test_the_debugger_can_be_left(results: Path) -> None:
    quitted = replay(results, "--session", SESSION, "--hand", "2", "--debug", said="q\n")
    assert "(Pdb)" in quitted.stdout
    assert "Traceback" not in quitted.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--session", "duel/none"), "unknown_session"),
        (("--session", SESSION, "--player", "theirs"), "unknown_player"),
        (("--session", SESSION, "--hand", "31"), "unknown_hand"),
        (("--session", SESSION, "--hand", "0"), "unknown_hand"),
        (("--session", SESSION, "--bot", "./no-such-program"), "cannot_start"),
        (("--session", SESSION, "--bot", "'open quote"), "no_command"),
        (("--session", SESSION, "--bot", "false"), "not_connected"),
    ],
)
def test_what_cannot_be_replayed_is_refused(
    results: Path, words: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in results.rglob("*"))
    assert main(["replay", str(results), *words]) == 2
    assert capsys.readouterr().err.split()[-1] == f"[{code}]"
    assert sorted((path, path.stat().st_mtime_ns) for path in results.rglob("*")) == before


def test_an_unfinished_competition_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "competition.toml").write_text("")
    assert main(["replay", str(tmp_path), "--session", "duel"]) == 2
    assert capsys.readouterr().err.split()[-1] == "[unfinished]"


def test_a_damaged_record_is_refused(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in results.rglob("*"):
        if path.is_file() and "hands" not in path.parts:
            copy = tmp_path / path.relative_to(results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    (tmp_path / "hands" / "duel").mkdir(parents=True)
    whole = (results / "hands" / f"{SESSION}.jsonl").read_text()
    (tmp_path / "hands" / f"{SESSION}.jsonl").write_text(whole.replace("20000", "20001"))
    assert main(["replay", str(tmp_path), "--session", SESSION]) == 2
    assert capsys.readouterr().err.split()[-1] == "[replay_differs]"
