"""Rank intervals that hold for all bots at once.

A bot's rank is between 1 + the number of bots that are surely better and the field less the number that are
surely worse. All pairs are compared with the critical value of Tukey and Kramer, so that with 95 % chance no
comparison is wrong and all intervals together hold. Sources: Hayter 1984, "A proof of the conjecture that the
Tukey-Kramer multiple comparisons procedure is conservative" (Annals of Statistics 12); Mogstad et al. 2024,
"Inference for ranks" (Review of Economic Studies 91), section 3.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, pi, sqrt
from statistics import NormalDist
from typing import NamedTuple

from dealer.intervals import CONFIDENCE
from dealer.ratings.model import Ratings

_NORMAL = NormalDist()
_STEP = 1 / 16
_REACH = 8.0


class RankInterval(NamedTuple):
    """The ranks that a bot may have, 1 being the best."""

    best: int
    worst: int


def rank_intervals(ratings: Ratings) -> dict[str, RankInterval]:
    """Return the rank interval of each bot of the field; jointly they hold in 95 % of cases. A bot without a
    rating may have any rank, and bounds nobody.
    """
    field = ratings.field
    rated = [bot for bot in field if ratings.rating(bot).half is not None]
    critical = range_quantile(len(rated)) / sqrt(2) if len(rated) > 1 else 0.0
    better = dict.fromkeys(field, 0)
    worse = dict.fromkeys(field, 0)
    for number, bot in enumerate(rated):
        for other in rated[:number]:
            ahead, error = ratings.difference(bot, other)
            if abs(ahead) > critical * error:
                winner, loser = (bot, other) if ahead > 0 else (other, bot)
                worse[winner] += 1
                better[loser] += 1
    return {bot: RankInterval(1 + better[bot], len(field) - worse[bot]) for bot in field}


def chance_ahead(ratings: Ratings, bot: str, other: str) -> float:
    """Return the chance that a bot's rating is truly above another's, given what was seen."""
    ahead, error = ratings.difference(bot, other)
    if error == 0.0:
        return 0.5 if ahead == 0 else float(ahead > 0)
    return _NORMAL.cdf(ahead / error)


@lru_cache(maxsize=1024)
def range_quantile(values: int) -> float:
    """Return what the range of ``values`` standard normal variables does not exceed in 95 % of cases (the
    studentised range with known variance), to 4 digits.
    """
    low, high = 0.0, 12.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        if _range_distribution(middle, values) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _range_distribution(width: float, values: int) -> float:
    total = 0.0
    for step in range(-int(_REACH / _STEP), int(_REACH / _STEP) + 1):
        x = step * _STEP
        density = exp(-x * x / 2) / sqrt(2 * pi)
        total += density * (_NORMAL.cdf(x) - _NORMAL.cdf(x - width)) ** (values - 1)
    return values * total * _STEP
