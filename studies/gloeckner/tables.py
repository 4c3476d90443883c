"""The claims of tables 3, 5, 11, 12 and 15, where a mapping meets the same two opponents again and again; and
what cfr wins heads-up.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from dealer.intervals import Interval, mean_interval
from studies.gloeckner.document import (
    BIASES,
    HYBRIDS,
    LIKELIEST,
    NEAREST,
    NEIGHBOURS,
    SITUATIONS,
    TABLE_1,
    UNHELPED,
    WEIGHTED,
    mbb,
)
from studies.gloeckner.plan import DUELS, MAPPED, Done, line_up_name
from studies.gloeckner.verdicts import compared, holds, noise, undecided
from studies.report import Row, interval_row

__all__ = ["nearest_name", "table_rows"]

_HANDS = 6000
_FAIR_HANDS = 3000


def table_rows(done: Done) -> Iterator[Row]:
    """In the order of the document."""
    yield from _nearest(done)
    yield from _again(done)
    yield from _biases(done)
    yield from _likeliest(done)
    yield from _hybrids(done)
    yield from _duels(done)


def nearest_name(table: int, bot: str, nearest: int) -> tuple[str, str]:
    """The contest of table 3 or 5 in which so many nearest histories are averaged, and who its hero is."""
    if table == 3:
        return (f"nearest/{bot}-{nearest}" if nearest > 1 else line_up_name((bot, "akuma", "ownbot"))), bot
    return (f"fair/{bot}-{nearest}" if nearest > 1 else f"fair/{bot}"), "hero"


def _nearest(done: Done) -> Iterator[Row]:
    """Tables 3 and 5."""
    for table, papers, hands, against in (
        (3, NEAREST, _HANDS, "akuma and ownbot"),
        (5, WEIGHTED, _FAIR_HANDS, "two fair players, weighted"),
    ):
        for bot in MAPPED:
            for nearest, chips in zip(NEIGHBOURS, papers[bot], strict=True):
                yield compared(
                    f"table-{table}-{bot}-{nearest}",
                    f"table {table}",
                    f"{bot} with the {nearest} nearest against {against}, mbb/hand",
                    mbb(chips, hands),
                    done.rate(*nearest_name(table, bot, nearest)),
                )
            yield _growing(done, table, bot, mbb(papers[bot][-1] - papers[bot][0], hands))


def _growing(done: Done, table: int, bot: str, paper: float) -> Row:
    one, all_of_them = (
        done.wins(*nearest_name(table, bot, nearest)) for nearest in (NEIGHBOURS[0], NEIGHBOURS[-1])
    )
    return compared(
        f"table-{table}-{bot}-growing",
        "5.2",
        f"{bot} loses more with the 15 nearest than with one (table {table}), mbb/hand",
        paper,
        mean_interval((all_of_them - one).tolist()),
        "The same deals; the document's difference has at most this noise if its deals were the same too.",
    )


def _again(done: Done) -> Iterator[Row]:
    """The same players with other cards, which the document has several times."""
    for bot in MAPPED:
        first, second = NEAREST[bot][0], TABLE_1.get((bot, "akuma", "ownbot"), {}).get(bot)
        if second is not None:
            interval = done.rate(line_up_name((bot, "akuma", "ownbot")), bot)
            yield _same(
                f"again-3-{bot}", "5.2", f"{bot} (tables 1, 3)", mbb(first - second, _HANDS), interval
            )
        number = int(bot[-1]) - 1
        figures = (WEIGHTED[bot][0], BIASES[bot][0], HYBRIDS["always"][number])
        interval = done.rate(f"fair/{bot}")
        spread = mbb(max(figures) - min(figures), _FAIR_HANDS)
        yield _same(f"again-5-{bot}", "5.2, 5.3, 6", f"{bot} (tables 5, 11, 15)", spread, interval)


def _same(row: str, source: str, what: str, paper: float, interval: Interval) -> Row:
    width = sqrt(2) * noise(interval)
    return Row(
        row,
        source,
        f"the same match again with other cards: how far {what} is from itself, mbb/hand",
        round(paper, 1),
        round(width, 1),
        holds(abs(paper) <= width),
        "Here: how far chance takes two such matches from each other in 95 of 100 cases.",
    )


def _biases(done: Done) -> Iterator[Row]:
    """Table 11."""
    for bot in MAPPED:
        plain, biased = (mbb(chips, _FAIR_HANDS) for chips in BIASES[bot])
        for name, paper, contest in (("without", plain, f"fair/{bot}"), ("with", biased, f"fair/{bot}-bias")):
            claim = f"{bot} {name} bias against two fair players, mbb/hand"
            yield compared(f"table-11-{bot}-{name}", "table 11", claim, paper, done.rate(contest))
        yield compared(
            f"table-11-{bot}-gain",
            "5.3",
            f"what the bias gains {bot}, mbb/hand",
            biased - plain,
            done.ahead(f"fair/{bot}-bias", f"fair/{bot}"),
            "The same deals, in the document too.",
        )


def _likeliest(done: Done) -> Iterator[Row]:
    """Table 12."""
    plain, likeliest = (mbb(chips, _HANDS) for chips in LIKELIEST)
    for name, paper in (("hbb5", plain), ("hbb5-max", likeliest)):
        claim = f"{name} against two fair players, mbb/hand"
        yield compared(f"table-12-{name}", "table 12", claim, paper, done.rate(f"fair/{name}"))
    yield compared(
        "table-12-difference",
        "5.4",
        "what the likeliest action gains hbb5, mbb/hand",
        likeliest - plain,
        done.ahead("fair/hbb5-max", "fair/hbb5"),
        "The document calls the two similar.",
    )


def _hybrids(done: Done) -> Iterator[Row]:
    """Table 15."""
    alone = mbb(UNHELPED, _FAIR_HANDS)
    yield compared(
        "table-15-none",
        "table 15",
        "fair against two fair players, mbb/hand",
        alone,
        done.rate("fair/none"),
        "Over all seatings three equal players win nothing but by their own dice.",
    )
    for when in SITUATIONS:
        for number, chips in enumerate(HYBRIDS[when], 1):
            name = f"fair/hbb{number}" + ("" if when == "always" else f"-{when}")
            said = when.replace("_", " ")
            claim = f"hbb{number} in place of fair, {said}, mbb/hand"
            paper = mbb(chips, _FAIR_HANDS)
            yield compared(f"table-15-hbb{number}-{when}", "table 15", claim, paper, done.rate(name))
    for number in range(1, 6):
        chips = HYBRIDS["folded"][number - 1] - HYBRIDS["always"][number - 1]
        yield compared(
            f"three-active-hbb{number}",
            "6, 7",
            f"three active players are the weak part: what hbb{number} gains if fair plays these, mbb/hand",
            mbb(chips, _FAIR_HANDS),
            done.ahead(f"fair/hbb{number}-folded", f"fair/hbb{number}"),
        )
    yield _when(done)
    interval = done.rate("fair/hbb6")
    claim = "hbb6 in the same place, mbb/hand"
    yield interval_row(
        "table-15-hbb6", "our measurement", claim, None, interval, "beyond", undecided(interval), 1
    )


def _when(done: Done) -> Row:
    """Whether it is better to ask a mapping after a fold before the flop only."""
    ahead = [
        done.ahead(f"fair/hbb{number}-folded", f"fair/hbb{number}-folded_preflop") for number in range(1, 6)
    ]
    decided = [number for number, one in enumerate(ahead, 1) if one.decided]
    papers = [
        mbb(a - b, _FAIR_HANDS) for a, b in zip(HYBRIDS["folded"], HYBRIDS["folded_preflop"], strict=True)
    ]
    told = ", ".join(f"hbb{n} {one.mean:+.0f} ± {one.half or 0:.0f}" for n, one in enumerate(ahead, 1))
    return Row(
        "table-15-when",
        "6",
        "mappings for which it can be told whether later folds should count, of 5",
        0,
        len(decided),
        holds(not decided),
        f"Folded less folded preflop, mbb/hand: {told}; in the document "
        f"{', '.join(f'{paper:+.0f}' for paper in papers)}.",
    )


def _duels(done: Done) -> Iterator[Row]:
    for other in DUELS:
        interval = done.rate(f"duel/{other}", "cfr")
        note = undecided(interval)
        if interval.decided and interval.mean < 0:
            note = f"{other} wins."
        claim = f"cfr against {other}, heads-up, mbb/hand"
        yield interval_row(f"cfr-{other}", "our measurement", claim, None, interval, "beyond", note, 1)
