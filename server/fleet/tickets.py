"""Tickets: how a bot that came to the coordinator gets into a session at a node.

The coordinator draws a ticket, writes its hash down, and tells the bot alone; the node knows it by its hash,
lets in whoever has it, once, and not for long. It is good for one seat of one attempt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from server.auth.tokens import hash_token
from server.fleet.database import Database
from server.fleet.queue import JobQueue
from server.house.house import Player

__all__ = ["RunningSession", "TicketGate", "IssuedTicket", "TicketSeat", "TicketStore"]


class TicketSeat(NamedTuple):
    """A bot's place in an attempt: number of the session, of the attempt, and the bot."""

    session: int
    attempt: int
    bot: str


class RunningSession(NamedTuple):
    """A session that is being played with bots from elsewhere, and where."""

    id: int
    session: str
    attempt: int
    url: str
    present: frozenset[str]


class IssuedTicket(NamedTuple):
    """A ticket as the database has it; ``seconds``: for so long it is good."""

    hash: str
    seat: TicketSeat
    seconds: float


class TicketStore:
    """Tickets in a database that is open. Its methods raise what ``Database.retry`` waits for, and may be
    repeated.
    """

    def __init__(self, database: Database, queue: JobQueue) -> None:
        self._database = database
        self._queue = queue

    # For coordinators.

    async def waiting_sessions(self, key: str, count: int) -> list[tuple[int, str, int]]:
        """The next sessions that the coordinator chooses itself: number, name, attempts so far."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT id, session, attempt FROM pokerd.sessions WHERE competition = %s AND remote"
                " AND state <> 'done' AND job IS NULL ORDER BY place LIMIT %s",
                (key, count),
            )
            return [
                (int(number), str(name), int(attempt)) for number, name, attempt in await cursor.fetchall()
            ]

    async def ordered_sessions(self, key: str) -> dict[str, list[str]]:
        """Sessions that are ordered or played, and the bots from elsewhere that are called to them."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT session, present FROM pokerd.sessions"
                " WHERE competition = %s AND remote AND state <> 'done' AND job IS NOT NULL",
                (key,),
            )
            return {str(session): list(present) for session, present in await cursor.fetchall()}

    async def order_sessions(self, sessions: Sequence[tuple[int, int, Sequence[str]]]) -> None:
        """Order sessions: number, attempts so far, and the bots from elsewhere that are called."""
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
        """Sessions with bots from elsewhere that are being played."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT id, session, attempt, url, present FROM pokerd.sessions"
                " WHERE competition = %s AND remote AND state = 'playing' AND job IS NOT NULL",
                (key,),
            )
            return [
                RunningSession(number, session, attempt, url, frozenset(present))
                for number, session, attempt, url, present in await cursor.fetchall()
            ]

    async def add_tickets(self, tickets: Sequence[IssuedTicket]) -> None:
        """Write tickets down. They may be told when their nodes know of them."""
        async with self._database.transaction() as connection:
            await connection.execute(
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
                [
                    list(column)
                    for column in zip(*((x.hash, *x.seat, x.seconds) for x in tickets), strict=True)
                ],
            )

    async def known_tickets(self, hashes: Sequence[str]) -> set[str]:
        """Those tickets that their nodes know of."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT hash FROM pokerd.tickets WHERE hash = ANY(%s) AND known", (list(hashes),)
            )
            return {str(hash_) for (hash_,) in await cursor.fetchall()}

    # For nodes.

    async def mark_known(self, hashes: Sequence[str]) -> None:
        """Tickets are known from now on: whoever has one may come."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "UPDATE pokerd.tickets SET known = true WHERE hash = ANY(%s)", (list(hashes),)
            )

    async def valid_tickets(self, sessions: Sequence[int]) -> list[IssuedTicket]:
        """Tickets for these sessions that can be used."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT hash, session, attempt, bot, extract(epoch FROM expires - now())::float8"
                " FROM pokerd.tickets WHERE session = ANY(%s) AND used IS NULL AND expires > now()",
                (list(sessions),),
            )
            return [
                IssuedTicket(hash_, TicketSeat(session, attempt, bot), seconds)
                for hash_, session, attempt, bot, seconds in await cursor.fetchall()
            ]

    async def mark_used(self, hashes: Sequence[str]) -> None:
        """Tickets were used."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "UPDATE pokerd.tickets SET used = now() WHERE hash = ANY(%s) AND used IS NULL",
                (list(hashes),),
            )


class TicketGate:
    """Who may come in at a node: tickets by their hash, until when they are good, and for whom."""

    def __init__(self) -> None:
        #: Hashes of those that were used, for the database.
        self.used: list[str] = []
        self._seats: dict[TicketSeat, Player] = {}
        self._valid: dict[str, tuple[TicketSeat, float]] = {}
        self._seen: set[str] = set()

    def open_attempt(self, session: int, attempt: int, guests: Mapping[str, Player]) -> None:
        """These bots may come to an attempt."""
        for bot, player in guests.items():
            self._seats[TicketSeat(session, attempt, bot)] = player

    def close_attempt(self, session: int, attempt: int) -> None:
        """Nobody may come to an attempt any more."""
        for seat in [seat for seat in self._seats if seat[:2] == (session, attempt)]:
            del self._seats[seat]
        self._valid = {one: good for one, good in self._valid.items() if good[0] in self._seats}

    @property
    def expected_sessions(self) -> list[int]:
        """Sessions that somebody may come to."""
        return sorted({seat.session for seat in self._seats})

    def add_tickets(self, tickets: Iterable[IssuedTicket], now: float) -> list[str]:
        """Tickets that can be used. Returns the hashes of those that are new."""
        seen, new = set(), []
        for ticket in tickets:
            seen.add(ticket.hash)
            if ticket.seat in self._seats and ticket.hash not in self._seen:
                self._valid[ticket.hash] = ticket.seat, now + ticket.seconds
                new.append(ticket.hash)
        # One that was used here is not to be learned again while the database does not know of it yet.
        self._seen = seen
        return new

    def admit(self, ticket: str, now: float) -> Player | None:
        """Whom a ticket lets in, if anybody; then it is used up."""
        found = self._valid.pop(hash_token(ticket), None)
        if found is None or found[1] < now:
            return None
        self.used.append(hash_token(ticket))
        return self._seats.get(found[0])
