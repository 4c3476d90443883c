"""The port for bots: ``serve`` opens it with ``picows`` (C, the fast one), whose every frame is a callback.

Browsers come by the web port (``server.net.web_socket``). Both pass the same tests.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from ssl import SSLContext
from typing import Any, Final, cast

import picows
from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest

from protocol.batch import BATCH
from protocol.codec import MAX_FRAME
from server.auth.hosts import HostPolicy, RequestRejected
from server.net import handshake
from server.net.batch_room import BatchRoom
from server.net.connection import CLOSE_TOO_BIG, Connection, ConnectionHandler
from server.net.listener import BACKLOG, ConnectionLimiter, Listener, keep_alive, listen
from server.net.tls import TlsConfig

#: Seconds between pings on an idle connection, and for the answer. A bot that computes in its only thread
#: cannot answer, so this must be longer than any decision time.
PING_IDLE: Final = 600.0
#: Seconds that the server stays awake between frames that come fast. Alone on its CPU it would only keep bots
#: from running.
BUSY_WAIT: Final = 200e-6 if os.cpu_count() != 1 else 0.0
#: Bytes of a TLS connection's buffers per direction: two records.
TLS_BUFFER: Final = 2 * (16 * 1024 + 64)


def tls_options(context: SSLContext | None) -> dict[str, Any]:
    """Return the TLS options for aiofastnet: ``{}`` without TLS."""
    if context is None:
        return {}
    return {
        "ssl": context,
        "ssl_handshake_timeout": handshake.HANDSHAKE_TIMEOUT,
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
            async with asyncio.timeout(handshake.CLOSE_TIMEOUT + 1):
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
    busy_wait = _BusyWait(asyncio.get_running_loop())
    return await picows.ws_create_server(
        lambda request: _negotiate(house, hosts, request, busy_wait, batches, internal=internal),
        websocket_handshake_timeout=handshake.HANDSHAKE_TIMEOUT,
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


def _negotiate(
    house: ConnectionHandler,
    hosts: HostPolicy,
    request: WSUpgradeRequest,
    busy_wait: _BusyWait,
    batches: BatchRoom | None = None,
    *,
    internal: bool = False,
) -> Any:
    try:
        hosts.verify(request.headers.getall("Host", []), request.headers.getall("Origin", []))
    except RequestRejected as answer:
        return _rejection(answer.status, answer.detail + "\n")
    spoken = handshake.SUBPROTOCOLS if batches is None else (*handshake.SUBPROTOCOLS, BATCH)
    subprotocol = handshake.choose_subprotocol(request.headers.get("Sec-WebSocket-Protocol", ""), spoken)
    if subprotocol is None:
        return _rejection(400, handshake.NO_SUBPROTOCOL)
    forwarded = request.headers.getall("X-Forwarded-For", [])
    connect = partial(
        handshake.make_connection,
        house,
        subprotocol=subprotocol,
        path=request.path.decode("latin-1"),
        forwarded=forwarded,
        internal=internal,
        batches=batches if subprotocol == BATCH else None,
    )
    listener = _PicowsListener(house, connect, busy_wait)
    if "Sec-WebSocket-Protocol" not in request.headers:
        return listener
    headers = {"Sec-WebSocket-Protocol": subprotocol}
    return picows.WSUpgradeResponseWithListener(
        picows.WSUpgradeResponse.create_101_response(headers), listener
    )


def _rejection(status: int, text: str) -> Any:
    response = picows.WSUpgradeResponse.create_error_response(status, text.encode())
    return picows.WSUpgradeResponseWithListener(response, None)


class _BusyWait:
    """Keeps the event loop awake for a moment after a frame that followed another as fast: to wake a process
    takes longer than most bots need for an answer. A match of two such bots plays half as fast again.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        # The loop's own time stands still while it handles frames.
        self._last = self._until = time.monotonic()
        self._waiting = False

    def on_frame(self) -> None:
        """Stay awake if frames come fast."""
        now = time.monotonic()
        if now - self._last < BUSY_WAIT:
            self._until = now + BUSY_WAIT
            if not self._waiting:
                self._waiting = True
                self._loop.call_soon(self._look_again)
        self._last = now

    def _look_again(self) -> None:
        self._waiting = time.monotonic() < self._until
        if self._waiting:
            self._loop.call_soon(self._look_again)


_DATA: Final = (WSMsgType.BINARY, WSMsgType.TEXT)


class _PicowsListener(WSListener):
    def __init__(
        self, house: ConnectionHandler, connect: Callable[..., Connection], busy_wait: _BusyWait
    ) -> None:
        self.house = house
        self.connect = connect
        self.busy_wait = busy_wait
        self.fragments = bytearray()
        self.text = False
        self.abort_timer: asyncio.TimerHandle | None = None

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.transport = transport
        self.raw = transport.underlying_transport
        keep_alive(self.raw)
        self.house.backlogs.add(self.raw, websocket=True)
        self.connection = self.connect(wire=self, transport=self.raw)
        del self.connect
        self.kind = WSMsgType.TEXT if self.connection.codec.text else WSMsgType.BINARY
        self.house.on_connected(self.connection)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        kind = frame.msg_type
        if frame.fin and kind in _DATA:
            self._deliver(frame.get_payload_as_bytes(), text=kind == WSMsgType.TEXT)
            self.busy_wait.on_frame()
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
            self.abort_timer = self.house.call_later(
                handshake.CLOSE_TIMEOUT, partial(self.transport.disconnect, False)
            )
            self.transport.send_close(WSCloseCode(code), reason.encode())

    def unsent_bytes(self) -> int:
        size: int = self.raw.get_write_buffer_size()
        return size
