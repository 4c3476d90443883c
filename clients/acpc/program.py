"""An ACPC program: a process that we start, and its TCP connection to us, its dealer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final, cast

from clients.errors import ClientError
from protocol.acpc import LineReader, encode_lines, line_text, parse_version, speaks_version

HOST: Final = "127.0.0.1"
#: Seconds for a program to end after its connection was closed, and again after SIGTERM: less than the two
#: seconds in all that the server allows.
STOP_TIMEOUT: Final = 0.75
#: Maximum number of bytes that wait for a program that does not read.
MAX_BUFFERED: Final = 1024 * 1024

#: The failures of the program itself; ``protocol.acpc.FAULTS`` has those of its lines.
FAILURES: Final[dict[str, str]] = {
    "cannot_start": "The program cannot be started.",
    "start_timeout": "The program did not connect, or did not send its version, within --start-timeout.",
    "bad_version": "The program's first line was not VERSION:2.0.0.",
    "ended": "The program has ended.",
    "gone": "The program closed its connection.",
    "not_reading": "The program does not read what it receives.",
}


class ProgramFailure(ClientError):
    """The program cannot continue; ``code`` is a key of ``FAILURES``."""

    at_fault = "player"


class AcpcProgram(asyncio.Protocol):
    """A run of ``command``, with ``{host}``, ``{port}``, ``{game}`` and ``{python}`` replaced; host and port
    are appended without ``{port}``.

    ``on_ready`` is called after its version line, ``on_line`` with every later line. ``output``: where its
    output goes; None: where ours goes. ``start_timeout``: seconds until the version line.
    """

    def __init__(
        self,
        command: Sequence[str],
        game: Path,
        *,
        start_timeout: float,
        output: IO[bytes] | None,
        strict: bool,
        on_ready: Callable[[AcpcProgram], None],
        on_line: Callable[[AcpcProgram, bytes], None],
    ) -> None:
        self.ready = False
        self._command = command
        self._game = game
        self._start_timeout = start_timeout
        self._output = output
        self._strict = strict
        self._on_ready = on_ready
        self._on_line = on_line
        self._reader = LineReader()
        self._transport: asyncio.Transport | None = None
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    # Its life.

    async def run(self) -> None:
        """Start it and wait until it failed or ``stop`` was called; then no process is left.

        Raises ``ProgramFailure``. Do not cancel this: call ``stop``.
        """
        loop = asyncio.get_running_loop()
        listener = await loop.create_server(self._accept, HOST, 0)
        try:
            process = await self._launch(listener.sockets[0].getsockname()[1])
            timer = loop.call_later(self._start_timeout, self._on_start_timeout)
            try:
                await self._wait_until_over(process)
            finally:
                timer.cancel()
        finally:
            listener.close()

    async def _wait_until_over(self, process: Process) -> None:
        exit_watch = asyncio.ensure_future(process.wait())
        exit_watch.add_done_callback(lambda _: self._on_exit())
        failure: ProgramFailure | None = None
        try:
            await self._ended
        except ProgramFailure as error:
            failure = error
        by_itself = await self._shut_down(process)
        await exit_watch
        if failure is not None:
            if failure.code == "gone" and by_itself:
                failure = ProgramFailure("ended", "the program has ended")
            if failure.code == "ended":
                raise ProgramFailure("ended", f"{failure} ({_exit_text(process.returncode)})")
            raise failure

    def stop(self) -> None:
        """Stop the program and its child processes."""
        self.ready = False
        if not self._ended.done():
            self._ended.set_result(None)

    def _fail(self, code: str, detail: str) -> None:
        self.ready = False
        if not self._ended.done():
            self._ended.set_exception(ProgramFailure(code, detail))

    async def _launch(self, port: int) -> Process:
        filled = {"{host}": HOST, "{port}": str(port), "{game}": str(self._game), "{python}": sys.executable}
        words = list(self._command)
        if not any("{port}" in word for word in words):
            words += ["{host}", "{port}"]
        for mark, value in filled.items():
            words = [word.replace(mark, value) for word in words]
        try:
            return await asyncio.create_subprocess_exec(
                *words, stdin=DEVNULL, stdout=self._output, stderr=self._output, start_new_session=True
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL character in a word
            raise ProgramFailure("cannot_start", f"{words[0]} cannot be started: {error}") from None

    async def _shut_down(self, process: Process) -> bool:
        """Close the connection, wait a moment, then kill the process; return whether it ended by itself."""
        if self._transport is None:
            _signal(process, signal.SIGTERM)
        elif not self._transport.is_closing():
            # Close our direction only, so that the program can finish a line without an error.
            self._transport.write_eof()
        by_itself = False
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                await asyncio.wait_for(process.wait(), STOP_TIMEOUT)
            except TimeoutError:
                _signal(process, number)
            else:
                by_itself = number is signal.SIGTERM
                break
        await process.wait()
        # Child processes may outlive it; the group can still be signalled.
        _signal(process, signal.SIGKILL)
        if self._transport is not None:
            self._transport.abort()
        return by_itself

    def _on_exit(self) -> None:
        # With a connection, its end decides: data may still arrive.
        if self._transport is None:
            self._fail("ended", "the program ended before it connected")

    def _on_start_timeout(self) -> None:
        if not self.ready:
            what = "connect" if self._transport is None else "say its version"
            self._fail("start_timeout", f"the program did not {what} within {self._start_timeout:g} s")

    # Its connection.

    def _accept(self) -> asyncio.BaseProtocol:
        return self if self._transport is None and not self._ended.done() else _RejectedConnection()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Handle the program's connection."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Handle data from the program."""
        for line in self._reader.feed(data):
            self._receive_line(line)

    def eof_received(self) -> None:
        """Handle the end of the program's data; the last line needs no newline."""
        rest = self._reader.flush()
        if rest:
            self._receive_line(rest)

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle the end of the connection."""
        self._fail("gone", "the program closed its connection")

    def _receive_line(self, line: bytes) -> None:
        if self._ended.done():
            return
        if self.ready:
            self._on_line(self, line)
            return
        version = parse_version(line_text(line))
        if version is None or (self._strict and not speaks_version(version)):
            self._fail("bad_version", f"the program's first line was {line_text(line)[:60]!r}")
            return
        self.ready = True
        self._on_ready(self)

    def write(self, lines: Sequence[str]) -> None:
        """Send lines, given without line ends, if the program is connected."""
        if not self.ready or self._transport is None:
            return
        self._transport.write(encode_lines(lines))
        if self._transport.get_write_buffer_size() > MAX_BUFFERED:
            self._fail("not_reading", "the program does not read what it receives")


class _RejectedConnection(asyncio.Protocol):
    """A second connection to the port, which is closed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).abort()


def _signal(process: Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _exit_text(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
