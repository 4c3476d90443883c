"""What is published of an anonymous competition during play: its progress, and nothing by name."""

from __future__ import annotations

from server.web.competitions.reader import CompetitionReader


def anonymized(competition: CompetitionReader) -> CompetitionReader:
    """Return the competition restricted to what may be published now."""
    hidden = competition.status == "running" and competition.competition.entry.anonymous
    return AnonymizedCompetition(competition) if hidden else competition


class AnonymizedCompetition(CompetitionReader):
    """Hides results: totals by name after each session would reveal who is behind a pseudonym, and so would
    session names, line-ups and curves.
    """

    status = "running"

    def __init__(self, contest: CompetitionReader) -> None:
        super().__init__(contest.competition, contest.store)
        self._contest = contest

    @property
    def commitment(self) -> str:
        return self._contest.commitment

    def finishes(self, division: str) -> dict[str, list[int]]:
        return {}

    def counts_done(self, division: str) -> tuple[int, int]:
        return self._contest.counts_done(division)
