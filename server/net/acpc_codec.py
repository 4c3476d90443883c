"""The codec of the subprotocol ``acpc.2.0.0``: a server's messages as ACPC lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from protocol.acpc import encode_lines
from protocol.acpc_seat import AcpcSeat
from protocol.codec import Codec
from protocol.messages import Error, MatchEnd, MatchStart, ServerMessage, Welcome, YourTurn
from protocol.people import Heartbeat

#: Name of the subprotocol.
ACPC: Final = "acpc.2.0.0"


class AcpcCodec(Codec):
    """Translates messages to lines for one connection, which plays at one table. ``on_implied`` is called
    with messages that the client would send if its protocol had them.
    """

    __slots__ = ("join_sent", "on_implied", "over", "ready_sent", "seat", "table")

    def __init__(self, table: str, on_implied: Callable[[], object]) -> None:
        self.subprotocol = ACPC
        self.text = True
        #: The open table to join, once known.
        self.table = table
        self.on_implied = on_implied
        self.seat: AcpcSeat | None = None
        self.ready_sent = self.join_sent = self.over = False

    def encode(self, message: ServerMessage) -> bytes:
        """Return the lines for a message; often none."""
        if isinstance(message, Error):
            return comment(message.code, message.message)
        if isinstance(message, Welcome):
            free = [listed.table for listed in message.tables if listed.free]
            self.table = self.table or (free or [listed.table for listed in message.tables] or [""])[0]
            self.on_implied()
        elif isinstance(message, MatchStart) and self.seat is None:
            self.seat = AcpcSeat(message)
            self.on_implied()
        elif self.seat and not isinstance(message, Heartbeat) and message.table == self.seat.table:
            return self._at_table(self.seat, message)
        return b""

    def _at_table(self, seat: AcpcSeat, message: ServerMessage) -> bytes:
        if isinstance(message, MatchEnd):
            self.over = True
            self.on_implied()
        lines = encode_lines(seat.receive(message))
        if isinstance(message, YourTurn) and seat.repeat_answer() is not None:
            self.on_implied()
        return lines

    def join(self, parts: Sequence[bytes]) -> bytes:
        """Join encoded parts into a frame; empty if there is nothing to send."""
        return b"".join(parts) + (encode_lines(self.seat.end_frame()) if self.seat is not None else b"")


def comment(code: str, text: str) -> bytes:
    """Return the line that tells a client a code and its text."""
    words = " ".join(f"{code}: {text}".splitlines())
    return f"# {words}\r\n".encode("ascii", "replace")
