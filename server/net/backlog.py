"""Bounds on the data that was written to connections and not yet read by the peer.

They apply to transports, so that messages, pongs, close frames, pages and error responses all count. A
websocket with more than ``MAX_UNSENT`` is closed; HTTP responses wait for their readers. If all connections
of a server exceed ``MAX_UNSENT_TOTAL`` together, the largest are dropped.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from server.telemetry.metrics import OUTBOX_DROPS

#: Unsent bytes of a websocket before it is closed (its seats are kept).
MAX_UNSENT: Final = 4 * 1024 * 1024
#: Unsent bytes of all connections of a server together.
MAX_UNSENT_TOTAL: Final = 256 * 1024 * 1024
#: Seconds between two checks of the total.
CHECK_INTERVAL: Final = 0.5


class Transport(Protocol):
    """The methods of asyncio's transports that are used here."""

    def abort(self) -> None:
        """Close at once and discard unsent data."""

    def get_write_buffer_size(self) -> int:
        """Return the number of unsent bytes."""
        ...

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Call the protocol's ``pause_writing`` from ``high`` bytes on."""


class BacklogMonitor:
    """Watches the transports of a server."""

    def __init__(self) -> None:
        self._transports: set[Transport] = set()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, transport: Transport, *, websocket: bool) -> None:
        """Watch a transport until ``remove``. If a ``websocket`` has more than ``MAX_UNSENT`` unsent bytes,
        ``pause_writing`` of its protocol is called.
        """
        if websocket:
            # Set both marks, so that a transport paused by earlier responses resumes.
            transport.set_write_buffer_limits(MAX_UNSENT, MAX_UNSENT)
            if transport.get_write_buffer_size() > MAX_UNSENT:
                transport.abort()
        self._transports.add(transport)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CHECK_INTERVAL, self._check)

    def remove(self, transport: Transport) -> None:
        """Stop watching a closed transport."""
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
