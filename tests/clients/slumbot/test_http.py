"""The HTTP server of Slumbot's API, over real sockets."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from logging.handlers import BufferingHandler

import pytest

from clients.slumbot import http
from clients.slumbot.http import HttpServer
from tests.support.houses.open_house import until

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Echo:
    """Answers with path and body; ``/wait`` is never answered, ``/fail`` by an exception."""

    def __init__(self) -> None:
        self.waiting = 0
        self.cancelled = 0

    async def answer(self, path: str, body: bytes) -> tuple[HTTPStatus, bytes]:
        if path == "/fail":
            raise ZeroDivisionError
        if path == "/wait":
            self.waiting += 1
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        return HTTPStatus.OK, path.encode() + b" " + body


class Place:
    """A listening server; ``call`` connects to it."""

    def __init__(self, port: int, server: HttpServer, echo: Echo) -> None:
        self.server = server
        self.echo = echo
        self._port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def call(self, *data: bytes) -> Streams:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers.append(writer)
        for part in data:
            writer.write(part)
            await writer.drain()
        return reader, writer

    def hang_up(self) -> None:
        for writer in self._writers:
            writer.close()


@asynccontextmanager
async def listening() -> AsyncIterator[Place]:
    echo = Echo()
    server = HttpServer(echo.answer)
    listener = await asyncio.get_running_loop().create_server(server.make_connection, "127.0.0.1", 0)
    place = Place(listener.sockets[0].getsockname()[1], server, echo)
    try:
        yield place
    finally:
        place.hang_up()
        listener.close()
        server.close()
        await until(lambda: not server.connections)


def request(path: str, body: bytes = b"", *headers: str, version: str = "HTTP/1.1") -> bytes:
    lines = [f"POST {path} {version}", "Host: here", f"content-length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


async def response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    async with asyncio.timeout(30):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        (length,) = [int(line[16:]) for line in head.split("\r\n") if line.startswith("Content-Length: ")]
        return int(head.split()[1]), await reader.readexactly(length)


async def closed(reader: asyncio.StreamReader) -> bool:
    """Wait for the end of a connection on which nothing was answered."""
    async with asyncio.timeout(30):
        try:
            return await reader.read() == b""
        except ConnectionError:
            return True


async def test_requests_of_a_connection_are_answered_in_turn() -> None:
    async with listening() as place:
        reader, writer = await place.call(request("/a?x=1", b"{}"))
        assert await response(reader) == (200, b"/a {}")
        last = request("/d", b"3")
        writer.write(request("/b", b"1") + request("/c", b"2") + last[:20])
        assert await response(reader) == (200, b"/b 1")
        assert await response(reader) == (200, b"/c 2")
        for byte in last[20:]:
            writer.write(bytes([byte]))
            await writer.drain()
        assert await response(reader) == (200, b"/d 3")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /a HTTP/1.1\r\n\r\n", 405),
        (b"POST /a HTTP/1.1\r\n\r\n", 411),
        (b"POST /a HTTP/1.1\r\ncontent-length: -1\r\n\r\n", 411),
        (b"POST /a HTTP/1.1\r\ncontent-length: \xb2\r\n\r\n", 411),
        (b"POST /a HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", 411),
        (b"POST /a HTTP/1.1\r\ncontent-length: 99999\r\n\r\n", 413),
        (b"POST /a HTTP/1.1\r\ncontent-length: " + b"9" * 6000 + b"\r\n\r\n", 413),
        (b"x" * 17_000, 413),
        (b"POST /a HTTP/2\r\n\r\n", 400),
        (b"\x16\x03\x01\x00\xa5\r\n\r\n", 400),
    ],
)
async def test_what_is_no_request_is_refused_and_the_connection_closed(sent: bytes, status: int) -> None:
    async with listening() as place:
        reader, _ = await place.call(sent)
        answer, body = await response(reader)
        assert (answer, body[:14]) == (status, b'{"error_msg":"')
        assert await reader.read() == b""


@pytest.mark.parametrize(("headers", "version"), [(("Connection: Close",), "HTTP/1.1"), ((), "HTTP/1.0")])
async def test_a_client_may_want_one_answer_only(headers: tuple[str, ...], version: str) -> None:
    async with listening() as place:
        reader, _ = await place.call(request("/a", b"1", *headers, version=version))
        assert await response(reader) == (200, b"/a 1")
        assert await reader.read() == b""


async def test_the_request_of_a_client_that_has_gone_is_cancelled() -> None:
    async with listening() as place:
        _, writer = await place.call(request("/wait"))
        await until(lambda: place.echo.waiting)
        writer.close()
        await until(lambda: place.echo.cancelled)


async def test_a_fault_of_ours_is_told_to_the_client_and_to_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    log = logging.Logger("test")  # noqa: LOG001 (nobody else is to hear of it)
    kept = BufferingHandler(9)
    log.addHandler(kept)
    monkeypatch.setattr(http, "LOG", log)
    async with listening() as place:
        reader, _ = await place.call(request("/fail"))
        assert (await response(reader))[0] == 500
        assert await reader.read() == b""
    assert [record.exc_info[0] for record in kept.buffer if record.exc_info] == [ZeroDivisionError]


async def test_the_connection_idle_for_longest_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_CONNECTIONS", 2)
    async with listening() as place:
        await place.call(request("/wait"))
        await until(lambda: place.echo.waiting)
        slow, _ = await place.call(b"POST /a HT")
        fresh, writer = await place.call(request("/b"))
        assert await response(fresh) == (200, b"/b ")
        assert await closed(slow)
        writer.write(request("/wait"))
        await until(lambda: place.echo.waiting == 2)
        late, _ = await place.call(request("/c"))
        assert await closed(late)
        assert place.echo.cancelled == 0


async def test_a_client_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_UNREAD", 0)
    async with listening() as place:
        _, writer = await place.call()
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        one = request("/a", b"x" * 8000)
        for _ in range(2000):
            writer.write(one)
            if writer.transport.is_closing() or not place.server.connections:
                break
            passed = asyncio.Event()
            asyncio.get_running_loop().call_soon(passed.set)
            await passed.wait()
        await until(lambda: not place.server.connections)
