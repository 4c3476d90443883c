"""Plays tables for the house of another process (see ``remote_tables``), whose orders it executes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

import msgspec

from protocol.codec import JSON
from protocol.errors import Refused
from protocol.messages import Hello
from server.auth.tokens import AccessError
from server.house.admin import Administration, AdminRefusal, AdminRequest
from server.house.lobby import RETURN_TIMEOUT, Lobby
from server.house.remote_tables import (
    Administer,
    Admit,
    Answer,
    Close,
    Drain,
    Enter,
    Exit,
    Gone,
    Heard,
    Hung,
    Open,
    Order,
    Remove,
    Report,
    Request,
    Say,
    Tables,
    Visitor,
)
from server.house.table_report import TableReport, report_of
from server.net.connection import Connection
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.tables.snapshot import TableSnapshot
from server.telemetry.logger import get_logger

log = get_logger("pokerd.house")

#: Seconds between two reports of hands.
REPORT_INTERVAL: Final = 1.0
_decode_request = msgspec.json.Decoder(AdminRequest).decode
_REFUSALS: Final = (Refused, AdminRefusal, AccessError)


class TableWorker:
    """Plays tables of ``lobby`` as ordered; ``snapshots`` are those that are stored. ``send`` reports."""

    def __init__(
        self,
        lobby: Lobby,
        snapshots: Mapping[str, TableSnapshot],
        administration: Administration,
        send: Callable[[Report], None],
    ) -> None:
        self._lobby = lobby
        self._house = lobby.house
        self._snapshots = snapshots
        self._administration = administration
        self._send = send
        self._relays: dict[int, Connection] = {}
        self._reported: dict[str, TableReport] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Report, and let go of players without a seat, forever."""
        while True:
            await asyncio.sleep(REPORT_INTERVAL)
            self._report()
            for player in list(self._house.players.values()):
                if not player.is_house_bot and not player.tables():
                    self._house.remove_player(player)

    def _report(self) -> None:
        """Report new and changed tables."""
        reports = [report_of(table) for table in self._house.open_tables.values()]
        changed = [one for one in reports if self._reported.get(one.status.table) != one]
        if changed:
            self._reported |= {one.status.table: one for one in changed}
            self._send(Tables(changed))

    def on_seats(self, table: OpenTable) -> None:
        """Report who sits at a table, or that it is closed."""
        name = table.facts.table
        if self._house.open_tables.get(name) is table:
            report = self._reported[name] = report_of(table)
            self._send(Tables([report]))
        else:
            self._reported.pop(name, None)
            self._send(Gone(name))

    def execute(self, order: Order) -> None:
        """Execute an order, except ``Close``."""
        match order:
            case Open() | Admit():
                self._send(self._answer(order))
            case Administer() | Drain():
                self._start(self._administer(order))
            case Enter(number, visitor):
                self._enter(number, visitor)
            case Say(number, message):
                if number in self._relays:
                    self._relays[number].receive(bytes(message), text=True)
            case Exit(number):
                self._exit(number)
            case Remove(table, name):
                self._remove(table, name)
            case Close():
                raise AssertionError("whoever receives the orders closes the house")

    def _answer(self, request: Open | Admit) -> Answer:
        try:
            if isinstance(request, Open):
                self._open(request)
            else:
                self._admit(request)
        except Refused as refusal:
            return Answer(request.request, refusal.code, refusal.detail)
        return Answer(request.request)

    def _open(self, order: Open) -> None:
        snapshot = self._snapshots.get(order.table)
        if snapshot is None:
            self._lobby.open_as(order.table, order.config)
            return
        table = self._lobby.restore_table(order.table, snapshot, RETURN_TIMEOUT)
        for _, player in table.guests():
            self._renew_ticket(player, player.resume_digest)

    # Players.

    def _renew_ticket(self, player: Player, digest: str) -> None:
        """Let a player in who shows his ``resume`` secret as a ticket."""
        self._house.players.remove(player)
        player.token_hash = digest
        self._house.players.add(player)

    def _player_of(self, visitor: Visitor) -> Player:
        """Return the player that a visitor is here."""
        players = self._house.players
        player = players.get(visitor.name) or Player(visitor.name, guest=True)
        players.remove(player)
        player.identity, player.resume, player.grant = visitor.identity, visitor.resume, visitor.grant
        player.address, player.capacity = visitor.address, visitor.capacity
        player.token_hash = player.resume_digest
        return players.add(player)

    def _admit(self, order: Admit) -> None:
        table = self._house.open_tables.get(order.table)
        if table is None:
            raise Refused("unknown_table", f"no table {order.table!r} can be joined")
        player = self._player_of(order.visitor)
        if order.table not in player.seats:
            table.join(player, order.seat)
        if player.connection is None and player.grace_timer is None:
            self._house.hold_seats(player, self._house.grace)

    def _remove(self, table: str, name: str) -> None:
        player = self._house.players.get(name)
        if player is None:
            return
        if table in player.seats:
            actor, seat = player.seats[table]
            actor.leave(seat)
        if not player.tables():
            self._house.remove_player(player)

    # Connections of the house.

    def _enter(self, number: int, visitor: Visitor) -> None:
        player = self._player_of(visitor)
        connection = Connection(_RelayWire(number, self._send), JSON, self._house)
        connection.address, connection.identity = visitor.address, visitor.identity
        # The house has counted it.
        connection.internal = True
        self._relays[number] = connection
        self._house.on_connected(connection)
        hello = Hello(player.name, visitor.resume, visitor.capacity, person=visitor.person)
        connection.receive(JSON.encode(hello), text=True)

    def _exit(self, number: int) -> None:
        connection = self._relays.pop(number, None)
        if connection is None:
            return
        # Who only watches asks for it again.
        for table in () if connection.player is None else list(connection.player.watching.values()):
            table.unwatch(connection.player)
        connection.on_disconnected()

    # Administration.

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _administer(self, order: Administer | Drain) -> None:
        self._send(await self._answer_administrator(order))

    async def _answer_administrator(self, request: Request) -> Answer:
        try:
            if isinstance(request, Administer):
                body = _decode_request(request.body)
                done = await self._administration.execute(request.action, body, request.by)
                return Answer(request.request, text=done.target)
            await self._administration.execute("drain", AdminRequest(), "")
            await self._administration.wait_drained()
        except _REFUSALS as refusal:
            return Answer(request.request, refusal.code, str(refusal))
        return Answer(request.request)


class _RelayWire:
    """Sends frames to a connection of the house, which looks after slow readers."""

    def __init__(self, number: int, send: Callable[[Report], None]) -> None:
        self._number = number
        self._send = send

    def send(self, frame: bytes) -> None:
        self._send(Heard(self._number, msgspec.Raw(frame)))

    def close(self, code: int, reason: str) -> None:
        self._send(Hung(self._number))

    def unsent_bytes(self) -> int:
        return 0
