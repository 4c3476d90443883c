"""Many tables on one connection, in binary frames: the subprotocol ``pokerd.v1.batch``.

It begins in JSON as any other connection, with ``hello`` and ``welcome``. ``open`` and ``opened`` follow, and
then frames whose rows this module does not look into: ``BatchTables`` makes and reads them. One frame is out
at a time, so nothing piles up here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final, Protocol

import msgspec

from dealer.rules.errors import CodedError
from protocol.batch import VERSION, Open, Opened
from protocol.codec import JSON
from protocol.errors import CODES, MalformedFrame, Refused, WireError
from protocol.messages import ClientMessage, Hello
from protocol.session import SessionState
from server.net.batch_room import BatchRequest, BatchRoom, BatchTables, Record
from server.net.connection import CLOSE_NORMAL, Connection, ConnectionHandler, Wire
from server.telemetry.logger import get_logger
from server.telemetry.metrics import HANDS

log = get_logger("pokerd.batch")

#: Times in a row that a turn is over before the player has answered the one that waits for longest, after
#: which a connection is closed. Whoever answers nothing, or one table of many, would keep his place for ever.
MAX_LATE: Final = 3
#: Rows that count as one message in the limit of messages a second: they cost as much.
ROWS_PER_MESSAGE: Final = 16
#: Seconds after which a frame that comes too fast is tried again.
RETRY: Final = 0.01

_decode = msgspec.json.Decoder(Open).decode


class BinaryWire(Wire, Protocol):
    """A wire that also sends binary frames under a codec of text."""

    def send_binary(self, frame: bytes) -> None:
        """Queue a binary frame."""


class BatchConnection(Connection):
    """A connection whose player sits at tables of ``room``."""

    __slots__ = ("_binary", "_cost", "_late", "_opening", "_record", "_retry", "_room", "_tables", "_timer")

    def __init__(self, wire: BinaryWire, house: ConnectionHandler, room: BatchRoom) -> None:
        super().__init__(wire, JSON, house)
        self._binary = wire
        self._room = room
        self._tables: BatchTables | None = None
        self._record: Record | None = None
        self._opening: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._late = self._cost = 0

    def receive(self, frame: bytes | str, *, text: bool) -> None:
        """Handle a frame. Never raises, whatever the client sends."""
        if not self.open:
            return
        if self.session.state is SessionState.NEW:
            super().receive(frame, text=text)
            return
        try:
            if not text:
                self._answer(frame if isinstance(frame, bytes) else frame.encode())
            elif self.check_rate(1):
                self._open(frame)
        except WireError as error:
            self.refuse(error)

    def _handle_messages(self, messages: Sequence[ClientMessage]) -> None:
        if len(messages) == 1 or all(isinstance(message, Hello) for message in messages):
            super()._handle_messages(messages)
        else:
            self.refuse(MalformedFrame("malformed_frame", "send hello alone"))

    def _check_hello(self) -> None:
        if self._tables is None and self._opening is None:
            self.close_with_error("hello_first", detail="send hello, and then open")

    # Opening.

    def _open(self, frame: bytes | str) -> None:
        if self._opening is not None:
            raise Refused("already_seated", "a connection opens its tables once")
        try:
            message = _decode(frame)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise MalformedFrame("malformed_frame", str(error)[:200]) from None
        if self.house.admission.table_limit(message.tables, self.player.grant, guest=False) < message.tables:
            raise Refused("too_many_tables", "more than your token allows")
        cost = 1 + message.tables // ROWS_PER_MESSAGE
        if self.rate_limiter is not None and cost > self.rate_limiter.limit:
            raise Refused("too_many_tables", "more than you may act at in a second")
        self._room.enter(self.address)
        # Kept, so that the tables are given back even if the client is gone before they are made.
        self._opening = asyncio.create_task(self._start(message, self.player.name), name="batch")

    async def _start(self, message: Open, name: str) -> None:
        try:
            request, self._record = self._room.open(message, name)
            # The first time compiled code is loaded, or even compiled.
            tables, frame = await asyncio.to_thread(self._make, request)
        except Exception as error:  # noqa: BLE001 (other connections must go on)
            self._give_up(error)
            return
        if not self.open:
            self._close_tables(tables)
            return
        self._tables, self._cost = tables, 1 + message.tables // ROWS_PER_MESSAGE
        opened = Opened(
            VERSION,
            tables.row_size,
            message.tables,
            message.history,
            int(1000 * request.limit),
            request.game.text(),
            list(request.names),
            "" if self._record is None else self._record.name,
        )
        log.info("batch", player=name, tables=message.tables)
        self.send_encoded([msgspec.json.encode(opened)], urgent=True)
        self.flush()
        self._send(frame)
        self._watch()

    def _make(self, request: BatchRequest) -> tuple[BatchTables, bytes]:
        tables = self._room.make(request)
        return tables, tables.begin(self.house.clock)

    def _give_up(self, error: Exception) -> None:
        """Say why no tables were opened."""
        self._opening = None
        self._room.leave(self.address)
        self._abandon_record()
        if isinstance(error, CodedError):
            error = Refused("bad_table", f"{error.code}: {error.detail}")
        if isinstance(error, WireError):
            self.refuse(error)
        else:
            self._fail(error)

    # Playing.

    def _answer(self, frame: bytes) -> None:
        tables = self._tables
        if tables is None:
            raise MalformedFrame("wrong_frame_kind", "open comes first, as text")
        if self._retry is not None:
            raise Refused("too_fast", "the last frame is not answered yet")
        now = self.house.clock()
        if self.rate_limiter is not None and not self.rate_limiter.spend(now, self._cost):
            # Nobody sends more before this is answered, so it may wait here.
            self._retry = self.house.call_later(RETRY, partial(self._answer_again, frame))
            return
        before = tables.deadline
        try:
            after = tables.answer(frame, now)
        except CodedError as error:
            raise Refused(error.code, error.detail) from None
        except Exception as error:  # noqa: BLE001 (as above)
            self._fail(error)
            return
        if tables.deadline > before:  # the turn that was open for longest is answered
            self._late = 0
        self._send(after)
        if tables.refused and self.open:
            self.house.count_refusal(self, Refused("illegal_action"))
            if self.session.count_refusal():
                self.close_with_error("too_many_faults")

    def _answer_again(self, frame: bytes) -> None:
        self._retry = None
        if self.open:
            try:
                self._answer(frame)
            except WireError as error:
                self.refuse(error)

    def _send(self, frame: bytes) -> None:
        tables = self._tables
        assert tables is not None
        HANDS.inc(tables.ended)
        self._binary.send_binary(frame)
        if tables.over:
            self.hang_up(CLOSE_NORMAL, "all hands are played")
        elif self._record is not None and self._record.full:
            tables.stop_dealing()

    def _watch(self) -> None:
        """Let the policy act when time is over for a turn."""
        tables = self._tables
        if not self.open or tables is None:
            return
        now = self.house.clock()
        if tables.deadline <= now:
            self._late += 1
            try:
                frame = tables.force(now)
            except Exception as error:  # noqa: BLE001 (as above)
                self._fail(error)
                return
            if self._late >= MAX_LATE:
                self.close_with_error("too_late")
                return
            self._send(frame)
            if tables.over:
                return
        self._timer = self.house.call_later(max(0.001, tables.deadline - now), self._watch)

    def _abandon_record(self) -> None:
        """Leave a record as it is: nothing that is sure can be added."""
        if self._record is not None:
            self._record.abandon()
            self._record = None

    def _fail(self, error: Exception) -> None:
        self._abandon_record()
        log.error("fault", player=self.player and self.player.name, table="", exc_info=error)
        self.close_with_error("internal", detail=CODES["internal"])

    # The end.

    def on_disconnected(self) -> None:
        """Handle the end of the connection: the policy ends hands that are recorded."""
        if not self.open:
            return
        super().on_disconnected()
        for timer in (self._timer, self._retry):
            if timer is not None:
                timer.cancel()
        self._timer = self._retry = None
        tables, self._tables = self._tables, None
        if tables is not None:
            self._close_tables(tables)

    def _close_tables(self, tables: BatchTables) -> None:
        self._room.leave(self.address)
        record, self._record = self._record, None
        if record is None:
            return
        try:
            tables.finish()
            record.close(tables.totals)
        except Exception:
            log.exception("fault", player="", table=record.name)
