"""The processes of ``serve --workers`` that play the tables of its options, from the side of their parent.

Each has a house, house bots and a port of its own, and stores its hands in the archive of the parent
(``server.storage.hand_db``), before any bot learns of them. If one ends, another one takes its place and goes
on with its tables. If the parent ends, they all end; until then the directory is locked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import structs

from protocol.codec import JSON
from server.fleet.child_process import ChildProcess, wait_closed
from server.fleet.process_messages import Failed, Link, ProcessSetup, RemoteBots
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
from server.telemetry.logger import get_logger
from server.telemetry.metrics import HANDS

log = get_logger("pokerd.fleet")


class WorkerSetup(ProcessSetup, frozen=True, kw_only=True):
    """The setup of a worker: its ``number``, the archive, where its bots log (or ""), and how it listens: at
    ``port``, 0 for any.
    """

    number: int
    archive: str
    bot_logs: str
    listen: RemoteBots
    port: int


_decode_report = msgspec.json.Decoder(Report | Failed).decode
decode_order: Final = msgspec.json.Decoder(Order).decode
decode_worker_setup: Final = msgspec.json.Decoder(WorkerSetup).decode


class Worker(ChildProcess[WorkerSetup, Report]):
    """A process that plays tables of ``house``, of use if it could open some. ``on_hands`` is told of hands
    that it has stored.
    """

    def __init__(
        self,
        house: House,
        command: Sequence[str],
        setup: WorkerSetup,
        lock: int,
        on_hands: Callable[[int], None],
    ) -> None:
        super().__init__(setup.number, command, setup, lock)
        self.relays: dict[int, Connection] = {}
        #: Its tables, by name.
        self.configs: dict[str, TableConfig] = {}
        self._house = house
        self._on_hands = on_hands
        self._last_request = 0
        self._asked: dict[int, asyncio.Future[Answer | None]] = {}

    @property
    def seats(self) -> int:
        """Return the number of seats of its tables."""
        return sum(config.seats for config in self.configs.values())

    async def _receive(self, link: Link) -> Report | Failed | None:
        return await link.receive(_decode_report)

    def _forget(self) -> None:
        """Forget a process that has ended. Its tables wait for the next one."""
        super()._forget()
        self.relays.clear()
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_result(None)
        self._asked.clear()

    def _on_report(self, report: Report) -> None:
        if self._closing is not None:
            return
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
        self._was_useful = True
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
        self._close(Close())


class Workers:
    """The workers of a server, which run until ``close``."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self.workers = workers
        self._running = [asyncio.create_task(one.run(), name=f"process {one.number}") for one in workers]

    async def close(self) -> None:
        """Have all tables stored, and end the processes."""
        for one in self.workers:
            one.close()
        await wait_closed(self.workers, self._running)

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
