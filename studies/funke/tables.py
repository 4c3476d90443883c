"""Rows of sections 4.2 and 4.3: simple players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev

from dealer.intervals import MIN_UNITS, Interval, mean_interval, t_quantile
from strategy.pushfold.equilibrium import exploitability
from strategy.pushfold.rankings import top_range
from studies.funke.comparisons import best_top, best_won, difference, plateau, won
from studies.funke.document import EQUILIBRIUM, SIMPLE, SOLVED, PrintedSolution
from studies.funke.jobs import CAP, top_tables_of
from studies.funke.plan import FunkeResults
from studies.harness.report import Row, Verdict, interval_row
from studies.harness.verdicts import judge_claim, judge_exact, judge_figure, judged_row

_SIZES = (20, 25, 30, 40)
_JAMS = (min(one.jam for one in SIMPLE), max(one.jam for one in SIMPLE))
_CALLS = (min(one.call for one in SIMPLE), max(one.call for one in SIMPLE))
_CLOSE = 1.0
# His own: "acceptable" is within 1 bb/100.
_MACHINE = (
    "CPU-seconds of one thread of a busy machine, against minutes of his; only the order says something."
)


def duration_row(done: FunkeResults, name: str, source: str, minutes: float) -> Row:
    """Return a row on the duration of an experiment."""
    spent = done.mean(name, "seconds")
    return interval_row(
        f"{name.replace('/', '-')}-time",
        source,
        "seconds of an evolution",
        round(60 * minutes, 1),
        spent,
        "beyond",
        f"About {60 * minutes / spent.mean:.0f} times faster, "
        f"{done.mean(name, 'generations').mean:.0f} generations. {_MACHINE}",
        2,
    )


def _excesses(solutions: Sequence[PrintedSolution], opponent: tuple[float, float]) -> list[float]:
    """Return how much more each solution is said to win from the opponent than it does, in bb/100."""
    return [one.won - won((one.jam, one.call), opponent) for one in solutions if one.opponent == opponent]


def _noise(values: Sequence[float]) -> float:
    """Return half of the 95 % interval of one of these values, from their scatter."""
    return t_quantile(0.975, len(values) - 1) * stdev(values)


def _printed(table: str, solutions: Sequence[PrintedSolution]) -> Iterator[Row]:
    """Yield a row for each printed solution. How many hands his figures are from is not told: their noise is
    taken from their scatter about the exact values, for each opponent.
    """
    for number, found in enumerate(solutions, 1):
        exact, most = won((found.jam, found.call), found.opponent), best_won(found.opponent)
        noise = _noise(_excesses(solutions, found.opponent))
        lost = 500 * sum(exploitability((top_range(found.jam), top_range(found.call)), CAP[0]))
        told = f"Best answers win {lost:.2f} mbb/hand from it, both seats averaged."
        against = "/".join(f"{share:g}" for share in found.opponent)
        judged = judge_figure(found.won, Interval(exact, 0.0, MIN_UNITS), _CLOSE, noise)
        notes = [f"His noise: {noise:.2f}."]
        if found.won - noise > most:
            judged = judged._replace(verdict="document in error", note="")
            notes.append(f"Nobody can win more than {most:.3f} from {against}.")
        yield Row(
            f"{table}-{number}",
            f"table {table}, N = {found.size}",
            f"{found.jam:g}/{found.call:g} wins from {against}, bb/100; here exactly",
            found.won,
            round(exact, 3),
            judged.verdict,
            " ".join(filter(None, (*notes, judged.note, told))),
            detects=None if judged.detects is None else round(judged.detects, 2),
        )


def simple_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of table 4.2: the document's solutions, and ours."""
    yield from _printed("4.2", SIMPLE)
    for size in _SIZES:
        yield from _evolved(done, size)
    names = [f"simple/none/{size}" for size in _SIZES]
    pooled = [run for name in names for run in done.runs(name)]
    for field, (low, high) in (("jam", _JAMS), ("call", _CALLS)):
        interval = mean_interval([run[field] for run in pooled])
        yield judged_row(
            f"simple-{field}",
            "table 4.2",
            f"per cent of hands to {field}, all sizes",
            round(fmean(getattr(one, field) for one in SIMPLE), 2),
            interval,
            judge_claim(interval, low, high),
            f"Within his solutions, {low} to {high}.",
            2,
        )
    yield from _conclusions(done, names)


def _evolved(done: FunkeResults, size: int) -> Iterator[Row]:
    name = f"simple/none/{size}"
    his = [one for one in SIMPLE if one.size == size]
    source = f"table 4.2, N = {size}"
    for field, share in (("jam", "raises"), ("call", "calls")):
        interval = done.mean(name, field)
        low, high = _JAMS if field == "jam" else _CALLS
        yield judged_row(
            f"simple-{size}-{field}",
            source,
            f"per cent of hands: {share}",
            round(fmean(getattr(one, field) for one in his), 2),
            interval,
            judge_claim(interval, low, high),
            digits=2,
        )
    gained = mean_interval(done.wins(name, top_tables_of(EQUILIBRIUM)))
    yield judged_row(
        f"simple-{size}-won",
        source,
        "within about 1 bb/100 of 57/37; exactly, bb/100",
        round(fmean(one.won for one in his), 3),
        gained,
        judge_claim(gained, -1, 1),
        digits=3,
    )
    yield interval_row(
        f"simple-{size}-loss",
        "our measurement",
        f"best answers win from the solutions of N = {size}, mbb/hand",
        None,
        mean_interval(done.losses(name)),
        "beyond",
        digits=2,
    )
    yield duration_row(done, name, source, fmean(one.minutes for one in his))


def _conclusions(done: FunkeResults, names: list[str]) -> Iterator[Row]:
    few, many = done.runs(names[0]), done.runs(names[-1])
    growth = mean_interval(
        [more["first_hands"] / less["first_hands"] for less, more in zip(few, many, strict=True)]
    )
    paper = fmean(one.minutes for one in SIMPLE if one.size == 40) / fmean(
        one.minutes for one in SIMPLE if one.size == 20
    )
    yield judged_row(
        "quadratic",
        "4.2.1",
        "the cost is quadratic in N: hands of a generation of 40 by those of one of 20 (his: minutes)",
        round(paper, 2),
        growth,
        judge_claim(growth, 3.7, 4.5),
        "780 matches by 190 are 4.11.",
        3,
    )
    gap = difference(done.losses(names[0]), done.losses(names[-1]))
    yield judged_row(
        "twenty",
        "4.2.1",
        "20 players suffice: best answers win more from theirs than from those of 40, mbb/hand",
        0,
        gap,
        judge_claim(gap, -10, 10),
        "Within 10 mbb/hand, his 1 bb/100.",
        2,
    )
    for size in (20, 40):
        lost = done.mean(f"simple/exact/{size}", "ranked")
        yield judged_row(
            f"round-robin-exact-{size}",
            "2.3, 2.9",
            f"a round robin of {size} ends at the equilibrium: top tables win from it, exactly, mbb/hand",
            0,
            lost,
            judge_claim(lost, 0, 1),
            "Below 1. Who beats this population need not be the one who loses least. "
            "It ends where all are alike, in what the first 2 N numbers allow.",
            2,
        )


def adaptive_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of table 4.4: the document's solutions, and ours."""
    yield from _printed("4.4", SOLVED)
    for text, opponent, claimed in (
        ("70-60", (70.0, 60.0), (45.0, 45.0)),
        ("40-30", (40.0, 30.0), (95.0, 25.0)),
    ):
        yield from _adaptive(done, text, opponent, claimed)
        for size in (20, 25, 30):
            minutes = fmean(one.minutes for one in SOLVED if one.size == size and one.opponent == opponent)
            yield duration_row(done, f"simple/{text}/{size}", f"table 4.4, N = {size}", minutes)


def _adaptive(
    done: FunkeResults, text: str, opponent: tuple[float, float], claimed: tuple[float, float]
) -> Iterator[Row]:
    names = [f"simple/{text}/{size}" for size in (20, 25, 30)]
    runs = [run for name in names for run in done.runs(name)]
    wins = [win for name in names for win in done.wins(name, top_tables_of(opponent))]
    against = text.replace("-", "/")
    bounds = plateau(opponent)
    best = best_top(opponent)
    for place, field in enumerate(("jam", "call")):
        low, high = bounds[2 * place : 2 * place + 2]
        interval = mean_interval([run[field] for run in runs])
        yield judged_row(
            f"against-{text}-{field}",
            "table 4.4",
            f"per cent of hands to {field} against {against}",
            claimed[place],
            interval,
            judge_claim(interval, low, high),
            f"On the plateau, {low:.1f} to {high:.1f}; best is {best[place]:.2f}.",
            2,
        )
    gained = mean_interval(wins)
    yield judged_row(
        f"against-{text}-won",
        "4.3.1",
        f"the solutions are the best against {against}: what they win, exactly, bb/100",
        round(best[2], 3),
        gained,
        judge_claim(gained, best[2] - 0.5, best[2] + 1e-6),
        "Beside it the most that a simple player can win. Within 0.5 of it.",
        3,
    )
    excess = mean_interval([run["score"] - win for run, win in zip(runs, wins, strict=True)])
    his = fmean(_excesses(SOLVED, opponent))
    found = judge_claim(excess, high=0)
    verdict: Verdict = "document in error" if found.verdict == "not reproduced" else found.verdict
    yield interval_row(
        f"against-{text}-selected",
        "table 4.4",
        f"what is reported against {against} is what is won: its excess over the exact, bb/100",
        0,
        excess,
        verdict,
        "The best of many noisy scores is reported, so its noise is too. His figures exceed the exact ones "
        f"by {his:.2f} on average, with fewer hands.",
        3,
    )
    within = all(bounds[2 * place] <= claimed[place] <= bounds[2 * place + 1] for place in range(2))
    yield Row(
        f"plateau-{text}",
        "4.3.1, appendix A",
        f"about {claimed[0]:g}/{claimed[1]:g} is best against {against}, and many players are as good",
        f"{claimed[0]:g}/{claimed[1]:g}",
        f"{bounds[0]:.1f}-{bounds[1]:.1f} / {bounds[2]:.1f}-{bounds[3]:.1f}",
        judge_exact(within),
        f"Exactly: the best simple answer is {best[0]:.2f}/{best[1]:.2f} with {best[2]:.3f} bb/100; these "
        f"percentages each lose less than 0.5 of it. {claimed[0]:g}/{claimed[1]:g} wins "
        f"{won(claimed, opponent):.3f}.",
    )
