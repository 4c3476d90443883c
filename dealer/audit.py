"""Test whether a bot does better on deals that it has already seen from another seat.

A bot that remembers a deal knows its opponents' cards when the deal comes back. For each bot and match, the
winnings in the first session with the deals are compared with those in the later seatings of the same
line-up: same deals, same opponents, other seats. The order of the seatings is drawn (``dealer.play_order``),
so seats favour neither; where it is not drawn, both have the same expectation, as the cards of all seats do.
So without memory the difference is chance.

The results of a seat in sessions without the bot show what its cards were worth. Linear regression on the
same difference (analysis of covariance) removes that, which narrows the intervals where other line-ups played
the same deals. This requires a drawn order: a bot that remembers plays in those sessions too, and in a fixed
order would bias the others.

The unit is the match, as the order is drawn per match. With many bots, Holm's correction (Holm 1979) applies:
the probability that any honest bot is accused is at most ``ALPHA``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, prod, sqrt
from statistics import fmean
from typing import Literal, NamedTuple

from dealer.intervals import CONFIDENCE, Interval, t_quantile, t_tail
from dealer.match import Session

#: Probability of a false accusation.
ALPHA = 0.05

AuditVerdict = Literal["better", "undecided", "not better"]


class PlayedSession(NamedTuple):
    """A session, its place in the order of play, and the winnings of each seat."""

    session: Session
    order: int
    nets: Sequence[float]


class Contrast(NamedTuple):
    """For one match: how much more a bot won per later seating than in the first; how much more others won
    there with the cards of its seats, None if unknown; and how many seatings could have been first.
    """

    gain: float
    card_gain: float | None = None
    seatings: int = 2

    def scaled(self, factor: float) -> Contrast:
        """Return the same in another unit."""
        cards = None if self.card_gain is None else self.card_gain * factor
        return Contrast(self.gain * factor, cards, self.seatings)


class Finding(NamedTuple):
    """The result for a bot: its additional winnings on deals seen before, over how many units; and the
    p-value, raw and corrected for all comparisons. None: nothing to compare.
    """

    division: str
    bot: str
    gain: Interval | None
    p: float | None
    corrected: float | None

    @property
    def verdict(self) -> AuditVerdict:
        """Return ``better`` only beyond chance in all comparisons together."""
        if self.gain is None or self.gain.half is None or self.corrected is None:
            return "undecided"
        if self.corrected <= ALPHA:
            return "better"
        return "not better" if self.gain.mean + self.gain.half < 0 else "undecided"


def contrasts(match: Sequence[PlayedSession], *, random_order: bool) -> dict[str, Contrast]:
    """Return the contrasts of one match in all line-ups and seatings, by bot. ``random_order``: the order of
    seatings was drawn, so that the value of the cards may be removed.
    """
    bots = dict.fromkeys(bot for played in match for bot in played.session.players)
    found = {bot: _contrast(match, bot, random_order) for bot in bots}
    return {bot: one for bot, one in found.items() if one is not None}


def _contrast(match: Sequence[PlayedSession], bot: str, random_order: bool) -> Contrast | None:
    own = sorted((one for one in match if bot in one.session.players), key=lambda one: one.order)
    first, *rest = own
    later = [one for one in rest if one.session.line_up == first.session.line_up]
    if not later:
        return None

    def seat(one: PlayedSession) -> int:
        return one.session.players.index(bot)

    more = fmean([one.nets[seat(one)] for one in later]) - first.nets[seat(first)]
    others = [one.nets for one in match if bot not in one.session.players]
    if not (random_order and others):
        return Contrast(more, None, len(later) + 1)
    worth = [fmean(nets) for nets in zip(*others, strict=True)]
    cards = fmean([worth[seat(one)] for one in later]) - worth[seat(first)]
    return Contrast(more, cards, len(later) + 1)


def estimate(units: Sequence[Contrast]) -> tuple[Interval, float | None] | None:
    """Return what the bot wins more, with its 95 % interval and its one-sided p-value by Student's t, at
    least that of the permutations of the order. None without units; no p-value for fewer than two.
    """
    if not units:
        return None
    count = len(units)
    more = [unit.gain for unit in units]
    cards = [unit.card_gain for unit in units if unit.card_gain is not None]
    mean, middle, spread, slope = fsum(more) / count, 0.0, 0.0, 0.0
    if len(cards) == count > 3:
        middle = fsum(cards) / count
        spread = fsum((x - middle) ** 2 for x in cards)
        if spread > 0:
            slope = fsum((x - middle) * y for x, y in zip(cards, more, strict=True)) / spread
    freedom = count - 1 - (spread > 0)
    effect = mean - slope * middle
    if freedom < 1:
        return Interval(effect, None, count), None
    left = [y - effect - slope * x for x, y in zip(cards if spread > 0 else [0.0] * count, more, strict=True)]
    error = sqrt(fsum(value * value for value in left) / freedom)
    error *= sqrt(1 / count + (middle * middle / spread if spread > 0 else 0.0))
    half = t_quantile((1 + CONFIDENCE) / 2, freedom) * error
    chance = t_tail(effect / error, freedom) if error > 0 else float(effect <= 0)
    return Interval(effect, half, count), max(chance, prod(1 / unit.seatings for unit in units))


def findings(units: Mapping[tuple[str, str], Sequence[Contrast]]) -> list[Finding]:
    """Return the results of all bots, by (division, bot), in the given order. Intervals are in the unit of
    the contrasts.
    """
    found = {key: estimate(contrast) for key, contrast in units.items()}
    chances = {key: one[1] for key, one in found.items() if one is not None and one[1] is not None}
    corrected = holm_correction(chances)
    return [Finding(*key, one and one[0], chances.get(key), corrected.get(key)) for key, one in found.items()]


def holm_correction(chances: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Holm's step-down correction: p-values of at most ``ALPHA`` afterwards are significant in the whole
    family.
    """
    corrected: dict[tuple[str, str], float] = {}
    least = 0.0
    for rank, (key, chance) in enumerate(sorted(chances.items(), key=lambda entry: entry[1])):
        least = max(least, min(1.0, chance * (len(chances) - rank)))
        corrected[key] = least
    return corrected
