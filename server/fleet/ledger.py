"""The database's record of competitions and sessions, and the only operations that change it.

A session is played in *attempts*, numbered from 1. A node begins an attempt by incrementing the number, and
its report counts only if the session still has that number. So a node that was believed dead and returns
changes nothing: the number is a fencing token. Attempt, outcomes and hands are written in one transaction.

A series counts as a whole, as its first session: that stands here for all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, NoReturn

import msgspec

from server.competition.file import Competition
from server.fleet.database import Database, DbConnection
from server.fleet.errors import FleetError
from server.fleet.queue import JobQueue
from server.storage.competition_state import SessionOutcome

#: Hands per row of a journal.
PART: Final = 256
#: Seconds without a heartbeat of its coordinator after which a brief competition is deleted.
ABANDONED: Final = 7 * 86_400.0

_outcomes = msgspec.json.Decoder(list[SessionOutcome]).decode
_incidents = msgspec.json.Decoder(dict[str, dict[str, int]]).decode
_encode = msgspec.json.Encoder().encode


class Lease(NamedTuple):
    """A competition by its ``key``, and the ``coordinator`` that has or wants it. A coordinator loses the
    competition after ``silence`` seconds without a heartbeat.
    """

    key: str
    coordinator: str
    silence: float


class CompetitionDefinition(NamedTuple):
    """A competition as sent to nodes. ``games`` are the game files by division. Of a ``brief`` one nodes keep
    nothing when it is over.
    """

    competition: str
    file: str
    games: dict[str, str]
    deck: str
    seed: str
    brief: bool = False


class StartedAttempt(NamedTuple):
    """An attempt that was begun. ``present``: the remote bots that are called to it."""

    id: int
    competition: str
    session: str
    attempt: int
    present: frozenset[str]


class SessionResult(NamedTuple):
    """The result of a session, with the ``outcomes`` of all sessions of its series. ``incidents``: the bots'
    incidents since the last report that belong to no session.
    """

    id: int
    session: str
    outcomes: list[SessionOutcome]
    incidents: dict[str, dict[str, int]]


def _decode_result(number: int, session: str, outcomes: str, incidents: str) -> SessionResult:
    try:
        return SessionResult(number, session, _outcomes(outcomes), _incidents(incidents))
    except (msgspec.DecodeError, TypeError) as error:
        raise FleetError("bad_result", f"the result of {session} cannot be read: {error}") from None


class FleetLedger:
    """Competitions in an open database. All methods raise the errors that ``Database.retry`` handles, and may
    be repeated.
    """

    def __init__(self, database: Database, queue: JobQueue) -> None:
        self._database = database
        self._queue = queue

    # For coordinators.

    async def claim_competition(
        self, hold: Lease, competition: Competition, file: str, done: Sequence[str], *, brief: bool = False
    ) -> None:
        """Claim a competition, and store it with those of its sessions that are new. ``done``: sessions that
        need not be played any more. Raises ``FleetError`` (``competition_in_use``).
        """
        games = json.dumps({name: game.text() for name, game in competition.games.items()})
        chosen = {bot.name for bot in competition.entry.bots if bot.remote} | competition.remembering_bots
        over = set(done)
        order = [session for session in competition.play_order if competition.begins_series(session)]
        async with self._database.transaction() as connection:
            await connection.execute(
                "WITH held AS (INSERT INTO pokerd.competitions"
                " (competition, name, file, games, deck, seed, coordinator, brief)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (competition) DO UPDATE"
                " SET file = excluded.file, games = excluded.games, state = 'playing', failure = '',"
                " coordinator = excluded.coordinator WHERE competitions.coordinator IS NULL"
                " OR competitions.coordinator = excluded.coordinator"
                " OR competitions.seen < now() - make_interval(secs => %s) RETURNING competition)"
                # What was collected before a crash that lost it with the directory is collected again.
                " INSERT INTO pokerd.sessions (competition, session, place, remote, state, taken)"
                " SELECT competition, session, place, remote,"
                " CASE WHEN over THEN 'done' ELSE 'waiting' END, over"
                " FROM held, unnest(%s::text[], %s::integer[], %s::boolean[], %s::boolean[])"
                " AS planned (session, place, remote, over) ON CONFLICT (competition, session) DO UPDATE"
                " SET place = excluded.place, taken = sessions.state = 'done' AND excluded.taken,"
                # The session was played elsewhere, so the database has no hands of it: play it again.
                " state = CASE WHEN sessions.state = 'done' AND NOT excluded.taken"
                " AND sessions.outcome IS NULL THEN 'waiting' ELSE sessions.state END"
                " WHERE sessions.place <> excluded.place"
                " OR (sessions.state = 'done' AND sessions.taken <> excluded.taken)",
                (
                    *(hold.key, competition.name, file, games, competition.entry.deck),
                    *(competition.seed_text, hold.coordinator, brief, hold.silence),
                    [session.name for session in order],
                    list(range(len(order))),
                    [not chosen.isdisjoint(session.players) for session in order],
                    [session.name in over for session in order],
                ),
            )
            await self._renew_lease(connection, hold)

    async def renew_lease(self, hold: Lease) -> str:
        """Send a heartbeat. Return what went wrong at a node if that ends the competition, else an empty
        string. Raises ``FleetError`` (``unknown_competition``, ``competition_in_use``).
        """
        async with self._database.transaction() as connection:
            return await self._renew_lease(connection, hold)

    async def _renew_lease(self, connection: DbConnection, hold: Lease) -> str:
        cursor = await connection.execute(
            "UPDATE pokerd.competitions SET seen = clock_timestamp()"
            " WHERE competition = %s AND coordinator = %s RETURNING failure",
            (hold.key, hold.coordinator),
        )
        row = await cursor.fetchone()
        if row is None:
            await self._raise_lost_lease(connection, hold)
        return str(row[0])

    async def _raise_lost_lease(self, connection: DbConnection, hold: Lease) -> NoReturn:
        """Raise a ``FleetError`` that says who has the competition now."""
        cursor = await connection.execute(
            "SELECT coordinator FROM pokerd.competitions WHERE competition = %s", (hold.key,)
        )
        row = await cursor.fetchone()
        if row is None:
            raise FleetError("unknown_competition", "the database no longer knows the competition")
        raise FleetError(
            "competition_in_use",
            f"another coordinator is playing it, in {row[0]}; if that one was killed, try again in"
            f" {hold.silence:g} seconds"
            if row[0]
            else "another coordinator has finished it",
        )

    async def has_competition(self, key: str) -> bool:
        """Return whether the database has a competition."""
        rows = await self._database.query("SELECT FROM pokerd.competitions WHERE competition = %s", (key,))
        return bool(rows)

    async def finish_competition(self, hold: Lease) -> None:
        """Finish a competition: nodes may forget it, and the lease ends."""
        await self._database.query(
            "UPDATE pokerd.competitions SET state = 'done', coordinator = NULL"
            " WHERE competition = %s AND coordinator = %s",
            (hold.key, hold.coordinator),
        )

    async def delete_competition(self, key: str) -> None:
        """Delete a competition that is over, with its hands, and brief ones that their coordinators have left
        behind.
        """
        async with self._database.transaction() as connection:
            await connection.execute(
                "DELETE FROM pokerd.competitions WHERE (competition = %s AND state = 'done')"
                " OR (brief AND seen < now() - make_interval(secs => %s))",
                (key, ABANDONED),
            )

    async def requeue_orphaned(self, key: str) -> int:
        """Make sessions whose jobs are gone wait again. Return how many."""
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

    async def count_queued(self, key: str) -> tuple[int, int]:
        """Return the number of sessions that have a job, and of those that are in progress."""
        rows = await self._database.query(
            "SELECT count(*), count(*) FILTER (WHERE state = 'playing') FROM pokerd.sessions"
            " WHERE competition = %s AND state <> 'done' AND job IS NOT NULL",
            (key,),
        )
        return int(rows[0][0]), int(rows[0][1])

    async def enqueue(self, key: str, count: int) -> int:
        """Order at most ``count`` of the next sessions that may be played in any order. Return how many."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT id, attempt FROM pokerd.sessions WHERE competition = %s AND NOT remote"
                " AND state <> 'done' AND job IS NULL ORDER BY place LIMIT %s",
                (key, count),
            )
            rows = await cursor.fetchall()
            numbers = [number for number, _ in rows]
            again = [number for number, attempt in rows if attempt]
            jobs = await self._queue.enqueue(numbers, connection, again=again) if rows else []
            await connection.execute(
                "UPDATE pokerd.sessions SET job = new.job"
                " FROM unnest(%s::bigint[], %s::bigint[]) AS new (job, id) WHERE sessions.id = new.id",
                (jobs, numbers),
            )
        return len(rows)

    async def pending_results(self, key: str) -> list[SessionResult]:
        """Return a few results that have not been collected yet. Raises ``FleetError`` (``bad_result``)."""
        rows = await self._database.query(
            "SELECT id, session, outcome, incidents FROM pokerd.sessions"
            " WHERE competition = %s AND state = 'done' AND NOT taken LIMIT 16",
            (key,),
        )
        return [_decode_result(*row) for row in rows]

    async def journal_lines(self, result: SessionResult) -> list[str]:
        """Return the journal lines of a finished session."""
        rows = await self._database.query(
            "SELECT lines FROM pokerd.journals WHERE session = %s ORDER BY part", (result.id,)
        )
        return [line for (part,) in rows for line in part.splitlines(keepends=True)]

    async def mark_taken(self, hold: Lease, result: SessionResult) -> None:
        """Record that a result has been collected; this is also a heartbeat. Raises ``FleetError``, also if
        another coordinator takes the competition at this moment, because it does not have this result.
        """
        async with self._database.transaction() as connection:
            await self._renew_lease(connection, hold)
            await connection.execute("UPDATE pokerd.sessions SET taken = true WHERE id = %s", (result.id,))

    # For nodes.

    async def begin_attempt(self, session: int, job: int, node: str, url: str) -> StartedAttempt | None:
        """Begin an attempt at a session, unless it is over or has a different job by now."""
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
        return StartedAttempt(session, competition, name, attempt, frozenset(present))

    async def report_attempt(
        self,
        started: StartedAttempt,
        outcomes: Sequence[SessionOutcome],
        incidents: Mapping[str, Mapping[str, int]],
        lines: Sequence[str],
    ) -> bool:
        """Store the outcomes and the hands of a series. Return False and change nothing if another attempt
        has begun or been reported.
        """
        parts = ["".join(lines[begin : begin + PART]) for begin in range(0, len(lines), PART)]
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "WITH over AS (UPDATE pokerd.sessions SET state = 'done', outcome = %s, incidents = %s"
                " WHERE id = %s AND attempt = %s AND state = 'playing' RETURNING id, attempt),"
                " kept AS (INSERT INTO pokerd.journals (session, part, lines) SELECT id, part - 1, lines"
                " FROM over, unnest(%s::text[]) WITH ORDINALITY AS parts (lines, part))"
                " UPDATE pokerd.attempts SET state = 'done', ended = now() FROM over"
                " WHERE attempts.session = over.id AND attempts.attempt = over.attempt RETURNING session",
                (_encode(outcomes).decode(), json.dumps(incidents), started.id, started.attempt, parts),
            )
            return await cursor.fetchone() is not None or await self._was_reported(connection, started)

    async def _was_reported(self, connection: DbConnection, started: StartedAttempt) -> bool:
        """Return whether this very attempt was reported before, by a request whose reply was lost."""
        cursor = await connection.execute(
            "SELECT count(*) FROM pokerd.attempts WHERE session = %s AND attempt = %s AND state = 'done'",
            (started.id, started.attempt),
        )
        row = await cursor.fetchone()
        return row is not None and row[0] > 0

    async def release_attempt(self, started: StartedAttempt) -> None:
        """Cut an attempt; the session waits for another one."""
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

    async def current_attempts(self, sessions: Sequence[int]) -> dict[int, int]:
        """Return the current attempt of each session, including finished ones, but not of deleted ones."""
        rows = await self._database.query(
            "SELECT id, attempt FROM pokerd.sessions WHERE id = ANY(%s)", (list(sessions),)
        )
        return {int(number): int(attempt) for number, attempt in rows}

    async def fail_competition(self, started: StartedAttempt, why: str) -> None:
        """Record that pokerd itself failed at a session: no node may play on."""
        await self._database.query(
            "UPDATE pokerd.competitions SET state = 'failed', failure = %s WHERE competition = %s",
            (why, started.competition),
        )

    async def load_competition(self, key: str) -> CompetitionDefinition:
        """Return a competition. Raises ``FleetError`` (``unknown_competition``)."""
        rows = await self._database.query(
            "SELECT file, games, deck, seed, brief FROM pokerd.competitions WHERE competition = %s", (key,)
        )
        if not rows:
            raise FleetError("unknown_competition", f"the database does not know the competition {key}")
        file, games, deck, seed, brief = rows[0]
        return CompetitionDefinition(key, file, json.loads(games), deck, seed, brief)

    async def unfinished_competitions(self, keys: Sequence[str]) -> set[str]:
        """Return those of the competitions that are not over."""
        rows = await self._database.query(
            "SELECT competition FROM pokerd.competitions WHERE state = 'playing' AND competition = ANY(%s)",
            (list(keys),),
        )
        return {str(key) for (key,) in rows}
