"""Websockets by hand, to send what no library would."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from protocol.codec import JSON, Codec
from server.house.house import House
from server.net.connection import Connection
from tests.support.houses.people import PATIENCE, Entrance, opened

TEXT, BINARY, CONTINUED, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10


@asynccontextmanager
async def entrance(library: Entrance, **options: Any) -> AsyncIterator[tuple[House, int]]:
    """A house that listens, and its port."""
    house = House(guests=True, **options)
    listening_here = await opened(house, library)
    try:
        yield house, listening_here.port
    finally:
        async with asyncio.timeout(PATIENCE):
            await listening_here.close()
        assert not house.connections


class Raw:
    """A websocket by hand, to send what no library would."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def put(
        self, opcode: int, payload: bytes = b"", *, fin: bool = True, rsv: int = 0, masked: bool = True
    ) -> None:
        head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
        mark = 0x80 if masked else 0
        if len(payload) < 126:
            head += bytes([mark | len(payload)])
        elif len(payload) < 65536:
            head += bytes([mark | 126]) + struct.pack(">H", len(payload))
        else:
            head += bytes([mark | 127]) + struct.pack(">Q", len(payload))
        if masked:
            key = os.urandom(4)
            payload = bytes(byte ^ key[at % 4] for at, byte in enumerate(payload))
            head += key
        self.writer.write(head + payload)

    async def get(self) -> tuple[int, bytes]:
        """Opcode and payload of the server's next frame; opcode -1 when the connection is gone."""
        async with asyncio.timeout(PATIENCE):
            try:
                first, length = await self.reader.readexactly(2)
                if length == 126:
                    [length] = struct.unpack(">H", await self.reader.readexactly(2))
                elif length == 127:
                    [length] = struct.unpack(">Q", await self.reader.readexactly(8))
                return first & 15, await self.reader.readexactly(length)
            except (asyncio.IncompleteReadError, ConnectionError):
                return -1, b""

    async def close_code(self) -> int:
        """The code of the server's closing frame, -1 without one. What comes before is passed over."""
        while True:
            opcode, payload = await self.get()
            if opcode == CLOSE:
                return int.from_bytes(payload[:2], "big")
            if opcode == -1:
                return -1


@asynccontextmanager
async def raw(port: int, codec: Codec | None = JSON) -> AsyncIterator[Raw]:
    """A connection after its handshake."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        await upgrade(reader, writer, port, codec)
        yield Raw(reader, writer)
    finally:
        writer.transport.abort()


def buffers(connection: Connection) -> socket.socket:
    """The server's end of a connection, as the system knows it."""
    wire: Any = connection.wire
    transport = wire.raw if hasattr(wire, "raw") else wire.transport
    found: socket.socket = transport.get_extra_info("socket")
    return found


@asynccontextmanager
async def deaf(port: int) -> AsyncIterator[Raw]:
    """A connection that reads next to nothing and has next to no room for what comes in."""
    with socket.create_connection(("127.0.0.1", port)) as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=plain, limit=1024)
        try:
            await upgrade(reader, writer, port, None)
            yield Raw(reader, writer)
        finally:
            writer.transport.abort()


async def upgrade(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, codec: Codec | None
) -> None:
    """The handshake of a websocket."""
    key = base64.b64encode(os.urandom(16)).decode()
    offer = f"Sec-WebSocket-Protocol: {codec.subprotocol}\r\n" if codec is not None else ""
    writer.write(
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{offer}\r\n".encode()
    )
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
