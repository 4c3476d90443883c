"""The interface of an open websocket, independent of the library."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any, Final, Protocol

from pokerd_bot.errors import BotError
from protocol.keep_alive import keep_alive_options

#: Maximum bytes per frame from the server; a snapshot of many tables may arrive in one frame.
MAX_INBOUND: Final = 64 * 1024 * 1024
#: Takes a frame and a function that sends one.
OnFrame = Callable[[bytes, Callable[[bytes], None]], None]


class ConnectError(BotError, OSError):
    """The server cannot be reached, or refused the websocket handshake."""

    code = "unreachable"
    at_fault = "environment"


class Channel(Protocol):
    """An open websocket. ``close_code`` is the server's close code (1006 if it sent none)."""

    close_code: int

    def send(self, frame: bytes) -> None:
        """Send one frame; do nothing if the connection is closed."""

    def close(self) -> None:
        """Close the connection normally."""

    async def wait_closed(self) -> None:
        """Wait until the connection is closed."""


def set_keep_alive(connection: Any) -> None:
    """Enable TCP keep-alive, so that the operating system detects a dead connection."""
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        for option in keep_alive_options(socket):
            connection.setsockopt(*option)
