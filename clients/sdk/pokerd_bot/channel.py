"""What an open websocket can do, whatever library it is of."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any, Final, Protocol

from pokerd_bot.errors import BotError
from protocol.keep_alive import keep_alive_options

__all__ = ["MAX_INBOUND", "Channel", "ConnectError", "OnFrame", "set_keep_alive"]

#: A snapshot of many tables may come in one frame; the server is trusted with more than a client is.
MAX_INBOUND: Final = 64 * 1024 * 1024
#: Takes a frame, and what sends one.
OnFrame = Callable[[bytes, Callable[[bytes], None]], None]


class ConnectError(BotError, OSError):
    """The server cannot be reached, or refused the websocket handshake."""

    code = "unreachable"
    at_fault = "environment"


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
