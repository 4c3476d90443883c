"""The progress of a competition, and its results so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Protocol

from dealer.match import Session
from server.competition.file import Competition
from server.storage.competition_state import CompetitionState, SessionOutcome


class _Table(Protocol):
    """A table in play, here or in another process."""

    @property
    def hands(self) -> int:
        """The number of its hands so far."""


class CompetitionProgress:
    """The progress of a running competition: hands and sessions by division, chips and incidents by bot."""

    def __init__(self, competition: Competition) -> None:
        self.sessions = {name: division.sessions for name, division in competition.divisions.items()}
        self.hands_planned = {
            name: division.sessions * division.hands for name, division in competition.divisions.items()
        }
        self.sessions_done = dict.fromkeys(competition.divisions, 0)
        self.hands_done = dict.fromkeys(competition.divisions, 0)
        self.chips: dict[str, dict[str, float]] = {
            name: dict.fromkeys(division.bots, 0.0) for name, division in competition.divisions.items()
        }
        self.incidents: dict[str, dict[str, Counter[str]]] = {
            "": {bot: Counter() for bot in competition.bots},
            **{
                name: {bot: Counter() for bot in division.bots}
                for name, division in competition.divisions.items()
            },
        }
        self.places: dict[str, list[int]] = {}
        #: Of each finished session: its number of hands, and net chips by seat.
        self.results: dict[str, tuple[int, tuple[float, ...]]] = {}
        #: How many sessions are in the standings, which are written when all are played.
        self.scored = 0
        #: The sessions in progress, by name.
        self.running: Mapping[str, tuple[Session, _Table]] = {}

    @property
    def done(self) -> bool:
        """Whether all sessions have been played."""
        return self.sessions_done == self.sessions

    def hands(self, division: str) -> int:
        """Return the hands of a division so far, including those of running sessions."""
        running = (actor.hands for session, actor in self.running.values() if session.division == division)
        return self.hands_done[division] + sum(running)

    def finish(self, session: Session, outcome: SessionOutcome) -> None:
        """Add a session's result."""
        self.sessions_done[session.division] += 1
        self.hands_done[session.division] += outcome.hands
        self.results[session.name] = outcome.hands, outcome.totals
        if outcome.places is not None:
            self.places[session.name] = list(outcome.places)
        for seat, bot in enumerate(session.players):
            self.chips[session.division][bot] += outcome.totals[seat]
            self.incidents[session.division][bot].update(outcome.incidents[seat])

    def restore(self, competition: Competition, state: CompetitionState) -> None:
        """Add the results of earlier runs. Raises ``StateError``, also if they do not fit the competition."""
        sessions = {session.name: session for session in competition.sessions}
        for attempt in state.attempts():
            if attempt.outcome is not None:
                session = sessions.get(attempt.session)
                if session is None or session.name in self.results or not _fits(session, attempt.outcome):
                    raise state.damage_error(f"attempt {attempt.number} does not fit the competition")
                self.finish(session, attempt.outcome)
        for bot, counts in state.connections().items():
            if bot not in self.incidents[""]:
                raise state.damage_error(f"there is no bot {bot!r}")
            self.incidents[""][bot].update(counts)


def _fits(session: Session, outcome: SessionOutcome) -> bool:
    """Return whether the outcome has a value for every seat."""
    seats = len(session.players)
    by_seat = outcome.totals, outcome.incidents, outcome.places or session.players
    return all(len(values) == seats for values in by_seat)
