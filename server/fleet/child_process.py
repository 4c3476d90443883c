"""A server process from the side of its parent: it is started again whenever it ends."""

from __future__ import annotations

import asyncio
import socket
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

import msgspec

from server.errors import ServerError
from server.fleet.process_messages import Failed, Link, ProcessSetup, open_link
from server.telemetry.logger import get_logger

log = get_logger("pokerd.fleet")

#: Seconds that a process has to end by itself.
_CLOSE_TIMEOUT: Final = 30.0
#: Ends of a process in a row, before it was of use, that end the server or the competition.
_MAX_DEATHS: Final = 3

Report = TypeVar("Report")
Setup = TypeVar("Setup", bound=ProcessSetup)


class ChildProcess(ABC, Generic[Setup, Report]):
    """A process that ``command`` starts, and starts again whenever it ends; ``setup`` is its first order.
    ``lock`` is a descriptor that it keeps open.
    """

    def __init__(self, number: int, command: Sequence[str], setup: Setup, lock: int) -> None:
        self.number = number
        self.url = ""
        self._command = command
        self._setup = setup
        self._lock = lock
        self._link: Link | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._ready = asyncio.Event()
        self._closing: msgspec.Struct | None = None
        #: The process has done what it is for, once.
        self._was_useful = False

    async def run(self) -> None:
        """Run until it is told to end. Raises the error that a process reports, and one with the code
        ``internal`` if none lives long enough to be of use.
        """
        deaths = 0
        while self._closing is None:
            self._was_useful = False
            await self._run_once()
            if self._closing is None:
                deaths = 1 if self._was_useful else deaths + 1
                log.warning("server process ended", process=self.number, deaths=deaths)
                if deaths == _MAX_DEATHS:
                    raise self._error("internal", f"server process {self.number} ended {deaths} times")
            self._forget()

    async def _run_once(self) -> None:
        """Run one process to its end."""
        here, there = socket.socketpair()
        with there:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                str(there.fileno()),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                pass_fds=(there.fileno(), self._lock),
                # Ctrl-C in the terminal is for the parent alone.
                start_new_session=True,
            )
        link = self._link = await open_link(here)
        link.send(self._setup)
        if self._closing is not None:
            link.send(self._closing)
        failure: Failed | None = None
        while (report := await self._receive(link)) is not None:
            if isinstance(report, Failed):
                failure = report
            else:
                self._on_report(report)
        await link.close()
        await self._process.wait()
        if failure is not None:
            raise self._error(failure.code, failure.text)

    @abstractmethod
    async def _receive(self, link: Link) -> Report | Failed | None:
        """Return the next report, or None if the process has ended."""

    @abstractmethod
    def _on_report(self, report: Report) -> None: ...

    def _error(self, code: str, text: str) -> ServerError:
        """Return what a process could not go on for."""
        return ServerError(code, text)

    def _forget(self) -> None:
        """Forget a process that has ended."""
        self._ready.clear()
        self._link = None

    def send(self, order: msgspec.Struct) -> None:
        """Send an order. It is lost if the process has ended."""
        if self._link is not None:
            self._link.send(order)

    def _close(self, order: msgspec.Struct) -> None:
        """Tell the process to end; ``run`` returns when it has."""
        self._closing = order
        self.send(order)

    def kill(self) -> None:
        """End the process that does not end by itself. Its bots end with it."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()


async def wait_closed(
    processes: Sequence[ChildProcess[Setup, Report]], running: Sequence[asyncio.Task[None]]
) -> None:
    """Wait until processes that are told to end, and ``run``, have ended; kill those that take too long."""
    await asyncio.wait(running, timeout=_CLOSE_TIMEOUT)
    for process in processes:
        process.kill()
    await asyncio.gather(*running, return_exceptions=True)
