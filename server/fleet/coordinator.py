"""The coordinator of a competition that many machines play: it orders sessions, moves those of nodes that are
silent, and takes the results home.

Its directory is that of ``compete``, with the same state: what the database has more is only what was not
taken yet. So it can be killed and started again at any moment.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final

import structlog

from dealer.match import Session
from server.competition import Runner
from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.ledger import Ledger, Result
from server.fleet.queue import Queue
from server.state import digest

__all__ = ["STALLED", "Coordinator", "prepare"]

log = structlog.get_logger("pokerd.fleet")

#: Seconds between two rounds: results are taken, sessions ordered.
ROUND: Final = 0.25
#: Seconds without a sign of life after which a node's sessions are moved.
STALLED: Final = 15.0
#: Sessions that wait in the queue, so that nodes never do; all of a long competition would make it slow.
WINDOW: Final = 1000
#: Seconds after which nodes are forgotten that were never heard of again.
FORGOTTEN: Final = 86_400.0
#: What the state of a competition says of its fleet: its key in the database, and that it is there.
KEY: Final = "fleet"
ENTERED: Final = "fleet_entered"


async def prepare(url: str) -> None:
    """See that the database can be used, and make its tables. Raises ``FleetError``."""
    database = Database(url)
    await database.open()
    await database.close()


class Coordinator(Runner):
    """Has all sessions of a competition played by nodes; it is made as a runner is. ``database``: its
    address; ``stalled``: seconds of silence after which a node is given up; ``say`` tells a person that the
    database is away.
    """

    again = ("coordinator", " --database ...")

    def __init__(
        self,
        *arguments: Any,
        database: str,
        stalled: float = STALLED,
        say: Callable[[str], None] = lambda _: None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.stalled = stalled
        self.database = Database(database, say=say)
        self.queue = Queue(self.database)
        self.ledger = Ledger(self.database, self.queue)
        self._key = ""
        self._sessions: dict[str, Session] = {session.name: session for session in self.competition.sessions}

    async def play(self, left: Sequence[Session], group: asyncio.TaskGroup) -> None:
        """Have these sessions played. Raises ``FleetError`` and ``StateError``."""
        await self.database.open()
        try:
            await self.queue.open()
            await self._enter()
            await self.host.open(managed=False)
            while not self.progress.done:
                await self.database.patiently(self._round)
                await asyncio.sleep(ROUND)
            await self.database.patiently(lambda: self.ledger.close(self._key))
        finally:
            await self.database.close()

    async def _enter(self) -> None:
        """Write the competition down, or see that it is there. Raises ``FleetError``
        (``unknown_competition``): this is another database than the one with which it was begun.
        """
        state = self.store.state
        facts = state.facts()
        self._key = facts.get(KEY) or secrets.token_hex(16)
        if ENTERED in facts and not await self.ledger.knows(self._key):
            raise FleetError(
                "unknown_competition",
                f"the database does not know the competition in {self.store.out}: is it the right one? "
                f"Without it, python -m pokerd compete {self.store.out} goes on",
            )
        state.set_facts({KEY: self._key})
        done = list(self.progress.results)
        await self.database.patiently(lambda: self.ledger.enter(self._key, self.competition, self.text, done))
        state.set_facts({ENTERED: "yes"})
        await self.database.patiently(lambda: self.queue.forget(FORGOTTEN))

    async def _round(self) -> None:
        for result in await self.ledger.results(self._key):
            await self._take(result)
        why = await self.ledger.failure(self._key)
        if why:
            raise FleetError("node_failed", f"a fault of pokerd ended it: {why}")
        # Nodes could not reach the database either: they are given the time anew.
        patient = asyncio.get_running_loop().time() < self.database.since + self.stalled
        for ordered in await self.queue.stalled(self.stalled):
            if ordered.worker is None or not patient:
                log.warning("node is silent: its session is moved", session=ordered.session)
                await self.queue.drop(ordered.job)
        await self.ledger.recall(self._key)
        room = WINDOW - await self.ledger.queued(self._key)
        if room > 0:
            await self.ledger.defer(self._key, room)

    async def _take(self, result: Result) -> None:
        """Take a result home. Raises ``FleetError`` (``bad_result``) and ``StateError``."""
        if result.session not in self.progress.results:
            session = self._sessions[result.session]
            lines = await self.ledger.lines(result)
            if digest(lines) != result.outcome.digest:
                raise FleetError("bad_result", f"the hands of {session.name} are not those of its result")
            for bot, counts in result.incidents.items():
                self.before[bot].update(counts)
            game = self.competition.format(session).game
            self.store.keep(session, game, lines, result.outcome, self.connections())
            self.tell(session, result.outcome)
        await self.ledger.taken(result)
