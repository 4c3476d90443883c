"""Websockets of browsers at the web port: the sans-I/O core of ``websockets`` under an asyncio protocol takes
over connections from the HTTP server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State as WireState
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from protocol.codec import MAX_FRAME
from server.auth.hosts import RequestRejected
from server.net import handshake
from server.net.connection import Connection, ConnectionHandler
from server.net.listener import keep_alive


@lru_cache(maxsize=2)
def _text_frame(payload: bytes) -> bytes:
    """Return the bytes of a frame; spectators of a table get the same one after another."""
    return Frame(Opcode.TEXT, payload).serialize(mask=False)


class Admitted(NamedTuple):
    """Who opens a websocket: his ``identity``, which may be empty. A ``spectator`` may only watch."""

    identity: str = ""
    spectator: bool = False


#: Checks a handshake. Raises ``RequestRejected``.
Admit = Callable[[Request], Admitted]


def _select_subprotocol(_: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    subprotocol = handshake.choose_subprotocol(",".join(offered))
    return Subprotocol(subprotocol) if subprotocol is not None and offered else None


class _ServerProtocol(ServerProtocol):
    """Leaves pongs to the connection."""

    def recv_frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.PING:
            self.events.append(frame)
        else:
            super().recv_frame(frame)


class WebSocketProtocol(asyncio.Protocol):
    """A websocket over any transport that is handed over before the handshake is read."""

    def __init__(self, house: ConnectionHandler, admit: Admit) -> None:
        self.house = house
        self.admit = admit
        self.connection: Connection | None = None
        self.text = False
        self.fragments = bytearray()
        self.closing = False
        self.handshake_bytes = 0
        self.wire = _ServerProtocol(
            subprotocols=[Subprotocol(name) for name in handshake.SUBPROTOCOLS],
            select_subprotocol=_select_subprotocol,
            max_size=MAX_FRAME,
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.house.backlogs.add(self.transport, websocket=True)
        keep_alive(transport)
        self.timeout = asyncio.get_running_loop().call_later(
            handshake.HANDSHAKE_TIMEOUT, self.transport.abort
        )

    def data_received(self, data: bytes) -> None:
        self.wire.receive_data(data)
        for event in self.wire.events_received():
            if isinstance(event, Request):
                self._handshake(event)
            elif isinstance(event, Frame):
                self._receive_frame(event)
        self._write()
        if self.connection is None and not self.closing:
            self.handshake_bytes += len(data)
            if self.handshake_bytes > handshake.MAX_HANDSHAKE:
                self.transport.abort()

    def eof_received(self) -> None:
        self.wire.receive_eof()
        self._write()

    def connection_lost(self, exc: Exception | None) -> None:
        self.timeout.cancel()
        self.house.backlogs.remove(self.transport)
        if self.connection is not None:
            self.connection.on_disconnected()
            self.connection = None  # as above

    def _handshake(self, request: Request) -> None:
        self.timeout.cancel()
        response = self.wire.accept(request)
        offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol"))
        subprotocol = handshake.choose_subprotocol(offered)
        visitor = Admitted()
        if response.status_code == 101:
            try:
                visitor = self.admit(request)
            except RequestRejected as answer:
                response = self.wire.reject(answer.status, answer.detail + "\n")
        if response.status_code == 101 and subprotocol is None:
            response = self.wire.reject(400, handshake.NO_SUBPROTOCOL)
        self.wire.send_response(response)
        if response.status_code == 101 and subprotocol is not None:
            forwarded = request.headers.get_all("X-Forwarded-For")
            self.connection = handshake.make_connection(
                self.house, self, subprotocol, request.path, self.transport, forwarded
            )
            self.connection.identity, self.connection.spectator = visitor
            self.house.on_connected(self.connection)

    def _receive_frame(self, frame: Frame) -> None:
        if self.connection is None:
            return
        if frame.opcode is Opcode.PING:
            if self.connection.count_frame():
                self._send_pong(bytes(frame.data))
        elif not frame.fin or frame.opcode in (Opcode.CONT, Opcode.PONG):
            self.connection.count_frame()
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
            self.text = frame.opcode is Opcode.TEXT
            self.fragments = bytearray()
        elif frame.opcode is not Opcode.CONT:
            return
        if frame.fin and not self.fragments:
            self.connection.receive(bytes(frame.data), text=self.text)
            return
        self.fragments += frame.data
        if frame.fin:
            whole, self.fragments = bytes(self.fragments), bytearray()
            self.connection.receive(whole, text=self.text)

    def _write(self) -> None:
        for data in self.wire.data_to_send():
            if data:
                self.transport.write(data)
            else:
                # After a close frame the peer sends nothing that could reset the socket. TLS connections
                # cannot be half closed.
                if self.wire.close_rcvd is None and self.transport.can_write_eof():
                    self.transport.write_eof()
                else:
                    self.transport.close()
                self._start_close_timer()
        if self.wire.close_expected():
            self._start_close_timer()

    def _send_pong(self, payload: bytes) -> None:
        if self.wire.state is WireState.OPEN:
            self.wire.send_pong(payload)
            self._write()

    def pause_writing(self) -> None:
        if self.connection is not None:
            self.connection.on_backlog_full()

    def _start_close_timer(self) -> None:
        if not self.closing:
            self.closing = True
            self.timeout.cancel()
            self.timeout = self.house.call_later(handshake.CLOSE_TIMEOUT, self.transport.abort)

    # Wire.

    def send(self, frame: bytes) -> None:
        if self.wire.state is WireState.OPEN:
            if self.connection is not None and self.connection.codec.text:
                self._write()
                self.transport.write(_text_frame(frame))
            else:
                self.send_binary(frame)

    def send_binary(self, frame: bytes) -> None:
        if self.wire.state is WireState.OPEN:
            self.wire.send_binary(frame)
            self._write()

    def close(self, code: int, reason: str) -> None:
        if self.wire.state is WireState.OPEN:
            self.wire.send_close(CloseCode(code), reason)
            self._write()
        self._start_close_timer()

    def unsent_bytes(self) -> int:
        return self.transport.get_write_buffer_size()
