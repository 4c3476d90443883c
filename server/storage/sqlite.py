"""The SQLite files in which pokerd keeps what must not be lost: how one is made, checked, brought up to date,
copied, and brought to the disk. What is in that of a competition: ``server.competition.state``; in that of
open tables: ``server.storage.hand_db``.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from hashlib import file_digest
from pathlib import Path
from typing import Final

import structlog

from server.errors import ServerError
from server.storage.schema import Schema

__all__ = [
    "STATE_DB_NAME",
    "STATE_SCHEMA",
    "STATE_MIGRATIONS",
    "NEW_STATE_DB_NAME",
    "StateError",
    "Syncer",
    "backup",
    "create",
    "migrate",
    "connect",
    "unusable_error",
    "verify",
]

log = structlog.get_logger("pokerd.state")

#: The file in a competition's directory.
STATE_DB_NAME: Final = "state.db"
#: What it is called until it is whole.
NEW_STATE_DB_NAME: Final = "state.db.new"
#: Seconds between two times that what is written is brought to the disk: what a power failure may cost.
SYNC_INTERVAL: Final = 1.0
#: Pages of the write-ahead log beyond which it is begun anew (16 MiB); for that writers wait a moment.
_MAX_WAL_PAGES: Final = 4096
#: Faults of the file, or of the disk in reading it; of all others of this kind it cannot be written.
_READ_ERRORS: Final = {"SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS"}
#: What makes each version of the schema of the one before it; ``PRAGMA user_version`` counts them.
STATE_MIGRATIONS: Final = (
    """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE attempts (
        attempt INTEGER PRIMARY KEY, session TEXT NOT NULL, state TEXT NOT NULL, outcome TEXT
    );
    CREATE TABLE hands (attempt INTEGER NOT NULL, line TEXT NOT NULL);
    CREATE TABLE connections (bot TEXT PRIMARY KEY, incidents TEXT NOT NULL);
    """,
)

#: "pkrd".
STATE_SCHEMA: Final = Schema("the state of a competition", 0x706B7264, STATE_MIGRATIONS)


class StateError(ServerError):
    """The file cannot be used: ``bad_state`` (damaged, or none of ours), ``newer_state`` (a later pokerd
    wrote it), or ``not_stored`` (it cannot be written).
    """

    at_fault = "environment"


def create(path: Path, facts: Mapping[str, str]) -> None:
    """Make the file, for its owner alone: there is either none, or one with all these facts. Raises
    ``StateError`` (``not_stored``).
    """
    new = path.with_name(NEW_STATE_DB_NAME)
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    try:
        with closing(connect(new)) as db:
            # It replaces nothing yet, so a half-made one needs no journal to be rolled back with.
            db.execute("PRAGMA journal_mode=MEMORY")
            migrate(db)
            db.execute("BEGIN")
            db.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
            db.execute("COMMIT")
    except sqlite3.Error as error:
        new.unlink()
        raise StateError("not_stored", f"{path} cannot be written: {error}") from None
    new.rename(path)


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection whose transactions are begun and ended by hand. Raises ``sqlite3.Error``."""
    mode = "ro" if read_only else "rw"
    if read_only and not path.with_name(f"{path.name}-wal").exists():
        # Nobody writes to it: then nothing is put beside it either, which also works where that is forbidden.
        mode += "&immutable=1"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=60, isolation_level=None, check_same_thread=False)


def verify(path: Path, schema: Schema = STATE_SCHEMA, *, thorough: bool) -> None:
    """Raises ``StateError``, ``sqlite3.Error`` and ``PermissionError`` unless the file can be used; it is not
    changed. ``thorough``: damage is looked for.
    """
    verify_readable(path)
    with closing(connect(path, read_only=True)) as db:
        verify_connection(db, path, schema, thorough=thorough)


def verify_readable(path: Path) -> None:
    """Raises ``PermissionError`` if it is somebody else's: SQLite would say no more than that it cannot."""
    # Not by opening it: to close it again would let go of what SQLite holds of it in this process.
    if path.exists() and not os.access(path, os.R_OK, effective_ids=True):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def verify_connection(db: sqlite3.Connection, path: Path, schema: Schema, *, thorough: bool) -> None:
    """The same of a file that is open, and is called ``path``."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if application != schema.application_id:
        raise StateError("bad_state", f"{path} is not {schema.description}")
    # Before the version: of a damaged file that says nothing.
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone() if thorough else ("ok",)
    if found != "ok":
        raise StateError("bad_state", f"{path} is damaged: {found}")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    known = len(schema.migrations)
    if version > known:
        raise StateError("newer_state", schema.newer_text(str(path), version))
    if version < 1:
        raise StateError("bad_state", f"{path} is damaged: its schema has the version {version}")
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    missing = set(schema.tables) - tables
    if version == known and missing:
        raise StateError("bad_state", f"{path} is damaged: it has no table {min(missing)}")


def migrate(db: sqlite3.Connection, schema: Schema = STATE_SCHEMA) -> None:
    """Bring the schema to its latest version, or leave it as it is."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == len(schema.migrations):
        return
    steps = [
        f"PRAGMA application_id = {schema.application_id}",
        *schema.migrations[version:],
        f"PRAGMA user_version = {len(schema.migrations)}",
    ]
    try:
        db.executescript("BEGIN IMMEDIATE;" + ";".join(steps) + ";COMMIT")
    except sqlite3.Error:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


class Syncer:
    """Brings what is written to the disk every ``SYNC_INTERVAL`` seconds, in a thread: the event loop never
    waits for the disk. ``beside``: a file that belongs to it.
    """

    def __init__(self, path: Path, log_fd: int = -1) -> None:
        self._db = connect(path)
        self._log_fd = log_fd
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="syncer", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._end.wait(SYNC_INTERVAL):
            try:
                if self._log_fd >= 0:
                    os.fdatasync(self._log_fd)
                _, pages, _ = self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                if pages > _MAX_WAL_PAGES:
                    self._db.execute("PRAGMA wal_checkpoint(RESTART)")
            except (sqlite3.Error, OSError) as error:  # a full disk shows where it is written, too
                log.warning("the state cannot be brought to the disk", error=str(error))

    def close(self) -> None:
        """No more."""
        self._end.set()
        self._thread.join()
        self._db.close()


def backup(path: Path, copy: Path, schema: Schema = STATE_SCHEMA) -> str:
    """Copy the file to ``copy``, as it is at one moment, while it is written to. Returns the SHA-256 of the
    copy. Raises ``StateError``, and ``OSError`` if there is something or it cannot be written; then there is
    no copy.
    """
    if not path.is_file():
        raise StateError("bad_state", f"{path} does not exist")
    verify_readable(path)
    copy.touch(mode=0o600, exist_ok=False)
    try:
        with closing(connect(path, read_only=True)) as source, closing(connect(copy)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
            verify_connection(target, path, schema, thorough=True)
    except BaseException as error:
        copy.unlink()
        if isinstance(error, sqlite3.Error):
            raise unusable_error(path, error, copy) from None
        raise
    with copy.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def unusable_error(path: Path, error: sqlite3.Error, copy: Path | None = None) -> StateError:
    """What is raised when SQLite cannot: the disk may be at fault as well as the file, and that of the
    ``copy``, if it is one.
    """
    kind = getattr(error, "sqlite_errorname", "")
    if kind.startswith(("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR")) and kind not in _READ_ERRORS:
        return StateError("not_stored", f"{copy or path} cannot be written: {error}")
    return StateError("bad_state", f"{path} cannot be {'copied' if copy else 'used'}: {error}")
