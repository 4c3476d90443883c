"""The claims of tables 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dealer.intervals import CONFIDENCE, mean_interval
from studies.gloeckner.comparisons import (
    UNDECIDED,
    is_decided,
    printed_noise,
    undecided_note,
    verdict_of,
    winnings_row,
)
from studies.gloeckner.document import BANKROLLS, RUN_OFF, TABLE_1, mbb
from studies.gloeckner.plan import GloecknerResults, line_up_name
from studies.harness.report import Row, interval_row

_HANDS = 6000
_ALL_HANDS = 15 * _HANDS


def tournament_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _errors()
    yield from _matches(done)
    yield _scale(done)
    yield from _bankrolls(done)


def _errors() -> Iterator[Row]:
    wrong = [line_up for line_up, chips in TABLE_1.items() if sum(chips.values())]
    (line_up,) = wrong
    yield Row(
        "table-1-sum",
        "Glöckner 2013, table 1",
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
        "Glöckner 2013, table 2",
        "the bankroll of hbb3 is the sum of its column of table 1, chips",
        BANKROLLS["hbb3"],
        column,
        "document in error",
        "All other bankrolls are the sums of their columns.",
    )


def _matches(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 1: 105 figures."""
    rows, lost = [], []
    for line_up, chips in TABLE_1.items():
        for bot, paper in chips.items():
            interval = done.rate(line_up_name(line_up), bot)
            others = " and ".join(other for other in line_up if other != bot)
            claim = f"{bot} against {others}, mbb/hand"
            if abs(mbb(paper, _HANDS)) <= printed_noise(interval):
                lost.append(f"{bot} ({others})")
            name = f"table-1-{bot}-{'-'.join(other for other in line_up if other != bot)}"
            rows.append(winnings_row(name, "table 1", claim, mbb(paper, _HANDS), interval))
    yield Row(
        "table-1-noise",
        "table 1",
        "figures of table 1 that are not within their own noise, of 105",
        105,
        105 - len(lost),
        "beyond",
        f"Within it: {'; '.join(lost)}.",
    )
    yield from rows
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
    return interval_row(
        "table-1-raise",
        "4.5",
        "what raise wins more from two of the mappings than from any others, at most, mbb/hand",
        round(
            mbb(TABLE_1[paper_best]["raise"] - max(TABLE_1[one]["raise"] for one in {*met} - mapped), _HANDS),
            1,
        ),
        lead,
        verdict_of(is_decided(lead) and lead.mean > 0),
        f"Most from {_without(best)}, and of the others from {_without(other)}; in the document from "
        f"{_without(paper_best)}. {undecided_note(lead)}".strip(),
        1,
    )


def _without(line_up: tuple[str, ...]) -> str:
    return " and ".join(bot for bot in line_up if bot != "raise")


def _scale(done: GloecknerResults) -> Row:
    """Return the ratio of our winnings to the document's: least squares through zero, over call's figures."""
    papers = {line_up: mbb(chips["call"], _HANDS) for line_up, chips in TABLE_1.items() if "call" in line_up}
    won = [paper * done.wins(line_up_name(line_up), "call") for line_up, paper in papers.items()]
    scale = sum(paper**2 for paper in papers.values())
    return interval_row(
        "table-1-scale",
        "4.5, our measurement",
        "how many times the document's figures of call those here are",
        1,
        mean_interval((np.sum(won, axis=0) / scale).tolist()),
        "beyond",
        "call is the same player there and here. A factor near six would say that the document's chips are "
        "means over the seatings, of 1,000 hands, and not sums over 6,000 as it reads.",
        2,
    )


def _bankrolls(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 2."""
    found = done.document_tournament
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
        note = f" {UNDECIDED}" if ranking == expected and same < CONFIDENCE else ""
        yield Row(
            f"table-2-{name}",
            "table 2",
            f"places by {claim}",
            ", ".join(expected),
            ", ".join(ranking),
            verdict_of(ranking == expected and same >= CONFIDENCE),
            f"{ranking[0]} is the first in {first[ranking[0]]:.0%} of the samples of a bootstrap over deals, "
            f"and the order is the document's in {same:.0%}. Reproduced if in 95 %. akuma and ownbot are not "
            f"the document's, see above.{note}",
        )
