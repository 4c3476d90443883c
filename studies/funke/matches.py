"""Rows of section 4.1: one against one, and the problem of variance."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, hypot, inf, sqrt
from statistics import fmean, stdev

import numpy as np

from dealer.intervals import Interval, mean_interval, ratio_interval
from studies.funke.comparisons import difference, figure_row, most_exploitable, won
from studies.funke.document import (
    ACCEPTABLE,
    EQUILIBRIUM,
    FIGURE_41,
    FIGURE_41_MATCHES,
    FIGURE_41_MEAN,
    MATCHES,
    NOT_SIGNIFICANT,
    opponent,
)
from studies.funke.jobs import top_tables_of
from studies.funke.plan import FIXED, FunkeResults
from studies.harness.report import Row
from studies.harness.verdicts import beyond_row, claim_row, judge_exact, unjudged_row

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
    yield beyond_row(
        "mean-of-rates",
        "our measurement",
        "the mean of the matches' performances, by what is won exactly",
        mean.scaled(1 / exact),
        "A match that ends soon has few hands to divide by, whoever wins it. For a random walk to one of two "
        f"equal bounds the mean of rates is {_CATALAN} times what is won (twice Catalan's constant). Which "
        "player wins is still told rightly. How steady it is, is `mean-steady`.",
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
    yield from _variance(done, rates, float(rows[:, 0].mean()))


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


def _variance(done: FunkeResults, rates: np.ndarray, lasted: float) -> Iterator[Row]:
    yield claim_row(
        "variance-match",
        "4.1.1",
        "the outcome of a match varies enormously: per cent of matches that the worse player wins",
        mean_interval((100.0 * (rates < 0)).tolist()),
        (25, inf),
        "Reproduced from 25 % on, our bound. Performances of matches have a standard deviation of "
        f"{stdev(rates.tolist()):.1f} bb/100.",
        2,
    )
    deviations = {hands: stdev(done.results[f"match/fixed-{hands}"]) for hands in FIXED}
    count = len(done.results[f"match/fixed-{FIXED[0]}"])
    ratio = deviations[FIXED[0]] / deviations[FIXED[-1]]
    falls = Interval(ratio, _95 * ratio / sqrt(count - 1), count)
    listed = ", ".join(f"{value:.2f} of {hands:,}" for hands, value in deviations.items())
    yield unjudged_row(
        "variance-fixed",
        "4.1.1",
        "with a fixed number of hands the variance falls: standard deviation of 1,000 hands by 64,000",
        falls,
        "Not judged: of independent hands it is certain. As the square root of their number it would be 8. "
        f"Standard deviations, bb/100: {listed} hands.",
        2,
    )
    equals = mean_interval(done.results["match/equals"])
    yield claim_row(
        "variance-round-robin",
        "4.1.1",
        "in a round robin of 20 one match of each two is enough, as variance cancels: what two scores must "
        "differ by (95 %), bb/100",
        equals.scaled(_95 * sqrt(2)),
        (-inf, ACCEPTABLE),
        f"Reproduced up to {ACCEPTABLE:g}, as the figures that it is for. Players who are all 57/37, "
        f"matches of up to 5,000 hands; their scores have a standard deviation of {equals.mean:.2f}. Table "
        "4.2 has differences of 0.03 to 1.26, which he takes for quality.",
        3,
    )
    fixed, bust = FIXED[1], _deviation(rates)
    times = bust.mean / deviations[fixed]
    yield claim_row(
        "variance-bust",
        "4.1.1",
        "as players can go bust, the variance cannot be made as small as one likes: standard deviation of "
        f"matches until 500 big blinds are lost by that of {fixed:,} hands",
        Interval(times, times * hypot((bust.half or 0) / bust.mean, _95 / sqrt(2 * (count - 1))), count),
        (1, inf),
        f"Reproduced above 1, though they have {lasted:,.0f} hands on average: {stdev(rates.tolist()):.1f} "
        f"and {deviations[fixed]:.1f} bb/100. Short matches are far out.",
        2,
    )
    ten, single = (
        done.wins(name, top_tables_of(opponent("70-60")))
        for name in ("simple/70-60/20", "simple/single-match")
    )
    yield claim_row(
        "single-match",
        "4.1.1",
        "scores of single matches lead to wrong solutions: what those by ten matches a player win from "
        "70/60 more, N = 20, exactly, bb/100",
        difference(ten, single),
        (ACCEPTABLE, inf),
        f"Reproduced from {ACCEPTABLE:g}, his bound of what is good: who loses less is worse, not wrong. "
        f"{fmean(ten):.2f} and "
        f"{fmean(single):.2f}.",
        3,
    )
    yield from _five(rates)


def _five(rates: np.ndarray) -> Iterator[Row]:
    """Yield what the mean of ten matches can tell, and a row for each half of "is not significant and, to
    practical effect, equally effective".
    """
    needed = _deviation(rates).scaled(_95 / sqrt(MATCHES))
    enough = ceil(MATCHES * (needed.mean / NOT_SIGNIFICANT) ** 2)
    yield beyond_row(
        "mean-steady",
        "4.1.1, figure 4.1",
        "the mean of enough matches varies little: half of the 95 % interval of that of ten, bb/100",
        needed,
        "No verdict: he says neither how many are enough nor what is little. For it to be less than the "
        f"{NOT_SIGNIFICANT:g} that he calls not significant (`five-significant`) {enough} are enough.",
        2,
    )
    yield beyond_row(
        "five-significant",
        "4.2.1",
        "less than 5 is no significant difference: what a mean of ten matches must differ by (95 %), bb/100",
        needed,
        "No verdict: it hangs on how many matches are played, which he does not tell. It is so of ten, and "
        f"from {enough} on no more.",
        2,
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


def _deviation(rates: np.ndarray) -> Interval:
    """Return the standard deviation with its interval.

    Its variance, relative to its square, is a quarter of the fourth standardised moment less one, by the
    number of values.
    """
    centred, found = rates - rates.mean(), stdev(rates.tolist())
    spread = float(((centred**4).mean() / (centred**2).mean() ** 2 - 1) / 4)
    return Interval(found, _95 * found * sqrt(spread / len(rates)), len(rates))
