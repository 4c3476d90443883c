"""A table that players join, leave, sit out of and watch, while it plays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import Literal, Protocol

from dealer.formats.cash import Cash
from dealer.formats.format import OpenFormat
from dealer.seats import Attendance, Change
from dealer.table import Table
from protocol.errors import Refused
from protocol.messages import LobbyTable, PlayerList
from server.net.connection import Connection
from server.tables.actor import Recorder, TableActor, TableHost
from server.tables.audience import broadcast
from server.tables.config import TableConfig
from server.tables.player import Player
from server.tables.table_updates import TableFacts
from server.telemetry.incidents import Incident


class TableFeed(Recorder, Protocol):
    """Follows a table: its hands, and who sits there."""

    def update_seats(self, names: Sequence[str]) -> None:
        """Note who has the seats: one was taken or left, or the table was closed."""


class JoinableTable(TableActor, ABC):
    """A table whose seats players take and leave. ``owner``: who opened it."""

    def __init__(
        self,
        house: TableHost,
        config: TableConfig,
        table: Table,
        facts: TableFacts,
        *,
        owner: Player | None = None,
        on_over: Callable[[TableActor], None] | None = None,
    ) -> None:
        super().__init__(house, table, facts, on_over=on_over)
        self.config = config
        self.owner = owner
        self.spectators: set[Player] = set()
        self._feeds: list[TableFeed] = []

    @abstractmethod
    def reevaluate(self) -> None:
        """React to players who came or left: deal, wait, or start to close."""

    @property
    def table_format(self) -> OpenFormat:
        """Return the game and its settings."""
        table_format = self.table.table_format
        assert isinstance(table_format, OpenFormat)
        return table_format

    # Seats.

    def join(self, player: Player, seat: int) -> None:
        """Seat a player in ``seat``, or with -1 in any free seat. Raises ``Refused``."""
        if self.is_reserved and not (
            player.is_house_bot or (self.owner is not None and self.owner.is_same(player))
        ):
            raise Refused("no_seat", "the free seat is for the player who opened the table", table=self._id)
        free = self._free_seats()
        if not free or (seat >= 0 and seat not in free):
            raise Refused("no_seat", table=self._id)
        seat = free[0] if seat < 0 else seat
        self._unwatch(player)
        self.table.set_absent(seat, self.table_format.open_seating, self.house.clock())
        self._rename(seat, player.name)
        self.seat(seat, player)
        if player.is_house_bot and isinstance(self.table_format, Cash):
            self.table_format.agreed.add(seat)
        self._on_seats_changed()

    def set_ready(self, seat: int) -> None:
        first = not self.seats[seat].ready
        super().set_ready(seat)
        if first:
            self.table_format.sit_in(seat)
            self._publish_and_ask(self.table.set_absent(seat, False, self.house.clock()))
        self.reevaluate()

    @property
    def agreed(self) -> Collection[int]:
        """Return the seats whose holders agree to run it twice, where that is offered."""
        table_format = self.table_format
        return table_format.agreed if isinstance(table_format, Cash) and self._offers_twice else ()

    @property
    def _offers_twice(self) -> bool:
        return self.config.all_ins == "twice"

    def agree_twice(self, seat: int, *, agree: bool) -> None:
        """Let the holder of a seat agree to run it twice, or no longer. Raises ``Refused`` (``no_twice``)."""
        table_format = self.table_format
        if not (self._offers_twice and isinstance(table_format, Cash)):
            raise Refused("no_twice", table=self._id)
        if agree:
            table_format.agreed.add(seat)
        else:
            table_format.agreed.discard(seat)
        self.reevaluate()

    def leave(self, seat: int, reason: str = "left") -> None:
        """Give up a seat. The policy finishes the hand, or the tournament. The seat is free from the next
        hand, or the next tournament.
        """
        self._remove_player(seat, reason)
        if self.started and not self.table_format.open_seating:
            self.count(seat, Incident.LEAVE)
        else:
            self.table_format.leave(seat)
            self._rename(seat, "")
        self._publish_and_ask(self.table.set_absent(seat, self.started, self.house.clock()))
        self._on_seats_changed()

    def give_up_seat(self, seat: int) -> None:
        self.seats[seat].change(Change.GIVEN_UP)
        super().give_up_seat(seat)
        self.reevaluate()

    def _rename(self, seat: int, name: str) -> None:
        """Change the name of ``seat``, and tell everybody."""
        self.facts.names[seat] = name
        broadcast(self.audience.everybody, [PlayerList(self._id, list(self.facts.names))])

    def _on_seats_changed(self) -> None:
        self.reevaluate()
        self._notify_feeds()

    def follow(self, feed: TableFeed) -> None:
        """Let a feed follow the table from now on."""
        self.recorders.append(feed)
        self._feeds.append(feed)
        feed.update_seats(self.facts.names)

    def _notify_feeds(self) -> None:
        for feed in self._feeds:
            feed.update_seats(self.facts.names)

    def lobby_entry(self) -> LobbyTable:
        """Return the table's entry in the lobby."""
        table_format = self.table_format
        return LobbyTable(
            self._id, table_format.game.name, len(self.seats), self.open_seats(), table_format.mode
        )

    @property
    def is_reserved(self) -> bool:
        """Return whether only the owner can sit down."""
        return self.config.mode == "challenge" or self.config.research or self.config.practice

    @property
    def is_listed(self) -> bool:
        """Return whether lists show the table."""
        return not (self.is_private or self.config.private)

    @property
    def is_private(self) -> bool:
        """Return whether nobody else may look on, because he may play the same deals."""
        return bool(self.config.day)

    def admits_spectator(self, player: Player) -> bool:
        """Return whether a player may watch: at a private table who opened it may, to take his seat."""
        return not self.is_private or (self.owner is not None and self.owner.is_same(player))

    def open_seats(self) -> int:
        """Return the seats that are open to anybody."""
        return 0 if self.is_reserved else len(self._free_seats())

    def _free_seats(self) -> list[int]:
        """Return seats without a holder whose last hand is over; in tournaments, before the start only."""
        if self.started and not self.table_format.open_seating:
            return []
        playing = self.table.hand.seats if self.table.hand is not None else ()
        return [seat for seat, holder in enumerate(self.players) if holder is None and seat not in playing]

    def guests(self) -> list[tuple[int, Player]]:
        """Return the seated players that are not house bots."""
        return [
            (seat, player) for seat, player in enumerate(self.players) if player and not player.is_house_bot
        ]

    def _mark_present(self, seat: int) -> None:
        # A player sits out until he sends ``back``; a bot may not know that it sits out.
        player = self.seats[seat].player
        if player is not None and not player.is_person:
            super()._mark_present(seat)

    def detach(self, connection: Connection) -> None:
        super().detach(connection)
        self.reevaluate()

    # Spectators.

    def watch(self, player: Player) -> None:
        """Add a connected player as a spectator."""
        player.watching[self._id] = self
        self.spectators.add(player)
        assert player.connection is not None
        self.add_spectator(player.connection)

    def add_spectator(self, connection: Connection) -> None:
        """Send a spectator the state of the table, and everything from now on."""
        self.audience.add_spectator(connection)
        self.updates.send_state(connection, -1)
        self.reevaluate()

    def unwatch(self, player: Player, reason: str = "left") -> None:
        """Remove a spectator, who is told ``reason``."""
        if player.connection is not None:
            player.connection.send(self._match_end(reason), urgent=True)
        self._unwatch(player)
        self.reevaluate()

    def _unwatch(self, player: Player) -> None:
        if player in self.spectators:
            self.spectators.remove(player)
            del player.watching[self._id]
            if player.connection is not None:
                self.audience.remove(player.connection)

    # Sitting out.

    def sit_out(self, seat: int, at: Literal["hand", "blind"]) -> None:
        """Let a player sit out from the next hand, or from his next big blind. In tournaments the policy
        plays for him from the next hand. Raises ``Refused`` before ``ready``.
        """
        if not self.seats[seat].ready:
            raise Refused("not_asked", table=self._id)
        if self.table_format.open_seating:
            self.table_format.sit_out(
                seat, at_blind=at == "blind" and not self.table_format.is_sitting_out(seat)
            )
        else:
            self.table.set_leaving(seat)
        self.reevaluate()

    def sit_in(self, seat: int) -> None:
        here = self.table.seats[seat].attendance is Attendance.PRESENT and self.table_format.is_sitting_in(
            seat
        )
        if here or not self.seats[seat].ready:
            raise Refused("not_asked", table=self._id)
        self.table_format.sit_in(seat)
        self._publish_and_ask(self.table.set_absent(seat, False, self.house.clock()))
        self.reevaluate()

    def is_away(self, seat: int) -> bool:
        return self.table.seats[seat].is_absent or self.table_format.is_sitting_out(seat)

    def state(self, seat: int) -> str:
        state = super().state(seat)
        hand = self.table.hand
        if state == "in" and self.table_format.open_seating and (hand is None or seat not in hand.seats):
            return "away" if self.is_away(seat) else "waiting" if hand is not None else "in"
        return state
