"""Tables that another process of this server plays (``serve --workers``), as the house sees them.

A program that joins one is told to go there (``go_to``): its ticket is its own ``resume`` secret, by which
the other process knows it. For people and ACPC clients, who cannot go elsewhere, the house passes all
messages on. A player has his seats at both processes: what ends him here ends him there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, Protocol

import msgspec

from protocol.codec import CODECS, JSON
from protocol.errors import Refused
from protocol.messages import (
    Act,
    ClientMessage,
    Error,
    Join,
    Leave,
    LobbyTable,
    MatchEnd,
    MatchStart,
    Ready,
    Redirect,
    ServerMessage,
    SitIn,
    Welcome,
)
from protocol.people import Heartbeat, Spectate
from server.auth.tokens import Grant
from server.house.roster import Roster
from server.house.table_report import TableReport
from server.net.connection import Connection
from server.tables.config import TableConfig
from server.tables.player import Player
from server.telemetry.incidents import Incident
from server.telemetry.logger import get_logger

log = get_logger("pokerd.house")


class Visitor(msgspec.Struct, frozen=True):
    """A player of the house who goes to a table of another process. ``capacity``: tables that he may have at
    once; ``grant``: of his issued token.
    """

    name: str
    resume: str
    identity: str
    address: str
    capacity: int
    person: bool
    grant: Grant | None


class Open(msgspec.Struct, frozen=True, tag="open"):
    """Open a table, or go on with it if it is stored."""

    table: str
    config: TableConfig
    request: int = 0


class Admit(msgspec.Struct, frozen=True, tag="admit"):
    """Give a visitor a seat, -1 for any, unless he has one; he will connect."""

    table: str
    seat: int
    visitor: Visitor
    request: int = 0


class Enter(msgspec.Struct, frozen=True, tag="enter"):
    """A visitor whose messages are passed on comes by this connection of the house."""

    connection: int
    visitor: Visitor


class Say(msgspec.Struct, frozen=True, tag="say"):
    """A message by such a connection, in JSON."""

    connection: int
    message: msgspec.Raw


class Exit(msgspec.Struct, frozen=True, tag="exit"):
    """Such a connection was lost."""

    connection: int


class Remove(msgspec.Struct, frozen=True, tag="remove"):
    """Free the seat of a player; if it was his last one, he goes."""

    table: str
    player: str


class Administer(msgspec.Struct, frozen=True, tag="administer"):
    """Execute an action of the administrator ``by``: the body of its request, in JSON."""

    action: str
    body: msgspec.Raw
    by: str
    request: int = 0


class Drain(msgspec.Struct, frozen=True, tag="drain"):
    """Deal no more hands; answer when none is in progress."""

    request: int = 0


class Close(msgspec.Struct, frozen=True, tag="close"):
    """Store all tables, stop all bots, and end."""


class Listening(msgspec.Struct, frozen=True, tag="listening"):
    """The process can open tables; programs reach it at ``url``."""

    url: str
    port: int


class Tables(msgspec.Struct, frozen=True, tag="tables"):
    """Tables that are new or have changed."""

    reports: list[TableReport]


class Gone(msgspec.Struct, frozen=True, tag="gone"):
    """A table was closed."""

    table: str


class Heard(msgspec.Struct, frozen=True, tag="heard"):
    """A frame for a connection of the house, in JSON."""

    connection: int
    frame: msgspec.Raw


class Hung(msgspec.Struct, frozen=True, tag="hung"):
    """The process expects no more messages by this connection."""

    connection: int


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """The answer to a request: the ``code`` and the text of a refusal, or what an action was applied to."""

    request: int
    code: str = ""
    text: str = ""


Request = Open | Admit | Administer | Drain
Order = Request | Enter | Say | Exit | Remove | Close
Report = Listening | Tables | Gone | Heard | Hung | Answer


class TableProcess(Protocol):
    """A process that plays tables. ``relays``: the connections of the house that it knows, by number."""

    url: str
    relays: dict[int, Connection]

    def send(self, order: Order) -> None:
        """Send an order. It is lost if the process has ended."""

    async def ask(self, request: Request) -> Answer:
        """Send a request, again if the process ends meanwhile, and return the answer."""
        ...


class RemoteTable:
    """A table of ``process``. It finds its players among ``players``; ``report`` is the last one of it."""

    def __init__(self, report: TableReport, process: TableProcess, players: Roster) -> None:
        self.report = report
        self.process = process
        self.name: Final = report.listing.table
        self._players = players
        #: By seat. Those who are not seated yet have numbers below 0.
        self._seated: dict[int, Player] = {}
        self._last_pending = 0
        self._tasks: set[asyncio.Task[None]] = set()

    # What the process says.

    def update(self, report: TableReport) -> int:
        """Note the state of the table, and return the number of hands since the last report."""
        before, self.report = self.report, report
        known = {seat: self._players.get(name) for seat, name in enumerate(report.status.players)}
        here = {seat: one for seat, one in known.items() if one is not None and not one.is_house_bot}
        for seat, player in self._seated.items():
            if seat >= 0 and here.get(seat) is not player:
                player.seats.pop(self.name, None)
        for seat, player in here.items():
            player.seats[self.name] = (self, seat)
        waiting = {seat: one for seat, one in self._seated.items() if seat < 0 and one not in here.values()}
        self._seated = here | waiting
        return max(0, report.status.hands - before.status.hands)

    def forget(self) -> None:
        """Forget who was here: the table is closed."""
        for player in self._seated.values():
            player.seats.pop(self.name, None)
        for player in self._players.values():
            if player.watching.get(self.name) is self:
                del player.watching[self.name]

    def reenter(self) -> None:
        """Pass messages on to a new process, for all who were here."""
        for player in self._players.values():
            connection = player.connection
            if connection is None or not is_relayed(connection):
                continue
            if player.watching.get(self.name) is self:
                self.forward(player, Spectate(self.name))
            elif player in self._seated.values():
                self._enter(player, connection)

    def lobby_entry(self) -> LobbyTable:
        """Return the table's entry in the lobby."""
        return self.report.listing

    # Players.

    def join(self, player: Player, seat: int) -> None:
        """Seat a player in ``seat``, or with -1 in any. A refusal comes later."""
        assert player.connection is not None
        self._last_pending -= 1
        self._seated[self._last_pending] = player
        player.seats[self.name] = (self, self._last_pending)
        if is_relayed(player.connection):
            self.forward(player, Join(self.name, seat))
        else:
            self._start(self._admit(player, seat))

    async def _admit(self, player: Player, seat: int) -> None:
        """Have a program seated, and tell it where."""
        answer = await self.process.ask(Admit(self.name, seat, _visitor(player)))
        connection = player.connection
        if answer.code:
            self._drop(player)
            if connection is not None:
                connection.refuse(Refused(answer.code, answer.text, table=self.name))
        elif connection is not None:
            connection.send(Redirect(self.name, self.process.url, player.resume), urgent=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name=self.name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _drop(self, player: Player) -> None:
        """Forget a player who gets no seat."""
        self._seated = {seat: one for seat, one in self._seated.items() if seat >= 0 or one is not player}
        if player not in self._seated.values():
            player.seats.pop(self.name, None)

    def watch(self, player: Player) -> None:
        """Let a person watch. Raises ``Refused`` for programs."""
        self.forward(player, Spectate(self.name))
        player.watching[self.name] = self

    def add_spectator(self, connection: Connection) -> None:
        """Let a player who was here watch again."""
        self.forward(connection.player, Spectate(self.name))

    def unwatch(self, player: Player, reason: str = "left") -> None:
        """Remove a spectator."""
        if player.connection is not None:
            self.forward(player, Leave(self.name))
        player.watching.pop(self.name, None)

    def forward(self, player: Player, message: ClientMessage) -> None:
        """Pass a message of a connected player on. Raises ``Refused`` for programs, who go there."""
        connection = player.connection
        assert connection is not None
        if not is_relayed(connection):
            detail = f"{self.name} is played at {self.process.url}: join it, and go_to says how"
            raise Refused("unknown_table", detail, table=self.name)
        self._enter(player, connection)
        self.process.send(Say(connection.number, msgspec.Raw(JSON.encode(message))))

    def _enter(self, player: Player, connection: Connection) -> None:
        if connection.number not in self.process.relays:
            self.process.relays[connection.number] = connection
            self.process.send(Enter(connection.number, _visitor(player)))

    def _forward_from(self, seat: int, message: ClientMessage) -> None:
        player = self._seated.get(seat)
        if player is not None and player.connection is not None:
            self.forward(player, message)

    def act(self, seat: int, message: Act, now: float) -> None:
        """Pass the answer to a turn on. Raises ``Refused`` if the player has been told to go there."""
        self._forward_from(seat, message)

    def set_ready(self, seat: int) -> None:
        """Pass ``ready`` on. Raises ``Refused`` like ``act``."""
        self._forward_from(seat, Ready(self.name))

    def sit_in(self, seat: int) -> None:
        """Pass ``back`` on. Raises ``Refused`` like ``act``."""
        self._forward_from(seat, SitIn(self.name))

    def leave(self, seat: int) -> None:
        """Give up the seat."""
        player = self._seated.get(seat)
        if player is not None and player.connection is not None and is_relayed(player.connection):
            self.forward(player, Leave(self.name))
        else:
            self.unseat(seat)

    def unseat(self, seat: int) -> None:
        """Free the seat."""
        player = self._seated.pop(seat, None)
        if player is not None:
            player.seats.pop(self.name, None)
            self.process.send(Remove(self.name, player.name))

    def give_up_seat(self, seat: int) -> None:
        """Do nothing: the house then frees the seat of a guest or member, and no others come here."""

    def attach(self, seat: int, connection: Connection) -> None:
        """Bring a player who has reconnected back to his seat."""
        if is_relayed(connection):
            self._enter(connection.player, connection)
        elif seat >= 0:
            self._start(self._admit(connection.player, seat))

    def detach(self, connection: Connection) -> None:
        """Drop a lost connection."""
        if self.process.relays.pop(connection.number, None) is not None:
            self.process.send(Exit(connection.number))

    def count(self, seat: int, kind: Incident) -> None:
        """Do nothing: the process counts what happens at its table."""

    def count_refusal(self, seat: int, code: str) -> None:
        """Do nothing, as ``count``."""

    def fail(self, error: Exception) -> None:
        """Log an internal error of passing messages on; the table continues."""
        log.error("fault", player="", table=self.name, exc_info=error)


def is_relayed(connection: Connection) -> bool:
    """Return whether messages are passed on."""
    return connection.person or connection.codec.subprotocol not in CODECS


def relay(connection: Connection, message: ServerMessage) -> None:
    """Pass a message of another process on to a player."""
    player = connection.player
    if player is None or isinstance(message, Welcome | Heartbeat):
        return
    if isinstance(message, MatchEnd) or (isinstance(message, MatchStart) and message.seat >= 0):
        player.watching.pop(message.table, None)
    elif isinstance(message, Error) and message.table in player.seats:
        table, seat = player.seats[message.table]
        if seat < 0:
            table.unseat(seat)
    connection.send(message, urgent=True)


def _visitor(player: Player) -> Visitor:
    person = player.connection is not None and player.connection.person
    capacity = max(1, min(player.capacity, 4096))
    return Visitor(
        player.name, player.resume, player.identity, player.address, capacity, person, player.grant
    )
