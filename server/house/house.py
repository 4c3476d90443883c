"""The house: the path of a message to its table, where a plain call executes it, without a queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, Unpack

import msgspec

from protocol.errors import Refused
from protocol.messages import Act, ClientMessage, Hello, Join, Leave, Ready, SitIn, Welcome
from protocol.people import (
    AgreeTwice,
    AskHint,
    AskRanges,
    CreateTable,
    Invite,
    PlayAgain,
    SendChat,
    ShowCards,
    SitOut,
    Spectate,
)
from protocol.session import TRANSITIONS
from protocol.tournament import AnnounceTournament, CancelTournament, Register, Unregister
from server.bots.offered import HouseBots
from server.house.players_and_tables import HouseSettings, PlayersAndTables
from server.net.connection import CLOSE_NORMAL, HEARTBEAT_INTERVAL, Connection
from server.tables.open_table import OpenTable
from server.tables.player import Player, SeatedTable
from server.telemetry.logger import get_logger
from server.telemetry.metrics import DECISION_TIMES
from server.telemetry.version import VERSION

log = get_logger("pokerd.house")

#: What connections that only watch may send.
SPECTATOR_MESSAGES: Final = (Hello, Spectate, Leave)


class TableOpener(Protocol):
    """Opens tables on request."""

    @property
    def bots(self) -> HouseBots:
        """Return the house bots on offer."""

    def create(self, player: Player, request: CreateTable) -> None:
        """Open a table. Raises ``Refused``."""

    def invite(self, player: Player | None, request: Invite) -> None:
        """Seat a house bot, for an administrator if ``player`` is None. Raises ``Refused``."""

    def open_permanent(self, request: CreateTable) -> OpenTable:
        """Open a table that stays open until an administrator closes it. Raises ``Refused``."""
        ...


class TournamentDesk(Protocol):
    """Organises tournaments over several tables."""

    def announce(self, player: Player, request: AnnounceTournament) -> None:
        """Open a tournament. Raises ``Refused``."""

    def register(self, player: Player, name: str) -> None:
        """Enter a player. Raises ``Refused``."""

    def unregister(self, player: Player, name: str) -> None:
        """Take back his entry. Raises ``Refused``."""

    def cancel(self, player: Player, name: str) -> None:
        """Take back a tournament that he opened. Raises ``Refused``."""

    def on_hello(self, player: Player) -> None:
        """Note that a player has come, or come back."""

    def suspend(self) -> None:
        """Leave all tournaments to another process."""


class House(PlayersAndTables):
    """Players, tables and clock, and what players send. Without an ``opener`` they cannot open tables; the
    other ``settings`` are those of ``PlayersAndTables``.
    """

    def __init__(self, *, opener: TableOpener | None = None, **settings: Unpack[HouseSettings]) -> None:
        super().__init__(house_bots={} if opener is None else opener.bots, **settings)
        self._opener = opener
        #: Without one there are no tournaments over several tables.
        self._desk: TournamentDesk | None = None
        #: The method ``_on_TAG`` of every message that a client may send.
        self._handlers: dict[type[ClientMessage], Callable[[Connection, Any, float], None]] = {
            kind: getattr(self, f"_on_{kind.__struct_config__.tag}") for _, kind in TRANSITIONS
        }

    def close(self) -> None:
        if self._desk is not None:
            self._desk.suspend()
        super().close()

    def handle(self, connection: Connection, message: ClientMessage, now: float) -> None:
        """Execute one admitted message. Raises ``WireError`` if it is refused."""
        if connection.spectator and not isinstance(message, SPECTATOR_MESSAGES):
            raise Refused("no_seat", "this connection may only watch", table=getattr(message, "table", ""))
        self._handlers[type(message)](connection, message, now)

    def _on_act(self, connection: Connection, message: Act, now: float) -> None:
        entry = connection.player.seats.get(message.table)
        if entry is None:
            raise Refused("unknown_table", table=message.table, turn=message.turn)
        entry[0].act(entry[1], message, now)

    def _on_ready(self, connection: Connection, message: Ready, now: float) -> None:
        actor, seat = self._seat_of(connection.player, message.table)
        actor.set_ready(seat)

    def _on_back(self, connection: Connection, message: SitIn, now: float) -> None:
        actor, seat = self._seat_of(connection.player, message.table)
        actor.sit_in(seat)

    def _on_away(self, connection: Connection, message: SitOut, now: float) -> None:
        player: Player = connection.player
        _, seat = self._seat_of(player, message.table)
        if self._forwarded(player, message):
            return
        table = self._table_with(player, message.table)
        self._limit_visits(player, message.table)
        table.sit_out(seat, message.at)

    def _on_leave(self, connection: Connection, message: Leave, now: float) -> None:
        player: Player = connection.player
        watched = player.watching.get(message.table)
        if watched is not None:
            watched.unwatch(player)
        else:
            actor, seat = self._seat_of(player, message.table)
            actor.leave(seat)

    def _on_show(self, connection: Connection, message: ShowCards, now: float) -> None:
        player: Player = connection.player
        _, seat = self._seat_of(player, message.table)
        if not self._forwarded(player, message):
            self._table_with(player, message.table).chat.show(seat, message)

    def _on_say(self, connection: Connection, message: SendChat, now: float) -> None:
        player: Player = connection.player
        if not self._forwarded(player, message):
            self._table_with(player, message.table).chat.say(player, message.text)

    def _on_twice(self, connection: Connection, message: AgreeTwice, now: float) -> None:
        player: Player = connection.player
        _, seat = self._seat_of(player, message.table)
        if not self._forwarded(player, message):
            self._limit_visits(player, message.table)
            self._table_with(player, message.table).agree_twice(seat, agree=message.agree)

    def _on_hint(self, connection: Connection, message: AskHint, now: float) -> None:
        table, seat = self._practice(connection.player, message.table)
        table.practice.ask_hint(seat, message.turn)

    def _on_again(self, connection: Connection, message: PlayAgain, now: float) -> None:
        table, seat = self._practice(connection.player, message.table)
        table.play_again(seat, message.hand, message.keep)

    def _on_range(self, connection: Connection, message: AskRanges, now: float) -> None:
        table, seat = self._practice(connection.player, message.table)
        table.practice.ask_ranges(seat, message.hand)

    def _practice(self, player: Player, name: str) -> tuple[OpenTable, int]:
        """Return the open table of that name where the player sits, and his seat."""
        _, seat = self._seat_of(player, name)
        table = self.open_tables.get(name)
        if table is None:
            raise Refused("no_practice", table=name)
        return table, seat

    def _on_create(self, connection: Connection, message: CreateTable, now: float) -> None:
        self.opener.create(connection.player, message)

    def _on_invite(self, connection: Connection, message: Invite, now: float) -> None:
        self.opener.invite(connection.player, message)

    def _on_announce(self, connection: Connection, message: AnnounceTournament, now: float) -> None:
        self._opened_desk().announce(connection.player, message)

    def _on_register(self, connection: Connection, message: Register, now: float) -> None:
        self._limit_visits(connection.player, "")
        self._verify_table_limit(connection.player, "")
        self._opened_desk().register(connection.player, message.tournament)

    def _on_unregister(self, connection: Connection, message: Unregister, now: float) -> None:
        self._limit_visits(connection.player, "")
        self._opened_desk().unregister(connection.player, message.tournament)

    def _on_cancel(self, connection: Connection, message: CancelTournament, now: float) -> None:
        self._opened_desk().cancel(connection.player, message.tournament)

    def _opened_desk(self) -> TournamentDesk:
        if self._desk is None:
            raise Refused("unknown_tournament", "there are no tournaments over several tables here")
        return self._desk

    def register_desk(self, desk: TournamentDesk) -> None:
        """Let it organise tournaments."""
        self._desk = desk

    @property
    def opener(self) -> TableOpener:
        """Return what opens tables. Raises ``Refused`` (``server_full``) if nothing does."""
        if self._opener is None:
            raise Refused("server_full", "no tables can be opened here")
        return self._opener

    def _seat_of(self, player: Player, name: str) -> tuple[SeatedTable, int]:
        """Return a player's seat at a table."""
        entry = player.seats.get(name)
        if entry is None:
            raise Refused("unknown_table", table=name)
        return entry

    def _forwarded(self, player: Player, message: SitOut | ShowCards | SendChat | AgreeTwice) -> bool:
        """Pass a message about a table of another process on; return whether it is one."""
        remote = self.remote_tables.get(message.table)
        if remote is not None and (message.table in player.seats or message.table in player.watching):
            remote.forward(player, message)
            return True
        return False

    def _table_with(self, player: Player, name: str) -> OpenTable:
        """Return the open table of that name if the player sits there or watches."""
        table = self.open_tables.get(name)
        if table is None or (name not in player.seats and name not in player.watching):
            raise Refused("unknown_table", f"you are not at an open table {name!r}", table=name)
        return table

    def _on_hello(self, connection: Connection, message: Hello, now: float) -> None:
        player = self.authenticator.authenticate(connection, message)
        if not player.resume:
            self.players.renew_resume(player)
        self._take_over(player, connection)
        player.capacity = self.admission.table_limit(message.tables, player.grant, guest=player.guest)
        if player.grant is not None:
            connection.rate_limiter = self.admission.rate_limiter(connection.address, player.grant)
        elif not player.guest:
            connection.rate_limiter = None
        player.is_person = connection.person = message.person
        if message.person:
            player.decisions = DECISION_TIMES["person"]
        connection.player = player
        log.info(
            "hello",
            player=player.name,
            software=message.software,
            tables=message.tables,
            resumed=bool(message.resume),
            limited=player.is_anonymous,
        )
        listing = [] if player.is_house_bot else self.listing()
        welcome = Welcome(player.name, player.resume, self.grace_of(player), VERSION, listing)
        if message.person:
            welcome = msgspec.structs.replace(welcome, heartbeat=HEARTBEAT_INTERVAL)
            self.call_later(HEARTBEAT_INTERVAL, connection.send_heartbeats)
        connection.send(welcome, urgent=True)
        for actor, seat in list(player.seats.values()):
            actor.attach(seat, connection)
        for table in player.watching.values():
            table.add_spectator(connection)
        if player.on_hello is not None:
            player.on_hello()
        if self._desk is not None:
            self._desk.on_hello(player)

    def _take_over(self, player: Player, connection: Connection) -> None:
        """Let a player go on with this connection; one that he had before is closed."""
        self.release(player)
        before = player.connection
        # From here on the seats wait for the new connection, so nobody is told that they are empty.
        player.connection, player.address = connection, connection.address
        if before is not None:
            for actor in player.tables():
                actor.detach(before)
            before.player = None
            before.close_with_error("replaced", CLOSE_NORMAL)
        if player.grace_timer is not None:
            player.grace_timer.cancel()
            player.grace_timer = None

    def _on_watch(self, connection: Connection, message: Spectate, now: float) -> None:
        player: Player = connection.player
        table = self.open_tables.get(message.table) or self.remote_tables.get(message.table)
        if table is None or (isinstance(table, OpenTable) and not table.admits_spectator(player)):
            raise Refused("unknown_table", f"no table {message.table!r} can be watched")
        if message.table in player.seats or message.table in player.watching:
            raise Refused("already_seated", table=message.table)
        self._verify_table_limit(player, message.table)
        self._limit_visits(player, message.table)
        table.watch(player)

    def _verify_table_limit(self, player: Player, name: str) -> None:
        """Refuse a table above the player's limit, unless he is there already."""
        others = len(player.seats) + len(player.watching) - (name in player.watching)
        if others >= player.capacity:
            raise Refused("too_many_tables", table=name)

    def _limit_visits(self, player: Player, name: str) -> None:
        """Limit how often a player joins and leaves, because everybody at the table is told."""
        if not player.visit_limiter.spend(self.clock()):
            raise Refused("too_fast", table=name)

    def _on_join(self, connection: Connection, message: Join, now: float) -> None:
        player: Player = connection.player
        actor = self.open_tables.get(message.table) or self.remote_tables.get(message.table)
        if actor is None:
            raise Refused("unknown_table", f"no table {message.table!r} can be joined")
        if message.table in player.seats:
            raise Refused("already_seated", table=message.table)
        self._verify_table_limit(player, message.table)
        self._limit_visits(player, message.table)
        actor.join(player, message.seat)
