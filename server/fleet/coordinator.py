"""The coordinator of a competition that many machines play: it orders sessions, moves those of nodes that are
silent, and takes the results home.

Its directory is that of ``compete``, with the same state: what the database has more is only what was not
taken yet. So it can be killed and started again at any moment.
"""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import structlog

from dealer.match import Session
from protocol.messages import GoTo
from server.auth.tokens import draw
from server.competition.persistent_bot import Standing
from server.competition.runner import Runner
from server.competition.state import FLEET, digest
from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.ledger import Hold, Ledger, Result
from server.fleet.queue import Queue
from server.fleet.tickets import Issued, Seat, TicketOffice, hashed
from server.storage.sqlite import NAME

__all__ = ["STALLED", "Call", "Calls", "Coordinator", "prepare"]

log = structlog.get_logger("pokerd.commands.fleet")

#: Seconds between two rounds: results are taken, sessions ordered.
ROUND: Final = 0.25
#: Seconds without a sign of life after which a node's sessions are moved.
STALLED: Final = 15.0
#: Sessions that wait in the queue, so that nodes never do; all of a long competition would make it slow.
WINDOW: Final = 1000
#: Sessions of bots from elsewhere that are looked at for one whose bots are all free.
LOOK: Final = 1000
#: Seconds for which a ticket is good at least.
LEAST: Final = 10.0
#: Seconds after which nodes are forgotten that were never heard of again.
FORGOTTEN: Final = 86_400.0
KEY, ENTERED = FLEET


async def prepare(url: str, say: Callable[[str], None] = lambda _: None) -> None:
    """See that the database can be used, and make its tables. Raises ``FleetError``."""
    database = Database(url, say=say)
    await database.open()
    await database.close()


def _name_of(out: Path) -> str:
    """What tells a directory from its copies, here and elsewhere. Its lock lets in one process at a time: one
    that comes again under its name is the same coordinator, started anew.
    """
    try:
        machine = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:  # not Linux
        machine = f"{uuid.getnode():x}"
    facts = (out / NAME).stat()
    return f"{out.resolve()} ({machine}:{facts.st_dev}:{facts.st_ino})"


class Call(NamedTuple):
    """What a bot is to be told of a seat."""

    seat: Seat
    to: GoTo


class Calls:
    """Who was told where to go, or will be when the node is ready for him."""

    def __init__(self) -> None:
        self._made: set[Seat] = set()
        self._untold: dict[str, Call] = {}

    @property
    def untold(self) -> list[str]:
        """Hashes of the tickets that wait for their nodes."""
        return list(self._untold)

    def due(self, seat: Seat) -> bool:
        """Whether there is no ticket for a seat yet."""
        return seat not in self._made

    def add(self, calls: Iterable[Call]) -> None:
        """There are tickets for these seats."""
        for call in calls:
            self._made.add(call.seat)
            self._untold[hashed(call.to.ticket)] = call

    def take(self, known: Iterable[str]) -> list[Call]:
        """What is to be told now: the nodes know of these tickets."""
        return [self._untold.pop(one) for one in known if one in self._untold]

    def forget(self, bot: str) -> None:
        """A bot is to be told once more."""
        self._retain(lambda seat: seat.bot != bot)

    def keep(self, attempts: Collection[tuple[int, int]]) -> None:
        """Only these go on."""
        self._retain(lambda seat: seat[:2] in attempts)

    def _retain(self, stays: Callable[[Seat], bool]) -> None:
        self._made = {seat for seat in self._made if stays(seat)}
        self._untold = {one: call for one, call in self._untold.items() if stays(call.seat)}


def _may_come(bot: Standing, early: bool) -> bool:
    """Whether somebody who is not here is waited for: at the start, and for a lost connection's grace."""
    if bot.player.connection is not None:
        return False
    return bot.player.grace_timer is not None or (early and not bot.settled.is_set())


class Coordinator(Runner):
    """Has all sessions of a competition played by nodes; it is made as a runner is. ``database``: its
    address; ``stalled``: seconds of silence after which a node is given up; ``say`` tells a person what is
    waited for.
    """

    again = ("coordinator", " --database ...")

    def __init__(
        self,
        *arguments: Any,
        database: str,
        stalled: float = STALLED,
        say: Callable[[str], None] = lambda _: None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.stalled = stalled
        self._say = say
        self._alone = False
        self.database = Database(database, say=say)
        self.checks["database"] = self.database.trouble
        self.queue = Queue(self.database)
        self.ledger = Ledger(self.database, self.queue)
        self.tickets = TicketOffice(self.database, self.queue)
        self._calls = Calls()
        self._hold = Hold("", "", stalled)
        self._playing = 0
        self._sessions: dict[str, Session] = {session.name: session for session in self.competition.sessions}

    async def play(self, left: Sequence[Session], group: asyncio.TaskGroup) -> None:
        """Have these sessions played. Raises ``FleetError`` and ``StateError``."""
        await self.host.open(managed=False)
        for bot in self.host.standing.values():
            bot.player.on_hello = partial(self._came, bot, bot.player.on_hello)
        await self.database.open()
        try:
            await self.queue.open()
            await self._enter()
            while not self.progress.done:
                await self.database.patiently(self._round)
                await asyncio.sleep(ROUND)
            await self.database.patiently(lambda: self.ledger.close(self._hold))
        finally:
            await self.database.close()

    @property
    def running(self) -> int:
        """Sessions that nodes play."""
        return self._playing

    @property
    def _key(self) -> str:
        return self._hold.key

    async def _enter(self) -> None:
        """Write the competition down, or see that it is there. Raises ``FleetError``:
        ``unknown_competition``: this is another database than the one with which it was begun;
        ``competition_in_use``: another coordinator has it.
        """
        state = self.store.state
        facts = state.facts()
        key = facts.get(KEY) or secrets.token_hex(16)
        self._hold = Hold(key, _name_of(self.store.out), self.stalled)
        known = await self.database.patiently(lambda: self.ledger.knows(key))
        if ENTERED in facts and not known:
            raise FleetError(
                "unknown_competition",
                f"the database does not know the competition in {self.store.out}: is it the right one? "
                f"Without it, python -m pokerd compete {self.store.out} goes on",
            )
        state.set_facts({KEY: key})
        done = list(self.progress.results)
        await self.database.patiently(
            lambda: self.ledger.enter(self._hold, self.competition, self.text, done)
        )
        state.set_facts({ENTERED: "yes"})
        await self.database.patiently(lambda: self.queue.forget(FORGOTTEN))

    async def _round(self) -> None:
        why = await self.ledger.keep(self._hold)
        while results := await self.ledger.results(self._key):
            for result in results:
                await self._take(result)
        if why:
            raise FleetError("node_failed", f"a fault of pokerd ended it: {why}")
        # Nodes could not reach the database either: they are given the time anew.
        patient = asyncio.get_running_loop().time() < self.database.since + self.stalled
        for ordered in await self.queue.stalled(self.stalled):
            if ordered.worker is None or not patient:
                log.warning("node is silent: its session is moved", session=ordered.session)
                await self.queue.drop(ordered.job)
        if not patient:
            await self._look_for_nodes()
        await self.ledger.recall(self._key)
        queued, self._playing = await self.ledger.queued(self._key)
        room = WINDOW - queued
        if room > 0:
            await self.ledger.defer(self._key, room)
        if self.host.standing or self.competition.remember:
            await self._order(room)
            await self._call()

    async def _look_for_nodes(self) -> None:
        """Say that there is nobody who could play, once, and when that is over."""
        alone = not await self.queue.anybody(self.stalled)
        if alone != self._alone:
            self._alone = alone
            self._say("no node is there: waiting for one" if alone else "a node is there")

    # Bots from elsewhere.

    def _came(self, bot: Standing, before: Callable[[], None] | None) -> None:
        """A bot has said hello: whatever it was told before, it may not know any more."""
        if before is not None:
            before()
        self._calls.forget(bot.entry.name)

    async def _order(self, room: int) -> None:
        """Order the next sessions of bots from elsewhere: when all who can come are here and have a table
        free. They are taken all at once, so that no two sessions wait for each other's. And, as on one
        machine, no bot that could remember meets the same deals twice at once.
        """
        early = asyncio.get_running_loop().time() < self.host.start_by
        before = await self.tickets.ordered(self._key)
        free = self._free(before)
        busy = {one for name in before for one in self._exposed(name)}
        ordered: list[tuple[int, int, list[str]]] = []
        for number, name, attempt in await self.tickets.waiting(self._key, LOOK):
            bots = [self.host.standing[bot] for bot in self._remote(name)]
            present = [bot.entry.name for bot in bots if bot.player.connection is not None]
            waited = any(_may_come(bot, early) for bot in bots)
            if waited or any(free[bot] < 1 for bot in present) or busy & self._exposed(name):
                continue
            if len(ordered) >= room:
                break
            free.subtract(present)
            busy |= self._exposed(name)
            ordered.append((number, attempt, present))
        if ordered:
            await self.tickets.order(ordered)

    def _free(self, ordered: Mapping[str, Iterable[str]]) -> Counter[str]:
        """Free tables of bots from elsewhere."""
        free = Counter({name: bot.player.capacity for name, bot in self.host.standing.items()})
        free.subtract(bot for present in ordered.values() for bot in present)
        return free

    def _exposed(self, name: str) -> set[tuple[int, str]]:
        session = self._sessions[name]
        return {(session.match, bot) for bot in session.players if bot in self.competition.remember}

    def _remote(self, session: str) -> list[str]:
        return [bot for bot in self._sessions[session].players if bot in self.host.standing]

    async def _call(self) -> None:
        """Tell bots where the tables are at which they are to sit."""
        called = await self.tickets.called(self._key)
        self._calls.keep({(one.id, one.attempt) for one in called})
        free = self._free(await self.tickets.ordered(self._key))
        seconds = max(LEAST, self.competition.entry.time.start_ms / 1000)
        drawn: list[Call] = []
        for one in called:
            for bot in self._remote(one.session):
                seat = Seat(one.id, one.attempt, bot)
                # Who was away when it began may still come, if he has a table free.
                welcome = bot in one.present or free[bot] > 0
                if self._calls.due(seat) and welcome and self.host.standing[bot].player.connection:
                    free[bot] -= bot not in one.present
                    table, _ = self.competition.shown(self._sessions[one.session])
                    drawn.append(Call(seat, GoTo(table, one.url, draw())))
        if drawn:
            await self.tickets.issue([Issued(hashed(to.ticket), seat, seconds) for seat, to in drawn])
            self._calls.add(drawn)
        known = await self.tickets.known(self._calls.untold) if self._calls.untold else set()
        for call in self._calls.take(known):
            connection = self.host.standing[call.seat.bot].player.connection
            if connection is not None:
                connection.send(call.to, urgent=True)

    async def _take(self, result: Result) -> None:
        """Take a result home. Raises ``FleetError`` (``bad_result``) and ``StateError``."""
        if result.session not in self.progress.results:
            session = self._sessions[result.session]
            lines = await self.ledger.lines(result)
            if digest(lines) != result.outcome.digest:
                raise FleetError("bad_result", f"the hands of {session.name} are not those of its result")
            for bot, counts in result.incidents.items():
                self.before[bot].update(counts)
            game = self.competition.format(session).game
            self.store.keep(session, game, lines, result.outcome, self.connections())
            self.tell(session, result.outcome)
        await self.ledger.taken(self._hold, result)
