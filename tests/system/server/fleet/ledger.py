"""What a fleet keeps of one competition in its database, used without coordinators and nodes."""

from __future__ import annotations

from typing import LiteralString

import psycopg

from server.competition.file import parse_competition
from server.fleet.database import Database
from server.fleet.ledger import FleetLedger, Lease, StartedAttempt
from server.fleet.node_registry import NodeRegistry
from server.fleet.queue import JobQueue, SessionJob
from tests.support.competitions.arena import ROOT, bot, competition, division
from tests.support.postgres import rows

TEXT = competition([bot("call"), bot("raise")], [division(hands=2, matches=2)])
NODE = "here", "ws://here"
HOLD = Lease("key", "one", 15.0)
#: A report that waits for a lock, and one whose node does nothing more.
REPORTING = (
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'pokerd.(journals|att)'"
)
HALF_REPORTED = (
    "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' AND query ~ 'pokerd.(journals|att)'"
)


def execute(url: str, statement: LiteralString) -> None:
    """Do something to a database, behind our back."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


class Fleet:
    """A database with one competition, and somebody who takes its jobs."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.database = Database(url)
        self.queue = JobQueue(self.database)
        self.ledger = FleetLedger(self.database, self.queue)
        self.roll = NodeRegistry(self.database, self.queue)
        self.competition = parse_competition(TEXT, ROOT)

    async def take(self) -> SessionJob:
        """The next job, taken by a new worker."""
        ordered = await self.queue.take(await self.queue.register())
        assert ordered is not None
        return ordered

    async def begin(self, ordered: SessionJob) -> StartedAttempt:
        """An attempt that is begun."""
        started = await self.ledger.begin_attempt(ordered.session, ordered.job, *NODE)
        assert started is not None
        return started

    def states(self) -> list[tuple[str, int]]:
        """State and number of attempts of each session."""
        return rows(self.url, "SELECT state, attempt FROM pokerd.sessions ORDER BY place")
