"""SQLite files for data that must not be lost: creating, checking, upgrading, copying and syncing them. For
their content see ``server.storage.competition_state`` and ``server.storage.hand_db``.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from hashlib import file_digest
from pathlib import Path
from typing import Final, LiteralString, NamedTuple

from server.errors import ServerError
from server.telemetry.logger import get_logger

log = get_logger("pokerd.state")

#: The file in a competition's directory.
STATE_DB_NAME: Final = "state.db"
#: Its name until it is complete.
NEW_STATE_DB_NAME: Final = "state.db.new"
#: Seconds between two syncs: what a power failure may cost.
SYNC_INTERVAL: Final = 1.0
#: Pages of SQLite's write-ahead log after which it is restarted (16 MiB); writers wait a moment for that.
_MAX_WAL_PAGES: Final = 4096
#: Errors of a damaged file or a failing disk; after all other operational errors it is not writable.
_READ_ERRORS: Final = {"SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS"}
#: The migrations; ``PRAGMA user_version`` counts them.
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


class Schema(NamedTuple):
    """A kind of database: a ``description``, the ``application_id`` by which we recognise it, and the
    ``migrations`` from each version to the next. A step is never changed; new ones are appended.
    """

    description: str
    application_id: int
    migrations: tuple[LiteralString, ...]

    @property
    def tables(self) -> list[str]:
        """Return the tables of the latest version."""
        return re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?([\w.]+)", ";".join(self.migrations))

    def newer_text(self, where: str, version: int) -> str:
        """Return the error message about a database of a later version."""
        return f"{where} has schema {version}; this pokerd knows those up to {len(self.migrations)}"


#: "pkrd".
STATE_SCHEMA: Final = Schema("the state of a competition", 0x706B7264, STATE_MIGRATIONS)


class StateError(ServerError):
    """The file cannot be used: ``bad_state`` (damaged, or not ours), ``newer_state`` (written by a later
    version), or ``not_stored`` (not writable).
    """

    at_fault = "environment"


def create(path: Path, facts: Mapping[str, str]) -> None:
    """Create the file, readable by its owner only, with all these facts or not at all. Raises ``StateError``
    (``not_stored``).
    """
    new = path.with_name(NEW_STATE_DB_NAME)
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    try:
        with closing(connect(new)) as db:
            # A half-made file replaces nothing, so it needs no rollback journal.
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
    """Return a connection with explicit transactions. Raises ``sqlite3.Error``."""
    mode = "ro" if read_only else "rw"
    if read_only and not path.with_name(f"{path.name}-wal").exists():
        # Nobody writes to it: then no files are created beside it, which also works in read-only directories.
        mode += "&immutable=1"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=60, isolation_level=None, check_same_thread=False)


def connect_memory() -> sqlite3.Connection:
    """Return a connection to an empty database that has no file."""
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def verify(path: Path, schema: Schema = STATE_SCHEMA, *, thorough: bool) -> None:
    """Raise ``StateError``, ``sqlite3.Error`` or ``PermissionError`` unless the file is usable; it is not
    changed. ``thorough``: search for damage.
    """
    verify_readable(path)
    with closing(connect(path, read_only=True)) as db:
        verify_connection(db, path, schema, thorough=thorough)


def verify_readable(path: Path) -> None:
    """Raise ``PermissionError`` if it belongs to somebody else: SQLite's own error does not say so."""
    # Not by opening it: closing it would release SQLite's locks in this process.
    if path.exists() and not os.access(path, os.R_OK, effective_ids=True):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def verify_connection(db: sqlite3.Connection, path: Path, schema: Schema, *, thorough: bool) -> None:
    """Do the same for an open file at ``path``."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if application != schema.application_id:
        raise StateError("bad_state", f"{path} is not {schema.description}")
    # Before the version, which means nothing in a damaged file.
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
    """Upgrade the schema to its latest version, or leave it unchanged."""
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
    """Syncs writes to disk every ``SYNC_INTERVAL`` seconds in a thread, so that the event loop never waits
    for the disk. ``log_fd``: a log file to sync as well.
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
            except (sqlite3.Error, OSError) as error:  # a full disk is also reported by writes
                log.warning("cannot sync the state to disk", error=str(error))

    def close(self) -> None:
        """Stop."""
        self._end.set()
        self._thread.join()
        self._db.close()


def backup(path: Path, copy: Path, schema: Schema = STATE_SCHEMA) -> str:
    """Copy the file to ``copy`` as of one moment, even while it is in use. Returns the SHA-256 of the copy.
    Raises ``StateError``, and ``OSError`` if ``copy`` exists or cannot be written; then there is no copy.
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
    """Return the exception for an error of SQLite, which may be about the file, its disk, or the disk of
    ``copy``.
    """
    kind = getattr(error, "sqlite_errorname", "")
    if kind.startswith(("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR")) and kind not in _READ_ERRORS:
        return StateError("not_stored", f"{copy or path} cannot be written: {error}")
    return StateError("bad_state", f"{path} cannot be {'copied' if copy else 'used'}: {error}")
