"""The conversation of one connection, without any I/O; both ends use it.

``TRANSITIONS`` is the whole state machine: in ``state``, hearing a message of that type leads to the next
state; what is not in the table is refused with the code in ``REFUSALS`` and changes nothing. Server side:
feed ``receive`` each frame.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final

from protocol.codec import Codec
from protocol.errors import MalformedFrame, Refused
from protocol.messages import Act, ClientMessage, Hello, Join, Leave, Ready, SitIn
from protocol.people import CreateTable, Invite, SendChat, ShowCards, SitOut, Spectate

__all__ = ["MAX_REFUSALS", "REFUSALS", "TRANSITIONS", "ServerSession", "SessionState"]

#: Refused frames and messages on one connection before it is closed. A bot with a bug in one street should be
#: able to finish its match; one that babbles should not.
MAX_REFUSALS: Final = 1000


class SessionState(enum.Enum):
    """Where a connection stands."""

    NEW = "new"
    OPEN = "open"
    CLOSED = "closed"


TRANSITIONS: Final[dict[tuple[SessionState, type[ClientMessage]], SessionState]] = {
    (SessionState.NEW, Hello): SessionState.OPEN,
    (SessionState.OPEN, Join): SessionState.OPEN,
    (SessionState.OPEN, Leave): SessionState.OPEN,
    (SessionState.OPEN, Ready): SessionState.OPEN,
    (SessionState.OPEN, Act): SessionState.OPEN,
    (SessionState.OPEN, SitIn): SessionState.OPEN,
    (SessionState.OPEN, Spectate): SessionState.OPEN,
    (SessionState.OPEN, SitOut): SessionState.OPEN,
    (SessionState.OPEN, SendChat): SessionState.OPEN,
    (SessionState.OPEN, ShowCards): SessionState.OPEN,
    (SessionState.OPEN, CreateTable): SessionState.OPEN,
    (SessionState.OPEN, Invite): SessionState.OPEN,
}

REFUSALS: Final[dict[SessionState, str]] = {SessionState.NEW: "hello_first", SessionState.OPEN: "hello_again"}


class ServerSession:
    """The server's half of one connection: which codec, which state, how many faults."""

    __slots__ = ("codec", "refusals", "state")

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.state = SessionState.NEW
        self.refusals = 0

    def receive(self, frame: bytes | str, *, text: bool) -> Sequence[ClientMessage]:
        """Messages of one frame. Raises ``MalformedFrame``; then nothing of the frame may be carried out."""
        if text is not self.codec.text:
            want = "text" if self.codec.text else "binary"
            raise MalformedFrame("wrong_frame_kind", f"{self.codec.subprotocol} uses {want} frames")
        return self.codec.decode_client(frame)

    def advance(self, message: ClientMessage) -> None:
        """Advance by one message, or raise ``Refused`` and stay."""
        after = TRANSITIONS.get((self.state, type(message)))
        if after is None:
            raise Refused(REFUSALS.get(self.state, "hello_first"))
        self.state = after

    def count_refusal(self) -> bool:
        """Count one refusal; true when the connection has used up its patience and must be closed."""
        self.refusals += 1
        return self.refusals >= MAX_REFUSALS
