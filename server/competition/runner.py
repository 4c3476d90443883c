"""Runs a competition: plays its sessions in a fixed order, several at once, and writes the results.

A *session* is one match of one line-up in one seating. The same bots play the sessions of a series in a row
without a reset; a series counts as a whole, because nobody can give restarted bots their memories back. The
deals of a session depend on the competition's seed alone, so hand records depend neither on the order of play
or the number of workers, nor on interruptions: sessions that the store knows to be done are not played again.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from dealer.match import Session
from server.bots.processes import ProcessManager
from server.bots.sandbox import Sandbox
from server.competition.file import Competition, CompetitionError
from server.competition.persistent_bot import PersistentBot
from server.competition.progress import CompetitionProgress
from server.competition.session_host import SessionHost, SessionPlayers
from server.competition.session_queue import SessionQueue
from server.competition.store import CompetitionStore
from server.house.house import House
from server.storage.competition_state import SessionOutcome
from server.telemetry.logger import get_logger

log = get_logger("pokerd.competition")


class Runner:
    """Plays all sessions of a competition in a house that listens at ``url``. Admits its remote bots,
    except those that are ``lent``. ``programs``: as in ``SessionHost``.
    """

    #: The command that resumes a competition: the words before the directory, and those after it.
    resume_command = ("compete", "")

    def __init__(
        self,
        competition: Competition,
        text: str,
        house: House,
        url: str,
        store: CompetitionStore,
        *,
        workers: int | None = None,
        sandbox: Sandbox | None = None,
        lent: Mapping[str, PersistentBot] = {},
        programs: Path | None = None,
    ) -> None:
        self.competition = competition
        self.text = text
        self.house = house
        self.url = url
        self.store = store
        self.workers = workers or competition.entry.workers
        self.progress = CompetitionProgress(competition)
        self.processes = ProcessManager(store.out / "logs" / "bots", guarded=True)
        self.sandbox = sandbox or Sandbox([store.out])
        self.programs = programs
        self.host = SessionHost(
            competition, house, url, self.processes, self.sandbox, self.on_hello, lent, programs
        )
        self.host.admit_remote()
        self.progress.running = self.host.running
        self._on_session: Callable[[Session, int], None] | None = None
        #: Additional checks for ``HealthMonitor``: each returns what is wrong, or an empty string.
        self.checks: dict[str, Callable[[], str]] = {}
        self._open = False
        #: Incidents that belong to no session, of bots that have not connected in this run.
        self.earlier_incidents: dict[str, Counter[str]] = {}

    def verify_programs(self) -> None:
        """Raise ``CompetitionError`` (``cannot_start``) if the program of a bot does not exist: the server
        would have to play all of its hands.
        """
        for entry in self.competition.entry.bots:
            if not entry.command:
                continue
            program = entry.command[0].replace("{python}", sys.executable)
            if shutil.which(program) is None:
                raise CompetitionError(
                    "cannot_start", f"bot {entry.name}: there is no program {program!r} to run"
                )

    def on_hello(self, bot: PersistentBot) -> None:
        """React to a remote bot that has connected: sessions wait for it by themselves."""

    def open(self) -> None:
        """Begin in the directory, or resume what was played. Raises ``StoreError`` and ``StateError``."""
        if self.store.loaded:
            self.store.resume(self.competition, self.text)
            self.progress.restore(self.competition, self.store.state)
        else:
            self.store.open(self.competition, self.text)
        self.earlier_incidents = {bot: Counter(counts) for bot, counts in self.progress.incidents[""].items()}
        self._open = True

    async def run(self, on_session: Callable[[Session, int], None] | None = None) -> None:
        """Play all sessions that are left. ``on_session`` is called after each with its number of hands, once
        ``progress`` includes it. However this ends, it stops all processes, removes all players of the
        competition and closes the directory. Raises, in a group, ``CompetitionFault`` and ``StateError``
        (``not_stored``).
        """
        self._on_session = on_session
        if not self._open:
            self.open()
        missing = self.sandbox.explain_missing(self.competition.managed_limits())
        if missing:
            log.warning("no sandbox", reason=missing)
        log.info("sandbox", by=self.sandbox.describe(self.competition.managed_limits()))
        try:
            await self._run()
        finally:
            self.store.close()

    async def _run(self) -> None:
        progress = self.progress
        order = self.competition.play_order
        left = [
            session
            for session in order
            if self.competition.begins_series(session) and session.name not in progress.results
        ]
        try:
            async with asyncio.TaskGroup() as group:
                if left:
                    watch = group.create_task(self.store.wait_for_failure(), name="state")
                    await self.play(left, group)
                    watch.cancel()
        finally:
            # A bot may still be reading the last messages of the last hand.
            await self.host.close(at_once=not progress.done)
            if self.store.state.failure is None:
                self.store.state.abort_unfinished(self.connections())
        await write_results(self.store, self.competition, progress)

    async def play(self, left: Sequence[Session], group: asyncio.TaskGroup) -> None:
        """Play the series that begin with these sessions, with tasks of the group."""
        await self.host.open()
        await self.play_queue(left, group)

    async def play_queue(self, left: Sequence[Session], group: asyncio.TaskGroup) -> None:
        """Play these series, up to ``workers`` at once."""
        queue = SessionQueue(left, self.competition.remembering_bots, self.competition.series_from)
        workers = [
            group.create_task(self._work(queue), name=f"worker {number}")
            for number in range(min(self.workers, len(left)))
        ]
        try:
            await asyncio.wait(workers)
        finally:
            for worker in workers:
                worker.cancel()

    @property
    def running(self) -> int:
        """The number of sessions in progress."""
        return len(self.progress.running)

    @property
    def failure(self) -> Exception | None:
        """The error because of which nothing can be stored any more, if any."""
        return self.store.failure

    def connections(self) -> dict[str, Counter[str]]:
        """Return the incidents that belong to no session, by bot; ``progress`` includes them."""
        counted = self.progress.incidents[""]
        here = self.connections_now()
        for bot, counts in self.earlier_incidents.items():
            counted[bot].clear()
            counted[bot].update(counts + here.get(bot, Counter()))
        return {bot: counts for bot, counts in counted.items() if counts}

    def connections_now(self) -> Mapping[str, Counter[str]]:
        """Return those of this run, by bot."""
        return self.host.connections()

    async def wind_down(self) -> None:
        """Deal no more hands, and wait for the hands in progress. Sessions that are not over then are cut."""
        await self.host.wind_down()

    async def _work(self, queue: SessionQueue) -> None:
        while (session := await queue.acquire()) is not None:
            try:
                await self.play_series(session)
            finally:
                queue.release(session)

    async def play_series(self, first: Session) -> None:
        """Play a series, store its sessions as done, all at once, and report them."""
        await self.host.block_if_winding_down()
        async with self.host.seat_bots(first) as seated:
            self.finish_series(first, await play_seated(self.host, self.store, first, seated))

    def finish_series(self, first: Session, outcomes: Mapping[int, SessionOutcome]) -> None:
        """Store the sessions of a series, by their attempts, as done, and report them."""
        self.store.state.finish_attempts(outcomes, self.connections())
        for session, outcome in zip(self.competition.series_from(first), outcomes.values(), strict=True):
            self.report_session(session, outcome)

    def report_session(self, session: Session, outcome: SessionOutcome) -> None:
        """Report a session that is done and stored."""
        self.host.running.pop(session.name, None)
        self.progress.finish(session, outcome)
        if self._on_session is not None:
            self._on_session(session, outcome.hands)
        table, _ = self.competition.public_names(session)
        log.info(
            "session",
            table=table,
            match=table,
            session=session.name,
            hands=outcome.hands,
            chips=dict(zip(session.players, outcome.totals, strict=True)),
        )


async def play_seated(
    host: SessionHost,
    store: CompetitionStore,
    first: Session,
    seated: SessionPlayers,
    absent: Collection[str] = (),
) -> dict[int, SessionOutcome]:
    """Play a series with these players and return the outcomes by attempt; ``absent`` as in
    ``SessionHost.play``. Raises ``CompetitionFault`` and ``StateError``.
    """
    series = host.competition.series_from(first)
    remote = host.remote_bots(first)
    outcomes: dict[int, SessionOutcome] = {}
    for session in series:
        recorder = store.begin_session(session, host.competition.format(session).game)
        outcomes[recorder.attempt] = await host.play(
            session, seated, recorder, absent, first=first, last=session is series[-1]
        )
        # Whoever is not here any more, or came later than the first session began.
        absent = {one.name for one in seated.session_only if one.name in remote and one.connection is None}
    return outcomes


async def write_results(
    store: CompetitionStore, competition: Competition, progress: CompetitionProgress
) -> None:
    """Write the records and the standings after the last session. A cancellation does not interrupt it, and
    has no effect; whoever goes on afterwards asks ``stop_if_cancelled``.
    """
    # In a thread: this takes a while, and the event loop must keep serving.
    finish = asyncio.create_task(asyncio.to_thread(store.finish, competition, progress))
    while not finish.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(finish)
    finish.result()


def stop_if_cancelled() -> None:
    """Raise ``CancelledError`` if the task was cancelled while the results were being written."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
