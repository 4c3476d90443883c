"""Servers of batches for tests, and clients that have none of our code but the layout."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from pokerd.commands.serve import make_batch
from protocol.batch import BATCH
from server.auth.policy import AdmissionPolicy
from server.house.house import House
from server.net import gateway
from server.net.batch_room import BatchLimits, BatchRoom
from strategy.batch.wire import ServerFrame, answer_frame, read_frame, row_type

PATIENCE = 300.0  # where nothing was installed the first call compiles
LIMIT = "holdem.limit.2p.reverse_blinds"


class Served(NamedTuple):
    """A server in a thread of its own."""

    url: str
    house: House
    room: BatchRoom


@contextmanager
def serving(limits: BatchLimits, admission: AdmissionPolicy | None = None) -> Iterator[Served]:
    """Serve batches in another thread."""
    started: list[Served] = []
    ready, stop = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def main() -> None:
        house = House(guests=True, admission=admission)
        room = BatchRoom(make_batch, limits)
        entrance = await gateway.serve(house, "127.0.0.1", 0, batches=room if limits.connections else None)
        loops.append(asyncio.get_running_loop())
        started.append(Served(f"ws://127.0.0.1:{entrance.port}", house, room))
        ready.set()
        await stop.wait()
        await entrance.close()

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield started[0]
    finally:
        loops[0].call_soon_threadsafe(stop.set)
        thread.join(PATIENCE)


def first(frame: str) -> dict[str, Any]:
    """The first message of a frame."""
    found = json.loads(frame)
    message: dict[str, Any] = found[0] if isinstance(found, list) else found
    return message


class Bot:
    """A client: ``said`` is what came last."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.row: np.dtype[Any] = row_type(2, 1)

    def text(self) -> dict[str, Any]:
        """The next message in text; frames in between are passed over."""
        while True:
            frame = self.socket.recv(PATIENCE)
            if isinstance(frame, str):
                return first(frame)

    def say(self, message: dict[str, Any]) -> None:
        self.socket.send(json.dumps(message))

    def open(self, **settings: Any) -> dict[str, Any]:
        """Open tables; the answer."""
        asked = {"type": "open", "game": LIMIT, "opponents": ["call"], "tables": 4, "history": 24, **settings}
        self.say(asked)
        answer = self.text()
        if answer["type"] == "opened":
            players = len(answer["names"])
            self.row = row_type(players, answer["history"])
            assert self.row.itemsize == answer["row"]
        return answer

    def frame(self) -> ServerFrame:
        """The next frame of rows."""
        frame = self.socket.recv(PATIENCE)
        assert isinstance(frame, bytes), frame
        return read_frame(frame, self.row)

    def play_on(self) -> dict[str, Any]:
        """Answer frames until a message in text comes, and return it."""
        while True:
            frame = self.socket.recv(PATIENCE)
            if isinstance(frame, str):
                return first(frame)
            self.answer(read_frame(frame, self.row))

    def answer(self, frame: ServerFrame, actions: Any = 1, to: Any = 0) -> None:
        self.socket.send(answer_frame(int(frame.header["frame"]), frame.turns["table"], actions, to))


@contextmanager
def connected(url: str, name: str = "me", **hello: Any) -> Iterator[Bot]:
    """A client that has said hello."""
    with connect(url, subprotocols=[Subprotocol(BATCH)], compression=None, max_size=None) as socket:
        bot = Bot(socket)
        bot.say({"type": "hello", "name": name, **hello})
        assert bot.text()["type"] == "welcome"
        yield bot
