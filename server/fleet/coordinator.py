"""The coordinator of a competition that many machines play: it orders sessions, reassigns those of silent
nodes, and collects the results.

Its directory is that of ``compete``, with the same state; the database only adds what has not been collected
yet. So it can be killed and restarted at any moment.
"""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from dealer.match import Session
from protocol.messages import Redirect
from server.auth.tokens import hash_token, new_token
from server.competition.persistent_bot import PersistentBot
from server.competition.runner import Runner
from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.ledger import FleetLedger, Lease, SessionResult
from server.fleet.programs import ProgramStore, packed, programs_in
from server.fleet.queue import JobQueue
from server.fleet.tickets import IssuedTicket, TicketSeat, TicketStore
from server.net.connection import Connection
from server.storage.competition_state import FLEET, journal_digest
from server.storage.sqlite import STATE_DB_NAME
from server.telemetry.logger import get_logger

log = get_logger("pokerd.fleet")

#: Seconds between two rounds, which collect results and order sessions.
ROUND: Final = 0.25
#: Seconds without a heartbeat after which a node's sessions are reassigned.
NODE_TIMEOUT: Final = 15.0
#: Sessions in the queue: enough that nodes never wait; too many would make it slow.
WINDOW: Final = 1000
#: How many sessions with remote bots to search for one whose bots are all free.
LOOKAHEAD: Final = 1000
#: Minimum number of seconds for which a ticket is valid.
MIN_TICKET_SECONDS: Final = 10.0
#: Seconds without a heartbeat after which nodes are forgotten.
NODE_RETENTION: Final = 86_400.0
KEY, ENTERED = FLEET


async def prepare_database(url: str, notify: Callable[[str], None] = lambda _: None) -> None:
    """Check that the database can be used, and create or migrate its tables. Raises ``FleetError``."""
    database = Database(url, notify=notify)
    await database.open()
    await database.close()


def _directory_id(out: Path) -> str:
    """Return an id that distinguishes a directory from its copies, on this machine and others. Only one
    process can lock the directory, so a coordinator with the same id is the same one, restarted.
    """
    try:
        machine = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:  # not Linux
        machine = f"{uuid.getnode():x}"
    facts = (out / STATE_DB_NAME).stat()
    return f"{out.resolve()} ({machine}:{facts.st_dev}:{facts.st_ino})"


class SeatRedirect(NamedTuple):
    """The redirect to send for a seat."""

    seat: TicketSeat
    redirect: Redirect


class RedirectQueue:
    """The redirects that were sent, or will be when the node is ready for the bot."""

    def __init__(self) -> None:
        self._with_ticket: set[TicketSeat] = set()
        self._pending: dict[str, SeatRedirect] = {}

    @property
    def pending_hashes(self) -> list[str]:
        """Hashes of the tickets that nodes do not know yet."""
        return list(self._pending)

    def needs_ticket(self, seat: TicketSeat) -> bool:
        """Return whether a seat has no ticket yet."""
        return seat not in self._with_ticket

    def add(self, redirects: Iterable[SeatRedirect]) -> None:
        """Add redirects, with their tickets."""
        for redirect in redirects:
            self._with_ticket.add(redirect.seat)
            self._pending[hash_token(redirect.redirect.ticket)] = redirect

    def pop_known(self, known: Iterable[str]) -> list[SeatRedirect]:
        """Remove and return the redirects whose tickets the nodes know: they can be sent."""
        return [self._pending.pop(one) for one in known if one in self._pending]

    def forget_bot(self, bot: str) -> None:
        """Forget the redirects of a bot, so that it is redirected again."""
        self._retain(lambda seat: seat.bot != bot)

    def retain_attempts(self, attempts: Collection[tuple[int, int]]) -> None:
        """Forget all but these attempts."""
        self._retain(lambda seat: seat[:2] in attempts)

    def _retain(self, stays: Callable[[TicketSeat], bool]) -> None:
        self._with_ticket = {seat for seat in self._with_ticket if stays(seat)}
        self._pending = {one: redirect for one, redirect in self._pending.items() if stays(redirect.seat)}


def _may_connect(bot: PersistentBot, early: bool) -> bool:
    """Return whether to wait for a disconnected bot: at the start, and for the grace period of a lost
    connection.
    """
    if bot.player.connection is not None:
        return False
    return bot.player.grace_timer is not None or (early and not bot.settled.is_set())


class Coordinator(Runner):
    """Has nodes play all sessions of a competition; it is constructed like a runner. ``database``: its
    address; ``node_timeout``: seconds without a heartbeat after which a node is given up; ``notify`` tells a
    person what the coordinator is waiting for. Of a ``brief`` competition, one of many, the database and
    the nodes keep nothing when it is over; it waits for a database that is away when it begins.
    """

    resume_command = ("coordinator", " --database ...")

    def __init__(
        self,
        *arguments: Any,
        database: str,
        node_timeout: float = NODE_TIMEOUT,
        notify: Callable[[str], None] = lambda _: None,
        brief: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.node_timeout = node_timeout
        self._notify = notify
        self._without_nodes = False
        self._brief = brief
        #: The connections of remote bots in the last round.
        self._connected: dict[str, Connection | None] = {}
        self.database = Database(database, notify=notify, patient=brief)
        self.checks["database"] = self.database.problem
        self.queue = JobQueue(self.database)
        self.ledger = FleetLedger(self.database, self.queue)
        self.tickets = TicketStore(self.database, self.queue)
        self._redirects = RedirectQueue()
        self._lease = Lease("", "", node_timeout)
        self._playing = 0
        self._sessions: dict[str, Session] = {session.name: session for session in self.competition.sessions}

    def verify_programs(self) -> None:
        """Verify nothing: the programs are on the nodes."""

    async def play(self, left: Sequence[Session], group: asyncio.TaskGroup) -> None:
        """Have nodes play these sessions. Raises ``FleetError`` and ``StateError``."""
        await self.host.open(managed=False)
        await self.database.open()
        try:
            await self.queue.open()
            await self._claim()
            while not self.progress.done:
                await self.database.retry(self._round)
                await asyncio.sleep(ROUND)
            await self.database.retry(lambda: self.ledger.finish_competition(self._lease))
            if self._brief:
                await self.database.retry(lambda: self.ledger.delete_competition(self._key))
        finally:
            await self.database.close()

    @property
    def running(self) -> int:
        """The number of sessions that nodes are playing."""
        return self._playing

    @property
    def _key(self) -> str:
        return self._lease.key

    async def _claim(self) -> None:
        """Enter the competition into the database, or verify that it is there. Raises ``FleetError``:
        ``unknown_competition`` if this is not the database with which it was begun; ``competition_in_use`` if
        another coordinator has it.
        """
        state = self.store.state
        facts = state.facts()
        key = facts.get(KEY) or secrets.token_hex(16)
        self._lease = Lease(key, _directory_id(self.store.out), self.node_timeout)
        known = await self.database.retry(lambda: self.ledger.has_competition(key))
        if ENTERED in facts and not known and not self._brief:
            raise FleetError(
                "unknown_competition",
                f"the database does not know the competition in {self.store.out}: is it the right one? "
                f"To continue without a database: python -m pokerd compete {self.store.out}",
            )
        state.set_facts({KEY: key})
        await self._enter_programs()
        done = list(self.progress.results)
        await self.database.retry(
            lambda: self.ledger.claim_competition(
                self._lease, self.competition, self.text, done, brief=self._brief
            )
        )
        state.set_facts({ENTERED: "yes"})
        await self.database.retry(lambda: self.queue.forget_workers(NODE_RETENTION))

    async def _enter_programs(self) -> None:
        """Put the uploaded programs of the competition into the database."""
        if self.programs is None:
            return
        store = ProgramStore(self.database)
        wanted = programs_in(self.text)
        for program in sorted(await self.database.retry(lambda: store.missing(wanted))):
            archive = await asyncio.to_thread(packed, self.programs / program)
            await self.database.retry(lambda: store.put(program, archive))  # noqa: B023

    async def _round(self) -> None:
        why = await self.ledger.renew_lease(self._lease)
        while results := await self.ledger.pending_results(self._key):
            for result in results:
                await self._save_result(result)
        if why:
            raise FleetError("node_failed", f"an internal error ended the competition: {why}")
        # After an outage nodes get the full time again: they could not reach the database either.
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
            await self._enqueue_sessions(room)
            await self._send_redirects()

    async def _report_missing_nodes(self) -> None:
        """Report once when no node is available, and once when that has changed."""
        alone = not await self.queue.has_live_workers(self.node_timeout)
        if alone != self._without_nodes:
            self._without_nodes = alone
            self._notify("no node available: waiting for one" if alone else "a node is available")

    # Remote bots.

    def _forget_reconnected(self) -> None:
        """Redirect bots again that have reconnected: they may have forgotten earlier redirects."""
        for name, bot in self.host.persistent_bots.items():
            if self._connected.get(name) is not bot.player.connection:
                self._connected[name] = bot.player.connection
                self._redirects.forget_bot(name)

    async def _enqueue_sessions(self, room: int) -> None:
        """Order the next sessions of remote bots, once all that may connect are connected and have a free
        table.

        Tables of all bots are reserved at once, so that no two sessions wait for each other. As on a single
        machine, no bot that could remember plays the same deals twice at the same time.
        """
        early = asyncio.get_running_loop().time() < self.host.start_by
        before = await self.tickets.queued_sessions(self._key)
        free = self._free_tables(before)
        busy = {one for name in before for one in self._conflicts(name)}
        ordered: list[tuple[int, int, list[str]]] = []
        for number, name, attempt in await self.tickets.waiting_sessions(self._key, LOOKAHEAD):
            bots = {bot: self.host.persistent_bots[bot] for bot in self._remote_bots(name)}
            present = [one for one, bot in bots.items() if bot.player.connection is not None]
            waited = any(_may_connect(bot, early) for bot in bots.values())
            if waited or any(free[bot] < 1 for bot in present) or busy & self._conflicts(name):
                continue
            if len(ordered) >= room:
                break
            free.subtract(present)
            busy |= self._conflicts(name)
            ordered.append((number, attempt, present))
        if ordered:
            await self.tickets.enqueue_sessions(ordered)

    def _free_tables(self, ordered: Mapping[str, Iterable[str]]) -> Counter[str]:
        """Return the number of free tables of each remote bot."""
        free = Counter({name: bot.player.capacity for name, bot in self.host.persistent_bots.items()})
        free.subtract(bot for present in ordered.values() for bot in present)
        return free

    def _conflicts(self, name: str) -> set[tuple[int, str]]:
        series = self.competition.series_from(self._sessions[name])
        bots = self.competition.remembering_bots.intersection(series[0].players)
        return {(session.match, bot) for session in series for bot in bots}

    def _remote_bots(self, session: str) -> list[str]:
        return [bot for bot in self._sessions[session].players if bot in self.host.persistent_bots]

    async def _send_redirects(self) -> None:
        """Redirect bots to the nodes where they have seats."""
        self._forget_reconnected()
        running = await self.tickets.running_sessions(self._key)
        self._redirects.retain_attempts({(one.id, one.attempt) for one in running})
        free = self._free_tables(await self.tickets.queued_sessions(self._key))
        seconds = max(MIN_TICKET_SECONDS, self.competition.entry.time.start_ms / 1000)
        new_redirects: list[SeatRedirect] = []
        for one in running:
            for bot in self._remote_bots(one.session):
                seat = TicketSeat(one.id, one.attempt, bot)
                # A bot that was away when the session began may still join if it has a free table.
                welcome = bot in one.present or free[bot] > 0
                if (
                    self._redirects.needs_ticket(seat)
                    and welcome
                    and self.host.persistent_bots[bot].player.connection
                ):
                    free[bot] -= bot not in one.present
                    table, _ = self.competition.public_names(self._sessions[one.session])
                    new_redirects.append(SeatRedirect(seat, Redirect(table, one.url, new_token())))
        if new_redirects:
            await self.tickets.add_tickets(
                [IssuedTicket(hash_token(to.ticket), seat, seconds) for seat, to in new_redirects]
            )
            self._redirects.add(new_redirects)
        known = (
            await self.tickets.known_tickets(self._redirects.pending_hashes)
            if self._redirects.pending_hashes
            else set()
        )
        for redirect in self._redirects.pop_known(known):
            connection = self.host.persistent_bots[redirect.seat.bot].player.connection
            if connection is not None:
                connection.send(redirect.redirect, urgent=True)

    async def _save_result(self, result: SessionResult) -> None:
        """Store a result in the directory. Raises ``FleetError`` (``bad_result``) and ``StateError``."""
        if result.session not in self.progress.results:
            series = self.competition.series_from(self._sessions[result.session])
            lines = iter(await self.ledger.journal_lines(result))
            played = [
                (session, list(islice(lines, outcome.hands)), outcome)
                for session, outcome in zip(series, result.outcomes, strict=False)
            ]
            correct = all(journal_digest(hands) == outcome.digest for _, hands, outcome in played)
            if not correct or len(played) < len(series) or next(lines, None) is not None:
                raise FleetError("bad_result", f"the hands of {result.session} do not match its result")
            for bot, counts in result.incidents.items():
                self.earlier_incidents[bot].update(counts)
            self.store.save_sessions(self.competition, played, self.connections())
            for session, _, outcome in played:
                self.report_session(session, outcome)
        await self.ledger.mark_taken(self._lease, result)
