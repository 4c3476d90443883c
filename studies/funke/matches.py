"""Rows of section 4.1: one against one, and the problem of variance."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, sqrt
from statistics import stdev

import numpy as np

from dealer.intervals import Interval, mean_interval, ratio_interval
from studies.funke.comparisons import figure_row, most_exploitable, won
from studies.funke.document import (
    EQUILIBRIUM,
    FIGURE_41,
    FIGURE_41_MATCHES,
    FIGURE_41_MEAN,
    MATCHES,
    NOT_SIGNIFICANT,
)
from studies.funke.plan import FIXED, FunkeResults
from studies.harness.report import Row
from studies.harness.verdicts import beyond_row, claim_row, judge_exact

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
    tens = rates[: len(rates) // MATCHES * MATCHES].reshape(-1, MATCHES).mean(axis=1)
    share = 100 * float((tens >= FIGURE_41_MEAN).mean())
    mean = mean_interval(rates.tolist())
    noise = _95 * stdev(rates.tolist()) / sqrt(MATCHES)
    yield figure_row(
        "figure-4.1-mean",
        "figure 4.1",
        "mean performance of ten matches of about 60/36 against 72/36, bb/100",
        FIGURE_41_MEAN,
        mean,
        NOT_SIGNIFICANT,
        noise,
        f"Reproduced within {NOT_SIGNIFICANT:g}, which he calls not significant. The noise of a mean of ten "
        f"is {noise:.2f}: of such means {share:.1f} % are as high as his. Exactly it wins {exact:.2f}.",
    )
    yield claim_row(
        "mean-of-rates",
        "4.1.1",
        "the mean of the matches' performances is a reliable measure of what is won: it by the exact",
        mean.scaled(1 / exact),
        (0.9, 1.1),
        "Reproduced from 0.9 to 1.1. A match that ends soon has few hands to divide by, whoever wins it. "
        "For a random walk to one of two "
        f"equal bounds the mean of rates is {_CATALAN} times what is won (twice Catalan's constant). Which "
        "player wins is still told rightly.",
        3,
    )
    yield beyond_row(
        "total-rate",
        "our measurement",
        "all that was won by all hands, the same matches, bb/100",
        ratio_interval((100 * rows[:, 1]).tolist(), rows[:, 0].tolist()).interval(),
        f"Exactly {exact:.3f}: to divide sums is right.",
        3,
    )
    yield from _variance(done, rates)


def _sample(done: FunkeResults) -> Iterator[Row]:
    rows = np.array(done.results["match/bust"])
    for name, count, times, his in (
        ("raise", rows[:, 3], rows[:, 2], FIGURE_41[0][0]),
        ("call", rows[:, 5], rows[:, 4], FIGURE_41[0][1]),
    ):
        yield beyond_row(
            f"figure-4.1-{name}",
            "figure 4.1",
            f"how often a first player of {his:g} %, the mean of the three matches shown, could {name} and "
            "did, per cent",
            ratio_interval((100 * count).tolist(), times.tolist()).interval(),
            "The players here are set to the shares that he prints: this shows that they are counted alike.",
            2,
        )
    lasts = rows[:, 0]
    lasted = mean_interval(lasts.tolist())
    paper = float(np.mean([played for played, _ in FIGURE_41_MATCHES]))
    noise = _95 * float(lasts.std(ddof=1)) / sqrt(len(FIGURE_41_MATCHES))
    yield figure_row(
        "figure-4.1-hands",
        "figure 4.1",
        "hands of a match until 500 big blinds are lost (his: the mean of the three shown)",
        round(paper),
        lasted,
        paper / 2,
        noise,
        f"Reproduced within half of his, our bound. The noise of a mean of three is {noise:,.0f}.",
        0,
    )


def _variance(done: FunkeResults, rates: np.ndarray) -> Iterator[Row]:
    yield claim_row(
        "variance-match",
        "4.1.1",
        "the outcome of a match varies enormously: per cent of matches that the worse player wins",
        mean_interval((100.0 * (rates < 0)).tolist()),
        (25, inf),
        "Reproduced from 25 % on, our bound. Performances of matches have a standard deviation of "
        f"{stdev(rates.tolist()):.1f} bb/100.",
        2,
        paper="many",
    )
    deviations = {hands: stdev(done.results[f"match/fixed-{hands}"]) for hands in FIXED}
    count = len(done.results[f"match/fixed-{FIXED[0]}"])
    ratio = deviations[FIXED[0]] / deviations[FIXED[-1]]
    falls = Interval(ratio, _95 * ratio / sqrt(count - 1), count)
    listed = ", ".join(f"{value:.2f} of {hands:,}" for hands, value in deviations.items())
    yield claim_row(
        "variance-fixed",
        "4.1.1",
        "with a fixed number of hands the variance falls: standard deviation of 1,000 hands by 64,000",
        falls,
        (1, inf),
        f"Reproduced above 1. Standard deviations, bb/100: {listed} hands. As the square root it would be 8.",
        2,
        paper="> 1",
    )
    equals = mean_interval(done.results["match/equals"])
    yield claim_row(
        "variance-round-robin",
        "4.1.1",
        "in a round robin of 20 one match of each two is enough, as variance cancels: what two scores must "
        "differ by (95 %), bb/100",
        equals.scaled(_95 * sqrt(2)),
        (-inf, NOT_SIGNIFICANT),
        f"Reproduced up to {NOT_SIGNIFICANT:g}, which he calls not significant. Players who are all 57/37, "
        f"matches of up to 5,000 hands; their scores have a standard deviation of {equals.mean:.2f}. Table "
        "4.2 has differences of 0.03 to 1.26, which he takes for quality.",
        3,
    )
    yield from _five(rates)


def _five(rates: np.ndarray) -> Iterator[Row]:
    """Yield a row for each half of "is not significant and, to practical effect, equally effective"."""
    needed = _95 * stdev(rates.tolist()) / sqrt(MATCHES)
    yield claim_row(
        "five-significant",
        "4.2.1",
        "less than 5 is no significant difference: what a mean of ten matches must differ by (95 %), bb/100",
        Interval(needed, _95 * needed * sqrt(_spread(rates) / len(rates)), len(rates)),
        (NOT_SIGNIFICANT, inf),
        "Reproduced from 5 on. It is a matter of how many matches are played.",
        2,
        paper=NOT_SIGNIFICANT,
    )
    jam, call, lost = most_exploitable(EQUILIBRIUM, NOT_SIGNIFICANT)
    yield Row(
        "five-effective",
        "4.2.1",
        "strategies that differ by less than 5 are as good to practical effect: the most that best answers "
        "win from a simple player who loses less than that to 57/37, bb/100",
        NOT_SIGNIFICANT,
        round(lost / 10, 2),
        judge_exact(lost / 10 <= NOT_SIGNIFICANT),
        f"It is {jam:.1f}/{call:.1f}; from 57/37 itself they win 0.67.",
    )


def _spread(rates: np.ndarray) -> float:
    """Return a quarter of the fourth standardised moment less one: the variance of a standard deviation,
    relative to its square, times the number of values.
    """
    centred = rates - rates.mean()
    return float(((centred**4).mean() / (centred**2).mean() ** 2 - 1) / 4)
