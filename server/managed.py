"""Bots that the server starts itself: one process each, in a session (process group) of its own, ended with
everything it started.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Final

import psutil
import structlog

from server import guardian
from server.guardian import started_with

__all__ = ["BotProcess", "Processes", "bridge_command", "builtin_command"]

log = structlog.get_logger("pokerd.managed")

#: Seconds a bot gets to end by itself after its connection was closed, and again after SIGTERM.
PATIENCE: Final = 2.0


class BotProcess:
    """One running bot."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name = name
        self.process = process
        #: It was told to end, so that its end is no incident.
        self.ending = False

    @property
    def pid(self) -> int:
        """Process id, and id of the process group."""
        return self.process.pid

    def signal(self, number: signal.Signals) -> None:
        """Signal the bot and whatever it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def stop(self) -> None:
        """Wait a moment for it to end by itself, then end it, then make sure."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                await asyncio.wait_for(self.process.wait(), PATIENCE)
                break
            except TimeoutError:
                self.signal(number)
        await self.process.wait()
        # What the bot itself started may outlive it; the group is still there to be signalled.
        self.signal(signal.SIGKILL)


class _Guardian:
    """The ``guardian`` process, from the first word to it on."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        self._pipe = -1

    async def tell(self, line: str) -> None:
        """Say one line. Raises ``OSError`` if it cannot be started."""
        async with self._starting:
            if self._process is None:
                await self._start()
        # Who ended it wants the bots unguarded.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, f"{line}\n".encode())

    async def _start(self) -> None:
        there, self._pipe = os.pipe()
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                # Not by its name: where the server was started there may be another ``server``.
                *(sys.executable, "-P", guardian.__file__),
                stdin=there,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        try:
            self._process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._process = await starting
            raise
        finally:
            os.close(there)

    async def dismiss(self) -> None:
        """It is not needed any more: nobody is left."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            os.close(self._pipe)


class Processes:
    """All bots of one server. ``close`` leaves none behind; when they are ``guarded``, so does the end of the
    server without it, by ``kill -9`` as well.
    """

    def __init__(self, logs: Path | None = None, *, guarded: bool = False) -> None:
        self._guardian = _Guardian() if guarded else None
        self._logs = logs
        self._running: set[BotProcess] = set()
        self._tokens: set[str] = set()
        self._watchers: set[asyncio.Task[None]] = set()

    async def start(
        self,
        name: str,
        command: Sequence[str],
        settings: Mapping[str, str],
        on_exit: Callable[[int], None] | None = None,
    ) -> BotProcess:
        """Start a bot. ``settings`` are added to its environment; its output goes to ``NAME.log``
        (or to ours, without a folder for logs). Raises
        ``OSError``.
        """
        self._tokens.add(settings["POKERD_TOKEN"])
        if self._guardian is not None:
            await self._guardian.tell(f"token {settings['POKERD_TOKEN']}")
        # The broker's password lets the server in, not its bots; parameters are those of one bot alone.
        private = ("POKERD_MQTT", "POKERD_PARAMETERS")
        inherited = {name: value for name, value in os.environ.items() if name not in private}
        with self._output(name) as output:
            starting = asyncio.ensure_future(
                asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env={**inherited, **settings, "POKERD_MANAGED": "1"},
                    start_new_session=True,
                )
            )
            try:
                process = await asyncio.shield(starting)
            except asyncio.CancelledError:
                # Broken off half way, it would run without anybody to end it: ``close`` does.
                with contextlib.suppress(OSError):
                    self._running.add(BotProcess(name, await starting))
                raise
        bot = BotProcess(name, process)
        self._running.add(bot)
        watcher = asyncio.create_task(self._watch(bot, on_exit), name=f"watch {name} {process.pid}")
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)
        if self._guardian is not None:
            await self._guardian.tell(f"group {bot.pid}")
        return bot

    def _output(self, name: str) -> AbstractContextManager[IO[bytes] | None]:
        if self._logs is None:
            return Path(os.devnull).open("wb")
        self._logs.mkdir(parents=True, exist_ok=True)
        return (self._logs / f"{name}.log").open("ab")

    async def _watch(self, bot: BotProcess, on_exit: Callable[[int], None] | None) -> None:
        code = await bot.process.wait()
        if not bot.ending and on_exit is not None:
            on_exit(code)

    async def stop(self, bot: BotProcess) -> None:
        """End one bot. If this is cancelled, it is left to ``close``."""
        bot.ending = True
        await bot.stop()
        self._running.discard(bot)
        if self._guardian is not None:
            await self._guardian.tell(f"ended {bot.pid}")

    async def close(self, *, at_once: bool = True) -> None:
        """End all that still run; unless ``at_once``, each may end by itself first, as in ``stop``."""
        bots = list(self._running)
        for bot in bots:
            bot.ending = True
            if at_once:
                bot.signal(signal.SIGTERM)
        await asyncio.gather(*map(self.stop, bots))
        await asyncio.gather(*self._watchers)
        self._sweep()
        if self._guardian is not None:
            await self._guardian.dismiss()

    def _sweep(self) -> None:
        """End what a bot started and moved out of its process group: it still has the bot's token."""
        for process in started_with(self._tokens):
            with contextlib.suppress(psutil.Error, OSError):
                log.warning("left behind by a bot", pid=process.pid)
                process.kill()


def builtin_command(name: str) -> list[str]:
    """The command that starts one of the house's own bots."""
    return [sys.executable, "-m", "pokerd", "bot", name]


def bridge_command(command: Sequence[str], start: float) -> list[str]:
    """The command that starts an ACPC program with a bridge in front; it has ``start`` seconds to connect."""
    return [sys.executable, "-m", "pokerd", "bridge", "--start-timeout", f"{start:g}", "--", *command]
