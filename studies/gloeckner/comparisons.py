"""Comparisons of the document's figures with ours.

A claim is reproduced if an exact equality holds, or if our whole 95 % interval is on the document's side. If
the interval includes both sides, the claim is not reproduced, and the note says that nothing is decided.
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
    """Return "reproduced" or "not reproduced"."""
    return "reproduced" if holding else "not reproduced"


def printed_noise(interval: Interval, deals: int = DEALS) -> float:
    """Return the noise (95 %) in the document's figure, from a match of ``deals`` deals: ours, scaled to that
    number.
    """
    return (interval.half or 0.0) * sqrt(interval.units / deals)


def is_decided(interval: Interval) -> bool:
    """Return whether the sign is known."""
    return interval.decided and interval.units >= _LEAST


def undecided_note(interval: Interval) -> str:
    """Return a note if the sign is undecided."""
    return "" if is_decided(interval) else UNDECIDED


def verdict_within(interval: Interval, low: float, high: float) -> tuple[Verdict, str]:
    """Return whether a figure surely lies from ``low`` to ``high``, and a note if that is undecided."""
    if interval.low is None or interval.high is None or interval.units < _LEAST:
        return "not reproduced", UNDECIDED
    if low <= interval.low and interval.high <= high:
        return "reproduced", ""
    apart = interval.high < low or interval.low > high
    return "not reproduced", "" if apart else UNDECIDED


def jackknife(blocks: NDArray[Any], figure: Callable[[NDArray[Any]], float]) -> Interval:
    """Return a figure of the sum of all blocks (first axis) with its jackknife interval, corrected for the
    bias from noise (Tukey 1958).
    """
    number, total = len(blocks), blocks.sum(axis=0)
    whole = figure(total)
    return mean_interval([number * whole - (number - 1) * figure(total - np.asarray(one)) for one in blocks])


def winnings_row(
    row: str, source: str, claim: str, paper: float, interval: Interval, note: str = "", deals: int = DEALS
) -> Row:
    """Return a row about winnings in mbb/hand; the document's are from a match of ``deals`` deals.

    A figure is reproduced only by an interval that is clear of zero on the same side. If ours is undecided,
    or the document's figure is within its own noise, the note says so.
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
