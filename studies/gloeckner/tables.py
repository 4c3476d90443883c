"""The claims of tables 3, 5, 11, 12 and 15, in which a mapping meets the same two opponents, and cfr
heads-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

from dealer.intervals import Interval, mean_interval
from studies.gloeckner.comparisons import UNDECIDED, is_decided, printed_noise, undecided_note, winnings_row
from studies.gloeckner.document import (
    BIASES,
    HYBRIDS,
    LIKELIEST,
    LIKELIEST_DEALS,
    NEAREST,
    NEIGHBOURS,
    SITUATIONS,
    TABLE_1,
    UNHELPED,
    WEIGHTED,
    mbb,
)
from studies.gloeckner.plan import DUELS, MAPPED, GloecknerResults, line_up_name
from studies.harness.report import Row, interval_row

_HANDS = 6000
_FAIR_HANDS = 3000
_RANGES = {2: sqrt(2), 3: 3.314 / 1.96}
# The range of this many equal normal numbers that is exceeded in 5 of 100 cases (studentized range), beside
# the 1.96 standard deviations of an interval.


def table_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _nearest(done)
    yield from _again(done)
    yield from _biases(done)
    yield from _likeliest(done)
    yield from _hybrids(done)
    yield from _duels(done)


def nearest_name(table: int, bot: str, nearest: int) -> tuple[str, str]:
    """Return the contest of table 3 or 5 with this many nearest histories, and its hero."""
    if table == 3:
        return (f"nearest/{bot}-{nearest}" if nearest > 1 else line_up_name((bot, "akuma", "ownbot"))), bot
    return (f"fair/{bot}-{nearest}" if nearest > 1 else f"fair/{bot}"), "hero"


def _nearest(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of tables 3 and 5."""
    for table, papers, hands, against in (
        (3, NEAREST, _HANDS, "akuma and ownbot"),
        (5, WEIGHTED, _FAIR_HANDS, "two fair players, weighted"),
    ):
        for bot in MAPPED:
            for nearest, chips in zip(NEIGHBOURS, papers[bot], strict=True):
                yield winnings_row(
                    f"table-{table}-{bot}-{nearest}",
                    f"table {table}",
                    f"{bot} with the {nearest} nearest against {against}, mbb/hand",
                    mbb(chips, hands),
                    done.rate(*nearest_name(table, bot, nearest)),
                )
            yield _growing(done, table, bot, mbb(papers[bot][-1] - papers[bot][0], hands))


def _growing(done: GloecknerResults, table: int, bot: str, paper: float) -> Row:
    one, all_of_them = (
        done.wins(*nearest_name(table, bot, nearest)) for nearest in (NEIGHBOURS[0], NEIGHBOURS[-1])
    )
    return winnings_row(
        f"table-{table}-{bot}-growing",
        "5.2",
        f"{bot} loses more with the 15 nearest than with one (table {table}), mbb/hand",
        paper,
        mean_interval((all_of_them - one).tolist()),
        "The same deals; the document's difference has at most this noise if its deals were the same too.",
    )


def _again(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of repeated matches with other cards, which the document has several times."""
    for bot in MAPPED:
        first, second = NEAREST[bot][0], TABLE_1.get((bot, "akuma", "ownbot"), {}).get(bot)
        if second is not None:
            interval = done.rate(line_up_name((bot, "akuma", "ownbot")), bot)
            figures = [mbb(first, _HANDS), mbb(second, _HANDS)]
            yield _same(f"again-3-{bot}", "5.2", f"{bot} (tables 1, 3)", figures, interval)
        number = int(bot[-1]) - 1
        figures = [
            mbb(chips, _FAIR_HANDS) for chips in (WEIGHTED[bot][0], BIASES[bot][0], HYBRIDS["always"][number])
        ]
        interval = done.rate(f"fair/{bot}")
        yield _same(f"again-5-{bot}", "5.2, 5.3, 6", f"{bot} (tables 5, 11, 15)", figures, interval)


def _same(row: str, source: str, what: str, figures: Sequence[float], interval: Interval) -> Row:
    spread = max(figures) - min(figures)
    width = _RANGES[len(figures)] * printed_noise(interval)
    return Row(
        row,
        source,
        f"the same match again with other cards: how far {what} is from itself, mbb/hand",
        round(spread, 1),
        round(width, 1),
        "beyond",
        f"Document: how far its {len(figures)} figures are apart at most. Here: how far chance alone takes "
        f"{len(figures)} such matches apart at most in 95 of 100 cases. "
        + (
            "So chance can explain it."
            if spread <= width
            else "So chance cannot explain it: the bots or the programs differ."
        ),
    )


def _biases(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 11."""
    for bot in MAPPED:
        plain, biased = (mbb(chips, _FAIR_HANDS) for chips in BIASES[bot])
        for name, paper, contest in (("without", plain, f"fair/{bot}"), ("with", biased, f"fair/{bot}-bias")):
            claim = f"{bot} {name} bias against two fair players, mbb/hand"
            yield winnings_row(f"table-11-{bot}-{name}", "table 11", claim, paper, done.rate(contest))
        yield winnings_row(
            f"table-11-{bot}-gain",
            "5.3",
            f"what the bias gains {bot}, mbb/hand",
            biased - plain,
            done.ahead(f"fair/{bot}-bias", f"fair/{bot}"),
            "The same deals, in the document too.",
        )


def _likeliest(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 12."""
    plain, likeliest = (mbb(chips, _HANDS) for chips in LIKELIEST)
    for name, paper in (("hbb5", plain), ("hbb5-max", likeliest)):
        claim = f"{name} against two fair players, mbb/hand"
        yield winnings_row(
            f"table-12-{name}", "table 12", claim, paper, done.rate(f"fair/{name}"), deals=LIKELIEST_DEALS
        )
    yield winnings_row(
        "table-12-difference",
        "5.4",
        "what the likeliest action gains hbb5, mbb/hand",
        likeliest - plain,
        done.ahead("fair/hbb5-max", "fair/hbb5"),
        "The document calls the two similar.",
        LIKELIEST_DEALS,
    )


def _hybrids(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 15."""
    yield _alone(done)
    for when in SITUATIONS:
        for number, chips in enumerate(HYBRIDS[when], 1):
            name = f"fair/hbb{number}" + ("" if when == "always" else f"-{when}")
            said = when.replace("_", " ")
            claim = f"hbb{number} in place of fair, {said}, mbb/hand"
            paper = mbb(chips, _FAIR_HANDS)
            yield winnings_row(f"table-15-hbb{number}-{when}", "table 15", claim, paper, done.rate(name))
    for number in range(1, 6):
        chips = HYBRIDS["folded"][number - 1] - HYBRIDS["always"][number - 1]
        yield winnings_row(
            f"three-active-hbb{number}",
            "6, 7",
            f"three active players are the weak part: what hbb{number} gains if fair plays these, mbb/hand",
            mbb(chips, _FAIR_HANDS),
            done.ahead(f"fair/hbb{number}-folded", f"fair/hbb{number}"),
        )
    yield from _when(done)
    interval = done.rate("fair/hbb6")
    claim = "hbb6 in the same place, mbb/hand"
    yield interval_row(
        "table-15-hbb6", "our measurement", claim, None, interval, "beyond", undecided_note(interval), 1
    )


def _alone(done: GloecknerResults) -> Row:
    """Return the first row of table 15: three equal players."""
    paper, found = mbb(UNHELPED, _FAIR_HANDS), done.rate("fair/none")
    claim = "fair against two fair players, mbb/hand"
    if done.wins("fair/none").any():
        return winnings_row("table-15-none", "table 15", claim, paper, found)
    return Row(
        "table-15-none",
        "table 15",
        claim,
        round(paper, 1),
        0.0,
        "not reproduced",
        "Exactly nothing at every deal: over all seatings three equal players that throw no dice win nothing "
        "from each other. So the document's play with some chance, and how far that takes its figure cannot "
        "be told from ours.",
    )


def _when(done: GloecknerResults) -> Iterator[Row]:
    """Yield whether it is better to use a mapping only after a fold before the flop."""
    leads = [
        done.ahead(f"fair/hbb{number}-folded", f"fair/hbb{number}-folded_preflop") for number in range(1, 6)
    ]
    papers = [
        mbb(a - b, _FAIR_HANDS) for a, b in zip(HYBRIDS["folded"], HYBRIDS["folded_preflop"], strict=True)
    ]
    for number, (paper, lead) in enumerate(zip(papers, leads, strict=True), 1):
        claim = f"what hbb{number} gains if asked after later folds too, mbb/hand"
        yield winnings_row(f"table-15-hbb{number}-later", "table 15", claim, paper, lead, "The same deals.")
    told = [f"hbb{number}" for number, one in enumerate(leads, 1) if is_decided(one)]
    # An undecided result is no finding of ours: more deals would decide it.
    yield Row(
        "table-15-when",
        "6",
        "mappings for which it can be told whether they should be asked after later folds too, of 5",
        0,
        len(told),
        "not reproduced",
        f"{', '.join(told)}." if told else UNDECIDED,
    )


def _duels(done: GloecknerResults) -> Iterator[Row]:
    for other in DUELS:
        interval = done.rate(f"duel/{other}", "cfr")
        note = undecided_note(interval)
        if is_decided(interval) and interval.mean < 0:
            note = f"{other} wins."
        claim = f"cfr against {other}, heads-up, mbb/hand"
        yield interval_row(f"cfr-{other}", "our measurement", claim, None, interval, "beyond", note, 1)
