"""A house in this process at a real port, SDK bots in threads, and a line between that can be cut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from dealer.rules.events import Event
from pokerd_bot.bot import Bot
from pokerd_bot.hand import Match
from pokerd_bot.running import run
from protocol.codec import JSON, Codec
from server.house.house import House
from server.net import gateway
from tests.support.houses.people import PATIENCE, Remote


@asynccontextmanager
async def opened(**settings: Any) -> AsyncIterator[tuple[House, str]]:
    """A listening house and its address."""
    house = House(**settings)
    entrance = await gateway.serve(house, "127.0.0.1", 0)
    try:
        yield house, f"ws://127.0.0.1:{entrance.port}"
    finally:
        async with asyncio.timeout(PATIENCE):
            await entrance.close()


@asynccontextmanager
async def come(url: str, codec: Codec = JSON) -> AsyncIterator[Remote]:
    """A client without the SDK."""
    async with connect(url, subprotocols=[Subprotocol(codec.subprotocol)], compression=None) as socket:
        yield Remote(socket, codec)


@asynccontextmanager
async def playing(
    factory: Callable[[Match], Bot], url: str, **options: Any
) -> AsyncIterator[asyncio.Task[int]]:
    """An SDK bot as its author runs it; the task has what ``run`` returns."""
    task = asyncio.create_task(asyncio.to_thread(run, factory, url=url, **options), name="bot")
    try:
        yield task
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait([task])
    finally:
        task.cancel()


async def until(what: Callable[[], object]) -> None:
    """Let the loop run until something is so."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(PATIENCE):
        while not what():
            passed = asyncio.Event()
            loop.call_later(0.01, passed.set)
            await passed.wait()


class Kept:
    """A recorder that keeps the hands."""

    def __init__(self) -> None:
        self.hands: list[tuple[Event, ...]] = []

    def record_hand(self, events: Sequence[Event]) -> None:
        self.hands.append(tuple(events))


class Proxy:
    """A line between a client and a server that can be cut."""

    def __init__(self, target: str) -> None:
        self._host, port = target.removeprefix("ws://").split(":")
        self._port = int(port)
        self._writers: set[asyncio.StreamWriter] = set()
        self.connections = 0
        self.closed = False

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()
        await self._server.wait_closed()
        await until(lambda: not self._writers)

    def cut(self) -> None:
        """Break every connection in the middle of whatever goes over it."""
        for writer in self._writers:
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.closed:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection(self._host, self._port)
        ends = {writer, back}
        self._writers |= ends
        async with asyncio.TaskGroup() as group:
            group.create_task(self._pipe(reader, back, ends))
            group.create_task(self._pipe(there, writer, ends))
        self._writers -= ends

    async def _pipe(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, ends: set[asyncio.StreamWriter]
    ) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        for end in ends:
            end.close()
