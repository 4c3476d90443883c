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
    Away,
    Back,
    ClientMessage,
    Create,
    Hello,
    Invite,
    Join,
    Leave,
    Ready,
    Say,
    Show,
    Watch,
    Welcome,
)
from server.auth.policy import Admission
from server.auth.tokens import Access
from server.house.login import Login
from server.house.roster import Roster
from server.net.backlog import Backlogs
from server.net.connection import CLOSE_GOING_AWAY, CLOSE_NORMAL, HEARTBEAT, Connection
from server.tables.actor import TableActor
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.telemetry.incidents import Incident
from server.telemetry.metrics import DECISIONS, REFUSALS
from server.telemetry.version import VERSION

__all__ = ["House", "Player"]

log = structlog.get_logger("pokerd.house")

#: Seconds between two looks at the tables' deadlines.
TICK: Final = 0.02
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
        admission: Admission | None = None,
    ) -> None:
        self.grace = grace
        self.admission = admission or Admission(guests=guests)
        self.players = Roster()
        self._loop = asyncio.get_running_loop()
        self.clock = self._loop.time
        self.login = Login(self.players, self.admission, max_players, self.clock)
        self.open_tables: dict[str, OpenTable] = {}
        #: Opens tables for those who ask. Raises ``Refused``.
        self.creator: Callable[[Player, Create | Invite], None] | None = None
        #: The house bots that they may ask for.
        self.bots: Collection[str] = ()
        self.connections: set[Connection] = set()
        #: What waits for readers, at all ports.
        self.backlogs = Backlogs()
        self._numbers = count(1)
        self.receiving = False
        #: Whether all that was recorded is stored: asked before any frame leaves. What cannot be stored is
        #: not told.
        self.stored: Callable[[], bool] = lambda: True
        #: Open tables go on when the server starts again: they are not ended with it, and frames leave only
        #: when nothing is half done, so that what they tell is stored.
        self.lasting = False
        #: Guests without a seat whose places are kept for a while, by whose limits count.
        self._held: Counter[tuple[str, str]] = Counter()
        self._dirty: list[Connection] = []
        self._running: set[TableActor] = set()
        self._ticker: asyncio.TimerHandle | None = None

    # People.

    def dismiss(self, player: Player) -> None:
        """Forget a player; a connection is closed."""
        for actor, seat in list(player.seats.values()):
            actor.gone(seat)
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

    def expect(self, player: Player, wait: float) -> None:
        """Hold a player's seats for so many seconds, as for a lost connection."""
        player.grace_timer = self.call_later(wait, partial(self.expire, player))

    def came(self, connection: Connection) -> None:
        """A connection is open; one that may not stay is told so."""
        self.connections.add(connection)
        connection.number = next(self._numbers)
        connection.rate = self.admission.rate(connection.address, None)
        if not connection.inside:
            code = self.admission.came(connection.address, near=connection.near)
            if code:
                connection.end(code)

    def incident(self, connection: Connection, error: WireError) -> None:
        """Count a refusal against its author, at the table where it happened if there is one."""
        REFUSALS[error.code].inc()
        player: Player | None = connection.player
        log.debug("refused", player=player and player.name, table=error.table, code=error.code)
        if player is None or error.table in player.broken_off:
            return
        entry = player.seats.get(error.table)
        if entry is not None:
            actor, seat = entry
            actor.refuse(seat, error.code)
        else:
            player.incidents[error.code] += 1

    def fault(self, connection: Connection, message: ClientMessage, error: Exception) -> None:
        """Something of ours broke while carrying out a message: its table stops, the others go on."""
        player: Player | None = connection.player
        name = getattr(message, "table", "")
        entry = player.seats.get(name) if player is not None else None
        actor = self.open_tables.get(name) if entry is None else entry[0]
        if actor is not None:
            actor.fail(error)
        else:
            log.error("fault", player=player and player.name, table=name, exc_info=error)

    def lost(self, connection: Connection) -> None:
        """A connection is gone: its player's seats are held for the grace period."""
        self.connections.discard(connection)
        if not connection.inside:
            self.admission.left(connection.address)
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
            self.dismiss(player)
            return
        self.expect(player, self._grace(player))

    def _hold_spectator(self, player: Player) -> bool:
        """Whether a guest who only watches may come back as the same: a few of each address may."""
        who = self.admission.source(player.address, player.grant)
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

    def _grace(self, player: Player) -> float:
        return self.grace if player.grace is None else player.grace

    def expire(self, player: Player) -> None:
        """The grace period is over, or the player's process is known to have ended."""
        player.grace_timer = None
        if player.connection is not None:
            return
        for actor, seat in list(player.seats.values()):
            actor.gone(seat)
            if player.guest:
                actor.leave(seat)
        if player.guest:
            self.dismiss(player)

    def obey(self, access: Access) -> None:
        """Other tokens and bans hold from now on: who may not stay is sent away."""
        self.admission.access = access
        for player in list(self.players.values()):
            if not player.ours:
                code = self.admission.may_stay(player.name, player.grant)
                if code:
                    self.expel(player, code)
        for connection in list(self.connections):
            ours = connection.near if connection.player is None else connection.player.ours
            if not ours and access.banned_from(connection.address):
                connection.end("banned")

    def expel(self, player: Player, code: str) -> None:
        """Send a player away, who loses his seats."""
        if player.connection is not None:
            player.connection.end(code)
        if player.grace_timer is not None:
            player.grace_timer.cancel()
        self.expire(player)

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
            self._hello(connection, message)
        elif isinstance(message, Join):
            self._join(player, message)
        elif isinstance(message, Watch):
            self._watch(player, message)
        elif isinstance(message, Create | Invite):
            if self.creator is None:
                raise Refused("server_full", "no tables can be opened here")
            self.creator(player, message)
        elif isinstance(message, Say):
            self._here(player, message.table).talk.say(player, message.text)
        elif isinstance(message, Leave) and message.table in player.watching:
            player.watching[message.table].unwatch(player)
        else:
            self._at_table(player, message)

    def _at_table(self, player: Player, message: Ready | Back | Leave | Away | Show | Act) -> None:
        entry = player.seats.get(message.table)
        if entry is None:
            raise Refused("unknown_table", table=message.table)
        actor, seat = entry
        if isinstance(message, Ready):
            actor.set_ready(seat)
        elif isinstance(message, Back):
            actor.back(seat)
        elif isinstance(message, Leave):
            actor.leave(seat)
        elif isinstance(message, Away):
            table = self._here(player, message.table)
            self._spend_visit(player, message.table)
            table.away(seat, message.at)
        elif isinstance(message, Show):
            self._here(player, message.table).talk.show(seat, message)

    def _here(self, player: Player, name: str) -> OpenTable:
        """The open table of that name, if the player sits there or looks on."""
        table = self.open_tables.get(name)
        if table is None or (name not in player.seats and name not in player.watching):
            raise Refused("unknown_table", f"you are at no open table {name!r}", table=name)
        return table

    def _hello(self, connection: Connection, message: Hello) -> None:
        player = self.login.identify(connection, message)
        if not player.resume:
            self.players.renew(player)
        self._release(player)
        before = player.connection
        # From here on the seats wait for the new connection: nobody is told that they are empty.
        player.connection, player.address = connection, connection.address
        if before is not None:
            for actor in player.tables():
                actor.detach(before)
            before.player = None
            before.end("replaced", CLOSE_NORMAL)
        if player.grace_timer is not None:
            player.grace_timer.cancel()
            player.grace_timer = None
        player.capacity = self.admission.tables(message.tables, player.grant, guest=player.guest)
        if player.grant is not None:
            connection.rate = self.admission.rate(connection.address, player.grant)
        elif not player.guest:
            connection.rate = None
        player.person = connection.person = message.person
        if message.person:
            player.decisions = DECISIONS["person"]
        connection.player = player
        log.info(
            "hello",
            player=player.name,
            software=message.software,
            tables=message.tables,
            resumed=bool(message.resume),
            limited=player.stranger,
        )
        listing = [] if player.servant else [table.listing() for table in self.open_tables.values()]
        welcome = Welcome(player.name, player.resume, self._grace(player), VERSION, listing)
        if message.person:
            welcome = msgspec.structs.replace(welcome, heartbeat=HEARTBEAT)
            self.call_later(HEARTBEAT, connection.beat)
        connection.send(welcome, urgent=True)
        for actor, seat in list(player.seats.values()):
            actor.attach(seat, connection)
        for table in player.watching.values():
            table.look(connection)
        if player.on_hello is not None:
            player.on_hello()

    def _watch(self, player: Player, message: Watch) -> None:
        table = self.open_tables.get(message.table)
        if table is None:
            raise Refused("unknown_table", f"no table {message.table!r} can be watched")
        if message.table in player.seats or message.table in player.watching:
            raise Refused("already_seated", table=message.table)
        self._verify_room(player, message.table)
        self._spend_visit(player, message.table)
        table.watch(player)

    def _verify_room(self, player: Player, name: str) -> None:
        """Refuse one table more than the player can have, unless he is there already."""
        others = len(player.seats) + len(player.watching) - (name in player.watching)
        if others >= player.capacity:
            raise Refused("too_many_tables", table=name)

    def _spend_visit(self, player: Player, name: str) -> None:
        """Who comes and goes is told to all at the table: not too often."""
        if not player.visits.spend(self.clock()):
            raise Refused("too_fast", table=name)

    def _join(self, player: Player, message: Join) -> None:
        actor = self.open_tables.get(message.table)
        if actor is None:
            raise Refused("unknown_table", f"no table {message.table!r} can be joined")
        if message.table in player.seats:
            raise Refused("already_seated", table=message.table)
        self._verify_room(player, message.table)
        self._spend_visit(player, message.table)
        actor.join(player, message.seat)

    # Tables and time.

    @property
    def tables(self) -> int:
        """How many tables are played at."""
        return len(self._running)

    def run(self, actor: TableActor) -> None:
        """Watch a table's deadlines from now on."""
        self._running.add(actor)
        if self._ticker is None:
            self._ticker = self.call_later(TICK, self._tick)

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
        self._ticker = self.call_later(TICK, self._tick) if self._running else None

    def call_later(self, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call once, in that many seconds."""
        return self._loop.call_later(delay, callback)

    def flush_soon(self, connection: Connection) -> None:
        """Send what waits for this connection at the end of the frame that is being carried out, or else once
        the callbacks that are ready now have run.
        """
        if not self._dirty and not self.receiving:
            self._loop.call_soon(self.flush)
        connection.dirty = True
        self._dirty.append(connection)

    def flush(self) -> None:
        """Send what waits for those who must answer."""
        dirty, self._dirty = self._dirty, []
        for connection in dirty:
            connection.dirty = False
            connection.flush()

    def close(self) -> None:
        """Stop every table and close every connection. Of tables that last nobody hears that they end."""
        if self.lasting:
            self.stored()
            for table in list(self.open_tables.values()):
                table.suspend()
        for actor in list(self._running):
            actor.stop("shutting_down")
        for connection in list(self.connections):
            if self.lasting:
                connection.flush()
                connection.hang_up(CLOSE_GOING_AWAY, "shutting_down")
            else:
                connection.end("shutting_down", CLOSE_GOING_AWAY)
        for player in list(self.players.values()):
            self.dismiss(player)
        if self._ticker is not None:
            self._ticker.cancel()
            self._ticker = None
