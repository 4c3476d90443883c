"""The open house: who is here, which tables run, and the way from a message to its table.

Everything runs in one event loop; a table is only ever touched from it, so each table has exactly one writer
and a message is carried out by a plain call, without a queue in between.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from itertools import count
from typing import Final

import msgspec
import structlog

from protocol.errors import Refused, WireError
from protocol.messages import (
    Act,
    ClientMessage,
    CreateTable,
    Hello,
    Invite,
    Join,
    Leave,
    Ready,
    SendChat,
    ShowCards,
    SitIn,
    SitOut,
    Spectate,
    Welcome,
)
from server.auth.policy import AdmissionPolicy
from server.auth.tokens import AccessList
from server.house.login import Authenticator
from server.house.roster import Roster
from server.net.backlog import BacklogMonitor
from server.net.connection import CLOSE_GOING_AWAY, CLOSE_NORMAL, HEARTBEAT_INTERVAL, Connection
from server.tables.actor import TableActor
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.telemetry.incidents import Incident
from server.telemetry.metrics import DECISION_TIMES, REFUSALS
from server.telemetry.version import VERSION

__all__ = ["House", "Player"]

log = structlog.get_logger("pokerd.house")

#: Seconds between two looks at the tables' deadlines.
TICK_INTERVAL: Final = 0.02
#: Spectators of one address whose connection was lost and who may come back as the same.
MAX_HELD: Final = 64


class House:
    """Players, tables and the clock of one server process.

    ``guests``: whether a name without a token may come in, where ``admission`` has no rules for that.
    ``grace``: seconds a seat is held for a lost connection.
    """

    def __init__(
        self,
        *,
        grace: float = 30.0,
        guests: bool = False,
        max_players: int = 10_000,
        admission: AdmissionPolicy | None = None,
    ) -> None:
        self.grace = grace
        self.admission = admission or AdmissionPolicy(guests=guests)
        self.players = Roster()
        self._loop = asyncio.get_running_loop()
        self.clock = self._loop.time
        self.authenticator = Authenticator(self.players, self.admission, max_players, self.clock)
        self.open_tables: dict[str, OpenTable] = {}
        #: Opens tables for those who ask. Raises ``Refused``.
        self.on_create: Callable[[Player, CreateTable | Invite], None] | None = None
        #: The house bots that they may ask for.
        self.bots: Collection[str] = ()
        self.connections: set[Connection] = set()
        #: What waits for readers, at all ports.
        self.backlogs = BacklogMonitor()
        self._numbers = count(1)
        self.in_frame = False
        #: Whether all that was recorded is stored: asked before any frame leaves. What cannot be stored is
        #: not told.
        self.commit: Callable[[], bool] = lambda: True
        #: Open tables go on when the server starts again: they are not ended with it, and frames leave only
        #: when nothing is half done, so that what they tell is stored.
        self.durable = False
        #: Guests without a seat whose places are kept for a while, by whose limits count.
        self._held: Counter[tuple[str, str]] = Counter()
        self._to_flush: list[Connection] = []
        self._running: set[TableActor] = set()
        self._ticker: asyncio.TimerHandle | None = None

    # People.

    def remove_player(self, player: Player) -> None:
        """Forget a player; a connection is closed."""
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
        """Hold a player's seats for so many seconds, as for a lost connection."""
        player.grace_timer = self.call_later(wait, partial(self.give_up_seats, player))

    def on_connected(self, connection: Connection) -> None:
        """A connection is open; one that may not stay is told so."""
        self.connections.add(connection)
        connection.number = next(self._numbers)
        connection.rate_limiter = self.admission.rate_limiter(connection.address, None)
        if not connection.internal:
            code = self.admission.admit_connection(connection.address, is_local=connection.is_local)
            if code:
                connection.close_with_error(code)

    def count_refusal(self, connection: Connection, error: WireError) -> None:
        """Count a refusal against its author, at the table where it happened if there is one."""
        REFUSALS[error.code].inc()
        player: Player | None = connection.player
        log.debug("refused", player=player and player.name, table=error.table, code=error.code)
        if player is None or error.table in player.aborted_tables:
            return
        entry = player.seats.get(error.table)
        if entry is not None:
            actor, seat = entry
            actor.refuse(seat, error.code)
        else:
            player.incidents[error.code] += 1

    def on_fault(self, connection: Connection, message: ClientMessage, error: Exception) -> None:
        """Something of ours broke while carrying out a message: its table stops, the others go on."""
        player: Player | None = connection.player
        name = getattr(message, "table", "")
        entry = player.seats.get(name) if player is not None else None
        actor = self.open_tables.get(name) if entry is None else entry[0]
        if actor is not None:
            actor.fail(error)
        else:
            log.error("fault", player=player and player.name, table=name, exc_info=error)

    def on_disconnected(self, connection: Connection) -> None:
        """A connection is gone: its player's seats are held for the grace period."""
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
        log.info("lost", player=player.name, tables=list(player.seats), limited=player.stranger)
        if player.guest and not player.seats and not (player.watching and self._hold_spectator(player)):
            self.remove_player(player)
            return
        self.hold_seats(player, self._grace_of(player))

    def _hold_spectator(self, player: Player) -> bool:
        """Whether a guest who only watches may come back as the same: a few of each address may."""
        who = self.admission.quota_key(player.address, player.grant)
        if self._held[who] >= MAX_HELD:
            return False
        self._held[who] += 1
        player.held_for = who
        return True

    def _release(self, player: Player) -> None:
        if player.held_for is not None:
            self._held[player.held_for] -= 1
            self._held += Counter()  # forgets those at 0
            player.held_for = None

    def _grace_of(self, player: Player) -> float:
        return self.grace if player.grace is None else player.grace

    def give_up_seats(self, player: Player) -> None:
        """The grace period is over, or the player's process is known to have ended."""
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
        """Other tokens and bans hold from now on: who may not stay is sent away."""
        self.admission.access = access
        for player in list(self.players.values()):
            if not player.ours:
                code = self.admission.may_stay(player.name, player.grant)
                if code:
                    self.kick(player, code)
        for connection in list(self.connections):
            ours = connection.is_local if connection.player is None else connection.player.ours
            if not ours and access.is_address_banned(connection.address):
                connection.close_with_error("banned")

    def kick(self, player: Player, code: str) -> None:
        """Send a player away, who loses his seats."""
        if player.connection is not None:
            player.connection.close_with_error(code)
        if player.grace_timer is not None:
            player.grace_timer.cancel()
        self.give_up_seats(player)

    # Messages.

    def handle(self, connection: Connection, message: ClientMessage, now: float) -> None:
        """Carry out one admitted message. Raises ``WireError`` when it is refused."""
        player: Player = connection.player
        if type(message) is Act:
            entry = player.seats.get(message.table)
            if entry is None:
                raise Refused("unknown_table", table=message.table, turn=message.turn)
            entry[0].act(entry[1], message, now)
        elif isinstance(message, Hello):
            self._handle_hello(connection, message)
        elif isinstance(message, Join):
            self._handle_join(player, message)
        elif isinstance(message, Spectate):
            self._handle_watch(player, message)
        elif isinstance(message, CreateTable | Invite):
            if self.on_create is None:
                raise Refused("server_full", "no tables can be opened here")
            self.on_create(player, message)
        elif isinstance(message, SendChat):
            self._table_with(player, message.table).chat.say(player, message.text)
        elif isinstance(message, Leave) and message.table in player.watching:
            player.watching[message.table].unwatch(player)
        else:
            self._handle_at_table(player, message)

    def _handle_at_table(
        self, player: Player, message: Ready | SitIn | Leave | SitOut | ShowCards | Act
    ) -> None:
        entry = player.seats.get(message.table)
        if entry is None:
            raise Refused("unknown_table", table=message.table)
        actor, seat = entry
        if isinstance(message, Ready):
            actor.set_ready(seat)
        elif isinstance(message, SitIn):
            actor.sit_in(seat)
        elif isinstance(message, Leave):
            actor.leave(seat)
        elif isinstance(message, SitOut):
            table = self._table_with(player, message.table)
            self._limit_visits(player, message.table)
            table.sit_out(seat, message.at)
        elif isinstance(message, ShowCards):
            self._table_with(player, message.table).chat.show(seat, message)

    def _table_with(self, player: Player, name: str) -> OpenTable:
        """The open table of that name, if the player sits there or looks on."""
        table = self.open_tables.get(name)
        if table is None or (name not in player.seats and name not in player.watching):
            raise Refused("unknown_table", f"you are at no open table {name!r}", table=name)
        return table

    def _handle_hello(self, connection: Connection, message: Hello) -> None:
        player = self.authenticator.authenticate(connection, message)
        if not player.resume:
            self.players.renew_resume(player)
        self._release(player)
        before = player.connection
        # From here on the seats wait for the new connection: nobody is told that they are empty.
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
            limited=player.stranger,
        )
        listing = [] if player.is_house_bot else [table.lobby_entry() for table in self.open_tables.values()]
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

    def _handle_watch(self, player: Player, message: Spectate) -> None:
        table = self.open_tables.get(message.table)
        if table is None:
            raise Refused("unknown_table", f"no table {message.table!r} can be watched")
        if message.table in player.seats or message.table in player.watching:
            raise Refused("already_seated", table=message.table)
        self._verify_table_limit(player, message.table)
        self._limit_visits(player, message.table)
        table.watch(player)

    def _verify_table_limit(self, player: Player, name: str) -> None:
        """Refuse one table more than the player can have, unless he is there already."""
        others = len(player.seats) + len(player.watching) - (name in player.watching)
        if others >= player.capacity:
            raise Refused("too_many_tables", table=name)

    def _limit_visits(self, player: Player, name: str) -> None:
        """Who comes and goes is told to all at the table: not too often."""
        if not player.visit_budget.spend(self.clock()):
            raise Refused("too_fast", table=name)

    def _handle_join(self, player: Player, message: Join) -> None:
        actor = self.open_tables.get(message.table)
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
        """How many tables are played at."""
        return len(self._running)

    def run(self, actor: TableActor) -> None:
        """Watch a table's deadlines from now on."""
        self._running.add(actor)
        if self._ticker is None:
            self._ticker = self.call_later(TICK_INTERVAL, self._tick)

    def halt(self, actor: TableActor) -> None:
        """The table is over."""
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
        """Call once, in that many seconds."""
        return self._loop.call_later(delay, callback)

    def flush_soon(self, connection: Connection) -> None:
        """Send what waits for this connection at the end of the frame that is being carried out, or else once
        the callbacks that are ready now have run.
        """
        if not self._to_flush and not self.in_frame:
            self._loop.call_soon(self.flush)
        connection.flush_pending = True
        self._to_flush.append(connection)

    def flush(self) -> None:
        """Send what waits for those who must answer."""
        dirty, self._to_flush = self._to_flush, []
        for connection in dirty:
            connection.flush_pending = False
            connection.flush()

    def close(self) -> None:
        """Stop every table and close every connection. Of tables that last nobody hears that they end."""
        if self.durable:
            self.commit()
            for table in list(self.open_tables.values()):
                table.suspend()
        for actor in list(self._running):
            actor.stop("shutting_down")
        for connection in list(self.connections):
            if self.durable:
                connection.flush()
                connection.hang_up(CLOSE_GOING_AWAY, "shutting_down")
            else:
                connection.close_with_error("shutting_down", CLOSE_GOING_AWAY)
        for player in list(self.players.values()):
            self.remove_player(player)
        if self._ticker is not None:
            self._ticker.cancel()
            self._ticker = None
