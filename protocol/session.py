"""The state of one connection, without any I/O.

``TRANSITIONS`` is the whole state machine: the state that follows after a message of a given type. Any other
message is refused with a code from ``REFUSALS`` and changes nothing. The server passes each frame to
``ServerSession.receive`` and each message to ``advance``.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Final, get_args

from protocol.codec import Codec
from protocol.errors import MalformedFrame, Refused
from protocol.messages import ClientMessage, Hello

#: Refused frames and messages after which a connection is closed. A bot with a bug on one street should be
#: able to finish its match; one that floods the server with garbage should not.
MAX_REFUSALS: Final = 1000


class SessionState(enum.Enum):
    """The state of a connection."""

    NEW = "new"
    OPEN = "open"
    CLOSED = "closed"


TRANSITIONS: Final[dict[tuple[SessionState, type[ClientMessage]], SessionState]] = {
    (SessionState.NEW, Hello): SessionState.OPEN,
    **{(SessionState.OPEN, kind): SessionState.OPEN for kind in get_args(ClientMessage) if kind is not Hello},
}

REFUSALS: Final[dict[SessionState, str]] = {SessionState.NEW: "hello_first", SessionState.OPEN: "hello_again"}


class ServerSession:
    """The server's side of one connection: codec, state and number of refusals."""

    __slots__ = ("codec", "refusals", "state")

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.state = SessionState.NEW
        self.refusals = 0

    def receive(self, frame: bytes | str, *, text: bool) -> Sequence[ClientMessage]:
        """Decode one frame. Raises ``MalformedFrame``; then no message of the frame may be processed."""
        if text is not self.codec.text:
            want = "text" if self.codec.text else "binary"
            raise MalformedFrame("wrong_frame_kind", f"{self.codec.subprotocol} uses {want} frames")
        return self.codec.decode_client(frame)

    def advance(self, message: ClientMessage) -> None:
        """Advance the state by one message. Raises ``Refused`` and changes nothing if it is not allowed."""
        after = TRANSITIONS.get((self.state, type(message)))
        if after is None:
            raise Refused(REFUSALS.get(self.state, "hello_first"))
        self.state = after

    def count_refusal(self) -> bool:
        """Count one refusal; return whether the connection must be closed now."""
        self.refusals += 1
        return self.refusals >= MAX_REFUSALS
