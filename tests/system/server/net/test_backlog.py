"""Strangers who do not read, or do not finish what they begin, cost a server a bounded amount of memory."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import Any, Final

import pytest

from server.auth.policy import RateLimiter
from server.net import backlog, handshake
from tests.support.certificates import make_certificate
from tests.support.houses.people import Entrance, each_library
from tests.support.houses.raw_websocket import PING, PONG, TEXT, deaf, entrance, raw
from tests.support.programs import PYTHON, Program
from tests.support.strangers import websocket

MIB: Final = 1 << 20
#: What one who does not read may cost, in bytes: what waits for him, and buffers.
ALLOWED: Final = 24 * MIB
#: Bytes of pings that would fill much more.
FLOOD: Final = 48 * MIB


def memory(server: Program) -> int:
    """The most that a process has had in memory, in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "TLS"])
def test_who_pings_and_does_not_read_is_disconnected(secure: bool, tmp_path: Path) -> None:
    ping = bytes([0x89, 0x80 | 125]) + bytes(4) + b"x" * 125
    some = ping * 500
    certificate, key = make_certificate(tmp_path) if secure else ("", "")
    tls = ("--tls-cert", certificate, "--tls-key", key) if secure else ()
    ports = ("--port", "0", "--web-port", "0", "--data", tmp_path / "data", "--bots", "")
    with Program(PYTHON, "-m", "pokerd", "serve", *ports, *tls) as server:
        bots = int(server.says(r"listens at wss?://\S+:(\d+)$")[1])
        people = int(server.says(r"^people: https?://\S+:(\d+)$")[1])
        for port in (bots, people):
            with websocket(port, secure=secure) as deaf:
                before = memory(server)
                try:
                    for _ in range(FLOOD // len(some)):
                        deaf.sendall(some)
                        assert memory(server) < before + ALLOWED
                except (ConnectionError, ssl.SSLError):
                    pass  # disconnected already
            with websocket(port, secure=secure) as newcomer:
                newcomer.sendall(ping)
                assert newcomer.recv(127)[:2] == bytes([0x8A, 125])


@each_library
async def test_pings_are_answered_while_others_wait_and_beyond_the_bound_the_connection_is_closed(
    library: Entrance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "MAX_UNSENT", 20_000)
    monkeypatch.setattr(handshake, "CLOSE_TIMEOUT", 0.3)
    async with entrance(library) as (house, port), deaf(port) as silent, raw(port) as talking:
        [first, second] = house.connections
        for connection in (first, second):
            connection.rate_limiter = None  # as of bots that the server has started
        wires: list[Any] = [first.wire, second.wire]
        sent = 0
        while house.connections == {first, second}:
            for _ in range(200):
                silent.put(PING, b"x" * 125)
            await silent.writer.drain()
            sent += 200
            assert max(wire.unsent_bytes() for wire in wires) < 20_000 + 65536
            talking.put(PING, b"%d" % sent)
            assert await talking.get() == (PONG, b"%d" % sent)
        assert not (first.open and second.open)


@each_library
async def test_pings_and_parts_of_messages_count_as_messages(library: Entrance) -> None:
    for frame in (b"\x89\x80", b"\x8a\x80", b"\x00\x80"):
        async with entrance(library) as (house, port), raw(port) as wire:
            [connection] = house.connections
            connection.rate_limiter = RateLimiter(2)
            wire.put(TEXT, b"[", fin=False)
            wire.writer.write((frame + bytes(4)) * 3)
            while (answer := await wire.get())[0] == PONG:
                pass
            assert b'"too_fast"' in answer[1]
            assert connection.session.refusals


@each_library
async def test_a_handshake_has_a_bounded_length(library: Entrance) -> None:
    async with entrance(library) as (house, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n".encode()
        )
        writer.write((b"X-Long: " + b"x" * 8000 + b"\r\n") * 90 + b"\r\n")
        try:
            answer = await reader.read(100)
        except ConnectionError:
            answer = b""
        assert b" 101 " not in answer
        assert not house.connections
        writer.transport.abort()
