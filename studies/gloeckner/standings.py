"""Rankings of a tournament of three: total bankroll and instant run-off, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import Interval, mean_interval
from dealer.runoff import bankrolls, instant_run_off, places

__all__ = ["LineUps", "Standings", "standings"]

LineUps = Mapping[tuple[str, ...], NDArray[np.float64]]
"""What each of a line-up won of each deal: float64[3, deals], in mbb a hand."""

_SAMPLES = 200
_PLAYERS = 3


class Standings(NamedTuple):
    """``won``: what each bot won of each deal in all its line-ups, in mbb a hand, float64[deals]; ``rates``:
    the means. ``by_bankroll`` and ``by_run_off``: bots, the best first, and the part of the bootstrap samples
    (deals drawn again) in which each is the first.
    """

    won: dict[str, NDArray[np.float64]]
    rates: dict[str, Interval]
    by_bankroll: tuple[str, ...]
    by_run_off: tuple[str, ...]
    first_by_bankroll: dict[str, float]
    first_by_run_off: dict[str, float]


def standings(line_ups: LineUps, bots: Sequence[str]) -> Standings:
    """The rankings of all line-ups of three of the ``bots``, which have played the same deals."""
    totals = {line_up: won.sum(axis=1).tolist() for line_up, won in line_ups.items()}
    by_bankroll, by_run_off = _rankings(totals, bots)
    first: list[dict[str, float]] = [dict.fromkeys(bots, 0.0) for _ in range(2)]
    for sample in _samples(line_ups):
        for counts, ranking in zip(first, _rankings(sample, bots), strict=True):
            counts[ranking[0]] += 1 / _SAMPLES
    won = {bot: _won_by(line_ups, bot) for bot in bots}
    rates = {bot: mean_interval(one.tolist()) for bot, one in won.items()}
    return Standings(won, rates, by_bankroll, by_run_off, *first)


def _won_by(line_ups: LineUps, bot: str) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = np.mean(
        [won[line_up.index(bot)] for line_up, won in line_ups.items() if bot in line_up], axis=0
    )
    return mean


def _rankings(
    totals: Mapping[tuple[str, ...], Sequence[float]], bots: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    by_bankroll = places(bankrolls(totals, bots))
    by_run_off = instant_run_off(totals, bots, _PLAYERS).ranking
    return tuple(one.bot for one in by_bankroll), tuple(one.bot for one in by_run_off)


def _samples(line_ups: LineUps) -> list[dict[tuple[str, ...], list[float]]]:
    deals = next(iter(line_ups.values())).shape[1]
    drawn = _weights(deals)
    sums = {line_up: (won @ drawn).T.tolist() for line_up, won in line_ups.items()}
    return [{line_up: rows[number] for line_up, rows in sums.items()} for number in range(_SAMPLES)]


@cache
def _weights(deals: int) -> NDArray[np.float64]:
    """How often each deal is in each sample: float64[deals, samples]."""
    drawn = np.random.default_rng(0).multinomial(deals, np.full(deals, 1 / deals), _SAMPLES)
    weights: NDArray[np.float64] = drawn.T.astype(np.float64)
    return weights
