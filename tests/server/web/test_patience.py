"""Who asks slowly, or does not take what he asked for, is not waited for for ever."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server.auth.tokens import edit_access, make_quota
from server.house.admin import Administration
from server.house.house import House
from server.net import backlog
from server.net.listener import ConnectionLimiter
from server.web import http_timeouts as patience
from server.web.site import WebServer, serve_web
from tests.support.bot_programs import until
from tests.support.houses.http_client import PATIENCE, Browser, pages
from tests.support.houses.people import open_table

#: Bytes of a page that no buffer of a socket holds.
LARGE = 12 * 1024 * 1024


@asynccontextmanager
async def open_web(folder: Path) -> AsyncIterator[tuple[WebServer, ConnectionLimiter, str]]:
    """A port for people, its limiter and an admin token."""
    data = folder / "data"
    with edit_access(data) as access:
        root = access.issue("root", make_quota(), admin=True)
    house = House(guests=True)
    house.admission.access = access
    open_table(house)
    files = pages(folder / "pages")
    (files / "large.js").write_bytes(b" " * LARGE)
    limiter = ConnectionLimiter(20)
    web = serve_web(
        house, "127.0.0.1", 0, administration=Administration(house, data), limiter=limiter, folder=files
    )
    await until(lambda: web._http._server.started)
    try:
        yield web, limiter, root
    finally:
        async with asyncio.timeout(PATIENCE):
            await web.close()
    assert limiter.in_use == 0


def came(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    connection.setblocking(False)
    return connection


async def heard(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    parts = []
    async with asyncio.timeout(PATIENCE):
        try:
            while part := await asyncio.get_running_loop().sock_recv(connection, 1 << 20):
                parts.append(part)
        except ConnectionResetError:
            pass
    return b"".join(parts)


@pytest.mark.parametrize(
    ("begun", "drip", "status"),
    [
        (b"", b"", 0),
        (b"GET /api/tables HTTP/1.1\r\nHost: localhost\r\n", b"", 408),
        (b"", b"GET / HTTP/1.1\r\nHost: " + b"a" * 1000, 408),
        (
            b"POST /api/admin/pause HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n",
            b" " * 100,
            401,
        ),
        (b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n", b" " * 100, 405),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 99, 200),
        (
            b"GET /api/tables HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: " + b"a" * 1000,
            200,
        ),
    ],
    ids=["nothing", "half", "drip", "body", "no body wanted", "chunks", "the next one"],
)
async def test_a_request_that_does_not_come(
    begun: bytes, drip: bytes, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "REQUEST", 0.3)
    loop = asyncio.get_running_loop()
    async with open_web(tmp_path) as (web, limiter, _):
        with came(web.port) as connection:
            ended = asyncio.ensure_future(heard(connection))
            await loop.sock_sendall(connection, begun)
            for byte in drip:
                await asyncio.wait([ended], timeout=0.03)
                if ended.done():
                    break
                try:
                    await loop.sock_sendall(connection, bytes([byte]))
                except OSError:
                    break
            answer = await ended
        assert answer[9:12] == (str(status).encode() if status else b"")
        await until(lambda: not limiter.in_use)
        assert (await Browser(web.port).get("/api/tables")).status == 200


async def test_an_order_that_does_not_come_whole_is_answered_and_not_carried_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "REQUEST", 0.3)
    async with open_web(tmp_path) as (web, limiter, root):
        for broken_off in (False, True):
            with came(web.port) as connection:
                order = b'{"table": "table-1"'
                head = (
                    f"Host: localhost\r\nAuthorization: Bearer {root}\r\nContent-Length: 100\r\n\r\n".encode()
                )
                begun = b"POST /api/admin/pause HTTP/1.1\r\n" + head + order
                await asyncio.get_running_loop().sock_sendall(connection, begun)
                if broken_off:
                    await until(lambda: limiter.in_use == 1)
                else:
                    head, _, body = (await heard(connection)).partition(b"\r\n\r\n")
                    assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
                    assert json.loads(body)["code"] == "request_timeout"
            await until(lambda: not limiter.in_use)
        listed = (await Browser(web.port).get("/api/admin", Authorization=f"Bearer {root}")).json()
        assert [(one["table"], one["paused"]) for one in listed["tables"]] == [("table-1", False)]


def reader(port: int, requests: int = 1, room: int = 4096) -> socket.socket:
    """Somebody who asks for much, and can take little at a time."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    connection.connect(("127.0.0.1", port))
    connection.setblocking(False)
    connection.send(b"GET /static/large.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * requests)
    return connection


def unsent(web: WebServer) -> int:
    return sum(one.unsent for one in list(web._http._server.server_state.connections))  # type: ignore[union-attr]


async def test_an_answer_that_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_web(tmp_path) as (web, limiter, _):
        with reader(web.port, 50) as lazy:
            await until(lambda: unsent(web) > LARGE // 2)
            assert (await Browser(web.port).get("/api/tables")).status == 200
            assert unsent(web) <= LARGE + 65536  # one answer, whatever else was asked for
            monkeypatch.setattr(patience, "TAKE", 0.3)
            await until(lambda: not limiter.in_use)
            assert len(await heard(lazy)) < LARGE


async def test_a_slow_reader_gets_all_of_it(tmp_path: Path) -> None:
    async with open_web(tmp_path) as (web, _, _):
        with reader(web.port, room=1 << 18) as slow:
            await until(lambda: unsent(web) > LARGE // 2)
            taken = 0
            while taken < LARGE:
                async with asyncio.timeout(PATIENCE):
                    taken += len(await asyncio.get_running_loop().sock_recv(slow, 1 << 20))
        assert LARGE < taken < LARGE + 1000


async def test_of_many_readers_those_go_for_whom_most_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_web(tmp_path) as (web, limiter, _):
        with reader(web.port), reader(web.port), reader(web.port):
            await until(lambda: unsent(web) > 2 * LARGE)
            monkeypatch.setattr(backlog, "MAX_UNSENT_TOTAL", int(1.5 * LARGE))
            await until(lambda: limiter.in_use == 1)
            assert 0 < unsent(web) < LARGE
