"""A seat of a running table."""

from __future__ import annotations

from collections import Counter

from dealer.ratings.style import StyleCounts
from dealer.rules.events import Chips
from dealer.seats import ARRIVAL, Arrival, Change
from server.net.connection import Connection
from server.tables.player import Player


class Seat:
    """A seat and its ``player``. ``connection`` is None while he is disconnected. ``dealt_to``: who held it
    when the last hand began. ``total``: chips won in this match. ``style``: how ``styled`` has played here
    while people were at the table.
    """

    __slots__ = ("arrival", "connection", "dealt_to", "incidents", "player", "style", "styled", "total")

    def __init__(self) -> None:
        self.player: Player | None = None
        self.connection: Connection | None = None
        self.arrival = Arrival.VACANT
        self.incidents: Counter[str] = Counter()
        self.dealt_to: Player | None = None
        self.total: Chips = 0
        self.styled: Player | None = None
        self.style = StyleCounts()

    def change(self, what: Change) -> bool:
        """Change the state; return false if the current state does not allow it."""
        after = ARRIVAL.get((self.arrival, what))
        if after is None:
            return False
        self.arrival = after
        return True

    def add_style(self, counts: StyleCounts) -> None:
        """Count a hand of the holder it was dealt to."""
        self.style = self.style.plus(counts) if self.styled is self.dealt_to else counts
        self.styled = self.dealt_to

    @property
    def ready(self) -> bool:
        """Return whether its player has sent ``ready`` in this match."""
        return self.arrival in (Arrival.READY, Arrival.RESUMED, Arrival.AWAITED_READY)

    @property
    def awaited(self) -> bool:
        """Return whether its player has not returned since the server restarted."""
        return self.arrival in (Arrival.AWAITED, Arrival.AWAITED_READY)

    @property
    def dealt_in(self) -> bool:
        """Return whether its holder was dealt into the last hand."""
        return self.dealt_to is not None and self.dealt_to is self.player
