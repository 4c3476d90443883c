"""The ladder's database: authors, versions and matches, in one SQLite file."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, LiteralString

from dealer.luck.declared import ChanceSums, DeclaredChances
from dealer.luck.value import shipped_value
from dealer.ratings.dice import DiceSums
from dealer.ratings.results import LineUpSums, Results
from server.ladder.errors import LadderError
from server.ladder.records import (
    LADDER_SCHEMA,
    NEXT_STATES,
    PLAYING,
    Author,
    Kind,
    Match,
    MatchResult,
    Scored,
    Version,
    VersionState,
    Why,
    Work,
    chances_data,
    chances_of,
    dice_sums_of,
    match_of,
    result_texts,
    sums_of,
    version_of,
)
from server.storage.sqlite import connect, connect_memory, migrate, unusable_error, verify_connection

_Statement = tuple[str, tuple[Any, ...]]

LADDER_DB_NAME: Final = "ladder.db"
#: The fact with the hash of the organiser's token.
ORGANISER: Final = "organiser"
#: The fact with the season whose final was played last.
FINAL: Final = "final"
#: Rows of old matches that are added up in one transaction: it must not take long.
_AT_ONCE: Final = 200


class LadderStore:
    """The database of the ladder in ``folder``; only matches of the ``season`` count. If there is none,
    ``make`` it, or read an empty one without a file. Raises ``StateError``.
    """

    def __init__(self, folder: Path, season: str, *, make: bool = True) -> None:
        self.season = season
        self.path = folder / LADDER_DB_NAME
        self._data_version = 0
        self._untrue: frozenset[str] | None = None
        new = not self.path.exists()
        if new and make:
            self.path.touch(mode=0o600)
        try:
            self._db = connect(self.path) if make or not new else connect_memory()
            if not new:
                verify_connection(self._db, self.path, LADDER_SCHEMA, thorough=False)
            migrate(self._db, LADDER_SCHEMA)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            if self.fact("frozen") == "yes":  # before each season had a freeze of its own
                self.freeze(undo=False)
                self.set_fact("frozen", "")
        except sqlite3.Error as error:
            raise unusable_error(self.path, error) from None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def others_wrote(self) -> bool:
        """Return whether another connection has written since the last call (SQLite, ``data_version``)."""
        before = self._data_version
        (self._data_version,) = self._db.execute("PRAGMA data_version").fetchone()
        return before != self._data_version

    # Facts.

    def fact(self, name: str) -> str | None:
        """Return a fact of the ladder."""
        row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        """Store a fact."""
        self._write(("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value)))

    def key(self) -> bytes:
        """Return the secret of this ladder, from which its cards follow."""
        known = self.fact("key")
        if known is None:
            known = secrets.token_hex(32)
            self.set_fact("key", known)
        return bytes.fromhex(known)

    @property
    def frozen(self) -> bool:
        """Whether no more versions are taken this season."""
        return self.fact(f"frozen {self.season}") == "yes"

    def freeze(self, *, undo: bool) -> None:
        """Note that no more versions are taken this season, or that they are taken again."""
        self.set_fact(f"frozen {self.season}", "" if undo else "yes")

    @property
    def value_function(self) -> str:
        """The SHA-256 of the value function that takes out luck all season: pokerd's own before it begins."""
        return self.fact(f"value function of {self.season}") or shipped_value().digest

    def season_matches(self) -> list[int]:
        """Return the numbers of the matches of this season that were played, the newest first."""
        rows = self._db.execute(
            "SELECT number FROM matches WHERE season = ? AND state = 'done' ORDER BY number DESC",
            (self.season,),
        )
        return [number for (number,) in rows]

    def set_value_function(self, digest: str) -> None:
        """Store the value function of the season."""
        self.set_fact(f"value function of {self.season}", digest)

    def take_over_matches(self) -> None:
        """Let matches that an earlier season left queued or in progress count in this one."""
        self._write(("UPDATE matches SET season = ? WHERE state IN ('queued', 'playing')", (self.season,)))

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
        return [version_of(row) for row in rows]

    def version(self, name: str) -> Version:
        """Return a version. Raises ``LadderError`` (``unknown_bot``)."""
        row = self._db.execute("SELECT * FROM versions WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise LadderError("unknown_bot", f"there is no version {name!r}")
        return version_of(row)

    def house_bots(self) -> list[str]:
        """Return the house bots that play or have played."""
        return [row[0] for row in self._db.execute("SELECT bot FROM versions WHERE kind = 'house'")]

    def put_house(self, bots: Collection[str], now: float) -> None:
        """Let exactly these house bots play; of those that no longer do, everything stays readable."""
        known = {one.name: one for one in self.versions() if one.kind == "house"}
        for bot in bots:
            if bot not in known:
                self.add_version(bot, "house", "", (), "rated", now)
            elif known[bot].state == "replaced":
                self.set_state(bot, "rated", now)
        for name, version in known.items():
            if name not in bots and version.plays:
                self.set_state(name, "replaced", now, "it was taken out of ladder.toml")

    def playing(self) -> list[Version]:
        """Return the versions in the field, by name."""
        return self.versions_in(*PLAYING)

    def versions_in(self, *states: VersionState) -> list[Version]:
        """Return the versions in these states, by name."""
        marks = ", ".join("?" * len(states))
        rows = self._db.execute(f"SELECT * FROM versions WHERE state IN ({marks}) ORDER BY name", states)  # noqa: S608
        return [version_of(row) for row in rows]

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
        first: Sequence[Sequence[str]] = (),
    ) -> None:
        """Move a version to its next state. When it is ready, its ``first`` matches are queued, and whichever
        version of the bot has played so far is replaced; unless that is newer, which replaces it.
        """
        mine = self.version(name)
        before = next((one for one in self.playing() if state == "ready" and one.bot == mine.bot), None)
        if before is not None and before.number > mine.number:
            state, reason, first, before = "replaced", f"{before.name} plays in its place", (), None
        statements = self._move(name, state, now, reason)
        if before is not None:
            statements += self._move(before.name, "replaced", now, f"{name} plays in its place")
        statements += [self._queue(line_up, "first", now, "", counts=True)[1] for line_up in first]
        self._write(*statements)

    def _move(self, name: str, state: VersionState, now: float, reason: str) -> list[_Statement]:
        """Return what moves a version; one that does not play any more leaves no match behind."""
        before = self.version(name).state
        assert state in NEXT_STATES[before], f"{before} -> {state}"
        statements: list[_Statement] = [
            (
                "UPDATE versions SET state = ?, reason = ?, settled_at = ? WHERE name = ?",
                (state, reason, now, name),
            )
        ]
        if state in ("replaced", "refused"):
            statements.append(
                (
                    """
                    UPDATE matches SET state = 'failed', ended_at = ?, reason = ? WHERE state = 'queued'
                    AND EXISTS (SELECT 1 FROM json_each(line_up) WHERE value = ?)
                    """,
                    (now, f"{name} was {state}", name),
                )
            )
        return statements

    # Matches.

    def add_match(
        self, line_up: Sequence[str], why: Why, now: float, asked_by: str = "", *, counts: bool = True
    ) -> Match:
        """Queue a match and return it."""
        match, statement = self._queue(line_up, why, now, asked_by, counts=counts)
        self._write(statement)
        return match

    def _queue(
        self, line_up: Sequence[str], why: Why, now: float, asked_by: str, *, counts: bool
    ) -> tuple[Match, _Statement]:
        (last,) = self._db.execute("SELECT coalesce(max(number), 0) FROM matches").fetchone()
        match = Match(
            last + 1, tuple(sorted(line_up)), why, counts, asked_by, "queued", now, None, 0.0, None, {}, ""
        )
        # The number is given when the row is written: several may be queued at once.
        row = (self.season, json.dumps(match.line_up), *match[2:9], None, "{}", "")
        return match, (
            """
            INSERT INTO matches
            SELECT coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL FROM matches
            """,
            row,
        )

    def start_match(self, number: int) -> int:
        """Record that a match is being played, and return the how manieth it is that was begun."""
        self._write(
            (
                """
                UPDATE matches SET state = 'playing',
                begun = iif(begun, begun, (SELECT coalesce(max(begun), 0) + 1 FROM matches)) WHERE number = ?
                """,
                (number,),
            )
        )
        (begun,) = self._db.execute("SELECT begun FROM matches WHERE number = ?", (number,)).fetchone()
        return int(begun)

    def end_match(
        self,
        number: int,
        now: float,
        seconds: float,
        result: MatchResult | None,
        incidents: Mapping[str, Mapping[str, int]],
        reason: str = "",
        moves: Mapping[str, tuple[VersionState, str]] = {},
    ) -> None:
        """Store the result of a match, or with a ``reason`` that it failed; and to which states its versions
        move because of it, with the reasons.
        """
        state, texts = ("failed", (None, None)) if result is None else ("done", result_texts(*result))
        values = (state, now, seconds, *texts, json.dumps(incidents), reason, number)
        statements: list[_Statement] = [
            (
                """
                UPDATE matches SET state = ?, ended_at = ?, seconds = ?, result = ?, dice = ?, incidents = ?,
                reason = ? WHERE number = ?
                """,
                values,
            )
        ]
        statements += [
            (
                """
                INSERT INTO work VALUES (?, ?, ?) ON CONFLICT (bot) DO UPDATE
                SET incidents = incidents + excluded.incidents, seconds = seconds + excluded.seconds
                """,
                (name.partition("@")[0], sum(incidents.get(name, {}).values()), seconds),
            )
            for name in self.match(number).line_up
        ]
        told = (result.chances if result is not None else None) or {}
        known = self.chances() if told else {}
        for name, sums in told.items():
            added = chances_data(known.get(name, ChanceSums()).plus(sums))
            statements.append(("INSERT OR REPLACE INTO chances VALUES (?, ?)", (name, json.dumps(added))))
        for name, (next_state, why) in moves.items():
            statements += self._move(name, next_state, now, why)
        self._write(*statements)
        if told:
            self._untrue = None

    def chances(self) -> dict[str, ChanceSums]:
        """Return what each version that declares its chances has declared in all its matches."""
        return {name: chances_of(text) for name, text in self._db.execute("SELECT * FROM chances")}

    @property
    def untrue(self) -> frozenset[str]:
        """The versions whose declared chances are not believed. Their dice are in all results."""
        if self._untrue is None:
            told = self.chances().items()
            self._untrue = frozenset(name for name, sums in told if not DeclaredChances.of(sums).believed)
        return self._untrue

    def _counted(self, sums: str, dice: str | None) -> LineUpSums:
        """Return the sums that count as long as nobody else is untrue."""
        if dice is None or not self.untrue:
            return sums_of(sums)
        return dice_sums_of(sums, dice).with_dice_of(self.untrue)

    def work(self) -> dict[str, Work]:
        """Return the work of each bot."""
        return {bot: Work(*rest) for bot, *rest in self._db.execute("SELECT * FROM work")}

    def add_up(self, until: int) -> None:
        """Replace the rows of matches that ended, up to this number, by the sums that ratings need."""
        rows = self._db.execute(
            "SELECT number, season, line_up, counts, result, dice FROM matches"
            " WHERE number <= ? AND state IN ('done', 'failed') LIMIT ?",
            (until, _AT_ONCE),
        ).fetchall()
        if not rows:
            return
        found: dict[tuple[str, str], DiceSums] = {}
        for _, *key, counts, result, dice in rows:
            if counts and result is not None:
                place, sums = (key[0], key[1]), dice_sums_of(result, dice)
                if place not in found:
                    known = self._db.execute(
                        "SELECT result, dice FROM sums WHERE season = ? AND line_up = ?", place
                    ).fetchone()
                    found[place] = sums if known is None else sums.plus(dice_sums_of(*known))
                else:
                    found[place] = found[place].plus(sums)
        self._write(
            *(
                ("INSERT OR REPLACE INTO sums VALUES (?, ?, ?, ?)", (*place, *result_texts(sums, {})))
                for place, sums in found.items()
            ),
            *(("DELETE FROM matches WHERE number = ?", (row[0],)) for row in rows),
        )

    def remove_sums(self, versions: Sequence[str]) -> None:
        """Forget the sums of the line-ups in which any of these versions played."""
        self._write(
            (
                """
                DELETE FROM sums WHERE EXISTS (
                    SELECT 1 FROM json_each(line_up) AS player, json_each(?) AS gone
                    WHERE player.value = gone.value
                )
                """,
                (json.dumps(list(versions)),),
            )
        )

    def match(self, number: int) -> Match:
        """Return a match. Raises ``LadderError`` (``unknown_match``)."""
        row = self._db.execute("SELECT * FROM matches WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise LadderError("unknown_match", f"there is no match {number}")
        return match_of(row)

    def matches(self, *states: str, last: int | None = None) -> list[Match]:
        """Return the matches in these states, or all, by number; at most the ``last``."""
        where = f" WHERE state IN ({', '.join('?' * len(states))})" if states else ""
        limit = -1 if last is None else last
        rows = self._db.execute(
            f"SELECT * FROM (SELECT * FROM matches{where} ORDER BY number DESC LIMIT ?) ORDER BY number",  # noqa: S608
            (*states, limit),
        )
        return [match_of(row) for row in rows]

    def count_challenges(self, author: str, since: float) -> int:
        """Return how many challenges an author has asked for since a time."""
        (count,) = self._db.execute(
            "SELECT count(*) FROM matches WHERE asked_by = ? AND asked_by != '' AND queued_at > ?",
            (author, since),
        ).fetchone()
        return int(count)

    def matches_of(self, bot: str, last: int = 100) -> list[Match]:
        """Return the newest matches in which any version of a bot played, by number."""
        rows = self._db.execute(
            "SELECT * FROM matches WHERE number IN (SELECT DISTINCT seats.number FROM versions"
            " JOIN seats ON seats.version = versions.name WHERE versions.bot = ?"
            " ORDER BY seats.number DESC LIMIT ?) ORDER BY number",
            (bot, last),
        )
        return [match_of(row) for row in rows]

    def last_matches(self) -> dict[str, int]:
        """Return the number of the last match that each version has begun."""
        return self._last("number")

    def last_begun(self) -> dict[str, int]:
        """Return the same in the order in which matches were begun, as ``start_match`` counts them."""
        return self._last("begun")

    def _last(self, column: LiteralString) -> dict[str, int]:
        rows = self._db.execute(
            f"SELECT player.value, max({column}) FROM matches, json_each(matches.line_up) AS player"  # noqa: S608
            " WHERE begun AND season = ? GROUP BY 1",
            (self.season,),
        )
        return {str(name): int(number) for name, number in rows}

    def results(self) -> Results:
        """Return the results of all matches of the season that count."""
        found: dict[str, LineUpSums] = {}
        for line_up, result, dice in self._db.execute(
            "SELECT line_up, result, dice FROM sums WHERE season = ? UNION ALL"
            " SELECT line_up, result, dice FROM matches WHERE state = 'done' AND counts AND season = ?",
            (self.season, self.season),
        ):
            sums = self._counted(result, dice)
            found[line_up] = found[line_up].plus(sums) if line_up in found else sums
        return Results({tuple(json.loads(line_up)): sums for line_up, sums in found.items()})

    def scored(self, after: tuple[float, int], most: int) -> list[Scored]:
        """Return the results of at most so many matches of the season that count, in the order in which they
        ended, from after the one that ended at ``after`` (when, and its number) on.
        """
        rows = self._db.execute(
            "SELECT number, ended_at, line_up, result, dice FROM matches WHERE state = 'done' AND counts"
            " AND season = ? AND (ended_at, number) > (?, ?) ORDER BY ended_at, number LIMIT ?",
            (self.season, *after, most),
        )
        return [
            Scored(number, at, tuple(json.loads(line_up)), self._counted(result, dice))
            for number, at, line_up, result, dice in rows
        ]

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
        return [match_of(row) for row in rows]

    def _write(self, *statements: _Statement) -> None:
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
