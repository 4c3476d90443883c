"""Rows of sections 4.4 to 4.6 and of chapter 3: complex and variable players."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from dealer.intervals import mean_interval
from studies.funke.comparisons import (
    best_top,
    chubukov,
    difference,
    plateau,
    verdict_of_sign,
    verdict_within,
    won,
)
from studies.funke.document import COMPLEX, EQUILIBRIUM, MINUTES, opponent
from studies.funke.jobs import CAPS, top_tables_of
from studies.funke.plan import FunkeResults
from studies.funke.tables import duration_row
from studies.harness.report import Row, Verdict, interval_row

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
        verdict, note = verdict_within(interval, EQUILIBRIUM[place] - _NEAR, EQUILIBRIUM[place] + _NEAR)
        yield interval_row(
            f"complex-{field}",
            "4.4.1, figure 4.4",
            f"per cent of hands to {field}, about {EQUILIBRIUM[place]:g}",
            COMPLEX[place],
            interval,
            verdict,
            f"{note} Reproduced if surely within {_NEAR:g}.".strip(),
            2,
        )
    gained = mean_interval(done.wins(name, top_tables_of(EQUILIBRIUM)))
    verdict, note = verdict_within(gained, -1, 1)
    yield interval_row(
        "complex-won",
        "4.4.1",
        "acceptable: within about 1 bb/100 of 57/37; exactly, bb/100",
        round(won(COMPLEX, EQUILIBRIUM), 3),
        gained,
        verdict,
        f"{note} Beside it what his 53/32 would win as a simple player; he tells no figure.".strip(),
        3,
    )
    yield from _loss(done, name)
    yield duration_row(done, name, "4.4.1", MINUTES[name])
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


def _against(done: FunkeResults, text: str) -> Iterator[Row]:
    name, other = f"complex/{text}", opponent(text)
    bounds, best = plateau(other), best_top(other)
    against = text.replace("-", "/")
    claimed, figure = {"70-60": ((45.0, 45.0), "4.5"), "40-30": ((90.0, 25.0), "4.6")}[text]
    for place, field in enumerate(("jam", "call")):
        low, high = bounds[2 * place : 2 * place + 2]
        interval = done.mean(name, field)
        verdict, note = verdict_within(interval, low, high)
        yield interval_row(
            f"complex-{text}-{field}",
            f"4.5.1, figure {figure}",
            f"per cent of hands to {field} against {against}",
            claimed[place],
            interval,
            verdict,
            f"{note} Reproduced if surely on the plateau of simple players, {low:.1f} to {high:.1f}.".strip(),
            2,
        )
    gained = mean_interval([win - best[2] for win in done.wins(name, top_tables_of(other))])
    yield interval_row(
        f"complex-{text}-won",
        "4.5.1",
        f"against {against} no strategy is found that beats the simple ones: what is won beyond the best "
        "simple one, exactly, bb/100",
        "< 0",
        gained,
        verdict_of_sign(gained, -1)[0],
        f"The best simple one wins {best[2]:.3f}.",
        3,
    )
    yield duration_row(done, name, "4.5.1", MINUTES[name])


def variable_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of section 4.6."""
    name = "variable/none"
    gained = mean_interval(done.wins(name, top_tables_of(EQUILIBRIUM, CAPS)))
    verdict, note = verdict_of_sign(gained, 1)
    yield interval_row(
        "variable-won",
        "4.6.1, figure 4.7",
        "wins from 57/37, stacks of 1 to 10, exactly, bb/100",
        2.76,
        gained,
        verdict,
        f"{note} Reproduced if surely above 0; whether he measured 2.76 or noise cannot be told.".strip(),
        3,
    )
    behind = mean_interval(done.wins(name, chubukov(CAPS)))
    verdict, note = verdict_of_sign(behind, -1)
    yield interval_row(
        "variable-chubukov",
        "4.6.1",
        "loses a little to Sklansky and Chubukov's jams, exactly, bb/100",
        -0.54,
        behind,
        verdict,
        f"{note} The calls he gave that player are not told: here those of each stack's equilibrium.".strip(),
        3,
    )
    yield from _loss(done, name)
    genes = [run["genes"] for run in done.runs(name)]
    differing = [
        sum(a != b for rows in zip(mine, other, strict=True) for a, b in zip(*rows, strict=True)) / 338 * 100
        for mine, other in combinations(genes, 2)
    ]
    yield Row(
        "variable-diverse",
        "4.6.1",
        "runs end in very different local optima: per cent of cells in which two solutions differ",
        "many",
        round(sum(differing) / len(differing), 1),
        "reproduced" if min(differing) > 5 else "not reproduced",
        f"From {min(differing):.1f} to {max(differing):.1f} between two runs. Reproduced if all above 5.",
    )
    yield duration_row(done, name, "4.6.1", MINUTES[name])
    harder = difference(done.losses(name), done.losses("complex/none"))
    yield interval_row(
        "harder",
        "4.7",
        "the more complex the players, the harder the best are to find: best answers win more from variable "
        "ones than from complex ones, mbb/hand",
        "> 0",
        harder,
        verdict_of_sign(harder, 1)[0],
        "Averaged over the stacks that each kind meets.",
        2,
    )


def abandoned_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of methods that the document tried and gave up."""
    for players, variant, source, claim in _TRIED:
        usual, other = done.losses(f"{players}/none"), done.losses(f"{players}/{variant}")
        worse = difference(other, usual)
        verdict: Verdict
        verdict, note = verdict_of_sign(worse, 1)
        yield interval_row(
            f"tried-{variant}",
            source,
            f"{claim}: best answers win more from what comes out, mbb/hand",
            "> 0",
            worse,
            verdict,
            f"{note} {mean_interval(other).mean:.1f} and {mean_interval(usual).mean:.1f}.".strip(),
            2,
        )
