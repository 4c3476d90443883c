"""A node: takes sessions from the queue, plays them at its tables, and reports.

Whatever happens to it, a session counts once. It begins an attempt before the first card, and a report counts
only for the attempt that is the session's last. While there is no database it goes on with what it plays, and
reports later: in time, or too late.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from server.bots.sandbox import Sandbox, SandboxError
from server.competition.session_host import CompetitionFault
from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.ledger import Ledger, Started
from server.fleet.node_registry import Roll
from server.fleet.node_store import Played, Venue
from server.fleet.queue import Ordered, Queue
from server.fleet.tickets import Doors, TicketOffice
from server.house.house import House
from server.storage.sqlite import StateError

__all__ = ["Address", "Node"]

log = structlog.get_logger("pokerd.commands.fleet")

#: Seconds between two signs of life.
HEARTBEAT: Final = 1.0
#: Seconds between two looks into an empty queue, in case that nobody told of a job.
QUEUE_POLL: Final = 5.0
#: Seconds between two looks for tickets while somebody may come.
TICKET_POLL: Final = 0.25
#: Seconds that the end of a node waits for a database that is not there.
PATIENCE: Final = 5.0


class Address(NamedTuple):
    """Who a node is: its ``name``, the ``key`` that proves it, and where bots reach it: those that it starts
    (``inside``) and those from elsewhere (``outside``).
    """

    name: str
    key: str
    inside: str
    outside: str


class _Attempt:
    """An attempt of this node's that goes on."""

    def __init__(self, started: Started, job: int) -> None:
        self.started = started
        self.job = job
        self.limit = asyncio.timeout(None)
        self.over = asyncio.Event()

    def give_up(self) -> None:
        """Another attempt has begun: this one cannot count any more."""
        with contextlib.suppress(RuntimeError):  # it has come to its end already
            self.limit.reschedule(asyncio.get_running_loop().time())


class Node:
    """Plays ``workers`` sessions at once at a house, and keeps their hands in ``folder``. ``box`` makes the
    sandbox of a competition's bots.
    """

    def __init__(
        self,
        database: Database,
        house: House,
        address: Address,
        folder: Path,
        workers: int,
        box: Callable[[], Sandbox],
    ) -> None:
        self.database = database
        self.house = house
        self.address = address
        self.workers = workers
        self.queue = Queue(database)
        self.ledger = Ledger(database, self.queue)
        self.roll = Roll(database, self.queue)
        #: Called when another number of sessions is being played.
        self.on_change: Callable[[], None] = lambda: None
        self._playing: dict[int, _Attempt] = {}
        self._tickets = TicketOffice(database, self.queue)
        self._doors = Doors()
        self._folder = folder
        self._box = box
        self._venues: dict[str, Venue] = {}
        self._opening = asyncio.Lock()
        self._taking = asyncio.Lock()
        self._failed: asyncio.Future[StateError] = asyncio.get_running_loop().create_future()
        self._worker = 0
        self._ordered = asyncio.Event()
        self._stopping = False
        house.stored = self._stored
        house.login.ticket = lambda ticket: self._doors.admit(ticket, house.clock())

    @property
    def sessions(self) -> int:
        """How many are being played."""
        return len(self._playing)

    async def sign_on(self) -> None:
        """Take the name. Raises ``FleetError`` (``node_in_use``)."""
        await self.queue.open()
        address = self.address
        sign_on = partial(self.roll.sign_on, address.name, address.key, address.outside)
        self._worker = await self.database.patiently(sign_on)

    async def run(self) -> None:
        """Play until cancelled; then what is not over is given back. Raises, in a group, ``FleetError`` and
        ``StateError``.
        """
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._beat(), name="heartbeat")
                group.create_task(self._listen(), name="listen")
                group.create_task(self._tidy(), name="tidy")
                group.create_task(self._watch_doors(), name="doors")
                group.create_task(self._watch_states(), name="states")
                for number in range(self.workers):
                    group.create_task(self._work(), name=f"worker {number}")
        finally:
            await self._leave()

    async def wind_down(self) -> None:
        """Deal no more hands, and wait until those in progress are over."""
        self._stopping = True
        await asyncio.gather(*(venue.host.wind_down() for venue in self._venues.values()))

    def _stored(self) -> bool:
        return all(venue.store.state.commit() for venue in self._venues.values())

    async def _watch_states(self) -> None:
        """Nothing can be played that cannot be stored."""
        raise await self._failed

    def _fail(self, venue: Venue) -> None:
        state = venue.store.state
        if not self._failed.done():
            why = f"{state.path} cannot be written: {state.failure}"
            self._failed.set_result(StateError("not_stored", why))

    # Signs of life.

    async def _beat(self) -> None:
        address = self.address
        while True:
            if not await self.database.patiently(
                lambda: self.roll.beat(address.name, address.key, self._worker)
            ):
                await self.sign_on()
            if self._playing:
                await self._give_up_the_fenced()
            await asyncio.sleep(HEARTBEAT)

    async def _give_up_the_fenced(self) -> None:
        """An attempt that was taken away while nothing was heard of us cannot count any more."""
        mine = dict(self._playing)
        standing = await self.database.patiently(lambda: self.ledger.standing(list(mine)))
        for number, attempt in mine.items():
            if standing.get(number, math.inf) > attempt.started.attempt:
                attempt.give_up()

    async def _tidy(self) -> None:
        """Close the venues of competitions that are over."""
        while True:
            await asyncio.sleep(2 * HEARTBEAT)
            if not self._venues:
                continue
            alive = await self.database.patiently(lambda: self.ledger.playing(list(self._venues)))
            async with self._opening:
                busy = {attempt.started.competition for attempt in self._playing.values()}
                for key in set(self._venues) - alive - busy:
                    await self._venues.pop(key).close()

    async def _watch_doors(self) -> None:
        """Learn of tickets while somebody may come, and tell which were used."""
        doors = self._doors
        while True:
            await asyncio.sleep(TICKET_POLL)
            used = list(doors.used)
            if used:
                await self.database.patiently(lambda: self._tickets.use(used))  # noqa: B023
                del doors.used[: len(used)]
            if doors.expected:
                good = await self.database.patiently(lambda: self._tickets.good(doors.expected))
                new = doors.learn(good, self.house.clock())
                if new:
                    await self.database.patiently(lambda: self._tickets.learned(new))  # noqa: B023

    # Sessions.

    async def _listen(self) -> None:
        await self.database.patiently(lambda: self.queue.listen(self._ordered.set))

    async def _work(self) -> None:
        while True:
            # One of us looks; the others wait for their turn.
            async with self._taking:
                ordered = await self._next()
            begin = partial(self._begin, ordered)
            started = await self.database.patiently(begin)
            if started is not None:
                await self._carry_out(_Attempt(started, ordered.job))
            drop = partial(self.queue.drop, ordered.job)
            await self.database.patiently(drop)

    async def _next(self) -> Ordered:
        while True:
            ordered = None
            self._ordered.clear()
            if not self._stopping:
                ordered = await self.database.patiently(lambda: self.queue.take(self._worker))
            if ordered is not None:
                return ordered
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(QUEUE_POLL):
                    await self._ordered.wait()

    async def _begin(self, ordered: Ordered) -> Started | None:
        address = self.address
        return await self.ledger.begin(ordered.session, ordered.job, address.name, address.outside)

    async def _carry_out(self, attempt: _Attempt) -> None:
        """Play and report; a fault of ours ends the competition, everywhere."""
        started = attempt.started
        before = self._playing.get(started.id)
        if before is not None:  # of the time before the database was lost
            before.give_up()
            await before.over.wait()
        self._playing[started.id] = attempt
        self.on_change()
        try:
            async with attempt.limit:
                await self._play(started)
        except TimeoutError:
            if not attempt.limit.expired():
                raise
            log.warning("fenced: another attempt has begun", session=started.session, attempt=started.attempt)
        except (StateError, SandboxError):
            raise
        except OSError as error:  # a full disk, as a rule: others can play it
            raise StateError("not_stored", f"{self._folder} cannot be used: {error}") from error
        except (CompetitionFault, ValueError) as error:
            if isinstance(error, FleetError) and error.code == "bad_tables":
                raise
            log.exception("session failed", session=started.session, attempt=started.attempt)
            why = f"node {self.address.name} at session {started.session}: {error!r}"
            await self.database.patiently(lambda: self.ledger.fail(started, why))
        del self._playing[started.id]
        attempt.over.set()
        self.on_change()

    async def _play(self, started: Started) -> None:
        async with self._at(started.competition) as venue:
            await self._play_at(venue, started)

    async def _play_at(self, venue: Venue, started: Started) -> None:
        session = venue.sessions[started.session]
        remote = venue.remote(session)
        async with venue.host.seated(session) as seated:
            guests = {player.name: player for player in seated.own if player.name in remote}
            self._doors.open(started.id, started.attempt, guests)
            try:
                played = await venue.play(started, seated)
            finally:
                self._doors.close(started.id, started.attempt)
            counted = await self.database.patiently(lambda: self._report(started, played))
        name, attempt, hands = started.session, started.attempt, played.outcome.hands
        if counted:
            log.info("session reported", session=name, attempt=attempt, hands=hands)
        else:
            log.warning("fenced: a late report changes nothing", session=name, attempt=attempt, hands=hands)

    async def _report(self, started: Started, played: Played) -> bool:
        return await self.ledger.report(started, played.outcome, played.incidents, played.lines)

    @contextlib.asynccontextmanager
    async def _at(self, key: str) -> AsyncIterator[Venue]:
        """The venue of a competition, as that is now, for one session."""
        async with self._opening:
            entered = await self.database.patiently(lambda: self.ledger.competition(key))
            venue = self._venues.get(key)
            if venue is not None and venue.entered != entered:
                # It was extended, or its limits were changed: what is played here comes to its end first.
                await venue.idle.wait()
                await self._venues.pop(key).close()
                venue = None
            if venue is None:
                venue = Venue(entered, self.house, self.address.inside, self._folder, self._box())
                venue.store.state.on_failure = partial(self._fail, venue)
                self._venues[key] = venue
                await venue.open()
            venue.enter()
        try:
            yield venue
        finally:
            venue.leave()

    async def _leave(self) -> None:
        """Give back what is not over, and end all bots."""
        for venue in self._venues.values():
            await venue.close()
        self._venues.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                for attempt in self._playing.values():
                    give_back = partial(self.ledger.give_back, attempt.started)
                    await self.database.patiently(give_back)
                    drop = partial(self.queue.drop, attempt.job)
                    await self.database.patiently(drop)
                await self.database.patiently(lambda: self.queue.unregister(self._worker))
