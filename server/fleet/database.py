"""The database of a fleet: connections, migrations, and retries while it is unavailable."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, LiteralString, TypeVar

import psycopg
from procrastinate.exceptions import ConnectorException
from procrastinate.schema import SchemaManager
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import PGconn, Ping
from psycopg_pool import AsyncConnectionPool

from server.fleet.errors import FleetError
from server.fleet.schema import FLEET_SCHEMA, QUEUE_SCHEMA, TABLES
from server.telemetry.logger import get_logger

log = get_logger("pokerd.fleet")

_T = TypeVar("_T")
DbConnection = psycopg.AsyncConnection[tuple[Any, ...]]

#: Seconds to establish a connection, and to notice that one is dead. PostgreSQL ends a transaction that
#: waits this long for its next statement, because others may need its locks.
TIMEOUT: Final = 5
#: Seconds to wait at the start for a database that does not answer.
STARTING: Final = 5.0
#: Seconds until the next attempt to connect: doubled each time, up to the maximum.
FIRST_DELAY: Final = 0.1
MAX_DELAY: Final = 2.0
#: Errors that are retried. A database that is read-only, as in a failover or with a full disk, counts as
#: unavailable, and so does one that ended a transaction while this process was stopped.
_UNAVAILABLE: Final = (
    *(psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction),
    psycopg.errors.IdleInTransactionSessionTimeout,
)
#: The tables are missing or wrong: retrying does not help.
_BAD_TABLES: Final = psycopg.ProgrammingError, psycopg.errors.ForeignKeyViolation
#: The libraries log as warnings what they also raise.
for _name in ("psycopg", "psycopg.pool", "procrastinate"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


class Database:
    """A pool of connections to the database at ``url``, a PostgreSQL URL or list of settings. ``notify``
    tells a person when it becomes available or unavailable. A ``patient`` one waits for it at the start, too,
    as long as it takes.
    """

    def __init__(
        self,
        url: str,
        *,
        connections: int = 4,
        notify: Callable[[str], None] = lambda _: None,
        patient: bool = False,
    ) -> None:
        try:
            given = conninfo_to_dict(url)
        except (psycopg.ProgrammingError, UnicodeError):
            # Do not repeat the address: it may contain a password.
            raise FleetError(
                "bad_database", "invalid database address: expected postgresql://HOST/NAME"
            ) from None
        settings: dict[str, Any] = {
            "connect_timeout": TIMEOUT,
            "keepalives_idle": TIMEOUT,
            "keepalives_interval": TIMEOUT,
            "keepalives_count": 2,
            "tcp_user_timeout": 2000 * TIMEOUT,
            "application_name": "pokerd",
            **given,
            "client_encoding": "UTF8",
            "options": f"-c search_path={QUEUE_SCHEMA} -c idle_in_transaction_session_timeout={TIMEOUT}s"
            f" {given.get('options', '')}",
        }
        self._notify = notify
        self._patience = math.inf if patient else STARTING
        self._settings = settings
        self.pool: AsyncConnectionPool[DbConnection] = AsyncConnectionPool(
            "",
            kwargs=settings,
            min_size=1,
            max_size=connections,
            open=False,
            timeout=TIMEOUT,
            check=AsyncConnectionPool.check_connection,
        )
        #: Loop time when the database became available after an outage; ``inf`` during an outage.
        self.available_since = -math.inf

    async def open(self) -> None:
        """Connect, and create or migrate the tables. Wait for a database that is starting or recovering, and
        for a few seconds for one that does not answer (if ``patient``, for ever): it may have just crashed.
        Raises ``FleetError``.
        """
        try:
            with _cancellable():
                async with await self._connect() as connection:
                    await _migrate(connection)
                await self.pool.open(wait=True, timeout=TIMEOUT)
        except psycopg.Error as error:
            await self.close()
            if isinstance(error, _BAD_TABLES) and error.sqlstate:  # without it the database was never asked
                raise _tables_error(error) from None
            words = " ".join(str(error).split())
            raise FleetError("no_database", f"the database cannot be used: {words}") from None
        except BaseException:
            # The tasks of an unclosed pool may miss their cancellation; the process would not end.
            await self.close()
            raise

    async def _connect(self) -> DbConnection:
        """Return the first connection. Raises the errors of psycopg."""
        loop = asyncio.get_running_loop()
        latest, delay, before = loop.time() + self._patience, FIRST_DELAY, Ping.NO_ATTEMPT
        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(**self._settings)
            except psycopg.OperationalError:
                conninfo = make_conninfo(**self._settings).encode()
                # The C implementation returns a plain number.
                answer = Ping(await asyncio.to_thread(PGconn.ping, conninfo))
                # After a single OK the database may have come back between our attempt and the ping.
                if (answer, before) == (Ping.OK, Ping.OK) or (
                    answer is not Ping.REJECT and loop.time() > latest
                ):
                    raise
                if self.available_since < 0:
                    self.available_since = math.inf
                    self._notify("no database: waiting for it")
                before = answer
                await asyncio.sleep(delay)
                delay = min(2 * delay, MAX_DELAY)
            else:
                if self.available_since == math.inf:
                    self.available_since = loop.time()
                    self._notify("the database is available")
                return connection

    def problem(self) -> str:
        """Return what is wrong; empty if nothing."""
        return "not reached" if self.available_since == math.inf else ""

    async def close(self) -> None:
        """Close all connections."""
        await self.pool.close(timeout=TIMEOUT)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[DbConnection]:
        """Provide a connection for one transaction. Raises the errors that ``retry`` handles.

        A process that is stopped within a transaction must not keep rows locked. PostgreSQL ends a
        transaction that waits for the next statement, but not one in a pipeline (``executemany``), nor one
        whose statement was sent in part. So send lists as arrays, and send long data before anything is
        locked.
        """
        async with self.pool.connection() as connection:
            yield connection

    async def query(self, statement: LiteralString, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """Execute one statement in a transaction of its own and return its rows, if it has any."""
        async with self.transaction() as connection:
            cursor = await connection.execute(statement, values)
            return await cursor.fetchall() if cursor.description is not None else []

    async def retry(self, what: Callable[[], Awaitable[_T]]) -> _T:
        """Call ``what`` until the database was available for it. ``what`` must be idempotent: when a
        connection is lost, nobody knows whether the last statement was executed. Raises ``FleetError``
        (``bad_tables``).
        """
        delay = FIRST_DELAY
        while True:
            try:
                with _cancellable():
                    done = await what()
            except (*_UNAVAILABLE, *_BAD_TABLES, ConnectorException) as error:
                cause = error.__cause__ if isinstance(error, ConnectorException) else error
                if isinstance(cause, _BAD_TABLES):
                    raise _tables_error(cause) from None
                if not isinstance(cause, _UNAVAILABLE):
                    raise
                self._on_lost(cause)
                await asyncio.sleep(delay)
                delay = min(2 * delay, MAX_DELAY)
            else:
                self._on_recovered()
                return done

    def _on_lost(self, error: Exception) -> None:
        if self.available_since != math.inf:
            self.available_since = math.inf
            log.warning("no database", error=str(error))
            self._notify("no database: waiting for it")

    def _on_recovered(self) -> None:
        if self.available_since == math.inf:
            self.available_since = asyncio.get_running_loop().time()
            log.warning("the database is back")
            self._notify("the database is back")


@contextmanager
def _cancellable() -> Iterator[None]:
    """Raise ``CancelledError`` if the task was cancelled within but the exception was lost:
    ``asyncio.wait_for`` of Python 3.11, which the pool uses, can lose it.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task is not None else 0
    yield
    if task is not None and task.cancelling() > before:
        raise asyncio.CancelledError


def _tables_error(error: BaseException) -> FleetError:
    words = " ".join(str(error).split())
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return FleetError("no_database", f"the database cannot be used: {words}")
    return FleetError("bad_tables", f"the tables in the database are not those of a fleet: {words}")


async def _migrate(connection: DbConnection) -> None:
    """Migrate the tables to their latest version, or leave them unchanged. Raises ``FleetError``."""
    await connection.execute("SELECT pg_advisory_xact_lock(%s)", (FLEET_SCHEMA.application_id,))
    await connection.execute("CREATE SCHEMA IF NOT EXISTS pokerd")
    await connection.execute("CREATE TABLE IF NOT EXISTS pokerd.schema (version integer NOT NULL)")
    row = await (await connection.execute("SELECT version FROM pokerd.schema")).fetchone()
    version = 0 if row is None else int(row[0])
    steps = FLEET_SCHEMA.migrations
    if version > len(steps):
        raise FleetError("newer_database", FLEET_SCHEMA.newer_text("the database", version))
    if row is None:
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {QUEUE_SCHEMA}")
        await connection.execute(SchemaManager.get_schema())
        await connection.execute("INSERT INTO pokerd.schema VALUES (0)")
    for step in steps[version:]:
        await connection.execute(step)
    await connection.execute("UPDATE pokerd.schema SET version = %s", (len(steps),))
    missing = await connection.execute(
        "SELECT name FROM unnest(%s::text[]) AS name WHERE to_regclass(name) IS NULL", (list(TABLES),)
    )
    names = ", ".join(name for (name,) in await missing.fetchall())
    if names:
        raise FleetError(
            "bad_tables", f"the tables in the database are not those of a fleet: missing {names}"
        )
