"""A bot in pokerd's own environment, beside files that are called as pokerd's packages are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BOT = "from pokerd_bot import Bot, equity\nprint(Bot.__module__, 0.5 < equity('AhAd', samples=50))\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("clients", "dealer", "games", "protocol", "server", "strategy", "studies"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('the {name}.py of the bot')\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_bot_runs_and_is_warned(folder: Path) -> None:
    (folder / "bot.py").write_text(BOT)
    ended = run(folder, "bot.py")
    assert (ended.returncode, ended.stdout) == (0, "pokerd_bot.bot True\n")
    assert all(str(folder / name) in ended.stderr for name in ("dealer.py", "protocol.py"))
    assert str(folder / "server.py") not in ended.stderr


def test_without_such_files_there_is_no_warning(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    assert run(tmp_path, "bot.py").stderr == ""


def test_a_bot_that_imports_such_a_file_is_told(folder: Path) -> None:
    (folder / "dealer.py").write_text("MINE = True\n")
    (folder / "bot.py").write_text(f"import dealer\n{BOT}")
    ended = run(folder, "bot.py")
    assert ended.returncode == 1
    assert "ImportError: dealer.py" in ended.stderr


@pytest.mark.parametrize(
    "command", [("rules", "leduc.limit.2p"), ("bot",), ("study",), ("compete", "--help")]
)
def test_commands_run_there(folder: Path, command: tuple[str, ...]) -> None:
    ended = run(folder, "-m", "pokerd", *command)
    assert "of the bot" not in ended.stderr
    assert ended.returncode == 0
