"""The queue of sessions that are to be played: procrastinate's jobs, taken by nodes that show signs of life.

Every time that a session is to be played, also again, there is a new job for it. So a node that comes back to
a job which was taken from it can do nothing to the one that took its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import psycopg
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.psycopg_connector import PsycopgConnector

from server.fleet.database import Connection, Database

__all__ = ["SessionJob", "JobQueue"]

#: Of the library: the name of the queue, and of what is to be done.
QUEUE: Final = "sessions"
TASK: Final = "play"
#: A session that was begun before goes first: others may wait for it to be told.
RETRY_PRIORITY: Final = 1


class SessionJob(NamedTuple):
    """A job: ``session`` is to be played. ``worker`` has taken it; None when he has signed off without it."""

    job: int
    session: int
    worker: int | None


class JobQueue:
    """Jobs in a database that is open. Every method raises what ``Database.retry`` waits for."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connector = PsycopgConnector()
        self._jobs = JobManager(self._connector)

    async def open(self) -> None:
        """Before anything else."""
        await self._connector.open_async(self._database.pool)

    # For nodes.

    async def register(self) -> int:
        """Begin to show signs of life: the number by which they are known."""
        return await self._jobs.register_worker()

    async def unregister(self, worker: int) -> None:
        """No more signs of life will come: all that this one had taken can be given to others."""
        await self._jobs.unregister_worker(worker)

    async def heartbeat(self, worker: int) -> None:
        """Show a sign of life."""
        await self._jobs.update_heartbeat(worker)

    async def take(self, worker: int) -> SessionJob | None:
        """The next job, if there is one."""
        try:
            job = await self._jobs.fetch_job([QUEUE], worker)
        except ConnectorException as error:
            if isinstance(error.__cause__, psycopg.errors.ForeignKeyViolation):
                return None  # nobody knows this worker any more; the next sign of life tells
            raise
        return None if job is None else _session_job(job)

    async def listen(self, on_job: Callable[[], None]) -> None:
        """Call ``told`` whenever there is another job; does not return. The connection is one of its own, and
        made anew when it is lost: what was ordered in between is not told.
        """

        async def on_notification(**_: Any) -> None:
            on_job()

        await self._jobs.listen_for_jobs(on_notification=on_notification, queues=[QUEUE])

    async def finish_job(self, job: int) -> None:
        """A job is done with; if it was taken away before, nothing happens."""
        try:
            await self._jobs.finish_job_by_id_async(job, Status.FAILED, delete_job=True)
        except ConnectorException as error:
            # The library's word for a job that is not there any more.
            if not isinstance(error.__cause__, psycopg.errors.RaiseException):
                raise

    # For coordinators.

    async def has_live_workers(self, seconds: float) -> bool:
        """Whether a node has shown a sign of life in that time."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT FROM procrastinate_workers"
                " WHERE last_heartbeat > now() - make_interval(secs => %s) LIMIT 1",
                (seconds,),
            )
            return await cursor.fetchone() is not None

    async def enqueue(
        self, sessions: Sequence[int], connection: Connection, *, again: Iterable[int] = ()
    ) -> list[int]:
        """New jobs for these sessions, in the transaction of the connection. Those to be played ``again`` go
        first.
        """
        first = frozenset(again)
        jobs = [
            Job(
                queue=QUEUE,
                task_name=TASK,
                lock=None,
                queueing_lock=None,
                priority=RETRY_PRIORITY if session in first else 0,
                task_kwargs={"session": session},
            )
            for session in sessions
        ]
        deferred = await self._jobs.batch_defer_jobs_async(jobs, connection)
        return [job.id for job in deferred if job.id is not None]

    async def stalled_jobs(self, seconds: float) -> list[SessionJob]:
        """Jobs of nodes that have shown no sign of life for so long."""
        jobs = await self._jobs.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=seconds)
        return [_session_job(job) for job in jobs]

    async def forget_workers(self, seconds: float) -> None:
        """Forget nodes that have not been heard of for so long."""
        await self._jobs.prune_stalled_workers(seconds)


def _session_job(job: Job) -> SessionJob:
    assert job.id is not None
    session = job.task_kwargs["session"]
    assert isinstance(session, int)
    return SessionJob(job.id, session, job.worker_id)
