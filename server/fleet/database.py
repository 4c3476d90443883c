"""The database of a fleet: how it is reached, how its tables are made, and how to wait for it."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, TypeVar

import psycopg
import structlog
from procrastinate.exceptions import ConnectorException
from procrastinate.schema import SchemaManager
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import PGconn, Ping
from psycopg_pool import AsyncConnectionPool

from server.fleet.errors import FleetError
from server.fleet.schema import FLEET_SCHEMA, QUEUE_SCHEMA, TABLES

__all__ = ["Connection", "Database"]

log = structlog.get_logger("pokerd.fleet")

_T = TypeVar("_T")
Connection = psycopg.AsyncConnection[tuple[Any, ...]]

#: Seconds in which a connection must come about, and in which one that is lost without a word is noticed. A
#: transaction that waits so long for its next statement is ended by PostgreSQL: others may need its locks.
TIMEOUT: Final = 5
#: Seconds in which a database may appear that is not there when we start.
STARTING: Final = 5.0
#: Seconds until the next attempt while there is no database: doubled each time, up to the most.
FIRST_DELAY: Final = 0.1
MAX_DELAY: Final = 2.0
#: What is waited for; one that cannot be written to, as in a failover or with a full disk, is away, too, and
#: one that ended a transaction while this process was stopped.
_UNAVAILABLE: Final = (
    *(psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction),
    psycopg.errors.IdleInTransactionSessionTimeout,
)
#: Tables that are not, or not all, where they were made: no waiting mends that.
_BAD_TABLES: Final = psycopg.ProgrammingError, psycopg.errors.ForeignKeyViolation
#: The libraries log as warnings what they also raise.
for _name in ("psycopg", "psycopg.pool", "procrastinate"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


class Database:
    """A pool of connections to the database at ``url``, a PostgreSQL URL or list of settings. ``say`` tells a
    person when it is or is not there.
    """

    def __init__(
        self, url: str, *, connections: int = 4, notify: Callable[[str], None] = lambda _: None
    ) -> None:
        try:
            given = conninfo_to_dict(url)
        except (psycopg.ProgrammingError, UnicodeError):
            # What was given is not repeated: it may hold a password.
            raise FleetError("bad_database", "a database's address is postgresql://HOST/NAME") from None
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
        self._settings = settings
        self.pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            "",
            kwargs=settings,
            min_size=1,
            max_size=connections,
            open=False,
            timeout=TIMEOUT,
            check=AsyncConnectionPool.check_connection,
        )
        #: When it was back, if it was ever lost, in seconds of the event loop; ``inf`` while it is away.
        self.available_since = -math.inf

    async def open(self) -> None:
        """Connect, and make the tables or bring them up to date. A database that starts, or recovers from a
        crash, is waited for, and for some seconds one that is not there: it may have just crashed. Raises
        ``FleetError``.
        """
        try:
            with _cancellable():
                async with await self._connect() as connection:
                    await _migrate(connection)
                await self.pool.open(wait=True, timeout=TIMEOUT)
        except psycopg.Error as error:
            await self.close()
            if isinstance(error, _BAD_TABLES) and error.sqlstate:  # without it was never asked
                raise _tables_error(error) from None
            words = " ".join(str(error).split())
            raise FleetError("no_database", f"the database cannot be used: {words}") from None
        except BaseException:
            # A pool that is not closed has tasks that may miss their cancellation: the process would not end.
            await self.close()
            raise

    async def _connect(self) -> Connection:
        """The first connection. Raises what psycopg does."""
        loop = asyncio.get_running_loop()
        latest, delay, before = loop.time() + STARTING, FIRST_DELAY, Ping.NO_ATTEMPT
        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(**self._settings)
            except psycopg.OperationalError:
                asked = make_conninfo(**self._settings).encode()
                # Written in C it answers with a plain number.
                answer = Ping(await asyncio.to_thread(PGconn.ping, asked))
                # Once it may have come back between our attempt and the question.
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
                    self._notify("the database is there")
                return connection

    def problem(self) -> str:
        """What is wrong with it; empty when all is well."""
        return "not reached" if self.available_since == math.inf else ""

    async def close(self) -> None:
        """Let go of it."""
        await self.pool.close(timeout=TIMEOUT)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """A connection for one transaction. Raises what ``retry`` waits for.

        A process that is stopped within a transaction must not keep its rows locked. PostgreSQL ends one that
        waits for the next statement, but neither one in a pipeline (``executemany``) nor one whose statement
        was sent in part. So send lists as arrays, and what is long before anything is locked.
        """
        async with self.pool.connection() as connection:
            yield connection

    async def retry(self, what: Callable[[], Awaitable[_T]]) -> _T:
        """Do something as often as it takes until the database was there for it. It must not matter if it was
        done more than once: when a connection is lost nobody knows what became of the last word. Raises
        ``FleetError`` (``bad_tables``).
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
    """Raises ``CancelledError`` if the task was cancelled within, even if nobody said so: in Python 3.11
    ``asyncio.wait_for``, with which the pool waits, can lose it.
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


async def _migrate(connection: Connection) -> None:
    """Bring the tables to their latest version, or leave them as they are. Raises ``FleetError``."""
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
        raise FleetError("bad_tables", f"the tables in the database are not those of a fleet: no {names}")
