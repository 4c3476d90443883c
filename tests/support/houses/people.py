"""Clients for the tests of the server: over a wire in memory, and over real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

import msgpack
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Stakes, TableFormat
from dealer.rules.games import load_game
from dealer.table import Clock, Table
from protocol.codec import JSON, Codec
from server.house.house import House
from server.net import gateway
from server.net.connection import Connection
from server.tables.actor import Recorder, TableActor
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.tables.table_updates import TableFacts
from server.web.site import WebServer, serve_web
from tests.support.deals import SEED, deals_for

Message = dict[str, Any]
#: The ways in: the port for bots, and the websocket beside the pages.
Entrance = Literal["picows", "web"]
each_library = pytest.mark.parametrize("library", ["picows", "web"])

#: Seconds after which a message that must come is given up.
PATIENCE = 60.0
PATIENT = Clock(60.0, 0.0)
STAKES = Stakes(5, 10, stack=1000)


def packed(codec: Codec, data: Any) -> bytes:
    """A frame as somebody writes it who has none of our code."""
    frame: bytes = json.dumps(data).encode() if codec is JSON else msgpack.packb(data)
    return frame


def unpacked(codec: Codec, frame: bytes | str) -> list[Message]:
    """The messages of a frame, read in the same way."""
    data = json.loads(frame) if codec is JSON else msgpack.unpackb(frame)
    return data if isinstance(data, list) else [data]


class Memory:
    """A client in this process: a real ``Connection`` whose wire keeps what was sent."""

    def __init__(self, house: House, codec: Codec = JSON) -> None:
        self.codec = codec
        self.frames: list[bytes] = []
        self.closed: tuple[int, str] | None = None
        self.connection = Connection(self, codec, house)
        house.connections.add(self.connection)
        self.heard: list[Message] = []
        self._read = 0

    # Wire.

    def send(self, frame: bytes) -> None:
        assert self.closed is None, "sent after the end"
        self.frames.append(frame)

    def close(self, code: int, reason: str) -> None:
        assert self.closed is None, "closed twice"
        self.closed = (code, reason)

    def unsent_bytes(self) -> int:
        return 0

    # The client's side.

    def throw(self, frame: bytes) -> list[Message]:
        """Send any frame; what it is answered with."""
        self.connection.receive(frame, text=self.codec.text)
        return self.news()

    def say(self, kind: str, **fields: Any) -> list[Message]:
        """Send one message; what it is answered with."""
        return self.throw(packed(self.codec, {"type": kind, **fields}))

    def news(self) -> list[Message]:
        """What was heard since the last time."""
        self.connection.flush()
        fresh = self.frames[self._read :]
        self._read = len(self.frames)
        news = [message for frame in fresh for message in unpacked(self.codec, frame)]
        self.heard += news
        return news

    def break_off(self) -> None:
        """Lose the connection without a word, as a process that dies."""
        self.connection.on_disconnected()


class Remote:
    """A client of a real socket."""

    def __init__(self, socket: ClientConnection, codec: Codec) -> None:
        self.socket = socket
        self.codec = codec
        self.heard: list[Message] = []
        self._pending: list[Message] = []

    async def say(self, kind: str, **fields: Any) -> None:
        """Send one message."""
        await self.throw(packed(self.codec, {"type": kind, **fields}))

    async def throw(self, frame: bytes) -> None:
        """Send any frame, of the kind that the subprotocol uses."""
        await self.socket.send(frame, text=self.codec.text)

    async def hear(self, *kinds: str, where: Callable[[Message], bool] = lambda _: True) -> Message:
        """The next message of one of these kinds; those before it are kept in ``heard``."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while self._pending:
                    message = self._pending.pop(0)
                    self.heard.append(message)
                    if message["type"] in kinds and where(message):
                        return message
                self._pending += unpacked(self.codec, await self.socket.recv())

    async def play(self, action: str = "call", *, hands: int, matches: int = 1) -> None:
        """Answer every turn in the same way until so many hands or matches are over."""
        ended = over = 0
        while ended < hands and over < matches:
            message = await self.hear("match_start", "turn", "hand_end", "match_end")
            if message["type"] == "match_start":
                await self.say("ready", table=message["table"])
            elif message["type"] == "turn":
                await self.say("act", table=message["table"], turn=message["turn"], action=action)
            elif message["type"] == "hand_end":
                ended += 1
            else:
                over += 1


async def opened(house: House, entrance: Entrance, host: str = "127.0.0.1") -> gateway.Gateway | WebServer:
    """Listen; websockets are at ``/ws``, which for the gateway is as good as any other path."""
    if entrance == "web":
        return serve_web(house, host, 0)
    return await gateway.serve(house, host, 0)


class Door:
    """The way into a house that listens at ``url``: ``async with door(codec) as remote``. ``name``: by which
    it is called.
    """

    def __init__(self, entrance: gateway.Gateway | WebServer) -> None:
        self._entrance = entrance
        self.port = entrance.port
        self.url = f"ws://127.0.0.1:{entrance.port}/ws"

    @asynccontextmanager
    async def __call__(
        self, codec: Codec = JSON, name: str = "127.0.0.1", **options: Any
    ) -> AsyncIterator[Remote]:
        names = [Subprotocol(codec.subprotocol)]
        async with connect(
            self.url.replace("127.0.0.1", name),
            host="127.0.0.1",
            port=self.port,
            max_size=None,
            subprotocols=names,
            compression=None,
            **options,
        ) as socket:
            yield Remote(socket, codec)

    async def shut(self) -> None:
        """Close the house."""
        async with asyncio.timeout(PATIENCE):
            await self._entrance.close()


@asynccontextmanager
async def listening(
    library: Entrance = "picows", host: str = "127.0.0.1", *, house: House | None = None, **settings: Any
) -> AsyncIterator[tuple[House, Door]]:
    """A house at a real port, and the way in. One that is not given has these settings."""
    house = house or House(**settings)
    door = Door(await opened(house, library, host))
    try:
        yield house, door
    finally:
        await door.shut()
    assert not house.connections


def at_table(
    house: House,
    players: Sequence[Player],
    *,
    play: TableFormat | None = None,
    hands: int = 10,
    clock: Clock = PATIENT,
    recorder: Recorder | None = None,
    name: str = "m",
    names: Sequence[str] | None = None,
) -> TableActor:
    """A match of these players, by seat: heads-up no-limit if not told. It begins when all are ready."""
    if play is None:
        game = load_game("holdem.nolimit.2p.reverse_blinds")
        play = FixedStacks(game, deals_for(game), hands)
    shown = list(names or [player.name for player in players])
    facts = TableFacts(name, name, shown, list(range(len(players))))
    actor = TableActor(house, Table(play, len(players), clock), facts, recorder, on_ready=TableActor.begin)
    for seat, player in enumerate(players):
        house.players.add(player)
        actor.seat(seat, player)
    return actor


def open_table(
    house: House,
    *,
    seats: int = 3,
    name: str = "table-1",
    stakes: Stakes = STAKES,
    idle: float | None = None,
    title: str = "",
    **settings: Any,
) -> OpenTable:
    """A table at which guests may sit down: cash, if the settings of its config do not say otherwise."""
    config = TableConfig(stakes, seats, **{"clock": PATIENT, "name": title, **settings})
    table = house.open_tables[name] = OpenTable(house, config, name, seed=SEED, idle=idle)
    return table


async def play_on(remote: Remote) -> None:
    """Say ``ready`` and call, without end."""
    while True:
        message = await remote.hear("match_start", "turn")
        if message["type"] == "turn":
            await remote.say("act", table=message["table"], turn=message["turn"], action="call")
        elif message["seat"] >= 0:
            await remote.say("ready", table=message["table"])


async def read_on(remote: Remote) -> None:
    """Read, without end."""
    while True:
        await remote.hear("hand_end")


@asynccontextmanager
async def going_on(*players: Remote, spectators: Sequence[Remote] = ()) -> AsyncIterator[None]:
    """Meanwhile these play, and those look on."""
    tasks = [asyncio.create_task(play_on(player)) for player in players]
    tasks += [asyncio.create_task(read_on(spectator)) for spectator in spectators]
    try:
        yield
        for task in tasks:
            assert not task.done(), task.exception()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def kept(remote: Remote, kind: str) -> list[Message]:
    """What somebody has heard of that kind."""
    return [message for message in remote.heard if message["type"] == kind]
