"""A bot's websocket: every frame of the server is handed to a callback, which may send frames at once.

The library is ``picows`` where that is installed, which takes a third of the time; else ``websockets``.
"""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Callable
from typing import Any, Final, Protocol

from protocol.codec import Codec
from protocol.keep_alive import keep_alive_options

__all__ = ["MAX_INBOUND", "Channel", "ConnectError", "OnFrame", "connect", "set_keep_alive"]

#: A snapshot of many tables may come in one frame; the server is trusted with more than a client is.
MAX_INBOUND: Final = 64 * 1024 * 1024
#: Takes a frame, and what sends one.
OnFrame = Callable[[bytes, Callable[[bytes], None]], None]


class ConnectError(OSError):
    """The server cannot be reached, or refused the websocket handshake."""


class Channel(Protocol):
    """An open websocket. ``close_code`` says how the server ended it (1006: without a word)."""

    close_code: int

    def send(self, frame: bytes) -> None:
        """Send one frame; nothing happens when the connection is gone."""

    def close(self) -> None:
        """Say goodbye."""

    async def wait_closed(self) -> None:
        """Until the connection is gone."""


def set_keep_alive(connection: Any) -> None:
    """Let the operating system find out that the network has swallowed the connection."""
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        for option in keep_alive_options(socket):
            connection.setsockopt(*option)


def _ssl_context(url: str, ca: str | None) -> ssl.SSLContext:
    """Whom to believe that he is the server. Raises ``ConnectError``."""
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:  # ssl.SSLError is one
        raise ConnectError(f"cannot connect to {url}: {ca} has no certificates: {error}") from None


async def connect(url: str, codec: Codec, on_frame: OnFrame, ca: str = "") -> Channel:
    """Open a websocket with the codec's subprotocol. ``wss`` trusts the system's certificates, or those in
    the file ``ca``, or in that named by ``POKERD_CA_FILE``. Raises ``ConnectError``.
    """
    secure = _ssl_context(url, ca or os.environ.get("POKERD_CA_FILE")) if url.startswith("wss:") else None
    try:
        from pokerd_bot import picows_channel as library
    except ImportError:
        from pokerd_bot import websockets_channel as library  # type: ignore[no-redef]
    return await library.open_channel(url, codec, on_frame, secure)
