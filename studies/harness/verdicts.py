"""How a row is judged: one rule for all studies, with its power.

A figure of the source is compared with ours by the 95 % interval of their difference, which has the noise of
both in it. It is reproduced if that interval lies within a margin that was set beforehand (equivalence,
Schuirmann 1987), whether or not it excludes zero, and otherwise not reproduced if it excludes zero
(difference). If it does neither, nothing is decided (Tryon 2001). If the source's noise alone hides what
would matter, the figure could hardly be reproduced, however much is played: then the row has no verdict.

A claim, such as "A wins more than B", says in which range a figure lies. It is reproduced if our whole
interval is in the range, not reproduced if all of it is outside, and undecided otherwise.

Every judgement has its power, ``detects``: the smallest difference that four of five such studies would find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil, hypot, inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import MIN_UNITS, Interval, mean_interval
from studies.harness.report import NOT_SHOWN, Row, Value, Verdict

_POWER = (1.959964 + 0.841621) / 1.959964
# Standard errors of a difference that is found in 80 % of cases, by those of half a 95 % interval.

_EVEN = 0.6745 / 1.959964
# Half of the values of a normal distribution are this near its mean, by half a 95 % interval.

_TOO_FEW = "Too few units for an interval."


class Judgement(NamedTuple):
    """A verdict with its power (None: unknown).

    If nothing is decided, ``note`` says why; if a reproduced figure surely differs, by how much. ``needed``
    is how many units would decide if the figure stays what it is (None: no number would). ``bound`` is the
    margin or the range, ``paper_noise`` half of the 95 % interval of the source's figure.
    """

    verdict: Verdict
    detects: float | None
    note: str = ""
    needed: int | None = None
    bound: str = ""
    paper_noise: float | None = None


def detectable(half: float) -> float:
    """Return the smallest difference that four of five studies find, by half of its 95 % interval."""
    return half * _POWER


def judge_exact(holds: bool) -> Verdict:
    """Return the verdict on something that is computed, not measured."""
    return "reproduced" if holds else "not reproduced"


def judge_figure(paper: float, here: Interval, margin: float, noise: float = 0.0) -> Judgement:
    """Judge a figure of the source that ours should equal.

    ``noise`` is half of the 95 % interval of the source's figure, ``margin`` the largest difference that does
    not matter; both are in the figure's unit.

    A figure that differs surely is not reproduced, whatever its noise. One that does not, and whose noise
    hides what would matter, has no verdict: were the true values equal, fewer than half of such comparisons
    would lie within the margin, however much we play.
    """
    known = here.if_enough_units()
    found = Judgement("undecided", None, bound=f"± {_said(margin)}", paper_noise=noise or None)
    if known.half is None:
        return found._replace(note=_TOO_FEW, needed=MIN_UNITS)
    away, half = abs(here.mean - paper), hypot(known.half, noise)
    found = found._replace(detects=detectable(half))
    differs = f"The difference is {_said(away)} ± {_said(half)}, and {_said(margin)} would matter."
    if away + half <= margin:
        sure = f"Surely another figure, within the margin. {differs}" if away > half else ""
        return found._replace(verdict="reproduced", note=sure)
    if away > half:
        return found._replace(verdict="not reproduced")
    if margin < (1 + _EVEN) * noise:
        hidden = f"{_said(noise)}, hides {_said(margin)}, which would matter."
        return found._replace(verdict="beyond", note=f"No verdict: the document's own noise, {hidden}")
    narrow = max(away, margin - away)
    needed = _units_for(known, sqrt(narrow**2 - noise**2)) if narrow > noise else None
    return found._replace(note=differs, needed=needed)


def _said(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def source_noise(here: Interval, units: float) -> float:
    """Return half of the 95 % interval of a figure of the source that is from so many units, if they scatter
    like ours.
    """
    return (here.half or 0.0) * sqrt(here.units / units)


def judge_claim(here: Interval, low: float = -inf, high: float = inf) -> Judgement:
    """Judge the claim that a figure lies from ``low`` to ``high``."""
    known, bound = here.if_enough_units(), told_range(low, high)
    if known.half is None or known.low is None or known.high is None:
        return Judgement("undecided", None, _TOO_FEW, MIN_UNITS, bound)
    detects = detectable(known.half)
    if low <= known.low and known.high <= high:
        return Judgement("reproduced", detects, bound=bound)
    if known.high < low or known.low > high:
        return Judgement("not reproduced", detects, bound=bound)
    bounds = " and ".join(f"{one:.4g}" for one in (low, high) if known.low <= one <= known.high)
    nearest = min(abs(known.mean - one) for one in (low, high) if isfinite(one))
    why = f"The interval includes {bounds}."
    return Judgement("undecided", detects, why, _units_for(known, nearest), bound)


def told_range(low: float, high: float) -> str:
    """Return the text of a range; empty if it has no bound."""
    if isfinite(low) and isfinite(high):
        return f"{_said(low)} to {_said(high)}" if low < high else _said(low)
    return f"≥ {_said(low)}" if isfinite(low) else f"≤ {_said(high)}" if isfinite(high) else ""


def _units_for(known: Interval, half: float) -> int | None:
    """Return with how many units the interval would be no wider than this; None if with no number."""
    return ceil(known.units * ((known.half or 0.0) / half) ** 2) if half > 0 else None


def no_claim(here: Interval) -> Judgement:
    """Return the verdict on a figure of which the source says nothing, with its power."""
    half = here.if_enough_units().half
    return Judgement("beyond", None if half is None else detectable(half))


def jackknife(blocks: NDArray[Any], figure: Callable[[NDArray[Any]], float]) -> Interval:
    """Return a figure of the sum of all blocks (first axis) with its jackknife interval, corrected for the
    bias from noise (Tukey 1958).
    """
    number, total = len(blocks), blocks.sum(axis=0)
    whole = figure(total)
    return mean_interval([number * whole - (number - 1) * figure(total - np.asarray(one)) for one in blocks])


def judged_row(
    id: str,  # noqa: A002 (what the field is called)
    source: str,
    claim: str,
    paper: Value,
    interval: Interval,
    judgement: Judgement,
    note: str = "",
    digits: int = 4,
) -> Row:
    """Return a row whose figure has an interval, rounded to ``digits``, with its judgement. If the interval
    excludes zero and an end is rounded to it, the note says so.
    """
    mean, low, high, power, noise = (
        # No -0.
        None if value is None else round(value, digits) + 0.0
        for value in (interval.mean, interval.low, interval.high, judgement.detects, judgement.paper_noise)
    )
    verdict, whole_note = judgement.verdict, f"{note} {judgement.note}".strip()
    if interval.decided and 0 in (low, high):
        side = "below" if interval.mean < 0 else "above"
        whole_note = f"{whole_note} The whole interval is {side} 0; its end is rounded to 0.".strip()
    figures = (low, high, power, interval.units, judgement.needed, judgement.bound, noise)
    return Row(id, source, claim, paper, mean, verdict, whole_note, *figures)


def claim_row(
    id: str,  # noqa: A002 (what the field is called)
    source: str,
    claim: str,
    interval: Interval,
    bounds: tuple[float, float],
    note: str = "",
    digits: int = 4,
    *,
    paper: Value = None,
    noise: float = 0.0,
) -> Row:
    """Return the row of a claim that a figure lies within ``bounds``. If the source's own figure, with half
    of its 95 % interval ``noise``, does not show that, the note says so.
    """
    low, high = bounds
    if noise and isinstance(paper, int | float) and not low <= paper - noise <= paper + noise <= high:
        note = f"{note} {NOT_SHOWN}: its noise is {_said(noise)}.".strip()
    judged = judge_claim(interval, *bounds)._replace(paper_noise=noise or None)
    return judged_row(id, source, claim, paper, interval, judged, note, digits)


def claim_of_part(
    id: str,  # noqa: A002 (what the field is called)
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
    noise: float = 0.0,
) -> Row:
    """Return the row of the claim that a figure with limits, such as a part of all wins, is on the given side
    of ``bound``; ``most`` as in ``clip``, ``noise`` as in ``claim_row``. If no unit leaves a limit, three in
    as many still might (95 %).
    """
    if most is not None and interval.half == 0 and interval.mean in (0, most):
        interval = interval._replace(half=min(most, 3 * most / interval.units))
    bounds = (bound, inf) if above else (-inf, bound)
    row = claim_row(id, source, claim, interval, bounds, note, digits, paper=paper, noise=noise)
    return clip(row, most)


def clip(row: Row, most: float | None) -> Row:
    """Return the row with its interval clipped to the figure's limits, 0 and ``most``; None: without."""
    if most is None or row.low is None or row.high is None:
        return row
    return replace(row, low=max(0.0, row.low), high=min(most, row.high))


def beyond_row(
    id: str,  # noqa: A002 (what the field is called)
    source: str,
    claim: str,
    interval: Interval,
    note: str = "",
    digits: int = 4,
) -> Row:
    """Return the row of a figure of which the source says nothing."""
    return judged_row(id, source, claim, None, interval, no_claim(interval), note, digits)


def gain_row(
    id: str,  # noqa: A002 (what the field is called)
    source: str,
    claim: str,
    interval: Interval,
    note: str = "",
    digits: int = 4,
) -> Row:
    """Return the row of a gain of which the source says nothing; its note tells if the sign is undecided."""
    judged = judge_claim(interval, low=0)._replace(verdict="beyond", bound="")
    return judged_row(id, source, claim, None, interval, judged, note, digits)


def unjudged_row(
    id: str,  # noqa: A002 (what the field is called)
    source: str,
    claim: str,
    here: Interval | Value,
    note: str = "",
    digits: int = 4,
) -> Row:
    """Return the row of something that nothing is compared with, so that its power does not matter."""
    if isinstance(here, Interval):
        return judged_row(id, source, claim, None, here, Judgement("beyond", None), note, digits)
    return Row(id, source, claim, None, here, "beyond", note)


def exact_row(
    id: str,  # noqa: A002 (what the field is called)
    source: str,
    claim: str,
    paper: Value,
    here: Value,
    note: str = "",
    *,
    otherwise: Verdict = "not reproduced",
) -> Row:
    """Return the row of something computed that should be as in the source; ``otherwise``: the verdict if it
    is not.
    """
    return Row(id, source, claim, paper, here, "reproduced" if paper == here else otherwise, note)
