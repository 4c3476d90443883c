"""The example bots in other languages, compiled and run as their readers do, play whole matches."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.arena import bot, competition, division, run
from tests.support.programs import PYTHON, outcome

POKERD = (PYTHON, "-m", "pokerd")
EXAMPLES = Path(__file__).parents[3] / "clients" / "examples"


def javascript(_: Path) -> list[str]:
    return ["node", str(EXAMPLES / "bot.mjs")]


def go(folder: Path) -> list[str]:
    settings = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(folder)}
    compiled(["go", "build", "-o", str(folder / "bot"), str(EXAMPLES / "bot.go")], settings)
    return [str(folder / "bot")]


def cpp(folder: Path) -> list[str]:
    program = str(folder / "bot")
    compiled(["g++", "-std=c++17", "-Wall", "-Wextra", str(EXAMPLES / "bot.cpp"), "-pthread", "-o", program])
    return [program]


def compiled(command: list[str], settings: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


LANGUAGES: dict[str, Callable[[Path], list[str]]] = {"bot.mjs": javascript, "bot.go": go, "bot.cpp": cpp}


@pytest.mark.parametrize("name", LANGUAGES)
def test_an_example_is_short(name: str) -> None:
    assert len((EXAMPLES / name).read_text("utf-8").splitlines()) < 120


@pytest.mark.parametrize("name", LANGUAGES)
async def test_an_example_plays_a_competition_and_says_why_it_cannot(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "program"
    folder.mkdir()
    # Compiled once: that takes longer than all it does.
    command = LANGUAGES[name](folder)
    house = [bot(one, run=one, reset="message", tables=4) for one in ("call", "fair")]
    cup = {"mode": "tournament", "players": 3, "stack": 200}
    three = division("three", table=cup, seatings="rotations")
    duel = division("duel", game="holdem.nolimit.2p.reverse_blinds", hands=40, bots=["example", "fair"])
    bots = [bot("example", command=command), *house]
    played = await run(competition(bots, [three, duel], workers=2), tmp_path / "out")
    assert not any(counts for bots in played.incidents.values() for counts in bots.values())
    # It knows its cards: it folds some hands, and raises others.
    logs = "".join(path.read_text("utf-8") for path in (tmp_path / "out" / "hands").rglob("*.log"))
    states = [line for line in logs.splitlines() if line.startswith("STATE:") and "example" in line]
    assert any("r" in line.split(":")[2] for line in states)
    assert any("f" in line.split(":")[2] for line in states)
    # The same program decides the same when the recorded session is played again.
    session = next(path for path in (tmp_path / "out" / "hands" / "duel").glob("*.jsonl"))
    again = outcome(*POKERD, "replay", str(tmp_path / "out"), "--session", f"duel/{session.stem}")
    assert (again.returncode, "differs" in again.stdout) == (0, False), again.stdout + again.stderr
    settings = {**os.environ, "POKERD_URL": "ws://127.0.0.1:1", "POKERD_NAME": "nobody"}
    refused = outcome(*command, variables=settings)
    assert refused.returncode == 1
    assert refused.stderr
