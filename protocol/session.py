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
from protocol.messages import (
    Act,
    Away,
    Back,
    ClientMessage,
    Create,
    Hello,
    Invite,
    Join,
    Leave,
    Ready,
    Say,
    Show,
    Watch,
)

__all__ = ["MAX_FAULTS", "REFUSALS", "TRANSITIONS", "ServerSession", "State"]

#: Refused frames and messages on one connection before it is closed. A bot with a bug in one street should be
#: able to finish its match; one that babbles should not.
MAX_FAULTS: Final = 1000


class State(enum.Enum):
    """Where a connection stands."""

    NEW = "new"
    OPEN = "open"
    CLOSED = "closed"


TRANSITIONS: Final[dict[tuple[State, type[ClientMessage]], State]] = {
    (State.NEW, Hello): State.OPEN,
    (State.OPEN, Join): State.OPEN,
    (State.OPEN, Leave): State.OPEN,
    (State.OPEN, Ready): State.OPEN,
    (State.OPEN, Act): State.OPEN,
    (State.OPEN, Back): State.OPEN,
    (State.OPEN, Watch): State.OPEN,
    (State.OPEN, Away): State.OPEN,
    (State.OPEN, Say): State.OPEN,
    (State.OPEN, Show): State.OPEN,
    (State.OPEN, Create): State.OPEN,
    (State.OPEN, Invite): State.OPEN,
}

REFUSALS: Final[dict[State, str]] = {
    State.NEW: "hello_first",
    State.OPEN: "hello_again",
}


class ServerSession:
    """The server's half of one connection: which codec, which state, how many faults."""

    __slots__ = ("codec", "faults", "state")

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.state = State.NEW
        self.faults = 0

    def receive(self, frame: bytes | str, *, text: bool) -> Sequence[ClientMessage]:
        """Messages of one frame. Raises ``MalformedFrame``; then nothing of the frame may be carried out."""
        if text is not self.codec.text:
            want = "text" if self.codec.text else "binary"
            raise MalformedFrame("wrong_frame_kind", f"{self.codec.subprotocol} uses {want} frames")
        return self.codec.decode_client(frame)

    def admit(self, message: ClientMessage) -> None:
        """Advance by one message, or raise ``Refused`` and stay."""
        after = TRANSITIONS.get((self.state, type(message)))
        if after is None:
            raise Refused(REFUSALS.get(self.state, "hello_first"))
        self.state = after

    def fault(self) -> bool:
        """Count one refusal; true when the connection has used up its patience and must be closed."""
        self.faults += 1
        return self.faults >= MAX_FAULTS
