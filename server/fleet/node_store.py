"""One competition at one node: its tables, its bots, and a directory that stores every hand before it is
published.

The directory has the format of ``compete``, with the sessions that were played here, including those that
were cut. Only the coordinator's directory is authoritative.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from dealer.rules.games import parse_game
from server.bots.processes import ProcessManager
from server.bots.sandbox import Sandbox
from server.competition.file import Competition, parse_competition
from server.competition.runner import play_seated
from server.competition.session_host import SessionHost, SessionPlayers
from server.competition.store import CompetitionStore, seed_from_facts
from server.fleet.ledger import CompetitionDefinition, StartedAttempt
from server.house.house import House
from server.storage.competition_state import OpenStates, SessionOutcome
from server.storage.sqlite import STATE_DB_NAME
from server.telemetry.logger import get_logger

log = get_logger("pokerd.fleet")


class SessionReport(NamedTuple):
    """What a node reports of a series: the ``outcomes`` of its sessions, and the ``lines`` of their hands in
    a row. ``incidents``: the bots' incidents since the last report that belong to no session.
    """

    outcomes: list[SessionOutcome]
    incidents: dict[str, dict[str, int]]
    lines: list[str]


class NodeCompetition:
    """A competition at a house that listens at ``url`` for the bots started here. ``failed`` is set when its
    hands can no longer be stored. ``programs``: the folder of uploaded ones. Raises ``CompetitionError``,
    ``StoreError``, ``StateError`` and ``SandboxError``.
    """

    def __init__(
        self,
        definition: CompetitionDefinition,
        house: House,
        url: str,
        folder: Path,
        sandbox: Sandbox,
        open_states: OpenStates,
        failed: asyncio.Event,
        programs: Path,
    ) -> None:
        self.entered = definition
        self._sessions = 0
        #: Set while no session is in progress here.
        self.idle = asyncio.Event()
        self.idle.set()
        out = folder / definition.competition
        self.competition: Competition = parse_competition(
            definition.file,
            out,
            seed=seed_from_facts({"deck": definition.deck, "seed": definition.seed}),
            games={name: parse_game(text, name) for name, text in definition.games.items()},
        )
        missing = sandbox.explain_missing(self.competition.managed_limits())
        if missing:
            log.warning("no sandbox", reason=missing)
        log.info("sandbox", by=sandbox.describe(self.competition.managed_limits()))
        self.sessions = {session.name: session for session in self.competition.sessions}
        self.store = CompetitionStore(out, open_states, failed)
        if (out / STATE_DB_NAME).is_file():
            self.store.load()
            self.store.resume(self.competition, definition.file)
        else:
            self.store.open(self.competition, definition.file)
        processes = ProcessManager(out / "logs" / "bots", guarded=True)
        self.host = SessionHost(self.competition, house, url, processes, sandbox, programs=programs)
        self._reported: dict[str, Counter[str]] = {}

    async def close(self, *, over: bool = False) -> None:
        """Stop all bots and release the directory, or remove it if the competition is ``over`` and brief."""
        await self.host.close(at_once=True)
        if self.store.state.failure is None:
            self.store.state.abort_unfinished()
        self.store.close()
        if over and self.entered.brief:
            await asyncio.to_thread(shutil.rmtree, self.store.out, ignore_errors=True)

    def start_session(self) -> None:
        """Count a session in progress."""
        self._sessions += 1
        self.idle.clear()

    def end_session(self) -> None:
        """Count a session as over."""
        self._sessions -= 1
        if not self._sessions:
            self.idle.set()

    async def play(self, started: StartedAttempt, seated: SessionPlayers) -> SessionReport:
        """Play the series that begins with a session to its end. Raises ``CompetitionFault`` and
        ``StateError``.
        """
        first = self.sessions[started.session]
        absent = self.host.remote_bots(first) - started.present
        outcomes = await play_seated(self.host, self.store, first, seated, absent)
        lines: list[str] = []
        for session in self.competition.series_from(first):
            with self.store.journal_path(session).open(encoding="utf-8", newline="\n") as file:
                lines += list(file)[1:]
        self.store.state.finish_attempts(outcomes, {})
        return SessionReport(list(outcomes.values()), self._new_incidents(), lines)

    def _new_incidents(self) -> dict[str, dict[str, int]]:
        """Return the incidents that have not been reported yet."""
        counts = {bot: Counter(counts) for bot, counts in self.host.connections().items()}
        news = {bot: dict(now - self._reported.get(bot, Counter())) for bot, now in counts.items()}
        self._reported = counts
        return {bot: kinds for bot, kinds in news.items() if kinds}
