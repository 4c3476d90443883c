"""ACPC programs that come into a house over a websocket, and play there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from dealer.rules.games import load_game
from server.net.acpc_codec import ACPC
from server.net.connection import CLOSE_NORMAL
from tests.acpc.player import PLAYERS, Seen
from tests.support.houses.people import PATIENCE

VERSION = "VERSION:2.0.0\r\n"


@asynccontextmanager
async def joined(url: str, **query: str) -> AsyncIterator[ClientConnection]:
    """A program that has said its version."""
    path = "?" + "&".join(f"{key}={value}" for key, value in query.items())
    async with connect(url + path, subprotocols=[Subprotocol(ACPC)], compression=None) as socket:
        assert socket.subprotocol == ACPC
        await socket.send(VERSION)
        yield socket


async def play(socket: ClientConnection, kind: str, game_name: str) -> list[str]:
    """Play as a program of that kind until the server closes; every line that was heard."""
    game = load_game(game_name)
    heard: list[str] = []
    async with asyncio.timeout(PATIENCE * 6):
        async for frame in socket:
            assert isinstance(frame, str)
            for line in frame.split("\r\n")[:-1]:
                heard.append(line)
                if not line.startswith("#"):
                    seen = Seen(game, line)
                    if seen.mine:
                        await socket.send("".join(PLAYERS[kind](seen)))
    assert socket.close_code == CLOSE_NORMAL
    return heard
