"""Who is at an open table, and what follows from it: when the first hand is dealt, and how fast it plays."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from dealer.formats.format import OpenFormat
from server.tables.actor import Pulse
from server.tables.config import TablePlan
from server.tables.player import Player
from server.tables.seat import Seat

__all__ = ["PATIENCE", "FirstHand", "paused"]

#: Seconds after which the first hand is dealt to those who are there.
PATIENCE: Final = 30.0


class _Attended(Protocol):
    """The open table that people are at."""

    house: Pulse
    plan: TablePlan
    owner: Player | None
    seats: list[Seat]
    onlookers: set[Player]

    @property
    def play(self) -> OpenFormat:
        """What is played."""
        ...

    def guests(self) -> list[tuple[int, Player]]:
        """Who came from outside and has a seat."""
        ...

    def is_away(self, seat: int) -> bool:
        """Whether the seat sits out, or is absent."""
        ...

    def attend(self) -> None:
        """Who is here may have changed."""


def paused(table: _Attended, *, watched: bool) -> bool:
    """Whether people need time between hands: those who play; and spectators (``watched``) where they keep no
    program from outside waiting, or a person opened the table.
    """
    if any(_reads(table, seat, player) for seat, player in table.guests()):
        return True
    theirs = table.owner is not None and table.owner.person
    return watched and (theirs or all(player.person for _, player in table.guests()))


def _reads(table: _Attended, seat: int, player: Player) -> bool:
    """Whether this is a person who is there and takes part."""
    if not player.person or player.connection is None:
        return False
    return not (table.play.sits_out(seat) or (table.play.comes_and_goes and table.is_away(seat)))


class FirstHand:
    """The first hand of a cash table that somebody opened: it waits for him and for the bots that he asked
    for, at most ``PATIENCE`` seconds.
    """

    def __init__(self, table: _Attended) -> None:
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
        seated = [(seat.player, seat.ready) for seat in table.seats if seat.player is not None]
        if any(player.servant and not (ready or player.ended) for player, ready in seated):
            return True
        if table.plan.exhibition:
            return False
        mine = [ready for player, ready in seated if player.is_same(table.owner)]
        if mine:
            return not all(mine)
        # He has not sat down yet; but who is not there keeps nobody else waiting.
        here = any(player.is_same(table.owner) for player in table.onlookers)
        return here or not any(table.seats[seat].ready for seat, _ in table.guests())
