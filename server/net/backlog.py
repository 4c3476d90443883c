"""Bounds for what was written to connections and not yet read at the other end.

The bounds are those of transports: it makes no difference whether messages, pongs, closing frames, pages or
error answers wait. A websocket with more than ``MAX_WAITING`` is closed; HTTP answers wait for their readers.
When all connections of a server have more than ``MOST_WAITING`` together, the largest are disconnected.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from server.telemetry.metrics import TOO_SLOW

__all__ = ["MAX_WAITING", "MOST_WAITING", "Backlogs"]

#: Bytes that may wait for the reader of a websocket before it is closed (its seats are kept).
MAX_WAITING: Final = 4 * 1024 * 1024
#: Bytes that may wait for all readers together, at all ports of a server.
MOST_WAITING: Final = 256 * 1024 * 1024
#: Seconds between two looks at what all have together.
LOOK: Final = 0.5


class Transport(Protocol):
    """What is used of asyncio's transports."""

    def abort(self) -> None:
        """Close at once; what waits is thrown away."""

    def get_write_buffer_size(self) -> int:
        """Bytes that wait."""
        ...

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """From ``high`` bytes on the protocol's ``pause_writing`` is called."""


class Backlogs:
    """The transports of a server."""

    def __init__(self) -> None:
        self._transports: set[Transport] = set()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, transport: Transport, *, websocket: bool) -> None:
        """Watch a transport until ``remove``. When more than ``MAX_WAITING`` bytes wait for the reader of a
        ``websocket``, ``pause_writing`` of its protocol is called.
        """
        if websocket:
            # Both marks: whoever is paused already, by the answers to other requests, is resumed.
            transport.set_write_buffer_limits(MAX_WAITING, MAX_WAITING)
            if transport.get_write_buffer_size() > MAX_WAITING:
                transport.abort()
        self._transports.add(transport)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOK, self._look)

    def remove(self, transport: Transport) -> None:
        """The transport is closed."""
        self._transports.discard(transport)
        if not self._transports and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK, self._look)
        waiting = {transport: transport.get_write_buffer_size() for transport in self._transports}
        total = sum(waiting.values())
        if total <= MOST_WAITING:
            return
        for transport in sorted(waiting, key=waiting.__getitem__, reverse=True):
            transport.abort()
            TOO_SLOW.inc()
            total -= waiting[transport]
            if total <= MOST_WAITING:
                break
