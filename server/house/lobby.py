"""Opens tables and seats house bots, for the operator and for players."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import structlog

from dealer.rules.games import MAX_PLAYERS
from protocol.errors import Refused
from protocol.people import BotChoice, BotValue, CreateTable, Invite, PersonScore, TableCreated
from server.auth.confusables import name_keys
from server.auth.tokens import Grant, new_token
from server.bots.processes import BotProcess, ProcessManager, builtin_command
from server.bots.sandbox import Confinement
from server.house.house import House
from server.people.performance import own_score, pooled_score
from server.people.results import PeopleResults, Played
from server.storage.hand_db import HandStoreError
from server.storage.hand_store import TableRecorder
from server.tables.actor import TableActor
from server.tables.challenge import ChallengeTable
from server.tables.config import TableConfig, config_from_request
from server.tables.house_bots import HouseBots, bot_name, check_choice
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.tables.snapshot import SeatHolder, TableSnapshot

log = structlog.get_logger("pokerd.lobby")

#: Limit of tables of the server, and of those that one player has opened.
MAX_TABLES: Final = 256
MAX_OWN_TABLES: Final = 4
#: Limit of tables opened by all guests of one address, or by all players of one token.
MAX_TABLES_PER_CLIENT: Final = 16
#: Whose limit tables count against that administrators have opened: nobody's.
ADMIN_SOURCE: Final = ("admin", "")
#: Limits of house bots with parameters of their own at tables that players have opened: each is a process.
MAX_TUNED_BOTS: Final = 32
MAX_TUNED_BOTS_PER_CLIENT: Final = 12
MAX_TUNED_BOTS_PER_TABLE: Final = 6
#: Limit of the other house bots at tables that players have opened: each is a process, too.
MAX_SHARED_BOTS: Final = 64
#: Limit of those that the guests of one address have started: more than a full table needs.
MAX_SHARED_BOTS_PER_ADDRESS: Final = 16
#: Seconds after which a table opened by a player is closed if it is empty, and between two looks at whether
#: a house bot still has a seat.
IDLE_TIMEOUT: Final = 60.0
#: Seconds after which a house bot that exited is restarted.
RESTART_DELAY: Final = 5.0
#: Seconds for the scores of closed tables when the server stops.
SCORE_TIMEOUT: Final = 5.0
#: Seconds for which seats are reserved after a restart.
RETURN_TIMEOUT: Final = 60.0


class Lobby:
    """The open tables of a house, created by ``make_house``. The house listens at ``url``; if that is not
    known yet, call ``on_listening`` later. ``bots`` are the house bots on offer. ``people`` scores and keeps
    the results of people.

    A house bot is one process for all tables: ``fair-2`` sits wherever ``fair`` is the second bot. It starts
    when it is needed, again if it exits, and ends when it has no seat. A bot with parameters of its own is a
    process for one table, numbered from 11, and ends with it.
    """

    def __init__(
        self,
        processes: ProcessManager,
        url: str = "",
        bots: HouseBots = MappingProxyType({}),
        *,
        make_house: Callable[..., House],
        make_recorder: Callable[[OpenTable], TableRecorder] | None = None,
        idle: float = IDLE_TIMEOUT,
        restart: float = RESTART_DELAY,
        confinement: Confinement | None = None,
        people: PeopleResults | None = None,
    ) -> None:
        self.bots = bots
        self.house = make_house(opener=self)
        #: Called with every table that is opened.
        self.on_open: list[Callable[[OpenTable], None]] = []
        self._processes = processes
        self._url = url
        self._make_recorder = make_recorder
        self._idle = idle
        self._restart = restart
        self._confinement = confinement
        self._people = people
        self._last_number = 0
        self._house_bots: dict[str, Player] = {}
        self._running: set[Player] = set()
        #: Bots that are being started or stopped, and results that are being scored.
        self._tasks: set[asyncio.Task[None]] = set()
        self._scores: dict[asyncio.Task[None], OpenTable] = {}
        #: The bots with parameters of their own, by table, until they no longer count.
        self._tuned: dict[TableActor, list[Player]] = {}
        self._bot_processes: dict[Player, BotProcess] = {}
        #: Whose limit the other bots at tables of players count against: of those who started them.
        self._starters: dict[str, tuple[str, str] | None] = {}
        # Reserved names.
        for bot in bots:
            for number in range(1, MAX_PLAYERS + 1):
                self._house_bot(f"{bot}-{number}")

    def on_listening(self, url: str) -> None:
        """Start the house bots that have seats: the house listens at ``url``."""
        self._url = url
        for player in self._house_bots.values():
            self._ensure_running(player)

    def open(
        self, config: TableConfig, *, idle: float | None = None, owner: Player | None = None
    ) -> OpenTable:
        """Open a table for ``owner`` and seat its house bots, which are started if necessary."""
        self._last_number += 1
        return self._open(config, f"table-{self._last_number}", idle, owner)

    def _open(
        self, config: TableConfig, name: str, idle: float | None = None, owner: Player | None = None
    ) -> OpenTable:
        table = self._make_table(config, name, idle=idle, owner=owner)
        for number, bot in enumerate(config.bots, 1):
            self._seat(table, self._bot_for(table, bot, number))
        for tell in self.on_open:
            tell(table)
        return table

    def _make_table(self, config: TableConfig, name: str, **settings: Any) -> OpenTable:
        kind: Callable[..., OpenTable] = OpenTable
        if config.mode == "challenge":
            kind = partial(ChallengeTable, send_rival=self._start_rival)
        table = kind(
            self.house, config, name, make_recorder=self._make_recorder, on_over=self._end_tuned, **settings
        )
        if self._people is not None:
            table.scoring.on_played = partial(self._on_played, table, self._people)
        self.house.open_tables[name] = table
        if config.tuned_bots:
            self._tuned[table] = []
        return table

    # Results of people.

    def _on_played(self, table: OpenTable, people: PeopleResults, player: Player) -> None:
        seat = table.config.seats - 1
        # The table may close before the result is scored.
        if table.config.mode == "challenge":
            played = Played([table.run], [0], seat)
        else:
            played = Played(table.scoring.runs, [result.places[seat] for result in table.results], seat)
        task = self._run(self._score(table, people, player, played), f"score {table.facts.table}")
        self._scores[task] = table
        task.add_done_callback(self._scores.pop)

    async def _score(self, table: OpenTable, people: PeopleResults, player: Player, played: Played) -> None:
        """Score what the person played, keep it if he wants that, and tell him."""
        score = None
        try:
            score = await self._computed_score(table, people, played)
        except HandStoreError as error:
            log.warning("cannot score", table=table.facts.table, error=str(error))
        finally:
            table.show_score(player, score)

    async def _computed_score(
        self, table: OpenTable, people: PeopleResults, played: Played
    ) -> PersonScore | None:
        setting = table.config.setting
        if table.source is None or not people.admit(table.source):
            return None
        matches = await people.read(played, setting)
        others = await people.sums()
        # A suspended table has gone to another process, which scores it again.
        if matches is None or table.is_suspended:
            return None
        return PersonScore(
            table=table.facts.table,
            key=people.keep(matches, setting) if table.config.research else "",
            own=own_score(matches, setting),
            others=pooled_score(list(others.get(setting, {}).values())),
        )

    # Restarts.

    def restore(
        self, snapshots: Mapping[str, TableSnapshot], configs: Sequence[TableConfig], wait: float
    ) -> list[str]:
        """Reopen stored tables and open one for each of ``configs``. A table whose config has changed is
        closed and opened anew, unless a guest or remote bot has a seat. Tables that administrators opened
        stay as they are. Seats are reserved for ``wait`` seconds. Returns messages for the operator.

        Raises ``ValueError`` if a stored state is impossible.
        """
        said = []
        permanent = sorted(
            (name for name, table in snapshots.items() if table.permanent and table.source != ADMIN_SOURCE),
            key=_table_number,
        )
        for name in snapshots:
            if name not in permanent:
                self._restore_table(name, snapshots[name], wait)
        changed, new = [], list(configs)
        for name in permanent:
            if snapshots[name].config in new:
                new.remove(snapshots[name].config)
                self._restore_table(name, snapshots[name], wait)
            else:
                changed.append(name)
        for name, config in itertools.zip_longest(changed, new):
            if name is None:
                self._open(config, self._free_name())
            elif snapshots[name].has_guests:
                self._restore_table(name, snapshots[name], wait)
                said.append(f"{name} goes on with the settings it was opened with: somebody sits there")
            else:
                self._restore_table(name, snapshots[name], wait).stop("closed")
                if config is not None:
                    self._open(config, name)
        self._last_number = max(map(_table_number, [*snapshots, *self.house.open_tables]), default=0)
        return said

    def _free_name(self) -> str:
        """Return the first name that no table has, so that those of the options keep theirs."""
        taken = set(map(_table_number, self.house.open_tables))
        number = next(number for number in itertools.count(1) if number not in taken)
        self._last_number = max(self._last_number, number)
        return f"table-{number}"

    def _restore_table(self, name: str, snapshot: TableSnapshot, wait: float) -> OpenTable:
        table = self._make_table(
            snapshot.config,
            name,
            seed=bytes.fromhex(snapshot.seed),
            idle=None if snapshot.permanent else self._idle,
            owner=None if snapshot.owner is None else self._restore_owner(snapshot.owner),
            snapshot=snapshot,
        )
        table.restore(snapshot, partial(self._restore_holder, table, wait), wait)
        for tell in self.on_open:
            tell(table)
        return table

    def _restore_owner(self, holder: SeatHolder) -> Player:
        known = self.house.players.get(holder.name)
        if known is None:
            known = Player(holder.name, identity=holder.identity)
            known.is_person = holder.person
        return known

    def _restore_holder(self, table: OpenTable, wait: float, holder: SeatHolder) -> Player:
        """Return the holder of a seat, who may return within ``wait`` seconds."""
        known = self._house_bots.get(holder.name)
        if holder.is_house_bot and holder.parameters and known is None:
            player = self._tuned_bot(table, holder.name, holder.parameters)
        elif holder.is_house_bot:
            player = self._house_bot(holder.name)
        elif holder.name in self.house.players:
            player = self.house.players[holder.name]
        else:
            player = Player(holder.name, guest=holder.guest, identity=holder.identity)
            player.set_resume_digest(holder.resume)
            player.address = holder.address
            if holder.token:
                # A token that was revoked meanwhile is handled like any other.
                kept = self.house.admission.access.by_hash(holder.token)
                player.grant = kept or Grant(name=holder.name, hash=holder.token, issued="")
            player.is_person = holder.person
            self.house.players.add(player)
        if player.grace_timer is None:
            self.house.hold_seats(player, wait)
        return player

    def invite(self, player: Player | None, request: Invite) -> None:
        """Seat a house bot at a table that the player opened, or for an administrator (None) at any table.
        Raises ``Refused``.
        """
        table = self.house.open_tables.get(request.table)
        if table is None:
            raise Refused("unknown_table", f"there is no table {request.table!r}", table=request.table)
        if player is not None and (table.owner is None or not player.is_same(table.owner)):
            raise Refused("not_owner", table=request.table)
        bot = check_choice("bot", request.bot, self.bots)
        here = {one.name for one in table.players if one is not None}
        numbers = range(1, MAX_PLAYERS + 1)
        number = next((number for number in numbers if f"{bot_name(bot)}-{number}" not in here), None)
        if number is None or not table.open_seats():
            raise Refused("no_seat", table=request.table)
        if isinstance(bot, BotChoice):
            self._verify_tuned("bot", 1, table.source, self._count_tuned(table))
        elif table.owner is not None:
            self._verify_shared({f"{bot}-{number}"}, ADMIN_SOURCE if player is None else table.source)
        self._seat(table, self._bot_for(table, bot, number))

    def create(self, player: Player, request: CreateTable) -> None:
        """Open a table for a player. Raises ``Refused``."""
        config = config_from_request(request, self.bots)
        assert player.connection is not None
        source = self.house.admission.quota_key(player.connection.address, player.grant)
        tables = self.house.open_tables.values()
        own = sum(table.owner is not None and player.is_same(table.owner) for table in tables)
        self._verify_room()
        if own >= MAX_OWN_TABLES:
            raise Refused("server_full", f"{MAX_OWN_TABLES} tables that you opened are open already")
        if sum(table.source == source for table in tables) >= MAX_TABLES_PER_CLIENT:
            whom = "with your token" if player.grant is not None else "from your address"
            raise Refused("server_full", f"{MAX_TABLES_PER_CLIENT} tables opened {whom} are open already")
        self._verify_tuned("bots", config.tuned_bots, source)
        self._verify_shared(config.shared_bots, source)
        table = self.open(config, idle=self._idle, owner=player)
        table.source = source
        player.connection.send(TableCreated(table.facts.table), urgent=True)

    def open_permanent(self, request: CreateTable) -> OpenTable:
        """Open a table that stays open, also after a restart, until an administrator closes it. Raises
        ``Refused``.
        """
        config = config_from_request(request, self.bots)
        if config.mode == "challenge":
            detail = "mode: a challenge is opened by the player who takes it"
            raise Refused("bad_table", detail, field="mode")
        if config.research:
            detail = "research: only a player who opens a table lets his result be kept"
            raise Refused("bad_table", detail, field="research")
        self._verify_room()
        self._verify_tuned("bots", config.tuned_bots, ADMIN_SOURCE)
        table = self.open(config)
        table.source = ADMIN_SOURCE
        return table

    def _verify_room(self) -> None:
        if self.house.closing:
            raise Refused("closing", "the server is about to stop, and opens no tables")
        if len(self.house.open_tables) >= MAX_TABLES:
            raise Refused("server_full", "no more tables can be opened at the moment")

    def _verify_tuned(self, field: str, more: int, source: tuple[str, str] | None, here: int = 0) -> None:
        """Refuse ``more`` bots with parameters of their own than there may be: at a table that has ``here``
        already, of one client, or in all. Raises ``Refused`` (``bad_table``, ``server_full``).
        """
        if not more:
            return
        if here + more > MAX_TUNED_BOTS_PER_TABLE:
            detail = f"{field}: at most {MAX_TUNED_BOTS_PER_TABLE} bots may have parameters of their own"
            raise Refused("bad_table", detail, field=field)
        opened = [table for table in self._tuned if isinstance(table, OpenTable) and table.owner is not None]
        theirs = [table for table in opened if table.source == source]
        for tables, most, where in (
            (theirs, MAX_TUNED_BOTS_PER_CLIENT, "at the tables from your address or with your token"),
            (opened, MAX_TUNED_BOTS, "here"),
        ):
            if sum(map(self._count_tuned, tables)) + more > most:
                detail = f"at most {most} bots with parameters of their own can play {where} at once"
                raise Refused("server_full", detail)

    def _verify_shared(self, names: set[str], source: tuple[str, str] | None) -> None:
        """Refuse house bots without parameters of their own if they are too many at the tables of players, or
        of those that the guests of one address have started; else ``source`` starts them. Those that have
        lost their seats count until they end. Raises ``Refused`` (``server_full``).
        """
        here = {player.name for player in self._running if not player.seats and not player.parameters}
        for table in self.house.open_tables.values():
            if table.owner is not None:
                there = {bot.name for bot in table.players if bot and bot.is_house_bot and not bot.parameters}
                there |= table.config.shared_bots
                here |= there
                for name in there:
                    # After a restart of the server they play because the table has them.
                    self._starters.setdefault(name, table.source)
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

    def _count_tuned(self, table: OpenTable) -> int:
        """Return the number of bots with parameters of their own at a table, with a rival who is to come."""
        return max(len(self._tuned.get(table, ())), table.config.tuned_bots)

    def _start_rival(self, table: ChallengeTable) -> None:
        rival = self._bot_for(table, table.config.rival, table.config.seats)
        table.start_rival(rival)
        self._ensure_running(rival)

    def _seat(self, table: OpenTable, bot: Player) -> None:
        """Give a house bot a free seat."""
        table.join(bot, -1)
        self._ensure_running(bot)

    def _bot_for(self, table: OpenTable, bot: str | BotChoice, number: int) -> Player:
        """Return the house bot of that kind and number, or one with its own parameters for this table."""
        if isinstance(bot, str):
            return self._house_bot(f"{bot}-{number}")
        taken = self.house.players.by_key
        names = (f"{bot.bot}-{own}" for own in itertools.count(MAX_PLAYERS + 1))
        name = next(name for name in names if not any(key in taken for key in name_keys(name)))
        return self._tuned_bot(table, name, bot.parameters)

    def _tuned_bot(self, table: OpenTable, name: str, parameters: dict[str, BotValue]) -> Player:
        """Create a house bot with its own parameters for a table."""
        player = self._house_bot(name)
        player.parameters = parameters
        self._tuned.setdefault(table, []).append(player)
        return player

    def _house_bot(self, name: str) -> Player:
        if name not in self._house_bots:
            player = Player(name, new_token(), is_house_bot=True)
            self._house_bots[name] = self.house.players.add(player)
        return self._house_bots[name]

    def _end_tuned(self, table: TableActor) -> None:
        """End the bots with parameters of their own of a table that is over. They count a little longer, so
        that nobody starts processes again and again.
        """
        for player in self._tuned.get(table, ()):
            del self._house_bots[player.name]
            self._running.discard(player)
            self.house.remove_player(player)
            process = self._bot_processes.pop(player, None)
            if process is not None:
                self._run(self._processes.stop(process), f"stop {player.name}")
        if table in self._tuned:
            self.house.call_later(self._idle, partial(self._forget_tuned, table))

    def _forget_tuned(self, table: TableActor) -> None:
        del self._tuned[table]

    def _ensure_running(self, player: Player) -> None:
        """Start a house bot if it has a seat and does not run."""
        bot = player.name.rpartition("-")[0]
        if self._url and player.seats and player not in self._running:
            self._running.add(player)
            player.ended = False
            self._run(self._start_bot(player, bot), f"start {player.name}")

    def _run(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _start_bot(self, player: Player, bot: str) -> None:
        values = self._url, player.token, player.name, "4096"
        names = "POKERD_URL", "POKERD_TOKEN", "POKERD_NAME", "POKERD_TABLES"
        settings = dict(zip(names, values, strict=True))
        if player.parameters:
            settings["POKERD_PARAMETERS"] = json.dumps(player.parameters)
        ended = partial(self._on_bot_exit, player)
        try:
            process = await self._processes.start(
                player.name, builtin_command(bot), settings, ended, confinement=self._confinement
            )
        except OSError as error:
            log.warning("cannot start house bot", player=player.name, error=str(error))
            self._on_bot_exit(player, 1)
            return
        if self._house_bots.get(player.name) is not player:
            # Its table closed meanwhile.
            await self._processes.stop(process)
            return
        self._bot_processes[player] = process
        if not player.parameters:
            self._look_later(player, process)

    def _look_later(self, player: Player, process: BotProcess) -> None:
        self.house.call_later(self._idle, partial(self._end_unneeded, player, process))

    def _end_unneeded(self, player: Player, process: BotProcess) -> None:
        """End the process of a house bot without a seat, or look again later."""
        if self._bot_processes.get(player) is not process:
            return
        if player.seats:
            self._look_later(player, process)
        else:
            del self._bot_processes[player]
            self._run(self._stop_bot(player, process), f"stop {player.name}")

    async def _stop_bot(self, player: Player, process: BotProcess) -> None:
        await self._processes.stop(process)
        self._running.discard(player)
        # It may have got a seat meanwhile.
        self._ensure_running(player)

    def _on_bot_exit(self, player: Player, code: int) -> None:
        """Let the policy play the bot's seats until it is back."""
        log.warning("house bot ended", player=player.name, tables=list(player.seats), code=code)
        self._running.discard(player)
        self._bot_processes.pop(player, None)
        player.ended = True
        if player.connection is not None:
            player.connection.on_disconnected()
        self.house.give_up_seats(player)
        self.house.call_later(self._restart, partial(self._ensure_running, player))

    async def close(self) -> None:
        """Wait for bots that are being started or stopped, and ``SCORE_TIMEOUT`` for the scores of closed
        tables. Those of suspended tables are left to another process.
        """
        last = [task for task, table in self._scores.items() if not table.is_suspended]
        if last:
            await asyncio.wait(last, timeout=SCORE_TIMEOUT)
        for task in list(self._scores):
            task.cancel()
        for result in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result


def _table_number(name: str) -> int:
    """Return the number in a name such as ``table-7``."""
    return int(name.rpartition("-")[2])
