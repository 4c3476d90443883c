"""The people who watch a table. Each message is kept once, and whoever's turn it is gets all that he has not
had yet, as one frame; all who had the same get the same bytes.

Nothing waits while there is time: the first turn comes with the next round of the event loop. Between
``SLICE`` turns the loop looks at its sockets, so that thousands of spectators hold nobody up, and what comes
meanwhile goes into the frames of those who are still to come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from protocol.codec import MAX_MESSAGES, Codec
from server.net.connection import Connection, Flusher

#: Turns between two looks at the sockets: half a millisecond.
SLICE: Final = 48
#: Frames that a spectator may get without a pause: more than a hand has at a table that people watch, where
#: hands are some time apart.
BURST: Final = 40
#: Seconds for which each frame uses up one of them. At a table of quick bots without pauses a spectator gets
#: a frame in this time, not one per action.
INTERVAL: Final = 0.04
#: Messages above which those that everybody has had are dropped although turns are left.
_KEPT: Final = 256


class Gallery:
    """The spectators of one table with the same ``codec``; to the table it is like one connection."""

    __slots__ = (
        "_busy_until",
        "_codec",
        "_first",
        "_flusher",
        "_is_scheduled",
        "_left",
        "_parts",
        "_seen",
        "_turns",
    )

    def __init__(self, codec: Codec, flusher: Flusher) -> None:
        self._codec = codec
        self._flusher = flusher
        #: The messages that somebody has not had, and the number of the first one.
        self._parts: list[bytes] = []
        self._first = 0
        #: Up to which number each has had them.
        self._seen: dict[Connection, int] = {}
        self._turns: deque[Connection] = deque()
        #: Turns until everybody has had everything.
        self._left = 0
        self._is_scheduled = False
        #: When the frames that each has got will be used up.
        self._busy_until = 0.0

    @property
    def size(self) -> int:
        """Return the number of spectators."""
        return len(self._turns)

    def add(self, connection: Connection) -> None:
        """Add a spectator, who gets what comes from now on."""
        self._seen[connection] = self._first + len(self._parts)
        self._turns.append(connection)
        connection.galleries.append(self)

    def remove(self, connection: Connection) -> None:
        """Remove a spectator, who still gets what came before."""
        parts = self.take(connection)
        del self._seen[connection]
        self._turns.remove(connection)
        connection.galleries.remove(self)
        if parts:
            connection.send_encoded(parts, urgent=False)

    def take(self, connection: Connection) -> Sequence[bytes]:
        """Return what a spectator has not had; it counts as sent."""
        parts = self._parts[self._seen[connection] - self._first :]
        self._seen[connection] = self._first + len(self._parts)
        return parts

    def send_encoded(self, parts: Sequence[bytes], *, urgent: bool) -> None:
        """Send all of them messages that are already encoded; none is so ``urgent`` that order is left."""
        if self._turns:
            self._parts += parts
            self._left = len(self._turns)
            self._schedule()

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            wait = self._busy_until - BURST * INTERVAL - self._flusher.time()
            self._flusher.call_later(max(0.0, wait), self._serve)

    def _serve(self) -> None:
        """Give the next spectators their frames."""
        self._is_scheduled = False
        if not self._flusher.commit():
            return
        now, end = self._flusher.time(), self._first + len(self._parts)
        start, frame, served = -1, b"", 0
        # Whoever is too slow is closed on the way, and removed.
        while self._left and self._turns and served < SLICE:
            self._left -= 1
            connection = self._turns[0]
            self._turns.rotate(-1)
            seen = self._seen[connection]
            if seen >= end:
                continue
            served += 1
            if connection.has_waiting or end - seen > MAX_MESSAGES:
                connection.flush()
                continue
            if seen != start:
                start = seen
                frame = self._codec.join(self._parts[seen - self._first : end - self._first])
            self._seen[connection] = end
            connection.send_frame(frame)
        if self._turns:
            self._busy_until = max(self._busy_until, now) + INTERVAL * served / len(self._turns)
        if self._left and self._turns:
            self._schedule()
            if len(self._parts) > _KEPT:
                self._drop(min(self._seen.values()))
        else:
            self._drop(self._first + len(self._parts))

    def _drop(self, end: int) -> None:
        del self._parts[: end - self._first]
        self._first = end
