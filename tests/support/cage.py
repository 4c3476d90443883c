"""Confined programs: real processes, started as a competition starts bots."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from server.bots.launcher import landlock_version
from server.bots.processes import BotProcess, ProcessManager
from server.bots.sandbox import Limits, Sandbox
from server.telemetry.incidents import Incident
from tests.support.bot_programs import until

#: Whether this kernel keeps files from bots. Where it does not, tests say what holds all the same.
CONFINED = bool(landlock_version())
#: A program that does nothing.
WAIT = "import signal; print('up', flush=True); signal.pause()"


class Cage:
    """Confined programs; what they print is in ``said``."""

    def __init__(self, folder: Path, sandbox: Sandbox) -> None:
        self.folder = folder
        self.sandbox = sandbox
        self.processes = ProcessManager(folder / "logs")
        self.codes: dict[str, int] = {}
        self.limits: list[Incident] = []

    async def start(self, code: str, name: str = "bot", *words: str, **limits: Any) -> BotProcess:
        """A program in Python, with these arguments and limits."""
        return await self.begin(["-c", code, *words], name, **limits)

    async def begin(self, words: Sequence[str], name: str = "bot", **limits: Any) -> BotProcess:
        """Python with these words."""
        command = [sys.executable, *words]
        return await self.processes.start(
            name,
            command,
            {"POKERD_TOKEN": uuid4().hex, "POKERD_NAME": name},
            lambda code: self.codes.update({name: code}),
            confinement=self.sandbox.for_program(command, Limits(**limits)),
            on_limit=self.limits.append,
        )

    async def outcome(self, code: str, *words: str, **limits: Any) -> int:
        """Its exit code; what it printed is in ``said``."""
        return await self.run(["-c", code, *words], **limits)

    async def run(self, words: Sequence[str], **limits: Any) -> int:
        """Python with these words: its exit code."""
        await self.begin(words, **limits)
        await until(lambda: "bot" in self.codes)
        return self.codes["bot"]

    def said(self, name: str = "bot") -> str:
        """What a program has printed."""
        return (self.folder / "logs" / f"{name}.log").read_text()


@asynccontextmanager
async def cage(folder: Path, **settings: Any) -> AsyncIterator[Cage]:
    """Programs are started in ``folder/start``, and may not read ``folder/start/results``."""
    start = folder / "start"
    start.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("server.bots.processes.STOP_TIMEOUT", 0.3)
        patched.setattr("server.bots.processes.POLL_INTERVAL", 0.05)
        one = Cage(folder, Sandbox([folder / "start" / "results"], start=start, **settings))
        try:
            yield one
        finally:
            await one.processes.close()


def lay(top: Path, *names: str) -> Path:
    """Files below a folder, with their names in them."""
    for name in names:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return top
