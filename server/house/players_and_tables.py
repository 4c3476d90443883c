"""The players, connections and tables of a house, and its time. What players send is executed in ``house``.

Everything runs in one event loop and tables are used only there. So each table has exactly one writer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Final, TypedDict

from protocol.errors import WireError
from protocol.messages import ClientMessage, LobbyTable
from server.auth.policy import AdmissionPolicy
from server.auth.tokens import AccessList
from server.bots.offered import HouseBots
from server.house.login import Authenticator, Tickets
from server.house.remote_tables import RemoteTable
from server.house.roster import Roster
from server.house.table_report import TableReport, report_of
from server.net.backlog import BacklogMonitor
from server.net.connection import CLOSE_GOING_AWAY, CLOSE_NORMAL, Connection, Flusher, Storage
from server.tables.actor import TableActor
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.telemetry.incidents import Incident
from server.telemetry.logger import get_logger
from server.telemetry.metrics import REFUSALS

log = get_logger("pokerd.house")

#: Seconds between two checks of the tables' deadlines.
TICK_INTERVAL: Final = 0.02
#: Number of spectators per address who may reconnect as the same player.
MAX_HELD: Final = 64


class HouseSettings(TypedDict, total=False):
    """The settings of ``PlayersAndTables`` but for the house bots."""

    grace: float
    guests: bool
    max_players: int
    admission: AdmissionPolicy | None
    storage: Storage | None
    durable: bool
    tickets: Tickets | None


class PlayersAndTables:
    """The players, tables and clock of a server process.

    ``guests``: whether players without a token are admitted, if ``admission`` has no rule. ``grace``: seconds
    for which seats of a lost connection are reserved. ``storage`` as in ``Flusher``. ``durable``: open tables
    continue after a restart, so they are not closed at the end, and no frame leaves in the middle of a step.
    ``tickets`` admit bots for one session. ``house_bots``: those on offer.
    """

    def __init__(
        self,
        *,
        grace: float = 30.0,
        guests: bool = False,
        max_players: int = 10_000,
        admission: AdmissionPolicy | None = None,
        storage: Storage | None = None,
        durable: bool = False,
        tickets: Tickets | None = None,
        house_bots: HouseBots = MappingProxyType({}),
    ) -> None:
        self.grace = grace
        self.house_bots = house_bots
        self.flusher = Flusher(storage, durable=durable)
        self.admission = admission or AdmissionPolicy(guests=guests)
        self.players = Roster()
        self._loop = asyncio.get_running_loop()
        self.clock = self._loop.time
        self.authenticator = Authenticator(
            self.players, self.admission, max_players, self.clock, tickets, house_bots
        )
        self.open_tables: dict[str, OpenTable] = {}
        #: Those that other processes play.
        self.remote_tables: dict[str, RemoteTable] = {}
        self.connections: set[Connection] = set()
        #: Bytes that wait for slow readers, over all ports.
        self.backlogs = BacklogMonitor()
        self._numbers = count(1)
        #: Guests without a seat whose place is reserved for a while, by the key of their limits.
        self._held: Counter[tuple[str, str]] = Counter()
        self._running: set[TableActor] = set()
        self._ticker: asyncio.TimerHandle | None = None

    @property
    def closing(self) -> bool:
        """Return whether the server stops after the hands in progress."""
        return self.admission.closing

    # People.

    def remove_player(self, player: Player) -> None:
        """Remove a player, and close his connection."""
        for actor, seat in list(player.seats.values()):
            actor.give_up_seat(seat)
            actor.unseat(seat)
        for table in list(player.watching.values()):
            table.unwatch(player)
        self.players.remove(player)
        self.release(player)
        if player.grace_timer is not None:
            player.grace_timer.cancel()
        connection = player.connection
        if connection is not None:
            player.connection = None
            connection.player = None
            connection.flush()
            connection.hang_up(CLOSE_NORMAL, "bye")

    def hold_seats(self, player: Player, wait: float) -> None:
        """Reserve a player's seats for ``wait`` seconds, as for a lost connection."""
        player.grace_timer = self.call_later(wait, partial(self.give_up_seats, player))

    def on_connected(self, connection: Connection) -> None:
        """Greet a new connection, or close one that is not admitted."""
        self.connections.add(connection)
        connection.number = next(self._numbers)
        connection.rate_limiter = self.admission.rate_limiter(connection.address, None)
        if not connection.internal:
            code = self.admission.admit_connection(connection.address, is_local=connection.is_local)
            if code:
                connection.close_with_error(code)

    def count_refusal(self, connection: Connection, error: WireError) -> None:
        """Count a refusal for its sender, and for his seat if it was about a table."""
        REFUSALS[error.code].inc()
        player: Player | None = connection.player
        log.debug("refused", player=player and player.name, table=error.table, code=error.code)
        if player is None or error.table in player.aborted_tables:
            return
        entry = player.seats.get(error.table)
        if entry is not None:
            actor, seat = entry
            actor.count_refusal(seat, error.code)
        else:
            player.incidents[error.code] += 1

    def on_fault(self, connection: Connection, message: ClientMessage, error: Exception) -> None:
        """Handle an internal error during a message: its table stops, the others continue."""
        player: Player | None = connection.player
        name = getattr(message, "table", "")
        entry = player.seats.get(name) if player is not None else None
        actor = self.open_tables.get(name) if entry is None else entry[0]
        if actor is not None:
            actor.fail(error)
        else:
            log.error("fault", player=player and player.name, table=name, exc_info=error)

    def on_disconnected(self, connection: Connection) -> None:
        """Handle a lost connection: its player's seats are reserved for the grace period."""
        self.connections.discard(connection)
        if not connection.internal:
            self.admission.release_connection(connection.address)
        player = connection.player
        connection.player = None
        if player is None or player.connection is not connection:
            return
        player.connection = None
        for actor, seat in player.seats.values():
            actor.detach(connection)
            actor.count(seat, Incident.DISCONNECT)
        for table in player.watching.values():
            table.detach(connection)
        log.info("lost", player=player.name, tables=list(player.seats), limited=player.is_anonymous)
        returns = player.watching and not connection.spectator
        if player.guest and not player.seats and not (returns and self._hold_spectator(player)):
            self.remove_player(player)
            return
        self.hold_seats(player, self.grace_of(player))

    def _hold_spectator(self, player: Player) -> bool:
        """Return whether a guest who only watches may reconnect as the same player: a few per address may."""
        who = self.admission.quota_key(player.address, player.grant)
        if self._held[who] >= MAX_HELD:
            return False
        self._held[who] += 1
        player.held_for = who
        return True

    def release(self, player: Player) -> None:
        """Let go of the place that was held for a guest."""
        if player.held_for is not None:
            self._held[player.held_for] -= 1
            self._held += Counter()  # drops keys with a count of 0
            player.held_for = None

    def grace_of(self, player: Player) -> float:
        """Return the seconds for which his seats are reserved."""
        return self.grace if player.grace is None else player.grace

    def give_up_seats(self, player: Player) -> None:
        """End a player's reservation: the grace period is over, or his process is known to have ended."""
        player.grace_timer = None
        if player.connection is not None:
            return
        for actor, seat in list(player.seats.values()):
            actor.give_up_seat(seat)
            if player.guest:
                actor.leave(seat)
        if player.guest:
            self.remove_player(player)

    def apply_access(self, access: AccessList) -> None:
        """Apply changed tokens and bans, and disconnect players who are no longer admitted."""
        self.admission.access = access
        for player in list(self.players.values()):
            if not player.issued_by_server:
                code = self.admission.removal_reason(player.name, player.grant)
                if code:
                    self.kick(player, code)
        for connection in list(self.connections):
            issued_by_server = (
                connection.is_local if connection.player is None else connection.player.issued_by_server
            )
            if not issued_by_server and access.is_address_banned(connection.address):
                connection.close_with_error("banned")

    def kick(self, player: Player, code: str) -> None:
        """Disconnect a player, who loses his seats."""
        if player.connection is not None:
            player.connection.close_with_error(code)
        if player.grace_timer is not None:
            player.grace_timer.cancel()
        self.give_up_seats(player)

    # Tables and time.

    def listing(self) -> list[LobbyTable]:
        """Return the lobby's entries of all tables that others may see."""
        remote = [table.lobby_entry() for table in self.remote_tables.values()]
        return remote + [one.lobby_entry() for one in self.open_tables.values() if one.is_listed]

    def report(self, name: str) -> TableReport | None:
        """Return the state of an open table."""
        remote, table = self.remote_tables.get(name), self.open_tables.get(name)
        if remote is not None:
            return remote.report
        return None if table is None else report_of(table)

    @property
    def running_tables(self) -> int:
        """Return the number of tables with a match in progress."""
        return len(self._running)

    def register_table(self, actor: TableActor) -> None:
        """Watch a table's deadlines from now on."""
        self._running.add(actor)
        if self._ticker is None:
            self._ticker = self.call_later(TICK_INTERVAL, self._tick)

    def unregister_table(self, actor: TableActor) -> None:
        """Forget a table; it is closed."""
        self._running.discard(actor)
        self.open_tables.pop(actor.facts.table, None)

    def _tick(self) -> None:
        now = self.clock()
        for actor in list(self._running):
            deadline = actor.table.deadline
            if deadline is not None and deadline <= now:
                try:
                    actor.tick(now)
                except Exception as error:  # noqa: BLE001 (the other tables' clocks must go on)
                    actor.fail(error)
        self._ticker = self.call_later(TICK_INTERVAL, self._tick) if self._running else None

    def call_later(self, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call ``callback`` once, after ``delay`` seconds."""
        return self._loop.call_later(delay, callback)

    def close(self) -> None:
        """Stop every table and close every connection. Durable tables send no end of their match."""
        if self.flusher.durable:
            self.flusher.commit()
            for table in list(self.open_tables.values()):
                table.suspend()
        for actor in list(self._running):
            actor.stop("shutting_down")
        for connection in list(self.connections):
            if self.flusher.durable:
                connection.flush()
                connection.hang_up(CLOSE_GOING_AWAY, "shutting_down")
            else:
                connection.close_with_error("shutting_down", CLOSE_GOING_AWAY)
        for player in list(self.players.values()):
            self.remove_player(player)
        if self._ticker is not None:
            self._ticker.cancel()
            self._ticker = None
