"""A bot's websocket: every frame of the server is handed to a callback, which may send frames at once."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Callable
from typing import Final

import picows
from picows import WSCloseCode, WSFrame, WSListener, WSMsgType, WSTransport

from clients.errors import ClientError
from protocol.codec import Codec
from protocol.keep_alive import keep_alive_options

__all__ = ["Channel", "ConnectError", "connect"]

#: A snapshot of many tables may come in one frame; the server is trusted with more than a client is.
MAX_INBOUND: Final = 64 * 1024 * 1024


class ConnectError(ClientError, OSError):
    """The server cannot be reached, or refused the websocket handshake."""

    code = "unreachable"
    at_fault = "environment"


class Channel(WSListener):
    """An open websocket. ``close_code`` says how the server ended it (1006: without a word)."""

    def __init__(self, codec: Codec, on_frame: Callable[[bytes, Callable[[bytes], None]], None]) -> None:
        self._kind = WSMsgType.TEXT if codec.text else WSMsgType.BINARY
        self._on_frame = on_frame
        self._parts: list[bytes] = []
        self.close_code = 1006

    def send(self, frame: bytes) -> None:
        """Send one frame; nothing happens when the connection is gone."""
        self._transport.send(self._kind, frame)

    def close(self) -> None:
        """Say goodbye."""
        self._transport.send_close(WSCloseCode.OK)
        self._transport.disconnect()

    async def wait_closed(self) -> None:
        """Until the connection is gone."""
        await self._transport.wait_disconnected()

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport
        connection = transport.underlying_transport.get_extra_info("socket")
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            for option in keep_alive_options(socket):
                connection.setsockopt(*option)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        kind = frame.msg_type
        if kind == WSMsgType.CLOSE:
            self.close_code = frame.get_close_code().value
            transport.send_close(WSCloseCode.OK)
            transport.disconnect()
        elif kind == self._kind and frame.fin:
            self._on_frame(frame.get_payload_as_bytes(), self.send)
        elif kind in (WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.CONTINUATION):
            self._parts.append(frame.get_payload_as_bytes())
            if frame.fin:
                whole, self._parts = b"".join(self._parts), []
                self._on_frame(whole, self.send)


def _ssl_context(url: str, ca: str | None) -> ssl.SSLContext:
    """Whom to believe that he is the server. Raises ``ConnectError``."""
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:  # ssl.SSLError is one
        raise ConnectError(f"cannot connect to {url}: {ca} has no certificates: {error}") from None


async def connect(
    url: str, codec: Codec, on_frame: Callable[[bytes, Callable[[bytes], None]], None], ca: str = ""
) -> Channel:
    """Open a websocket with the codec's subprotocol. ``wss`` trusts the system's certificates, or those in
    the file ``ca``, or in that named by ``POKERD_CA_FILE``. Raises ``ConnectError``.
    """
    secure = _ssl_context(url, ca or os.environ.get("POKERD_CA_FILE")) if url.startswith("wss:") else None
    channel = Channel(codec, on_frame)
    try:
        _, listener = await picows.ws_connect(
            lambda: channel,
            url,
            ssl_context=secure,
            max_frame_size=MAX_INBOUND,
            extra_headers={"Sec-WebSocket-Protocol": codec.subprotocol},
        )
    except (TimeoutError, OSError, picows.WSError, ValueError) as error:
        raise ConnectError(f"cannot connect to {url}: {error}") from error
    if listener is None:  # how picows tells that the connection broke during the handshake
        raise ConnectError(f"cannot connect to {url}: the connection was closed")
    return channel
