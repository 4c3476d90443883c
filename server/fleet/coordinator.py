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
from protocol.messages import Redirect
from server.auth.tokens import hash_token, new_token
from server.competition.persistent_bot import PersistentBot
from server.competition.runner import Runner
from server.competition.state import FLEET, journal_digest
from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.ledger import FleetLedger, Lease, SessionResult
from server.fleet.queue import JobQueue
from server.fleet.tickets import IssuedTicket, TicketSeat, TicketStore
from server.storage.sqlite import STATE_DB_NAME

__all__ = ["NODE_TIMEOUT", "SeatRedirect", "RedirectQueue", "Coordinator", "prepare_database"]

log = structlog.get_logger("pokerd.fleet")

#: Seconds between two rounds: results are taken, sessions ordered.
ROUND: Final = 0.25
#: Seconds without a sign of life after which a node's sessions are moved.
NODE_TIMEOUT: Final = 15.0
#: Sessions that wait in the queue, so that nodes never do; all of a long competition would make it slow.
WINDOW: Final = 1000
#: Sessions of bots from elsewhere that are looked at for one whose bots are all free.
LOOKAHEAD: Final = 1000
#: Seconds for which a ticket is good at least.
MIN_TICKET_SECONDS: Final = 10.0
#: Seconds after which nodes are forgotten that were never heard of again.
NODE_RETENTION: Final = 86_400.0
KEY, ENTERED = FLEET


async def prepare_database(url: str, notify: Callable[[str], None] = lambda _: None) -> None:
    """See that the database can be used, and make its tables. Raises ``FleetError``."""
    database = Database(url, notify=notify)
    await database.open()
    await database.close()


def _directory_id(out: Path) -> str:
    """What tells a directory from its copies, here and elsewhere. Its lock lets in one process at a time: one
    that comes again under its name is the same coordinator, started anew.
    """
    try:
        machine = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:  # not Linux
        machine = f"{uuid.getnode():x}"
    facts = (out / STATE_DB_NAME).stat()
    return f"{out.resolve()} ({machine}:{facts.st_dev}:{facts.st_ino})"


class SeatRedirect(NamedTuple):
    """What a bot is to be told of a seat."""

    seat: TicketSeat
    redirect: Redirect


class RedirectQueue:
    """Who was told where to go, or will be when the node is ready for him."""

    def __init__(self) -> None:
        self._with_ticket: set[TicketSeat] = set()
        self._pending: dict[str, SeatRedirect] = {}

    @property
    def pending_hashes(self) -> list[str]:
        """Hashes of the tickets that wait for their nodes."""
        return list(self._pending)

    def needs_ticket(self, seat: TicketSeat) -> bool:
        """Whether there is no ticket for a seat yet."""
        return seat not in self._with_ticket

    def add(self, calls: Iterable[SeatRedirect]) -> None:
        """There are tickets for these seats."""
        for call in calls:
            self._with_ticket.add(call.seat)
            self._pending[hash_token(call.redirect.ticket)] = call

    def pop_known(self, known: Iterable[str]) -> list[SeatRedirect]:
        """What is to be told now: the nodes know of these tickets."""
        return [self._pending.pop(one) for one in known if one in self._pending]

    def forget_bot(self, bot: str) -> None:
        """A bot is to be told once more."""
        self._retain(lambda seat: seat.bot != bot)

    def retain_attempts(self, attempts: Collection[tuple[int, int]]) -> None:
        """Only these go on."""
        self._retain(lambda seat: seat[:2] in attempts)

    def _retain(self, stays: Callable[[TicketSeat], bool]) -> None:
        self._with_ticket = {seat for seat in self._with_ticket if stays(seat)}
        self._pending = {one: call for one, call in self._pending.items() if stays(call.seat)}


def _may_connect(bot: PersistentBot, early: bool) -> bool:
    """Whether somebody who is not here is waited for: at the start, and for a lost connection's grace."""
    if bot.player.connection is not None:
        return False
    return bot.player.grace_timer is not None or (early and not bot.settled.is_set())


class Coordinator(Runner):
    """Has all sessions of a competition played by nodes; it is made as a runner is. ``database``: its
    address; ``node_timeout``: seconds of silence after which a node is given up; ``notify`` tells a person
    what is waited for.
    """

    resume_command = ("coordinator", " --database ...")

    def __init__(
        self,
        *arguments: Any,
        database: str,
        node_timeout: float = NODE_TIMEOUT,
        notify: Callable[[str], None] = lambda _: None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.node_timeout = node_timeout
        self._notify = notify
        self._without_nodes = False
        self.database = Database(database, notify=notify)
        self.checks["database"] = self.database.problem
        self.queue = JobQueue(self.database)
        self.ledger = FleetLedger(self.database, self.queue)
        self.tickets = TicketStore(self.database, self.queue)
        self._redirects = RedirectQueue()
        self._lease = Lease("", "", node_timeout)
        self._playing = 0
        self._sessions: dict[str, Session] = {session.name: session for session in self.competition.sessions}

    async def play(self, left: Sequence[Session], group: asyncio.TaskGroup) -> None:
        """Have these sessions played. Raises ``FleetError`` and ``StateError``."""
        await self.host.open(managed=False)
        for bot in self.host.persistent_bots.values():
            bot.player.on_hello = partial(self._on_hello, bot, bot.player.on_hello)
        await self.database.open()
        try:
            await self.queue.open()
            await self._claim()
            while not self.progress.done:
                await self.database.retry(self._round)
                await asyncio.sleep(ROUND)
            await self.database.retry(lambda: self.ledger.finish_competition(self._lease))
        finally:
            await self.database.close()

    @property
    def running(self) -> int:
        """Sessions that nodes play."""
        return self._playing

    @property
    def _key(self) -> str:
        return self._lease.key

    async def _claim(self) -> None:
        """Write the competition down, or see that it is there. Raises ``FleetError``:
        ``unknown_competition``: this is another database than the one with which it was begun;
        ``competition_in_use``: another coordinator has it.
        """
        state = self.store.state
        facts = state.facts()
        key = facts.get(KEY) or secrets.token_hex(16)
        self._lease = Lease(key, _directory_id(self.store.out), self.node_timeout)
        known = await self.database.retry(lambda: self.ledger.has_competition(key))
        if ENTERED in facts and not known:
            raise FleetError(
                "unknown_competition",
                f"the database does not know the competition in {self.store.out}: is it the right one? "
                f"Without it, python -m pokerd compete {self.store.out} goes on",
            )
        state.set_facts({KEY: key})
        done = list(self.progress.results)
        await self.database.retry(
            lambda: self.ledger.claim_competition(self._lease, self.competition, self.text, done)
        )
        state.set_facts({ENTERED: "yes"})
        await self.database.retry(lambda: self.queue.forget_workers(NODE_RETENTION))

    async def _round(self) -> None:
        why = await self.ledger.renew_lease(self._lease)
        while results := await self.ledger.pending_results(self._key):
            for result in results:
                await self._save_result(result)
        if why:
            raise FleetError("node_failed", f"a fault of pokerd ended it: {why}")
        # Nodes could not reach the database either: they are given the time anew.
        patient = asyncio.get_running_loop().time() < self.database.available_since + self.node_timeout
        for ordered in await self.queue.stalled_jobs(self.node_timeout):
            if ordered.worker is None or not patient:
                log.warning("node is silent: its session is moved", session=ordered.session)
                await self.queue.finish_job(ordered.job)
        if not patient:
            await self._report_missing_nodes()
        await self.ledger.requeue_orphaned(self._key)
        queued, self._playing = await self.ledger.count_queued(self._key)
        room = WINDOW - queued
        if room > 0:
            await self.ledger.enqueue(self._key, room)
        if self.host.persistent_bots or self.competition.remembering_bots:
            await self._order_sessions(room)
            await self._send_redirects()

    async def _report_missing_nodes(self) -> None:
        """Say that there is nobody who could play, once, and when that is over."""
        alone = not await self.queue.has_live_workers(self.node_timeout)
        if alone != self._without_nodes:
            self._without_nodes = alone
            self._notify("no node is there: waiting for one" if alone else "a node is there")

    # Bots from elsewhere.

    def _on_hello(self, bot: PersistentBot, before: Callable[[], None] | None) -> None:
        """A bot has said hello: whatever it was told before, it may not know any more."""
        if before is not None:
            before()
        self._redirects.forget_bot(bot.entry.name)

    async def _order_sessions(self, room: int) -> None:
        """Order the next sessions of bots from elsewhere: when all who can come are here and have a table
        free. They are taken all at once, so that no two sessions wait for each other's. And, as on one
        machine, no bot that could remember meets the same deals twice at once.
        """
        early = asyncio.get_running_loop().time() < self.host.start_by
        before = await self.tickets.ordered_sessions(self._key)
        free = self._free_tables(before)
        busy = {one for name in before for one in self._conflicts(name)}
        ordered: list[tuple[int, int, list[str]]] = []
        for number, name, attempt in await self.tickets.waiting_sessions(self._key, LOOKAHEAD):
            bots = [self.host.persistent_bots[bot] for bot in self._remote_bots(name)]
            present = [bot.entry.name for bot in bots if bot.player.connection is not None]
            waited = any(_may_connect(bot, early) for bot in bots)
            if waited or any(free[bot] < 1 for bot in present) or busy & self._conflicts(name):
                continue
            if len(ordered) >= room:
                break
            free.subtract(present)
            busy |= self._conflicts(name)
            ordered.append((number, attempt, present))
        if ordered:
            await self.tickets.order_sessions(ordered)

    def _free_tables(self, ordered: Mapping[str, Iterable[str]]) -> Counter[str]:
        """Free tables of bots from elsewhere."""
        free = Counter({name: bot.player.capacity for name, bot in self.host.persistent_bots.items()})
        free.subtract(bot for present in ordered.values() for bot in present)
        return free

    def _conflicts(self, name: str) -> set[tuple[int, str]]:
        session = self._sessions[name]
        return {(session.match, bot) for bot in session.players if bot in self.competition.remembering_bots}

    def _remote_bots(self, session: str) -> list[str]:
        return [bot for bot in self._sessions[session].players if bot in self.host.persistent_bots]

    async def _send_redirects(self) -> None:
        """Tell bots where the tables are at which they are to sit."""
        called = await self.tickets.running_sessions(self._key)
        self._redirects.retain_attempts({(one.id, one.attempt) for one in called})
        free = self._free_tables(await self.tickets.ordered_sessions(self._key))
        seconds = max(MIN_TICKET_SECONDS, self.competition.entry.time.start_ms / 1000)
        drawn: list[SeatRedirect] = []
        for one in called:
            for bot in self._remote_bots(one.session):
                seat = TicketSeat(one.id, one.attempt, bot)
                # Who was away when it began may still come, if he has a table free.
                welcome = bot in one.present or free[bot] > 0
                if (
                    self._redirects.needs_ticket(seat)
                    and welcome
                    and self.host.persistent_bots[bot].player.connection
                ):
                    free[bot] -= bot not in one.present
                    table, _ = self.competition.public_names(self._sessions[one.session])
                    drawn.append(SeatRedirect(seat, Redirect(table, one.url, new_token())))
        if drawn:
            await self.tickets.add_tickets(
                [IssuedTicket(hash_token(to.ticket), seat, seconds) for seat, to in drawn]
            )
            self._redirects.add(drawn)
        known = (
            await self.tickets.known_tickets(self._redirects.pending_hashes)
            if self._redirects.pending_hashes
            else set()
        )
        for call in self._redirects.pop_known(known):
            connection = self.host.persistent_bots[call.seat.bot].player.connection
            if connection is not None:
                connection.send(call.redirect, urgent=True)

    async def _save_result(self, result: SessionResult) -> None:
        """Take a result home. Raises ``FleetError`` (``bad_result``) and ``StateError``."""
        if result.session not in self.progress.results:
            session = self._sessions[result.session]
            lines = await self.ledger.journal_lines(result)
            if journal_digest(lines) != result.outcome.digest:
                raise FleetError("bad_result", f"the hands of {session.name} are not those of its result")
            for bot, counts in result.incidents.items():
                self.earlier_incidents[bot].update(counts)
            game = self.competition.format(session).game
            self.store.save_session(session, game, lines, result.outcome, self.connections())
            self.report_session(session, result.outcome)
        await self.ledger.mark_taken(self._lease, result)
