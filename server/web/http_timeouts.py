"""HTTP that does not wait for ever: a request has to come, and its answer to be taken, within some time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from server.net.backlog import BacklogMonitor
from server.net.listener import keep_alive
from server.web.responses import problem

__all__ = ["REQUEST", "TAKE", "TimeoutHttpProtocol", "enforce_timeouts"]

#: Seconds for the head of a request, from when it may come, and for its body.
REQUEST: Final = 10.0
#: Seconds for taking an answer. The largest are some megabytes.
TAKE: Final = 120.0


class TimeoutHttpProtocol(H11Protocol):
    """A connection of uvicorn's that is looked at now and then."""

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
        """Answer what is no HTTP, or just hang up on somebody who has had his answer."""
        self._cancel_answer()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _cancel_answer(self) -> None:
        """Whatever is about to answer the request: it is answered here, and the connection closed."""
        cycle: Any = self.cycle  # None before the first request
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._backlogs.remove(self.transport)
        super().connection_lost(exc)

    @property
    def unsent(self) -> int:
        """Bytes that the other end has not taken yet."""
        size: int = self.transport.get_write_buffer_size()
        return size

    def enforce_timeout(self, now: float) -> None:
        """End it if it has been waited for too long; ``now`` in seconds."""
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
        # A browser may connect in advance, and ask nothing: it is told nothing.
        if begun and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            # Only programs come to read it, whatever they were about to ask for.
            answer = problem("/api/", 408, "request_timeout", "the request took too long to come")
            headers = [*answer.raw_headers, (b"connection", b"close")]
            for part in (
                h11.Response(status_code=408, headers=headers, reason=b"Request Timeout"),
                h11.Data(data=bytes(answer.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(part) or b"")
        self.transport.close()


def enforce_timeouts(connections: Iterable[Any], now: float) -> None:
    """Look at all connections."""
    for one in connections:
        if isinstance(one, TimeoutHttpProtocol):
            one.enforce_timeout(now)
