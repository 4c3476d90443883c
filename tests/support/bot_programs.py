"""Bot programs as processes of their own, against a house in this process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from picows import WSListener

from server.net.connection import Connection

ROOT = Path(__file__).resolve().parents[2]
#: Seconds for what takes a second or two on a quiet machine.
PATIENCE = 60.0


class Program:
    """A running program and what it has written so far."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.out = ""
        self.err = ""
        self._lines: list[str] = []
        self._readers = [
            asyncio.create_task(self._read(process.stdout, "out")),
            asyncio.create_task(self._read(process.stderr, "err")),
        ]
        self._news = asyncio.Event()

    async def _read(self, stream: asyncio.StreamReader | None, name: str) -> None:
        assert stream is not None
        while data := await stream.readline():
            line = data.decode()
            setattr(self, name, getattr(self, name) + line)
            self._lines.append(line.removesuffix("\n"))
            self._news.set()
        self._news.set()

    async def said(self, text: str) -> str:
        """Wait until the program has written a text; the line that has it."""
        looked = 0
        async with asyncio.timeout(PATIENCE):
            while True:
                for line in self._lines[looked:]:
                    if text in line:
                        return line
                looked = len(self._lines)
                assert not all(reader.done() for reader in self._readers), self.out + self.err
                self._news.clear()
                await self._news.wait()

    async def ended(self) -> int:
        """Wait until it has ended; its exit code."""
        async with asyncio.timeout(PATIENCE):
            code = await self.process.wait()
            await asyncio.gather(*self._readers)
        return code


@asynccontextmanager
async def program(*arguments: str, **environment: str) -> AsyncIterator[Program]:
    """Run a Python program: a file or ``-m`` and a module, then its arguments."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
    )
    running = Program(process)
    try:
        yield running
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await running.ended()


def cut(connection: Connection | None) -> Connection:
    """Break a connection off without a word, as a network does. Returns it, to be told from the next."""
    assert connection is not None
    assert isinstance(connection.wire, WSListener)
    connection.wire.raw.abort()  # type: ignore[attr-defined]
    return connection


async def until(done: Callable[[], bool]) -> None:
    """Look again and again, until it is so."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(PATIENCE):
        while not done():
            passed = asyncio.Event()
            loop.call_later(0.02, passed.set)
            await passed.wait()


#: Draws between a call and the smallest raise, which it says it takes half the time: really with ``real``.
TELLER = """\
from random import random

from pokerd_bot import Bot, run


class Teller(Bot):
    def act(self, turn):
        call, more = turn.call(), turn.raise_min()
        if call == more:
            return call
        return turn.declare(more if random() < {real} else call, {{call: 0.5, more: 0.5}})


raise SystemExit(run(Teller))
"""
