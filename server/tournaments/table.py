"""A table of a tournament over several tables. Players come and go only as the organiser says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from dealer.deck import SecureDeals
from dealer.formats.format import Deals, Eliminated, LevelRaised, TableEvent
from dealer.formats.part_of_tournament import PartOfTournament
from dealer.formats.tournament import Level
from dealer.rules.events import Event
from dealer.rules.games import Game
from dealer.table import Table
from protocol.errors import Refused
from server.storage.hand_store import TableRecorder
from server.tables.actor import TableActor, TableHost
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from server.tables.phases import Step
from server.tables.player import Player


class TableOwner(Protocol):
    """Who organises the tournament."""

    def on_hand_over(self, table: TournamentTable) -> None:
        """Note that a hand is over, with its pause."""

    def on_return(self, table: TournamentTable, seat: int, player: Player) -> None:
        """Note that the player of a seat, who had left, has come back."""

    def is_entrant(self, table: TournamentTable, seat: int, player: Player) -> bool:
        """Return whether the chips in that seat are the player's."""
        ...

    def on_table_closed(self, table: TournamentTable) -> None:
        """Note that somebody else has closed a table, or that it failed."""


class TournamentTable(OpenTable):
    """Table ``number`` of a tournament. Nobody can join it, except who has chips here and left."""

    def __init__(
        self,
        house: TableHost,
        config: TableConfig,
        name: str,
        *,
        organiser: TableOwner,
        number: int,
        make_recorder: Callable[[OpenTable], TableRecorder] | None = None,
        on_over: Callable[[TableActor], None] | None = None,
        on_played: Callable[[OpenTable, Player], None] | None = None,
    ) -> None:
        self.number = number
        self._organiser = organiser
        #: Whether a hand was let go whose end has not been told.
        self._in_hand = False
        super().__init__(
            house, config, name, make_recorder=make_recorder, on_over=on_over, on_played=on_played
        )

    def _new_table(self, config: TableConfig) -> Table:
        def deals_for(game: Game) -> Deals:
            return SecureDeals(self.seed, 0, game)

        self.part = PartOfTournament(config.seats, config.stakes, deals_for)
        self._stakes = config.stakes
        return Table(self.part, config.seats, config.clock, pause=config.pause)

    def _open(self) -> None:
        self.step(Step.BEGIN)
        super()._open()

    # What the organiser says.

    def place_player(self, seat: int, name: str, player: Player | None, stack: int, bank: float) -> None:
        """Give a free seat to an entrant with these chips and seconds of time bank. ``player``: None if the
        house does not know him. The table acts for who is not here, but waits for a house bot that starts.
        """
        status = self.table.seats[seat]
        status.bank, status.missed_turns = bank, 0
        self.seats[seat].total = 0
        gone = player is None or player.ended or (player.connection is None and not player.is_house_bot)
        self.table.set_absent(seat, gone, self.house.clock())
        self.part.place_player(seat, stack)
        self._rename(seat, name)
        if player is not None:
            self._unwatch(player)
            self.seat(seat, player)
        self._on_seats_changed()

    def remove_player(self, seat: int, reason: str) -> None:
        """Free a seat whose hand is over. The player is told ``reason``."""
        self.part.remove_player(seat)
        self._remove_player(seat, reason)
        self._rename(seat, "")
        self._on_seats_changed()

    def announce_place(self, seat: int, place: int) -> None:
        """Tell everybody in which place the player finishes."""
        self._publish_between(Eliminated(seat, place))

    def deal(self, button: int, level: Level) -> None:
        """Deal the next hand, with the button at that seat, at these blinds."""
        stakes = level.stakes(self.config.stakes.limit, self.config.stakes.stack, self.config.stakes.rules)
        if stakes != self.part.stakes:
            self.part.stakes = stakes
            self._publish_between(LevelRaised(level.small_blind, level.big_blind, level.ante))
        self.part.release(button)
        self._in_hand = True
        self.reevaluate()

    def close(self) -> None:
        """Close the table, because its players have gone to others or the tournament is over."""
        self.part.closed = True
        # Without a result of its own.
        self.step(Step.FINISH)
        self._finish("complete")

    def _publish_between(self, event: TableEvent) -> None:
        self.table.seq += 1
        self._publish_and_ask([event])

    # What follows from it.

    def reevaluate(self) -> None:
        self.part.paused = self.held
        self.table.pause = self.config.pause
        self._publish_and_ask(self.table.start(self.house.clock()))

    def _publish_and_ask(self, events: Sequence[Event | TableEvent]) -> None:
        super()._publish_and_ask(events)
        table = self.table
        if self._in_hand and table.hand is None and table.deadline is None and not self.part.is_released:
            self._in_hand = False
            self._organiser.on_hand_over(self)

    def _save(self, events: Sequence[Event | TableEvent] = ()) -> None:
        """The organiser keeps what is to be kept: chips after every hand."""

    def _finish(self, reason: str) -> None:
        closed = self.part.closed
        self.part.closed = True
        super()._finish(reason)
        if not closed:
            self._organiser.on_table_closed(self)

    def suspend(self) -> None:
        # The hand in progress is void, and the table opens again as another run.
        self._close(forget=True)
        super().suspend()

    def join(self, player: Player, seat: int) -> None:
        mine = [
            one
            for one, holder in enumerate(self.players)
            if holder is None and self._organiser.is_entrant(self, one, player)
        ]
        if not mine:
            detail = "the organiser of the tournament gives the seats: register in its lobby"
            raise Refused("no_seat", detail, table=self._id)
        self._unwatch(player)
        self.seat(mine[0], player)
        self._organiser.on_return(self, mine[0], player)
        self._on_seats_changed()
