"""Rows of sections 4.2 and 4.3: simple players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from statistics import fmean, stdev

import numpy as np

from dealer.intervals import Interval, mean_interval
from studies.funke.comparisons import (
    best_of_random,
    best_top,
    difference,
    duration_row,
    figure_row,
    mean_rate,
    most_exploitable,
    plateau,
    printed_noise,
    printed_rows,
    rates_row,
    ratio,
    seconds_of,
    source_noise,
    won,
)
from studies.funke.document import (
    ACCEPTABLE,
    EQUILIBRIUM,
    GATHERED,
    NEAR,
    NOT_SIGNIFICANT,
    ROUGHLY_ACCEPTABLE,
    SIMPLE,
    SOLVED,
    PrintedSolution,
    opponent,
)
from studies.funke.jobs import top_tables_of
from studies.funke.plan import BEGUN, FunkeResults
from studies.harness.report import Row
from studies.harness.verdicts import beyond_row, claim_row, jackknife, judge_exact, unjudged_row
from studies.harness.verdicts import source_noise as noise_of

_SIZES = (20, 25, 30, 40)
_FIELDS = ("jam", "call")
_SCATTER = 1.0
# Percentage points; the document gives no bound. A class of hands is up to 0.9 %.
_LEAST_OF_NINE = 100 * 0.025 ** (1 / len(SIMPLE))
# Of nine solutions all are good: the 95 % interval of their share begins here (Clopper and Pearson 1934).
_MBB = 10.0  # thousandths of a big blind a hand, in big blinds per 100 hands
_FEW_OF_ALL = 10.0
# Percentage points of all solutions.
_PERFORMANCES = (10.0, 15.0)
# What 4.3.1 says of table 4.4, bb/100.
_RANDOM = 1000
# Random populations.
_POWER = 0.25
# The largest error of a power law that is claimed.


def _text(done: FunkeResults, text: str, his: Sequence[PrintedSolution], wins: Interval) -> Iterator[Row]:
    """Yield what the text of 4.3.1 says of table 4.4."""
    low, high = _PERFORMANCES
    if text == "70-60":
        outside = [f"{one.won:g}" for one in his if not low <= one.won <= high]
        yield beyond_row(
            "against-70-60-range",
            "4.3.1",
            f"performances against 70/60 are from {low:g} to {high:g}: his solutions, by the mean of the "
            "matches' performances, bb/100",
            mean_rate(done, his),
            "No verdict: the sentence describes his table, which does not bear it out "
            "(`against-70-60-text`), and `against-70-60-rates` has the same figure. Each: "
            f"{', '.join(f'{done.rates(one).mean:.1f}' for one in his)}. Exactly {wins.mean:.2f}, by ours.",
            3,
        )
        yield Row(
            "against-70-60-text",
            "4.3.1, table 4.4",
            f"performances against 70/60 in the table that are not from {low:g} to {high:g}, as its text "
            "has it",
            0,
            len(outside),
            "document in error",
            f"{', '.join(outside)}.",
        )
        return
    for key, how, found, more in (
        (
            "",
            "his solutions, by the mean of the matches' performances",
            mean_rate(done, his),
            " `against-40-30-rates` compares the same figure with that of the table.",
        ),
        ("-exactly", "ours, exactly", wins, ""),
    ):
        yield claim_row(
            f"against-40-30-clearly{key}",
            "4.3.1",
            "clearly better strategies than 40/30 are found, as their performance shows: what they win from "
            f"it, {how}, bb/100",
            found,
            (NOT_SIGNIFICANT, inf),
            f"Reproduced from {NOT_SIGNIFICANT:g}, below which he calls a difference of performances not "
            f"significant.{more}",
            3,
        )


def simple_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of table 4.2: the document's solutions, and ours."""
    yield from printed_rows(done, "4.2", SIMPLE)
    yield rates_row(done, "4.2-rates", "4.2.1, table 4.2", SIMPLE)
    for size in _SIZES:
        yield from _evolved(done, size)
    names = [f"simple/none/{size}" for size in _SIZES]
    yield from _pooled(done, names)
    yield from _conclusions(done, names)
    yield from _costs(done, names)
    yield _elitism(done)
    yield from _equilibrium_player(done)


def _equilibrium_player(done: FunkeResults) -> Iterator[Row]:
    """Yield rows on 57/37 in a random population: is it the best there, and does it survive?"""
    for size in BEGUN:
        best = mean_interval(best_of_random(EQUILIBRIUM, size, _RANDOM))
        yield claim_row(
            f"equilibrium-best-{size}",
            "4.2, 4.4",
            "who plays the equilibrium has the best performance in a varied population: per cent of random "
            f"populations of {size} simple players and 57/37 in which it wins most, exactly",
            best.scaled(100),
            (50, inf),
            "Reproduced from a half on, our bound: he says it of every population, and it fails in "
            f"{100 - 100 * best.mean:.0f} % of these. He who does best is he who exploits the others.",
            1,
        )
        last = 100 * np.array([run["genes"] for run in done.runs(f"simple/equilibrium-{size}")])
        same = np.isclose(last, EQUILIBRIUM)
        jams, calls = same.sum(axis=0)
        yield claim_row(
            f"equilibrium-survives-{size}",
            "4.2, 4.4",
            f"who plays the equilibrium survives: per cent of evolutions of {size}, 57/37 among them, that "
            "end with it",
            mean_interval((100.0 * same.all(axis=1)).tolist()),
            (50, inf),
            f"Reproduced from a half on. {jams} and {calls} of {len(same)} end with its jams, and with its "
            "calls.",
            1,
        )


def _part_row(
    size: int, field: str, claim: str, paper: float, here: Interval, noise: float, digits: int = 2
) -> Row:
    """Return the row of one size of population: what is said of all sizes is judged of them together."""
    return beyond_row(
        f"simple-{size}-{field}",
        f"table 4.2, N = {size}",
        claim,
        here,
        f"His {paper:g} ± {noise:.3g}. Judged of all sizes together: `simple-{field}`.",
        digits,
    )


def _mean_of(field: str, his: Sequence[PrintedSolution]) -> tuple[float, float]:
    """Return the mean raises or calls of his solutions, and its noise by the scatter of all."""
    noise = source_noise([getattr(one, field) for one in SIMPLE], len(his))
    return round(fmean(getattr(one, field) for one in his), 2), noise


def _evolved(done: FunkeResults, size: int) -> Iterator[Row]:
    name = f"simple/none/{size}"
    his = [one for one in SIMPLE if one.size == size]
    source = f"table 4.2, N = {size}"
    for field, share in zip(_FIELDS, ("raises", "calls"), strict=True):
        paper, noise = _mean_of(field, his)
        yield _part_row(size, field, f"per cent of hands: {share}", paper, done.mean(name, field), noise)
    yield _part_row(
        size,
        "won",
        "what solutions win from 57/37, exactly, bb/100",
        round(fmean(one.won for one in his), 3),
        mean_interval(done.wins(name, top_tables_of(EQUILIBRIUM))),
        printed_noise(done, his),
        3,
    )
    yield beyond_row(
        f"simple-{size}-loss",
        "our measurement",
        f"best answers win from the solutions of N = {size}, mbb/hand",
        mean_interval(done.losses(name)),
        digits=2,
    )
    yield duration_row(done, name, source, fmean(one.minutes for one in his))


def _pooled(done: FunkeResults, names: Sequence[str]) -> Iterator[Row]:
    """Yield rows on the solutions of all sizes, as many of each: their means, and how they scatter."""
    common = min(len(done.runs(name)) for name in names)
    runs = [run for name in names for run in done.runs(name)[:common]]
    for place, field in enumerate(_FIELDS):
        paper, noise = _mean_of(field, SIMPLE)
        yield figure_row(
            f"simple-{field}",
            "4.2.1, table 4.2",
            f"solutions {field} about {EQUILIBRIUM[place]:g} % of hands: mean of all sizes",
            paper,
            mean_interval([run[field] for run in runs]),
            NEAR,
            noise,
            f"Reproduced within {NEAR:g}, as far as his solutions are from 57/37. The noise of his mean is "
            f"{noise:.1f}.",
            2,
        )
        his, ours = [getattr(one, field) for one in SIMPLE], [run[field] for run in runs]
        his_away, away = ([abs(one - fmean(all_)) for one in all_] for all_ in (his, ours))
        noise = source_noise(his_away, len(his_away))
        yield figure_row(
            f"simple-{field}-scatter",
            "4.2.1, table 4.2",
            f"each solution is about there: mean distance of {field}s from their mean, percentage points",
            round(fmean(his_away), 2),
            mean_interval(away),
            _SCATTER,
            noise,
            f"Standard deviations {stdev(his):.1f} (his) and {stdev(ours):.1f}. The noise of his is "
            f"{noise:.1f}; reproduced within {_SCATTER:g}, our bound.",
            2,
        )
    gained = [win for name in names for win in done.wins(name, top_tables_of(EQUILIBRIUM))[:common]]
    each = mean_interval([100.0 * (abs(win) <= ROUGHLY_ACCEPTABLE) for win in gained])
    yield claim_row(
        "simple-won",
        "4.2.1, table 4.2",
        "solutions differ by 0 to 1, approximately, from 57/37: what they win from it, exactly, mean of all "
        "sizes, bb/100",
        mean_interval(gained),
        (-ROUGHLY_ACCEPTABLE, ROUGHLY_ACCEPTABLE),
        f"Reproduced within {ROUGHLY_ACCEPTABLE:g}, the largest difference that he so describes. It is the "
        f"mean of all: he says it of each, which {each.mean:.1f} % of ours are like (`simple-won-each`).",
        3,
        paper=round(fmean(one.won for one in SIMPLE), 3),
        noise=printed_noise(done, SIMPLE),
    )
    yield figure_row(
        "simple-won-each",
        "4.2.1, table 4.2",
        "each solution differs by 0 to 1, approximately, from 57/37: per cent of solutions that do, exactly",
        100,
        each,
        _FEW_OF_ALL,
        100 - _LEAST_OF_NINE,
        f"Up to {ROUGHLY_ACCEPTABLE:g} bb/100, as his; of ours {100 - each.mean:.1f} % do not. Of his nine "
        f"all do, which means at least {_LEAST_OF_NINE:.1f} %, 95 % interval: by ours they would with a "
        f"chance of {(each.mean / 100) ** len(SIMPLE):.2f}. Reproduced within {_FEW_OF_ALL:g}, our bound.",
        1,
    )
    yield claim_row(
        "easy",
        "4.7",
        "the best solutions are found when the space of players is small: best answers win from those of "
        "simple players, mbb/hand",
        mean_interval([run["loss"][-1] for run in runs]),
        (-inf, _MBB * ACCEPTABLE),
        f"Reproduced up to {_MBB * ACCEPTABLE:g}, his 1 bb/100. Against one opponent they are: "
        "`against-70-60-won`, `against-40-30-won`.",
        2,
    )
    yield claim_row(
        "ever-less",
        "2.3, 4.2",
        "strategies become less and less exploitable: best answers win more from the best of the first "
        "generation than of the last, mbb/hand",
        mean_interval([run["loss"][0] - run["loss"][-1] for run in runs]),
        (0, inf),
        "Reproduced above 0. From generation to generation it also rises: `exploitability.png`.",
        2,
    )
    passed = [run["loss"][-1] for run, win in zip(runs, gained, strict=True) if abs(win) <= ACCEPTABLE]
    lost = mean_interval(passed or done.losses(names[0]))
    jam, call, most = most_exploitable(EQUILIBRIUM, ACCEPTABLE)
    yield claim_row(
        "tells-equilibrium",
        "4.1",
        "one against one shows whether a solution is an equilibrium: what best answers win from those within "
        "1 bb/100 of 57/37, mbb/hand",
        lost,
        (-inf, _MBB * ACCEPTABLE),
        f"{len(passed)} of {len(runs)} solutions are. Reproduced up to {_MBB * ACCEPTABLE:g}, the same 1 "
        f"bb/100; an equilibrium has 0. {jam:.1f}/{call:.1f} passes too, and loses {most:.0f} mbb/hand.",
        2,
    )


def _conclusions(done: FunkeResults, names: list[str]) -> Iterator[Row]:
    bound = _MBB * ACCEPTABLE
    yield claim_row(
        "twenty",
        "4.2.1",
        "20 players suffice: best answers win more from theirs than from those of 40, mbb/hand",
        difference(done.losses(names[0]), done.losses(names[-1])),
        (-bound, bound),
        f"Reproduced within {bound:g}, his 1 bb/100: within the 5 that he calls not significant it could "
        "hardly fail.",
        2,
    )
    for size in (20, 40):
        yield claim_row(
            f"round-robin-exact-{size}",
            "2.3, 2.9",
            f"a round robin of {size} converges to the equilibrium: the best top tables win from its "
            "solutions by exact scores, mbb/hand",
            done.mean(f"simple/exact/{size}", "ranked"),
            (-inf, _MBB * ACCEPTABLE),
            f"Reproduced up to {_MBB * ACCEPTABLE:g}, his 1 bb/100. Who beats this population need not be "
            "the one who loses least. It ends where all are alike, in what the first 2 N numbers allow.",
            2,
        )


def _powers(claimed: float, times: float) -> tuple[float, float]:
    """Return how many times the cost is at ``times`` the number, if its power is about as claimed."""
    return times ** (claimed - _POWER), times ** (claimed + _POWER)


def _costs(done: FunkeResults, names: Sequence[str]) -> Iterator[Row]:
    few, many = done.runs(names[0]), done.runs(names[-1])
    minutes = {size: fmean(one.minutes for one in SIMPLE if one.size == size) for size in _SIZES}
    note = f"Reproduced if the power is right within {_POWER:g}."
    yield unjudged_row(
        "quadratic",
        "2.3, 4.2.1",
        "the cost of a round robin is quadratic in N: hands of a generation of 40 by those of one of 20",
        ratio([run["first_hands"] for run in many], [run["first_hands"] for run in few]),
        "Not judged: it is counting, 780 matches by 190, which are 4.11.",
        3,
    )
    times = ratio(seconds_of(many), seconds_of(few))
    yield claim_row(
        "quadratic-time",
        "4.2.1, table 4.2",
        "the time is quadratic in N: that of an evolution of 40 by one of 20",
        times,
        _powers(2, 2),
        note,
        3,
        paper=round(minutes[40] / minutes[20], 2),
        noise=noise_of(times, len(SIMPLE) / len(_SIZES)),
    )
    small, large = (
        [run for text in ("70-60", "40-30") for run in done.runs(f"simple/{text}/{size}")]
        for size in (20, 30)
    )
    solved = [[one.minutes for one in SOLVED if one.size == size] for size in (20, 30)]
    times = ratio(seconds_of(large), seconds_of(small))
    yield claim_row(
        "linear-time",
        "4.3.1, table 4.4",
        "against one the time is linear in N: that of an evolution of 30 by one of 20",
        times,
        _powers(1, 1.5),
        note,
        3,
        paper=round(sum(solved[1]) / sum(solved[0]), 2),
        noise=noise_of(times, len(solved[0])),
    )
    runs = [run for name in names for run in done.runs(name)]
    x, y = np.log([[run["hands"] for run in runs], seconds_of(runs)])
    yield unjudged_row(
        "linear-hands-time",
        "2.3",
        "the cost is linear in the hands that are simulated: the power of hands that the seconds of an "
        "evolution grow with, round robins of 20 to 40",
        jackknife(np.stack([np.ones(len(x)), x, y, x * x, x * y], axis=1), _slope),
        "Not judged: to play more hands takes longer in any program.",
        3,
    )


def _slope(sums: np.ndarray) -> float:
    """Return the slope of a line through points from the sums of 1, x, y, xx and xy."""
    count, x, y, xx, xy = sums
    return float((count * xy - x * y) / (count * xx - x * x))


def _elitism(done: FunkeResults) -> Row:
    return beyond_row(
        "elitism-off",
        "4.2, 2.10",
        "a round robin has no elitism: best answers win more from solutions with it than without, N = 20, "
        "mbb/hand",
        difference(done.losses("simple/elitism"), done.losses("simple/none/20")),
        "He measures no difference: scores are then of one population, he says. Here all are scored again in "
        "each generation.",
        2,
    )


def adaptive_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of table 4.4: the document's solutions, and ours."""
    yield from printed_rows(done, "4.4", SOLVED)
    for text in GATHERED:
        yield from _adaptive(done, text)
        for size in (20, 25, 30):
            his = [one for one in SOLVED if one.size == size and one.opponent == opponent(text)]
            minutes = fmean(one.minutes for one in his)
            yield duration_row(done, f"simple/{text}/{size}", f"table 4.4, N = {size}", minutes)


def _adaptive(done: FunkeResults, text: str) -> Iterator[Row]:
    other, claimed, against = opponent(text), GATHERED[text], text.replace("-", "/")
    names = [f"simple/{text}/{size}" for size in (20, 25, 30)]
    runs = [run for name in names for run in done.runs(name)]
    his = [one for one in SOLVED if one.opponent == other]
    wins = [win for name in names for win in done.wins(name, top_tables_of(other))]
    bounds, best = plateau(other), best_top(other)
    for place, field in enumerate(_FIELDS):
        low, high = bounds[2 * place : 2 * place + 2]
        yield claim_row(
            f"against-{text}-{field}",
            "4.3.1, table 4.4",
            f"the best against {against} {field} about {claimed[place]:g} % of hands",
            mean_interval([run[field] for run in runs]),
            (claimed[place] - NEAR, claimed[place] + NEAR),
            f"Reproduced within {NEAR:g}, as far as his simple solutions are from 57/37. From {low:.1f} to "
            f"{high:.1f} cost less than 0.5 bb/100; best is {best[place]:.2f}. Standard deviation of "
            f"solutions {stdev(run[field] for run in runs):.1f}, of his "
            f"{stdev(getattr(one, field) for one in his):.1f}.",
            2,
            paper=claimed[place],
            noise=source_noise([getattr(one, field) for one in his], len(his)),
        )
    yield claim_row(
        f"against-{text}-won",
        "4.3.1",
        f"the solutions are those that do best against {against}: what they win, exactly, bb/100",
        mean_interval(wins),
        (best[2] - ACCEPTABLE, best[2] + 1e-6),
        f"The best simple player wins {best[2]:.3f}; reproduced if at most {ACCEPTABLE:g} less, his "
        "bound of what is good.",
        3,
    )
    yield rates_row(done, f"against-{text}-rates", "4.3.1, table 4.4", his)
    yield from _text(done, text, his, mean_interval(wins))
    exact = fmean(won((one.jam, one.call), other) for one in his)
    paper, mean = fmean(one.won for one in his), fmean(done.rates(one).mean for one in his)
    yield beyond_row(
        f"against-{text}-selected",
        "our measurement",
        f"the score of the last best player against {against}, less what it wins exactly, bb/100",
        mean_interval([run["score"] - win for run, win in zip(runs, wins, strict=True)]),
        "The best of many noisy scores has much noise. His figures are matches that were played afterwards "
        f"(4.1): they exceed the exact ones by {paper - exact:.2f}, of which a mean of performances explains "
        f"{mean - exact:.2f}.",
        3,
    )
    within = all(bounds[2 * place] <= claimed[place] <= bounds[2 * place + 1] for place in range(2))
    yield Row(
        f"plateau-{text}",
        "4.3.1, appendix A" if text == "70-60" else "4.3.1",
        f"about {claimed[0]:g}/{claimed[1]:g} is best against {against}"
        + (", and many players are as good" if text == "70-60" else ""),
        f"{claimed[0]:g}/{claimed[1]:g}",
        f"{bounds[0]:.1f}-{bounds[1]:.1f} / {bounds[2]:.1f}-{bounds[3]:.1f}",
        judge_exact(within),
        f"Exactly: the best simple answer is {best[0]:.2f}/{best[1]:.2f} with {best[2]:.3f} bb/100; these "
        f"percentages each lose less than 0.5 of it, our bound. {claimed[0]:g}/{claimed[1]:g} wins "
        f"{won(claimed, other):.3f}."
        + (" 4.5.1 calls 90/25 what was expected, which is as near as that." if text == "40-30" else ""),
    )
