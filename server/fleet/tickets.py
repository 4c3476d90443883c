"""Tickets admit a bot that is connected to the coordinator to a session at a node.

The coordinator creates a ticket, stores its hash, and sends the ticket to the bot alone. The node knows it by
its hash and admits its bearer once, for a short time. A ticket is valid for one seat of one attempt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from server.auth.tokens import hash_token
from server.fleet.database import Database
from server.fleet.queue import JobQueue
from server.tables.player import Player


class TicketSeat(NamedTuple):
    """A bot's seat in an attempt: number of the session, number of the attempt, and the bot."""

    session: int
    attempt: int
    bot: str


class RunningSession(NamedTuple):
    """A session in progress with remote bots; ``url`` is the node's address."""

    id: int
    session: str
    attempt: int
    url: str
    present: frozenset[str]


class IssuedTicket(NamedTuple):
    """A ticket as stored in the database; ``seconds`` is how long it is still valid."""

    hash: str
    seat: TicketSeat
    seconds: float


class TicketStore:
    """Tickets in an open database. Its methods raise the errors that ``Database.retry`` handles, and may be
    repeated.
    """

    def __init__(self, database: Database, queue: JobQueue) -> None:
        self._database = database
        self._queue = queue

    # For coordinators.

    async def waiting_sessions(self, key: str, count: int) -> list[tuple[int, str, int]]:
        """Return the next sessions that the coordinator orders one by one: number, name, attempts so far."""
        rows = await self._database.query(
            "SELECT id, session, attempt FROM pokerd.sessions WHERE competition = %s AND remote"
            " AND state <> 'done' AND job IS NULL ORDER BY place LIMIT %s",
            (key, count),
        )
        return [(int(number), str(name), int(attempt)) for number, name, attempt in rows]

    async def queued_sessions(self, key: str) -> dict[str, list[str]]:
        """Return the sessions that are ordered or in progress, with the remote bots called to them."""
        rows = await self._database.query(
            "SELECT session, present FROM pokerd.sessions"
            " WHERE competition = %s AND remote AND state <> 'done' AND job IS NOT NULL",
            (key,),
        )
        return {str(session): list(present) for session, present in rows}

    async def enqueue_sessions(self, sessions: Sequence[tuple[int, int, Sequence[str]]]) -> None:
        """Order sessions, given by number, attempts so far, and the remote bots called to them."""
        async with self._database.transaction() as connection:
            again = [number for number, attempt, _ in sessions if attempt]
            jobs = await self._queue.enqueue([number for number, _, _ in sessions], connection, again=again)
            rows = [
                {"job": job, "id": number, "present": list(present)}
                for job, (number, _, present) in zip(jobs, sessions, strict=True)
            ]
            await connection.execute(
                "UPDATE pokerd.sessions SET job = new.job, present = new.present"
                " FROM json_to_recordset(%s) AS new (job bigint, id bigint, present text[])"
                " WHERE sessions.id = new.id",
                (json.dumps(rows),),
            )

    async def running_sessions(self, key: str) -> list[RunningSession]:
        """Return the sessions in progress with remote bots."""
        rows = await self._database.query(
            "SELECT id, session, attempt, url, present FROM pokerd.sessions"
            " WHERE competition = %s AND remote AND state = 'playing' AND job IS NOT NULL",
            (key,),
        )
        return [
            RunningSession(number, session, attempt, url, frozenset(present))
            for number, session, attempt, url, present in rows
        ]

    async def add_tickets(self, tickets: Sequence[IssuedTicket]) -> None:
        """Store tickets. They may be sent to bots once the nodes know them."""
        await self._database.query(
            "WITH new AS (SELECT * FROM unnest(%s::text[], %s::bigint[], %s::integer[], %s::text[],"
            " %s::float8[]) AS new (hash, session, attempt, bot, seconds)),"
            " issued AS (INSERT INTO pokerd.tickets (hash, session, attempt, bot, expires)"
            " SELECT hash, session, attempt, bot, now() + make_interval(secs => seconds) FROM new"
            " ON CONFLICT DO NOTHING),"
            " called AS (SELECT session, attempt, array_agg(bot) AS bots FROM new"
            " GROUP BY session, attempt)"
            " UPDATE pokerd.sessions"
            " SET present = ARRAY(SELECT unnest(present) UNION SELECT unnest(bots)) FROM called"
            " WHERE id = called.session AND sessions.attempt = called.attempt",
            [list(column) for column in zip(*((x.hash, *x.seat, x.seconds) for x in tickets), strict=True)],
        )

    async def known_tickets(self, hashes: Sequence[str]) -> set[str]:
        """Return those of the tickets that nodes know."""
        rows = await self._database.query(
            "SELECT hash FROM pokerd.tickets WHERE hash = ANY(%s) AND known", (list(hashes),)
        )
        return {str(hash_) for (hash_,) in rows}

    # For nodes.

    async def mark_known(self, hashes: Sequence[str]) -> None:
        """Record that the node knows these tickets: their bearers may connect."""
        await self._database.query(
            "UPDATE pokerd.tickets SET known = true WHERE hash = ANY(%s)", (list(hashes),)
        )

    async def valid_tickets(self, sessions: Sequence[int]) -> list[IssuedTicket]:
        """Return the valid tickets for these sessions."""
        rows = await self._database.query(
            "SELECT hash, session, attempt, bot, extract(epoch FROM expires - now())::float8"
            " FROM pokerd.tickets WHERE session = ANY(%s) AND used IS NULL AND expires > now()",
            (list(sessions),),
        )
        return [
            IssuedTicket(hash_, TicketSeat(session, attempt, bot), seconds)
            for hash_, session, attempt, bot, seconds in rows
        ]

    async def mark_used(self, hashes: Sequence[str]) -> None:
        """Record that tickets were used."""
        await self._database.query(
            "UPDATE pokerd.tickets SET used = now() WHERE hash = ANY(%s) AND used IS NULL", (list(hashes),)
        )


class TicketGate:
    """The tickets valid at a node, by hash, with their expiry and seat."""

    def __init__(self) -> None:
        #: Hashes of used tickets that the database does not know about yet.
        self.used: list[str] = []
        self._seats: dict[TicketSeat, Player] = {}
        self._valid: dict[str, tuple[TicketSeat, float]] = {}
        self._seen: set[str] = set()

    def open_attempt(self, session: int, attempt: int, guests: Mapping[str, Player]) -> None:
        """Admit these bots to an attempt."""
        for bot, player in guests.items():
            self._seats[TicketSeat(session, attempt, bot)] = player

    def close_attempt(self, session: int, attempt: int) -> None:
        """Admit nobody to an attempt any more."""
        for seat in [seat for seat in self._seats if seat[:2] == (session, attempt)]:
            del self._seats[seat]
        self._valid = {one: good for one, good in self._valid.items() if good[0] in self._seats}

    @property
    def expected_sessions(self) -> list[int]:
        """The sessions that bots may still join."""
        return sorted({seat.session for seat in self._seats})

    def add_tickets(self, tickets: Iterable[IssuedTicket], now: float) -> list[str]:
        """Add valid tickets and return the hashes of new ones."""
        seen, new = set(), []
        for ticket in tickets:
            seen.add(ticket.hash)
            if ticket.seat in self._seats and ticket.hash not in self._seen:
                self._valid[ticket.hash] = ticket.seat, now + ticket.seconds
                new.append(ticket.hash)
        # A ticket that was used here must not become valid again while the database does not know of its use.
        self._seen = seen
        return new

    def admit(self, ticket: str, now: float) -> Player | None:
        """Use up a ticket and return its player, or None."""
        found = self._valid.pop(hash_token(ticket), None)
        if found is None or found[1] < now:
            return None
        self.used.append(hash_token(ticket))
        return self._seats.get(found[0])
