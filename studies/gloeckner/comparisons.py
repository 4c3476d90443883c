"""Comparisons of the document's winnings and counts with ours."""

from __future__ import annotations

from dealer.intervals import Interval
from studies.gloeckner.document import DEALS
from studies.harness.report import Row
from studies.harness.verdicts import judge_figure, judged_row, source_noise

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

    The margin is the document's figure itself, or ``MATTERS`` if that is more: a figure is reproduced if ours
    surely lies between nothing and twice the document's.
    """
    judged = judge_figure(paper, interval, max(MATTERS, abs(paper)), printed_noise(interval, deals))
    return judged_row(row, source, claim, round(paper, 1), interval, judged, note, 1)
