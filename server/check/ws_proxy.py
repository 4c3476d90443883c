"""The websocket server for the program: it records every message and can vary, break or lose it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Final, Protocol

import picows
from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest

from protocol.codec import CODECS, MAX_FRAME, Codec
from server.check.wire_variants import PLAIN, WireVariant, apply_variant
from server.house.house import House
from server.net.connection import CLOSE_TOO_BIG, Connection

_HANDSHAKE_TIMEOUT: Final = 10.0
_DATA: Final = (WSMsgType.BINARY, WSMsgType.TEXT)


class ProxyObserver(Protocol):
    """Receives the events of a proxy."""

    def record_event(self, event: str, **fields: Any) -> None:
        """Something else happened: a handshake, a connection, a pong, or a frame above the size limit."""

    def on_sending(self, messages: list[dict[str, Any]]) -> None:
        """These messages are about to be sent."""

    def on_frame(self, connection: ProxyConnection, payload: bytes, *, text: bool) -> None:
        """A frame arrived; ``connection.connection`` has not received it yet."""

    def on_failure(self, error: Exception) -> None:
        """pokerd itself failed while handling a frame."""

    def on_closed(self, connection: ProxyConnection, code: int | None) -> None:
        """The websocket was closed; ``code`` is the close code sent by the program."""


class WsProxy:
    """A listening socket for one process. ``variant`` determines how messages are encoded."""

    def __init__(self, house: House, observer: ProxyObserver) -> None:
        self.house = house
        self.watcher = observer
        self.variant: WireVariant = PLAIN
        self.connections: set[ProxyConnection] = set()
        self._server: asyncio.Server | None = None
        self._port = 0

    async def open(self) -> int:
        """Start listening and return the port; opening again uses the same port. Raises OSError."""
        self._server = await picows.ws_create_server(
            self._negotiate,
            "127.0.0.1",
            self._port,
            websocket_handshake_timeout=_HANDSHAKE_TIMEOUT,
            max_frame_size=MAX_FRAME + 1024,
        )
        self._port = self._server.sockets[0].getsockname()[1]
        return self._port

    def stop_listening(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def close(self) -> None:
        """Stop listening and abort all connections."""
        self.stop_listening()
        for connection in list(self.connections):
            connection.abort()
        if self._server is not None:
            await self._server.wait_closed()

    def _negotiate(self, request: WSUpgradeRequest) -> Any:
        offered: str = request.headers.get("Sec-WebSocket-Protocol", "")
        names = [name.strip() for name in offered.split(",") if name.strip()]
        name = next((name for name in names if name in CODECS), None if names else "pokerd.v1.json")
        self.watcher.record_event("handshake", offered=offered, taken=name)
        if name is None:
            body = ("supported subprotocols: " + ", ".join(CODECS) + "\n").encode()
            response = picows.WSUpgradeResponse.create_error_response(400, body)
            return picows.WSUpgradeResponseWithListener(response, None)
        headers = {"Sec-WebSocket-Protocol": name} if names else {}
        return picows.WSUpgradeResponseWithListener(
            picows.WSUpgradeResponse.create_101_response(headers), ProxyConnection(self, CODECS[name])
        )


class ProxyConnection(WSListener):
    """One websocket; the transport of a real ``Connection``."""

    def __init__(self, proxy: WsProxy, codec: Codec) -> None:
        self.gate = proxy
        self.codec = codec
        #: Whether this side closed it.
        self.closed_by_us = False
        self._kind = WSMsgType.TEXT if codec.text else WSMsgType.BINARY
        self._parts = bytearray()
        self._text = False
        self._code: int | None = None

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport
        self.gate.connections.add(self)
        self.connection = Connection(self, self.codec, self.gate.house)
        self.gate.house.connections.add(self.connection)
        self.gate.watcher.record_event("connected")

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        with self._report_failures():
            self._receive(transport, frame)

    @contextmanager
    def _report_failures(self) -> Iterator[None]:
        """Report exceptions, which the websocket library would swallow."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 (any error)
            self.gate.watcher.on_failure(error)

    def _receive(self, transport: WSTransport, frame: WSFrame) -> None:
        kind = frame.msg_type
        if kind in _DATA or kind == WSMsgType.CONTINUATION:
            if kind in _DATA:
                self._text = kind == WSMsgType.TEXT
            self._parts += frame.get_payload_as_memoryview()
            if frame.fin or len(self._parts) > MAX_FRAME:
                whole, self._parts = bytes(self._parts), bytearray()
                if len(whole) > MAX_FRAME:
                    self.gate.watcher.record_event("too big", bytes=len(whole))
                    self.connection.hang_up(CLOSE_TOO_BIG, "frame too big")
                else:
                    self.gate.watcher.on_frame(self, whole, text=self._text)
        elif kind == WSMsgType.PONG:
            self.gate.watcher.record_event("pong")
        elif kind == WSMsgType.CLOSE:
            self._code = frame.get_close_code().value
            if not self.closed_by_us:
                transport.send_close(WSCloseCode.OK)
            transport.disconnect()

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self.gate.connections.discard(self)
        self.connection.on_disconnected()
        self.gate.watcher.on_closed(self, self._code)

    def abort(self) -> None:
        """Break the connection without a closing handshake."""
        self.closed_by_us = True
        self._transport.disconnect(False)

    # The interface that ``Connection`` uses.

    def send(self, frame: bytes) -> None:
        """Send the messages of a frame in the scenario's variant."""
        with self._report_failures():
            for messages, variant in apply_variant(frame, self.codec, self.gate.variant):
                self.gate.watcher.on_sending(messages)
                self._send(variant)

    def _send(self, frame: bytes) -> None:
        style = self.gate.variant
        if style.pings:
            self._transport.send_ping(b"still there?")
        if not style.fragments:
            self._transport.send(self._kind, frame)
            return
        # Split anywhere, even within a character, with a ping in between: both are allowed.
        cuts = [0, 1, len(frame) // 2, len(frame)]
        for number, (start, end) in enumerate(pairwise(cuts)):
            kind = WSMsgType.CONTINUATION if number else self._kind
            self._transport.send(kind, frame[start:end], fin=end == len(frame) and number == 2)
            if number == 0:
                self._transport.send_ping(b"between")

    def close(self, code: int, reason: str) -> None:
        """Start the closing handshake."""
        self.closed_by_us = True
        self._transport.send_close(WSCloseCode(code), reason.encode())

    def unsent_bytes(self) -> int:
        """Return the number of bytes that the program has not received yet."""
        size: int = self._transport.underlying_transport.get_write_buffer_size()
        return size
