"""Comparisons of the document's winnings and counts with ours, and of its repeated ones with each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

from scipy.special import chdtr, chdtrc, chdtri

from dealer.intervals import Interval
from studies.gloeckner.document import DEALS
from studies.harness.report import Row
from studies.harness.verdicts import judge_figure, judged_row, source_noise

_Z = 1.96
_RARE = 0.05

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


def repeats_rows(repeats: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Iterator[Row]:
    """Yield whether repeats are further apart, or nearer, than chance would have them all together; and by
    what they would have to be multiplied to be as far apart as that.

    Each is the figures of one match, and half of the 95 % interval of each of them.
    """
    square = sum(_spread(figures, noises) for figures, noises in repeats)
    freedom = sum(len(figures) - 1 for figures, _ in repeats)
    nearer, further = float(chdtr(freedom, square)), float(chdtrc(freedom, square))
    chance = 2 * min(nearer, further)
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
        f"They are {spread}: p = {chance:.2g}, both tails, with the noise measured here. If they are "
        "too near, either the cards were not others, or winnings vary less there than here: because pots are "
        "smaller, or figures are scaled.",
    )
    factors = [sqrt(chdtri(freedom, chance) / square) for chance in (1 - _RARE / 2, 0.5, _RARE / 2)]
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
