"""Open a bot's websocket; a callback receives every frame from the server and may reply at once.

Uses ``picows`` if installed, which needs a third of the CPU time, otherwise ``websockets``.
"""

from __future__ import annotations

import os
import ssl

from pokerd_bot.net.channel import Channel, ConnectError, OnFrame
from protocol.codec import Codec


def _ssl_context(url: str, ca: str | None) -> ssl.SSLContext:
    """Return the TLS context that verifies the server. Raises ``ConnectError``."""
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:  # includes ssl.SSLError
        raise ConnectError(f"cannot connect to {url}: {ca} has no certificates: {error}") from None


async def connect(url: str, codec: Codec, on_frame: OnFrame, ca: str = "") -> Channel:
    """Open a websocket with the codec's subprotocol.

    ``wss`` trusts the certificates in the file ``ca``, or in the file named by ``POKERD_CA_FILE``, or else
    the system's. Raises ``ConnectError``.
    """
    secure = _ssl_context(url, ca or os.environ.get("POKERD_CA_FILE")) if url.startswith("wss:") else None
    try:
        from pokerd_bot.net import picows_channel as library
    except ImportError:
        from pokerd_bot.net import websockets_channel as library  # type: ignore[no-redef]
    return await library.open_channel(url, codec, on_frame, secure)
