"""The ladder's database: authors, versions and matches, in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from dealer.ratings.results import LineUpSums, Results
from server.ladder.errors import LadderError
from server.ladder.records import NEXT_STATES, Author, Kind, Match, Scored, Version, VersionState, Why
from server.storage.sqlite import Schema, connect, migrate, unusable_error, verify_connection

LADDER_DB_NAME: Final = "ladder.db"
#: "pkld".
LADDER_SCHEMA: Final = Schema(
    "a ladder",
    0x706B6C64,
    (
        """
        CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE authors (name TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, class TEXT NOT NULL);
        CREATE TABLE versions (
            name TEXT PRIMARY KEY, bot TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL,
            hash TEXT NOT NULL, command TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,
            pushed_at REAL NOT NULL, settled_at REAL
        );
        CREATE INDEX versions_by_bot ON versions (bot, number);
        CREATE TABLE matches (
            number INTEGER PRIMARY KEY, season TEXT NOT NULL, line_up TEXT NOT NULL, why TEXT NOT NULL,
            counts INTEGER NOT NULL,
            asked_by TEXT NOT NULL, state TEXT NOT NULL, queued_at REAL NOT NULL, ended_at REAL,
            seconds REAL NOT NULL, result TEXT, incidents TEXT NOT NULL, reason TEXT NOT NULL
        );
        CREATE INDEX matches_by_state ON matches (state, number);
        """,
    ),
)


class LadderStore:
    """The database of the ladder in ``folder``; only matches of the ``season`` count. Raises
    ``StateError``.
    """

    def __init__(self, folder: Path, season: str) -> None:
        self.season = season
        self.path = folder / LADDER_DB_NAME
        new = not self.path.exists()
        if new:
            self.path.touch(mode=0o600)
        try:
            self._db = connect(self.path)
            if not new:
                verify_connection(self._db, self.path, LADDER_SCHEMA, thorough=False)
            migrate(self._db, LADDER_SCHEMA)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
        except sqlite3.Error as error:
            raise unusable_error(self.path, error) from None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # Facts.

    def fact(self, name: str) -> str | None:
        """Return a fact of the ladder."""
        row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        """Store a fact."""
        self._write(("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value)))

    def remove_fact(self, name: str) -> None:
        """Forget a fact."""
        self._write(("DELETE FROM facts WHERE name = ?", (name,)))

    # Authors.

    def authors(self) -> list[Author]:
        """Return the roster by name."""
        return [Author(*row) for row in self._db.execute("SELECT * FROM authors ORDER BY name")]

    def author_by_hash(self, hashed: str) -> Author | None:
        """Return who has the token with this hash."""
        row = self._db.execute("SELECT * FROM authors WHERE hash = ?", (hashed,)).fetchone()
        return None if row is None else Author(*row)

    def put_authors(self, authors: Iterable[Author]) -> None:
        """Add authors, or change their tokens and groups."""
        self._write(*(("INSERT OR REPLACE INTO authors VALUES (?, ?, ?)", tuple(one)) for one in authors))

    # Versions.

    def versions(self, bot: str | None = None) -> list[Version]:
        """Return all versions, or those of a bot, oldest first."""
        where, values = ("", ()) if bot is None else (" WHERE bot = ?", (bot,))
        rows = self._db.execute(f"SELECT * FROM versions{where} ORDER BY bot, number", values)  # noqa: S608
        return [_version(row) for row in rows]

    def version(self, name: str) -> Version:
        """Return a version. Raises ``LadderError`` (``unknown_bot``)."""
        row = self._db.execute("SELECT * FROM versions WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise LadderError("unknown_bot", f"there is no version {name!r}")
        return _version(row)

    def playing(self) -> list[Version]:
        """Return the versions in the field, by name."""
        return sorted(version for version in self.versions() if version.plays)

    def add_version(
        self, bot: str, kind: Kind, hashed: str, command: Sequence[str], state: VersionState, now: float
    ) -> Version:
        """Add the next version of a bot, and return it. House bots have a single one, named as they are."""
        number = max((version.number for version in self.versions(bot)), default=0) + 1
        name = bot if kind == "house" else f"{bot}@{number}"
        version = Version(name, bot, number, kind, hashed, tuple(command), state, "", now, None)
        row = (*version[:5], json.dumps(version.command), *version[6:])
        self._write(("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row))
        return version

    def set_state(
        self,
        name: str,
        state: VersionState,
        now: float,
        reason: str = "",
        command: Sequence[str] | None = None,
    ) -> None:
        """Move a version to its next state. Whichever version of the bot has played so far is replaced when
        this one is ready.
        """
        version = self.version(name)
        assert state in NEXT_STATES[version.state], f"{version.state} -> {state}"
        statements: list[tuple[str, tuple[Any, ...]]] = [
            (
                "UPDATE versions SET state = ?, reason = ?, settled_at = ?, command = ? WHERE name = ?",
                (state, reason, now, json.dumps(version.command if command is None else command), name),
            )
        ]
        if state == "ready":
            statements += [
                ("UPDATE versions SET state = 'replaced', settled_at = ? WHERE name = ?", (now, old.name))
                for old in self.versions(version.bot)
                if old.plays and old.name != name
            ]
        self._write(*statements)

    def set_command(self, name: str, command: Sequence[str]) -> None:
        """Change the command of a version."""
        self._write(("UPDATE versions SET command = ? WHERE name = ?", (json.dumps(list(command)), name)))

    # Matches.

    def add_match(
        self, line_up: Sequence[str], why: Why, now: float, asked_by: str = "", *, counts: bool = True
    ) -> Match:
        """Queue a match and return it."""
        (last,) = self._db.execute("SELECT coalesce(max(number), 0) FROM matches").fetchone()
        match = Match(
            last + 1, tuple(sorted(line_up)), why, counts, asked_by, "queued", now, None, 0.0, None, {}, ""
        )
        row = (match.number, self.season, json.dumps(match.line_up), *match[2:9], None, "{}", "")
        self._write(("INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row))
        return match

    def start_match(self, number: int) -> None:
        """Record that a match is being played."""
        self._write(("UPDATE matches SET state = 'playing' WHERE number = ?", (number,)))

    def end_match(
        self,
        number: int,
        now: float,
        seconds: float,
        sums: LineUpSums | None,
        incidents: Mapping[str, Mapping[str, int]],
        reason: str = "",
    ) -> None:
        """Store the result of a match, or with a ``reason`` that it failed."""
        result = None if sums is None else json.dumps([sums.deal_sets, sums.sums, sums.products])
        state = "failed" if sums is None else "done"
        values = (state, now, seconds, result, json.dumps(incidents), reason, number)
        self._write(
            (
                """
                UPDATE matches SET state = ?, ended_at = ?, seconds = ?, result = ?, incidents = ?, reason = ?
                WHERE number = ?
                """,
                values,
            )
        )

    def match(self, number: int) -> Match:
        """Return a match. Raises ``LadderError`` (``unknown_match``)."""
        row = self._db.execute("SELECT * FROM matches WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise LadderError("unknown_match", f"there is no match {number}")
        return _match(row)

    def matches(self, *states: str, last: int | None = None) -> list[Match]:
        """Return the matches in these states, or all, by number; at most the ``last``."""
        where = f" WHERE state IN ({', '.join('?' * len(states))})" if states else ""
        limit = -1 if last is None else last
        rows = self._db.execute(
            f"SELECT * FROM (SELECT * FROM matches{where} ORDER BY number DESC LIMIT ?) ORDER BY number",  # noqa: S608
            (*states, limit),
        )
        return [_match(row) for row in rows]

    def matches_of(self, bot: str, last: int = 100) -> list[Match]:
        """Return the newest matches in which any version of a bot played, by number."""
        rows = self._db.execute(
            "SELECT * FROM (SELECT matches.* FROM matches, json_each(matches.line_up) AS player"
            " JOIN versions ON versions.name = player.value WHERE versions.bot = ?"
            " ORDER BY number DESC LIMIT ?) ORDER BY number",
            (bot, last),
        )
        return [_match(row) for row in rows]

    def last_matches(self) -> dict[str, int]:
        """Return the number of the last match that each version has begun."""
        rows = self._db.execute(
            "SELECT player.value, max(number) FROM matches, json_each(matches.line_up) AS player"
            " WHERE state != 'queued' AND season = ? GROUP BY 1",
            (self.season,),
        )
        return {str(name): int(number) for name, number in rows}

    def results(self) -> Results:
        """Return the results of all matches of the season that count."""
        results = Results()
        for line_up, result in self._db.execute(
            "SELECT line_up, result FROM matches WHERE state = 'done' AND counts AND season = ?",
            (self.season,),
        ):
            deal_sets, sums, products = json.loads(result)
            results.merge(
                Results({tuple(json.loads(line_up)): LineUpSums(deal_sets, tuple(sums), tuple(products))})
            )
        return results

    def scored(self, after: tuple[float, int], most: int) -> list[Scored]:
        """Return the results of at most so many matches of the season that count, in the order in which they
        ended, from after the one that ended at ``after`` (when, and its number) on.
        """
        rows = self._db.execute(
            "SELECT number, ended_at, line_up, result FROM matches WHERE state = 'done' AND counts"
            " AND season = ? AND (ended_at, number) > (?, ?) ORDER BY ended_at, number LIMIT ?",
            (self.season, *after, most),
        )
        found = []
        for number, at, line_up, result in rows:
            deal_sets, sums, products = json.loads(result)
            found.append(
                Scored(
                    number,
                    at,
                    tuple(json.loads(line_up)),
                    LineUpSums(deal_sets, tuple(sums), tuple(products)),
                )
            )
        return found

    def count_scored(self) -> int:
        """Return how many matches of the season count."""
        (count,) = self._db.execute(
            "SELECT count(*) FROM matches WHERE state = 'done' AND counts AND season = ?", (self.season,)
        ).fetchone()
        return int(count)

    def matches_with(self, version: str, after: int) -> list[Match]:
        """Return the finished matches of a version whose numbers are above ``after``, newest first."""
        rows = self._db.execute(
            "SELECT matches.* FROM matches, json_each(matches.line_up) AS player"
            " WHERE number > ? AND player.value = ? AND state = 'done' ORDER BY number DESC",
            (after, version),
        )
        return [_match(row) for row in rows]

    def _write(self, *statements: tuple[str, tuple[Any, ...]]) -> None:
        """Execute all statements or none."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for text, values in statements:
                self._db.execute(text, values)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise unusable_error(self.path, error) from None


def _version(row: Sequence[Any]) -> Version:
    return Version._make((*row[:5], tuple(json.loads(row[5])), *row[6:]))


def _match(row: Sequence[Any]) -> Match:
    number, _, line_up, why, counts, *rest, result, incidents, reason = row
    parsed = None if result is None else tuple(json.loads(result))
    return Match._make(
        (number, tuple(json.loads(line_up)), why, bool(counts), *rest, parsed, json.loads(incidents), reason)
    )
