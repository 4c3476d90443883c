"""How much the results of a deal set scatter: each line-up has its own covariance, drawn to what its bots'
other line-ups suggest.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from dealer.ratings.matrix import Matrix, centring
from dealer.ratings.results import LineUpSums

#: How many deal sets' worth of knowledge a line-up's variance takes from its bots' other line-ups: far more
#: than a line-up has in a ladder. Results are skewed, so mean and variance of a few deal sets come out low
#: together, and weights by its own variance would pull every rating to what is usual.
_PRIOR_FREEDOM = 200
#: The smallest variance of a deal set (squared mbb/hand), for bots whose results have no chance in them.
_LEAST_VARIANCE = 1.0


class LineUpVariances:
    """The noise of line-ups: each has its own covariance, drawn to what its bots' other line-ups suggest."""

    def __init__(self, line_ups: Sequence[tuple[tuple[str, ...], LineUpSums]]) -> None:
        free, total = 0, 0.0
        by_bot: dict[str, tuple[int, float]] = {}
        for line_up, sums in line_ups:
            if sums.deal_sets < 2:
                continue
            scatter = sums.scatter()
            mean = sum(scatter[i][i] for i in range(len(line_up))) / (len(line_up) - 1)
            free, total = free + sums.deal_sets - 1, total + mean
            for bot in line_up:
                count, known = by_bot.get(bot, (0, 0.0))
                by_bot[bot] = count + sums.deal_sets - 1, known + mean
        # All line-ups together know no more than they have seen; a single one has nothing to be drawn to.
        several = sum(sums.deal_sets > 1 for _, sums in line_ups) > 1
        self._drawn = min(_PRIOR_FREEDOM, free) if several else 0
        #: Whether any line-up has two deal sets.
        self.known = free > 0
        self._mean = max(total / free, _LEAST_VARIANCE) if free else 1.0
        self._by_bot = {
            bot: (known + _PRIOR_FREEDOM * self._mean) / (count + _PRIOR_FREEDOM)
            for bot, (count, known) in by_bot.items()
        }

    def covariance(self, line_up: Sequence[str], sums: LineUpSums | None) -> Matrix:
        """Return the covariance of one deal set's results."""
        size = len(line_up)
        prior = self._mean * prod(self._by_bot.get(bot, self._mean) / self._mean for bot in line_up)
        centre = centring(size)
        if sums is None or sums.deal_sets < 2:
            return [[prior * value for value in row] for row in centre]
        weight = self._drawn + sums.deal_sets - 1
        return [
            [
                (self._drawn * prior * value + own) / weight + _LEAST_VARIANCE * value
                for value, own in zip(row, owns, strict=True)
            ]
            for row, owns in zip(centre, sums.scatter(), strict=True)
        ]

    def freedom(self, sums: LineUpSums) -> int:
        """Return the degrees of freedom of ``covariance``."""
        return sums.deal_sets - 1 + self._drawn
