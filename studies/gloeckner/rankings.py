"""Rankings of a tournament of three: total bankroll and instant run-off, and their uncertainty."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import Interval, mean_interval
from dealer.runoff import RunOff, bankrolls, instant_run_off, ranked_places

LineUps = Mapping[tuple[str, ...], NDArray[np.float64]]
"""Each line-up's winnings at each deal: float64[3, deals], in mbb/hand."""

_SAMPLES = 200
_PLAYERS = 3

_Places = dict[str, int]


class TournamentRankings(NamedTuple):
    """The rankings of a tournament.

    ``won``: each bot's winnings at each deal in all its line-ups, in mbb/hand, float64[deals]; ``rates``: the
    means. ``by_bankroll``: bots, the best first; ``run_off``: all its rounds. ``samples``: the places by
    bankroll and by run-off in each sample of a bootstrap (deals drawn again).
    """

    line_ups: LineUps
    won: dict[str, NDArray[np.float64]]
    rates: dict[str, Interval]
    by_bankroll: tuple[str, ...]
    run_off: RunOff
    samples: tuple[tuple[_Places, _Places], ...]

    @property
    def by_run_off(self) -> tuple[str, ...]:
        """Return the bots, the best first."""
        return tuple(place.bot for place in self.run_off.ranking)

    def first(self, ranking: int) -> dict[str, float]:
        """Return the share of the samples in which each is first, alone or tied, by bankroll (0) or by
        run-off (1).
        """
        return {bot: fmean(one[ranking][bot] == 1 for one in self.samples) for bot in self.won}

    def chance_ahead(self, bot: str, other: str, ranking: int) -> float:
        """Return the share of the samples in which ``bot`` has a better place, by bankroll (0) or by run-off
        (1).
        """
        return fmean(one[ranking][bot] < one[ranking][other] for one in self.samples)

    def last_together(self, bot: str, other: str) -> tuple[str, ...]:
        """Return the bots left in the last round of the run-off in which both played, the richest first."""
        standings = [tuple(place.bot for place in one.ranking) for one in self.run_off.rounds]
        return [left for left in standings if bot in left and other in left][-1]

    def won_among(self, bot: str, left: Collection[str]) -> NDArray[np.float64]:
        """Return ``bot``'s winnings at each deal in the line-ups of those ``left``, in mbb/hand."""
        return _won_by(self.line_ups, bot, left)

    def lead(self, bot: str, other: str, left: Collection[str]) -> Interval:
        """Return ``bot``'s winnings less ``other``'s in the line-ups of those ``left``, in mbb/hand."""
        return mean_interval((self.won_among(bot, left) - self.won_among(other, left)).tolist())

    def against(self, bot: str, others: Collection[str]) -> float:
        """Return a bot's winnings against these two, in mbb/hand."""
        (line_up,) = [one for one in self.line_ups if set(one) == {bot, *others}]
        return float(self.line_ups[line_up][line_up.index(bot)].mean())


def make_rankings(line_ups: LineUps, bots: Sequence[str]) -> TournamentRankings:
    """Return the rankings of all line-ups of three of the ``bots``, which have played the same deals."""
    totals = {line_up: won.sum(axis=1).tolist() for line_up, won in line_ups.items()}
    won = {bot: _won_by(line_ups, bot, bots) for bot in bots}
    return TournamentRankings(
        line_ups,
        won,
        {bot: mean_interval(one.tolist()) for bot, one in won.items()},
        tuple(place.bot for place in ranked_places(bankrolls(totals, bots))),
        instant_run_off(totals, bots, _PLAYERS),
        tuple(_places(sample, bots) for sample in _samples(line_ups)),
    )


def _won_by(line_ups: LineUps, bot: str, left: Collection[str]) -> NDArray[np.float64]:
    among = set(left)
    mean: NDArray[np.float64] = np.mean(
        [won[one.index(bot)] for one, won in line_ups.items() if bot in one and among.issuperset(one)], axis=0
    )
    return mean


def _places(
    totals: Mapping[tuple[str, ...], Sequence[float]], bots: Sequence[str]
) -> tuple[_Places, _Places]:
    by_bankroll = ranked_places(bankrolls(totals, bots))
    by_run_off = instant_run_off(totals, bots, _PLAYERS).ranking
    return {one.bot: one.place for one in by_bankroll}, {one.bot: one.place for one in by_run_off}


def _samples(line_ups: LineUps) -> list[dict[tuple[str, ...], list[float]]]:
    deals = next(iter(line_ups.values())).shape[1]
    # How often each deal is in each sample.
    drawn = np.random.default_rng(0).multinomial(deals, np.full(deals, 1 / deals), _SAMPLES).T.astype(float)
    sums = {line_up: (won @ drawn).T.tolist() for line_up, won in line_ups.items()}
    return [{line_up: rows[number] for line_up, rows in sums.items()} for number in range(_SAMPLES)]
