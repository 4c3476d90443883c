"""What the database knows of competitions and their sessions, and the only ways in which that changes.

A session is played in *attempts*, numbered from 1. To begin one, a node raises the number; to report, it must
still be the number that the session has. So whoever was believed dead and comes back changes nothing: the
number is the fence. Attempt, outcome and hands are written in one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, NoReturn

import msgspec

from server.competition.file import Competition
from server.competition.state import SessionOutcome
from server.fleet.database import Connection, Database
from server.fleet.errors import FleetError
from server.fleet.queue import JobQueue

__all__ = ["CompetitionDefinition", "Lease", "FleetLedger", "SessionResult", "StartedAttempt"]

#: Hands in one row of a journal.
PART: Final = 256

_outcome = msgspec.json.Decoder(SessionOutcome).decode
_incidents = msgspec.json.Decoder(dict[str, dict[str, int]]).decode
_encode = msgspec.json.Encoder().encode


class Lease(NamedTuple):
    """A competition, by its ``key``, and the ``coordinator`` that has it, or wants it: what another one has
    is given up after so many seconds of ``silence``.
    """

    key: str
    coordinator: str
    silence: float


class CompetitionDefinition(NamedTuple):
    """A competition as nodes get to know it. ``games``: their files, by division."""

    competition: str
    file: str
    games: dict[str, str]
    deck: str
    seed: str


class StartedAttempt(NamedTuple):
    """An attempt that was begun. ``present``: bots that come from elsewhere, and are there to be called."""

    id: int
    competition: str
    session: str
    attempt: int
    present: frozenset[str]


class SessionResult(NamedTuple):
    """A session that is over. ``incidents``: those of bots that belong to no session, since the last one."""

    id: int
    session: str
    outcome: SessionOutcome
    incidents: dict[str, dict[str, int]]


def _decode_result(number: int, session: str, outcome: str, incidents: str) -> SessionResult:
    try:
        return SessionResult(number, session, _outcome(outcome), _incidents(incidents))
    except (msgspec.DecodeError, TypeError) as error:
        raise FleetError("bad_result", f"the result of {session} cannot be read: {error}") from None


class FleetLedger:
    """Competitions in a database that is open. Every method raises what ``Database.retry`` waits for, and
    may be repeated.
    """

    def __init__(self, database: Database, queue: JobQueue) -> None:
        self._database = database
        self._queue = queue

    # For coordinators.

    async def claim_competition(
        self, hold: Lease, competition: Competition, file: str, done: Sequence[str]
    ) -> None:
        """Take a competition, and write it and its sessions down, those that it did not have before.
        ``done``: what needs not be played any more. Raises ``FleetError`` (``competition_in_use``).
        """
        games = json.dumps({name: game.text() for name, game in competition.games.items()})
        chosen = {bot.name for bot in competition.entry.bots if bot.remote} | competition.remembering_bots
        over = set(done)
        order = competition.play_order
        async with self._database.transaction() as connection:
            await connection.execute(
                "WITH held AS (INSERT INTO pokerd.competitions"
                " (competition, name, file, games, deck, seed, coordinator)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (competition) DO UPDATE"
                " SET file = excluded.file, games = excluded.games, state = 'playing', failure = '',"
                " coordinator = excluded.coordinator WHERE competitions.coordinator IS NULL"
                " OR competitions.coordinator = excluded.coordinator"
                " OR competitions.seen < now() - make_interval(secs => %s) RETURNING competition)"
                # What was taken before a crash that lost it with the directory is taken once more.
                " INSERT INTO pokerd.sessions (competition, session, place, remote, state, taken)"
                " SELECT competition, session, place, remote,"
                " CASE WHEN over THEN 'done' ELSE 'waiting' END, over"
                " FROM held, unnest(%s::text[], %s::integer[], %s::boolean[], %s::boolean[])"
                " AS planned (session, place, remote, over) ON CONFLICT (competition, session) DO UPDATE"
                " SET place = excluded.place, taken = sessions.state = 'done' AND excluded.taken,"
                # It came from elsewhere, so its hands were never here: it is played again.
                " state = CASE WHEN sessions.state = 'done' AND NOT excluded.taken"
                " AND sessions.outcome IS NULL THEN 'waiting' ELSE sessions.state END"
                " WHERE sessions.place <> excluded.place"
                " OR (sessions.state = 'done' AND sessions.taken <> excluded.taken)",
                (
                    *(hold.key, competition.name, file, games, competition.entry.deck),
                    *(competition.seed_text, hold.coordinator, hold.silence),
                    [session.name for session in order],
                    list(range(len(order))),
                    [not chosen.isdisjoint(session.players) for session in order],
                    [session.name in over for session in order],
                ),
            )
            await self._renew_lease(connection, hold)

    async def renew_lease(self, hold: Lease) -> str:
        """Show a sign of life: what went wrong at a node that must not be played on with, or nothing. Raises
        ``FleetError`` (``unknown_competition``, ``competition_in_use``).
        """
        async with self._database.transaction() as connection:
            return await self._renew_lease(connection, hold)

    async def _renew_lease(self, connection: Connection, hold: Lease) -> str:
        cursor = await connection.execute(
            "UPDATE pokerd.competitions SET seen = clock_timestamp()"
            " WHERE competition = %s AND coordinator = %s RETURNING failure",
            (hold.key, hold.coordinator),
        )
        row = await cursor.fetchone()
        if row is None:
            await self._raise_lost_lease(connection, hold)
        return str(row[0])

    async def _raise_lost_lease(self, connection: Connection, hold: Lease) -> NoReturn:
        """Somebody else has it, or nobody. Raises ``FleetError``."""
        cursor = await connection.execute(
            "SELECT coordinator FROM pokerd.competitions WHERE competition = %s", (hold.key,)
        )
        row = await cursor.fetchone()
        if row is None:
            raise FleetError("unknown_competition", "the database does not know the competition any more")
        raise FleetError(
            "competition_in_use",
            f"another coordinator plays it, in {row[0]}; one that was killed counts as silent after"
            f" {hold.silence:g} seconds"
            if row[0]
            else "another coordinator has played it to its end",
        )

    async def has_competition(self, key: str) -> bool:
        """Whether it has a competition."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT FROM pokerd.competitions WHERE competition = %s", (key,)
            )
            return await cursor.fetchone() is not None

    async def finish_competition(self, hold: Lease) -> None:
        """A competition is over: nodes may forget it, and nobody has it any more."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "UPDATE pokerd.competitions SET state = 'done', coordinator = NULL"
                " WHERE competition = %s AND coordinator = %s",
                (hold.key, hold.coordinator),
            )

    async def requeue_orphaned(self, key: str) -> int:
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

    async def count_queued(self, key: str) -> tuple[int, int]:
        """Sessions that have a job, and those of them that are being played."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT count(*), count(*) FILTER (WHERE state = 'playing') FROM pokerd.sessions"
                " WHERE competition = %s AND state <> 'done' AND job IS NOT NULL",
                (key,),
            )
            row = await cursor.fetchone()
        assert row is not None
        return int(row[0]), int(row[1])

    async def enqueue(self, key: str, count: int) -> int:
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
            jobs = await self._queue.enqueue(numbers, connection, again=again) if rows else []
            await connection.execute(
                "UPDATE pokerd.sessions SET job = new.job"
                " FROM unnest(%s::bigint[], %s::bigint[]) AS new (job, id) WHERE sessions.id = new.id",
                (jobs, numbers),
            )
        return len(rows)

    async def pending_results(self, key: str) -> list[SessionResult]:
        """Sessions that are over and were not taken yet, a few of them. Raises ``FleetError``
        (``bad_result``).
        """
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT id, session, outcome, incidents FROM pokerd.sessions"
                " WHERE competition = %s AND state = 'done' AND NOT taken LIMIT 16",
                (key,),
            )
            rows = await cursor.fetchall()
        return [_decode_result(*row) for row in rows]

    async def journal_lines(self, result: SessionResult) -> list[str]:
        """The journal lines of a session that is over."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT lines FROM pokerd.journals WHERE session = %s ORDER BY part", (result.id,)
            )
            return [line for (part,) in await cursor.fetchall() for line in part.splitlines(keepends=True)]

    async def mark_taken(self, hold: Lease, result: SessionResult) -> None:
        """A result is where it belongs, and that is a sign of life. Raises ``FleetError``, also when another
        coordinator takes the competition in this moment: what we have, it has not.
        """
        async with self._database.transaction() as connection:
            await self._renew_lease(connection, hold)
            await connection.execute("UPDATE pokerd.sessions SET taken = true WHERE id = %s", (result.id,))

    # For nodes.

    async def begin_attempt(self, session: int, job: int, node: str, url: str) -> StartedAttempt | None:
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
        return StartedAttempt(session, competition, name, attempt, frozenset(present))

    async def report_attempt(
        self,
        started: StartedAttempt,
        outcome: SessionOutcome,
        incidents: Mapping[str, Mapping[str, int]],
        lines: Sequence[str],
    ) -> bool:
        """A session is over: write its outcome and its hands. False if another attempt has begun, or has come
        to its end; then nothing was changed.
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
                (_encode(outcome).decode(), json.dumps(incidents), started.id, started.attempt, parts),
            )
            return await cursor.fetchone() is not None or await self._was_reported(connection, started)

    async def _was_reported(self, connection: Connection, started: StartedAttempt) -> bool:
        """Whether it was this very attempt that was reported, by a word whose answer was lost."""
        cursor = await connection.execute(
            "SELECT count(*) FROM pokerd.attempts WHERE session = %s AND attempt = %s AND state = 'done'",
            (started.id, started.attempt),
        )
        row = await cursor.fetchone()
        return row is not None and row[0] > 0

    async def release_attempt(self, started: StartedAttempt) -> None:
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

    async def current_attempts(self, sessions: Sequence[int]) -> dict[int, int]:
        """The attempts that count, by session, also of those that are over; none of what is deleted."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT id, attempt FROM pokerd.sessions WHERE id = ANY(%s)", (list(sessions),)
            )
            return {int(number): int(attempt) for number, attempt in await cursor.fetchall()}

    async def fail_competition(self, started: StartedAttempt, why: str) -> None:
        """Pokerd itself failed at a session: nobody shall play on."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "UPDATE pokerd.competitions SET state = 'failed', failure = %s WHERE competition = %s",
                (why, started.competition),
            )

    async def load_competition(self, key: str) -> CompetitionDefinition:
        """A competition. Raises ``FleetError`` (``unknown_competition``)."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT file, games, deck, seed FROM pokerd.competitions WHERE competition = %s", (key,)
            )
            row = await cursor.fetchone()
        if row is None:
            raise FleetError("unknown_competition", f"the database does not know the competition {key}")
        file, games, deck, seed = row
        return CompetitionDefinition(key, file, json.loads(games), deck, seed)

    async def unfinished_competitions(self, keys: Sequence[str]) -> set[str]:
        """Those of some competitions that are not over."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT competition FROM pokerd.competitions"
                " WHERE state = 'playing' AND competition = ANY(%s)",
                (list(keys),),
            )
            return {str(key) for (key,) in await cursor.fetchall()}
