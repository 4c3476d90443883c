"""The relay of an isolated program closes all it has accepted, whenever it ends."""

from __future__ import annotations

import asyncio
import gc
import socket

import pytest

from server.bots.seat_relay import MAX_CONNECTIONS, SeatRelay


@pytest.mark.parametrize("steps", range(6))
async def test_closed_while_a_connection_begins(steps: int) -> None:
    # A socket that is lost unclosed is a ResourceWarning, which fails the test.
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    listening = socket.create_server(("127.0.0.1", 0))
    relay = SeatRelay(listening, *server.sockets[0].getsockname())
    with socket.create_connection(listening.getsockname()) as program:
        program.setblocking(False)
        for _ in range(steps):
            await asyncio.sleep(0)
        await relay.close()
        gc.collect()
        try:
            assert await asyncio.wait_for(asyncio.get_running_loop().sock_recv(program, 1), 5) == b""
        except ConnectionResetError:
            pass  # it had not been accepted yet
    server.close()
    await server.wait_closed()


async def test_one_connection_more_than_allowed_is_closed() -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"!")
        await ended.wait()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    listening = socket.create_server(("127.0.0.1", 0))
    relay = SeatRelay(listening, *server.sockets[0].getsockname())
    programs = [socket.create_connection(listening.getsockname()) for _ in range(MAX_CONNECTIONS + 1)]
    for program in programs:
        program.setblocking(False)
    heard = await asyncio.wait_for(asyncio.gather(*(loop.sock_recv(program, 1) for program in programs)), 5)
    assert heard == [b"!"] * MAX_CONNECTIONS + [b""]
    await relay.close()
    for program in programs:
        program.close()
    ended.set()
    server.close()
    await server.wait_closed()
