"""One seat of a running table."""

from __future__ import annotations

from collections import Counter

from dealer.seats import ARRIVAL, Arrival, Change
from server.net.connection import Connection
from server.tables.player import Player

__all__ = ["Seat"]


class Seat:
    """A seat and its ``player``. ``connection``: over which he is told what happens, while he is connected.
    ``dealt_to``: who held it when the last hand began. ``total``: chips won in this match.
    """

    __slots__ = ("arrival", "connection", "dealt_to", "incidents", "player", "total")

    def __init__(self) -> None:
        self.player: Player | None = None
        self.connection: Connection | None = None
        self.arrival = Arrival.VACANT
        self.incidents: Counter[str] = Counter()
        self.dealt_to: Player | None = None
        self.total: float = 0

    def change(self, what: Change) -> bool:
        """Go to the state that follows; false when nothing follows."""
        after = ARRIVAL.get((self.arrival, what))
        if after is None:
            return False
        self.arrival = after
        return True

    @property
    def ready(self) -> bool:
        """Whether its player takes part: he has said ``ready`` in this match."""
        return self.arrival in (Arrival.READY, Arrival.RESUMED, Arrival.AWAITED_READY)

    @property
    def awaited(self) -> bool:
        """Whether its player has not come back since the server started again."""
        return self.arrival in (Arrival.AWAITED, Arrival.AWAITED_READY)

    @property
    def dealt_in(self) -> bool:
        """Whether the last hand was dealt to whoever holds the seat."""
        return self.dealt_to is not None and self.dealt_to is self.player
