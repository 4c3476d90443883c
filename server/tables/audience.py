"""The connections that get a table's messages: those of its seats and its spectators. People who watch are in
galleries, one for each codec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from protocol.codec import Codec
from protocol.messages import ServerMessage
from server.net.connection import Connection
from server.net.gallery import Gallery
from server.tables.seat import Seat


class Receiver(Protocol):
    """A connection, or a gallery."""

    def send_encoded(self, parts: Sequence[bytes], *, urgent: bool) -> None:
        """Send messages that are already encoded."""


#: Connections and galleries by codec.
Group = dict[Codec, list[Receiver]]


class Audience:
    """The connections of one table: ``seats``, ``spectators``, and ``people``, those of persons."""

    __slots__ = ("_galleries", "_watching", "everybody", "people", "seats", "spectators")

    def __init__(self, seats: Sequence[Seat]) -> None:
        self.seats = seats
        self.spectators: list[Connection] = []
        self._galleries: dict[Codec, Gallery] = {}
        self._watching: Group = {}
        self.people: Group = {}
        self.everybody: Group = {}

    def set_connection(self, seat: int, connection: Connection | None) -> None:
        """Connect a seat, or disconnect it."""
        self.seats[seat].connection = connection
        if connection is not None:
            connection.unbatched = connection.person
        self._regroup()

    def add_spectator(self, connection: Connection) -> None:
        """Add a spectator."""
        self.spectators.append(connection)
        if connection.person:
            codec = connection.codec
            if codec not in self._galleries:
                self._galleries[codec] = Gallery(codec, connection.flusher)
            self._galleries[codec].add(connection)
        self._regroup()

    def remove(self, connection: Connection) -> bool:
        """Remove a connection; return whether it was present."""
        if connection in self.spectators:
            self.spectators.remove(connection)
            if connection.person:
                self._galleries[connection.codec].remove(connection)
        else:
            held = next((seat for seat in self.seats if seat.connection is connection), None)
            if held is None:
                return False
            held.connection = None
        self._regroup()
        return True

    def _regroup(self) -> None:
        seated = [seat.connection for seat in self.seats if seat.connection is not None]
        bots = [spectator for spectator in self.spectators if not spectator.person]
        self._galleries = {codec: gallery for codec, gallery in self._galleries.items() if gallery.size}
        self._watching = self._with_galleries(bots)
        self.everybody = self._with_galleries([*seated, *bots])
        self.people = self._with_galleries([connection for connection in seated if connection.person])

    def _with_galleries(self, connections: Iterable[Connection]) -> Group:
        group: Group = {}
        for connection in connections:
            group.setdefault(connection.codec, []).append(connection)
        for codec, gallery in self._galleries.items():
            group.setdefault(codec, []).append(gallery)
        return group

    def send_each(self, make: Callable[[int | None], ServerMessage]) -> None:
        """Send everybody what his seat may see; ``make(None)`` is for spectators."""
        for number, seat in enumerate(self.seats):
            if seat.connection is not None:
                seat.connection.send(make(number))
        if self.spectators:
            broadcast(self._watching, [make(None)])

    def send_to_spectators(self, messages: Sequence[ServerMessage]) -> None:
        """Send messages to spectators in the browser only."""
        broadcast({codec: [gallery] for codec, gallery in self._galleries.items()}, messages)


def broadcast(group: Group, messages: Sequence[ServerMessage], *, urgent: bool = False) -> None:
    """Send a group the same message, encoded once per codec."""
    for codec, receivers in group.items():
        parts = [codec.encode(message) for message in messages]
        for receiver in receivers:
            receiver.send_encoded(parts, urgent=urgent)
