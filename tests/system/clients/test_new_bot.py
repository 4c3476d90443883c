"""What ``pokerd new-bot`` makes is used as it says: every printed command is run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clients.new_bot import LANGUAGES
from tests.docs.workspace import lay, shell
from tests.support.programs import ROOT


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_of_a_new_project_runs(language: str, tmp_path: Path) -> None:
    place = lay(tmp_path)
    told = shell(f"python -m pokerd new-bot shark --language {language}", place)
    _, enter, *commands = filter(None, told.splitlines())
    assert enter == "cd shark"
    assert len(commands) == 4
    printed = ""
    for command in commands:
        if command == "npm install ws":  # without the network
            shutil.copytree(ROOT / "node_modules" / "ws", place / "shark" / "node_modules" / "ws")
            continue
        printed = shell(command, place / "shark", GOCACHE=str(tmp_path / "cache"))
        assert "FAULT" not in printed, printed
    assert (place / "shark" / "results" / "shark" / "standings.json").is_file()
    assert "differs" not in printed
