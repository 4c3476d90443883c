"""Opens tables and seats house bots there, for whoever runs the server and for people who ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, Final

import structlog

from dealer.rules.games import MAX_PLAYERS
from protocol.errors import Refused
from protocol.messages import Create, Created, Invite
from server.auth.tokens import Grant, draw
from server.bots.processes import Processes, builtin_command
from server.bots.sandbox import Confinement
from server.house.house import House
from server.tables.challenge import ChallengeTable
from server.tables.config import TablePlan, plan_of
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.tables.recorder import TableRecord
from server.tables.snapshot import Holder, LastingTable

__all__ = ["MAX_OWN_TABLES", "MAX_TABLES", "MAX_TABLES_OF_ONE", "RETURN", "Lobby"]

log = structlog.get_logger("pokerd.lobby")

#: Tables of the whole server, and those that one player may have opened at once.
MAX_TABLES: Final = 256
MAX_OWN_TABLES: Final = 4
#: Those that all guests of one address may have opened, and all players of one token.
MAX_TABLES_OF_ONE: Final = 16
#: Seconds after which a table that somebody opened is closed when nobody is there.
IDLE: Final = 60.0
#: Seconds after which a house bot that ended by itself is started again.
RESTART: Final = 5.0
#: Seconds that the seats of tables that are taken up are held for their players.
RETURN: Final = 60.0


class Lobby:
    """The open tables of a house that listens at ``url``; if that is not known yet, ``listen`` must follow.
    ``bots``: the house bots that people may ask for.

    A house bot is one process for all tables: ``fair-2`` sits wherever ``fair`` is the second bot. It is
    started when it is first needed, and again should it end.
    """

    def __init__(
        self,
        house: House,
        processes: Processes,
        url: str = "",
        bots: Collection[str] = (),
        *,
        keeper: Callable[[OpenTable], TableRecord] | None = None,
        idle: float = IDLE,
        restart: float = RESTART,
        confinement: Confinement | None = None,
    ) -> None:
        self.house = house
        #: Told of every table that is opened.
        self.on_open: list[Callable[[OpenTable], None]] = []
        self._processes = processes
        self._url = url
        self._keeper = keeper
        self._idle = idle
        self._restart = restart
        self._confinement = confinement
        self._number = 0
        self._servants: dict[str, Player] = {}
        self._running: set[str] = set()
        self._starting: set[asyncio.Task[None]] = set()
        # Nobody else may have these names.
        for bot in bots:
            for number in range(1, MAX_PLAYERS + 1):
                self._servant(f"{bot}-{number}")
        house.creator = self.asked
        house.bots = bots

    def listen(self, url: str) -> None:
        """The house listens there: house bots that have seats are started."""
        self._url = url
        for player in self._servants.values():
            self._need(player)

    def open(self, plan: TablePlan, *, idle: float | None = None, owner: Player | None = None) -> OpenTable:
        """Open a table; its house bots sit down, and are started if they do not run yet. ``owner``: who asked
        for it.
        """
        self._number += 1
        return self._open(plan, f"table-{self._number}", idle, owner)

    def _open(
        self, plan: TablePlan, name: str, idle: float | None = None, owner: Player | None = None
    ) -> OpenTable:
        table = self._made(plan, name, idle=idle, owner=owner)
        for number, bot in enumerate(plan.bots, 1):
            self._sit(table, f"{bot}-{number}")
        for tell in self.on_open:
            tell(table)
        return table

    def _made(self, plan: TablePlan, name: str, **settings: Any) -> OpenTable:
        kind: Callable[..., OpenTable] = OpenTable
        if plan.mode == "challenge":
            kind = partial(ChallengeTable, send_rival=self._send_rival)
        table = kind(self.house, plan, name, keeper=self._keeper, **settings)
        self.house.open_tables[name] = table
        return table

    # Taking up what another process left.

    def take_up(self, kept: Mapping[str, LastingTable], plans: Sequence[TablePlan], wait: float) -> list[str]:
        """Go on with the tables that were open, and open one for each of ``plans``. One that was opened for
        an earlier plan, and is another now, is closed and opened anew; but where somebody from outside has a
        seat it goes on as it is. Seats are held for ``wait`` seconds. Returns what should be said of it.

        Raises ``ValueError``: some table cannot have stood so.
        """
        said = []
        self._number = max(map(_number, kept), default=0)
        standing = sorted((name for name, table in kept.items() if table.standing), key=_number)
        for name in kept:
            if name not in standing:
                self._go_on(name, kept[name], wait)
        for name, plan in zip_longest(standing, plans):
            if name is None:
                self.open(plan)
            elif plan == kept[name].plan:
                self._go_on(name, kept[name], wait)
            elif kept[name].guests:
                self._go_on(name, kept[name], wait)
                said.append(f"{name} goes on with the settings it was opened with: somebody sits there")
            else:
                self._go_on(name, kept[name], wait).stop("closed")
                if plan is not None:
                    self._open(plan, name)
        return said

    def _go_on(self, name: str, was: LastingTable, wait: float) -> OpenTable:
        player_of = partial(self._holder, wait)
        table = self._made(
            was.plan,
            name,
            seed=bytes.fromhex(was.seed),
            idle=None if was.standing else self._idle,
            owner=None if was.owner is None else self._owner(was.owner),
            was=was,
        )
        table.take_up(was, player_of, wait)
        for tell in self.on_open:
            tell(table)
        return table

    def _owner(self, holder: Holder) -> Player:
        known = self.house.players.get(holder.name)
        if known is None:
            known = Player(holder.name, identity=holder.identity)
            known.person = holder.person
        return known

    def _holder(self, wait: float, holder: Holder) -> Player:
        """Who had the seat, and has a while to come back."""
        if holder.servant:
            player = self._servant(holder.name)
        elif holder.name in self.house.players:
            player = self.house.players[holder.name]
        else:
            player = Player(holder.name, guest=holder.guest, identity=holder.identity)
            player.recall(holder.resume)
            player.address = holder.address
            if holder.token:
                # One that was revoked meanwhile is sent away like any other.
                kept = self.house.admission.access.kept(holder.token)
                player.grant = kept or Grant(name=holder.name, hash=holder.token, issued="")
            player.person = holder.person
            self.house.players.add(player)
        if player.grace_timer is None:
            self.house.expect(player, wait)
        return player

    def asked(self, player: Player, message: Create | Invite) -> None:
        """Carry out what a player asks of the lobby. Raises ``Refused``."""
        if isinstance(message, Invite):
            self.invite(player, message)
        else:
            self.create(player, message)

    def invite(self, player: Player, asked: Invite) -> None:
        """Seat a house bot at a table that the player opened. Raises ``Refused``."""
        table = self.house.open_tables.get(asked.table)
        if table is None:
            raise Refused("unknown_table", f"there is no table {asked.table!r}", table=asked.table)
        if table.owner is None or not player.is_same(table.owner):
            raise Refused("not_owner", table=asked.table)
        if asked.bot not in self.house.bots:
            known = ", ".join(sorted(self.house.bots))
            detail = f"bot: {asked.bot[:60]!r} is none of {known}"
            raise Refused("bad_table", detail, table=asked.table, field="bot")
        here = {one.name for one in table.players if one is not None}
        names = (f"{asked.bot}-{number}" for number in range(1, MAX_PLAYERS + 1))
        name = next((name for name in names if name not in here), None)
        if name is None:
            raise Refused("no_seat", table=asked.table)
        self._sit(table, name)

    def create(self, player: Player, asked: Create) -> None:
        """Open the table that a player asks for. Raises ``Refused``."""
        plan = plan_of(asked, self.house.bots)
        assert player.connection is not None
        source = self.house.admission.source(player.connection.address, player.grant)
        tables = self.house.open_tables.values()
        own = sum(table.owner is not None and player.is_same(table.owner) for table in tables)
        if len(tables) >= MAX_TABLES:
            raise Refused("server_full", "no more tables can be opened at the moment")
        if own >= MAX_OWN_TABLES:
            raise Refused("server_full", f"{MAX_OWN_TABLES} tables that you opened are open already")
        if sum(table.source == source for table in tables) >= MAX_TABLES_OF_ONE:
            whom = "with your token" if player.grant is not None else "from your address"
            raise Refused("server_full", f"{MAX_TABLES_OF_ONE} tables opened {whom} are open already")
        table = self.open(plan, idle=self._idle, owner=player)
        table.source = source
        player.connection.send(Created(table.facts.table), urgent=True)

    def _send_rival(self, table: ChallengeTable) -> None:
        rival = self._servant(f"{table.plan.rival}-{table.plan.seats}")
        table.play_rival(rival)
        self._need(rival)

    def _sit(self, table: OpenTable, name: str) -> None:
        """Give a house bot a free seat. Raises ``Refused``."""
        player = self._servant(name)
        table.join(player, -1)
        self._need(player)

    def _servant(self, name: str) -> Player:
        if name not in self._servants:
            player = Player(name, draw(), servant=True)
            self._servants[name] = self.house.players.add(player)
        return self._servants[name]

    def _need(self, player: Player) -> None:
        """See that a house bot runs if it has a seat."""
        bot = player.name.rpartition("-")[0]
        if self._url and player.seats and player.name not in self._running:
            self._running.add(player.name)
            player.ended = False
            task = asyncio.create_task(self._start(player, bot), name=f"start {player.name}")
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _start(self, player: Player, bot: str) -> None:
        values = self._url, player.token, player.name, "4096"
        names = "POKERD_URL", "POKERD_TOKEN", "POKERD_NAME", "POKERD_TABLES"
        settings = dict(zip(names, values, strict=True))
        ended = partial(self._ended, player)
        try:
            await self._processes.start(
                player.name, builtin_command(bot), settings, ended, confinement=self._confinement
            )
        except OSError as error:
            log.warning("house bot cannot be started", player=player.name, error=str(error))
            self._ended(player, 1)

    def _ended(self, player: Player, code: int) -> None:
        """Nobody should wait for it: the policy plays its seats until it is there again."""
        log.warning("house bot ended", player=player.name, tables=list(player.seats), code=code)
        self._running.discard(player.name)
        player.ended = True
        if player.connection is not None:
            player.connection.lost()
        self.house.expire(player)
        self.house.call_later(self._restart, partial(self._need, player))

    async def close(self) -> None:
        """Wait for those that are just being started, so that they can be ended."""
        await asyncio.gather(*self._starting)


def _number(name: str) -> int:
    """Of ``table-7``."""
    return int(name.rpartition("-")[2])
