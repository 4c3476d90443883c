"""One rule for verdicts: what it says at known truths, and how often it is wrong."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from dealer.intervals import Interval, mean_interval
from studies.harness.report import Verdict
from studies.harness.verdicts import (
    Judgement,
    claim_of_part,
    claim_row,
    gain_row,
    judge_claim,
    judge_exact,
    judge_figure,
    judged_row,
    no_claim,
)

UNITS = 30


@pytest.mark.parametrize(
    ("paper", "mean", "half", "noise", "margin", "verdict"),
    [
        (-7, -959, 127, 127, 50, "not reproduced"),
        (-1.4, 1.4, 25, 25, 50, "reproduced"),
        (-284, -369, 123, 123, 284, "reproduced"),
        (1019, 297, 343, 343, 1019, "not reproduced"),
        # The source's noise alone hides what would matter.
        (15.7, -24, 133, 133, 50, "beyond"),
        (15.7, -24, 133, 37, 50, "undecided"),
        (-91.7, -341, 126, 126, 92, "not reproduced"),
        (10, 10, 0, 0, 0, "reproduced"),
        (10, 10.1, 0, 0, 0, "not reproduced"),
        # Surely other, and surely no more than matters.
        (10, 12, 1, 0, 5, "reproduced"),
    ],
)
def test_a_figure_is_the_same_within_the_margin_or_surely_another(
    paper: float, mean: float, half: float, noise: float, margin: float, verdict: str
) -> None:
    found = judge_figure(paper, Interval(mean, half, UNITS), margin, noise)
    assert found.verdict == verdict
    sure = verdict == "not reproduced" or (
        verdict == "reproduced" and abs(mean - paper) <= np.hypot(half, noise)
    )
    assert bool(found.note) == (not sure)


@pytest.mark.parametrize(
    ("mean", "half", "low", "high", "verdict"),
    [
        (0.3, 0.02, 0.25, 0.35, "reproduced"),
        (0.3, 0.1, 0.25, 0.35, "undecided"),
        (0.2, 0.1, 0.25, 0.35, "undecided"),
        (0.1, 0.1, 0.25, 0.35, "not reproduced"),
        (0.5, 0.1, 0.25, 0.35, "not reproduced"),
        (2, 1, 0, inf, "reproduced"),
        (-2, 1, 0, inf, "not reproduced"),
        (2, 3, 0, inf, "undecided"),
        (-2, 1, -inf, 0, "reproduced"),
    ],
)
def test_a_claim_needs_the_whole_interval(
    mean: float, half: float, low: float, high: float, verdict: str
) -> None:
    assert judge_claim(Interval(mean, half, UNITS), low, high).verdict == verdict


@pytest.mark.parametrize("interval", [Interval(5.0, 0.0, 2), Interval(5.0, 0.1, 9), Interval(5.0, None, 1)])
def test_too_few_units_decide_nothing(interval: Interval) -> None:
    for found in (judge_claim(interval, low=0), judge_figure(5.0, interval, 1.0)):
        assert (found.verdict, found.detects, found.needed) == ("undecided", None, 10)


def test_the_units_that_are_needed_decide_if_the_figure_stays() -> None:
    def claim(units: int, half: float) -> Judgement:
        return judge_claim(Interval(2.0, half, units), low=0, high=9)

    def figure(units: int, half: float) -> Judgement:
        return judge_figure(1.0, Interval(3.0, half, units), 2.5, 1.5)

    for judge, verdict in ((claim, "reproduced"), (figure, "not reproduced")):
        needed = judge(UNITS, 8.0).needed
        assert needed is not None
        assert judge(needed - 1, 8.0 * (UNITS / (needed - 1)) ** 0.5).verdict == "undecided"
        assert judge(needed + 1, 8.0 * (UNITS / (needed + 1)) ** 0.5).verdict == verdict
    # The source's own noise is wider than both the difference and what is left of the margin.
    assert judge_figure(1.0, Interval(2.0, 8.0, UNITS), 2.5, 1.6).needed is None
    assert judge_claim(Interval(0.0, 8.0, UNITS), low=0).needed is None


def test_power_is_what_four_of_five_studies_find() -> None:
    """A true difference of ``detects`` is found in 80 % of studies of that size."""
    rng = np.random.default_rng(5)
    studies, units, noise = 4000, 400, 0.05
    detects = judge_figure(0.0, Interval(0.0, 1.96 / np.sqrt(units), units), 0.0, noise).detects
    assert detects is not None
    papers = rng.normal(0, noise / 1.96, studies)
    found = [
        judge_figure(paper, mean_interval(rng.normal(detects, 1, units).tolist()), 0.0, noise).verdict
        for paper in papers
    ]
    assert found.count("not reproduced") / studies == pytest.approx(0.8, abs=0.02)


def test_equal_figures_and_figures_at_the_margin_are_misjudged_in_at_most_one_of_twenty() -> None:
    rng = np.random.default_rng(7)
    studies, units, margin = 3000, 50, 0.5

    def share(truth: float, verdict: Verdict) -> float:
        papers = rng.normal(0, 0.1, studies)
        values = rng.normal(truth, 1, (studies, units))
        judged = [
            judge_figure(paper, mean_interval(row.tolist()), margin, 0.196)
            for paper, row in zip(papers, values, strict=True)
        ]
        return [one.verdict for one in judged].count(verdict) / studies

    assert share(0.0, "not reproduced") < 0.06
    assert share(margin, "reproduced") < 0.06
    assert share(3 * margin, "not reproduced") > 0.99


def test_a_row_has_the_judgement_beside_its_interval() -> None:
    row = judged_row(
        "row",
        "1",
        "claim",
        1.0,
        Interval(1.23456, 0.5, 20),
        Judgement("undecided", 0.71234, "Why.", 90, "± 0.5"),
        "So.",
        2,
    )
    assert (row.measured, row.low, row.high, row.detects) == (1.23, 0.73, 1.73, 0.71)
    assert (row.verdict, row.note, row.units, row.needed) == ("undecided", "So. Why.", 20, 90)
    assert row.bound == "± 0.5"
    assert (judge_exact(True), judge_exact(False)) == ("reproduced", "not reproduced")


def test_what_the_source_does_not_claim_has_a_power_and_no_other_verdict() -> None:
    known = Interval(3.0, 1.0, UNITS)
    assert no_claim(known) == Judgement("beyond", judge_claim(known, low=0).detects)
    assert no_claim(Interval(3.0, 1.0, 2)) == Judgement("beyond", None)
    assert gain_row("row", "", "", known).bound == ""


@pytest.mark.parametrize(
    ("low", "high", "bound"),
    [
        (0, inf, "≥ 0"),
        (-inf, -50, "≤ -50"),
        (0.25, 1 / 3, "0.25 to 0.333"),
        (-1500, 20, "-1,500 to 20"),
        (10, 10, "10"),
        (-inf, inf, ""),
    ],
)
def test_every_verdict_tells_its_bound(low: float, high: float, bound: str) -> None:
    for interval in (Interval(5.0, 0.1, UNITS), Interval(-60.0, 60.0, UNITS), Interval(5.0, 0.1, 2)):
        assert judge_claim(interval, low, high).bound == bound
        assert judge_figure(5.0, interval, 50.0, 40.0).bound == "± 50"


def test_a_row_has_the_noise_of_the_documents_figure_and_says_if_that_does_not_show_a_claim() -> None:
    ours = Interval(0.9, 0.05, UNITS)
    assert judged_row("a", "1", "", 1.0, ours, judge_figure(1.0, ours, 0.5, 0.3)).paper_noise == 0.3
    assert judged_row("a", "1", "", 1.0, ours, judge_figure(1.0, ours, 0.5)).paper_noise is None
    for noise, shown in ((0.1, True), (0.3, False)):
        for row in (
            claim_row("a", "1", "", ours, (0.5, inf), paper=0.7, noise=noise),
            claim_of_part("a", "1", "", 0.7, ours, 0.5, most=1, noise=noise),
        ):
            assert (row.verdict, row.paper_noise) == ("reproduced", noise)
            assert ("does not show it" in row.note) != shown


def test_an_end_that_is_rounded_to_zero_is_told() -> None:
    below = claim_row("a", "1", "gain", Interval(-0.01, 0.00999, 20), (0, inf))
    assert (below.verdict, below.high) == ("not reproduced", 0)
    assert below.note == "The whole interval is below 0; its end is rounded to 0."
    above = claim_row("a", "1", "gain", Interval(0.01, 0.00999, 20), (-inf, 0), "The same deals.")
    assert above.note.startswith("The same deals. The whole interval is above 0;")
    for clear in (Interval(-0.02, 0.01, 20), Interval(-0.01, 0.02, 20)):
        assert "rounded" not in claim_row("a", "1", "gain", clear, (0, inf)).note
