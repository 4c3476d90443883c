"""The house: players, running tables, and the path of a message to its table.

Everything runs in one event loop and tables are used only there. So each table has exactly one writer, and a
message is executed by a plain call, without a queue.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any, Final, Protocol

import msgspec
import structlog

from protocol.errors import Refused, WireError
from protocol.messages import Act, ClientMessage, Hello, Join, Leave, LobbyTable, Ready, SitIn, Welcome
from protocol.people import (
    AgreeTwice,
    AnnounceTournament,
    AskHint,
    AskRanges,
    CreateTable,
    Invite,
    PlayAgain,
    Register,
    SendChat,
    ShowCards,
    SitOut,
    Spectate,
    Unregister,
)
from protocol.session import TRANSITIONS
from server.auth.policy import AdmissionPolicy
from server.auth.tokens import AccessList
from server.bots.offered import HouseBots
from server.house.login import Authenticator, Tickets
from server.house.remote_tables import RemoteTable
from server.house.roster import Roster
from server.house.table_report import TableReport, report_of
from server.net.backlog import BacklogMonitor
from server.net.connection import (
    CLOSE_GOING_AWAY,
    CLOSE_NORMAL,
    HEARTBEAT_INTERVAL,
    Connection,
    Flusher,
    Storage,
)
from server.tables.actor import TableActor
from server.tables.open_table import OpenTable
from server.tables.player import Player, SeatedTable
from server.telemetry.incidents import Incident
from server.telemetry.metrics import DECISION_TIMES, REFUSALS
from server.telemetry.version import VERSION

log = structlog.get_logger("pokerd.house")

#: Seconds between two checks of the tables' deadlines.
TICK_INTERVAL: Final = 0.02
#: Number of spectators per address who may reconnect as the same player.
MAX_HELD: Final = 64
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

    def suspend(self) -> None:
        """Leave all tournaments to another process."""


class House:
    """The players, tables and clock of a server process.

    ``guests``: whether players without a token are admitted, if ``admission`` has no rule. ``grace``: seconds
    for which seats of a lost connection are reserved. ``storage`` as in ``Flusher``. ``durable``: open tables
    continue after a restart, so they are not closed at the end, and no frame leaves in the middle of a step.
    ``tickets`` admit bots for one session. Without an
    ``opener`` players cannot open tables.
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
        opener: TableOpener | None = None,
    ) -> None:
        self.grace = grace
        self._opener = opener
        #: Without one there are no tournaments over several tables.
        self._desk: TournamentDesk | None = None
        self.flusher = Flusher(storage, durable=durable)
        self.admission = admission or AdmissionPolicy(guests=guests)
        self.players = Roster()
        self._loop = asyncio.get_running_loop()
        self.clock = self._loop.time
        self.authenticator = Authenticator(
            self.players, self.admission, max_players, self.clock, tickets, self.house_bots
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
        #: The method ``_on_TAG`` of every message that a client may send.
        self._handlers: dict[type[ClientMessage], Callable[[Connection, Any, float], None]] = {
            kind: getattr(self, f"_on_{kind.__struct_config__.tag}") for _, kind in TRANSITIONS
        }

    @property
    def closing(self) -> bool:
        """Return whether the server stops after the hands in progress."""
        return self.admission.closing

    @property
    def house_bots(self) -> HouseBots:
        """Return the house bots on offer."""
        return {} if self._opener is None else self._opener.bots

    # People.

    def remove_player(self, player: Player) -> None:
        """Remove a player, and close his connection."""
        for actor, seat in list(player.seats.values()):
            actor.give_up_seat(seat)
            actor.unseat(seat)
        for table in list(player.watching.values()):
            table.unwatch(player)
        self.players.remove(player)
        self._release(player)
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
        self.hold_seats(player, self._grace_of(player))

    def _hold_spectator(self, player: Player) -> bool:
        """Return whether a guest who only watches may reconnect as the same player: a few per address may."""
        who = self.admission.quota_key(player.address, player.grant)
        if self._held[who] >= MAX_HELD:
            return False
        self._held[who] += 1
        player.held_for = who
        return True

    def _release(self, player: Player) -> None:
        if player.held_for is not None:
            self._held[player.held_for] -= 1
            self._held += Counter()  # drops keys with a count of 0
            player.held_for = None

    def _grace_of(self, player: Player) -> float:
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

    # Messages.

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
        table.ask_hint(seat, message.turn)

    def _on_again(self, connection: Connection, message: PlayAgain, now: float) -> None:
        table, seat = self._practice(connection.player, message.table)
        table.play_again(seat, message.hand, message.keep)

    def _on_range(self, connection: Connection, message: AskRanges, now: float) -> None:
        table, seat = self._practice(connection.player, message.table)
        table.ask_ranges(seat, message.hand)

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
        self._opened_desk().register(connection.player, message.tournament)

    def _on_unregister(self, connection: Connection, message: Unregister, now: float) -> None:
        self._limit_visits(connection.player, "")
        self._opened_desk().unregister(connection.player, message.tournament)

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
        self._release(player)
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
        welcome = Welcome(player.name, player.resume, self._grace_of(player), VERSION, listing)
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

    # Tables and time.

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
        if self._desk is not None:
            self._desk.suspend()
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
