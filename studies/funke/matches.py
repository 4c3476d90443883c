"""Rows of section 4.1: one against one, and the problem of variance."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from statistics import stdev

import numpy as np

from dealer.intervals import Interval, mean_interval, ratio_interval
from studies.funke.comparisons import won
from studies.funke.document import FIGURE_41, FIGURE_41_MATCHES, FIGURE_41_MEAN
from studies.funke.plan import FIXED, FunkeResults
from studies.harness.report import Row, interval_row
from studies.harness.verdicts import judge_claim, judged_row

_MATCHES = 10  # the document takes their mean
_LEAST = 5.0
_CATALAN = 1.8319  # twice Catalan's constant
_95 = 1.96


def match_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    exact = won(*FIGURE_41)
    rows = np.array(done.results["match/bust"])
    rates = 100 * rows[:, 1] / rows[:, 0]
    chips = ", ".join(f"{hands * rate / 100:.0f}" for hands, rate in FIGURE_41_MATCHES)
    yield Row(
        "unit",
        "4.1, figure 4.1",
        "performance is in big blinds per hand",
        "bb/hands",
        "bb/100",
        "document in error",
        f"Hands times performance / 100 is {chips} in the three matches shown: each ended when 500 big "
        "blinds were lost, so the unit is big blinds per 100 hands. Nobody can win more than 10 a hand.",
    )
    yield from _sample(done)
    tens = rates[: len(rates) // _MATCHES * _MATCHES].reshape(-1, _MATCHES).mean(axis=1)
    share = 100 * float((tens >= FIGURE_41_MEAN).mean())
    mean = mean_interval(rates.tolist())
    yield judged_row(
        "figure-4.1-mean",
        "figure 4.1",
        "mean performance of ten matches of about 59/37 against 72/36, bb/100",
        FIGURE_41_MEAN,
        mean,
        judge_claim(mean, 0.9 * FIGURE_41_MEAN, 1.1 * FIGURE_41_MEAN),
        f"Exactly it wins {exact:.2f}. Of means of ten matches {share:.1f} % are as high as his: chance.",
        3,
    )
    excess = mean_interval((rates - exact).tolist())
    yield interval_row(
        "mean-of-rates",
        "4.1.1",
        "the mean of the matches' performances measures what is won: its excess over the exact, bb/100",
        0,
        excess,
        "document in error" if excess.decided else "not reproduced",
        "A match that ends soon has few hands to divide by, whoever wins it. For a random walk to one of two "
        f"equal bounds the mean of rates is {_CATALAN} times what is won (twice Catalan's constant): here "
        f"{mean.mean / exact:.2f} times.",
        3,
    )
    total = ratio_interval((100 * rows[:, 1]).tolist(), rows[:, 0].tolist()).interval()
    yield interval_row(
        "total-rate",
        "our measurement",
        "all that was won by all hands, the same matches, bb/100",
        None,
        total,
        "beyond",
        f"Exactly {exact:.3f}: to divide sums is right.",
        3,
    )
    yield from _variance(done, rates)


def _sample(done: FunkeResults) -> Iterator[Row]:
    rows = np.array(done.results["match/sample"])
    small = rows[:, 2]
    for name, count, times, paper in (
        ("raise", rows[:, 3], small, FIGURE_41[0][0]),
        ("call", rows[:, 5], rows[:, 4], FIGURE_41[0][1]),
    ):
        interval = ratio_interval((100 * count).tolist(), times.tolist()).interval()
        yield judged_row(
            f"figure-4.1-{name}",
            "figure 4.1",
            f"how often the first player could {name} and did, ten matches, per cent",
            paper,
            interval,
            judge_claim(interval, paper - 1.5, paper + 1.5),
            "Within 1.5, as his own matches differ by that.",
            2,
        )
    lasted = mean_interval(np.array(done.results["match/bust"])[:, 0].tolist())
    paper = float(np.mean([played for played, _ in FIGURE_41_MATCHES]))
    yield judged_row(
        "figure-4.1-hands",
        "figure 4.1",
        "hands of a match until 500 big blinds are lost (his: the three shown)",
        round(paper),
        lasted,
        judge_claim(lasted, paper / 2, 2 * paper),
        "Between half and twice his: three matches say no more.",
        0,
    )


def _variance(done: FunkeResults, rates: np.ndarray) -> Iterator[Row]:
    wrong = mean_interval((100.0 * (rates < 0)).tolist())
    yield judged_row(
        "variance-match",
        "4.1.1",
        "the outcome of a match varies enormously: per cent of matches that the worse player wins",
        "many",
        wrong,
        judge_claim(wrong, low=25),
        f"Performances of matches have a standard deviation of {stdev(rates.tolist()):.1f} bb/100. "
        "Above 25 %.",
        2,
    )
    deviations = {hands: stdev(done.results[f"match/fixed-{hands}"]) for hands in FIXED}
    count = len(done.results[f"match/fixed-{FIXED[0]}"])
    ratio = deviations[FIXED[0]] / deviations[FIXED[-1]]
    falls = Interval(ratio, _95 * ratio / sqrt(count - 1), count)
    told = ", ".join(f"{value:.2f} of {hands:,}" for hands, value in deviations.items())
    yield judged_row(
        "variance-fixed",
        "4.1.1",
        "with a fixed number of hands the variance falls: standard deviation of 1,000 hands by 64,000",
        "> 1",
        falls,
        judge_claim(falls, low=1),
        f"Standard deviations, bb/100: {told} hands. As the square root it would be 8.",
        2,
    )
    noise = mean_interval(done.results["match/equals"])
    yield judged_row(
        "variance-round-robin",
        "4.1.1",
        "in a round robin of 20 variance cancels: standard deviation of scores of equals, bb/100",
        0,
        noise,
        judge_claim(noise, 0, 0.1),
        "Players who are all 57/37, one match of up to 5,000 hands each. Below 0.1. "
        "Table 4.2 has differences of 0.03 to 1.26, which he takes for quality.",
        3,
    )
    deviation = stdev(rates.tolist())
    needed = _95 * deviation / sqrt(_MATCHES)
    interval = Interval(needed, _95 * needed * sqrt(_spread(rates) / len(rates)), len(rates))
    yield judged_row(
        "five",
        "4.2.1",
        "less than 5 is no significant difference: what a mean of ten matches must differ by (95 %), bb/100",
        _LEAST,
        interval,
        judge_claim(interval, low=_LEAST),
        "It is a matter of how many matches are played. The difference itself is large: from 57/37 nobody "
        "can win more than 0.67 bb/100.",
        2,
    )


def _spread(rates: np.ndarray) -> float:
    """Return a quarter of the fourth standardised moment less one: the variance of a standard deviation,
    relative to its square, times the number of values.
    """
    centred = rates - rates.mean()
    return float(((centred**4).mean() / (centred**2).mean() ** 2 - 1) / 4)
