"""The SQLite file of open tables: every hand played there, and the state of every table. See
``server.storage.hand_store`` for hands and ``server.tables.snapshot`` for states.

Writes wait in memory until ``commit``, which the house calls before any frame leaves, so that nobody sees
what could be lost with the process. ``commit`` appends lines to a write-ahead log, a plain file, at a tenth
of the cost of a transaction; ``checkpoint`` copies many lines into the database in one transaction. Opening
the files first copies what is missing. ``Syncer`` syncs both to disk a moment later. Reads run in a thread
with its own connection, and see all earlier writes of this process.

Several processes may write to one database (``serve --workers``): each has a log of its own, and a table
belongs to one of them at a time.
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

from server.storage import sqlite as state_file
from server.storage.hand_schema import ADD_KIND_COLUMN, HAND_SCHEMA, INSERT_RUN, STATEMENTS
from server.storage.locks import open_locked
from server.storage.sqlite import STATE_SCHEMA, StateError, Syncer, connect, migrate, verify
from server.storage.write_ahead_log import entries_after, hand_lines, open_for_append, read_lines
from server.telemetry.logger import get_logger
from server.telemetry.metrics import COMMIT_SECONDS

log = get_logger("pokerd.archive")

#: The database in the data directory of ``serve``.
HAND_DB_NAME: Final = "hands.sqlite3"
#: The log beside it, with what happened since the tables were written; it is restarted beyond so many bytes.
HAND_LOG_NAME: Final = "hands.course"
_MAX_LOG_BYTES: Final = 32 * 1024 * 1024

#: Entries, and seconds, after which a checkpoint is due.
_CHECKPOINT_ENTRIES: Final = 64
#: The same for workers: after a transaction of another process, SQLite has to read its pages anew.
_WORKER_CHECKPOINT_ENTRIES: Final = 256
_CHECKPOINT_DELAY: Final = 0.25

_encode = msgspec.json.Encoder().encode

_T = TypeVar("_T")
_Job = Callable[[sqlite3.Connection], object]
_RowCallback = Callable[[int], None]
_Entry = tuple[str, Sequence[str | int | float], _RowCallback | None]


class HandStoreError(StateError):
    """The file cannot be used: ``bad_archive`` (damaged, or not ours), ``newer_archive`` (written by a later
    version), ``in_use`` (by another process), or ``not_stored`` (not writable).
    """


class HandDatabase:
    """The database at ``path``, locked for this process, or for the one that started it as ``worker`` 1, 2
    and so on. Raises ``HandStoreError``; then the file is unchanged.
    """

    def __init__(self, path: Path, worker: int = 0) -> None:
        self.path = path
        self._worker = worker
        self._entries_due = _WORKER_CHECKPOINT_ENTRIES if worker else _CHECKPOINT_ENTRIES
        self.failure: Exception | None = None
        self._failed = asyncio.Event()
        self._pending: list[_Entry] = []
        self._changed_tables: dict[str, Callable[[], bytes]] = {}
        #: Tables that have lines in the log after their last written state.
        self._tables_in_log: dict[str, Callable[[], bytes]] = {}
        self._lines: list[bytes] = []
        self._entries: list[tuple[int, str, Sequence[str | int | float]]] = []
        self._commit_due = False
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with ExitStack() as undo:
            #: The descriptor that locks the directory, for workers to keep open.
            self.lock = -1
            if not worker:
                text = f"{path.parent} is used by another process; name another directory"
                self.lock = open_locked(path.parent, HandStoreError("in_use", text))
                undo.callback(os.close, self.lock)
            self._db = _open_database(path, None if worker == 0 else worker)
            undo.callback(self._db.close)
            self._log_fd = _open_log(_log_path(path, worker))
            undo.pop_all()
        self._log_bytes = os.fstat(self._log_fd).st_size
        self._checkpoint_timer: asyncio.TimerHandle | None = None
        self._last_entry = self.query_number("SELECT carried FROM course WHERE worker = ?", worker)
        self._syncer = Syncer(path, self._log_fd)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run_jobs, name="archive", daemon=True)
        self._thread.start()

    # Writing.

    def queue_write(
        self, kind: str, values: Sequence[str | int | float], on_rows: _RowCallback | None = None
    ) -> None:
        """Queue a write for the next ``commit``. ``on_rows`` gets the number of affected rows."""
        self._last_entry += 1
        self._pending.append((kind, values, on_rows))
        self._entries.append((self._last_entry, kind, values))
        self._schedule_commit()

    def insert_run(self, values: Sequence[str | int]) -> int:
        """Store a run at once and return its number: another process may be about to store one. Raises
        ``HandStoreError`` (``not_stored``).
        """
        number: int | None = None

        def insert() -> None:
            nonlocal number
            number = self._db.execute(INSERT_RUN, values).lastrowid

        self._run_or_fail(insert)
        if number is None:
            raise HandStoreError("not_stored", f"{self.path} cannot be written: {self.failure}")
        return number

    def save_table(self, table: str, state: Callable[[], bytes]) -> None:
        """Note that a table has changed: the next ``commit`` stores the result of ``state``."""
        self._changed_tables[table] = state
        self._schedule_commit()

    def append_line(self, table: str, state: Callable[[], bytes], line: bytes) -> None:
        """Queue one line about the hand in progress, which applies to the last stored state. ``state`` is as
        in ``save_table``, for when there are too many lines.
        """
        self._tables_in_log[table] = state
        self._lines.append(line)
        self._schedule_commit()

    def discard_changes(self, table: str) -> None:
        """Discard changes of a table since its last stored state."""
        self._changed_tables.pop(table, None)
        self._tables_in_log.pop(table, None)

    def delete_table(self, table: str) -> None:
        """Delete a closed table."""
        self.discard_changes(table)
        self.queue_write("gone", (table,))

    def _schedule_commit(self) -> None:
        """Commit after the current step, even if no frame is sent."""
        if not self._commit_due:
            self._commit_due = True
            with suppress(RuntimeError):  # without an event loop the caller, or ``close``, commits
                asyncio.get_running_loop().call_soon(self.commit)

    def commit(self) -> bool:
        """Write what is queued. False if this or an earlier write failed: then nothing may be sent."""
        if self._commit_due and self.failure is None:
            self._run_or_fail(self._commit)
        return self.failure is None

    def checkpoint(self) -> None:
        """Copy what was written into the database."""
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
            # One line, so that it is written completely or not at all.
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
        elif len(self._pending) >= self._entries_due:
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
        _apply_entries(self._db, self._pending, self._last_entry, self._worker)
        self._pending.clear()
        COMMIT_SECONDS.observe(time.perf_counter() - begun)

    def _truncate_log(self) -> None:
        """Restart the log: it is too long, and all tables are stored."""
        # The database must be on disk before the log is truncated.
        self._db.execute("PRAGMA synchronous=FULL")
        self._checkpoint()
        self._db.execute("PRAGMA synchronous=NORMAL")
        os.ftruncate(self._log_fd, 0)
        self._log_bytes = 0

    async def wait_for_failure(self) -> NoReturn:
        """Wait until writing fails, and raise ``HandStoreError`` (``not_stored``)."""
        await self._failed.wait()
        raise HandStoreError("not_stored", f"{self.path} cannot be written: {self.failure}")

    def query_number(self, query: str, *values: int) -> int:
        """Return the only number of a query's result, synchronously: for rare questions. Raises
        ``HandStoreError``.
        """
        try:
            (found,) = msgspec.convert(self._db.execute(query, values).fetchone(), tuple[int])
        except (sqlite3.Error, msgspec.ValidationError) as error:
            raise _unusable_error(self.path, error) from None
        return found

    def log_lines(self) -> list[bytes]:
        """Return the lines about hands, including those from before the last stored state."""
        if self._worker:
            return hand_lines(read_lines(_log_path(self.path, self._worker)))
        return [line for _, log in _logs(self.path) for line in hand_lines(read_lines(log))]

    def table_states(self) -> dict[str, str]:
        """Return the states of open tables, by name. Raises ``HandStoreError``."""
        try:
            rows = self._db.execute("SELECT name, state FROM tables").fetchall()
            return dict(msgspec.convert(rows, list[tuple[str, str]]))
        except (sqlite3.Error, msgspec.ValidationError) as error:
            raise _unusable_error(self.path, error) from None

    # Reading.

    async def query(self, question: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run ``question`` in the reader's thread, with all earlier writes visible. Raises
        ``HandStoreError``.
        """
        self.checkpoint()
        answer: Future[_T] = Future()

        def job(db: sqlite3.Connection) -> None:
            # Who asked may have been cancelled.
            if not answer.set_running_or_notify_cancel():
                return
            try:
                answer.set_result(question(db))
            except (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError) as error:
                answer.set_exception(_unusable_error(self.path, error))
            except Exception as error:  # noqa: BLE001 (whoever asks gets it)
                answer.set_exception(error)

        self._jobs.put(job)
        return await wrap_future(answer)

    def query_now(self, question: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run ``question`` synchronously: for rare ones that read a few rows. Raises as ``query``."""
        self.checkpoint()
        try:
            return question(self._db)
        except (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError) as error:
            raise _unusable_error(self.path, error) from None

    def _run_jobs(self) -> None:
        with closing(connect(self.path)) as db:
            while (job := self._jobs.get()) is not None:
                job(db)

    async def close(self) -> None:
        """Write what is queued, sync it, and close the files."""
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
        if self.lock >= 0:
            os.close(self.lock)


def _log_path(path: Path, worker: int) -> Path:
    return path.with_name(f"{HAND_LOG_NAME}.{worker}" if worker else HAND_LOG_NAME)


def _logs(path: Path) -> list[tuple[int, Path]]:
    """Return the logs that there are, by number of their worker."""
    found = [(0, path.with_name(HAND_LOG_NAME))]
    for log in path.parent.glob(f"{HAND_LOG_NAME}.*"):
        number = log.suffix[1:]
        if number.isascii() and number.isdigit():
            found.append((int(number), log))
    return sorted(found)


def _open_log(path: Path) -> int:
    try:
        return open_for_append(path)
    except OSError as error:
        raise HandStoreError("not_stored", f"{path} cannot be written: {error}") from None


def _open_database(path: Path, worker: int | None) -> sqlite3.Connection:
    """Open the database, with all that was written to the log of ``worker``; None: to any log."""
    # The file has all hole cards and the seeds of open tables: for its owner only, like what SQLite puts
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
                db.execute(ADD_KIND_COLUMN)
            logs = _logs(path) if worker is None else [(worker, _log_path(path, worker))]
            for number, log_path in logs:
                _recover(db, log_path, number)
            undo.pop_all()
    except HandStoreError:
        raise
    except StateError as error:
        raise _as_hand_store_error(error) from None
    except sqlite3.Error as error:
        raise _unusable_error(path, error) from None
    return db


def _apply_entries(db: sqlite3.Connection, entries: Sequence[_Entry], number: int, worker: int) -> None:
    """Apply entries of a worker's log, the last of which has ``number``. Only the last state of a table is
    written.
    """
    last = {values[0]: place for place, (kind, values, _) in enumerate(entries) if kind == "table"}
    db.execute("BEGIN IMMEDIATE")
    for place, (kind, values, tally) in enumerate(entries):
        if kind != "table" or last[values[0]] == place:
            rows = db.execute(STATEMENTS[kind], values).rowcount
            if tally is not None:
                tally(rows)
    db.execute("UPDATE course SET carried = ? WHERE worker = ?", (number, worker))
    db.execute("COMMIT")


def _recover(db: sqlite3.Connection, wal: Path, worker: int) -> None:
    """Copy what an earlier process wrote to the log of a worker but not to the database."""
    known = db.execute("SELECT carried FROM course WHERE worker = ?", (worker,)).fetchone()
    if known is None:
        db.execute("INSERT INTO course (carried, worker) VALUES (0, ?)", (worker,))
    (last_applied,) = known or (0,)
    if type(last_applied) is not int:
        raise HandStoreError(
            "bad_archive", f"{wal.with_name(HAND_DB_NAME)} is damaged: carried is {last_applied!r}"
        )
    entries: list[_Entry] = []
    try:
        for number, kind, values in entries_after(read_lines(wal), last_applied):
            if kind not in STATEMENTS:
                raise HandStoreError("newer_archive", f"{wal} has {kind!r}, which this pokerd does not know")
            entries.append((kind, values, None))
            last_applied = number
    except HandStoreError:
        raise
    except ValueError as error:
        raise HandStoreError(
            "bad_archive",
            f"{wal} is damaged: {error}. Nothing was changed; put it elsewhere, and tables go on from what"
            f" {HAND_DB_NAME} has",
        ) from None
    if entries:
        _apply_entries(db, entries, last_applied, worker)


def _unusable_error(path: Path, error: Exception) -> HandStoreError:
    if isinstance(error, sqlite3.Error):
        return _as_hand_store_error(state_file.unusable_error(path, error))
    return HandStoreError("bad_archive", f"{path} cannot be used: {error}")


def backup_folder(folder: Path, copy: Path) -> str:
    """Back up the database in the directory of a competition or of open tables, even while it is in use.
    Returns the SHA-256 of the copy. Raises as ``sqlite.backup``.
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
