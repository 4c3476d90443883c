"""A node: takes sessions from the queue, plays them at its tables, and reports the results.

Whatever happens to a node, a session counts once. It begins an attempt before the first card, and its report
counts only for the session's latest attempt. While the database is unavailable it plays on and reports later;
the report may then be too late.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from server.auth.policy import AdmissionPolicy
from server.bots.sandbox import Sandbox, SandboxError
from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.ledger import FleetLedger, StartedAttempt
from server.fleet.node_registry import NodeRegistry
from server.fleet.node_store import NodeCompetition
from server.fleet.programs import ProgramFolder, programs_in
from server.fleet.queue import JobQueue, SessionJob
from server.fleet.tickets import TicketGate, TicketStore
from server.house.house import House
from server.storage.competition_state import OpenStates
from server.storage.sqlite import StateError
from server.telemetry.logger import get_logger

log = get_logger("pokerd.fleet")

#: Seconds between heartbeats.
HEARTBEAT: Final = 1.0
#: Seconds between checks of an empty queue, in case a notification was lost.
QUEUE_POLL: Final = 5.0
#: Seconds between checks for tickets while bots are expected.
TICKET_POLL: Final = 0.25
#: Seconds that a stopping node waits for an unavailable database.
PATIENCE: Final = 5.0


class NodeAddress(NamedTuple):
    """A node's ``name``, the ``key`` that proves its identity, and its addresses: for the bots that it starts
    (``inside``) and for remote bots (``outside``).
    """

    name: str
    key: str
    inside: str
    outside: str


class _RunningAttempt:
    """An attempt in progress at this node."""

    def __init__(self, started: StartedAttempt, job: int) -> None:
        self.started = started
        self.job = job
        self.limit = asyncio.timeout(None)
        self.over = asyncio.Event()

    def abort(self) -> None:
        """Abort the attempt: another one has begun, so it cannot count any more."""
        with contextlib.suppress(RuntimeError):  # it is over already
            self.limit.reschedule(asyncio.get_running_loop().time())


class Node:
    """Plays up to ``workers`` sessions at once at its house, and stores their hands in ``folder``.
    ``make_sandbox`` creates the sandbox for a competition's bots; ``programs`` is an empty folder for those
    that were uploaded. ``register`` must be called first.
    """

    def __init__(
        self,
        database: Database,
        admission: AdmissionPolicy,
        folder: Path,
        workers: int,
        make_sandbox: Callable[[], Sandbox],
        programs: Path,
    ) -> None:
        self.database = database
        self.workers = workers
        self.queue = JobQueue(database)
        self.ledger = FleetLedger(database, self.queue)
        self.registry = NodeRegistry(database, self.queue)
        self._on_change: Callable[[], None] = lambda: None
        self._playing: dict[int, _RunningAttempt] = {}
        self._tickets = TicketStore(database, self.queue)
        self._gate = TicketGate()
        self._open_states = OpenStates()
        self.house = House(admission=admission, storage=self._open_states, tickets=self._gate)
        self.address: NodeAddress
        self._folder = folder
        self._make_sandbox = make_sandbox
        self._programs = ProgramFolder(programs, database)
        self._competitions: dict[str, NodeCompetition] = {}
        self._competitions_lock = asyncio.Lock()
        self._queue_lock = asyncio.Lock()
        #: Set when the hands of a competition can no longer be stored.
        self._store_failed = asyncio.Event()
        self._worker = 0
        self._job_added = asyncio.Event()
        self._stopping = False

    @property
    def sessions(self) -> int:
        """The number of sessions in progress."""
        return len(self._playing)

    async def register(self, address: NodeAddress) -> None:
        """Set the address and take the name. Raises ``FleetError`` (``node_in_use``)."""
        self.address = address
        await self.queue.open()
        sign_on = partial(self.registry.register, address.name, address.key, address.outside)
        self._worker = await self.database.retry(sign_on)

    async def run(self, on_change: Callable[[], None] = lambda: None) -> None:
        """Play until cancelled, then give back unfinished sessions. ``on_change`` is called when the number
        of sessions in progress changes. Raises, in a group, ``FleetError`` and ``StateError``.
        """
        self._on_change = on_change
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._send_heartbeats(), name="heartbeat")
                listening = self.database.retry(lambda: self.queue.listen(self._job_added.set))
                group.create_task(listening, name="listen")
                group.create_task(self._close_finished(), name="tidy")
                group.create_task(self._poll_tickets(), name="tickets")
                group.create_task(self._raise_store_failure(), name="states")
                for number in range(self.workers):
                    group.create_task(self._work(), name=f"worker {number}")
        finally:
            await self._shut_down()

    async def wind_down(self) -> None:
        """Deal no more hands, and wait for the hands in progress."""
        self._stopping = True
        await asyncio.gather(*(competition.host.wind_down() for competition in self._competitions.values()))

    async def _raise_store_failure(self) -> None:
        """Raise, and so end the node, when hands can no longer be stored."""
        while True:
            await self._store_failed.wait()
            self._store_failed.clear()
            for competition in self._competitions.values():
                state = competition.store.state
                if state.failure is not None:
                    raise StateError("not_stored", f"{state.path} cannot be written: {state.failure}")

    # Heartbeats.

    async def _send_heartbeats(self) -> None:
        address = self.address
        while True:
            if not await self.database.retry(
                lambda: self.registry.heartbeat(address.name, address.key, self._worker)
            ):
                await self.register(address)
            if self._playing:
                await self._abort_fenced()
            await asyncio.sleep(HEARTBEAT)

    async def _abort_fenced(self) -> None:
        """Abort attempts that were reassigned while this node was silent: they cannot count any more."""
        mine = dict(self._playing)
        current = await self.database.retry(lambda: self.ledger.current_attempts(list(mine)))
        for number, attempt in mine.items():
            if current.get(number, math.inf) > attempt.started.attempt:
                attempt.abort()

    async def _close_finished(self) -> None:
        """Close competitions that are over."""
        while True:
            await asyncio.sleep(2 * HEARTBEAT)
            if not self._competitions:
                continue
            alive = await self.database.retry(
                lambda: self.ledger.unfinished_competitions(list(self._competitions))
            )
            async with self._competitions_lock:
                busy = {attempt.started.competition for attempt in self._playing.values()}
                for key in set(self._competitions) - alive - busy:
                    await self._competitions.pop(key).close(over=True)

    async def _poll_tickets(self) -> None:
        """Fetch tickets while bots are expected, and report used ones."""
        gate = self._gate
        while True:
            await asyncio.sleep(TICKET_POLL)
            used = list(gate.used)
            if used:
                await self.database.retry(lambda: self._tickets.mark_used(used))  # noqa: B023
                del gate.used[: len(used)]
            if gate.expected_sessions:
                good = await self.database.retry(lambda: self._tickets.valid_tickets(gate.expected_sessions))
                new = gate.add_tickets(good, self.house.clock())
                if new:
                    await self.database.retry(lambda: self._tickets.mark_known(new))  # noqa: B023

    # Sessions.

    async def _work(self) -> None:
        while True:
            # Only one worker at a time asks the queue.
            async with self._queue_lock:
                ordered = await self._next_job()
            begin = partial(self._begin_attempt, ordered)
            started = await self.database.retry(begin)
            if started is not None:
                await self._run_attempt(_RunningAttempt(started, ordered.job))
            drop = partial(self.queue.finish_job, ordered.job)
            await self.database.retry(drop)

    async def _next_job(self) -> SessionJob:
        while True:
            ordered = None
            self._job_added.clear()
            if not self._stopping:
                ordered = await self.database.retry(lambda: self.queue.take(self._worker))
            if ordered is not None:
                return ordered
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(QUEUE_POLL):
                    await self._job_added.wait()

    async def _begin_attempt(self, ordered: SessionJob) -> StartedAttempt | None:
        address = self.address
        return await self.ledger.begin_attempt(ordered.session, ordered.job, address.name, address.outside)

    async def _run_attempt(self, attempt: _RunningAttempt) -> None:
        """Play a session and report it. An internal error ends the competition on all nodes."""
        started = attempt.started
        before = self._playing.get(started.id)
        if before is not None:  # an attempt from before the database was lost
            before.abort()
            await before.over.wait()
        self._playing[started.id] = attempt
        self._on_change()
        try:
            async with attempt.limit:
                await self._play(started)
        except TimeoutError:
            if not attempt.limit.expired():
                raise
            log.warning("fenced: another attempt has begun", session=started.session, attempt=started.attempt)
        except (StateError, SandboxError):
            raise
        except OSError as error:  # usually a full disk; other nodes can play the session
            raise StateError("not_stored", f"{self._folder} cannot be used: {error}") from error
        except ValueError as error:
            if isinstance(error, FleetError) and error.code == "bad_tables":
                raise
            log.exception("session failed", session=started.session, attempt=started.attempt)
            why = f"node {self.address.name} at session {started.session}: {error!r}"
            await self.database.retry(lambda: self.ledger.fail_competition(started, why))
        del self._playing[started.id]
        attempt.over.set()
        self._on_change()

    async def _play(self, started: StartedAttempt) -> None:
        async with self._open_competition(started.competition) as competition:
            session = competition.sessions[started.session]
            remote = competition.host.remote_bots(session)
            async with competition.host.seat_bots(session) as seated:
                guests = {player.name: player for player in seated.session_only if player.name in remote}
                self._gate.open_attempt(started.id, started.attempt, guests)
                try:
                    played = await competition.play(started, seated)
                finally:
                    self._gate.close_attempt(started.id, started.attempt)
                counted = await self.database.retry(lambda: self.ledger.report_attempt(started, *played))
        name, attempt, hands = started.session, started.attempt, len(played.lines)
        if counted:
            log.info("session reported", session=name, attempt=attempt, hands=hands)
        else:
            log.warning("fenced: a late report changes nothing", session=name, attempt=attempt, hands=hands)

    @contextlib.asynccontextmanager
    async def _open_competition(self, key: str) -> AsyncIterator[NodeCompetition]:
        """Provide the current version of a competition for one session."""
        async with self._competitions_lock:
            entered = await self.database.retry(lambda: self.ledger.load_competition(key))
            competition = self._competitions.get(key)
            if competition is not None and competition.entered != entered:
                # It was extended, or its limits changed: first finish the sessions in progress.
                await competition.idle.wait()
                await self._competitions.pop(key).close()
                competition = None
            if competition is None:
                playing = programs_in("".join(one.entered.file for one in self._competitions.values()))
                await self._programs.fetch(programs_in(entered.file), playing)
                competition = NodeCompetition(
                    *(entered, self.house, self.address.inside, self._folder, self._make_sandbox()),
                    open_states=self._open_states,
                    failed=self._store_failed,
                    programs=self._programs.folder,
                )
                self._competitions[key] = competition
                await competition.host.open()
            competition.start_session()
        try:
            yield competition
        finally:
            competition.end_session()

    async def _shut_down(self) -> None:
        """Give back unfinished sessions and stop all bots."""
        for competition in self._competitions.values():
            await competition.close()
        self._competitions.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                for attempt in self._playing.values():
                    give_back = partial(self.ledger.release_attempt, attempt.started)
                    await self.database.retry(give_back)
                    drop = partial(self.queue.finish_job, attempt.job)
                    await self.database.retry(drop)
                await self.database.retry(lambda: self.queue.unregister(self._worker))
