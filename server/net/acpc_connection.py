"""ACPC lines over a websocket: the subprotocol ``acpc.2.0.0``.

To house and tables it is a connection like any other. What the ACPC protocol cannot express comes from the
URL (``/?name=...&token=...&table=...``) or is implied: the version line is the hello, the client joins an
open table, and is ready when its match is. Refusals are sent as comments.
"""

from __future__ import annotations

from functools import partial
from typing import Final
from urllib.parse import parse_qsl

import msgspec

from protocol.acpc import Fault, LineReader, is_comment, line_text, parse_version
from protocol.codec import MAX_MESSAGES
from protocol.errors import MalformedFrame, Refused, WireError
from protocol.messages import ClientMessage, Hello, Join, Ready
from protocol.session import SessionState
from server.net.acpc_codec import ACPC, AcpcCodec, comment
from server.net.connection import CLOSE_NORMAL, Connection, ConnectionHandler, Wire
from server.telemetry.incidents import Incident

#: How a wrong line is counted: as the code of a refusal, or as an incident.
_FAULT_CODES: Final[dict[Fault, str]] = {
    "bad_state": "malformed_frame",
    "unrequested": "stale_turn",
    "bad_action": "illegal_action",
    "invalid_action": "illegal_action",
    "raise_adjusted": Incident.RAISE_ADJUSTED,
}


class AcpcConnection(Connection):
    """A connection with an ACPC client; ``path`` is from the handshake."""

    __slots__ = ("_query", "lines")

    def __init__(self, wire: Wire, house: ConnectionHandler, path: str) -> None:
        self._query: dict[str, str] = dict(parse_qsl(path.partition("?")[2]))
        self.lines = AcpcCodec(
            self._query.get("table", ""), partial(house.call_later, 0.0, self._send_implied)
        )
        super().__init__(wire, self.lines, house)

    def receive(self, frame: bytes | str, *, text: bool) -> None:
        """Handle a frame of one or more lines. Never raises, whatever the client sends."""
        if not self.open:
            return
        try:
            lines = _split_lines(frame, text=text)
        except WireError as error:
            self.refuse(error)
            return
        if not self.check_rate(len(lines)):
            return
        self.flusher.in_frame = True
        try:
            for line in lines:
                if self.open:
                    self._receive_line(line)
        finally:
            self.flusher.in_frame = False
            self.flusher.flush()

    def _receive_line(self, line: bytes) -> None:
        if self.session.state is SessionState.NEW:
            self._receive_hello(line)
            return
        seat = self.lines.seat
        if seat is None:
            if not is_comment(line):
                self.refuse(Refused("not_your_turn", "no match has begun"))
            return
        result = seat.receive_line(line)
        if result.fault == "raise_adjusted":
            self._report_adjusted(seat.table, result.fault_text)
        elif result.fault:
            self.refuse(
                Refused(_FAULT_CODES[result.fault], f"{result.fault}: {result.fault_text}", table=seat.table)
            )
        if result.message is not None and self.open:
            self._handle_messages([result.message])

    def _report_adjusted(self, table: str, text: str) -> None:
        """Report and count a corrected raise. It is not a refusal: a program that ignores the limits may
        cause it in every hand of a long match.
        """
        self.send_encoded([comment(Incident.RAISE_ADJUSTED, text)], urgent=True)
        place = self.player.seats.get(table)
        if place is not None:
            actor, seat = place
            actor.count(seat, Incident.RAISE_ADJUSTED)

    def _receive_hello(self, line: bytes) -> None:
        """Require a version line first. As in the reference dealer, any version will do."""
        try:
            if parse_version(line_text(line)) is None:
                raise Refused("hello_first", "the first line must be VERSION:2.0.0", fatal=True)
            name, token = self._query.get("name", "acpc"), self._query.get("token", "")
            hello = msgspec.convert({"name": name, "token": token, "software": ACPC}, Hello)
        except msgspec.ValidationError as error:
            self.refuse(MalformedFrame("malformed_frame", str(error), fatal=True))
        except WireError as error:
            self.refuse(error)
        else:
            self._handle_messages([hello])

    def _send_implied(self) -> None:
        """Send the implied messages of the client."""
        lines, seat = self.lines, self.lines.seat
        if not self.open:
            return
        if lines.over:
            self.flush()
            self.hang_up(CLOSE_NORMAL, "match over")
        elif seat is None:
            if lines.table and not lines.join_sent:
                lines.join_sent = True
                self._handle_implied(Join(lines.table))
        elif not lines.ready_sent:
            lines.ready_sent = True
            # Show the hand in progress before anything new happens in it.
            self.flush()
            self._handle_implied(Ready(seat.table))
        elif (act := seat.repeat_answer()) is not None:
            self._handle_messages([act])

    def _handle_implied(self, message: ClientMessage) -> None:
        """Handle an implied message. If it is refused, there is nothing to do."""
        try:
            self.house.handle(self, message, self.house.clock())
        except WireError as error:
            error.fatal = True
            self.refuse(error)


def _split_lines(frame: bytes | str, *, text: bool) -> list[bytes]:
    """Return the lines of a frame; the end of the frame ends the last line."""
    if not text:
        raise MalformedFrame("wrong_frame_kind", f"{ACPC} uses text frames")
    reader = LineReader()
    lines = reader.feed(frame.encode() if isinstance(frame, str) else frame)
    rest = reader.flush()
    if rest:
        lines.append(rest)
    if len(lines) > MAX_MESSAGES:
        raise MalformedFrame("too_many_messages", f"{len(lines)} lines in one frame; at most {MAX_MESSAGES}")
    return lines
