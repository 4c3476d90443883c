"""Timeouts for HTTP: a request must arrive, and its response be read, within a limited time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from server.net.backlog import BacklogMonitor
from server.net.listener import keep_alive
from server.web.responses import problem

#: Seconds to receive the head of a request, and again its body.
REQUEST: Final = 10.0
#: Seconds for the client to read a response. The largest have several megabytes.
TAKE: Final = 120.0


class TimeoutHttpProtocol(H11Protocol):
    """A uvicorn connection that ``enforce_timeouts`` checks regularly."""

    _phase: Any = None
    _since = 0.0

    def __init__(self, *arguments: Any, backlogs: BacklogMonitor) -> None:
        super().__init__(*arguments)
        self._backlogs = backlogs

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._backlogs.add(transport, websocket=False)
        keep_alive(transport)

    def send_400_response(self, msg: str) -> None:
        """Refuse malformed HTTP, or just close the connection if the request has already been answered."""
        self._cancel_answer()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _cancel_answer(self) -> None:
        """Prevent the application from answering the request; the caller answers it and closes the
        connection.
        """
        cycle: Any = self.cycle  # None before the first request
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._backlogs.remove(self.transport)
        super().connection_lost(exc)

    @property
    def unsent(self) -> int:
        """The number of bytes that the client has not received yet."""
        size: int = self.transport.get_write_buffer_size()
        return size

    def enforce_timeout(self, now: float) -> None:
        """Close the connection if it has been waiting for too long. ``now`` is in seconds."""
        unsent = self.unsent > 0
        phase = self.cycle, self.conn.their_state, unsent
        if phase != self._phase:
            self._phase, self._since = phase, now
        elif unsent:
            if now - self._since >= TAKE:
                self.transport.abort()
        elif self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and now - self._since >= REQUEST:
            self._time_out()

    def _time_out(self) -> None:
        self._cancel_answer()
        begun = self.conn.their_state is h11.SEND_BODY or self.conn.trailing_data[0]
        # A browser may open a connection in advance without a request; close it silently.
        if begun and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            # Only a program will read this, so answer with JSON whatever the path.
            answer = problem("/api/", 408, "request_timeout", "the request took too long to arrive")
            headers = [*answer.raw_headers, (b"connection", b"close")]
            for part in (
                h11.Response(status_code=408, headers=headers, reason=b"Request Timeout"),
                h11.Data(data=bytes(answer.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(part) or b"")
        self.transport.close()


def enforce_timeouts(connections: Iterable[Any], now: float) -> None:
    """Check all connections."""
    for one in connections:
        if isinstance(one, TimeoutHttpProtocol):
            one.enforce_timeout(now)
