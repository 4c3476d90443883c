"""The claims of tables 3, 5, 11, 12 and 15, in which a mapping meets the same two opponents, and cfr
heads-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import hypot, inf
from statistics import fmean

from dealer.intervals import Interval
from studies.gloeckner.comparisons import (
    MATTERS,
    count_row,
    is_decided,
    largest,
    printed_noise,
    repeats_rows,
    undecided_note,
    unjudged_winnings,
    winnings_row,
)
from studies.gloeckner.document import (
    BIASES,
    DEALS,
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
from studies.harness.report import Row
from studies.harness.verdicts import claim_row, gain_row, unjudged_row

_HANDS = 6000
_FAIR_HANDS = 3000
_SEATINGS = 3
_RANGE_OF_THREE = 3.314 / 1.96
# The range of three equal normal numbers that is exceeded in 5 of 100 cases (studentized range), beside the
# 1.96 standard deviations of an interval.


def table_rows(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _nearest(done)
    yield from _again(done)
    yield from _biases(done)
    yield from _likeliest(done)
    yield from _improvements(done)
    yield from _hybrids(done)
    yield _conclusion(done)
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
                row = (
                    f"table-{table}-{bot}-{nearest}",
                    f"table {table}",
                    f"{bot} with the {nearest} nearest against {against}, mbb/hand",
                    mbb(chips, hands),
                    done.rate(*nearest_name(table, bot, nearest)),
                )
                if (table, nearest) == (3, 1) and (bot, "akuma", "ownbot") in TABLE_1:
                    yield unjudged_winnings(*row, _judged_in(f"table-1-{bot}-akuma-ownbot"))
                else:
                    yield winnings_row(*row)
            yield from _growing(done, table, bot, papers[bot], hands)
        yield _better(done, table, papers, hands)


def _judged_in(row: str) -> str:
    return f"The same match as `{row}`: see there."


def _growing(
    done: GloecknerResults, table: int, bot: str, papers: Sequence[int], hands: int
) -> Iterator[Row]:
    """Yield whether losses grow with the number of histories. Table 3 is said to do so strongly, though not
    at every step; table 5 at every step up to 10, and to shrink at 15.
    """
    if table == 3:
        steps = [("growing", 0, 4, (-inf, -MATTERS), f"Strongly: by more than {MATTERS:g}. The same deals.")]
    else:
        steps = [
            ("growing", 0, 3, (-inf, 0.0), "From one end to the other; the steps follow. The same deals.")
        ]
        for less, more in pairwise(range(len(NEIGHBOURS))):
            bounds = (0.0, inf) if NEIGHBOURS[more] == 15 else (-inf, 0.0)
            steps.append((f"step-{NEIGHBOURS[more]}", less, more, bounds, "The same deals."))
    for key, less, more, bounds, note in steps:
        (few, hero), (many, _) = (nearest_name(table, bot, NEIGHBOURS[place]) for place in (less, more))
        gain = done.ahead(many, few, hero)
        yield claim_row(
            f"table-{table}-{bot}-{key}",
            "5.2",
            f"{bot} loses {'more' if bounds[1] <= 0 else 'less'} with the {NEIGHBOURS[more]} nearest than "
            f"with {NEIGHBOURS[less]} (table {table}): what it wins more, mbb/hand",
            gain,
            bounds,
            note,
            1,
            # No -0.
            paper=round(mbb(papers[more] - papers[less], hands), 1) + 0.0,
            noise=printed_noise(gain),
        )


def _better(done: GloecknerResults, table: int, papers: Mapping[str, Sequence[int]], hands: int) -> Row:
    """Return whether any number of histories beats the nearest alone."""
    gains: dict[str, Interval] = {}
    printed: dict[str, float] = {}
    for bot in MAPPED:
        alone, hero = nearest_name(table, bot, 1)
        for nearest, chips in zip(NEIGHBOURS[1:], papers[bot][1:], strict=True):
            name = f"{bot} with {nearest}"
            gains[name] = done.ahead(nearest_name(table, bot, nearest)[0], alone, hero)
            printed[name] = mbb(chips - papers[bot][0], hands)
    most, claimed = max(gains, key=lambda name: gains[name].mean), max(printed, key=printed.__getitem__)
    return claim_row(
        f"table-{table}-better",
        "7",
        f"several nearest histories bring no improvement: the largest of {len(gains)} gains over the nearest "
        f"one alone (table {table}), mbb/hand",
        largest(list(gains.values())),
        (-inf, MATTERS),
        f"At most {MATTERS:g}. It is that of {most}, in the document of {claimed}. The interval is for all "
        f"{len(gains)} at once.",
        1,
        paper=round(printed[claimed], 1),
        noise=printed_noise(gains[claimed]),
    )


def _alone_in_print(bot: str) -> dict[int, tuple[float, int]]:
    """Return what a bot alone wins from two fair players, by table: mbb/hand and deals."""
    found = {}
    if bot in WEIGHTED:
        found = {5: (WEIGHTED[bot][0], DEALS), 11: (BIASES[bot][0], DEALS)}
    if bot == "hbb5":
        found[12] = (LIKELIEST[0], LIKELIEST_DEALS)
    found[15] = (HYBRIDS["always"][int(bot[-1]) - 1], DEALS)
    return {table: (mbb(chips, deals * _SEATINGS), deals) for table, (chips, deals) in found.items()}


def _again(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of repeated matches with other cards, which the document has several times."""
    repeats = []
    for bot in (*MAPPED, "hbb5"):
        line_up = (bot, "akuma", "ownbot")
        if line_up in TABLE_1:
            noise = printed_noise(done.rate(line_up_name(line_up), bot))
            figures = [mbb(chips, _HANDS) for chips in (NEAREST[bot][0], TABLE_1[line_up][bot])]
            repeats.append((f"again-3-{bot}", "5.2", f"{bot} (tables 1, 3)", figures, [noise] * 2))
        printed = _alone_in_print(bot)
        rate = done.rate(f"fair/{bot}")
        figures, noises = (
            [figure for figure, _ in printed.values()],
            [printed_noise(rate, deals) for _, deals in printed.values()],
        )
        what = f"{bot} (tables {', '.join(map(str, printed))})"
        repeats.append((f"again-5-{bot}", "5.2 to 6", what, figures, noises))
    for row, source, what, figures, noises in repeats:
        yield _apart(row, source, what, figures, noises)
    known = [(figures, noises) for *_, figures, noises in repeats if all(noises)]
    if known:
        yield from repeats_rows(known)


def _apart(row: str, source: str, what: str, figures: Sequence[float], noises: Sequence[float]) -> Row:
    spread = max(figures) - min(figures)
    width = hypot(*noises) if len(noises) == 2 else _RANGE_OF_THREE * noises[0]
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


def _biases(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 11."""
    for bot in MAPPED:
        plain, biased = (mbb(chips, _FAIR_HANDS) for chips in BIASES[bot])
        for name, paper, contest in (("without", plain, f"fair/{bot}"), ("with", biased, f"fair/{bot}-bias")):
            claim = f"{bot} {name} bias against two fair players, mbb/hand"
            figure = (f"table-11-{bot}-{name}", "table 11", claim, paper, done.rate(contest))
            if name == "without":
                yield unjudged_winnings(*figure, _judged_in(f"table-5-{bot}-1"))
            else:
                yield winnings_row(*figure)
        gain = done.ahead(f"fair/{bot}-bias", f"fair/{bot}")
        yield claim_row(
            f"table-11-{bot}-loses",
            "7",
            f"{bot} with bias is still anything but good: it loses to two fair players, mbb/hand",
            done.rate(f"fair/{bot}-bias"),
            (-inf, 0),
            digits=1,
            paper=round(biased, 1),
            noise=printed_noise(done.rate(f"fair/{bot}-bias")),
        )
        for row, other, bias, both in (
            ("finer", f"fair/{bot}", "no bias", ""),
            (
                "finest",
                f"fair/{bot}-bias",
                "the bias",
                " The bias aims at hyperborean: this is what it does to be finer and to aim elsewhere.",
            ),
        ):
            yield gain_row(
                f"table-11-{bot}-{row}",
                "7",
                f"what a finer bias gains {bot} over {bias}, mbb/hand",
                done.ahead(f"fair/{bot}-finer", other),
                "Folds are shifted to those of hbb6, by hand and actions before the flop, by street and "
                f"raises later.{both}",
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
            noise=printed_noise(gain),
        )


def _likeliest(done: GloecknerResults) -> Iterator[Row]:
    """Yield the rows of table 12."""
    plain, likeliest = (mbb(chips, _HANDS) for chips in LIKELIEST)
    for name, paper in (("hbb5", plain), ("hbb5-max", likeliest)):
        claim = f"{name} against two fair players, mbb/hand"
        yield winnings_row(
            f"table-12-{name}", "table 12", claim, paper, done.rate(f"fair/{name}"), deals=LIKELIEST_DEALS
        )
    gain = done.ahead("fair/hbb5-max", "fair/hbb5")
    yield claim_row(
        "table-12-difference",
        "5.4",
        "the likeliest action is similar to one by chance: what it gains hbb5, mbb/hand",
        gain,
        (-MATTERS, MATTERS),
        f"Similar: within {MATTERS:g}.",
        1,
        paper=round(likeliest - plain, 1),
        noise=printed_noise(gain, LIKELIEST_DEALS),
    )

    yield claim_row(
        "likeliest-akuma",
        "5.4",
        "whoever always plays alike has a problem with bots that exploit it: what the likeliest action gains "
        "hbb5 against akuma and ownbot, mbb/hand",
        done.ahead("likeliest/hbb5", line_up_name(("hbb5", "akuma", "ownbot")), "hbb5"),
        (-inf, 0),
        "akuma keeps frequencies of its opponents' actions.",
        1,
        paper="< 0",
    )


def _improvements(done: GloecknerResults) -> Iterator[Row]:
    """Yield how little the later mappings improve on the earlier ones: hbb4 not at all, hbb5 not strongly."""
    bound = f"At most {MATTERS:g}, as the document has gains of up to 38 that are no improvement to it."
    for bot, other, source, strong in (
        *(("hbb4", f"hbb{number}", "7", "") for number in range(1, 4)),
        ("hbb5", "hbb4", "5.4", "strong "),
    ):
        one, two = (_alone_in_print(name) for name in (bot, other))
        paper = fmean(figure for figure, _ in one.values()) - fmean(figure for figure, _ in two.values())
        told = "; ".join(
            f"{name} {', '.join(f'{figure:.1f} (table {table})' for table, (figure, _) in found.items())}"
            for name, found in ((bot, one), (other, two))
        )
        gain = done.ahead(f"fair/{bot}", f"fair/{other}")
        yield claim_row(
            f"improvement-{bot}-{other}",
            source,
            f"{bot} is no {strong}improvement of {other} against two fair players: what it gains, mbb/hand",
            gain,
            (-inf, MATTERS),
            f"{bound} Its figure is from the means of its tables: {told}.",
            1,
            paper=round(paper, 1),
            noise=printed_noise(gain, DEALS * min(len(one), len(two))),
        )
    for other in ("hbb1", "hbb2", "hbb3"):
        mine, theirs = (line_up_name((bot, "akuma", "ownbot")) for bot in ("hbb4", other))
        printed = NEAREST[other][0] if other in NEAREST else TABLE_1[other, "akuma", "ownbot"][other]
        gain = done.ahead(mine, theirs, "hbb4", other)
        yield claim_row(
            f"improvement-hbb4-{other}-akuma",
            "7",
            f"hbb4 is no improvement of {other} against akuma and ownbot: what it gains, mbb/hand",
            gain,
            (-inf, MATTERS),
            f"{bound} Its figure is from {'table 3' if other in NEAREST else 'tables 1 and 3'}.",
            1,
            paper=round(mbb(NEAREST["hbb4"][0] - printed, _HANDS), 1),
            noise=printed_noise(gain),
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
            row = (f"table-15-hbb{number}-{when}", "table 15", claim, paper, done.rate(name))
            if when == "always" and number > 1:
                before = "table-12-hbb5" if number == 5 else f"table-5-hbb{number}-1"
                yield unjudged_winnings(*row, _judged_in(before))
            else:
                yield winnings_row(*row)
    for number in range(1, 6):
        chips = HYBRIDS["folded"][number - 1] - HYBRIDS["always"][number - 1]
        gain = done.ahead(f"fair/hbb{number}-folded", f"fair/hbb{number}")
        yield claim_row(
            f"three-active-hbb{number}",
            "6, 7",
            f"what hbb{number} gains if fair plays while three are active, mbb/hand",
            gain,
            (0, inf),
            digits=1,
            paper=round(mbb(chips, _FAIR_HANDS), 1),
            noise=printed_noise(gain),
        )
    always = [round(mbb(chips, _FAIR_HANDS), 1) for chips in HYBRIDS["always"]]
    for number, paper in enumerate(always, 1):
        yield claim_row(
            f"always-hbb{number}",
            "6",
            f"hbb{number} loses very much if it always plays, mbb/hand",
            done.rate(f"fair/hbb{number}"),
            (-inf, max(always)),
            f"At least {-max(always)}: the losses that the document calls so are {-max(always)} to "
            f"{-min(always)}.",
            1,
            paper=paper,
            noise=printed_noise(done.rate(f"fair/hbb{number}")),
        )
    yield from _helps(done)
    yield _when(done)
    interval = done.rate("fair/hbb6")
    claim = "hbb6 in the same place, mbb/hand"
    yield unjudged_row("table-15-hbb6", "our measurement", claim, interval, undecided_note(interval), 1)


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
                unjudged_winnings(
                    f"helps-hbb{number}-{when}",
                    "6, 7",
                    f"what hbb{number}, asked with two players left ({situation}), gains on fair, mbb/hand",
                    printed[-1],
                    gains[-1],
                    "See `helps`.",
                )
            )
    half = len(gains) // 2
    yield count_row(
        "helps",
        "6, 7",
        f"asked with two players left, mappings very often improve on fair: of {len(gains)} gains, those "
        "above 0",
        gains,
        printed,
        (half + 1, len(gains)),
        f"Reproduced above {half}, as in the document's table. The gains follow.",
    )
    yield from rows


def _alone(done: GloecknerResults) -> Row:
    """Return the first row of table 15: three equal players."""
    claim = "fair against two fair players, mbb/hand"
    note = "A check of the noise: of three equal players each wins 0 on average."
    paper = mbb(UNHELPED, _FAIR_HANDS)
    return unjudged_winnings("table-15-none", "table 15", claim, paper, done.rate("fair/none"), note)


def _when(done: GloecknerResults) -> Row:
    """Return whether it is better to use a mapping only after a fold before the flop."""
    leads = [
        done.ahead(f"fair/hbb{number}-folded", f"fair/hbb{number}-folded_preflop") for number in range(1, 6)
    ]
    decided = [f"hbb{number}" for number, one in enumerate(leads, 1) if is_decided(one)]
    gains = ", ".join(
        f"hbb{number} {one.mean:+.0f} ± {one.half or 0:.0f}" for number, one in enumerate(leads, 1)
    )
    return unjudged_row(
        "table-15-when",
        "6",
        "mappings for which it can be told whether they should be asked after later folds too, of 5",
        len(decided),
        f"What they gain, mbb/hand: {gains}. The document's table cannot tell.",
    )


def _conclusion(done: GloecknerResults) -> Row:
    """Return how well the document's approaches do that always play, and how often mappings lose clearly."""
    names = [f"hbb{number}" for number in range(1, 6)] + ["hbb5-max"]
    names += [f"{bot}-{how}" for bot in MAPPED for how in (*NEIGHBOURS[1:], "bias")]
    found = {name: done.rate(f"fair/{name}").if_enough_units() for name in names}
    sure = {name: one for name, one in found.items() if one.decided}
    win = [f"{name} {one.mean:+.0f} ± {one.half or 0:.0f}" for name, one in sure.items() if one.mean > 0]
    met = [(one, bot) for one in TABLE_1 for bot in one if bot.startswith("hbb")]
    highs = [done.rate(line_up_name(one), bot).if_enough_units().high for one, bot in met]
    lost = sum(high is not None and high < -MATTERS for high in highs)
    return unjudged_row(
        "conclusion",
        "1.1, 7",
        f"no approach worked very well: those that surely win from two fair players, of the {len(found)} of "
        "tables 5, 11, 12 and 15 that always play",
        len(win),
        f"Sure winners, mbb/hand: {', '.join(win) or 'none'}; {len(sure) - len(win)} surely lose. hbb6, "
        "trained for three, is in `table-15-hbb6`. Who is often strongly exploited has missed the goal "
        f"(1.1): in {lost} of the {len(met)} figures of table 1 a mapping surely loses more than "
        f"{MATTERS:g}. No verdict: neither very well nor often has a bound.",
    )


def _duels(done: GloecknerResults) -> Iterator[Row]:
    for other in DUELS:
        claim = f"cfr against {other}, heads-up, mbb/hand"
        if other == "fair":
            # "einem mathematisch fairen Bot weit überlegen"
            source, low, note = "5.3", MATTERS, f"Far superior: above {MATTERS:g}."
        else:
            source, low, note = "1.1, 2.2", 0.0, "Robust: at least a draw against anybody."
        interval = done.rate(f"duel/{other}", "cfr")
        yield claim_row(f"cfr-{other}", source, claim, interval, (low, inf), note, 1)
