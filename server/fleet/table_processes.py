"""The processes of ``serve --workers`` that play the tables of its options, from the side of their parent.

Each has a house, house bots and a port of its own, and stores its hands in the archive of the parent
(``server.storage.hand_db``), before any bot learns of them. If one ends, another one takes its place and goes
on with its tables. If the parent ends, they all end; until then the directory is locked.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
import structlog
from msgspec import structs

from protocol.codec import JSON
from server.bots.sandbox import Strictness
from server.errors import ServerError
from server.fleet.process_messages import Failed, Link, RemoteBots, open_link
from server.house.house import House
from server.house.remote_tables import (
    Answer,
    Close,
    Gone,
    Heard,
    Hung,
    Listening,
    Open,
    Order,
    RemoteTable,
    Report,
    Request,
    Tables,
    relay,
)
from server.house.table_report import TableReport
from server.net.connection import Connection
from server.tables.config import TableConfig
from server.telemetry.logging_setup import LogStyle
from server.telemetry.metrics import HANDS

log = structlog.get_logger("pokerd.fleet")

#: Seconds that a process has to end by itself.
_CLOSE_TIMEOUT: Final = 30.0
#: Ends of a process in a row, before it can open tables, that end the server.
_MAX_DEATHS: Final = 3


class WorkerSetup(msgspec.Struct, frozen=True):
    """The first line to a worker: its ``number``, the archive, where its bots log (or ""), what no bot may
    read, the log ("": standard error), and how it listens: at ``port``, 0 for any.
    """

    number: int
    archive: str
    bot_logs: str
    secret: list[str]
    sandbox: Strictness | None
    log_level: str
    log_file: str
    log_style: LogStyle
    listen: RemoteBots
    port: int


_decode_report = msgspec.json.Decoder(Report | Failed).decode
decode_order: Final = msgspec.json.Decoder(Order).decode
decode_worker_setup: Final = msgspec.json.Decoder(WorkerSetup).decode


class Worker:
    """A process that plays tables of ``house``; it is started again whenever it ends. ``command`` starts it
    and ``setup`` is its first order; ``lock`` is a descriptor that it keeps open. ``on_hands`` is told of
    hands that it has stored.
    """

    def __init__(
        self,
        house: House,
        command: Sequence[str],
        setup: WorkerSetup,
        lock: int,
        on_hands: Callable[[int], None],
    ) -> None:
        self.url = ""
        self.relays: dict[int, Connection] = {}
        self.number = setup.number
        #: Its tables, by name.
        self.configs: dict[str, TableConfig] = {}
        self._house = house
        self._command = command
        self._setup = setup
        self._lock = lock
        self._on_hands = on_hands
        self._link: Link | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._ready = asyncio.Event()
        self._closing: Close | None = None
        self._last_request = 0
        self._asked: dict[int, asyncio.Future[Answer | None]] = {}

    @property
    def seats(self) -> int:
        """Return the number of seats of its tables."""
        return sum(config.seats for config in self.configs.values())

    async def run(self) -> None:
        """Run until ``close``. Raises the ``ServerError`` that a process reports, and one with the code
        ``internal`` if none lives long enough to play.
        """
        deaths = 0
        while self._closing is None:
            was_ready = await self._run_once()
            if self._closing is None:
                deaths = 1 if was_ready else deaths + 1
                log.warning("server process ended", process=self.number, deaths=deaths)
                if deaths == _MAX_DEATHS:
                    raise ServerError("internal", f"server process {self.number} ended {deaths} times")
            self._forget()

    async def _run_once(self) -> bool:
        """Run one process to its end. Return whether it could open tables."""
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
        while (report := await link.receive(_decode_report)) is not None:
            if isinstance(report, Failed):
                failure = report
            elif self._closing is None:
                self._on_report(report)
        await link.close()
        await self._process.wait()
        if failure is not None:
            raise ServerError(failure.code, failure.text)
        return self._ready.is_set()

    def _forget(self) -> None:
        """Forget a process that has ended. Its tables wait for the next one."""
        self._ready.clear()
        self._link = None
        self.relays.clear()
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_result(None)
        self._asked.clear()

    def _on_report(self, report: Report) -> None:
        house = self._house
        match report:
            case Listening(url, port):
                self._on_listening(url, port)
            case Tables(reports):
                self._count(sum(map(self._update, reports)))
            case Gone(name):
                self.configs.pop(name, None)
                house.remote_tables.pop(name).forget()
            case Heard(number, frame):
                if number in self.relays:
                    for message in JSON.decode_server(bytes(frame)):
                        relay(self.relays[number], message)
            case Hung(number):
                self.relays.pop(number, None)
            case Answer():
                waiting = self._asked.pop(report.request, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(report)

    def _on_listening(self, url: str, port: int) -> None:
        self.url = url
        # Programs return to where they were.
        self._setup = structs.replace(self._setup, port=port)
        for name, config in self.configs.items():
            self.send(Open(name, config))
        self._ready.set()
        for table in self._house.remote_tables.values():
            if table.process is self:
                table.reenter()

    def _update(self, report: TableReport) -> int:
        """Note the state of a table, and return the number of hands since the last report."""
        tables, name = self._house.remote_tables, report.listing.table
        if name not in tables:
            tables[name] = RemoteTable(report, self, self._house.players)
        return tables[name].update(report)

    def _count(self, hands: int) -> None:
        if hands:
            HANDS.inc(hands)
            self._on_hands(hands)

    def send(self, order: Order) -> None:
        """Send an order. It is lost if the process has ended."""
        if self._link is not None:
            self._link.send(order)

    async def ask(self, request: Request) -> Answer:
        """Send a request, again if the process ends meanwhile, and return the answer."""
        answer = None
        while answer is None:
            await self._ready.wait()
            self._last_request += 1
            waiting: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
            self._asked[self._last_request] = waiting
            self.send(structs.replace(request, request=self._last_request))
            answer = await waiting
        return answer

    async def open(self, name: str, config: TableConfig) -> None:
        """Open a table, or go on with it if it is stored."""
        await self.ask(Open(name, config))
        self.configs[name] = config

    def health(self) -> str:
        """Return what is wrong, or an empty string."""
        return "" if self._ready.is_set() else f"server process {self.number} is being started"

    def close(self) -> None:
        """Tell the process to end; ``run`` returns when it has."""
        self._closing = Close()
        self.send(self._closing)

    def kill(self) -> None:
        """End the process that does not end by itself. Its bots end with it."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()


class Workers:
    """The workers of a server, which run until ``close``."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self.workers = workers
        self._running = [asyncio.create_task(one.run(), name=f"process {one.number}") for one in workers]

    async def close(self) -> None:
        """Have all tables stored, and end the processes."""
        for one in self.workers:
            one.close()
        await asyncio.wait(self._running, timeout=_CLOSE_TIMEOUT)
        for one in self.workers:
            one.kill()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def open(self, tables: Mapping[str, TableConfig]) -> None:
        """Open tables in this order, each where the fewest seats are. Raises like ``wait_for_failure``."""
        opening = asyncio.create_task(self._open(tables), name="opening tables")
        try:
            await asyncio.wait([opening, *self._running], return_when=asyncio.FIRST_COMPLETED)
            if not opening.done():
                await self.wait_for_failure()
        finally:
            opening.cancel()
            await asyncio.wait([opening])
        opening.result()

    async def _open(self, tables: Mapping[str, TableConfig]) -> None:
        for name, config in tables.items():
            await min(self.workers, key=lambda one: one.seats).open(name, config)

    async def wait_for_failure(self) -> None:
        """Wait for the first worker that is not started again, and raise why: ``ServerError``."""
        done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        done.pop().result()
