"""A competition that several server processes of one machine play: each has tables, bots and a port of its
own.

The parent orders sessions, stores outcomes and shows progress. A process stores every hand in the
competition's ``state.db`` before any bot learns of it, as a competition of one process does. If one ends, or
hangs, its sessions in progress are cut and dealt again, and another one takes its place. If the parent ends,
they all end; until then the directory is locked.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Final

from dealer.match import Session
from protocol.messages import Redirect
from server.competition.persistent_bot import PersistentBot
from server.competition.runner import Runner
from server.competition.session_host import CompetitionFault
from server.errors import ServerError
from server.fleet.child_process import ChildProcess, wait_closed
from server.fleet.process_messages import (
    Close,
    Closed,
    Failed,
    Hands,
    Link,
    Play,
    Played,
    Ready,
    Report,
    Seated,
    Setup,
    WindDown,
    WoundDown,
    decode_report,
)
from server.storage.competition_state import SessionOutcome
from server.telemetry.logger import get_logger

log = get_logger("pokerd.fleet")

#: Seconds without a report after which a process is killed. It reports four times a second.
_SILENCE: Final = 15.0
#: The same before its first report: it has to start.
_START_SILENCE: Final = 120.0
#: Parts of it that must be silent. If this process was stopped itself, one is over at once when it goes on.
_PARTS: Final = 3


class _Table:
    """A table in play at a process."""

    hands = 0


class SessionProcess(ChildProcess[Setup, Report]):
    """A server process that plays sessions of ``runner``, of use if it has played one."""

    def __init__(
        self, runner: ProcessRunner, number: int, command: Sequence[str], setup: Setup, lock: int
    ) -> None:
        super().__init__(number, command, setup, lock)
        #: The series in progress, by the first session.
        self.playing: dict[str, asyncio.Future[dict[int, SessionOutcome] | None]] = {}
        #: Incidents that belong to no session, by bot; ``_before``: those of earlier processes.
        self.connections: dict[str, Counter[str]] = {}
        self._before: dict[str, Counter[str]] = {}
        self._runner = runner
        self._reporting = False
        self._wound_down = asyncio.Event()

    async def _receive(self, link: Link) -> Report | Failed | None:
        """Return the next report, or None if the process has ended. Kill it if it is silent for too long."""
        silences = 0
        while True:
            allowed = _SILENCE if self._reporting else _START_SILENCE
            try:
                async with asyncio.timeout(allowed / _PARTS):
                    report = await link.receive(decode_report)
                self._reporting = True
                return report
            except TimeoutError:
                silences += 1
                # ``ProcessRunner.play`` waits for those that are told to end.
                if silences >= _PARTS and self._closing is None:
                    log.warning("server process silent", process=self.number, seconds=allowed)
                    self.kill()

    def _on_report(self, report: Report) -> None:
        match report:
            case Ready(url):
                self.url = url
                self._ready.set()
            case Seated(session, tokens):
                self._runner.on_seated(self, session, tokens)
            case Hands(hands):
                self._runner.on_hands(hands)
            case Played(session, outcomes, connections):
                self._was_useful = True
                self._count(connections)
                waiting = self.playing.pop(session)
                if not waiting.done():
                    waiting.set_result(outcomes)
            case Closed(connections):
                self._count(connections)
            case WoundDown():
                self._wound_down.set()

    def _count(self, now: Mapping[str, Mapping[str, int]]) -> None:
        before = self._before
        self.connections = {
            bot: before.get(bot, Counter()) + Counter(now.get(bot, {})) for bot in {*before, *now}
        }

    def _error(self, code: str, text: str) -> ServerError:
        return CompetitionFault(text) if code == CompetitionFault.code else super()._error(code, text)

    def _forget(self) -> None:
        """Forget a process that has ended, and its sessions."""
        super()._forget()
        self._before = dict(self.connections)
        self._reporting = False
        self._wound_down.set()
        for waiting in self.playing.values():
            if not waiting.done():
                waiting.set_result(None)
        self.playing.clear()

    async def play(self, session: str, present: Collection[str]) -> dict[int, SessionOutcome] | None:
        """Play the series that begins with a session and return its outcomes by attempt, or None if the
        process ended.
        """
        waiting: asyncio.Future[dict[int, SessionOutcome] | None]
        waiting = self.playing[session] = asyncio.get_running_loop().create_future()
        await self._ready.wait()
        if not waiting.done() and self._link is not None:
            self._link.send(Play(session, sorted(present)))
        return await waiting

    async def wind_down(self) -> None:
        """Deal no more hands, and wait for the hands in progress."""
        if self._link is not None:
            self._link.send(WindDown())
            await self._wound_down.wait()

    def close(self, *, at_once: bool) -> None:
        """Tell the process to end; ``run`` returns when it has."""
        self._close(Close(at_once))


class ProcessRunner(Runner):
    """Plays a competition with ``processes`` other processes; it is constructed like a runner. ``command``
    starts one, and ``setup`` is its first order.
    """

    def __init__(
        self, *arguments: Any, processes: int, command: Sequence[str], setup: Setup, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.resume_command = ("compete", f" --processes {processes}")
        self._count = processes
        self._command = command
        self._setup = setup
        self._processes: list[SessionProcess] = []
        self._sessions = {session.name: session for session in self.competition.sessions}
        self._tables: dict[str, tuple[Session, _Table]] = {}
        self.progress.running = self._tables
        #: For remote bots: by series and bot, where to play it.
        self._redirects: dict[str, dict[str, Redirect]] = {}

    async def play(self, left: Sequence[Session], group: asyncio.TaskGroup) -> None:
        """Have the processes play these series."""
        await self.host.open(managed=False)
        lock = self.store.lock
        numbers = range(1, min(self._count, len(left)) + 1)
        self._processes = [SessionProcess(self, one, self._command, self._setup, lock) for one in numbers]
        # Not tasks of the group: after an error, too, the processes end before the directory is closed.
        running = [asyncio.create_task(one.run(), name=f"process {one.number}") for one in self._processes]
        watching = [group.create_task(_watch(task), name="watch") for task in running]
        try:
            await self.play_queue(left, group)
        finally:
            for task in watching:
                task.cancel()
            for process in self._processes:
                process.close(at_once=not self.progress.done)
            await wait_closed(self._processes, running)

    async def play_series(self, first: Session) -> None:
        """Have a process play a series, as often as it takes."""
        async with self._remote_bots(first) as bots:
            outcomes = None
            while outcomes is None:
                await self.host.block_if_winding_down()
                process = min(self._processes, key=lambda one: len(one.playing))
                present = [bot.entry.name for bot in bots if _may_play(bot)]
                outcomes = await process.play(first.name, present)
                self._redirects.pop(first.name, None)
                if outcomes is None:
                    for session in self.competition.series_from(first):
                        self._tables.pop(session.name, None)
                        self.store.cut(session)
        self.finish_series(first, outcomes)

    @contextlib.asynccontextmanager
    async def _remote_bots(self, first: Session) -> AsyncIterator[list[PersistentBot]]:
        """Provide the remote bots of a series, with one table of each occupied."""
        bots = [self.host.persistent_bots[name] for name in sorted(self.host.remote_bots(first))]
        for bot in bots:
            await bot.acquire(self.host.start_by, self.competition.entry.time.start_ms / 1000)
        try:
            yield bots
        finally:
            for bot in bots:
                await bot.release()

    def report_session(self, session: Session, outcome: SessionOutcome) -> None:
        """Report a session that is done and stored."""
        self._tables.pop(session.name, None)
        super().report_session(session, outcome)

    @property
    def running(self) -> int:
        """The number of sessions in progress."""
        return sum(len(process.playing) for process in self._processes)

    def connections_now(self) -> Mapping[str, Counter[str]]:
        """Return the incidents of this run that belong to no session, of all processes."""
        total = {bot: Counter(counts) for bot, counts in self.host.connections().items()}
        for process in self._processes:
            for bot, counts in process.connections.items():
                total.setdefault(bot, Counter()).update(counts)
        return total

    async def wind_down(self) -> None:
        """Deal no more hands, and wait for the hands in progress."""
        await self.host.wind_down()
        await asyncio.gather(*(process.wind_down() for process in self._processes))

    # What the processes report.

    def on_hands(self, hands: Mapping[str, int]) -> None:
        """Take the number of hands so far of sessions in progress."""
        for name, count in hands.items():
            _, table = self._tables.setdefault(name, (self._sessions[name], _Table()))
            table.hands = count

    def on_seated(self, process: SessionProcess, session: str, tokens: Mapping[str, str]) -> None:
        """Redirect the remote bots of a series to the process where it is played."""
        table, _ = self.competition.public_names(self._sessions[session])
        self._redirects[session] = {bot: Redirect(table, process.url, token) for bot, token in tokens.items()}
        for bot in tokens:
            self._redirect(bot, session)

    def on_hello(self, bot: PersistentBot) -> None:
        """Redirect a remote bot that has connected to all series that it is expected at."""
        for session in self._redirects:
            self._redirect(bot.entry.name, session)

    def _redirect(self, bot: str, session: str) -> None:
        redirect = self._redirects[session].get(bot)
        connection = self.host.persistent_bots[bot].player.connection
        if redirect is not None and connection is not None:
            connection.send(redirect, urgent=True)


def _may_play(bot: PersistentBot) -> bool:
    """Return whether a remote bot is connected, or may come back at any moment."""
    return bot.player.connection is not None or bot.player.grace_timer is not None


async def _watch(process: asyncio.Task[None]) -> None:
    """Raise the error that ends a process's task."""
    await asyncio.wait([process])
    process.result()
