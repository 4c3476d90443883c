"""One client's connection: frames in, messages out, both bounded.

Messages wait in the outbox and leave together, as one frame. ``send_encoded(..., urgent=True)`` (something
the receiver must answer) makes them leave when the event loop has run the callbacks that are ready; the
others wait for one of those, at most about ``BATCH_DELAY`` seconds, and those for spectators
``SPECTATOR_BATCH_DELAY``. Fewer frames are what makes a table fast: a frame costs ten times what a message
does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from protocol.codec import Codec
from protocol.errors import CODES, Refused, WireError
from protocol.messages import Act, ClientMessage, Error, ServerMessage
from protocol.people import Heartbeat
from protocol.session import ServerSession, SessionState
from server.auth.policy import AdmissionPolicy, RateLimiter
from server.net.backlog import BacklogMonitor
from server.telemetry.metrics import OUTBOX_DROPS

__all__ = [
    "CLOSE_GOING_AWAY",
    "CLOSE_NORMAL",
    "CLOSE_POLICY",
    "CLOSE_TOO_BIG",
    "HEARTBEAT_INTERVAL",
    "Connection",
    "ConnectionHandler",
    "Wire",
]

#: Seconds a message that needs no answer may wait for one that does.
BATCH_DELAY: Final = 0.003
#: The same for whoever only looks on: too short to be seen, and long enough that the hands of bots, however
#: quick, cost a frame or two for each of hundreds of spectators, and not one for every action.
SPECTATOR_BATCH_DELAY: Final = 0.04
#: Messages in the outbox that leave at once, so that a bot at many tables can start on them while the server
#: goes on.
MAX_BATCH: Final = 64

#: Seconds between two heartbeats to a person.
HEARTBEAT_INTERVAL: Final = 3.0

#: Seconds in which a connection must say hello.
HELLO_TIMEOUT: Final = 10.0
#: Messages in a frame up to which what follows from it is sent without waiting for other frames.
MAX_DIRECT: Final = 2

CLOSE_NORMAL: Final = 1000
CLOSE_GOING_AWAY: Final = 1001
CLOSE_POLICY: Final = 1008
CLOSE_TOO_BIG: Final = 1009


class Wire(Protocol):
    """What a gateway gives: a way to send one frame, to close, and to see how much is still unsent. It calls
    ``Connection.on_backlog_full`` when too much is.
    """

    def send(self, frame: bytes) -> None:
        """Queue one frame."""

    def close(self, code: int, reason: str) -> None:
        """Start the closing handshake."""

    def unsent_bytes(self) -> int:
        """Bytes not yet taken by the operating system."""
        ...


class ConnectionHandler(Protocol):
    """The house, as far as a connection knows it."""

    admission: AdmissionPolicy
    #: What waits for readers, at all ports.
    backlogs: BacklogMonitor
    clock: Callable[[], float]
    in_frame: bool
    #: Frames leave only when nothing is half done.
    durable: bool
    #: Stores what was recorded, and says whether that is so; before, nothing may be told.
    commit: Callable[[], bool]

    def call_later(self, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call once, in that many seconds."""

    def on_connected(self, connection: Connection) -> None:
        """There is a new connection, which has not said hello."""

    def close(self) -> None:
        """Say goodbye to everybody, and close all connections."""

    def handle(self, connection: Connection, message: ClientMessage, now: float) -> None:
        """Carry out one message. Raises ``WireError`` when it is refused."""

    def on_fault(self, connection: Connection, message: ClientMessage, error: Exception) -> None:
        """Something of ours broke while carrying out a message."""

    def count_refusal(self, connection: Connection, error: WireError) -> None:
        """Count a refusal against its author."""

    def on_disconnected(self, connection: Connection) -> None:
        """The connection is gone."""

    def flush_soon(self, connection: Connection) -> None:
        """Flush this connection as soon as what is going on now is done."""

    def flush(self) -> None:
        """Flush all that asked for it."""


class Connection:
    """The server's end of a connection, whatever gateway it came through."""

    __slots__ = (
        "_batch_timer_set",
        "_flushed_since",
        "_hello_timer",
        "_outbox",
        "address",
        "codec",
        "flush_pending",
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
        "unbatched",
        "wire",
    )

    def __init__(self, wire: Wire, codec: Codec, house: ConnectionHandler) -> None:
        self.wire = wire
        self.codec = codec
        self.house = house
        self.session = ServerSession(codec)
        #: Whose connection it is: kept here for the house, which alone knows what a player is.
        self.player: Any = None
        #: Who comes, when the entrance knows it from a signed cookie.
        self.identity = ""
        #: By which an administrator can name it.
        self.number = 0
        #: Where it comes from, and how often it may speak.
        self.address = ""
        #: He comes from the machine of this server, as house bots do.
        self.is_local = False
        #: He comes by the port for our own bots, where connections are not limited.
        self.internal = False
        self.rate_limiter: RateLimiter | None = None
        #: A person's page: it is told more.
        self.person = False
        #: A person's with a seat: nothing waits for company.
        self.unbatched = False
        self.open = True
        self.flush_pending = False
        self._outbox: list[bytes] = []
        self._batch_timer_set = False
        self._flushed_since = False
        # Cancelled with the connection: what it holds must not outlast the place that it is counted by.
        self._hello_timer = house.call_later(HELLO_TIMEOUT, self._check_hello)

    def _check_hello(self) -> None:
        if self.session.state is SessionState.NEW:
            self.close_with_error("hello_first")

    def receive(self, frame: bytes | str, *, text: bool) -> None:
        """Take one frame. Never raises for anything a client can send."""
        if not self.open:
            return
        try:
            messages = self.session.receive(frame, text=text)
        except WireError as error:
            self.refuse(error)
            return
        if not self.check_rate(len(messages), next((said for said in messages if type(said) is Act), None)):
            return
        # With one table the answer leaves at once; with many, other frames that are ready may add to it.
        house = self.house
        if len(messages) > MAX_DIRECT:
            self._handle_messages(messages)
            return
        house.in_frame = True
        try:
            self._handle_messages(messages)
        finally:
            house.in_frame = False
            house.flush()

    def count_frame(self) -> bool:
        """Whether a ping or a part of a message may come: it counts as a message."""
        return self.open and self.check_rate(1)

    def check_rate(self, count: int, act: Act | None = None) -> bool:
        """Whether so many messages may be said now; if not, that is told, with the turn that the first act
        among them leaves open.
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
                # Whoever has a player has said hello, and may act: no need to ask the session.
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
        """Answer with an error; close when it is fatal or the connection's patience is used up."""
        self.house.count_refusal(self, error)
        if error.fatal:
            self.close_with_error(error.code, detail=str(error))
            return
        refusal = Error(error.code, str(error), error.table, error.turn, field=error.field)
        self.send(refusal, urgent=True)
        if self.session.count_refusal():
            self.close_with_error("too_many_faults")

    def send(self, message: ServerMessage, *, urgent: bool = False) -> None:
        """Encode and post one message."""
        self.send_encoded([self.codec.encode(message)], urgent=urgent)

    def send_encoded(self, parts: Sequence[bytes], *, urgent: bool) -> None:
        """Post messages that are already encoded for this connection's codec."""
        if not self.open:
            return
        outbox = self._outbox
        outbox += parts
        full = len(outbox) >= MAX_BATCH
        if full and not self.house.durable:
            self.flush()
        elif urgent or full or self.unbatched:
            if not self.flush_pending:
                self.house.flush_soon(self)
        elif not self._batch_timer_set:
            self._batch_timer_set = True
            self._start_batch_timer()

    def _start_batch_timer(self) -> None:
        self._flushed_since = False
        self.house.call_later(SPECTATOR_BATCH_DELAY if self.person else BATCH_DELAY, self._on_batch_timer)

    def _on_batch_timer(self) -> None:
        # After a flush, what is here now has waited for less than a round: it gets another one.
        if self._outbox and self._flushed_since:
            self._start_batch_timer()
            return
        self._batch_timer_set = False
        self.flush()

    def flush(self) -> None:
        """Send what waits, as one frame."""
        if not self._outbox or not self.open or not self.house.commit():
            return
        frame = self.codec.join(self._outbox)
        self._outbox.clear()
        self._flushed_since = True
        if not frame:  # not every message has words in every language
            return
        self.wire.send(frame)

    def on_backlog_full(self) -> None:
        """More waits for the receiver than may."""
        if self.open:
            OUTBOX_DROPS.inc()
            self.hang_up(CLOSE_POLICY, "too_slow")

    def send_heartbeats(self) -> None:
        """Send a heartbeat from now on, until the connection is closed."""
        if self.open:
            self.send(Heartbeat(), urgent=True)
            self.house.call_later(HEARTBEAT_INTERVAL, self.send_heartbeats)

    def close_with_error(self, code: str, close_code: int = CLOSE_POLICY, *, detail: str = "") -> None:
        """Say why, and close. The player's seats are kept for the grace period."""
        if not self.open:
            return
        if self.house.commit():
            self._outbox.append(self.codec.encode(Error(code, detail or CODES[code], fatal=True)))
            self.wire.send(self.codec.join(self._outbox))
        self.hang_up(close_code, code)

    def hang_up(self, close_code: int, reason: str) -> None:
        """Close without a word."""
        if self.open:
            self._outbox.clear()
            self.wire.close(close_code, reason)
            self.on_disconnected()

    def on_disconnected(self) -> None:
        """The connection is gone, whoever ended it."""
        if self.open:
            self.open = False
            self.session.state = SessionState.CLOSED
            self._hello_timer.cancel()
            self._outbox.clear()
            self.house.on_disconnected(self)
