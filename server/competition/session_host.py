"""Plays the sessions of a competition: starts or awaits their bots and seats them at tables.

A bot is either started anew for every session, or *persistent*: it connects once and is lent to its sessions.
What happens to a session's outcome is up to the caller.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from dealer.formats.tournament import Tournament
from dealer.match import Session, bot_seed
from dealer.rules.events import Event
from dealer.table import Table
from server.auth.tokens import new_token
from server.bots.processes import BotProcess, ProcessManager, bridge_command, builtin_command
from server.bots.sandbox import Confinement, Limits, Sandbox
from server.competition.aliases import log_name
from server.competition.file import Competition
from server.competition.persistent_bot import PersistentBot
from server.competition.schema import BotEntry
from server.errors import ServerError
from server.house.house import House
from server.storage.competition_state import SessionOutcome, SessionRecorder
from server.tables.actor import TableActor
from server.tables.player import Player
from server.tables.table_updates import TableFacts
from server.telemetry.incidents import Incident
from server.telemetry.logger import get_logger
from server.telemetry.metrics import INCIDENTS

log = get_logger("pokerd.competition")

_PLAYER_ENVIRONMENT: Final = "POKERD_URL", "POKERD_TOKEN", "POKERD_NAME", "POKERD_TABLES"


class CompetitionFault(ServerError):
    """The server failed at a table; the competition ends without standings."""

    code = "internal"
    at_fault = "pokerd"


class SessionPlayers(NamedTuple):
    """The players of a session by seat, and those of them that exist for this session only."""

    players: Sequence[Player]
    session_only: Sequence[Player]


class SessionHost:
    """Plays sessions of a competition in a house that listens at ``url``. ``on_hello`` is called with every
    remote bot that has connected. ``lent`` are remote bots, by name, that somebody else has admitted: they
    stay when these sessions are over. ``programs``: where the folders of strangers' programs are (default:
    beside the file).
    """

    def __init__(
        self,
        competition: Competition,
        house: House,
        url: str,
        processes: ProcessManager,
        sandbox: Sandbox,
        on_hello: Callable[[PersistentBot], None] | None = None,
        lent: Mapping[str, PersistentBot] = {},
        programs: Path | None = None,
    ) -> None:
        self.competition = competition
        self.house = house
        self.url = url
        self.processes = processes
        self.sandbox = sandbox
        #: The sessions in progress, by name.
        self.running: dict[str, tuple[Session, TableActor]] = {}
        self.persistent_bots: dict[str, PersistentBot] = dict(lent)
        #: The incidents of lent bots before these sessions.
        self._lent = {name: Counter(bot.player.incidents) for name, bot in lent.items()}
        #: Loop time by which persistent bots must have connected for the first time.
        self.start_by = 0.0
        self._on_hello = on_hello
        self._programs = programs or competition.folder
        self._winding = False

    # Persistent bots.

    def admit_remote(self) -> None:
        """Admit the remote bots. Call this before the port is used: a bot that connects earlier has an
        unknown token, and is refused for good.
        """
        for entry in self.competition.entry.bots:
            if entry.remote and entry.name not in self._lent:
                self._add_persistent(PersistentBot(entry, self.competition.key, on_hello=self._on_hello))

    async def open(self, *, managed: bool = True) -> None:
        """Start ``managed`` persistent bots. The time to connect starts now, for remote ones as well."""
        self.start_by = asyncio.get_running_loop().time() + self.competition.entry.time.start_ms / 1000
        for entry in self.competition.entry.bots:
            if managed and entry.reset == "message" and not entry.remote:
                bot = PersistentBot(entry, self.competition.key, self._restart)
                self._add_persistent(bot)
                await self._launch(bot)

    def _add_persistent(self, bot: PersistentBot) -> None:
        self.persistent_bots[bot.entry.name] = bot
        self._add_player(bot.player)

    async def _launch(self, bot: PersistentBot) -> None:
        entry = bot.entry
        output = log_name(self.competition, entry.name)
        bot.process = await self._start(entry, output, bot.player, tables=entry.tables or 1)

    async def _restart(self, bot: PersistentBot) -> None:
        """Start a bot again whose process has ended. The policy plays its open sessions to their end: the new
        process knows nothing of them.
        """
        self.house.remove_player(bot.player)
        if bot.process is not None:
            await self.processes.stop(bot.process)
        bot.replace_player()
        self._add_player(bot.player)
        await self._launch(bot)

    async def close(self, *, at_once: bool) -> None:
        """Remove and stop all bots; unless ``at_once``, let each end by itself first."""
        for name, bot in self.persistent_bots.items():
            if name not in self._lent:
                self.house.remove_player(bot.player)
        await self.processes.close(at_once=at_once)

    def connections(self) -> dict[str, Counter[str]]:
        """Return the incidents of persistent bots that belong to no session."""
        return {
            name: bot.player.incidents - self._lent[name] if name in self._lent else bot.player.incidents
            for name, bot in self.persistent_bots.items()
        }

    async def wind_down(self) -> None:
        """Deal no more hands, and wait for the hands in progress. Sessions that are not over then are cut."""
        self._winding = True
        hands = []
        for _, actor in self.running.values():
            if actor.table.hand is not None:
                actor.table.pause = math.inf
                end = _HandEndWaiter()
                actor.recorders.append(end)
                hands.append(end.reached.wait())
        await asyncio.gather(*hands)

    async def block_if_winding_down(self) -> None:
        """Block forever if the host is winding down. The caller is cancelled at shutdown."""
        if self._winding:
            await asyncio.Event().wait()

    # One session.

    @contextlib.asynccontextmanager
    async def seat_bots(self, session: Session) -> AsyncIterator[SessionPlayers]:
        """Provide the bots of a session: acquire and release persistent ones, start and stop the others."""
        persistent_bots = [
            self.persistent_bots[bot] for bot in sorted(session.players) if bot in self.persistent_bots
        ]
        for bot in persistent_bots:
            await bot.acquire(self.start_by, self.competition.entry.time.start_ms / 1000)
        own: list[Player] = []
        processes: list[BotProcess] = []
        try:
            players = []
            for bot_name in session.players:
                if bot_name in self.persistent_bots:
                    players.append(self.persistent_bots[bot_name].player)
                else:
                    player, process = await self._start_for_session(session, bot_name)
                    own.append(player)
                    players.append(player)
                    if process is not None:
                        processes.append(process)
            yield SessionPlayers(players, own)
        finally:
            for one in self.competition.series_from(session):
                self.running.pop(one.name, None)
            for player in own:
                self.house.remove_player(player)
            await asyncio.gather(*(self.processes.stop(process) for process in processes))
            for bot in persistent_bots:
                await bot.release()

    async def play(
        self,
        session: Session,
        seated: SessionPlayers,
        recorder: SessionRecorder,
        absent: Collection[str] = (),
        *,
        first: Session | None = None,
        last: bool = True,
    ) -> SessionOutcome:
        """Play a session to its end. Do not wait for bots that are known to be ``absent``. ``first``: the
        first session of its series, which ends with this one if it is the ``last``. Raises
        ``CompetitionFault``.
        """
        actor = await self._play_table(session, first or session, seated.players, recorder, absent)
        for player in seated.session_only if last else ():
            self.house.remove_player(player)
        alone = {player.name: Counter(player.incidents) for player in seated.session_only}
        for player in seated.session_only:
            player.incidents.clear()
        play = actor.table.table_format
        return SessionOutcome(
            hands=actor.hands,
            totals=tuple(seat.total for seat in actor.seats),
            incidents=tuple(
                seat.incidents + alone.get(bot, Counter())
                for seat, bot in zip(actor.seats, session.players, strict=True)
            ),
            digest=recorder.close(),
            places=tuple(play.places) if isinstance(play, Tournament) else None,
        )

    def remote_bots(self, session: Session) -> set[str]:
        """Return the remote bots of a session."""
        return {name for name in session.players if self.competition.bots[name].remote}

    async def _start_for_session(self, session: Session, name: str) -> tuple[Player, BotProcess | None]:
        """Start a fresh process for one session and return its player. A remote bot has no process; its
        player's token is never given out.
        """
        entry = self.competition.bots[name]
        player = Player(name, new_token(), managed=not entry.remote)
        player.grant = entry.grant
        self._add_player(player)
        if entry.remote:
            return player, None
        output = log_name(self.competition, name, session)
        return player, await self._start(entry, output, player, tables=1)

    def _add_player(self, player: Player) -> None:
        player.grace = self.competition.entry.time.grace_ms / 1000
        self.house.players.add(player)

    async def _start(self, entry: BotEntry, output: str, player: Player, *, tables: int) -> BotProcess | None:
        command = bot_command(entry, self.competition.entry.time.start_ms / 1000)
        settings = bot_settings(entry, self.url, player.token, tables=tables)
        limits = self.competition.limits(entry)
        try:
            return await self.processes.start(
                output,
                command,
                settings,
                lambda code: self._on_exit(player, code),
                confinement=self._confinement(entry, command, limits),
                on_limit=lambda kind: self._count_incident(player, kind),
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL character in the command
            log.warning("cannot start bot", player=entry.name, command=command, error=str(error))
            self._mark_ended(player, Incident.START_FAILED)
            return None

    def _confinement(self, entry: BotEntry, command: Sequence[str], limits: Limits) -> Confinement:
        if entry.run:
            return self.sandbox.for_house_bot(limits)
        if entry.folder is not None:
            return self.sandbox.for_upload(self._programs / entry.folder, command, limits)
        return self.sandbox.for_program(command, limits)

    def _on_exit(self, player: Player, code: int) -> None:
        log.warning("bot ended", player=player.name, tables=list(player.seats), code=code)
        self._mark_ended(player, Incident.CRASH)
        if player.connection is not None:
            player.connection.on_disconnected()
        self.house.give_up_seats(player)

    def _mark_ended(self, player: Player, how: Incident) -> None:
        """Record that this player has no process any more, or never had one."""
        self._count_incident(player, how)
        player.ended = True
        bot = self.persistent_bots.get(player.name)
        if bot is not None:
            bot.settled.set()

    def _count_incident(self, player: Player, kind: Incident) -> None:
        player.incidents[kind] += 1
        INCIDENTS[kind].inc()

    async def _play_table(
        self,
        session: Session,
        first: Session,
        players: Sequence[Player],
        recorder: SessionRecorder,
        absent: Collection[str],
    ) -> TableActor:
        """Play a session's table to its end and return its actor. In a series it is always the same table to
        its bots.
        """
        competition = self.competition
        over = asyncio.Event()
        ready = asyncio.Event()
        key = competition.key
        name, shown = competition.public_names(session)
        table_name, _ = competition.public_names(first)
        seeds = [bot_seed(key, session, seat) for seat in range(len(players))]
        facts = TableFacts(table_name, name, shown, seeds, reset=session == first)
        clock, max_missed_turns = competition.clock, competition.entry.time.max_missed_turns
        table = Table(competition.format(session), len(players), clock, max_missed_turns=max_missed_turns)
        actor = TableActor(
            self.house, table, facts, recorder, lambda _: over.set(), on_ready=lambda _: ready.set()
        )
        self.running[session.name] = (session, actor)
        for seat, player in enumerate(players):
            actor.seat(seat, player)
            if player.ended:
                actor.give_up_seat(seat)
            elif player.name in absent:
                actor.stop_waiting_for(seat)
        try:
            await self._wait_ready(actor, ready, players)
            await self.block_if_winding_down()
            actor.begin()
            await over.wait()
        finally:
            if not over.is_set():
                actor.stop("shutting_down")
                recorder.close()
        if actor.failure is not None:
            recorder.close()
            raise CompetitionFault(session.name) from actor.failure
        return actor

    async def _wait_ready(self, actor: TableActor, ready: asyncio.Event, players: Sequence[Player]) -> None:
        """Wait until every seat is ready or the start time is over. The start time of persistent bots counts
        from the start of the competition, so a bot that missed it delays no later session.
        """
        limit = self.house.clock() + self.competition.entry.time.start_ms / 1000
        persistent_ids = {id(bot.player) for bot in self.persistent_bots.values()}
        for until in (min(limit, self.start_by), limit):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await ready.wait()
            for seat, player in enumerate(players):
                if player.connection is None and id(player) in persistent_ids:
                    actor.stop_waiting_for(seat)


class _HandEndWaiter:
    """A recorder that waits for the end of a hand."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    def record_hand(self, events: Sequence[Event]) -> None:
        """Report the end of the hand."""
        self.reached.set()


def bot_command(entry: BotEntry, start: float) -> list[str]:
    """Return the command that starts a bot. An ACPC program gets a bridge, which waits for it for at least
    ``start`` seconds.
    """
    if entry.run:
        return builtin_command(entry.run)
    # Use the interpreter that runs the server.
    words = [word.replace("{python}", sys.executable) for word in entry.command or ()]
    return bridge_command(words, max(60.0, start)) if entry.protocol == "acpc" else words


def bot_settings(entry: BotEntry, url: str, token: str, *, tables: int) -> dict[str, str]:
    """Return the environment variables of a bot."""
    values = (url, token, entry.name, str(tables))
    settings = dict(zip(_PLAYER_ENVIRONMENT, values, strict=True))
    if entry.parameters is not None:
        settings["POKERD_PARAMETERS"] = json.dumps(entry.parameters)
    return settings
