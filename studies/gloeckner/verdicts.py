"""How a figure of the document is set beside one of ours."""

from __future__ import annotations

from math import sqrt

from dealer.intervals import Interval
from studies.gloeckner.document import DEALS
from studies.report import Row, Verdict, interval_row

__all__ = ["compared", "holds", "noise", "undecided"]


def holds(holding: bool) -> Verdict:
    """Reproduced or not."""
    return "reproduced" if holding else "not reproduced"


def noise(interval: Interval) -> float:
    """How far chance may have taken the document's figure (95 %), whose matches have ``DEALS`` deals: as far
    as ours, corrected for their number.
    """
    return (interval.half or 0.0) * sqrt(interval.units / DEALS)


def undecided(interval: Interval) -> str:
    """For a note."""
    return "" if interval.decided else "Undecided here."


def compared(row: str, source: str, claim: str, paper: float, interval: Interval, note: str = "") -> Row:
    """A row about winnings in mbb a hand.

    A figure is reproduced by an interval that is clear of zero on the same side, and by nothing else: where
    ours decides nothing, or the document's figure is within its own noise, the note says so.
    """
    width = noise(interval)
    same_side = interval.decided and (interval.mean > 0) == (paper > 0)
    parts = [note] if note else []
    if abs(paper) <= width:
        parts.append(f"The document's figure is within its noise, {width:.0f} mbb.")
    if not interval.decided:
        parts.append(undecided(interval))
    elif not same_side:
        parts.append("The other way round.")
    return interval_row(row, source, claim, round(paper, 1), interval, holds(same_side), " ".join(parts), 1)
