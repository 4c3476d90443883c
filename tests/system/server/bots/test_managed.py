"""Bot processes: started in a group of their own, ended with all that they started, never left behind."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from server.bots.processes import BotProcess, ProcessManager
from tests.support.bot_programs import until

WAIT = "import signal; signal.pause()"
STUBBORN = (
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); signal.pause()"
)
CHILD = (
    "import subprocess, sys; "
    "child = subprocess.Popen([sys.executable, '-c', {code!r}], start_new_session={away}); "
    "print(child.pid, flush=True)"
)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.bots.processes.STOP_TIMEOUT", 0.3)


async def start(
    processes: ProcessManager, code: str, on_exit: Callable[[int], None] | None = None, name: str = "bot"
) -> BotProcess:
    # As secret as in earnest: whoever has a token is ended with the bot that it was given to.
    settings = {"POKERD_TOKEN": uuid4().hex}
    return await processes.start(name, [sys.executable, "-c", code], settings, on_exit)


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def said(folder: Path, name: str = "bot") -> str:
    return (folder / f"{name}.log").read_text()


async def test_a_bot_has_a_group_of_its_own_and_its_settings(tmp_path: Path) -> None:
    processes = ProcessManager(tmp_path)
    bot = await start(
        processes, "import os; print(os.getpgid(0), os.getsid(0), len(os.environ['POKERD_TOKEN']))"
    )
    await until(lambda: "\n" in said(tmp_path))
    assert said(tmp_path) == f"{bot.pid} {bot.pid} 32\n"
    assert bot.pid != os.getpgid(0)
    await processes.close()


async def test_it_is_told_of_an_end_that_nobody_asked_for(tmp_path: Path) -> None:
    processes = ProcessManager(tmp_path)
    codes: list[int] = []
    await start(processes, "raise SystemExit(7)", codes.append)
    await until(lambda: codes == [7])
    await processes.close()
    assert codes == [7]


@pytest.mark.parametrize("code", ["pass", WAIT, STUBBORN])
async def test_an_end_that_was_asked_for_is_no_news(code: str, tmp_path: Path) -> None:
    processes = ProcessManager(tmp_path)
    codes: list[int] = []
    bot = await start(processes, f"import time; {code}" if code != "pass" else WAIT, codes.append)
    await processes.stop(bot)
    assert gone(bot.pid)
    assert codes == []
    await processes.close()


@pytest.mark.parametrize("leader", ["stays", "leaves"])
async def test_its_children_end_with_it(leader: str, tmp_path: Path) -> None:
    """At once, not only when the house closes."""
    processes = ProcessManager(tmp_path)
    code = CHILD.format(code=STUBBORN, away=False) + ("" if leader == "leaves" else f"; {WAIT}")
    bot = await start(processes, code)
    await until(lambda: len(said(tmp_path).split()) >= 2)
    child = int(next(word for word in said(tmp_path).split() if word.isdigit()))
    assert not gone(child)
    await processes.stop(bot)
    await until(lambda: gone(child))
    await processes.close()


async def test_a_child_that_moved_away_is_found_in_the_end(tmp_path: Path) -> None:
    processes = ProcessManager(tmp_path)
    bot = await start(processes, CHILD.format(code=STUBBORN, away=True))
    await until(lambda: "up" in said(tmp_path))
    child = int(next(word for word in said(tmp_path).split() if word.isdigit()))
    await processes.stop(bot)
    assert not gone(child)
    await processes.close()
    await until(lambda: gone(child))


async def test_a_stop_that_is_cancelled_is_made_up_for(tmp_path: Path) -> None:
    processes = ProcessManager(tmp_path)
    bot = await start(processes, STUBBORN)
    await until(lambda: "up" in said(tmp_path))
    stopping = asyncio.create_task(processes.stop(bot))
    await asyncio.wait([stopping], timeout=0.05)
    stopping.cancel()
    await asyncio.wait([stopping])
    assert not gone(bot.pid)
    await processes.close()
    assert gone(bot.pid)


async def test_closing_ends_all_of_them(tmp_path: Path) -> None:
    processes = ProcessManager(tmp_path)
    bots = [await start(processes, code, name=f"bot{n}") for n, code in enumerate([WAIT, STUBBORN, WAIT])]
    await processes.close()
    assert all(gone(bot.pid) for bot in bots)
    await processes.close()


async def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    processes = ProcessManager(tmp_path)
    with pytest.raises(FileNotFoundError):
        await processes.start("bot", ["/no/such/program"], {"POKERD_TOKEN": uuid4().hex})
    await processes.close()
