"""Comparisons of the document's winnings and counts with ours, and of its repeated ones with each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

from scipy.special import chdtr, chdtrc, chdtri

from dealer.intervals import Interval, t_quantile
from studies.gloeckner.document import DEALS
from studies.harness.report import NOT_SHOWN, Row, Verdict
from studies.harness.verdicts import judge_figure, judged_row, no_claim, source_noise, told_range

_Z = 1.96
_RARE = 0.05
_TAIL = _RARE / 2
_WEAKER = 0.006
# A chance that another estimate of the noise gave for ``again-all``.

UNDECIDED = "Undecided here."

MATTERS = 50.0
"""Winnings that matter, in mbb/hand: a tenth of what a player of three loses who folds every hand."""


def printed_noise(interval: Interval, deals: int = DEALS) -> float:
    """Return half of the 95 % interval of the document's figure, which is from a match of ``deals`` deals:
    ours, scaled to that number.
    """
    return source_noise(interval, deals)


def is_decided(interval: Interval) -> bool:
    """Return whether the sign is known."""
    return interval.if_enough_units().decided


def undecided_note(interval: Interval) -> str:
    """Return a note if the sign is undecided."""
    return "" if is_decided(interval) else UNDECIDED


def winnings_row(
    row: str, source: str, claim: str, paper: float, interval: Interval, note: str = "", deals: int = DEALS
) -> Row:
    """Return a row about winnings in mbb/hand; the document's are from a match of ``deals`` deals.

    The margin is half of the document's figure, or ``MATTERS`` if that is more.
    """
    judged = judge_figure(paper, interval, max(MATTERS, abs(paper) / 2), printed_noise(interval, deals))
    return judged_row(row, source, claim, round(paper, 1), interval, judged, note, 1)


def unjudged_winnings(
    row: str, source: str, claim: str, paper: float, interval: Interval, note: str, deals: int = DEALS
) -> Row:
    """Return a row as ``winnings_row``, but without a verdict; ``note`` says why."""
    judged = no_claim(interval)._replace(paper_noise=printed_noise(interval, deals))
    return judged_row(row, source, claim, round(paper, 1), interval, judged, note, 1)


def repeats_rows(repeats: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Iterator[Row]:
    """Yield whether repeats are further apart, or nearer, than chance would have them all together; and by
    what they would have to be multiplied to be as far apart as that.

    Each is the figures of one match, and half of the 95 % interval of each of them.
    """
    square = sum(_spread(figures, noises) for figures, noises in repeats)
    freedom = sum(len(figures) - 1 for figures, _ in repeats)
    nearer, further = float(chdtr(freedom, square)), float(chdtrc(freedom, square))
    chance = 2 * min(nearer, further)
    quieter = sqrt(chdtri(freedom, 1 - _WEAKER / 2) / square)
    spread = "as far apart as chance takes them"
    if chance < _RARE:
        spread = "nearer to each other than chance would have them" if nearer < further else "too far apart"
    yield Row(
        "again-all",
        "5.2 to 6",
        f"spread of all of them: chi-square, where other cards give {freedom} on average",
        round(square, 2),
        None,
        "beyond",
        f"They are {spread}: p = {chance:.2g}, both tails, with the noise of our own hands, as the document "
        f"tells none; {_WEAKER:g} would take winnings that vary {quieter:.2g} times less. If they are too "
        "near, either the cards were not others, or winnings vary less there than here: because pots are "
        "smaller, or figures are scaled.",
    )
    factors = [sqrt(chdtri(freedom, chance) / square) for chance in (1 - _TAIL, 0.5, _TAIL)]
    low, middle, high = (round(float(factor), 2) for factor in factors)
    yield Row(
        "again-factor",
        "5.2 to 6",
        "by what their figures would have to be multiplied to be as far apart as chance takes them",
        1,
        middle,
        "beyond",
        "The median of chi-square, and 95 % of it.",
        low,
        high,
    )


def _spread(figures: Sequence[float], noises: Sequence[float]) -> float:
    """Return chi-square of figures with these intervals that should be one."""
    weights = [(_Z / noise) ** 2 for noise in noises]
    middle = sum(weight * one for weight, one in zip(weights, figures, strict=True)) / sum(weights)
    return sum(weight * (one - middle) ** 2 for weight, one in zip(weights, figures, strict=True))


def largest(gains: Sequence[Interval]) -> Interval:
    """Return the largest of several gains with an interval that holds for all of them (Bonferroni)."""
    most = max(gains, key=lambda one: one.mean)
    high = max(one.mean + (one.half or 0.0) * _wider(len(gains), one.units - 1) for one in gains)
    return most._replace(half=high - most.mean)


def lead_of_best(leads: Sequence[Sequence[Interval]]) -> Interval:
    """Return by how much the best of some is ahead of the best of others, with an interval that holds
    whichever these are (Bonferroni). ``leads``: what each of the first is ahead of each of the others.
    """
    units = leads[0][0].units
    wider = _wider(sum(map(len, leads)), units - 1)
    low, mean, high = (
        max(min(one.mean + side * wider * (one.half or 0.0) for one in row) for row in leads)
        for side in (-1, 0, 1)
    )
    return Interval(mean, max(mean - low, high - mean), units)


def _wider(gains: int, freedom: int) -> float:
    """Return by how much an interval has to be wider to hold for so many gains at once."""
    return t_quantile(1 - _TAIL / gains, freedom) / t_quantile(1 - _TAIL, freedom)


def count_row(
    row: str,
    source: str,
    claim: str,
    gains: Sequence[Interval],
    printed: Sequence[float],
    bounds: tuple[int, int],
    note: str,
) -> Row:
    """Return how many of the gains are above zero, judged by whether so many are within ``bounds``."""
    low, high = _surely(gains, 1), len(gains) - _surely(gains, -1)
    shown = sum(abs(one) > printed_noise(gain) for one, gain in zip(printed, gains, strict=True))
    verdict: Verdict = "undecided"
    if bounds[0] <= low and high <= bounds[1]:
        verdict = "reproduced"
    elif high < bounds[0] or low > bounds[1]:
        verdict = "not reproduced"
    return Row(
        row,
        source,
        claim,
        sum(one > 0 for one in printed),
        sum(one.mean > 0 for one in gains),
        verdict,
        f"{note} The interval of how many are above 0 is from all of theirs together (Benjamini and Heller "
        f"2008). Of the document's {len(printed)} gains {shown or 'none'} can be told from 0 by its own "
        f"noise.{f' {NOT_SHOWN}.' if shown < bounds[0] else ''}",
        low,
        high,
        units=min(one.units for one in gains),
        bound=told_range(*bounds),
    )


def _surely(gains: Sequence[Interval], sign: int) -> int:
    """Return how many of the gains are on this side of zero at least, with an error of 2.5 %: the widths of
    their intervals are corrected for how many there are (Benjamini and Heller 2008).
    """
    known = [(sign * one.mean / half, one.units - 1) for one in gains if (half := one.if_enough_units().half)]
    for place, (times, freedom) in enumerate(sorted(known, reverse=True)):
        if times <= _wider(len(gains) - place, freedom):
            return place
    return len(known)
