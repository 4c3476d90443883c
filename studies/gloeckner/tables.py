"""The claims of tables 3, 5, 11, 12 and 15, in which a mapping meets the same two opponents, and cfr
heads-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, sqrt
from statistics import variance

from scipy.special import chdtr, chdtrc, chdtri

from dealer.intervals import Interval, t_quantile
from studies.gloeckner.comparisons import MATTERS, is_decided, printed_noise, undecided_note, winnings_row
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
from studies.harness.report import Row, Verdict, interval_row
from studies.harness.verdicts import claim_row, judge_claim, judge_figure, judged_row, no_claim

_HANDS = 6000
_FAIR_HANDS = 3000
_Z = 1.96
_RARE = 0.05
_TAIL = _RARE / 2
_RANGES = {2: sqrt(2), 3: 3.314 / 1.96}
# The range of this many equal normal numbers that is exceeded in 5 of 100 cases (studentized range), beside
# the 1.96 standard deviations of an interval.


def table_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _nearest(done)
    yield from _again(done)
    yield from _biases(done)
    yield from _likeliest(done)
    yield from _improvements(done)
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
            yield _growing(done, table, bot, papers[bot], hands)


def _growing(done: GloecknerResults, table: int, bot: str, papers: Sequence[int], hands: int) -> Row:
    """Return whether losses grow with the number of histories. The document exempts 15 in table 5."""
    last = -1 if table == 3 else -2
    (one, hero), (many, _) = (nearest_name(table, bot, NEIGHBOURS[place]) for place in (0, last))
    return claim_row(
        f"table-{table}-{bot}-growing",
        "5.2",
        f"{bot} loses more with the {NEIGHBOURS[last]} nearest than with one (table {table}), mbb/hand",
        done.ahead(many, one, hero),
        (-inf, 0),
        "The same deals.",
        1,
        paper=round(mbb(papers[last] - papers[0], hands), 1),
    )


def _again(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of repeated matches with other cards, which the document has several times."""
    repeats = []
    for bot in MAPPED:
        first, second = NEAREST[bot][0], TABLE_1.get((bot, "akuma", "ownbot"), {}).get(bot)
        if second is not None:
            noise = printed_noise(done.rate(line_up_name((bot, "akuma", "ownbot")), bot))
            figures = [mbb(first, _HANDS), mbb(second, _HANDS)]
            repeats.append((f"again-3-{bot}", "5.2", f"{bot} (tables 1, 3)", figures, noise))
        number = int(bot[-1]) - 1
        figures = [
            mbb(chips, _FAIR_HANDS) for chips in (WEIGHTED[bot][0], BIASES[bot][0], HYBRIDS["always"][number])
        ]
        noise = printed_noise(done.rate(f"fair/{bot}"))
        repeats.append((f"again-5-{bot}", "5.2, 5.3, 6", f"{bot} (tables 5, 11, 15)", figures, noise))
    for row, source, what, figures, noise in repeats:
        yield _apart(row, source, what, figures, noise)
    known = [(figures, noise) for *_, figures, noise in repeats if noise]
    if known:
        yield from repeats_rows(known)


def _apart(row: str, source: str, what: str, figures: Sequence[float], noise: float) -> Row:
    spread = max(figures) - min(figures)
    width = _RANGES[len(figures)] * noise
    return Row(
        row,
        source,
        f"a match whose winnings are printed {len(figures)} times: how far {what} is from itself, mbb/hand",
        round(spread, 1),
        round(width, 1),
        "beyond",
        f"Document: how far its {len(figures)} figures are apart at most. Here: how far chance alone takes "
        f"{len(figures)} such matches apart at most in 95 of 100 cases.",
    )


def repeats_rows(repeats: Sequence[tuple[Sequence[float], float]]) -> Iterator[Row]:
    """Yield whether repeats are further apart, or nearer, than chance would have them all together; and by
    what they would have to be multiplied to be as far apart as that.

    Each is the figures of one match, and half of the 95 % interval of one of them.
    """
    square = sum(variance(figures) * (len(figures) - 1) / (noise / _Z) ** 2 for figures, noise in repeats)
    freedom = sum(len(figures) - 1 for figures, _ in repeats)
    nearer, further = float(chdtr(freedom, square)), float(chdtrc(freedom, square))
    chance = 2 * min(nearer, further)
    spread = "as far apart as chance takes them"
    if chance < _RARE:
        spread = "nearer to each other than chance would have them" if nearer < further else "too far apart"
    yield Row(
        "again-all",
        "5.2, 5.3, 6",
        f"spread of all of them: chi-square, where other cards give {freedom} on average",
        round(square, 2),
        None,
        "beyond",
        f"They are {spread}: p = {chance:.2g}, both tails, with the noise measured here. If they are "
        "too near, either the cards were not others, or winnings vary less there than here: because pots are "
        "smaller, or figures are scaled.",
    )
    factors = [sqrt(chdtri(freedom, chance) / square) for chance in (1 - _RARE / 2, 0.5, _RARE / 2)]
    low, middle, high = (round(float(factor), 2) for factor in factors)
    yield Row(
        "again-factor",
        "5.2, 5.3, 6",
        "by what their figures would have to be multiplied to be as far apart as chance takes them",
        1,
        middle,
        "beyond",
        "The median of chi-square, and 95 % of it.",
        low,
        high,
    )


def _biases(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 11."""
    for bot in MAPPED:
        plain, biased = (mbb(chips, _FAIR_HANDS) for chips in BIASES[bot])
        for name, paper, contest in (("without", plain, f"fair/{bot}"), ("with", biased, f"fair/{bot}-bias")):
            claim = f"{bot} {name} bias against two fair players, mbb/hand"
            yield winnings_row(f"table-11-{bot}-{name}", "table 11", claim, paper, done.rate(contest))
        gain = done.ahead(f"fair/{bot}-bias", f"fair/{bot}")
        yield claim_row(
            f"table-11-{bot}-loses",
            "7",
            f"{bot} with bias is still anything but good: it loses to two fair players, mbb/hand",
            done.rate(f"fair/{bot}-bias"),
            (-inf, 0),
            digits=1,
            paper=round(biased, 1),
        )
        for row, other, bias in (
            ("finer", f"fair/{bot}", "no bias"),
            ("finest", f"fair/{bot}-bias", "the bias"),
        ):
            finer = done.ahead(f"fair/{bot}-finer", other)
            yield interval_row(
                f"table-11-{bot}-{row}",
                "7",
                f"what a finer bias gains {bot} over {bias}, mbb/hand",
                None,
                finer,
                "beyond",
                "Folds are shifted to those of hbb6, by hand and actions before the flop, by street and "
                f"raises later. {undecided_note(finer)}".strip(),
                1,
            )
        yield claim_row(
            f"table-11-{bot}-gain",
            "5.3",
            f"the bias gains {bot} something, mbb/hand",
            gain,
            (0, inf),
            "The same deals, in the document too.",
            1,
            paper=round(biased - plain, 1),
        )


def _likeliest(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 12."""
    plain, likeliest = (mbb(chips, _HANDS) for chips in LIKELIEST)
    for name, paper in (("hbb5", plain), ("hbb5-max", likeliest)):
        claim = f"{name} against two fair players, mbb/hand"
        yield winnings_row(
            f"table-12-{name}", "table 12", claim, paper, done.rate(f"fair/{name}"), deals=LIKELIEST_DEALS
        )
    yield claim_row(
        "table-12-difference",
        "5.4",
        "the likeliest action is similar to one by chance: what it gains hbb5, mbb/hand",
        done.ahead("fair/hbb5-max", "fair/hbb5"),
        (-MATTERS, MATTERS),
        f"Similar: within {MATTERS:g}.",
        1,
        paper=round(likeliest - plain, 1),
    )


def _improvements(done: GloecknerResults) -> Iterator[Row]:
    """Yield how little the later mappings improve on the earlier ones."""
    for source, bot, other, paper in (
        ("7", "hbb4", "hbb3", WEIGHTED["hbb4"][0] - WEIGHTED["hbb3"][0]),
        ("5.4", "hbb5", "hbb4", HYBRIDS["always"][4] - HYBRIDS["always"][3]),
    ):
        yield claim_row(
            f"improvement-{bot}",
            source,
            f"{bot} is no strong improvement of {other} against two fair players: what it gains, mbb/hand",
            done.ahead(f"fair/{bot}", f"fair/{other}"),
            (-inf, MATTERS),
            f"Below {MATTERS:g}.",
            1,
            paper=round(mbb(paper, _FAIR_HANDS), 1),
        )


def _hybrids(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 15."""
    yield _alone(done)
    for when in SITUATIONS:
        for number, chips in enumerate(HYBRIDS[when], 1):
            name = f"fair/hbb{number}" + ("" if when == "always" else f"-{when}")
            situation = when.replace("_", " ")
            claim = f"hbb{number} in place of fair, {situation}, mbb/hand"
            paper = mbb(chips, _FAIR_HANDS)
            yield winnings_row(f"table-15-hbb{number}-{when}", "table 15", claim, paper, done.rate(name))
    for number in range(1, 6):
        chips = HYBRIDS["folded"][number - 1] - HYBRIDS["always"][number - 1]
        yield claim_row(
            f"three-active-hbb{number}",
            "6, 7",
            f"what hbb{number} gains if fair plays while three are active, mbb/hand",
            done.ahead(f"fair/hbb{number}-folded", f"fair/hbb{number}"),
            (0, inf),
            digits=1,
            paper=round(mbb(chips, _FAIR_HANDS), 1),
        )
    for number in range(1, 6):
        yield claim_row(
            f"always-hbb{number}",
            "6",
            f"hbb{number} loses if it always plays, mbb/hand",
            done.rate(f"fair/hbb{number}"),
            (-inf, 0),
            digits=1,
            paper=round(mbb(HYBRIDS["always"][number - 1], _FAIR_HANDS), 1),
        )
    yield from _helps(done)
    yield _when(done)
    interval = done.rate("fair/hbb6")
    claim = "hbb6 in the same place, mbb/hand"
    yield interval_row(
        "table-15-hbb6", "our measurement", claim, None, interval, "beyond", undecided_note(interval), 1
    )


def _helps(done: GloecknerResults) -> Iterator[Row]:
    """Yield whether mappings asked with two players left very often improve on fair, and each gain."""
    gains: list[Interval] = []
    printed: list[float] = []
    rows = []
    for number in range(1, 6):
        for when in SITUATIONS[1:]:
            situation = when.replace("_", " ")
            gains.append(done.ahead(f"fair/hbb{number}-{when}", "fair/none"))
            printed.append(round(mbb(HYBRIDS[when][number - 1] - UNHELPED, _FAIR_HANDS), 1))
            rows.append(
                judged_row(
                    f"helps-hbb{number}-{when}",
                    "6, 7",
                    f"what hbb{number}, asked with two players left ({situation}), gains on fair, mbb/hand",
                    printed[-1],
                    gains[-1],
                    no_claim(gains[-1]),
                    "See `helps`.",
                    1,
                )
            )
    yield helps_row(gains, printed)
    yield from rows


def helps_row(gains: Sequence[Interval], printed: Sequence[float]) -> Row:
    """Return whether more than half of the gains are above zero, as most of the printed ones are."""
    low, high = _surely(gains, 1), len(gains) - _surely(gains, -1)
    half = len(gains) // 2
    verdict: Verdict = "reproduced" if low > half else "undecided" if high > half else "not reproduced"
    return Row(
        "helps",
        "6, 7",
        f"asked with two players left, mappings very often improve on fair: of {len(gains)} gains, those "
        "above 0",
        sum(one > 0 for one in printed),
        sum(one.mean > 0 for one in gains),
        verdict,
        f"Reproduced above {half}, as in the document's table. The gains follow; the interval of how many "
        "are above 0 is from all of theirs together (Benjamini and Heller 2008).",
        low,
        high,
        units=min(one.units for one in gains),
    )


def _surely(gains: Sequence[Interval], sign: int) -> int:
    """Return how many of the gains are on this side of zero at least, with an error of 2.5 %: the widths of
    their intervals are corrected for how many there are (Benjamini and Heller 2008).
    """
    known = [(sign * one.mean / half, one.units - 1) for one in gains if (half := one.if_enough_units().half)]
    for place, (times, freedom) in enumerate(sorted(known, reverse=True)):
        wide = t_quantile(1 - _TAIL / (len(gains) - place), freedom) / t_quantile(1 - _TAIL, freedom)
        if times <= wide:
            return place
    return len(known)


def _alone(done: GloecknerResults) -> Row:
    """Return the first row of table 15: three equal players."""
    paper, found = mbb(UNHELPED, _FAIR_HANDS), done.rate("fair/none")
    claim = "fair against two fair players, mbb/hand"
    judged = judge_figure(paper, found, MATTERS, printed_noise(found))
    note = f"Within {MATTERS:g}."
    return judged_row("table-15-none", "table 15", claim, round(paper, 1), found, judged, note, 1)


def _when(done: GloecknerResults) -> Row:
    """Return whether it is better to use a mapping only after a fold before the flop."""
    leads = [
        done.ahead(f"fair/hbb{number}-folded", f"fair/hbb{number}-folded_preflop") for number in range(1, 6)
    ]
    decided = [f"hbb{number}" for number, one in enumerate(leads, 1) if is_decided(one)]
    gains = ", ".join(
        f"hbb{number} {one.mean:+.0f} ± {one.half or 0:.0f}" for number, one in enumerate(leads, 1)
    )
    return Row(
        "table-15-when",
        "6",
        "mappings for which it can be told whether they should be asked after later folds too, of 5",
        None,
        len(decided),
        "beyond",
        f"What they gain, mbb/hand: {gains}. The document's table cannot tell.",
    )


def _duels(done: GloecknerResults) -> Iterator[Row]:
    for other in DUELS:
        interval = done.rate(f"duel/{other}", "cfr")
        note = undecided_note(interval)
        if is_decided(interval) and interval.mean < 0:
            note = f"{other} wins."
        claim = f"cfr against {other}, heads-up, mbb/hand"
        if other == "fair":
            # "einem mathematisch fairen Bot weit überlegen"
            judged = judge_claim(interval, low=MATTERS)
            note = f"Far superior: above {MATTERS:g}."
            yield judged_row("cfr-fair", "5.3", claim, None, interval, judged, note, 1)
            continue
        yield interval_row(f"cfr-{other}", "our measurement", claim, None, interval, "beyond", note, 1)
