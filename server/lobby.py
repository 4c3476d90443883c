"""Opens tables and seats house bots there, for whoever runs the server and for people who ask."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection
from functools import partial
from typing import Final

import structlog

from dealer.rules.games import MAX_PLAYERS
from protocol.errors import Refused
from protocol.messages import Create, Created
from server.actor import TableActor
from server.challenge import ChallengeTable
from server.house import House
from server.managed import Processes, builtin_command
from server.open_table import OpenTable, TableRecord
from server.player import Player
from server.sandbox import Confinement
from server.table_plan import TablePlan, plan_of

__all__ = ["MAX_OWN_TABLES", "MAX_TABLES", "Lobby"]

log = structlog.get_logger("pokerd.lobby")

#: Tables of the whole server, and those that one player may have opened.
MAX_TABLES: Final = 256
MAX_OWN_TABLES: Final = 4
#: Seconds after which a table that somebody opened is closed when nobody is there.
IDLE: Final = 60.0
#: Seconds after which a house bot that ended by itself is started again.
RESTART: Final = 5.0


class Lobby:
    """The open tables of a house that listens at ``url``. ``bots``: the house bots that people may ask for.

    A house bot is one process for all tables: ``fair-2`` sits wherever ``fair`` is the second bot. It is
    started when it is first needed, and again should it end.
    """

    def __init__(
        self,
        house: House,
        processes: Processes,
        url: str,
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
        self._owners: dict[str, Player] = {}
        self._servants: dict[str, Player] = {}
        self._running: set[str] = set()
        self._starting: set[asyncio.Task[None]] = set()
        # Nobody else may have these names.
        for bot in bots:
            for number in range(1, MAX_PLAYERS + 1):
                self._servant(f"{bot}-{number}")
        house.creator = self.create
        house.bots = bots

    def open(self, plan: TablePlan, *, idle: float | None = None, owner: Player | None = None) -> OpenTable:
        """Open a table; its house bots sit down, and are started if they do not run yet. ``owner``: who asked
        for it.
        """
        self._number += 1
        name = f"table-{self._number}"
        kind: Callable[..., OpenTable] = OpenTable
        if plan.mode == "challenge":
            assert owner is not None
            kind = partial(ChallengeTable, owner=owner, send_rival=self._send_rival)
        over = partial(self._closed, name)
        table = kind(self.house, plan, name, idle=idle, keeper=self._keeper, on_over=over)
        self.house.open_tables[name] = table
        for number, bot in enumerate(plan.bots, 1):
            player = self._servant(f"{bot}-{number}")
            table.join(player, -1)
            self._need(player, bot)
        for tell in self.on_open:
            tell(table)
        return table

    def create(self, player: Player, asked: Create) -> None:
        """Open the table that a player asks for. Raises ``Refused``."""
        plan = plan_of(asked, self.house.bots)
        own = sum(player.is_same(owner) for owner in self._owners.values())
        if own >= MAX_OWN_TABLES or len(self.house.open_tables) >= MAX_TABLES:
            raise Refused("server_full", "no more tables can be opened at the moment")
        table = self.open(plan, idle=self._idle, owner=player)
        self._owners[table.facts.table] = player
        assert player.connection is not None
        player.connection.send(Created(table.facts.table), urgent=True)

    def _closed(self, name: str, _: TableActor) -> None:
        self._owners.pop(name, None)

    def _send_rival(self, table: ChallengeTable) -> None:
        rival = self._servant(f"{table.plan.rival}-{table.plan.seats}")
        table.play_rival(rival)
        self._need(rival, table.plan.rival)

    def _servant(self, name: str) -> Player:
        if name not in self._servants:
            player = Player(name, secrets.token_urlsafe(24), servant=True)
            self._servants[name] = self.house.admit(player)
        return self._servants[name]

    def _need(self, player: Player, bot: str) -> None:
        """See that a house bot runs if it has a seat."""
        if player.seats and player.name not in self._running:
            self._running.add(player.name)
            player.ended = False
            task = asyncio.create_task(self._start(player, bot), name=f"start {player.name}")
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _start(self, player: Player, bot: str) -> None:
        values = self._url, player.token, player.name, "4096"
        names = "POKERD_URL", "POKERD_TOKEN", "POKERD_NAME", "POKERD_TABLES"
        settings = dict(zip(names, values, strict=True))
        ended = partial(self._ended, player, bot)
        try:
            await self._processes.start(
                player.name, builtin_command(bot), settings, ended, confinement=self._confinement
            )
        except OSError as error:
            log.warning("house bot cannot be started", player=player.name, error=str(error))
            self._ended(player, bot, 1)

    def _ended(self, player: Player, bot: str, code: int) -> None:
        """Nobody should wait for it: the policy plays its seats until it is there again."""
        log.warning("house bot ended", player=player.name, tables=list(player.seats), code=code)
        self._running.discard(player.name)
        player.ended = True
        if player.connection is not None:
            player.connection.lost()
        self.house.expire(player)
        self.house.call_later(self._restart, partial(self._need, player, bot))

    async def close(self) -> None:
        """Wait for those that are just being started, so that they can be ended."""
        await asyncio.gather(*self._starting)
