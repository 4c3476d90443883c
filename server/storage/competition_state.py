"""The durable state of a competition: its seed, its sessions and every hand, in one SQLite file.

A session may take several *attempts*: one that was cut is dealt again from its start, and the hands of the
cut attempt are kept but never scored. Everything else in a competition's directory can be derived from this
file.

Recorded hands wait in memory until ``commit``. The house commits before any frame leaves, so nobody learns of
a hand that is not written. Written means handed to the operating system, which survives a killed process.
``Syncer`` forces it to disk ``SYNC_INTERVAL`` seconds later (SQLite's write-ahead log with ``synchronous =
NORMAL``).
"""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Annotated, Any, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from dealer.match import Session
from dealer.records.journal import hand_line
from dealer.rules.events import Event
from server.storage.sqlite import STATE_SCHEMA, StateError, Syncer, connect, migrate, unusable_error, verify
from server.telemetry.logger import get_logger
from server.telemetry.metrics import COMMIT_SECONDS

log = get_logger("pokerd.state")

#: Facts of a competition that a fleet plays: its key in the database, and that it was entered there.
FLEET: Final = "fleet", "fleet_entered"
#: How many hands may wait for a commit if nobody is watching.
MAX_PENDING: Final = 64
#: Seconds to wait for another process that writes, and how often to look before sleeping in between.
_BUSY_SECONDS: Final = 60.0
_BUSY_YIELDS: Final = 100


class SessionOutcome(msgspec.Struct, frozen=True):
    """How a session ended: its number of hands, net chips and incidents by seat, the finishing order of a
    tournament, and the SHA-256 of its hands' journal lines.
    """

    hands: int
    totals: tuple[int | float, ...]
    incidents: tuple[dict[str, Annotated[int, Meta(ge=1)]], ...]
    digest: str
    places: tuple[int, ...] | None = None


class Attempt(NamedTuple):
    """One attempt at a session. ``outcome`` is set if ``state`` is ``done``."""

    number: int
    session: str
    state: Literal["playing", "cut", "done"]
    outcome: SessionOutcome | None


class _AttemptRow(NamedTuple):
    """The same as a database row: the outcome is JSON."""

    number: int
    session: str
    state: Literal["playing", "cut", "done"]
    outcome: str | None


#: Lets other processes run, without a pause.
_yield_core: Final[Callable[[], None]] = getattr(os, "sched_yield", lambda: time.sleep(0))
_T = TypeVar("_T")
_encode = msgspec.json.Encoder().encode
_outcome = msgspec.json.Decoder(SessionOutcome).decode
_incidents = msgspec.json.Decoder(dict[str, Annotated[int, Meta(ge=1)]]).decode


class CompetitionState:
    """The file at ``path``. Nothing is written before ``prepare``, except to migrate an old schema.

    Raises ``StateError`` and leaves the file unchanged if it cannot be used. ``read_only``: change nothing,
    and skip the check for damage. ``on_failure`` is called once, when the file can no longer be written.
    ``shared``: another process has checked and prepared the file, writes to it too, and syncs it.
    """

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        on_failure: Callable[[], None] | None = None,
        shared: bool = False,
    ) -> None:
        self.path = path
        self.failure: Exception | None = None
        self._on_failure = on_failure
        self._pending: list[tuple[int, str]] = []
        self._shared = shared
        self._syncer: Syncer | None = None
        try:
            verify(path, STATE_SCHEMA, thorough=not read_only and not shared)
            self._db = connect(path, read_only=read_only)
        except sqlite3.Error as error:
            raise unusable_error(path, error) from None
        try:
            if not read_only:
                migrate(self._db, STATE_SCHEMA)
            if shared:
                # SQLite would sleep for whole milliseconds until another process has written its hands.
                self._db.execute("PRAGMA busy_timeout=0")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._db.execute("PRAGMA wal_autocheckpoint=0")
        except sqlite3.Error as error:
            self._db.close()
            raise unusable_error(path, error) from None

    def prepare(self) -> None:
        """Prepare for writing. Raises ``StateError`` (``not_stored``)."""
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("PRAGMA wal_autocheckpoint=0")
            # Deleted data, such as tokens, must not remain in the file.
            self._db.execute("PRAGMA secure_delete=ON")
        except sqlite3.Error as error:
            raise StateError("not_stored", f"{self.path} cannot be written: {error}") from None
        self._syncer = Syncer(self.path)

    def close(self, *, single_file: bool = False) -> None:
        """Write pending hands and close the file. ``single_file``: leave one file that can be copied."""
        if self._shared:
            self.commit()
        if self._syncer is not None:
            self.commit()
            self._syncer.close()
            self._syncer = None
            if single_file:
                # While another program reads the file, its write-ahead log stays beside it.
                with suppress(sqlite3.OperationalError):
                    self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()

    # Writing.

    def add_hand(self, attempt: int, line: str) -> None:
        """Add one finished hand of an attempt; ``commit`` writes it."""
        self._pending.append((attempt, line))
        if len(self._pending) >= MAX_PENDING:
            self.commit()

    def commit(self) -> bool:
        """Write pending hands. Return False if writing fails or has failed; then nothing may be published."""
        if self._pending:
            self._write()
        return self.failure is None

    def _write(self, *statements: tuple[str, tuple[Any, ...]]) -> None:
        """Write the pending hands, then execute ``statements``, in one transaction."""
        if self.failure is not None:
            return
        db = self._db
        begun = time.perf_counter()
        try:
            self._begin()
            db.executemany("INSERT INTO hands VALUES (?, ?)", self._pending)
            for statement, values in statements:
                db.execute(statement, values)
            db.execute("COMMIT")
            self._pending.clear()
            COMMIT_SECONDS.observe(time.perf_counter() - begun)
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            self.mark_failed(error)

    def _begin(self) -> None:
        """Begin a transaction. If the file is shared, wait for the other processes' transactions."""
        until = time.monotonic() + _BUSY_SECONDS
        for attempt in itertools.count():
            try:
                self._db.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not self._shared or error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > until:
                    raise
            # A transaction takes some 15 microseconds, or milliseconds if its process must wait for a core.
            if attempt < _BUSY_YIELDS:
                _yield_core()
            else:
                time.sleep(0.0005)

    def mark_failed(self, error: Exception) -> None:
        """Record that nothing can be stored any more."""
        if self.failure is None:
            log.critical("the state cannot be written", path=str(self.path), error=str(error))
            self.failure = error
            if self._on_failure is not None:
                self._on_failure()

    def _write_or_raise(self, *statements: tuple[str, tuple[Any, ...]]) -> None:
        self._write(*statements)
        if self.failure is not None:
            raise StateError("not_stored", f"{self.path} cannot be written: {self.failure}")

    def set_facts(self, facts: Mapping[str, str]) -> None:
        """Store facts by name; delete those with an empty value."""
        self._write_or_raise(
            *(("INSERT OR REPLACE INTO facts VALUES (?, ?)", fact) for fact in facts.items() if fact[1]),
            *(("DELETE FROM facts WHERE name = ?", (name,)) for name, value in facts.items() if not value),
        )

    def begin_attempt(self, session: str) -> int:
        """Begin an attempt at a session and return its number."""
        # SQLite chooses the number: the greatest one so far and 1.
        self._write_or_raise(("INSERT INTO attempts VALUES (NULL, ?, 'playing', NULL)", (session,)))
        (number,) = self._db.execute("SELECT last_insert_rowid()").fetchone()
        return int(number)

    def finish_attempts(
        self, outcomes: Mapping[int, SessionOutcome], connections: Mapping[str, Mapping[str, int]]
    ) -> None:
        """Store the outcomes of attempts, by their numbers, in one transaction. ``connections``: incidents
        that belong to no session, by bot.
        """
        finish = "UPDATE attempts SET state = 'done', outcome = ? WHERE attempt = ?"
        self._write_or_raise(
            *((finish, (_encode(outcome).decode(), attempt)) for attempt, outcome in outcomes.items()),
            *map(_connection_statement, connections.items()),
        )

    def save_sessions(
        self,
        played: Sequence[tuple[str, Sequence[str], SessionOutcome]],
        connections: Mapping[str, Mapping[str, int]],
    ) -> None:
        """Store sessions that were played elsewhere, with all their hands, in one transaction."""
        (begin,) = self._db.execute("SELECT ifnull(max(attempt), 0) + 1 FROM attempts").fetchone()
        insert = "INSERT INTO attempts VALUES (?, ?, 'done', ?)"
        statements = []
        for number, (session, lines, outcome) in enumerate(played, begin):
            self._pending += [(number, line) for line in lines]
            statements.append((insert, (number, session, _encode(outcome).decode())))
        self._write_or_raise(*statements, *map(_connection_statement, connections.items()))

    def abort_unfinished(self, connections: Mapping[str, Mapping[str, int]] | None = None) -> None:
        """Mark all attempts in progress as cut."""
        cut = "UPDATE attempts SET state = 'cut' WHERE state = 'playing'"
        self._write_or_raise((cut, ()), *map(_connection_statement, (connections or {}).items()))

    def abort_session(self, session: str) -> None:
        """Mark the attempt in progress at a session, if any, as cut."""
        cut = "UPDATE attempts SET state = 'cut' WHERE state = 'playing' AND session = ?"
        self._write_or_raise((cut, (session,)))

    # Reading.

    def facts(self) -> dict[str, str]:
        """Return all facts by name. Raises ``StateError``."""
        return dict(self._rows("SELECT name, value FROM facts", tuple[str, str]))

    def connections(self) -> dict[str, dict[str, int]]:
        """Return the incidents that belong to no session, by bot. Raises ``StateError``."""
        rows = self._rows("SELECT bot, incidents FROM connections", tuple[str, str])
        try:
            return {bot: _incidents(text) for bot, text in rows}
        except msgspec.DecodeError as error:
            raise self.damage_error(error) from None

    def attempts(self) -> list[Attempt]:
        """Return all attempts in the order in which they began. Raises ``StateError``."""
        rows = self._rows(
            "SELECT attempt, session, state, outcome FROM attempts ORDER BY attempt", _AttemptRow
        )
        try:
            return [
                Attempt(number, session, state, _outcome(text or "") if state == "done" else None)
                for number, session, state, text in rows
            ]
        except msgspec.DecodeError as error:
            raise self.damage_error(error) from None

    def journals(self) -> Iterator[tuple[Attempt, list[str]]]:
        """Yield all attempts with the journal lines of their hands. Raises ``StateError``, also if the hands
        of an attempt do not match its outcome.
        """
        attempts = {attempt.number: attempt for attempt in self.attempts()}
        hands = self._rows("SELECT attempt, line FROM hands ORDER BY attempt, rowid", tuple[int, str])
        for number, rows in itertools.groupby(hands, lambda row: row[0]):
            lines = [line for _, line in rows]
            attempt = attempts.pop(number, None)
            if attempt is None or (attempt.outcome and not _matches(attempt.outcome, lines)):
                raise self.damage_error(f"hands of attempt {number} are wrong")
            yield attempt, lines
        for attempt in attempts.values():
            if attempt.outcome is not None:
                raise StateError("bad_state", f"{self.path} has no hands of session {attempt.session}")
            yield attempt, []

    def _rows(self, query: str, shape: type[_T]) -> Iterator[_T]:
        """Yield rows and validate their types, because SQLite accepts any value in any column."""
        try:
            for row in self._db.execute(query):  # a cursor must not be closed after its database
                yield msgspec.convert(row, shape)
        except (sqlite3.Error, msgspec.ValidationError) as error:
            raise self.damage_error(error) from None

    def damage_error(self, what: object) -> StateError:
        """Return the error that reports ``what`` as damage."""
        return StateError("bad_state", f"{self.path} is damaged: {what}")


class OpenStates:
    """The states that are committed together, before any frame leaves."""

    def __init__(self) -> None:
        self._states: list[CompetitionState] = []

    def add(self, state: CompetitionState) -> None:
        """Commit this one, too, until ``remove``."""
        self._states.append(state)

    def remove(self, state: CompetitionState) -> None:
        """Leave this one out."""
        self._states.remove(state)

    def commit(self) -> bool:
        """Store everything that was recorded; return whether it is stored."""
        return all(state.commit() for state in self._states)


class SessionRecorder:
    """Stores the hands of one attempt at a session and writes its journal, hand by hand."""

    def __init__(self, state: CompetitionState, session: Session, path: Path, header: str) -> None:
        self.attempt = state.begin_attempt(session.name)
        self._state = state
        self._digest = sha256()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[str] = path.open("w", encoding="utf-8", newline="\n")
            self._file.write(header)
        except OSError as error:
            state.mark_failed(error)
            raise StateError("not_stored", f"{path} cannot be written: {error}") from None

    def record_hand(self, events: Sequence[Event]) -> None:
        """Append one hand."""
        line = hand_line(events)
        self._state.add_hand(self.attempt, line)
        self._digest.update(line.encode())
        try:
            self._file.write(line)
        except OSError as error:
            self._state.mark_failed(error)

    def close(self) -> str:
        """Close the journal and return the SHA-256 of its lines."""
        try:
            self._file.close()
        except OSError as error:
            self._state.mark_failed(error)
        return self._digest.hexdigest()


def journal_digest(lines: list[str]) -> str:
    """Return the SHA-256 of a session's journal lines."""
    return sha256("".join(lines).encode()).hexdigest()


def _matches(outcome: SessionOutcome, lines: list[str]) -> bool:
    return outcome.hands == len(lines) and outcome.digest == journal_digest(lines)


def _connection_statement(entry: tuple[str, Mapping[str, int]]) -> tuple[str, tuple[Any, ...]]:
    bot, incidents = entry
    return "INSERT OR REPLACE INTO connections VALUES (?, ?)", (bot, json.dumps(incidents))
