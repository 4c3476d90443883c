"""Websocket gateways: the two ways from the network to a ``Connection``.

``serve`` opens the port for bots with ``picows`` (C, the fast one). At the web port ``WebSocketProtocol``,
the sans-I/O core of ``websockets`` under an asyncio protocol, takes over connections from the HTTP server.
Both pass the same tests. The subprotocol of the handshake selects the codec.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from ssl import SSLContext
from typing import Any, Final, cast

import picows
from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State as WireState
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from protocol.batch import BATCH
from protocol.codec import CODECS, MAX_FRAME
from server.auth.addresses import client_address, normalize_address
from server.auth.hosts import HostPolicy, RequestRejected
from server.net.acpc_codec import ACPC
from server.net.acpc_connection import AcpcConnection
from server.net.batch_connection import BatchConnection, BinaryWire
from server.net.batch_room import BatchRoom
from server.net.connection import CLOSE_TOO_BIG, Connection, ConnectionHandler
from server.net.listener import BACKLOG, ConnectionLimiter, Listener, keep_alive, listen
from server.net.tls import TlsConfig
from server.telemetry import logging_setup as logs

#: Seconds between pings on an idle connection, and for the answer. A bot that computes in its only thread
#: cannot answer, so this must be longer than any decision time.
PING_IDLE: Final = 600.0
HANDSHAKE_TIMEOUT: Final = 10.0
#: Maximum bytes of a handshake.
MAX_HANDSHAKE: Final = 16 * 1024
#: Bytes of a TLS connection's buffers per direction: two records.
TLS_BUFFER: Final = 2 * (16 * 1024 + 64)
#: Seconds for the peer to read pending data and answer the close frame; an earlier close would reset the
#: socket and lose our last message. Then it is closed in any case: slow readers must neither hold memory nor
#: delay the shutdown.
CLOSE_TIMEOUT: Final = 5.0


def tls_options(context: SSLContext | None) -> dict[str, Any]:
    """Return the TLS options for aiofastnet: ``{}`` without TLS."""
    if context is None:
        return {}
    return {
        "ssl": context,
        "ssl_handshake_timeout": HANDSHAKE_TIMEOUT,
        "ssl_incoming_bio_size": TLS_BUFFER,
        "ssl_outgoing_bio_size": TLS_BUFFER,
    }


class Gateway:
    """Listening sockets; ``port`` is the port. With a limiter or TLS there is another, ``internal`` port on
    loopback for house bots: it has no limit, and needs no certificate.
    """

    def __init__(
        self,
        servers: Sequence[asyncio.Server],
        house: ConnectionHandler,
        internal: asyncio.Server | None = None,
        tls: TlsConfig | None = None,
    ) -> None:
        self._servers = [*servers, *([] if internal is None else [internal])]
        self._house = house
        self.port: int = servers[0].sockets[0].getsockname()[1]
        self.secure = tls is not None
        self.scheme = "wss" if self.secure else "ws"
        self.internal_url = (
            "" if internal is None else f"ws://127.0.0.1:{internal.sockets[0].getsockname()[1]}"
        )
        self._tls_task = None if tls is None else asyncio.create_task(tls.run(), name="certificate")

    async def close(self) -> None:
        """Stop listening, close all connections, and wait until their sockets are closed."""
        for server in self._servers:
            server.close()
        self._house.close()
        if self._tls_task is not None:
            self._tls_task.cancel()
            await asyncio.wait([self._tls_task])
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT + 1):
                for server in self._servers:
                    await server.wait_closed()
        except TimeoutError:  # some have not begun: there is nothing to lose
            for server in self._servers:
                cast("Any", server).abort_clients()


async def serve(
    house: ConnectionHandler,
    host: str,
    port: int,
    tls: TlsConfig | None = None,
    limiter: ConnectionLimiter | None = None,
    batches: BatchRoom | None = None,
) -> Gateway:
    """Listen on ``host``:``port`` (0: any free port). ``limiter``: limits connections; None for no limit.
    ``batches``: where those play who offer ``pokerd.v1.batch``. Raises ``ListenError``.
    """
    context = None if tls is None else tls.context
    listeners = listen(host, port, limiter, secure=tls is not None)
    exposure = house.admission.host_config
    hosts = exposure.policy_for(host, secure=tls is not None)
    servers = [await _open_server(house, listener, hosts, context, batches) for listener in listeners]
    if tls is None and limiter is None:
        return Gateway(servers, house)
    [inner] = listen("127.0.0.1", 0)
    hosts = exposure.policy_for("127.0.0.1", secure=False)
    return Gateway(servers, house, await _open_server(house, inner, hosts, internal=True), tls)


async def _open_server(
    house: ConnectionHandler,
    listener: Listener,
    hosts: HostPolicy,
    context: SSLContext | None = None,
    batches: BatchRoom | None = None,
    *,
    internal: bool = False,
) -> asyncio.Server:
    return await picows.ws_create_server(
        lambda request: _negotiate(house, hosts, request, batches, internal=internal),
        websocket_handshake_timeout=HANDSHAKE_TIMEOUT,
        enable_auto_pong=False,
        enable_auto_ping=True,
        auto_ping_idle_timeout=PING_IDLE,
        auto_ping_reply_timeout=PING_IDLE,
        max_frame_size=MAX_FRAME + 1024,
        use_aiofastnet=True,
        sock=listener,
        backlog=BACKLOG,
        **tls_options(context),
    )


#: In order of preference.
_SUBPROTOCOLS: Final = (*CODECS, ACPC)
_NO_SUBPROTOCOL: Final = "subprotocols spoken here: " + ", ".join(_SUBPROTOCOLS) + "\n"


def _choose_subprotocol(offered: str, spoken: Sequence[str] = _SUBPROTOCOLS) -> str | None:
    """Return the first offered subprotocol that is spoken; JSON for clients that offer none."""
    names = [name.strip() for name in offered.split(",") if name.strip()]
    if not names:
        return "pokerd.v1.json"
    return next((name for name in names if name in spoken), None)


def _make_connection(
    house: ConnectionHandler,
    wire: BinaryWire,
    subprotocol: str,
    path: str,
    transport: Any,
    forwarded: Sequence[str],
    *,
    internal: bool = False,
    batches: BatchRoom | None = None,
) -> Connection:
    """Return a connection after its handshake; call ``ConnectionHandler.on_connected`` next. ``forwarded``:
    the values of ``X-Forwarded-For``. ``internal``: it came by the internal port. ``batches``: for a batch.
    """
    if subprotocol == ACPC:
        connection: Connection = AcpcConnection(wire, house, path)
    elif batches is not None:
        connection = BatchConnection(wire, house, batches)
    else:
        connection = Connection(wire, CODECS[subprotocol], house)
    peer, here = map(transport.get_extra_info, ("peername", "sockname"))
    if isinstance(peer, tuple):
        connection.address = client_address(peer[0], forwarded, house.admission.proxies)
        connection.is_local = peer[0] == here[0] and connection.address == normalize_address(peer[0])
    logs.CLIENT_ADDRESS.set(connection.address)
    connection.internal = internal
    return connection


# picows: every frame is a callback.


def _negotiate(
    house: ConnectionHandler,
    hosts: HostPolicy,
    request: WSUpgradeRequest,
    batches: BatchRoom | None = None,
    *,
    internal: bool = False,
) -> Any:
    try:
        hosts.verify(request.headers.getall("Host", []), request.headers.getall("Origin", []))
    except RequestRejected as answer:
        return _rejection(answer.status, answer.detail + "\n")
    spoken = _SUBPROTOCOLS if batches is None else (*_SUBPROTOCOLS, BATCH)
    subprotocol = _choose_subprotocol(request.headers.get("Sec-WebSocket-Protocol", ""), spoken)
    if subprotocol is None:
        return _rejection(400, _NO_SUBPROTOCOL)
    forwarded = request.headers.getall("X-Forwarded-For", [])
    listener = _PicowsListener(
        house,
        subprotocol,
        request.path.decode("latin-1"),
        forwarded,
        internal=internal,
        batches=batches if subprotocol == BATCH else None,
    )
    if "Sec-WebSocket-Protocol" not in request.headers:
        return listener
    headers = {"Sec-WebSocket-Protocol": subprotocol}
    return picows.WSUpgradeResponseWithListener(
        picows.WSUpgradeResponse.create_101_response(headers), listener
    )


def _rejection(status: int, text: str) -> Any:
    response = picows.WSUpgradeResponse.create_error_response(status, text.encode())
    return picows.WSUpgradeResponseWithListener(response, None)


_DATA: Final = (WSMsgType.BINARY, WSMsgType.TEXT)


class _PicowsListener(WSListener):
    def __init__(
        self,
        house: ConnectionHandler,
        subprotocol: str,
        path: str,
        forwarded: Sequence[str],
        *,
        internal: bool,
        batches: BatchRoom | None,
    ) -> None:
        self.house = house
        self.connect = partial(
            _make_connection,
            house,
            self,
            subprotocol,
            path,
            forwarded=forwarded,
            internal=internal,
            batches=batches,
        )
        self.fragments = bytearray()
        self.text = False
        self.abort_timer: asyncio.TimerHandle | None = None

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport
        self.raw = transport.underlying_transport
        keep_alive(self.raw)
        self.house.backlogs.add(self.raw, websocket=True)
        self.connection = self.connect(self.raw)
        del self.connect
        self.kind = WSMsgType.TEXT if self.connection.codec.text else WSMsgType.BINARY
        self.house.on_connected(self.connection)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        kind = frame.msg_type
        if frame.fin and kind in _DATA:
            self._deliver(frame.get_payload_as_bytes(), text=kind == WSMsgType.TEXT)
        elif kind == WSMsgType.PING:
            if self.connection.count_frame():
                transport.send_pong(frame.get_payload_as_bytes())
        elif kind == WSMsgType.PONG:
            self.connection.count_frame()
        elif kind in _DATA:
            self.connection.count_frame()
            self.fragments = bytearray(frame.get_payload_as_memoryview())
            self.text = kind == WSMsgType.TEXT
        elif kind == WSMsgType.CONTINUATION:
            self.connection.count_frame()
            self.fragments += frame.get_payload_as_memoryview()
            if frame.fin or len(self.fragments) > MAX_FRAME:
                whole, self.fragments = bytes(self.fragments), bytearray()
                self._deliver(whole, text=self.text)
        elif kind == WSMsgType.CLOSE:
            self.close(WSCloseCode.OK.value, "")
            transport.disconnect()

    def _deliver(self, payload: bytes, *, text: bool) -> None:
        if len(payload) > MAX_FRAME:
            self.connection.hang_up(CLOSE_TOO_BIG, "frame too big")
        else:
            self.connection.receive(payload, text=text)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        if self.abort_timer is not None:
            self.abort_timer.cancel()
        self.house.backlogs.remove(self.raw)
        self.connection.on_disconnected()
        self.fragments = bytearray()
        # They refer to each other and to buffers; without this, closed connections would stay until the
        # collector runs, which is rare (``tune_collector``).
        del self.connection

    def pause_writing(self) -> None:
        self.connection.on_backlog_full()

    def resume_writing(self) -> None:
        """Do nothing: the connection is closed by then."""

    # Wire.

    def send(self, frame: bytes) -> None:
        self.transport.send(self.kind, frame)

    def send_binary(self, frame: bytes) -> None:
        self.transport.send(WSMsgType.BINARY, frame)

    def close(self, code: int, reason: str) -> None:
        if self.abort_timer is None:
            self.abort_timer = self.house.call_later(CLOSE_TIMEOUT, partial(self.transport.disconnect, False))
            self.transport.send_close(WSCloseCode(code), reason.encode())

    def unsent_bytes(self) -> int:
        size: int = self.raw.get_write_buffer_size()
        return size


# websockets: the sans-I/O core, driven by asyncio's callbacks.


@lru_cache(maxsize=2)
def _text_frame(payload: bytes) -> bytes:
    """Return the bytes of a frame; spectators of a table get the same one after another."""
    return Frame(Opcode.TEXT, payload).serialize(mask=False)


#: Checks a handshake and returns the client's identity, which may be empty. Raises ``RequestRejected``.
Admit = Callable[[Request], str]


def _select_subprotocol(_: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    subprotocol = _choose_subprotocol(",".join(offered))
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
            subprotocols=[Subprotocol(name) for name in _SUBPROTOCOLS],
            select_subprotocol=_select_subprotocol,
            max_size=MAX_FRAME,
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.house.backlogs.add(self.transport, websocket=True)
        keep_alive(transport)
        self.timeout = asyncio.get_running_loop().call_later(HANDSHAKE_TIMEOUT, self.transport.abort)

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
            if self.handshake_bytes > MAX_HANDSHAKE:
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
        subprotocol = _choose_subprotocol(offered)
        identity = ""
        if response.status_code == 101:
            try:
                identity = self.admit(request)
            except RequestRejected as answer:
                response = self.wire.reject(answer.status, answer.detail + "\n")
        if response.status_code == 101 and subprotocol is None:
            response = self.wire.reject(400, _NO_SUBPROTOCOL)
        self.wire.send_response(response)
        if response.status_code == 101 and subprotocol is not None:
            forwarded = request.headers.get_all("X-Forwarded-For")
            self.connection = _make_connection(
                self.house, self, subprotocol, request.path, self.transport, forwarded
            )
            self.connection.identity = identity
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
            self.timeout = self.house.call_later(CLOSE_TIMEOUT, self.transport.abort)

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
