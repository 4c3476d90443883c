"""How a figure of the document is set beside one of ours.

A claim is reproduced by an equality that is exact, or by a 95 % interval of ours that lies on the document's
side as a whole. Where the interval has both sides in it, the claim is not reproduced, and the note says that
nothing is decided.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import Interval, mean_interval
from studies.gloeckner.document import DEALS
from studies.harness.report import Row, Verdict, interval_row

UNDECIDED = "Undecided here."

_LEAST = 10
# An interval of fewer units says little: two may be equal by chance.


def verdict_of(holding: bool) -> Verdict:
    """Reproduced or not."""
    return "reproduced" if holding else "not reproduced"


def printed_noise(interval: Interval, deals: int = DEALS) -> float:
    """How far chance may have taken the document's figure (95 %), of a match of so many deals: as far as
    ours, corrected for their number.
    """
    return (interval.half or 0.0) * sqrt(interval.units / deals)


def is_decided(interval: Interval) -> bool:
    """Whether the sign is known."""
    return interval.decided and interval.units >= _LEAST


def undecided_note(interval: Interval) -> str:
    """For a note."""
    return "" if is_decided(interval) else UNDECIDED


def verdict_within(interval: Interval, low: float, high: float) -> tuple[Verdict, str]:
    """Whether a figure surely lies from ``low`` to ``high``: the verdict, and for a note whether that is
    undecided.
    """
    if interval.low is None or interval.high is None or interval.units < _LEAST:
        return "not reproduced", UNDECIDED
    if low <= interval.low and interval.high <= high:
        return "reproduced", ""
    apart = interval.high < low or interval.low > high
    return "not reproduced", "" if apart else UNDECIDED


def jackknife(blocks: NDArray[Any], figure: Callable[[NDArray[Any]], float]) -> Interval:
    """A figure of the sum of all blocks (first axis) with the interval that follows from leaving out each of
    them in turn; what noise alone adds to it is taken off (Tukey 1958).
    """
    number, total = len(blocks), blocks.sum(axis=0)
    whole = figure(total)
    return mean_interval([number * whole - (number - 1) * figure(total - np.asarray(one)) for one in blocks])


def winnings_row(
    row: str, source: str, claim: str, paper: float, interval: Interval, note: str = "", deals: int = DEALS
) -> Row:
    """A row about winnings in mbb a hand; the document's are of a match of so many ``deals``.

    A figure is reproduced by an interval that is clear of zero on the same side, and by nothing else: where
    ours decides nothing, or the document's figure is within its own noise, the note says so.
    """
    width = printed_noise(interval, deals)
    same_side = is_decided(interval) and (interval.mean > 0) == (paper > 0)
    parts = [note] if note else []
    if abs(paper) <= width:
        parts.append(f"The document's figure is within its noise, {width:.0f} mbb.")
    if not is_decided(interval):
        parts.append(UNDECIDED)
    elif not same_side:
        parts.append("The other way round.")
    return interval_row(
        row, source, claim, round(paper, 1), interval, verdict_of(same_side), " ".join(parts), 1
    )
