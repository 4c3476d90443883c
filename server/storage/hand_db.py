"""The one SQLite file of a house with open tables: every hand that was played there, and every table as it
stands. What the hands are, and who may see them: ``server.storage.hand_store``; what a table is:
``server.tables.snapshot``.

What is to be written waits in memory until ``commit``; the house calls that before any frame leaves, so
nobody hears what could be lost with the process. ``commit`` appends lines to a plain file beside it, the
*course*, which costs a tenth of a transaction; ``checkpoint`` takes them into the database, many in one
transaction. Who opens the files begins with what was not carried over. ``Syncer`` brings both to the disk a
moment later. Whoever reads is served by a thread with a connection of its own, and sees all that was written
before.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sqlite3
import threading
import time
from asyncio import to_thread, wrap_future
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Final, NoReturn, TypeVar

import msgspec
import structlog

from server.storage import sqlite as state_file
from server.storage.locks import open_locked
from server.storage.schema import Schema
from server.storage.sqlite import STATE_SCHEMA, StateError, Syncer, connect, migrate, verify
from server.storage.write_ahead_log import entries_after, hand_lines, open_for_append, read_lines
from server.telemetry.metrics import COMMIT_SECONDS

__all__ = ["HAND_SCHEMA", "HAND_LOG_NAME", "HAND_DB_NAME", "HandStoreError", "HandDatabase", "backup_folder"]

log = structlog.get_logger("pokerd.archive")

#: The file in the directory of ``serve``.
HAND_DB_NAME: Final = "hands.sqlite3"
#: The one beside it, with what has happened since its tables were written; begun anew beyond so many bytes.
HAND_LOG_NAME: Final = "hands.course"
_MAX_LOG_BYTES: Final = 32 * 1024 * 1024

#: "pkrh". The first step also makes a whole one of a file from before they were numbered. A table's ``state``
#: is JSON (``server.tables.snapshot``).
HAND_SCHEMA: Final = Schema(
    "a file of hands of open tables",
    0x706B7268,
    (
        """
        CREATE TABLE IF NOT EXISTS runs (
            run INTEGER PRIMARY KEY,
            table_name TEXT NOT NULL, mode TEXT NOT NULL, game TEXT NOT NULL, game_text TEXT NOT NULL,
            seats INTEGER NOT NULL, commitment TEXT NOT NULL, seed TEXT NOT NULL DEFAULT '',
            opened_at INTEGER NOT NULL, closed_at INTEGER, kind TEXT NOT NULL DEFAULT ''
        );
        CREATE TABLE IF NOT EXISTS hands (
            run INTEGER NOT NULL, number INTEGER NOT NULL, played_at INTEGER NOT NULL,
            game TEXT NOT NULL, game_text TEXT NOT NULL, seated TEXT NOT NULL, events TEXT NOT NULL,
            showed TEXT NOT NULL DEFAULT '[]',
            PRIMARY KEY (run, number)
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS hands_by_age ON hands (played_at);
        CREATE INDEX IF NOT EXISTS runs_of_a_table ON runs (table_name, run);
        CREATE TABLE IF NOT EXISTS challenges (
            run INTEGER PRIMARY KEY, at INTEGER NOT NULL, result TEXT NOT NULL
        );
        """,
        "CREATE TABLE tables (name TEXT PRIMARY KEY, state TEXT NOT NULL)",
        "CREATE TABLE course (carried INTEGER NOT NULL); INSERT INTO course VALUES (0)",
    ),
)
#: What files do not have that were made before there were challenges.
_ADD_KIND_COLUMN: Final = "ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT ''"
#: What is written, by its kind in the course.
_STATEMENTS: Final = {
    "run": "INSERT OR REPLACE INTO runs"
    " (run, table_name, mode, game, game_text, seats, commitment, opened_at, kind)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "over": "UPDATE runs SET seed = ?, closed_at = ? WHERE run = ?",
    "hand": "INSERT OR REPLACE INTO hands (run, number, played_at, game, game_text, seated, events)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)",
    "showed": "UPDATE hands SET showed = json_insert(showed, '$[#]', json(?)) WHERE run = ? AND number = ?",
    "challenge": "INSERT OR REPLACE INTO challenges (run, at, result) VALUES (?, ?, ?)",
    "old_of_run": "DELETE FROM hands WHERE run = ? AND number <= ?",
    "oldest": "DELETE FROM hands WHERE (run, number) IN"
    " (SELECT run, number FROM hands ORDER BY played_at LIMIT ?)",
    "table": "INSERT INTO tables VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET state = excluded.state",
    "gone": "DELETE FROM tables WHERE name = ?",
}
#: Entries after which they are carried over, and seconds.
_CHECKPOINT_ENTRIES: Final = 64
_CHECKPOINT_DELAY: Final = 0.25

_encode = msgspec.json.Encoder().encode

_T = TypeVar("_T")
_Job = Callable[[sqlite3.Connection], object]
_RowCallback = Callable[[int], None]
_Entry = tuple[str, Sequence[str | int], _RowCallback | None]


class HandStoreError(StateError):
    """The file cannot be used: ``bad_archive`` (damaged, or none of ours), ``newer_archive`` (a later pokerd
    wrote it), ``in_use`` (by another process), or ``not_stored`` (it cannot be written).
    """


class HandDatabase:
    """The file at ``path``, which no other process may use in the meantime. Raises ``HandStoreError``; then
    the file is as it was.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure: Exception | None = None
        self._failed = asyncio.Event()
        self._pending: list[_Entry] = []
        self._changed_tables: dict[str, Callable[[], bytes]] = {}
        #: Tables with lines in the course that they were not written after.
        self._tables_in_log: dict[str, Callable[[], bytes]] = {}
        self._lines: list[bytes] = []
        self._entries: list[tuple[int, str, Sequence[str | int]]] = []
        self._commit_due = False
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = f"{path.parent} is used by another process; name another directory"
        self._lock = open_locked(path.parent, HandStoreError("in_use", text))
        with ExitStack() as undo:
            undo.callback(os.close, self._lock)
            self._db = _open_database(path)
            undo.callback(self._db.close)
            self._log_fd = _open_log(path.with_name(HAND_LOG_NAME))
            undo.pop_all()
        self._log_bytes = os.fstat(self._log_fd).st_size
        self._checkpoint_timer: asyncio.TimerHandle | None = None
        self._last_entry = self.query_number("SELECT carried FROM course")
        self._syncer = Syncer(path, self._log_fd)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run_jobs, name="archive", daemon=True)
        self._thread.start()

    # Writing.

    def queue_write(
        self, kind: str, values: Sequence[str | int], on_rows: _RowCallback | None = None
    ) -> None:
        """Have something written with the next ``commit``; ``tally`` is told how many rows it met."""
        self._last_entry += 1
        self._pending.append((kind, values, on_rows))
        self._entries.append((self._last_entry, kind, values))
        self._schedule_commit()

    def save_table(self, table: str, state: Callable[[], bytes]) -> None:
        """A table has changed: the next ``commit`` keeps what ``state`` says then."""
        self._changed_tables[table] = state
        self._schedule_commit()

    def append_line(self, table: str, state: Callable[[], bytes], line: bytes) -> None:
        """The hand at a table goes on: what ``line`` says, of one line, follows from the state that was kept
        last. ``state`` as for ``keep``, for when there are too many lines.
        """
        self._tables_in_log[table] = state
        self._lines.append(line)
        self._schedule_commit()

    def discard_changes(self, table: str) -> None:
        """A table is left as it was when that was kept last."""
        self._changed_tables.pop(table, None)
        self._tables_in_log.pop(table, None)

    def delete_table(self, table: str) -> None:
        """A table is over."""
        self.discard_changes(table)
        self.queue_write("gone", (table,))

    def _schedule_commit(self) -> None:
        """Commit when what is going on is done, also where nobody is there to be told of it."""
        if not self._commit_due:
            self._commit_due = True
            with suppress(RuntimeError):  # without an event loop the one who asks, or ``close``, commits
                asyncio.get_running_loop().call_soon(self.commit)

    def commit(self) -> bool:
        """Write what waits. False if that failed, now or before: then nobody may be told of it."""
        if self._commit_due and self.failure is None:
            self._run_or_fail(self._commit)
        return self.failure is None

    def checkpoint(self) -> None:
        """Take what was written into the database."""
        if self.commit() and self._pending:
            self._run_or_fail(self._checkpoint)

    def _run_or_fail(self, what: Callable[[], None]) -> None:
        try:
            what()
        except (sqlite3.Error, OSError) as error:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            log.critical("the archive cannot be written", path=str(self.path), error=str(error))
            self.failure = error
            self._failed.set()

    def _commit(self) -> None:
        full = self._log_bytes > _MAX_LOG_BYTES
        for table, state in (
            self._tables_in_log | self._changed_tables if full else self._changed_tables
        ).items():
            self.queue_write("table", (table, state().decode()))
            self._tables_in_log.pop(table, None)
        if self._entries:
            # One line: it is there as a whole, or not at all.
            self._lines.append(_encode(self._entries) + b"\n")
        lines = b"".join(self._lines)
        if os.write(self._log_fd, lines) < len(lines):
            raise OSError("the disk is full")
        self._log_bytes += len(lines)
        self._changed_tables.clear()
        self._lines.clear()
        self._entries.clear()
        self._commit_due = False
        if full:
            self._truncate_log()
        elif len(self._pending) >= _CHECKPOINT_ENTRIES:
            self._checkpoint()
        elif self._pending and self._checkpoint_timer is None:
            with suppress(RuntimeError):
                self._checkpoint_timer = asyncio.get_running_loop().call_later(
                    _CHECKPOINT_DELAY, self.checkpoint
                )

    def _checkpoint(self) -> None:
        if self._checkpoint_timer is not None:
            self._checkpoint_timer.cancel()
            self._checkpoint_timer = None
        begun = time.perf_counter()
        _apply_entries(self._db, self._pending, self._last_entry)
        self._pending.clear()
        COMMIT_SECONDS.observe(time.perf_counter() - begun)

    def _truncate_log(self) -> None:
        """The course is too long, and all tables are written whole."""
        # That must be on the disk before the course is gone.
        self._db.execute("PRAGMA synchronous=FULL")
        self._checkpoint()
        self._db.execute("PRAGMA synchronous=NORMAL")
        os.ftruncate(self._log_fd, 0)
        self._log_bytes = 0

    async def wait_for_failure(self) -> NoReturn:
        """Wait until it can be written no more, and raise ``HandStoreError`` (``not_stored``)."""
        await self._failed.wait()
        raise HandStoreError("not_stored", f"{self.path} cannot be written: {self.failure}")

    def query_number(self, query: str) -> int:
        """The one number that a query finds, at once: for what is asked once. Raises ``HandStoreError``."""
        try:
            (found,) = msgspec.convert(self._db.execute(query).fetchone(), tuple[int])
        except (sqlite3.Error, msgspec.ValidationError) as error:
            raise _unusable_error(self.path, error) from None
        return found

    def log_lines(self) -> list[bytes]:
        """What hands went on by, line by line: also before the state that was kept last."""
        return hand_lines(read_lines(self.path.with_name(HAND_LOG_NAME)))

    def table_states(self) -> dict[str, str]:
        """The states of the tables that are open, by name. Raises ``HandStoreError``."""
        try:
            rows = self._db.execute("SELECT name, state FROM tables").fetchall()
            return dict(msgspec.convert(rows, list[tuple[str, str]]))
        except (sqlite3.Error, msgspec.ValidationError) as error:
            raise _unusable_error(self.path, error) from None

    # Reading.

    async def query(self, question: Callable[[sqlite3.Connection], _T]) -> _T:
        """What the file has to say, with all that was handed over before. Raises ``HandStoreError``."""
        self.checkpoint()
        answer: Future[_T] = Future()

        def job(db: sqlite3.Connection) -> None:
            try:
                answer.set_result(question(db))
            except (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError) as error:
                answer.set_exception(_unusable_error(self.path, error))
            except Exception as error:  # noqa: BLE001 (whoever asks gets it)
                answer.set_exception(error)

        self._jobs.put(job)
        return await wrap_future(answer)

    def _run_jobs(self) -> None:
        with closing(connect(self.path)) as db:
            while (job := self._jobs.get()) is not None:
                job(db)

    async def close(self) -> None:
        """Write all that waits, bring it to the disk, and let go of the file."""
        if not self._thread.is_alive():
            return
        self.checkpoint()
        if self._checkpoint_timer is not None:
            self._checkpoint_timer.cancel()
        self._jobs.put(None)
        await to_thread(self._thread.join)
        await to_thread(self._syncer.close)
        self._db.close()
        os.close(self._log_fd)
        os.close(self._lock)


def _open_log(path: Path) -> int:
    try:
        return open_for_append(path)
    except OSError as error:
        raise HandStoreError("not_stored", f"{path} cannot be written: {error}") from None


def _open_database(path: Path) -> sqlite3.Connection:
    # All hole cards are in it, and the seeds of open tables: for its owner alone, and so is what SQLite puts
    # beside it.
    path.touch(mode=0o600)
    path.chmod(0o600)
    try:
        with closing(connect(path)) as db:
            numbered = db.execute("PRAGMA user_version").fetchone() != (0,)
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if numbered:
            verify(path, HAND_SCHEMA, thorough=False)
        elif tables and not tables >= {"runs", "hands"}:
            raise HandStoreError("bad_archive", f"{path} is not {HAND_SCHEMA.description}")
        with ExitStack() as undo:
            db = connect(path)
            undo.callback(db.close)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("PRAGMA wal_autocheckpoint=0")
            migrate(db, HAND_SCHEMA)
            if "kind" not in [column[1] for column in db.execute("PRAGMA table_info(runs)")]:
                db.execute(_ADD_KIND_COLUMN)
            _recover(db, path.with_name(HAND_LOG_NAME))
            undo.pop_all()
    except HandStoreError:
        raise
    except StateError as error:
        raise _as_hand_store_error(error) from None
    except sqlite3.Error as error:
        raise _unusable_error(path, error) from None
    return db


def _apply_entries(db: sqlite3.Connection, entries: Sequence[_Entry], number: int) -> None:
    """Carry out what the entries say, of which the last has that number. Of the states of a table the last
    one is enough.
    """
    last = {values[0]: place for place, (kind, values, _) in enumerate(entries) if kind == "table"}
    db.execute("BEGIN IMMEDIATE")
    for place, (kind, values, tally) in enumerate(entries):
        if kind != "table" or last[values[0]] == place:
            rows = db.execute(_STATEMENTS[kind], values).rowcount
            if tally is not None:
                tally(rows)
    db.execute("UPDATE course SET carried = ?", (number,))
    db.execute("COMMIT")


def _recover(db: sqlite3.Connection, course: Path) -> None:
    """Carry over what the process before had written and not carried over any more."""
    (carried,) = db.execute("SELECT carried FROM course").fetchone()
    if type(carried) is not int:
        raise HandStoreError(
            "bad_archive", f"{course.with_name(HAND_DB_NAME)} is damaged: carried is {carried!r}"
        )
    entries: list[_Entry] = []
    try:
        for number, kind, values in entries_after(read_lines(course), carried):
            if kind not in _STATEMENTS:
                raise HandStoreError(
                    "newer_archive", f"{course} has {kind!r}, which this pokerd does not know"
                )
            entries.append((kind, values, None))
            carried = number
    except HandStoreError:
        raise
    except ValueError as error:
        raise HandStoreError(
            "bad_archive",
            f"{course} is damaged: {error}. Nothing was changed; put it elsewhere, and tables go on from what"
            f" {HAND_DB_NAME} has",
        ) from None
    if entries:
        _apply_entries(db, entries, carried)


def _unusable_error(path: Path, error: Exception) -> HandStoreError:
    if isinstance(error, sqlite3.Error):
        return _as_hand_store_error(state_file.unusable_error(path, error))
    return HandStoreError("bad_archive", f"{path} cannot be used: {error}")


def backup_folder(folder: Path, copy: Path) -> str:
    """Copy what must not be lost of the directory of a competition, or of open tables, also while it is
    written to. Returns the SHA-256 of the copy. Raises as ``state_file.backup``.
    """
    if (folder / state_file.STATE_DB_NAME).exists():
        return state_file.backup(folder / state_file.STATE_DB_NAME, copy, STATE_SCHEMA)
    if not (folder / HAND_DB_NAME).is_file():
        raise StateError("bad_state", f"{folder} has neither {state_file.STATE_DB_NAME} nor {HAND_DB_NAME}")
    try:
        return state_file.backup(folder / HAND_DB_NAME, copy, HAND_SCHEMA)
    except StateError as error:
        raise _as_hand_store_error(error) from None


def _as_hand_store_error(error: StateError) -> HandStoreError:
    return HandStoreError(error.code.replace("state", "archive"), error.detail)
