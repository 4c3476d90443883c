"""The claims of tables 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb, hypot, inf, sqrt
from statistics import fmean
from typing import NamedTuple

import numpy as np

from dealer.intervals import CONFIDENCE, MIN_UNITS, Interval, mean_interval
from dealer.runoff import bankrolls
from studies.gloeckner.comparisons import (
    is_decided,
    lead_of_best,
    printed_noise,
    unjudged_winnings,
    winnings_row,
)
from studies.gloeckner.document import BANKROLLS, RUN_OFF, TABLE_1, TABLE_2, mbb
from studies.gloeckner.plan import FAST, SIMPLE, SMALL_POTS, Array, GloecknerResults, line_up_name
from studies.harness.report import Row, Verdict
from studies.harness.verdicts import beyond_row, claim_row, detectable, exact_row, jackknife, unjudged_row

_HANDS = 6000
_ALL_HANDS = 15 * _HANDS
_Z = 1.96
_BLOCKS = 50
MAPPED_ALONE = tuple(one for one in FAST if one not in SMALL_POTS)
"""Line-ups of mappings and ownbot."""


_EXPLANATION = """
Why do `raise` and `call` lose so little in table 1? No factor explains it (`table-1-scale-simple`): times
six, as if its chips were means over the six seatings, what the others win no longer fits
(`table-1-scale-mapped`). As they are, our winnings follow the document's with a correlation of {plain}
(`table-1-why-none`). It is {lowest:.2f} to {highest:.2f} with smaller pots, with hands counted instead of
chips, with another `raise`, and with mappings that call or raise where the heads-up strategy has no answer.
If they fold there, it is {folds}: against hbb1 and hbb2 `raise` wins {raise_folds} mbb and not {raise_here},
and `call` {call_folds} and not {call_here}. The document's program had no answer (NaN) in a quarter to a
third of the histories, which its author found out only after table 1 (5.2). There `raise` wins from each two
of the three mappings, and `call` loses little: {call_lost} mbb at most. What is left is a factor: with folds
we win {factor} times the document's figures. Its repeated matches are nearer to each other than chance would
have them by a factor (`again-factor`) of {again}, so this may be one factor, by which its chips are printed
too small. Of all that was tried, mappings that fold without an answer come nearest. It is not proved: a
correlation follows the largest figures, and in standard errors the misfit hardly falls, from {misfit:.1f} to
{misfit_folds:.1f} ({misfit_small:.1f} with smaller pots; 1 if they agree). Where only mappings and ownbot
meet, our winnings as they are fit well, at a factor of {mapped} with a misfit of {misfit_mapped:.1f}, and
worse with folds, at a factor of {mapped_folds} with a misfit of {misfit_mapped_folds:.1f}. And hbb2 against
both `raise` and `call` folds too often.
"""


def tournament_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _errors()
    yield from _matches(done)
    yield from _scale(done)
    yield from _otherwise_rows(done)
    yield from _bankrolls(done)


def _errors() -> Iterator[Row]:
    wrong = [line_up for line_up, chips in TABLE_1.items() if sum(chips.values())]
    (line_up,) = wrong
    yield exact_row(
        "table-1-sum",
        "table 1",
        f"what {', '.join(line_up)} win from each other sums to zero",
        0,
        sum(TABLE_1[line_up].values()),
        "The 34 other line-ups sum to zero. In table 2 HBB3 has 27 chips less than its column of table 1 "
        "sums to, so its entry of -20936 should be -20963.",
        otherwise="document in error",
    )
    # With that entry mended.
    chips = {
        one: [won[bot] - 27 * (one == line_up and bot == "hbb3") for bot in one]
        for one, won in TABLE_1.items()
    }
    right = [bankrolls(chips, list(rolls))[bot] == paper for rolls in TABLE_2 for bot, paper in rolls.items()]
    claim = "figures of table 2 that follow from table 1, its one misprint mended (`table-1-sum`)"
    yield exact_row("table-2-sums", "table 2", claim, len(right), sum(right))


def _matches(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 1: 105 figures."""
    rows, lost, signs = [], 0, []
    for line_up, chips in TABLE_1.items():
        for bot, paper in chips.items():
            interval = done.rate(line_up_name(line_up), bot)
            others = " and ".join(other for other in line_up if other != bot)
            claim = f"{bot} against {others}, mbb/hand"
            within = abs(mbb(paper, _HANDS)) <= printed_noise(interval)
            lost += within
            if not within and is_decided(interval):
                signs.append((paper > 0) == (interval.mean > 0))
            name = f"table-1-{bot}-{'-'.join(other for other in line_up if other != bot)}"
            rows.append(winnings_row(name, "table 1", claim, mbb(paper, _HANDS), interval))
    claim = "figures of table 1 that are not within their own noise, of 105"
    yield unjudged_row("table-1-noise", "table 1", claim, 105 - lost)
    yield from rows
    yield unjudged_row(
        "table-1-signs",
        "table 1",
        "figures with the document's sign, of those that are beyond noise there and here",
        f"{sum(signs)} of {len(signs)}",
        "The rows above judge sizes: many are not reproduced only because more is won and lost here.",
    )
    yield _most_of_raise(done)


def _most_of_raise(done: GloecknerResults) -> Row:
    met = [one for one in TABLE_1 if "raise" in one]
    mapped, others = ([one for one in met if _two_mapped(one) == two] for two in (True, False))
    won = {one: done.wins(line_up_name(one), "raise") for one in met}
    common = min(map(len, won.values()))
    won = {one: wins[:common] for one, wins in won.items()}
    best, other = (max(group, key=lambda one: won[one].mean()) for group in (mapped, others))
    lead = lead_of_best([[mean_interval((won[one] - won[two]).tolist()) for two in others] for one in mapped])
    paper_best = max(met, key=lambda one: TABLE_1[one]["raise"])
    return claim_row(
        "table-1-raise",
        "4.5",
        "what raise wins more from two of the mappings than from any others, at most, mbb/hand",
        lead,
        (0, inf),
        f"Most from {_without(best)}, and of the others from {_without(other)}; in the document from "
        f"{_without(paper_best)}. The interval is for all {len(mapped) * len(others)} pairs at once.",
        1,
        paper=round(
            mbb(TABLE_1[paper_best]["raise"] - max(TABLE_1[one]["raise"] for one in others), _HANDS), 1
        ),
        noise=printed_noise(lead),
    )


def _two_mapped(line_up: tuple[str, ...]) -> bool:
    return sum(bot.startswith("hbb") for bot in line_up) == 2


def _without(line_up: tuple[str, ...]) -> str:
    return " and ".join(bot for bot in line_up if bot != "raise")


def _scale(done: GloecknerResults) -> Iterator[Row]:
    """Yield how much more is won here than in the document, without and with the players who look at nothing:
    whether its chips are, for example, means over the six seatings instead of sums.
    """
    for key, simple, description in (
        ("mapped", False, "without raise and call"),
        ("simple", True, "with raise or call"),
    ):
        line_ups = [one for one in TABLE_1 if bool(set(SIMPLE) & set(one)) == simple]
        fit = _fit(line_ups, {one: done.line_up(line_up_name(one), one) for one in line_ups})
        yield beyond_row(
            f"table-1-scale-{key}",
            "4.5",
            f"our winnings as a multiple of the document's, {description}",
            fit.factor,
            fit.distances(),
            2,
        )


_OTHERWISE = {
    "none": "as they are",
    "small": "with one raise a round",
    "wins": "counted as hands won less hands lost",
    "raise-folds": "with a raise that folds where it may not raise",
    "raise-once": "with a raise that raises once a round",
    "nan-raise": "with mappings that raise where the heads-up strategy has no answer",
    "nan-call": "with mappings that call where it has none",
    "nan-fold": "with mappings that fold where it has none",
}


class Fit(NamedTuple):
    """How our winnings follow the document's: their correlation (through the origin), and the factor that
    fits best.
    """

    papers: Array
    rates: list[Interval]
    correlation: Interval
    factor: Interval

    def distance(self, factor: float) -> float:
        """Return the mean squared distance in standard errors from the document's figures times a factor."""
        return fmean(
            (_Z * (rate.mean - factor * paper) / hypot(rate.half or 1.0, printed_noise(rate))) ** 2
            for rate, paper in zip(self.rates, self.papers, strict=True)
        )

    @property
    def misfit(self) -> float:
        """Return the distance at the factor that fits best."""
        return self.distance(self.factor.mean)

    def distances(self) -> str:
        """Return the distances as a sentence."""
        told = ", ".join(f"{self.distance(factor):.1f} times {factor}" for factor in (1, 3, 6))
        return (
            f"{len(self.papers)} figures. Their mean squared distance in standard errors, 1 if they agree, "
            f"from the document's: {told}."
        )


def _fit(line_ups: Sequence[tuple[str, ...]], won: Mapping[tuple[str, ...], Array]) -> Fit:
    """Compare winnings float64[3, deals] of these line-ups with the document's."""
    papers = np.array([mbb(TABLE_1[one][bot], _HANDS) for one in line_ups for bot in one])
    deals = min(table.shape[1] for table in won.values())
    found = np.concatenate([won[one][:, :deals] for one in line_ups])
    blocks = np.array_split(np.vstack([found, np.ones(deals)]), min(_BLOCKS, deals), axis=1)
    sums = np.array([block.sum(axis=1) for block in blocks])
    length = float(papers @ papers)

    def correlation(total: Array) -> float:
        size = float(total[:-1] @ total[:-1])
        return float(papers @ total[:-1]) / sqrt(length * size) if size else 0.0

    def factor(total: Array) -> float:
        return float(papers @ total[:-1] / total[-1]) / length

    rates = [mean_interval(row.tolist()) for row in found]
    # What the jackknife takes off for noise would make some correlations more than 1.
    seen = jackknife(sums, correlation)._replace(mean=correlation(sums.sum(axis=0)))
    return Fit(papers, rates, seen, jackknife(sums, factor))


def fit_otherwise(done: GloecknerResults, key: str, line_ups: Sequence[tuple[str, ...]]) -> Fit:
    """Return the fit of a tournament in which something is otherwise (``_OTHERWISE``), same deals."""
    won = {}
    for one in line_ups:
        name = f"{key}/{line_up_name(one)}"
        name = name if name in done.plan.contests else line_up_name(one)
        won[one] = done.line_up(name, one, hands_won=key == "wins")[:, : done.plan.sizes.changed_deals]
    return _fit(line_ups, won)


def _otherwise_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield what would make raise and call lose as little as in the document."""
    for key, description in _OTHERWISE.items():
        yield _fit_row(
            f"table-1-why-{key}", f"raise or call, {description}", fit_otherwise(done, key, SMALL_POTS)
        )
    for key in ("none", "nan-fold"):
        where = f"mappings and ownbot alone, {_OTHERWISE[key]}"
        yield _fit_row(f"table-1-why-mapped-{key}", where, fit_otherwise(done, key, MAPPED_ALONE))


def explain_scale(done: GloecknerResults, again: Row) -> str:
    """Return a paragraph on why raise and call lose so little in table 1; ``again`` is the row
    ``again-factor``.
    """
    fits = {key: fit_otherwise(done, key, SMALL_POTS) for key in _OTHERWISE}
    others = [fit.correlation.mean for key, fit in fits.items() if key not in ("none", "nan-fold")]
    alone = {key: fit_otherwise(done, key, MAPPED_ALONE) for key in ("none", "nan-fold")}
    lost = min(chips["call"] for one, chips in TABLE_1.items() if "call" in one and _two_mapped(one))
    return " ".join(_EXPLANATION.split()).format(
        call_lost=f"{-mbb(lost, _HANDS):.0f}",
        again=f"{again.measured} ({again.low} to {again.high})",
        misfit=fits["none"].misfit,
        misfit_folds=fits["nan-fold"].misfit,
        misfit_small=fits["small"].misfit,
        misfit_mapped=alone["none"].misfit,
        misfit_mapped_folds=alone["nan-fold"].misfit,
        plain=_range(fits["none"].correlation),
        lowest=min(others),
        highest=max(others),
        folds=_range(fits["nan-fold"].correlation),
        factor=_range(fits["nan-fold"].factor),
        mapped=_range(alone["none"].factor),
        mapped_folds=_range(alone["nan-fold"].factor),
        raise_here=_range(done.rate("hbb1-hbb2-raise", "raise"), 0),
        raise_folds=_range(done.rate("nan-fold/hbb1-hbb2-raise", "raise"), 0),
        call_here=_range(done.rate("hbb1-hbb2-call", "call"), 0),
        call_folds=_range(done.rate("nan-fold/hbb1-hbb2-call", "call"), 0),
    )


def _range(interval: Interval, digits: int = 2) -> str:
    return f"{interval.mean:,.{digits}f} ± {interval.half or 0.0:,.{digits}f}"


def _fit_row(row: str, description: str, fit: Fit) -> Row:
    factor = fit.factor
    found = beyond_row(
        row,
        "4.5",
        f"correlation of our winnings with the document's, without akuma: {description}",
        fit.correlation,
        f"{len(fit.papers)} figures. The best factor is {_range(factor)}; their mean squared distance in "
        f"standard errors is then {fit.misfit:.1f}, 1 if they agree.",
        2,
    )
    return found if found.high is None else replace(found, high=min(1.0, found.high))


def _bankrolls(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 2."""
    found = done.document_tournament
    for bot in (one for one in BANKROLLS if one.startswith("hbb")):
        yield claim_row(
            f"own-{bot}",
            "4.5",
            f"{bot} does badly: its bankroll is below zero, mbb/hand",
            found.rates[bot],
            (-inf, 0),
            digits=1,
            paper=round(mbb(BANKROLLS[bot], _ALL_HANDS), 1),
            noise=printed_noise(found.rates[bot]),
        )
    yield unjudged_winnings(
        "ownbot-sense",
        "6",
        "ownbot shows that a two-player strategy makes sense with two players left: its bankroll, mbb/hand",
        mbb(BANKROLLS["ownbot"], _ALL_HANDS),
        found.rates["ownbot"],
        "No verdict: our ownbot is not the document's. It is not in table 15, where the mappings are asked "
        "in its place (`helps`).",
    )
    # The last round is one match, which table 1 has.
    for rolls in TABLE_2[:-1]:
        matches = comb(len(rolls) - 1, 2)
        among = "" if rolls is BANKROLLS else f" among {', '.join(rolls)}"
        for bot, chips in rolls.items():
            yield winnings_row(
                f"table-2-{bot}-{len(rolls) if among else 'all'}",
                "table 2",
                f"bankroll of {bot}{among}, mbb/hand, matches: {matches}",
                mbb(chips, matches * _HANDS),
                mean_interval(found.won_among(bot, rolls).tolist()),
            )
    paper_order = tuple(sorted(BANKROLLS, key=BANKROLLS.__getitem__, reverse=True))
    without = TABLE_2[1]
    lead = mean_interval((found.won["raise"] - found.won_among("raise", without)).tolist())
    theirs, ours = (1 + one.index("raise") for one in (paper_order, found.by_bankroll))
    yield unjudged_winnings(
        "run-off-raise",
        "4.5",
        "one weak victim may lift a bot very far: what raise wins more among all than among those without "
        "hbb3, mbb/hand",
        mbb(BANKROLLS["raise"], _ALL_HANDS) - mbb(without["raise"], 10 * _HANDS),
        lead,
        f"No verdict: the claim is that it may. By bankroll raise has place {theirs} of 7 in the document "
        f"and place {ours} here, where it is no example of that.",
    )
    by_bankroll, by_run_off = zip(*found.samples, strict=True)
    deals = found.rates["raise"].units
    yield order_row("bankroll", "total bankroll", paper_order, found.by_bankroll, by_bankroll, deals)
    yield order_row("run-off", "instant run-off", RUN_OFF, found.by_run_off, by_run_off, deals)


def order_row(
    name: str,
    method: str,
    expected: Sequence[str],
    ranking: Sequence[str],
    samples: Sequence[Mapping[str, int]],
    deals: int,
) -> Row:
    """Return how much of the document's order is found, with the interval of a bootstrap over deals."""
    pairs = list(combinations(expected, 2))

    def kept(places: Mapping[str, int]) -> int:
        return sum(places[better] < places[worse] for better, worse in pairs)

    low, high = np.quantile([kept(one) for one in samples], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    verdict: Verdict = "undecided"
    spread = float(np.std([kept(one) for one in samples]))
    if deals >= MIN_UNITS and low >= len(pairs):
        verdict = "reproduced"
    elif deals >= MIN_UNITS and high < len(pairs):
        verdict = "not reproduced"
    first = sum(one[ranking[0]] == 1 for one in samples) / len(samples)
    return Row(
        f"table-2-{name}",
        "table 2",
        f"pairs of the seven that stand in the document's order by {method}",
        len(pairs),
        kept({bot: place for place, bot in enumerate(ranking)}),
        verdict,
        f"Document: {', '.join(expected)}. Here: {', '.join(ranking)}; {ranking[0]} is the first in "
        f"{first:.0%} of the samples of a bootstrap over deals, from which the interval is. akuma and ownbot "
        "are not the document's, see above. The last round of table 2 is one match, judged in table 1.",
        float(low),
        float(high),
        round(detectable(_Z * spread), 2),
        units=deals,
        bound=str(len(pairs)),
    )
