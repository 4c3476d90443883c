"""The claims of tables 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot
from statistics import fmean

import numpy as np

from dealer.intervals import CONFIDENCE, mean_interval
from studies.gloeckner.comparisons import is_decided, printed_noise, winnings_row
from studies.gloeckner.document import BANKROLLS, RUN_OFF, TABLE_1, mbb
from studies.gloeckner.plan import SMALL_POTS, GloecknerResults, line_up_name, small_pots_name
from studies.harness.report import Row, Verdict
from studies.harness.verdicts import Judgement, judge_claim, judged_row

_HANDS = 6000
_ALL_HANDS = 15 * _HANDS
_Z = 1.96


def tournament_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _errors()
    yield from _matches(done)
    yield from _scale(done)
    yield from _bankrolls(done)


def _errors() -> Iterator[Row]:
    wrong = [line_up for line_up, chips in TABLE_1.items() if sum(chips.values())]
    (line_up,) = wrong
    yield Row(
        "table-1-sum",
        "table 1",
        f"what {', '.join(line_up)} win from each other sums to zero",
        0,
        sum(TABLE_1[line_up].values()),
        "document in error",
        "The 34 other line-ups sum to zero. In table 2 HBB3 has 27 chips less than its column of table 1 "
        "sums to, so its entry of -20936 should be -20963.",
    )
    column = sum(chips["hbb3"] for chips in TABLE_1.values() if "hbb3" in chips)
    yield Row(
        "table-2-hbb3",
        "table 2",
        "the bankroll of hbb3 is the sum of its column of table 1, chips",
        BANKROLLS["hbb3"],
        column,
        "document in error",
        "All other bankrolls are the sums of their columns.",
    )


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
    yield Row(
        "table-1-noise",
        "table 1",
        "figures of table 1 that are not within their own noise, of 105",
        None,
        105 - lost,
        "beyond",
    )
    yield from rows
    yield Row(
        "table-1-signs",
        "table 1",
        "figures with the document's sign, of those that are beyond noise there and here",
        None,
        f"{sum(signs)} of {len(signs)}",
        "beyond",
        "The rows above judge sizes: many are not reproduced only because more is won and lost here.",
    )
    yield _most_of_raise(done)


def _most_of_raise(done: GloecknerResults) -> Row:
    met = [one for one in TABLE_1 if "raise" in one]
    mapped = {one for one in met if sum(bot.startswith("hbb") for bot in one) == 2}
    won = {one: done.wins(line_up_name(one), "raise") for one in met}
    best, other = (
        max(group, key=lambda one: won[one].mean()) for group in (sorted(mapped), sorted({*met} - mapped))
    )
    lead = mean_interval((won[best] - won[other]).tolist())
    paper_best = max(met, key=lambda one: TABLE_1[one]["raise"])
    return judged_row(
        "table-1-raise",
        "4.5",
        "what raise wins more from two of the mappings than from any others, at most, mbb/hand",
        round(
            mbb(TABLE_1[paper_best]["raise"] - max(TABLE_1[one]["raise"] for one in {*met} - mapped), _HANDS),
            1,
        ),
        lead,
        judge_claim(lead, low=0),
        f"Most from {_without(best)}, and of the others from {_without(other)}; in the document from "
        f"{_without(paper_best)}. Both were chosen afterwards, so the interval is too narrow.",
        1,
    )


def _without(line_up: tuple[str, ...]) -> str:
    return " and ".join(bot for bot in line_up if bot != "raise")


def _scale(done: GloecknerResults) -> Iterator[Row]:
    """Yield how much larger winnings are here: whether the document's chips are means over the six seatings
    instead of sums, so that its figures are a sixth of what they say; and whether its pots were smaller.
    """
    simple = {"raise", "call"}
    plain = [one for one in TABLE_1 if not simple & set(one)]
    large = [one for one in TABLE_1 if simple & set(one)]
    few = [one for one in large if one in SMALL_POTS]
    for key, description, line_ups, name in (
        ("mapped", "without raise and call", plain, line_up_name),
        ("simple", "with raise or call", large, line_up_name),
        ("akuma", "with raise or call, without akuma", few, line_up_name),
        ("small", "the same with one raise a round", few, small_pots_name),
    ):
        papers = [mbb(TABLE_1[one][bot], _HANDS) for one in line_ups for bot in one]
        won = np.array([done.wins(name(one), bot) for one in line_ups for bot in one])
        rates = [mean_interval(row.tolist()) for row in won]
        squares = [
            fmean(
                (_Z * (rate.mean - scale * paper) / hypot(rate.half or 1.0, printed_noise(rate))) ** 2
                for rate, paper in zip(rates, papers, strict=True)
            )
            for scale in (1, 6)
        ]
        factor = mean_interval((np.array(papers) @ won / np.square(papers).sum()).tolist())
        yield judged_row(
            f"table-1-scale-{key}",
            "4.5",
            f"our winnings as a multiple of the document's, {description}",
            None,
            factor,
            Judgement("beyond", None),
            f"{len(papers)} figures. Their mean squared distance in standard errors, 1 if they agree: "
            f"{squares[0]:.1f}; if the document's had to be multiplied by six: {squares[1]:.1f}.",
            2,
        )


def _bankrolls(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 2."""
    found = done.document_tournament
    for bot in (one for one in BANKROLLS if one.startswith("hbb")):
        yield judged_row(
            f"own-{bot}",
            "4.5",
            f"{bot} does badly: its bankroll is below zero, mbb/hand",
            round(mbb(BANKROLLS[bot], _ALL_HANDS), 1),
            found.rates[bot],
            judge_claim(found.rates[bot], high=0),
            digits=1,
        )
    for bot, paper in BANKROLLS.items():
        claim = f"bankroll of {bot}, mbb/hand over its 15 matches"
        yield winnings_row(f"table-2-{bot}-all", "table 2", claim, mbb(paper, _ALL_HANDS), found.rates[bot])
    paper_order = tuple(sorted(BANKROLLS, key=BANKROLLS.__getitem__, reverse=True))
    for number, name, claim, expected, ranking, first in (
        (0, "bankroll", "total bankroll", paper_order, found.by_bankroll, found.first_by_bankroll),
        (1, "run-off", "instant run-off", RUN_OFF, found.by_run_off, found.first_by_run_off),
    ):
        order = {bot: place for place, bot in enumerate(expected, 1)}
        same = sum(one[number] == order for one in found.samples) / len(found.samples)
        verdict: Verdict = "undecided"
        if same >= CONFIDENCE:
            verdict = "reproduced"
        elif same <= 1 - CONFIDENCE:
            verdict = "not reproduced"
        yield Row(
            f"table-2-{name}",
            "table 2",
            f"places by {claim}",
            ", ".join(expected),
            ", ".join(ranking),
            verdict,
            f"{ranking[0]} is the first in {first[ranking[0]]:.0%} of the samples of a bootstrap over deals, "
            f"and the order is the document's in {same:.0%}: reproduced from 95 %, and not up to 5 %. akuma "
            "and ownbot are not the document's, see above.",
        )
