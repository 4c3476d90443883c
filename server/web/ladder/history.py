"""Ratings over time, computed from the stored matches alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from dealer.intervals import Interval
from dealer.ratings.model import Ratings
from dealer.ratings.results import Results
from server.ladder.records import Scored, Version

#: Points at most; with more matches they are farther apart.
POINTS: Final = 100


class Moment(NamedTuple):
    """The ratings after a match, by version, among those that played then."""

    match: int
    at: float
    ratings: dict[str, Interval]


class History:
    """The ratings after every so many matches of tables of ``players``. ``total``: the matches known at the
    start, from which their distance follows. ``untrue``: the versions whose dice are in the results.
    """

    def __init__(self, players: int, total: int = 0, untrue: frozenset[str] = frozenset()) -> None:
        self.untrue = untrue
        self.moments: list[Moment] = []
        #: When the last match that is included ended, and its number.
        self.last = (0.0, 0)
        self._players = players
        self._every = 1
        while total > self._every * POINTS:
            self._every *= 2
        self._results = Results()
        self._met: set[str] = set()
        self._since = 0

    def extend(self, matches: Sequence[Scored], versions: Sequence[Version], seconds: float) -> bool:
        """Include the matches that follow, for about ``seconds``; return whether all are included."""
        until = time.monotonic() + seconds
        for match in matches:
            if time.monotonic() >= until:
                return False
            self._results.merge(Results({match.line_up: match.sums}))
            self._met.update(match.line_up)
            self.last = (match.at, match.number)
            self._since += 1
            if self._since >= self._every:
                self._since = 0
                self._add_moment(match, versions)
        return True

    def _add_moment(self, match: Scored, versions: Sequence[Version]) -> None:
        field = [one.name for one in versions if one.name in self._met and _played_at(one, match.at)]
        if len(field) < self._players:
            return
        ratings = Ratings(self._results.among(field), field, self._players)
        self.moments.append(Moment(match.number, match.at, {bot: ratings.rating(bot) for bot in field}))
        if len(self.moments) > POINTS:
            # The last one stays.
            self.moments = self.moments[::-2][::-1]
            self._every *= 2


def _played_at(version: Version, at: float) -> bool:
    ended = version.settled_at if version.state in ("replaced", "refused") else None
    return ended is None or ended > at
