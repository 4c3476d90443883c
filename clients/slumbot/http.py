"""JSON over HTTP/1.1: POST requests with a length, answered one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final, NamedTuple, cast

from clients.errors import ClientError
from pokerd_bot.bot import LOG

#: Bytes of a request.
MAX_REQUEST: Final = 16 * 1024
#: Bytes of answers that a client has not read.
MAX_UNREAD: Final = 64 * 1024
#: Connections at once. Beyond that the one idle for longest is closed.
MAX_CONNECTIONS: Final = 256
#: Takes the path and the body of a request; returns the answer, which is JSON.
Answer = Callable[[str, bytes], Awaitable[tuple[HTTPStatus, bytes]]]


class _Request(NamedTuple):
    method: str
    path: str
    keep_alive: bool
    length: int


class _BadRequest(ClientError):
    """Not a request that this server answers; the code is the number of the HTTP status."""

    at_fault = "player"

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(str(status.value), status.phrase)
        self.status = status


class HttpServer:
    """The connections of a port; ``answer`` is cancelled when its client has gone."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        #: All connections, and those without a request in progress, by when they last had one.
        self.connections: set[HttpConnection] = set()
        self.idle: dict[HttpConnection, None] = {}

    def make_connection(self) -> HttpConnection:
        """Return the protocol of a new connection."""
        return HttpConnection(self)

    def close(self) -> None:
        """Close all connections."""
        for connection in list(self.connections):
            connection.abort()


class HttpConnection(asyncio.Protocol):
    """A client's connection."""

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._buffer = bytearray()
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's has another base
        server = self._server
        server.connections.add(self)
        server.idle[self] = None
        if len(server.connections) > MAX_CONNECTIONS:
            next(iter(server.idle)).abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self)
        self._server.idle.pop(self, None)
        if self._task is not None:
            self._task.cancel()

    def abort(self) -> None:
        """Close the connection at once."""
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > MAX_REQUEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        elif self._task is None:
            self._take_request()

    def _take_request(self) -> None:
        """Begin to answer the first request in the buffer, if it is complete."""
        head, end, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        if not end:
            return
        try:
            request = _read_head(head.decode("latin-1"))
        except _BadRequest as error:
            self._refuse(error.status)
            return
        if len(rest) < request.length:
            return
        self._buffer = bytearray(rest[request.length :])
        self._server.idle.pop(self, None)
        self._task = asyncio.ensure_future(self._respond(request, rest[: request.length]))

    async def _respond(self, request: _Request, body: bytes) -> None:
        try:
            status, answer = await self._server.answer(request.path, body)
        except Exception:  # noqa: BLE001 (the client would wait for ever)
            LOG.exception("cannot answer a request for %s", request.path)
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR)
            return
        self._write(status, answer, keep_alive=request.keep_alive)
        self._task = None
        self._server.idle[self] = None
        if self._transport.get_write_buffer_size() > MAX_UNREAD:
            self.abort()
        elif request.keep_alive:
            self._take_request()

    def _refuse(self, status: HTTPStatus) -> None:
        self._write(status, b'{"error_msg":"%s"}' % status.phrase.encode(), keep_alive=False)

    def _write(self, status: HTTPStatus, body: bytes, *, keep_alive: bool) -> None:
        head = [
            f"HTTP/1.1 {status} {status.phrase}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            f"Connection: {'keep-alive' if keep_alive else 'close'}",
        ]
        self._transport.write("\r\n".join([*head, "", ""]).encode() + body)
        if not keep_alive:
            self._transport.close()


def _read_head(text: str) -> _Request:
    """Read the request line and the headers. Raises ``_BadRequest``."""
    first, *lines = text.split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0"):
        raise _BadRequest(HTTPStatus.BAD_REQUEST)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if words[0] != "POST":
        raise _BadRequest(HTTPStatus.METHOD_NOT_ALLOWED)
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdecimal()):
        raise _BadRequest(HTTPStatus.LENGTH_REQUIRED)
    if len(length) > 6 or int(length) > MAX_REQUEST:
        raise _BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    keep_alive = words[2] == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
    return _Request(words[0], words[1].partition("?")[0], keep_alive, int(length))
