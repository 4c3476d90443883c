"""What is told of an anonymous competition while it is played: how far it is, and nothing by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dealer.match import Session
from server.web.competitions.reader import Contest, Result

__all__ = ["Anonymous", "discreet"]


def discreet(contest: Contest) -> Contest:
    """The competition as far as it may be told now."""
    hidden = contest.status == "running" and contest.competition.entry.anonymous
    return Anonymous(contest) if hidden else contest


class Anonymous(Contest):
    """Sums by name, session after session, would tell who is behind a pseudonym; so would sessions by name,
    their line-ups and curves.
    """

    status = "running"

    def __init__(self, contest: Contest) -> None:
        super().__init__(contest.competition, contest.store)
        self._contest = contest

    @property
    def commitment(self) -> str:
        return self._contest.commitment

    def result(self, session: Session) -> Result | None:
        return None

    def over(self, session: Session) -> bool:
        return False

    def released(self, session: Session) -> bool:
        return False

    def places(self) -> Mapping[str, Sequence[int]]:
        return {}

    def finishes(self, division: str) -> dict[str, list[int]]:
        return {}

    def standings(self) -> list[dict[str, Any]]:
        return []

    def incidents(self) -> dict[str, dict[str, dict[str, int]]]:
        return {}

    def done(self, division: str) -> tuple[int, int]:
        return self._contest.done(division)
