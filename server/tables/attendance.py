"""Who is at an open table, and what follows: when the first hand starts, how fast the table plays, and when
it closes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from server.tables.actor import TableHost
from server.tables.joinable_table import JoinableTable
from server.tables.player import Player

#: Seconds after which the first hand is dealt to those who are present.
PATIENCE: Final = 30.0


def needs_pause(table: JoinableTable, *, watched: bool) -> bool:
    """Return whether people need a pause between hands: players do; spectators (``watched``) only if no
    remote program waits, or a person opened the table.
    """
    if any(_is_reading(table, seat, player) for seat, player in table.guests()):
        return True
    theirs = table.owner is not None and table.owner.is_person
    return watched and (theirs or all(player.is_person for _, player in table.guests()))


def _is_reading(table: JoinableTable, seat: int, player: Player) -> bool:
    """Return whether the player is a person who is present and takes part."""
    if not player.is_person or player.connection is None:
        return False
    return not (
        table.table_format.is_sitting_out(seat) or (table.table_format.open_seating and table.is_away(seat))
    )


class FirstHandTimer:
    """Delays the first hand of a cash table that a player opened, until he and the bots that he asked for are
    ready, for at most ``PATIENCE`` seconds.
    """

    def __init__(self, table: JoinableTable) -> None:
        self._table = table
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start waiting, if the table has an owner."""
        if self._table.owner is not None and self._table.config.mode == "cash":
            self._timer = self._table.house.call_later(PATIENCE, self._on_timeout)

    def cancel(self) -> None:
        """Stop waiting: the hand is dealt, or the table is closed."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _on_timeout(self) -> None:
        self._timer = None
        self._table.reevaluate()

    def is_waiting(self) -> bool:
        """Return whether somebody is missing."""
        table = self._table
        if self._timer is None or table.owner is None:
            return False
        seated = [(seat.player, seat.ready) for seat in table.seats if seat.player is not None]
        if any(player.is_house_bot and not (ready or player.ended) for player, ready in seated):
            return True
        if table.config.exhibition:
            return False
        mine = [ready for player, ready in seated if player.is_same(table.owner)]
        if mine:
            return not all(mine)
        # The owner has not sat down yet. If he is not connected, nobody waits for him.
        here = any(player.is_same(table.owner) for player in table.spectators)
        return here or not any(table.seats[seat].ready for seat, _ in table.guests())


class IdleTimer:
    """Calls ``close`` once a table has been empty for ``seconds``; None: never."""

    def __init__(self, house: TableHost, seconds: float | None, close: Callable[[], None]) -> None:
        self.seconds = seconds
        self._house = house
        self._close = close
        self._timer: asyncio.TimerHandle | None = None

    def update(self, *, empty: bool) -> None:
        """Start to wait if the table has become empty; stop if somebody came."""
        if not empty:
            self.cancel()
        elif self.seconds is not None and self._timer is None:
            self._timer = self._house.call_later(self.seconds, self._close)

    def cancel(self) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
