"""Rows of sections 4.4 to 4.6 and of chapter 3: complex and variable players."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from dealer.intervals import mean_interval
from studies.funke.comparisons import best_top, chubukov, difference, plateau, won
from studies.funke.document import COMPLEX, EQUILIBRIUM, MINUTES, opponent
from studies.funke.jobs import CAPS, top_tables_of
from studies.funke.plan import SWEPT, FunkeResults
from studies.funke.tables import duration_row
from studies.harness.report import Row, interval_row
from studies.harness.verdicts import judge_claim, judged_row

_NEAR = 7.0
_TRIED = (
    ("complex", "random-cells", "3.2.2", "cells that begin by chance end in poor local optima"),
    ("complex", "one-point", "3.2.3", "the usual crossover of matrices spoils strategies"),
    ("variable", "random-caps", "3.3.2", "caps that begin by chance end in poor local optima"),
    ("variable", "any-cap", "3.3.4", "a mutation to any cap is too strong a change"),
)


def complex_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of sections 4.4 and 4.5."""
    name = "complex/none"
    for place, field in enumerate(("jam", "call")):
        interval = done.mean(name, field)
        yield judged_row(
            f"complex-{field}",
            "4.4.1, figure 4.4",
            f"per cent of hands to {field}, about {EQUILIBRIUM[place]:g}",
            COMPLEX[place],
            interval,
            judge_claim(interval, EQUILIBRIUM[place] - _NEAR, EQUILIBRIUM[place] + _NEAR),
            f"Within {_NEAR:g}.",
            2,
        )
    gained = mean_interval(done.wins(name, top_tables_of(EQUILIBRIUM)))
    yield judged_row(
        "complex-won",
        "4.4.1",
        "acceptable: within about 1 bb/100 of 57/37; exactly, bb/100",
        round(won(COMPLEX, EQUILIBRIUM), 3),
        gained,
        judge_claim(gained, -1, 1),
        "Beside it what his 53/32 would win as a simple player; he tells no figure.",
        3,
    )
    yield from _loss(done, name)
    yield duration_row(done, name, "4.4.1", MINUTES[name])
    for kind in SWEPT:
        yield from _sweep(done, kind)
    for text in ("70-60", "40-30"):
        yield from _against(done, text)


def _loss(done: FunkeResults, name: str) -> Iterator[Row]:
    yield interval_row(
        f"{name.partition('/')[0]}-loss",
        "our measurement",
        "best answers win from the solutions, mbb/hand",
        None,
        mean_interval(done.losses(name)),
        "beyond",
        digits=2,
    )


def _sweep(done: FunkeResults, kind: str) -> Iterator[Row]:
    """Yield what best answers win at each setting. The document names pCross and pMut, and gives neither."""
    best = done.best_rates(kind)
    for rates in SWEPT[kind]:
        name = f"{kind}/none/{rates.name}"
        runs = done.runs(name)
        yield interval_row(
            f"sweep-{kind}-{rates.name}",
            "3.2.3, 3.2.4" if kind == "complex" else "3.3.3, 3.3.4",
            f"{kind} players, pCross {rates.crossing:g}, pMut {rates.mutation:g}, patience {rates.patience}: "
            "best answers win, mbb/hand",
            None,
            mean_interval(done.losses(name)),
            "beyond",
            f"{fmean(run['generations'] for run in runs):.0f} generations."
            + (" Chosen by other runs; rows about such players are judged here." if rates == best else ""),
            2,
        )


def _against(done: FunkeResults, text: str) -> Iterator[Row]:
    name, other = f"complex/{text}", opponent(text)
    bounds, best = plateau(other), best_top(other)
    against = text.replace("-", "/")
    claimed, figure = {"70-60": ((45.0, 45.0), "4.5"), "40-30": ((90.0, 25.0), "4.6")}[text]
    for place, field in enumerate(("jam", "call")):
        low, high = bounds[2 * place : 2 * place + 2]
        interval = done.mean(name, field)
        yield judged_row(
            f"complex-{text}-{field}",
            f"4.5.1, figure {figure}",
            f"per cent of hands to {field} against {against}",
            claimed[place],
            interval,
            judge_claim(interval, low, high),
            f"On the plateau of simple players, {low:.1f} to {high:.1f}.",
            2,
        )
    gained = mean_interval([win - best[2] for win in done.wins(name, top_tables_of(other))])
    yield judged_row(
        f"complex-{text}-won",
        "4.5.1",
        f"against {against} no strategy is found that beats the simple ones: what is won beyond the best "
        "simple one, exactly, bb/100",
        "< 0",
        gained,
        judge_claim(gained, high=0),
        f"The best simple one wins {best[2]:.3f}.",
        3,
    )
    yield duration_row(done, name, "4.5.1", MINUTES[name])


def variable_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of section 4.6."""
    name = "variable/none"
    gained = mean_interval(done.wins(name, top_tables_of(EQUILIBRIUM, CAPS)))
    yield judged_row(
        "variable-won",
        "4.6.1, figure 4.7",
        "wins from 57/37, stacks of 1 to 10, exactly, bb/100",
        2.76,
        gained,
        judge_claim(gained, low=0),
        "Above 0; whether he measured 2.76 or noise cannot be told.",
        3,
    )
    behind = mean_interval(done.wins(name, chubukov(CAPS)))
    yield judged_row(
        "variable-chubukov",
        "4.6.1",
        "loses a little to Sklansky and Chubukov's jams, exactly, bb/100",
        -0.54,
        behind,
        judge_claim(behind, high=0),
        "The calls he gave that player are not told: here those of each stack's equilibrium.",
        3,
    )
    yield from _loss(done, name)
    genes = [run["genes"] for run in done.runs(name)]
    cells = np.array([[list(row) for row in one] for one in genes]).reshape(len(genes), -1)
    differing = [
        [100 * float((mine != other).mean()) for other in np.delete(cells, place, axis=0)]
        for place, mine in enumerate(cells)
    ]
    nearest = mean_interval([min(row) for row in differing])
    yield judged_row(
        "variable-diverse",
        "4.6.1",
        "runs end in very different local optima: per cent of cells in which a solution differs from the one "
        "that is most like it",
        "many",
        nearest,
        judge_claim(nearest, low=5),
        f"Above 5. The average of all pairs is {fmean(fmean(row) for row in differing):.1f}.",
        1,
    )
    yield duration_row(done, name, "4.6.1", MINUTES[name])
    harder = difference(done.losses(name), done.losses("complex/none"))
    yield judged_row(
        "harder",
        "4.7",
        "the more complex the players, the harder the best are to find: best answers win more from variable "
        "ones than from complex ones, mbb/hand",
        "> 0",
        harder,
        judge_claim(harder, low=0),
        "Averaged over the stacks that each kind meets.",
        2,
    )


def abandoned_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of methods that the document tried and gave up."""
    for players, variant, source, claim in _TRIED:
        usual, other = done.losses(f"{players}/none"), done.losses(f"{players}/{variant}")
        worse = difference(other, usual)
        yield judged_row(
            f"tried-{variant}",
            source,
            f"{claim}: best answers win more from what comes out, mbb/hand",
            "> 0",
            worse,
            judge_claim(worse, low=0),
            f"{mean_interval(other).mean:.1f} and {mean_interval(usual).mean:.1f}.",
            2,
        )
