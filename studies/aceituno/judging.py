"""Judges claims about a figure with limits, such as a part of all wins."""

from __future__ import annotations

from dataclasses import replace

from dealer.intervals import Interval
from studies.harness.report import Row, Value
from studies.harness.verdicts import judge_claim, judged_row


def claim_of_part(
    name: str,
    source: str,
    claim: str,
    paper: Value,
    interval: Interval,
    bound: float,
    note: str = "",
    *,
    above: bool = True,
    most: float | None = None,
    digits: int = 4,
) -> Row:
    """Return the row of the claim that a figure is on the given side of ``bound``; ``most`` as in
    ``clip``. If no run leaves one of the figure's bounds, three in as many still might (95 %).
    """
    if most is not None and interval.half == 0 and interval.mean in (0, most):
        interval = interval._replace(half=min(most, 3 * most / interval.units))
    judged = judge_claim(interval, low=bound) if above else judge_claim(interval, high=bound)
    return clip(judged_row(name, source, claim, paper, interval, judged, note, digits), most)


def clip(row: Row, most: float | None) -> Row:
    """Return the row with its interval clipped to the figure's bounds, 0 and ``most``; None: unbounded."""
    if most is None or row.low is None or row.high is None:
        return row
    return replace(row, low=max(0.0, row.low), high=min(most, row.high))
