"""A client's connection: frames in, messages out, both bounded.

Messages wait in the outbox and leave together as one frame. ``send_encoded(..., urgent=True)`` (for messages
that need an answer) flushes after the event loop's ready callbacks; other messages wait for an urgent one for
at most about ``BATCH_DELAY`` seconds. Fewer frames make a table fast: a frame costs ten times as much as a
message. What all who watch a table get is in ``server.net.gallery``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from protocol.codec import MAX_MESSAGES, Codec
from protocol.errors import CODES, Refused, WireError
from protocol.messages import Act, ClientMessage, Error, ServerMessage
from protocol.people import Heartbeat
from protocol.session import ServerSession, SessionState
from server.auth.policy import AdmissionPolicy, RateLimiter
from server.net.backlog import BacklogMonitor
from server.telemetry.metrics import OUTBOX_DROPS

#: Seconds for which a message that needs no answer may wait.
BATCH_DELAY: Final = 0.003
#: Messages in the outbox that leave at once, so that a bot at many tables can start while the server
#: continues.
MAX_BATCH: Final = 64

#: Seconds between two heartbeats to a person.
HEARTBEAT_INTERVAL: Final = 3.0

#: Seconds within which a connection must send hello.
HELLO_TIMEOUT: Final = 10.0
#: Messages in a frame up to which the responses leave without waiting for other frames.
MAX_DIRECT: Final = 2

CLOSE_NORMAL: Final = 1000
CLOSE_GOING_AWAY: Final = 1001
CLOSE_POLICY: Final = 1008
CLOSE_TOO_BIG: Final = 1009


class Wire(Protocol):
    """What a gateway offers: sending a frame, closing, and the amount of unsent data. It calls
    ``Connection.on_backlog_full`` if that is too large.
    """

    def send(self, frame: bytes) -> None:
        """Queue a frame."""

    def close(self, code: int, reason: str) -> None:
        """Start the closing handshake."""

    def unsent_bytes(self) -> int:
        """Return the bytes that the operating system has not taken yet."""
        ...


class ConnectionHandler(Protocol):
    """The house, as a connection sees it."""

    admission: AdmissionPolicy
    #: Bytes that wait for readers, over all ports.
    backlogs: BacklogMonitor
    clock: Callable[[], float]
    flusher: Flusher

    def call_later(self, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call ``callback`` once, after ``delay`` seconds."""

    def on_connected(self, connection: Connection) -> None:
        """Handle a new connection, before its hello."""

    def close(self) -> None:
        """Close all connections."""

    def handle(self, connection: Connection, message: ClientMessage, now: float) -> None:
        """Execute a message. Raises ``WireError`` if it is refused."""

    def on_fault(self, connection: Connection, message: ClientMessage, error: Exception) -> None:
        """Handle an internal error during a message."""

    def count_refusal(self, connection: Connection, error: WireError) -> None:
        """Count a refusal for its sender."""

    def on_disconnected(self, connection: Connection) -> None:
        """Handle a closed connection."""


class Watched(Protocol):
    """A table that a connection watches with others: ``server.net.gallery``."""

    def take(self, connection: Connection) -> Sequence[bytes]:
        """Return what the connection has not been sent; it counts as sent."""
        ...


class Storage(Protocol):
    """The storage of recorded events."""

    def commit(self) -> bool:
        """Store everything that was recorded; return whether it is stored."""


class Flusher:
    """Flushes connections after each step. ``storage`` commits before any frame leaves; what cannot be stored
    is not sent. ``durable``: no frame leaves in the middle of a step.
    """

    def __init__(self, storage: Storage | None = None, *, durable: bool = False) -> None:
        self.commit: Callable[[], bool] = storage.commit if storage else lambda: True
        self.durable = durable
        self.in_frame = False
        self._loop = asyncio.get_running_loop()
        #: The event loop's clock.
        self.time: Callable[[], float] = self._loop.time
        self._waiting: list[Connection] = []

    def call_later(self, delay: float, callback: Callable[[], None]) -> None:
        """Call ``callback`` once, after ``delay`` seconds."""
        self._loop.call_later(delay, callback)

    def flush_soon(self, connection: Connection) -> None:
        """Flush a connection at the end of the current frame, or after the callbacks that are ready."""
        if not self._waiting and not self.in_frame:
            self._loop.call_soon(self.flush)
        connection.flush_pending = True
        self._waiting.append(connection)

    def flush(self) -> None:
        """Flush the connections for which ``flush_soon`` was called."""
        waiting, self._waiting = self._waiting, []
        for connection in waiting:
            connection.flush_pending = False
            connection.flush()


class Connection:
    """The server's side of a connection, whatever its gateway."""

    __slots__ = (
        "_batch_timer_set",
        "_flushed_since",
        "_hello_timer",
        "_outbox",
        "address",
        "codec",
        "flush_pending",
        "flusher",
        "galleries",
        "house",
        "identity",
        "internal",
        "is_local",
        "number",
        "open",
        "person",
        "player",
        "rate_limiter",
        "session",
        "spectator",
        "unbatched",
        "wire",
    )

    def __init__(self, wire: Wire, codec: Codec, house: ConnectionHandler) -> None:
        self.wire = wire
        self.codec = codec
        self.house = house
        self.flusher = house.flusher
        self.session = ServerSession(codec)
        #: The player, for the house; only the house knows what a player is.
        self.player: Any = None
        #: The identity from a signed cookie, if any.
        self.identity = ""
        #: Whether it may only watch.
        self.spectator = False
        #: Number for administrators.
        self.number = 0
        #: The client's address.
        self.address = ""
        #: Whether it comes from this machine, as house bots do.
        self.is_local = False
        #: Whether it came by the internal port, which has no limit.
        self.internal = False
        self.rate_limiter: RateLimiter | None = None
        #: Whether it is a person's page, which gets more messages.
        self.person = False
        #: Whether it is a person's with a seat; then no message waits for others.
        self.unbatched = False
        self.open = True
        self.flush_pending = False
        #: The tables that a person watches; what waits there comes after what waits here.
        self.galleries: list[Watched] = []
        self._outbox: list[bytes] = []
        self._batch_timer_set = False
        self._flushed_since = False
        # Cancelled with the connection, so that nothing refers to it any longer than it counts.
        self._hello_timer = house.call_later(HELLO_TIMEOUT, self._check_hello)

    def _check_hello(self) -> None:
        if self.session.state is SessionState.NEW:
            self.close_with_error("hello_first")

    def receive(self, frame: bytes | str, *, text: bool) -> None:
        """Handle a frame. Never raises, whatever the client sends."""
        if not self.open:
            return
        try:
            messages = self.session.receive(frame, text=text)
        except WireError as error:
            self.refuse(error)
            return
        if not self.check_rate(
            len(messages), next((message for message in messages if type(message) is Act), None)
        ):
            return
        # With one table the answer leaves at once; with many, other ready frames may add to it.
        if len(messages) > MAX_DIRECT:
            self._handle_messages(messages)
            return
        self.flusher.in_frame = True
        try:
            self._handle_messages(messages)
        finally:
            self.flusher.in_frame = False
            self.flusher.flush()

    def count_frame(self) -> bool:
        """Count a ping or a fragment as a message; return whether it is allowed."""
        return self.open and self.check_rate(1)

    def check_rate(self, count: int, act: Act | None = None) -> bool:
        """Return whether ``count`` messages are allowed now. Otherwise send an error, with the turn of the
        first act.
        """
        if self.rate_limiter is None or self.rate_limiter.spend(self.house.clock(), count):
            return True
        text = f"at most {self.rate_limiter.limit} messages a second"
        if act is None:
            self.refuse(Refused("too_fast", text))
        else:
            self.refuse(Refused("too_fast", text, table=act.table, turn=act.turn))
        return False

    def _handle_messages(self, messages: Sequence[ClientMessage]) -> None:
        house = self.house
        now = house.clock()
        for message in messages:
            try:
                # Connections with a player may act; skip the session's check.
                if self.player is None or type(message) is not Act:
                    self.session.advance(message)
                house.handle(self, message, now)
            except WireError as error:
                self.refuse(error)
            except Exception as error:  # noqa: BLE001 (one table's fault must not take the house down)
                house.on_fault(self, message, error)
                self.send(Error("internal", CODES["internal"]), urgent=True)
            if self.session.state is SessionState.CLOSED:
                return

    def refuse(self, error: WireError) -> None:
        """Send an error; close if it is fatal or there were too many."""
        self.house.count_refusal(self, error)
        if error.fatal:
            self.close_with_error(error.code, detail=str(error))
            return
        refusal = Error(error.code, str(error), error.table, error.turn, field=error.field)
        self.send(refusal, urgent=True)
        if self.session.count_refusal():
            self.close_with_error("too_many_faults")

    def send(self, message: ServerMessage, *, urgent: bool = False) -> None:
        """Encode and queue a message."""
        self.send_encoded([self.codec.encode(message)], urgent=urgent)

    def send_encoded(self, parts: Sequence[bytes], *, urgent: bool) -> None:
        """Queue messages that are already encoded with this connection's codec."""
        if not self.open:
            return
        outbox = self._outbox
        if self.galleries:
            self._collect()
        outbox += parts
        full = len(outbox) >= MAX_BATCH
        if full and not self.flusher.durable:
            self.flush()
        elif urgent or full or self.unbatched:
            if not self.flush_pending:
                self.flusher.flush_soon(self)
        elif not self._batch_timer_set:
            self._batch_timer_set = True
            self._start_batch_timer()

    @property
    def has_waiting(self) -> bool:
        """Return whether messages of its own wait."""
        return bool(self._outbox)

    def _collect(self) -> None:
        """Queue what it has not been sent of the tables that it watches."""
        for watched in self.galleries:
            self._outbox += watched.take(self)

    def _start_batch_timer(self) -> None:
        self._flushed_since = False
        self.flusher.call_later(BATCH_DELAY, self._on_batch_timer)

    def _on_batch_timer(self) -> None:
        # Messages queued after a flush have waited for less than one round: they get another.
        if self._outbox and self._flushed_since:
            self._start_batch_timer()
            return
        self._batch_timer_set = False
        self.flush()

    def flush(self) -> None:
        """Send the queued messages as one frame, or as several if they are more than a frame may hold."""
        if self.galleries:
            self._collect()
        outbox = self._outbox
        while outbox and self.open and self.flusher.commit():
            frame = self.codec.join(outbox if len(outbox) <= MAX_MESSAGES else outbox[:MAX_MESSAGES])
            del outbox[:MAX_MESSAGES]
            self._flushed_since = True
            if frame:  # some messages have no lines in the ACPC protocol
                self.wire.send(frame)

    def send_frame(self, frame: bytes) -> None:
        """Send a frame; what it says is stored."""
        if self.open:
            self.wire.send(frame)

    def on_backlog_full(self) -> None:
        """Close the connection because too much data is unsent."""
        if self.open:
            OUTBOX_DROPS.inc()
            self.hang_up(CLOSE_POLICY, "too_slow")

    def send_heartbeats(self) -> None:
        """Send heartbeats until the connection is closed."""
        if self.open:
            self.send(Heartbeat(), urgent=True)
            self.house.call_later(HEARTBEAT_INTERVAL, self.send_heartbeats)

    def close_with_error(self, code: str, close_code: int = CLOSE_POLICY, *, detail: str = "") -> None:
        """Send an error and close. The player's seats are reserved for the grace period."""
        if not self.open:
            return
        self._collect()
        self._outbox.append(self.codec.encode(Error(code, detail or CODES[code], fatal=True)))
        self.flush()
        self.hang_up(close_code, code)

    def hang_up(self, close_code: int, reason: str) -> None:
        """Close without an error message."""
        if self.open:
            self._outbox.clear()
            self.wire.close(close_code, reason)
            self.on_disconnected()

    def on_disconnected(self) -> None:
        """Handle the end of the connection, whoever closed it."""
        if self.open:
            self.open = False
            self.session.state = SessionState.CLOSED
            self._hello_timer.cancel()
            self._outbox.clear()
            self.house.on_disconnected(self)
