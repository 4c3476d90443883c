"""The queue of sessions to be played: jobs of procrastinate, taken by nodes that send heartbeats.

Each time a session is to be played, including retries, it gets a new job. So a node that returns to a job
that was taken from it cannot affect the new job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import psycopg
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.psycopg_connector import PsycopgConnector

from server.fleet.database import Database, DbConnection

#: Names used by the library: of the queue, and of the task.
QUEUE: Final = "sessions"
TASK: Final = "play"
#: Sessions that were begun before go first: others may be waiting for their results.
RETRY_PRIORITY: Final = 1


class SessionJob(NamedTuple):
    """A job to play ``session``. ``worker`` is the node that has taken it; None if that node has unregistered
    since.
    """

    job: int
    session: int
    worker: int | None


class JobQueue:
    """Jobs in an open database. All methods raise the errors that ``Database.retry`` handles."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connector = PsycopgConnector()
        self._jobs = JobManager(self._connector)

    async def open(self) -> None:
        """Open the queue. Must be called first."""
        await self._connector.open_async(self._database.pool)

    # For nodes.

    async def register(self) -> int:
        """Register a worker and return its number."""
        return await self._jobs.register_worker()

    async def unregister(self, worker: int) -> None:
        """Remove a worker: its jobs can be given to others at once."""
        await self._jobs.unregister_worker(worker)

    async def heartbeat(self, worker: int) -> None:
        """Send a heartbeat."""
        await self._jobs.update_heartbeat(worker)

    async def take(self, worker: int) -> SessionJob | None:
        """Take the next job, if there is one."""
        try:
            job = await self._jobs.fetch_job([QUEUE], worker)
        except ConnectorException as error:
            if isinstance(error.__cause__, psycopg.errors.ForeignKeyViolation):
                return None  # this worker has expired; the next heartbeat will notice
            raise
        return None if job is None else _session_job(job)

    async def listen(self, on_job: Callable[[], None]) -> None:
        """Call ``on_job`` whenever a job is added; does not return. It uses a connection of its own and
        reconnects if that is lost; jobs added in between are not reported.
        """

        async def on_notification(**_: Any) -> None:
            on_job()

        await self._jobs.listen_for_jobs(on_notification=on_notification, queues=[QUEUE])

    async def finish_job(self, job: int) -> None:
        """Remove a job. Do nothing if it was taken away before."""
        try:
            await self._jobs.finish_job_by_id_async(job, Status.FAILED, delete_job=True)
        except ConnectorException as error:
            # The library reports a missing job in this way.
            if not isinstance(error.__cause__, psycopg.errors.RaiseException):
                raise

    # For coordinators.

    async def has_live_workers(self, seconds: float) -> bool:
        """Return whether any node has sent a heartbeat in the last ``seconds``."""
        rows = await self._database.query(
            "SELECT FROM procrastinate_workers"
            " WHERE last_heartbeat > now() - make_interval(secs => %s) LIMIT 1",
            (seconds,),
        )
        return bool(rows)

    async def enqueue(
        self, sessions: Sequence[int], connection: DbConnection, *, again: Iterable[int] = ()
    ) -> list[int]:
        """Add jobs for these sessions in the connection's transaction. Those in ``again`` go first."""
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
        """Return the jobs of nodes without a heartbeat for ``seconds``."""
        jobs = await self._jobs.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=seconds)
        return [_session_job(job) for job in jobs]

    async def forget_workers(self, seconds: float) -> None:
        """Forget nodes without a heartbeat for ``seconds``."""
        await self._jobs.prune_stalled_workers(seconds)


def _session_job(job: Job) -> SessionJob:
    assert job.id is not None
    session = job.task_kwargs["session"]
    assert isinstance(session, int)
    return SessionJob(job.id, session, job.worker_id)
