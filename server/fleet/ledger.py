"""What the database knows of competitions and their sessions, and the only ways in which that changes.

A session is played in *attempts*, numbered from 1. To begin one, a node raises the number; to report, it must
still be the number that the session has. So whoever was believed dead and comes back changes nothing: the
number is the fence. Attempt, outcome and hands are written in one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, LiteralString, NamedTuple

import msgspec

from server.competition_file import Competition
from server.fleet.database import Connection, Database
from server.fleet.errors import FleetError
from server.fleet.queue import Queue
from server.state import Outcome

__all__ = ["Entered", "Ledger", "Result", "Started"]

#: Hands in one row of a journal.
PART: Final = 256

_outcome = msgspec.json.Decoder(Outcome).decode
_encode = msgspec.json.Encoder().encode


class Entered(NamedTuple):
    """A competition as nodes get to know it. ``games``: their files, by division."""

    competition: str
    file: str
    games: dict[str, str]
    deck: str
    seed: str


class Started(NamedTuple):
    """An attempt that was begun. ``present``: bots that come from elsewhere, and are there to be called."""

    id: int
    competition: str
    session: str
    attempt: int
    present: frozenset[str]


class Result(NamedTuple):
    """A session that is over. ``incidents``: those of bots that belong to no session, since the last one."""

    id: int
    session: str
    outcome: Outcome
    incidents: dict[str, dict[str, int]]


class Ledger:
    """Competitions in a database that is open. Every method raises what ``Database.patiently`` waits for, and
    may be repeated.
    """

    def __init__(self, database: Database, queue: Queue) -> None:
        self._database = database
        self._queue = queue

    # For coordinators.

    async def enter(self, key: str, competition: Competition, file: str, done: Sequence[str]) -> None:
        """Write a competition and its sessions down, those that it did not have before. ``done``: what needs
        not be played any more.
        """
        games = json.dumps({name: game.text() for name, game in competition.games.items()})
        chosen = {bot.name for bot in competition.entry.bots if bot.remote} | competition.remember
        over = set(done)
        async with self._database.transaction() as connection:
            await connection.execute(
                "INSERT INTO pokerd.competitions (competition, name, file, games, deck, seed)"
                " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (competition) DO UPDATE"
                " SET file = excluded.file, games = excluded.games, state = 'playing', failure = ''",
                (key, competition.name, file, games, competition.entry.deck, competition.seed_text),
            )
            cursor = connection.cursor()
            await cursor.executemany(
                "INSERT INTO pokerd.sessions (competition, session, place, remote, state, taken)"
                " VALUES (%s, %s, %s, %s, %s, %s)"
                " ON CONFLICT (competition, session) DO UPDATE SET place = excluded.place",
                [
                    (
                        key,
                        session.name,
                        place,
                        not chosen.isdisjoint(session.players),
                        "done" if session.name in over else "waiting",
                        session.name in over,
                    )
                    for place, session in enumerate(competition.order)
                ],
            )
            # What was taken before a crash that lost it with the directory is taken once more.
            await connection.execute(
                "UPDATE pokerd.sessions SET taken = session = ANY(%s) WHERE competition = %s"
                " AND state = 'done' AND taken <> (session = ANY(%s))",
                (list(over), key, list(over)),
            )

    async def knows(self, key: str) -> bool:
        """Whether it has a competition."""
        query = "SELECT count(*) FROM pokerd.competitions WHERE competition = %s"
        return await self._number(query, key) > 0

    async def close(self, key: str) -> None:
        """A competition is over: nodes may forget it."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "UPDATE pokerd.competitions SET state = 'done' WHERE competition = %s", (key,)
            )

    async def failure(self, key: str) -> str:
        """What went wrong at a node that must not be played on with, or nothing. Raises ``FleetError``
        (``unknown_competition``).
        """
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT failure FROM pokerd.competitions WHERE competition = %s", (key,)
            )
            row = await cursor.fetchone()
        if row is None:
            raise FleetError("unknown_competition", "the database does not know the competition any more")
        return str(row[0])

    async def recall(self, key: str) -> int:
        """Take sessions back from jobs that are gone: they wait again. Returns how many."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "UPDATE pokerd.sessions SET job = NULL, state = 'waiting', node = NULL, url = NULL,"
                " present = '{}' WHERE competition = %s AND state <> 'done' AND job IS NOT NULL"
                " AND NOT EXISTS (SELECT FROM procrastinate_jobs WHERE id = job"
                " AND status IN ('todo', 'doing')) RETURNING id",
                (key,),
            )
            recalled = [number for (number,) in await cursor.fetchall()]
            await connection.execute(
                "UPDATE pokerd.attempts SET state = 'cut', ended = now()"
                " WHERE session = ANY(%s) AND state = 'playing'",
                (recalled,),
            )
        return len(recalled)

    async def queued(self, key: str) -> int:
        """Sessions that have a job."""
        query = (
            "SELECT count(*) FROM pokerd.sessions"
            " WHERE competition = %s AND state <> 'done' AND job IS NOT NULL"
        )
        return await self._number(query, key)

    async def defer(self, key: str, count: int) -> int:
        """Order the next sessions, so many at most, of which any may be played at any time. Returns how
        many.
        """
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT id, attempt FROM pokerd.sessions WHERE competition = %s AND NOT remote"
                " AND state <> 'done' AND job IS NULL ORDER BY place LIMIT %s",
                (key, count),
            )
            rows = await cursor.fetchall()
            numbers = [number for number, _ in rows]
            again = [number for number, attempt in rows if attempt]
            jobs = await self._queue.defer(numbers, connection, again=again) if rows else []
            await connection.cursor().executemany(
                "UPDATE pokerd.sessions SET job = %s WHERE id = %s", list(zip(jobs, numbers, strict=True))
            )
        return len(rows)

    async def results(self, key: str) -> list[Result]:
        """Sessions that are over and were not taken yet, a few of them."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT id, session, outcome, incidents FROM pokerd.sessions"
                " WHERE competition = %s AND state = 'done' AND NOT taken LIMIT 16",
                (key,),
            )
            rows = await cursor.fetchall()
        return [
            Result(number, session, _outcome(outcome), json.loads(incidents))
            for number, session, outcome, incidents in rows
        ]

    async def lines(self, result: Result) -> list[str]:
        """The journal lines of a session that is over."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT lines FROM pokerd.journals WHERE session = %s ORDER BY part", (result.id,)
            )
            return [line for (part,) in await cursor.fetchall() for line in part.splitlines(keepends=True)]

    async def taken(self, result: Result) -> None:
        """A result is where it belongs."""
        async with self._database.transaction() as connection:
            await connection.execute("UPDATE pokerd.sessions SET taken = true WHERE id = %s", (result.id,))

    # For nodes.

    async def begin(self, session: int, job: int, node: str, url: str) -> Started | None:
        """Begin an attempt at a session, unless that is over, or the job is not the one that it has now."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "UPDATE pokerd.sessions SET attempt = attempt + 1, state = 'playing', node = %s, url = %s"
                " WHERE id = %s AND job = %s AND state <> 'done' AND EXISTS (SELECT FROM pokerd.competitions"
                " WHERE competitions.competition = sessions.competition AND competitions.state = 'playing')"
                " RETURNING competition, session, attempt, present",
                (node, url, session, job),
            )
            row = await cursor.fetchone()
            if row is None:
                return None
            competition, name, attempt, present = row
            await connection.execute(
                "UPDATE pokerd.attempts SET state = 'cut', ended = now()"
                " WHERE session = %s AND state = 'playing'",
                (session,),
            )
            await connection.execute(
                "INSERT INTO pokerd.attempts (session, attempt, node) VALUES (%s, %s, %s)",
                (session, attempt, node),
            )
        return Started(session, competition, name, attempt, frozenset(present))

    async def report(
        self,
        started: Started,
        outcome: Outcome,
        incidents: Mapping[str, Mapping[str, int]],
        lines: Sequence[str],
    ) -> bool:
        """A session is over: write its outcome and its hands. False if another attempt has begun, or has come
        to its end; then nothing was changed.
        """
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "UPDATE pokerd.sessions SET state = 'done', outcome = %s, incidents = %s"
                " WHERE id = %s AND attempt = %s AND state = 'playing' RETURNING id",
                (_encode(outcome).decode(), json.dumps(incidents), started.id, started.attempt),
            )
            if await cursor.fetchone() is None:
                return await self._reported(connection, started)
            parts = [
                (started.id, part, "".join(lines[begin : begin + PART]))
                for part, begin in enumerate(range(0, len(lines), PART))
            ]
            await connection.cursor().executemany(
                "INSERT INTO pokerd.journals (session, part, lines) VALUES (%s, %s, %s)", parts
            )
            await connection.execute(
                "UPDATE pokerd.attempts SET state = 'done', ended = now()"
                " WHERE session = %s AND attempt = %s",
                (started.id, started.attempt),
            )
        return True

    async def _reported(self, connection: Connection, started: Started) -> bool:
        """Whether it was this very attempt that was reported, by a word whose answer was lost."""
        cursor = await connection.execute(
            "SELECT count(*) FROM pokerd.attempts WHERE session = %s AND attempt = %s AND state = 'done'",
            (started.id, started.attempt),
        )
        row = await cursor.fetchone()
        return row is not None and row[0] > 0

    async def give_back(self, started: Started) -> None:
        """An attempt ends before its session is over; the session waits for another one."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "UPDATE pokerd.sessions SET state = 'waiting', node = NULL, url = NULL"
                " WHERE id = %s AND attempt = %s AND state = 'playing'",
                (started.id, started.attempt),
            )
            await connection.execute(
                "UPDATE pokerd.attempts SET state = 'cut', ended = now()"
                " WHERE session = %s AND attempt = %s AND state = 'playing'",
                (started.id, started.attempt),
            )

    async def standing(self, sessions: Sequence[int]) -> dict[int, int]:
        """The attempts that count, by session, also of those that are over; none of what is deleted."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT id, attempt FROM pokerd.sessions WHERE id = ANY(%s)", (list(sessions),)
            )
            return {int(number): int(attempt) for number, attempt in await cursor.fetchall()}

    async def fail(self, started: Started, why: str) -> None:
        """Pokerd itself failed at a session: nobody shall play on."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "UPDATE pokerd.competitions SET state = 'failed', failure = %s WHERE competition = %s",
                (why, started.competition),
            )

    async def competition(self, key: str) -> Entered:
        """A competition. Raises ``FleetError`` (``unknown_competition``)."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT file, games, deck, seed FROM pokerd.competitions WHERE competition = %s", (key,)
            )
            row = await cursor.fetchone()
        if row is None:
            raise FleetError("unknown_competition", f"the database does not know the competition {key}")
        file, games, deck, seed = row
        return Entered(key, file, json.loads(games), deck, seed)

    async def playing(self, keys: Sequence[str]) -> set[str]:
        """Those of some competitions that are not over."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT competition FROM pokerd.competitions"
                " WHERE state = 'playing' AND competition = ANY(%s)",
                (list(keys),),
            )
            return {str(key) for (key,) in await cursor.fetchall()}

    async def _number(self, query: LiteralString, key: str) -> int:
        async with self._database.transaction() as connection:
            row = await (await connection.execute(query, (key,))).fetchone()
        assert row is not None
        return int(row[0])
