"""The connections that get a table's messages: those of its seats and its spectators."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from protocol.codec import Codec
from protocol.messages import ServerMessage
from server.net.connection import Connection
from server.tables.seat import Seat

#: Connections by codec.
Group = dict[Codec, list[Connection]]


class Audience:
    """The connections of one table: ``seats``, ``spectators``, and ``people``, those of persons."""

    __slots__ = ("everybody", "people", "seats", "spectators")

    def __init__(self, seats: Sequence[Seat]) -> None:
        self.seats = seats
        self.spectators: list[Connection] = []
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
        self._regroup()

    def remove(self, connection: Connection) -> bool:
        """Remove a connection; return whether it was present."""
        if connection in self.spectators:
            self.spectators.remove(connection)
        else:
            held = next((seat for seat in self.seats if seat.connection is connection), None)
            if held is None:
                return False
            held.connection = None
        self._regroup()
        return True

    def _regroup(self) -> None:
        seated = [seat.connection for seat in self.seats if seat.connection is not None]
        here = [*seated, *self.spectators]
        self.everybody = _by_codec(here)
        self.people = _by_codec([connection for connection in here if connection.person])

    def send_each(self, make: Callable[[int | None], ServerMessage]) -> None:
        """Send everybody what his seat may see; ``make(None)`` is for spectators."""
        for number, seat in enumerate(self.seats):
            if seat.connection is not None:
                seat.connection.send(make(number))
        if self.spectators:
            broadcast(_by_codec(self.spectators), [make(None)])

    def send_to_spectators(self, messages: Sequence[ServerMessage]) -> None:
        """Send messages to spectators in the browser only."""
        broadcast(_by_codec([connection for connection in self.spectators if connection.person]), messages)


def _by_codec(connections: Sequence[Connection]) -> Group:
    groups: Group = {}
    for connection in connections:
        groups.setdefault(connection.codec, []).append(connection)
    return groups


def broadcast(group: Group, messages: Sequence[ServerMessage], *, urgent: bool = False) -> None:
    """Send a group the same message, encoded once per codec."""
    for codec, connections in group.items():
        parts = [codec.encode(message) for message in messages]
        for connection in connections:
            connection.send_encoded(parts, urgent=urgent)
