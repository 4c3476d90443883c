"""Bounds for what was written to connections and not yet read at the other end.

The bounds are those of transports: it makes no difference whether messages, pongs, closing frames, pages or
error answers wait. A websocket with more than ``MAX_UNSENT`` is closed; HTTP answers wait for their readers.
When all connections of a server have more than ``MAX_UNSENT_TOTAL`` together, the largest are disconnected.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from server.telemetry.metrics import OUTBOX_DROPS

__all__ = ["MAX_UNSENT", "MAX_UNSENT_TOTAL", "BacklogMonitor"]

#: Bytes that may wait for the reader of a websocket before it is closed (its seats are kept).
MAX_UNSENT: Final = 4 * 1024 * 1024
#: Bytes that may wait for all readers together, at all ports of a server.
MAX_UNSENT_TOTAL: Final = 256 * 1024 * 1024
#: Seconds between two looks at what all have together.
CHECK_INTERVAL: Final = 0.5


class Transport(Protocol):
    """What is used of asyncio's transports."""

    def abort(self) -> None:
        """Close at once; what waits is thrown away."""

    def get_write_buffer_size(self) -> int:
        """Bytes that wait."""
        ...

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """From ``high`` bytes on the protocol's ``pause_writing`` is called."""


class BacklogMonitor:
    """The transports of a server."""

    def __init__(self) -> None:
        self._transports: set[Transport] = set()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, transport: Transport, *, websocket: bool) -> None:
        """Watch a transport until ``remove``. When more than ``MAX_UNSENT`` bytes wait for the reader of a
        ``websocket``, ``pause_writing`` of its protocol is called.
        """
        if websocket:
            # Both marks: whoever is paused already, by the answers to other requests, is resumed.
            transport.set_write_buffer_limits(MAX_UNSENT, MAX_UNSENT)
            if transport.get_write_buffer_size() > MAX_UNSENT:
                transport.abort()
        self._transports.add(transport)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CHECK_INTERVAL, self._check)

    def remove(self, transport: Transport) -> None:
        """The transport is closed."""
        self._transports.discard(transport)
        if not self._transports and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(CHECK_INTERVAL, self._check)
        waiting = {transport: transport.get_write_buffer_size() for transport in self._transports}
        total = sum(waiting.values())
        if total <= MAX_UNSENT_TOTAL:
            return
        for transport in sorted(waiting, key=waiting.__getitem__, reverse=True):
            transport.abort()
            OUTBOX_DROPS.inc()
            total -= waiting[transport]
            if total <= MAX_UNSENT_TOTAL:
                break
