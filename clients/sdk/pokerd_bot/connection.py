"""A bot's websocket: every frame of the server is handed to a callback, which may send frames at once.

The library is ``picows`` where that is installed, which takes a third of the time; else ``websockets``.
"""

from __future__ import annotations

import os
import ssl

from pokerd_bot.channel import Channel, ConnectError, OnFrame
from protocol.codec import Codec

__all__ = ["connect"]


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
