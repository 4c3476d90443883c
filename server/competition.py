"""Runs a competition: sessions in a fixed order, so many at once, each with its bots, and the results into a
directory.

A *session* is one stretch of play without a reset: one line-up at one seating. What is dealt in it depends on
the competition's seed alone, so neither order nor number of workers changes a hand record, nor whether it was
played in one go: sessions that the store knows to be done are not played again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import structlog

from dealer.formats import Tournament
from dealer.match import Session, bot_seed
from dealer.rules.events import Event
from dealer.table import Table
from server.actor import TableActor, TableFacts
from server.competition_file import BotEntry, Competition
from server.house import House, Player
from server.incidents import Incident
from server.managed import BotProcess, Processes, bridge_command, builtin_command
from server.metrics import INCIDENTS
from server.progress import Progress
from server.sandbox import Sandbox
from server.standing import Standing
from server.state import Outcome
from server.state_file import StateError
from server.store import SessionRecorder, Store

__all__ = ["CompetitionFault", "Runner"]

log = structlog.get_logger("pokerd.competition")

_PLAYER_ENVIRONMENT: Final = "POKERD_URL", "POKERD_TOKEN", "POKERD_NAME", "POKERD_TABLES"


class CompetitionFault(RuntimeError):
    """The server itself failed at a table; the competition ends without standings."""


class Runner:
    """Plays all sessions of a competition at a house that listens at ``url``."""

    def __init__(
        self,
        competition: Competition,
        text: str,
        house: House,
        url: str,
        out: Path,
        *,
        workers: int | None = None,
        store: Store | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.competition = competition
        self.text = text
        self.house = house
        self.url = url
        #: One that is given has loaded the competition, which is gone on with.
        self.store = store or Store(out)
        self._loaded = store is not None
        self.workers = workers or competition.entry.workers
        self.progress = Progress(competition)
        self.processes = Processes(out / "logs" / "bots", guarded=True)
        self.sandbox = sandbox or Sandbox([out])
        #: Called after a session with its hands, when it is in ``progress``.
        self.on_session: Callable[[Session, int], None] | None = None
        self._standing: dict[str, Standing] = {}
        self._start_by = 0.0
        self._open = False
        self._winding = False
        self._before: dict[str, Counter[str]] = {}

    def open(self) -> None:
        """Begin in the directory, or go on with what was played there. Raises ``StoreError`` and
        ``StateError``.
        """
        if self._loaded:
            self.store.go_on(self.competition, self.text)
            self.progress.restore(self.competition, self.store.state)
        else:
            self.store.open(self.competition, self.text)
        self.house.stored = self.store.state.commit
        self._before = {bot: Counter(counts) for bot, counts in self.progress.incidents[""].items()}
        self._open = True

    async def run(self) -> None:
        """Play everything that is not played yet. On the way out, however that comes, no process and no
        player of the competition is left, and the directory is closed. Raises, in a group,
        ``CompetitionFault`` and ``StateError`` (``not_stored``).
        """
        if not self._open:
            self.open()
        missing = self.sandbox.missing(self.competition.managed_limits())
        if missing:
            log.warning("no sandbox", reason=missing)
        try:
            await self._run()
        finally:
            self.house.stored = lambda: True
            self.store.close()

    async def _run(self) -> None:
        progress = self.progress
        left = [session for session in self.competition.sessions if session.name not in progress.results]
        queue: Iterator[Session] = iter(left)
        self._start_by = asyncio.get_running_loop().time() + self.competition.entry.time.start_ms / 1000
        try:
            async with asyncio.TaskGroup() as group:
                if left:
                    watch = group.create_task(self._watch_state(), name="state")
                    await self._start_standing()
                    workers = [
                        group.create_task(self._work(queue), name=f"worker {number}")
                        for number in range(min(self.workers, len(left)))
                    ]
                    await asyncio.wait(workers)
                    watch.cancel()
        finally:
            for bot in self._standing.values():
                self.house.dismiss(bot.player)
            # After the last hand a bot may still be reading what was said of it.
            await self.processes.close(at_once=not progress.done)
            if self.store.state.failure is None:
                self.store.state.cut(self._connections())
        # Reading and writing so many records takes a while; whoever watches should see that it goes on.
        finish = asyncio.create_task(
            asyncio.to_thread(self.store.finish, self.competition, progress.incidents, progress.places)
        )
        # All is played: a wish to stop that comes now is granted a moment later, with everything written.
        while not finish.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(finish)
        finish.result()

    async def _watch_state(self) -> None:
        """Nothing can be played that cannot be stored: then this fails, and with it the competition."""
        failed = asyncio.Event()
        state = self.store.state
        state.on_failure = failed.set
        await failed.wait()
        raise StateError("not_stored", f"{state.path} cannot be written: {state.failure}")

    def _connections(self) -> dict[str, Counter[str]]:
        """Incidents that belong to no session, by bot; ``progress`` has them, too."""
        counted = self.progress.incidents[""]
        for bot in self._standing.values():
            name = bot.entry.name
            counted[name].clear()
            counted[name].update(self._before[name] + bot.player.incidents)
        return {bot: counts for bot, counts in counted.items() if counts}

    async def wind_down(self) -> None:
        """Deal no more hands, and wait until those in progress are over. What was cut short then is cut."""
        self._winding = True
        hands = []
        for _, actor in self.progress.running.values():
            if actor.table.hand is not None:
                actor.table.pause = math.inf
                end = _End()
                actor.recorders.append(end)
                hands.append(end.reached.wait())
        await asyncio.gather(*hands)

    async def _start_standing(self) -> None:
        for entry in self.competition.entry.bots:
            if entry.reset == "message" or entry.token is not None:
                bot = self._standing[entry.name] = Standing(entry, self.competition.key)
                self.house.admit(bot.player)
                if entry.token is None:
                    bot.process = await self._start(entry, entry.name, bot.player, tables=entry.tables)

    async def _work(self, queue: Iterator[Session]) -> None:
        for session in queue:
            await self._held()
            await self._play(session)

    async def _held(self) -> None:
        """While it winds down nothing begins any more; whoever does that ends all that waits here."""
        if self._winding:
            await asyncio.Event().wait()

    async def _play(self, session: Session) -> None:
        standing = [self._standing[bot] for bot in sorted(session.players) if bot in self._standing]
        for bot in standing:
            await bot.take(self._start_by, self.competition.entry.time.start_ms / 1000)
        own: list[Player] = []
        processes: list[BotProcess] = []
        try:
            players = []
            for bot_name in session.players:
                if bot_name in self._standing:
                    players.append(self._standing[bot_name].player)
                else:
                    player, process = await self._fresh(session, bot_name)
                    own.append(player)
                    players.append(player)
                    if process is not None:
                        processes.append(process)
            actor, recorder = await self._table(session, players)
            for player in own:
                self.house.dismiss(player)
            self._finish(session, actor, recorder, own)
        finally:
            for player in own:
                self.house.dismiss(player)
            await asyncio.gather(*(self.processes.stop(process) for process in processes))
            for bot in standing:
                await bot.give()

    async def _fresh(self, session: Session, name: str) -> tuple[Player, BotProcess | None]:
        """A process that knows nothing of what was before, and the player it may be."""
        player = Player(name, secrets.token_urlsafe(24), managed=True)
        self.house.admit(player)
        log_name = f"{session.name.replace('/', '.')}.{name}"
        return player, await self._start(self.competition.bots[name], log_name, player, tables=1)

    async def _start(
        self, entry: BotEntry, log_name: str, player: Player, *, tables: int
    ) -> BotProcess | None:
        command = builtin_command(entry.run) if entry.run else [_fill(word) for word in entry.command or ()]
        limits = self.competition.limits(entry)
        if entry.protocol == "acpc":
            command = bridge_command(command, max(60.0, self.competition.entry.time.start_ms / 1000))
        values = (self.url, player.token, entry.name, str(tables))
        settings = dict(zip(_PLAYER_ENVIRONMENT, values, strict=True))
        if entry.parameters is not None:
            settings["POKERD_PARAMETERS"] = json.dumps(entry.parameters)
        try:
            sandbox = self.sandbox
            return await self.processes.start(
                log_name,
                command,
                settings,
                lambda code: self._exited(player, code),
                confinement=sandbox.house(limits) if entry.run else sandbox.program(command, limits),
                on_limit=lambda kind: player.incidents.update([kind]),
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL character in the command
            log.warning("bot cannot be started", player=entry.name, command=command, error=str(error))
            self._count(player, Incident.START_FAILED)
            player.ended = True
            return None

    def _exited(self, player: Player, code: int) -> None:
        log.warning("bot ended", player=player.name, tables=list(player.seats), code=code)
        self._count(player, Incident.CRASH)
        player.ended = True
        if player.connection is not None:
            player.connection.lost()
        self.house.expire(player)

    def _count(self, player: Player, kind: Incident) -> None:
        player.incidents[kind] += 1
        INCIDENTS[kind].inc()

    @property
    def failure(self) -> Exception | None:
        """What keeps it from storing what is played."""
        return self.store.failure

    def _finish(
        self, session: Session, actor: TableActor, recorder: SessionRecorder, own: Sequence[Player]
    ) -> None:
        """Store that a session is done, and then tell."""
        alone = {player.name: player.incidents for player in own}
        play = actor.table.play
        outcome = Outcome(
            hands=actor.hands,
            totals=tuple(actor.totals),
            incidents=tuple(
                actor.incidents[seat] + alone.get(bot, Counter()) for seat, bot in enumerate(session.players)
            ),
            digest=recorder.close(),
            places=tuple(play.places) if isinstance(play, Tournament) else None,
        )
        self.store.state.done(recorder.attempt, outcome, self._connections())
        self.progress.finish(session, outcome)
        if self.on_session is not None:
            self.on_session(session, outcome.hands)
        log.info(
            "session",
            table=actor.facts.table,
            match=actor.facts.match,
            session=session.name,
            hands=outcome.hands,
            chips=dict(zip(session.players, outcome.totals, strict=True)),
        )

    async def _table(self, session: Session, players: Sequence[Player]) -> tuple[TableActor, SessionRecorder]:
        """Play a session to its end."""
        competition = self.competition
        over = asyncio.Event()
        ready = asyncio.Event()
        game_format = competition.format(session)
        recorder = self.store.session(session, game_format.game)
        key = competition.key
        name, shown = competition.shown(session)
        facts = TableFacts(name, name, shown, [bot_seed(key, session, seat) for seat in range(len(players))])
        table = Table(game_format, len(players), competition.clock, patience=competition.entry.time.patience)
        actor = TableActor(self.house, table, facts, recorder, lambda _: over.set())
        actor.on_ready = ready.set
        self.progress.running[session.name] = (session, actor)
        for seat, player in enumerate(players):
            actor.seat(seat, player)
            if player.ended:
                actor.gone(seat)
        try:
            await self._wait_ready(actor, ready, players)
            await self._held()
            actor.begin()
            await over.wait()
        finally:
            if not over.is_set():
                actor.stop("shutting_down")
                recorder.close()
        if actor.failure is not None:
            recorder.close()
            raise CompetitionFault(session.name) from actor.failure
        return actor, recorder

    async def _wait_ready(self, actor: TableActor, ready: asyncio.Event, players: Sequence[Player]) -> None:
        """Until every seat is ready or the time to start is over. For bots that connect once, the time to
        come is counted from the competition's start: who missed it holds up no later session.
        """
        limit = self.house.clock() + self.competition.entry.time.start_ms / 1000
        standing = {id(bot.player) for bot in self._standing.values()}
        for until in (min(limit, self._start_by), limit):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await ready.wait()
            for seat, player in enumerate(players):
                if player.connection is None and id(player) in standing:
                    actor.give_up(seat)


class _End:
    """A recorder that waits for the end of a hand."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    def hand(self, events: Sequence[Event]) -> None:
        """The hand is over."""
        self.reached.set()


def _fill(word: str) -> str:
    """``{python}`` in a command stands for the interpreter that runs the server."""
    return word.replace("{python}", sys.executable)
