"""Who is at an open table, and what follows from it: when the first hand is dealt, and how fast it plays."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from server.tables.open_table import OpenTable
    from server.tables.player import Player

__all__ = ["PATIENCE", "FirstHand", "paused"]

#: Seconds after which the first hand is dealt to those who are there.
PATIENCE: Final = 30.0


def paused(table: OpenTable, *, watched: bool) -> bool:
    """Whether people need time between hands: those who play; and spectators (``watched``) where they keep no
    program from outside waiting, or a person opened the table.
    """
    if any(_reads(table, seat, player) for seat, player in table.guests()):
        return True
    theirs = table.owner is not None and table.owner.person
    return watched and (theirs or all(player.person for _, player in table.guests()))


def _reads(table: OpenTable, seat: int, player: Player) -> bool:
    """Whether this is a person who is there and takes part."""
    if not player.person or player.connection is None:
        return False
    return not (table.play.sits_out(seat) or (table.play.comes_and_goes and table.is_away(seat)))


class FirstHand:
    """The first hand of a cash table that somebody opened: it waits for him and for the bots that he asked
    for, at most ``PATIENCE`` seconds.
    """

    def __init__(self, table: OpenTable) -> None:
        self._table = table
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Wait from now on, if the table is somebody's."""
        if self._table.owner is not None and self._table.plan.mode == "cash":
            self._timer = self._table.house.call_later(PATIENCE, self._give_up)

    def end(self) -> None:
        """The hand is dealt, or the table is closed."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        self._table.attend()

    def waits(self) -> bool:
        """Whether somebody is missing."""
        table = self._table
        if self._timer is None or table.owner is None:
            return False
        seated = [(seat, player) for seat, player in enumerate(table.players) if player is not None]
        if any(player.servant and not (table.seats[seat].ready or player.ended) for seat, player in seated):
            return True
        if table.plan.exhibition:
            return False
        mine = [table.seats[seat].ready for seat, player in seated if player.is_same(table.owner)]
        if mine:
            return not all(mine)
        # He has not sat down yet; but who is not there keeps nobody else waiting.
        here = any(player.is_same(table.owner) for player in table.onlookers)
        return here or not any(table.seats[seat].ready for seat, _ in table.guests())
