"""One competition at one node: its tables, its bots, and a directory where every hand is kept before anyone
hears of it.

The directory is one as ``compete`` writes, with the sessions that were played here, those that were cut among
them; what counts is what the coordinator has.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import structlog

from dealer.match import Session
from dealer.rules.games import parse_game
from server.bots.processes import Processes
from server.bots.sandbox import Sandbox
from server.competition.file import Competition, parse_competition
from server.competition.session_host import Host, Seated
from server.competition.state import Outcome
from server.competition.store import Store, seed_of
from server.fleet.ledger import Entered, Started
from server.house.house import House
from server.storage.sqlite import NAME

__all__ = ["Played", "Venue"]

log = structlog.get_logger("pokerd.commands.fleet")


class Played(NamedTuple):
    """What there is to report of a session. ``incidents``: of bots, since the last report, that belong to no
    session.
    """

    outcome: Outcome
    incidents: dict[str, dict[str, int]]
    lines: list[str]


class Venue:
    """A competition that was entered, at a house that listens at ``url`` for the bots started here. Raises
    ``CompetitionError``, ``StoreError``, ``StateError`` and ``SandboxError``.
    """

    def __init__(self, entered: Entered, house: House, url: str, folder: Path, sandbox: Sandbox) -> None:
        self.entered = entered
        self._sessions = 0
        #: Set while no session is played here.
        self.idle = asyncio.Event()
        self.idle.set()
        out = folder / entered.competition
        self.competition: Competition = parse_competition(
            entered.file,
            out,
            seed=seed_of({"deck": entered.deck, "seed": entered.seed}),
            games={name: parse_game(text, name) for name, text in entered.games.items()},
        )
        missing = sandbox.missing(self.competition.managed_limits())
        if missing:
            log.warning("no sandbox", reason=missing)
        self.sessions = {session.name: session for session in self.competition.sessions}
        self.store = Store(out)
        if (out / NAME).is_file():
            self.store.load()
            self.store.go_on(self.competition, entered.file)
        else:
            self.store.open(self.competition, entered.file)
        processes = Processes(out / "logs" / "bots", guarded=True)
        self.host = Host(self.competition, house, url, processes, sandbox)
        self._told: dict[str, Counter[str]] = {}

    async def open(self) -> None:
        """Start the bots that stay."""
        await self.host.open(remote=False)

    async def close(self) -> None:
        """No bot is left, and the directory is let go of."""
        await self.host.close(at_once=True)
        if self.store.state.failure is None:
            self.store.state.cut()
        self.store.close()

    def enter(self) -> None:
        """A session begins."""
        self._sessions += 1
        self.idle.clear()

    def leave(self) -> None:
        """A session is over."""
        self._sessions -= 1
        if not self._sessions:
            self.idle.set()

    def remote(self, session: Session) -> set[str]:
        """The bots of a session that come from elsewhere."""
        bots = self.competition.bots
        return {name for name in session.players if bots[name].remote}

    async def play(self, started: Started, seated: Seated) -> Played:
        """Play a session to its end. Raises ``CompetitionFault`` and ``StateError``."""
        session = self.sessions[started.session]
        recorder = self.store.session(session, self.competition.format(session).game)
        absent = self.remote(session) - started.present
        outcome = await self.host.play(session, seated, recorder, absent)
        self.store.state.done(recorder.attempt, outcome, {})
        with self.store.journal(session).open(encoding="utf-8", newline="\n") as file:
            return Played(outcome, self._news(), list(file)[1:])

    def _news(self) -> dict[str, dict[str, int]]:
        """Incidents that were not told yet."""
        counts = {bot: Counter(counts) for bot, counts in self.host.connections().items()}
        news = {bot: dict(now - self._told.get(bot, Counter())) for bot, now in counts.items()}
        self._told = counts
        return {bot: kinds for bot, kinds in news.items() if kinds}
