"""Opens tables and seats house bots, for the operator and for players. See ``bot_manager`` for the bots."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from dealer.rules.games import MAX_PLAYERS
from protocol.errors import Refused
from protocol.people import BotChoice, CreateTable, Invite, PersonScore, TableCreated
from server.auth.tokens import Grant
from server.bots.offered import HouseBots, bot_name, check_choice
from server.bots.processes import ProcessManager
from server.bots.sandbox import Confinement
from server.house.bot_manager import RESTART_DELAY, HouseBotManager
from server.house.coach import COACHES, Coaches, coach_for, coach_name
from server.house.hand_coach import HandCoach
from server.house.house import House
from server.house.ranges import RangeQueue
from server.people.performance import own_score, pooled_score
from server.people.results import PeopleResults, Played
from server.people.same_deals import SameDeals, day_request
from server.storage.hand_db import HandStoreError
from server.storage.hand_store import TableRecorder
from server.storage.stored_hands import split_hand
from server.tables.actor import TableActor
from server.tables.challenge import ChallengeTable
from server.tables.config import TableConfig, config_from_request, decode_config
from server.tables.joinable_table import TableFeed
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.tables.practice import replay_config
from server.tables.snapshot import SeatHolder, TableSnapshot
from server.telemetry.logger import get_logger

log = get_logger("pokerd.lobby")

#: Limit of tables of the server, and of those that one player has opened.
MAX_TABLES: Final = 1024
MAX_OWN_TABLES: Final = 4
#: Limit of tables opened by all guests of one address, or by all players of one token.
MAX_TABLES_PER_CLIENT: Final = 16
#: Whose limit tables count against that administrators have opened: nobody's.
ADMIN_SOURCE: Final = ("admin", "")
#: Seconds after which a table opened by a player is closed if it is empty, and between two looks at whether
#: a house bot still has a seat.
IDLE_TIMEOUT: Final = 60.0
#: Seconds for the scores of closed tables when the server stops.
SCORE_TIMEOUT: Final = 5.0
#: Seconds for which seats are reserved after a restart.
RETURN_TIMEOUT: Final = 60.0


class Lobby:
    """The open tables of a house, created by ``make_house``. The house listens at ``url``; if that is not
    known yet, call ``house_bots.on_listening`` later. ``bots`` are the house bots on offer. Every table that
    is opened has the feed of ``make_feed``. ``people`` scores and keeps the results of people, ``same_deals``
    those of deals that several people play.
    """

    def __init__(
        self,
        processes: ProcessManager,
        url: str = "",
        bots: HouseBots = MappingProxyType({}),
        *,
        make_house: Callable[..., House],
        make_recorder: Callable[[OpenTable], TableRecorder] | None = None,
        make_feed: Callable[[House, OpenTable], TableFeed] | None = None,
        idle: float = IDLE_TIMEOUT,
        restart: float = RESTART_DELAY,
        confinement: Confinement | None = None,
        people: PeopleResults | None = None,
        same_deals: SameDeals | None = None,
    ) -> None:
        self.bots = bots
        self.house = make_house(opener=self)
        self.house_bots = HouseBotManager(
            self.house, processes, url, bots, idle=idle, restart=restart, confinement=confinement
        )
        # Reserved names.
        for bot in COACHES:
            if bot in bots:
                self.house_bots.player(coach_name(bot))
        self.hand_coach = HandCoach(bots, self.house_bots.player, self.house_bots.ensure_running)
        self._range_queue = RangeQueue(self.house.call_later)
        #: Those of practice tables.
        self._coaches: dict[TableActor, Coaches] = {}
        self._make_recorder = make_recorder
        self._make_feed = make_feed
        self._idle = idle
        self._people = people
        self._same_deals = same_deals
        self._last_number = 0
        #: Results that are being scored.
        self._scores: dict[asyncio.Task[None], OpenTable] = {}

    def open(self, config: TableConfig, **settings: Any) -> OpenTable:
        """Open a table, with ``settings`` as of ``OpenTable``, and seat its house bots, which are started if
        necessary.
        """
        self._last_number += 1
        kind = f"private-{secrets.token_hex(10)}" if config.private else "table"
        return self.open_as(f"{kind}-{self._last_number}", config, **settings)

    def open_as(self, name: str, config: TableConfig, **settings: Any) -> OpenTable:
        """Open a table with a name that no other has, like ``open``; ``make`` creates it."""
        table = self._make_table(config, name, **settings)
        for number, bot in enumerate(config.bots, 1):
            self._seat(table, bot, number)
        self._follow(table)
        return table

    def _follow(self, table: OpenTable) -> None:
        if self._make_feed is not None and table.is_listed:
            table.follow(self._make_feed(self.house, table))

    def _make_table(
        self, config: TableConfig, name: str, make: Callable[..., OpenTable] = OpenTable, **settings: Any
    ) -> OpenTable:
        kind = make
        if config.mode == "challenge":
            kind = partial(ChallengeTable, send_rival=self._start_rival)
        table = kind(
            self.house,
            config,
            name,
            make_recorder=self._make_recorder,
            on_over=self._on_over,
            on_played=None if self._people is None else partial(self._on_played, self._people),
            **settings,
        )
        self.house.open_tables[name] = table
        self.house_bots.add_table(table)
        if config.practice:
            table.practice.giver = self._coaches[table] = Coaches(
                table, self.house_bots.player, self.house_bots.ensure_running, self._range_queue
            )
        return table

    def _on_over(self, table: TableActor) -> None:
        self.house_bots.end_tuned(table)
        coaches = self._coaches.pop(table, None)
        if coaches is not None:
            coaches.close()

    # Results of people.

    def _on_played(self, people: PeopleResults, table: OpenTable, player: Player) -> None:
        seat = table.config.seats - 1
        # The table may close before the result is scored.
        if table.config.mode == "challenge":
            played = Played([table.run], [0], seat)
        else:
            played = Played(table.scoring.runs, [result.places[seat] for result in table.results], seat)
        score = self._score(table, people, player, played)
        task = asyncio.create_task(score, name=f"score {table.facts.table}")
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
        """Reopen stored tables and open one for each of ``configs``, as ``plan_tables`` says. Seats are
        reserved for ``wait`` seconds. Returns messages for the operator.

        Raises ``ValueError`` if a stored state is impossible.
        """
        plan = plan_tables(snapshots, configs)
        self.open_planned(plan, snapshots, wait)
        for name, config in plan.permanent.items():
            if name in snapshots and name not in plan.closed:
                self.restore_table(name, snapshots[name], wait)
            else:
                self.open_as(name, config)
        return plan.notes

    def open_planned(self, plan: TablePlan, snapshots: Mapping[str, TableSnapshot], wait: float) -> None:
        """Reopen stored tables, and close some, but leave the permanent ones to another."""
        for name in plan.restored:
            self.restore_table(name, snapshots[name], wait)
        for name in plan.closed:
            self.restore_table(name, snapshots[name], wait).stop("closed")
        self._last_number = max(map(number_at_end, [*snapshots, *plan.permanent]), default=0)

    def restore_table(self, name: str, snapshot: TableSnapshot, wait: float) -> OpenTable:
        """Reopen a stored table. Seats are reserved for ``wait`` seconds. Raises ``ValueError``."""
        table = self._make_table(
            snapshot.config,
            name,
            seed=bytes.fromhex(snapshot.seed),
            idle=None if snapshot.permanent else self._idle,
            owner=None if snapshot.owner is None else self._restore_owner(snapshot.owner),
            snapshot=snapshot,
        )
        table.restore(snapshot, partial(self._restore_holder, table, wait), wait)
        for player in table.players:
            if player is not None and player.is_house_bot:
                self.house_bots.ensure_running(player)
        self._follow(table)
        return table

    def _restore_owner(self, holder: SeatHolder) -> Player:
        known = self.house.players.get(holder.name)
        if known is None:
            known = Player(holder.name, identity=holder.identity)
            known.is_person = holder.person
        return known

    def _restore_holder(self, table: OpenTable, wait: float, holder: SeatHolder) -> Player:
        if holder.is_house_bot:
            player = self.house_bots.restored_player(table, holder)
            if player.grace_timer is None:
                self.house.hold_seats(player, wait)
            return player
        return self.restore_player(holder, wait)

    def restore_player(self, holder: SeatHolder, wait: float) -> Player:
        """Return the holder of a seat, a guest or member, who may return within ``wait`` seconds."""
        if holder.name in self.house.players:
            player = self.house.players[holder.name]
        else:
            player = Player(holder.name, guest=holder.guest, identity=holder.identity)
            player.set_resume_digest(holder.resume)
            player.address = holder.address
            if holder.token:
                # A token that was revoked meanwhile is handled like any other.
                known = self.house.admission.access.by_hash(holder.token)
                player.grant = known or Grant(name=holder.name, hash=holder.token, issued="")
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
            self.house_bots.verify_tuned("bot", 1, table.source, self.house_bots.count_tuned(table))
        elif table.owner is not None:
            self.house_bots.verify_shared(
                {f"{bot}-{number}"}, ADMIN_SOURCE if player is None else table.source
            )
        self._seat(table, bot, number)

    def create(self, player: Player, request: CreateTable) -> None:
        """Open a table for a player. Raises ``Refused``."""
        assert player.connection is not None
        source = self.house.admission.quota_key(player.connection.address, player.grant)
        settings: dict[str, Any] = {}
        begun = self._begun_table(player, request.deals)
        if begun is not None:
            player.connection.send(TableCreated(begun), urgent=True)
            return
        is_hand = split_hand(request.deals) is not None
        if is_hand:
            config, settings = self._config_with_hand(request)
        elif request.deals:
            config, settings = self._config_with_deals(player, request)
        else:
            config = config_from_request(request, self.bots)
        tables = self.house.open_tables.values()
        own = sum(table.owner is not None and player.is_same(table.owner) for table in tables)
        self._verify_room()
        if own >= MAX_OWN_TABLES:
            raise Refused("server_full", f"{MAX_OWN_TABLES} tables that you opened are open already")
        if sum(table.source == source for table in tables) >= MAX_TABLES_PER_CLIENT:
            if player.grant is None:
                raise Refused(
                    "server_full", f"{MAX_TABLES_PER_CLIENT} tables opened from your address are open already"
                )
            raise Refused(
                "server_full", f"{MAX_TABLES_PER_CLIENT} tables opened with your token are open already"
            )
        self.house_bots.verify_tuned("bots", config.tuned_bots, source)
        self.house_bots.verify_shared(config.shared_bots, source)
        if request.deals and not is_hand and self._same_deals is not None:
            self._same_deals.admit(source)
        table = self.open(config, idle=self._idle, owner=player, **settings)
        table.source = source
        player.connection.send(TableCreated(table.facts.table), urgent=True)

    def _begun_table(self, player: Player, deals: str) -> str | None:
        """Return the open table where the player has these deals already: at a second one he would see cards
        that are still to come at the first.
        """
        if not deals or self._same_deals is None:
            return None
        wanted = self._same_deals.today() if deals == "today" else deals.rpartition(".")[0]
        for name, table in self.house.open_tables.items():
            if table.config.deals == wanted and table.owner is not None and player.is_same(table.owner):
                return name
        return None

    def _config_with_deals(self, player: Player, request: CreateTable) -> tuple[TableConfig, dict[str, Any]]:
        """Return a table with deals that others play, too, and its settings. Raises ``Refused``."""
        same = self._same_deals
        if same is None or not player.identity:
            detail = "deals: only browsers that keep the cookie of this server get the same deals as others"
            raise Refused("bad_table", detail, field="deals")
        if request.deals == "today":
            day = same.today()
            config = config_from_request(day_request(day, self.bots, request.pause_ms), self.bots)
            return config._replace(deals=day), {"seed": same.seed(day)}
        link = same.find_link(request.deals, player.identity)
        config = decode_config(link.setup)
        for bot in (*config.bots, config.rival):
            check_choice("deals", bot, self.bots)
        pause = config_from_request(CreateTable(pause_ms=request.pause_ms), self.bots).pause
        config = config._replace(deals=link.result.run, pause=pause, research=False)
        return config, {"seed": link.seed, "given": link.result}

    def _config_with_hand(self, request: CreateTable) -> tuple[TableConfig, dict[str, Any]]:
        """Return a practice table for a stored hand, and its settings. Raises ``Refused``."""
        if self._same_deals is None:
            raise Refused("bad_table", "deals: this server keeps no hands", field="deals")
        hand, seed = self._same_deals.find_hand(request.deals)
        config = replay_config(hand, seed, request, self.bots, coach_for(hand.game))
        return config, {"seed": seed}

    def open_permanent(self, request: CreateTable) -> OpenTable:
        """Open a table that stays open, also after a restart, until an administrator closes it. Raises
        ``Refused``.
        """
        config = config_from_request(request, self.bots)
        if config.mode == "challenge":
            detail = "mode: a challenge is opened by the player who takes it"
            raise Refused("bad_table", detail, field="mode")
        if request.deals:
            raise Refused("bad_table", "deals: only players open such tables", field="deals")
        if config.practice:
            raise Refused("bad_table", "practice: only a player opens such a table", field="practice")
        if config.research:
            detail = "research: only a player who opens a table lets his result be kept"
            raise Refused("bad_table", detail, field="research")
        self._verify_room()
        self.house_bots.verify_tuned("bots", config.tuned_bots, ADMIN_SOURCE)
        table = self.open(config)
        table.source = ADMIN_SOURCE
        return table

    def _verify_room(self) -> None:
        if self.house.closing:
            raise Refused("closing", "the server is about to stop, and opens no tables")
        if len(self.house.open_tables) >= MAX_TABLES:
            raise Refused("server_full", "no more tables can be opened at the moment")

    def _start_rival(self, table: ChallengeTable) -> None:
        rival = self.house_bots.player_for(table, table.config.rival, table.config.seats)
        table.start_rival(rival)
        self.house_bots.ensure_running(rival)

    def _seat(self, table: OpenTable, bot: str | BotChoice, number: int) -> None:
        """Give the house bot of that kind and number a free seat."""
        player = self.house_bots.player_for(table, bot, number)
        table.join(player, -1)
        self.house_bots.ensure_running(player)

    async def close(self) -> None:
        """Wait ``SCORE_TIMEOUT`` for the scores of closed tables, and for bots that are being started or
        stopped. The scores of suspended tables are left to another process.
        """
        last = [task for task, table in self._scores.items() if not table.is_suspended]
        if last:
            await asyncio.wait(last, timeout=SCORE_TIMEOUT)
        for task in list(self._scores):
            task.cancel()
        await self.house_bots.close()
        for result in await asyncio.gather(*self._scores, return_exceptions=True):
            if isinstance(result, Exception):
                raise result


class TablePlan(NamedTuple):
    """Which tables are open after a restart: those that are ``restored``, and the ``permanent`` ones of the
    options by name, new or stored. Those ``closed`` are closed first. ``notes``: for the operator.
    """

    restored: list[str]
    closed: list[str]
    permanent: dict[str, TableConfig]
    notes: list[str]


def plan_tables(snapshots: Mapping[str, TableSnapshot], configs: Sequence[TableConfig]) -> TablePlan:
    """Plan to go on with stored tables, and to have one for each of ``configs``. A table whose config has
    changed is closed and opened anew, unless a guest or remote bot has a seat. Tables that administrators
    opened stay as they are. New tables get the first names that are free, so that those of the options keep
    theirs.
    """
    stored = sorted(
        (name for name, table in snapshots.items() if table.permanent and table.source != ADMIN_SOURCE),
        key=number_at_end,
    )
    plan = TablePlan([name for name in snapshots if name not in stored], [], {}, [])
    changed, new = [], list(configs)
    for name in stored:
        config = snapshots[name].config
        if config in new:
            new.remove(config)
            plan.permanent[name] = config
        else:
            changed.append(name)
    unnamed = []
    for old, wanted in itertools.zip_longest(changed, new):
        if old is None:
            unnamed.append(wanted)
        elif snapshots[old].has_guests:
            plan.permanent[old] = snapshots[old].config
            plan.notes.append(f"{old} goes on with the settings it was opened with: somebody sits there")
        else:
            plan.closed.append(old)
            if wanted is not None:
                plan.permanent[old] = wanted
    taken = {number_at_end(name) for name in (*plan.restored, *plan.permanent)}
    free = (number for number in itertools.count(1) if number not in taken)
    plan.permanent.update((f"table-{number}", config) for number, config in zip(free, unnamed, strict=False))
    return plan


def number_at_end(name: str) -> int:
    """Return the number at the end of a name such as ``table-7``."""
    return int(name.rpartition("-")[2])
