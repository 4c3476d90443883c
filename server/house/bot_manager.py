"""The house bots at open tables: who they are, how many may play, and their processes."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Coroutine, Iterable
from functools import partial
from typing import Any, Final

from dealer.rules.games import MAX_PLAYERS
from protocol.errors import Refused
from protocol.people import BotChoice, BotValue
from server.auth.confusables import name_keys
from server.auth.tokens import new_token
from server.bots.processes import BotProcess, ProcessManager, builtin_command
from server.bots.sandbox import Confinement
from server.house.house import House
from server.tables.actor import TableActor
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.tables.snapshot import SeatHolder
from server.telemetry.logger import get_logger

log = get_logger("pokerd.lobby")

#: Limits of house bots with parameters of their own at tables that players have opened: each is a process.
MAX_TUNED_BOTS: Final = 32
MAX_TUNED_BOTS_PER_CLIENT: Final = 12
MAX_TUNED_BOTS_PER_TABLE: Final = 6
#: Limit of the other house bots at tables that players have opened: each is a process, too.
MAX_SHARED_BOTS: Final = 64
#: Limit of those that the guests of one address have started: more than a full table needs.
MAX_SHARED_BOTS_PER_ADDRESS: Final = 16
#: Seconds after which a house bot that exited is restarted.
RESTART_DELAY: Final = 5.0


class HouseBotManager:
    """The house bots at the open tables of ``house``. ``bots``: the names of those on offer. They connect to
    ``url``; if that is not known yet, call ``on_listening`` later. ``idle``: seconds between two looks at
    whether a bot still has a seat.

    A house bot is one process for all tables: ``fair-2`` sits wherever ``fair`` is the second bot. It starts
    when it is needed, again if it exits, and ends when it has no seat. A bot with parameters of its own is a
    process for one table, numbered from 11, and ends with it.
    """

    def __init__(
        self,
        house: House,
        processes: ProcessManager,
        url: str,
        bots: Iterable[str],
        *,
        idle: float,
        restart: float = RESTART_DELAY,
        confinement: Confinement | None = None,
    ) -> None:
        self._house = house
        self._processes = processes
        self._url = url
        self._idle = idle
        self._restart = restart
        self._confinement = confinement
        self._players: dict[str, Player] = {}
        self._running: set[Player] = set()
        self._bot_processes: dict[Player, BotProcess] = {}
        #: The bots with parameters of their own, by table, until they no longer count.
        self._tuned: dict[TableActor, list[Player]] = {}
        #: Whose limit the other bots at tables of players count against: of those who started them.
        self._starters: dict[str, tuple[str, str] | None] = {}
        #: Those that tournaments have or will have, and whose limit they count against, by tournament.
        self.promised: dict[str, tuple[set[str], tuple[str, str] | None]] = {}
        #: Bots that are being started or stopped.
        self._tasks: set[asyncio.Task[None]] = set()
        # Reserved names.
        for bot in bots:
            for number in range(1, MAX_PLAYERS + 1):
                self.player(f"{bot}-{number}")

    def on_listening(self, url: str) -> None:
        """Start the house bots that have seats: the house listens at ``url``."""
        self._url = url
        for player in self._players.values():
            self.ensure_running(player)

    # Who they are.

    def player(self, name: str) -> Player:
        """Return the house bot of that name, a new one if there is none."""
        if name not in self._players:
            player = Player(name, new_token(), is_house_bot=True)
            self._players[name] = self._house.players.add(player)
        return self._players[name]

    def player_for(self, table: OpenTable, bot: str | BotChoice, number: int) -> Player:
        """Return the house bot of that kind and number, or one with its own parameters for this table."""
        if isinstance(bot, str):
            return self.player(f"{bot}-{number}")
        taken = self._house.players.by_key
        names = (f"{bot.bot}-{own}" for own in itertools.count(MAX_PLAYERS + 1))
        name = next(name for name in names if not any(key in taken for key in name_keys(name)))
        return self._tuned_player(table, name, bot.parameters)

    def restored_player(self, table: OpenTable, holder: SeatHolder) -> Player:
        """Return the house bot that held a seat in another process."""
        if holder.parameters and holder.name not in self._players:
            return self._tuned_player(table, holder.name, holder.parameters)
        return self.player(holder.name)

    def _tuned_player(self, table: OpenTable, name: str, parameters: dict[str, BotValue]) -> Player:
        player = self.player(name)
        player.parameters = parameters
        self._tuned.setdefault(table, []).append(player)
        return player

    # How many may play.

    def add_table(self, table: OpenTable) -> None:
        """Count the bots with parameters of their own that a new table will have, until ``end_tuned``."""
        if table.config.tuned_bots:
            self._tuned[table] = []

    def count_tuned(self, table: OpenTable) -> int:
        """Return the number of bots with parameters of their own at a table, with a rival who is to come."""
        return max(len(self._tuned.get(table, ())), table.config.tuned_bots)

    def verify_tuned(self, field: str, more: int, source: tuple[str, str] | None, here: int = 0) -> None:
        """Refuse ``more`` bots with parameters of their own than there may be: at a table that has ``here``
        already, of one client, or in all. Raises ``Refused`` (``bad_table``, ``server_full``).
        """
        if not more:
            return
        if here + more > MAX_TUNED_BOTS_PER_TABLE:
            raise Refused(
                "bad_table",
                f"{field}: at most {MAX_TUNED_BOTS_PER_TABLE} bots may have parameters of their own",
                field=field,
            )
        opened = [table for table in self._tuned if isinstance(table, OpenTable) and table.owner is not None]
        theirs = [table for table in opened if table.source == source]
        if sum(map(self.count_tuned, theirs)) + more > MAX_TUNED_BOTS_PER_CLIENT:
            raise Refused(
                "server_full",
                f"at most {MAX_TUNED_BOTS_PER_CLIENT} bots with parameters of their own play at your tables",
            )
        if sum(map(self.count_tuned, opened)) + more > MAX_TUNED_BOTS:
            raise Refused(
                "server_full", f"at most {MAX_TUNED_BOTS} bots with parameters of their own play here"
            )

    def verify_shared(self, names: set[str], source: tuple[str, str] | None) -> None:
        """Refuse house bots without parameters of their own if they are too many at the tables of players, or
        of those that the guests of one address have started; else ``source`` starts them. Those that have
        lost their seats count until they end. Raises ``Refused`` (``server_full``).
        """
        here = {player.name for player in self._running if not player.seats and not player.parameters}
        for table in self._house.open_tables.values():
            if table.owner is not None:
                there = {bot.name for bot in table.players if bot and bot.is_house_bot and not bot.parameters}
                there |= table.config.shared_bots
                here |= there
                for name in there:
                    # After a restart of the server they play because the table has them.
                    self._starters.setdefault(name, table.source)
        for there, who in self.promised.values():
            here |= there
            for name in there:
                self._starters.setdefault(name, who)
        self._starters = {name: who for name, who in self._starters.items() if name in here}
        new = names - here
        if new and len(new | here) > MAX_SHARED_BOTS:
            raise Refused("server_full", f"at most {MAX_SHARED_BOTS} house bots can play here at once")
        theirs = sum(who == source for who in self._starters.values())
        is_guest = source is not None and source[0] == "guest"
        if new and is_guest and theirs + len(new) > MAX_SHARED_BOTS_PER_ADDRESS:
            most = MAX_SHARED_BOTS_PER_ADDRESS
            raise Refused("server_full", f"at most {most} house bots started from your address can play here")
        self._starters |= dict.fromkeys(new, source)

    # Their processes.

    def ensure_running(self, player: Player) -> None:
        """Start a house bot if it has a seat and does not run."""
        if self._url and player.seats and player not in self._running:
            self._running.add(player)
            player.ended = False
            self._run(self._start(player), f"start {player.name}")

    def end_tuned(self, table: TableActor) -> None:
        """End the bots with parameters of their own of a table that is over. They count a little longer, so
        that nobody starts processes again and again.
        """
        for player in self._tuned.get(table, ()):
            del self._players[player.name]
            self._running.discard(player)
            self._house.remove_player(player)
            process = self._bot_processes.pop(player, None)
            if process is not None:
                self._run(self._processes.stop(process), f"stop {player.name}")
        if table in self._tuned:
            self._house.call_later(self._idle, partial(self._forget_tuned, table))

    def _forget_tuned(self, table: TableActor) -> None:
        del self._tuned[table]

    def _run(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _start(self, player: Player) -> None:
        settings = {
            "POKERD_URL": self._url,
            "POKERD_TOKEN": player.token,
            "POKERD_NAME": player.name,
            "POKERD_TABLES": "4096",
        }
        if player.parameters:
            settings["POKERD_PARAMETERS"] = json.dumps(player.parameters)
        command = builtin_command(player.name.rpartition("-")[0])
        ended = partial(self._on_exit, player)
        try:
            process = await self._processes.start(
                player.name, command, settings, ended, confinement=self._confinement
            )
        except OSError as error:
            log.warning("cannot start house bot", player=player.name, error=str(error))
            self._on_exit(player, 1)
            return
        if self._players.get(player.name) is not player:
            # Its table closed meanwhile.
            await self._processes.stop(process)
            return
        self._bot_processes[player] = process
        if not player.parameters:
            self._look_later(player, process)

    def _look_later(self, player: Player, process: BotProcess) -> None:
        self._house.call_later(self._idle, partial(self._end_unneeded, player, process))

    def _end_unneeded(self, player: Player, process: BotProcess) -> None:
        """End the process of a house bot without a seat, or look again later."""
        if self._bot_processes.get(player) is not process:
            return
        if player.seats:
            self._look_later(player, process)
        else:
            del self._bot_processes[player]
            self._run(self._stop(player, process), f"stop {player.name}")

    async def _stop(self, player: Player, process: BotProcess) -> None:
        await self._processes.stop(process)
        self._running.discard(player)
        # It may have got a seat meanwhile.
        self.ensure_running(player)

    def _on_exit(self, player: Player, code: int) -> None:
        """Let the policy play the bot's seats until it is back."""
        # Without a seat it is missed by nobody: so end those that were being started when the server stopped.
        if player.seats:
            log.warning("house bot ended", player=player.name, tables=list(player.seats), code=code)
        self._running.discard(player)
        self._bot_processes.pop(player, None)
        player.ended = True
        if player.connection is not None:
            player.connection.on_disconnected()
        self._house.give_up_seats(player)
        self._house.call_later(self._restart, partial(self.ensure_running, player))

    async def close(self) -> None:
        """Wait for the bots that are being started or stopped."""
        for result in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result
