"""What ``pokerd new-bot`` makes is used as it says: every printed command is run. So the examples in other
languages, which it copies, play whole matches.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from clients.new_bot import LANGUAGES
from tests.docs.workspace import environment, lay, shell
from tests.support.programs import PYTHON, ROOT, outcome, quick_compiler

#: What the examples play beside the competition of their project.
CUP = """
[[divisions]]
name = "cup"
table = { mode = "tournament", players = 3, stack = 200 }
seatings = "rotations"
"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_of_a_new_project_runs(
    language: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = lay(tmp_path)
    told = shell(f"python -m pokerd new-bot shark --language {language}", place)
    _, enter, *commands = filter(None, told.splitlines())
    assert enter == "cd shark"
    assert len(commands) == len(LANGUAGES[language].first) + 3
    project = place / "shark"
    shorten(project / "shark.toml")
    capfd.readouterr()
    printed, quick = "", tmp_path / "bin"
    quick.mkdir()
    if language == "cpp":
        quick_compiler(quick, "g++")  # which still warns
    variables = {"GOCACHE": str(tmp_path / "cache"), "PATH": f"{quick}:{environment()['PATH']}"}
    for command in commands:
        if command == "npm install ws":  # without the network
            shutil.copytree(ROOT / "node_modules" / "ws", project / "node_modules" / "ws")
            continue
        printed = shell(command, project, **variables)
        assert "FAULT" not in printed, printed
        if command in [one.replace("NAME", "shark") for one in LANGUAGES[language].first]:
            assert capfd.readouterr().err == ""
    assert "differs" not in printed
    standings = json.loads((project / "results" / "shark" / "standings.json").read_text("utf-8"))
    incidents = [counts for each in standings["divisions"] for counts in each["incidents"].values()]
    assert not any(any(counts.values()) for counts in incidents), incidents
    if LANGUAGES[language].sources:
        folds_and_raises(project / "results" / "shark")
        an_example_plays_a_tournament(language, project)


def shorten(competition: Path) -> None:
    """Fewer hands and seatings, one process for each house bot, and a tournament beside them."""
    text = competition.read_text("utf-8")
    for old, new in (
        ("hands = 100", "hands = 20"),
        ("hands = 50", 'hands = 10\nseatings = "rotations"'),
        ('run = "fair"', 'run = "fair"\nreset = "message"\ntables = 4'),
        ('run = "call"', 'run = "call"\nreset = "message"\ntables = 4'),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    competition.write_text(text + CUP, encoding="utf-8")


def folds_and_raises(results: Path) -> None:
    """It knows its cards: it folds some hands, and raises others."""
    logs = "".join(path.read_text("utf-8") for path in (results / "hands").rglob("*.log"))
    states = [line for line in logs.splitlines() if line.startswith("STATE:") and "shark" in line]
    for action in "rf":
        assert any(action in line.split(":")[2] for line in states)


def an_example_plays_a_tournament(language: str, project: Path) -> None:
    """It decides the same when a recorded session is played again; and it says why it cannot play."""
    session = next((project / "results" / "shark" / "hands" / "cup").glob("*.jsonl"))
    words = ("-m", "pokerd", "replay", "results/shark", "--session", f"cup/{session.stem}")
    again = outcome(PYTHON, *words, cwd=project)
    assert (again.returncode, "differs" in again.stdout) == (0, False), again.stdout + again.stderr
    command = [word.replace("NAME", "shark") for word in LANGUAGES[language].command]
    settings = {**os.environ, "POKERD_URL": "ws://127.0.0.1:1", "POKERD_NAME": "nobody"}
    refused = outcome(*command, cwd=project, variables=settings)
    assert refused.returncode == 1
    assert refused.stderr


@pytest.mark.parametrize("name", [name for kind in LANGUAGES.values() for name in kind.sources])
def test_an_example_is_short(name: str) -> None:
    assert len((ROOT / "clients" / "examples" / name).read_text("utf-8").splitlines()) < 120
