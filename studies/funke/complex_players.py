"""Rows of sections 4.4 to 4.6 and of chapter 3: complex and variable players."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, sqrt
from operator import itemgetter
from statistics import fmean, stdev
from typing import Any

import numpy as np

from dealer.intervals import Interval, mean_interval
from strategy.evolution.tournaments import advantages
from strategy.pushfold.equilibrium import exploitability
from studies.funke.appendices import FEW, departs_at_end, jams_changed, one_run
from studies.funke.comparisons import (
    best_top,
    best_won,
    chubukov,
    chubukov_order,
    compared_row,
    difference,
    duration_row,
    figure_row,
    loss_row,
    pairs_apart,
    plateau,
    ratio,
    seconds_of,
    source_noise,
    won,
)
from studies.funke.document import (
    ACCEPTABLE,
    COMPLEX,
    DRAWN,
    EQUILIBRIUM,
    MATCHES,
    MINUTES,
    NEAR,
    NOT_SIGNIFICANT,
    SIMPLE,
    opponent,
)
from studies.funke.jobs import CAP, CAPS, top_tables_of
from studies.funke.plan import POPULATIONS, SWEPT, FunkeResults, tables_of
from studies.harness.evolution_pictures import genes_of
from studies.harness.report import Row
from studies.harness.verdicts import beyond_row, claim_of_part, claim_row, judge_exact

_95 = 1.96
_SLIGHT = 2.76
# What 4.6.1 calls slightly better than 57/37, bb/100.
_OFTEN = 10.0
# Per cent of runs; what happens in fewer is seldom.
_TRIED = (
    ("complex", "random-cells", "3.2.2", "cells that begin by chance end in poor local optima"),
    ("complex", "one-point", "3.2.3", "the usual crossover of matrices spoils strategies"),
    ("variable", "random-caps", "3.3.2", "caps that begin by chance end in poor local optima"),
    ("variable", "one-cap", "3.3.2", "one random cap for each table to begin with is given up"),
    ("variable", "any-cap", "3.3.4", "a mutation to any cap is too strong a change"),
)


def complex_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of sections 4.4 and 4.5."""
    name = "complex/none"
    runs = done.runs(one_run(done, "complex"))
    for place, field in enumerate(("jam", "call")):
        found = [run[field] for run in runs]
        yield figure_row(
            f"complex-{field}-his",
            "4.4.1, figure 4.4",
            f"his one solution: per cent of hands to {field}",
            COMPLEX[place],
            mean_interval(found),
            NEAR,
            source_noise(found),
            f"Reproduced within {NEAR:g}, as far as his simple solutions are from 57/37.",
            2,
        )
    gained = won(COMPLEX, EQUILIBRIUM)
    yield Row(
        "complex-acceptable",
        "4.4.1",
        f"{COMPLEX[0]:g}/{COMPLEX[1]:g} is acceptable: what it wins from 57/37, exactly, bb/100",
        None,
        round(gained, 3),
        judge_exact(abs(gained) <= ACCEPTABLE),
        f"Reproduced up to {ACCEPTABLE:g}, his bound of what is good. As a simple player.",
    )
    yield loss_row(done, name)
    yield duration_row(done, name, "4.4.1", MINUTES[name])
    for tournament, source in (("none", "3.2"), ("70-60", "3.2, 4.5.1"), ("40-30", "3.2, 4.5.1")):
        yield _alike(done, tournament, source)
    yield _longer(done)
    for kind in SWEPT:
        yield from _sweep(done, kind)
    for text in ("70-60", "40-30"):
        yield from _against(done, text)


def _alike(done: FunkeResults, tournament: str, source: str) -> Row:
    """Return the row on how far the solutions are from simple players."""
    name = one_run(done, "complex") if tournament == "none" else f"complex/{tournament}"
    return claim_row(
        f"complex-{tournament}-alike".replace("none-", ""),
        source,
        "solutions are very much like simple ones"
        + ("" if tournament == "none" else f", too, against {tournament.replace('-', '/')}")
        + ": per cent of cells that differ from the nearest top table",
        mean_interval(map(departs_at_end, done.runs(name))),
        (0, FEW),
        f"Reproduced up to {FEW:g}, our bound. {_at_all_settings(done, tournament, departs_at_end)}",
        2,
    )


def _usual(kind: str, text: str = "none") -> str:
    """Return the experiment of the usual players that differs from a variant in nothing else."""
    return f"{kind}/{text}/{SWEPT[kind][0].name}"


def _at_usual(kind: str) -> str:
    """Return a note on the setting of the usual players, which is not the one that was chosen."""
    usual = SWEPT[kind][0]
    return (
        f"Both at pCross {usual.crossing:g}, pMut {usual.mutation:g} and patience {usual.patience}, those of "
        "`pokerd evolve`, not at the best setting."
    )


def _longer(done: FunkeResults) -> Row:
    runs, simple = done.runs(_usual("complex")), done.runs("simple/none/30")
    minutes = fmean(one.minutes for one in SIMPLE if one.size == 30)
    longer = ratio(seconds_of(runs), seconds_of(simple))
    per = ratio(
        [spent / run["generations"] for spent, run in zip(seconds_of(runs), runs, strict=True)],
        [spent / run["generations"] for spent, run in zip(seconds_of(simple), simple, strict=True)],
    )
    return claim_row(
        "complex-longer-time",
        "4.4.1",
        "complex players take significantly longer: time of an evolution of 30 by that of simple players",
        longer,
        (1.5, inf),
        f"Reproduced from 1.5 on, our bound. Of a generation it is {per.mean:.2f}: here a table is looked up "
        "for either kind. Both end by the same rule; the complex ones at "
        f"{SWEPT['complex'][0].name} (pCross, pMut, patience), not at the best setting.",
        2,
        paper=round(MINUTES["complex/none"] / minutes, 2),
    )


def _sweep(done: FunkeResults, kind: str) -> Iterator[Row]:
    """Yield what best answers win at each setting. The document names pCross and pMut, and gives neither."""
    best = done.best_rates(kind)
    for rates in SWEPT[kind]:
        name = f"{kind}/none/{rates.name}"
        yield beyond_row(
            f"sweep-{kind}-{rates.name}",
            "3.2.3, 3.2.4" if kind == "complex" else "3.3.3, 3.3.4",
            f"{kind} players, pCross {rates.crossing:g}, pMut {rates.mutation:g}, patience {rates.patience}: "
            "best answers win, mbb/hand",
            mean_interval(done.losses(name)),
            f"The document gives no such figures. {done.mean(name, 'generations').mean:.0f} "
            "generations." + (_chosen(done, kind) if rates == best else ""),
            2,
        )


def _chosen(done: FunkeResults, kind: str) -> str:
    """Return how the setting that is judged was chosen, as a sentence after others."""
    name = f"{kind}/none/{done.best_rates(kind).name}"
    lost = mean_interval([run["loss"][-1] for run in done.choosing_runs(name)])
    means = [fmean(done.losses(f"{kind}/none/{rates.name}")) for rates in SWEPT[kind]]
    place = 1 + sum(mean < fmean(done.losses(name)) for mean in means)
    return (
        f" Chosen by {lost.units} other runs, in which it had the least of all, {_said(lost)}; rows of 4.7 "
        f"are judged here. By the runs shown it is number {place} of {len(means)}: between settings "
        "that are nearer to each other than that, chance decides."
    )


def _said(mean: Interval) -> str:
    return f"{mean.mean:.1f} ± {mean.half or 0:.1f}"


def _at_all_settings(done: FunkeResults, text: str, figure: Callable[[Mapping[str, Any]], float]) -> str:
    """Return a figure of complex solutions against one opponent at all settings, as sentences."""
    means = [
        f"{rates.name} {_said(mean_interval(map(figure, done.runs(f'complex/{text}/{rates.name}'))))}"
        for rates in SWEPT["complex"]
    ]
    if text == "none":
        chosen = one_run(done, "complex").rpartition("/")[2], "as rows of 4.4.1"
    else:
        chosen = done.best_rates("complex", text).name, "whose solutions won most from him in other runs"
    return (
        f"At {chosen[0]} (pCross, pMut, patience), {chosen[1]}. At all that were tried: {', '.join(means)}."
    )


def _against(done: FunkeResults, text: str) -> Iterator[Row]:
    name, other = f"complex/{text}", opponent(text)
    bounds, best = plateau(other), best_top(other)
    against = text.replace("-", "/")
    figure = {"70-60": "4.5", "40-30": "4.6"}[text]
    claimed = DRAWN[figure]
    for place, field in enumerate(("jam", "call")):
        low, high = bounds[2 * place : 2 * place + 2]
        yield claim_row(
            f"complex-{text}-{field}",
            f"4.5.1, figure {figure}",
            f"against {against} solutions {field} about {claimed[place]:g} % of hands",
            done.mean(name, field),
            (claimed[place] - NEAR, claimed[place] + NEAR),
            f"Reproduced within {NEAR:g}, as far as his simple solutions are from 57/37. From {low:.1f} to "
            f"{high:.1f} cost a simple player less than 0.5 bb/100. Standard deviation of solutions "
            f"{stdev(run[field] for run in done.runs(name)):.1f}. "
            f"{_at_all_settings(done, text, itemgetter(field))}",
            2,
            paper=claimed[place],
            noise=source_noise([run[field] for run in done.runs(name)]),
        )
    yield claim_row(
        f"complex-{text}-won",
        "4.5.1",
        f"against {against} no strategy is found that beats the simple ones: what is won beyond the best "
        "simple one, exactly, bb/100",
        mean_interval([win - best[2] for win in done.wins(name, top_tables_of(other))]),
        (-inf, 0),
        f"Reproduced below 0. The best simple one wins {best[2]:.3f}, and nobody more than "
        f"{best_won(other) - best[2]:.2f} above it. See `complex-{text}-optimal`.",
        3,
    )
    yield claim_row(
        f"complex-{text}-optimal",
        f"4.5, figure {figure}",
        f"against {against} the solution is optimal: what is won, exactly, bb/100",
        mean_interval(done.wins(name, top_tables_of(other))),
        (best[2] - ACCEPTABLE, inf),
        f"Reproduced if at most {ACCEPTABLE:g} less than the best simple one, as `against-{text}-won`. "
        f"{done.cut([name])}",
        3,
    )
    watched = done.runs(f"complex/watched-{text}")
    yield claim_row(
        f"complex-{text}-stable",
        "4.5.1",
        f"against {against} the best soon hardly changes: per cent of its jams that differ from one picture "
        "to the next",
        mean_interval(map(jams_changed, watched)),
        (0, FEW),
        f"Reproduced up to {FEW:g}, our bound, as `appendix-b-stable`: a picture every "
        f"{watched[0]['frames'][1][0]} generations, without the first.",
        2,
    )
    yield duration_row(done, name, "4.5.1", MINUTES[name])


def elitism_row(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of elitism against one opponent."""
    for text in ("70-60", "40-30"):
        other, against = top_tables_of(opponent(text)), text.replace("-", "/")
        gains = []
        for kind, usual in (("complex", _usual("complex", text)), ("simple", f"simple/{text}/30")):
            without = f"{kind}/no-elitism-{text}"
            pairs = zip(done.wins(usual, other), done.wins(without, other), strict=False)
            gains.append([more - less for more, less in pairs])
        for key, claim, gain in (
            ("", "elitism matters, as crossover may lose a good strategy", mean_interval(gains[0])),
            (
                "-most",
                "elitism matters most for complex players, more than for simple ones",
                difference(*gains),
            ),
        ):
            yield claim_row(
                f"elitism-on-{text}{key}",
                "2.10, 4.5",
                f"{claim}: what complex solutions win from {against} with it more than without"
                + (", less the same of simple ones" if key else "")
                + ", exactly, bb/100",
                gain,
                (0, inf),
                f"Reproduced above 0. {_at_usual('complex')}",
                3,
            )
        runs = done.runs(f"complex/no-elitism-{text}")
        begun = [tables_of("complex", run["frames"][0][2][run["frames"][0][1]]) for run in runs]
        ended = done.wins(f"complex/no-elitism-{text}", other)
        worse = [
            100.0 * (end < float(advantages(first, other, CAP)[0, 0]))
            for end, first in zip(ended, begun, strict=True)
        ]
        row = claim_row(
            f"elitism-off-{text}",
            "4.5",
            "without elitism one may end with a worse strategy than at first: per cent of runs that do, of "
            f"those against {against}",
            mean_interval(worse),
            (_OFTEN, inf),
            f"Reproduced from {_OFTEN:g} on, a bound of ours: for this he calls elitism especially "
            f"important, which it would not be for what seldom happens. {_at_usual('complex')}",
            1,
        )
        yield replace(row, high=min(100.0, row.high or 100.0))


def variable_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of section 4.6."""
    name = one_run(done, "variable")
    # How many matches his figures of 4.6.1 are from is not told: ten, as in the output that he shows.
    noise = _95 * done.results["match/variable"][1] / sqrt(MATCHES)
    noise_note = f"The noise of a mean of ten matches, as in figure 4.1, is {noise:.2f}."
    yield figure_row(
        "variable-won",
        "4.6.1, figure 4.7",
        "is slightly better than 57/37: what it wins from it, stacks of 1 to 10, exactly, bb/100",
        _SLIGHT,
        mean_interval(done.wins(name, top_tables_of(EQUILIBRIUM, CAPS))),
        _SLIGHT,
        noise,
        f"Reproduced within {_SLIGHT:g}, as far as it stays better. {noise_note} That it is better at all: "
        "`variable-better`.",
    )
    for key, reading, other in (
        ("jams", "their jams, and each stack's equilibrium calls", chubukov(CAPS)),
        ("order", "each stack's equilibrium of the best hands in their order", chubukov_order(CAPS)),
    ):
        yield figure_row(
            f"variable-chubukov-{key}",
            "4.6.1",
            "plays much like the equilibrium by Sklansky and Chubukov: what it wins from it, exactly, "
            f"bb/100; read as {reading}",
            -0.54,
            mean_interval(done.wins(name, other)),
            NOT_SIGNIFICANT,
            noise,
            f"Reproduced within {NOT_SIGNIFICANT:g}, which he calls not significant. {noise_note} One of two "
            "readings; he does not tell what that player is.",
        )
    yield loss_row(done, "variable/none")
    genes = [run["genes"] for run in done.runs(name)]
    cells = np.array([[list(row) for row in one] for one in genes]).reshape(len(genes), -1)
    differing = [
        [100 * float((mine != other).mean()) for other in np.delete(cells, place, axis=0)]
        for place, mine in enumerate(cells)
    ]
    yield claim_row(
        "variable-diverse",
        "4.6.1",
        "runs end in very different local optima: per cent of cells in which a solution differs from the one "
        "that is most like it",
        mean_interval([min(row) for row in differing]),
        (5, inf),
        "Reproduced from 5 % on, our bound. The average of all pairs is "
        f"{fmean(fmean(row) for row in differing):.1f}.",
        1,
    )
    yield duration_row(done, "variable/none", "4.6.1", MINUTES["variable/none"])
    yield from _populations(done)
    yield from _harder(done)


def _harder(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of 4.7 on how hard the best are to find."""
    simple, complex_ = done.losses("simple/none/30"), done.losses("complex/none")
    # Who plays stacks of 1 to 10 is looked at with 10, as the others are.
    variable = [
        500 * sum(exploitability((one.jam[0, -1], one.call[0, -1]), CAP[0]))
        for one in done.players("variable/none")
    ]
    for key, claim, sizes, more, less in (
        ("harder", "variable ones than from complex ones", "20 and 30", variable, complex_),
        ("harder-complex", "complex ones than from simple ones", "30", complex_, simple),
    ):
        yield compared_row(
            key,
            "4.7",
            "the more complex the players, the harder the best are to find: best answers win more from "
            f"{claim}",
            more,
            less,
            f"N = {sizes}, each with 10 big blinds.",
        )


def abandoned_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of methods that the document tried and gave up."""
    for players, variant, source, claim in _TRIED:
        usual, other = done.losses(_usual(players)), done.losses(f"{players}/{variant}")
        yield compared_row(
            f"tried-{variant}",
            source,
            f"{claim}: best answers win more from what comes out",
            other,
            usual,
            _at_usual(players),
        )
    yield from _one_cap(done)


def _one_cap(done: FunkeResults) -> Iterator[Row]:
    """Yield why the second initialiser of 3.3.2 was given up."""
    frames = [[genes_of(frame) for frame in run["frames"]] for run in done.runs("variable/one-cap")]
    number = done.runs("variable/one-cap")[0]["frames"][2][0]
    first = fmean(100 * float((genes[0].max(axis=2) <= 5).mean()) for genes in frames)
    yield claim_of_part(
        "one-cap-low",
        "3.3.2",
        f"who begins with low caps is soon discarded: per cent of tables of at most 5 in generation {number}",
        None,
        mean_interval([100 * float((genes[2].max(axis=2) <= 5).mean()) for genes in frames]),
        25,
        f"In the first generation {first:.1f}. Reproduced up to 25, half of what is drawn; our bound.",
        above=False,
        most=100,
        digits=1,
    )
    apart, usual = (
        [pairs_apart(genes.reshape(len(genes), -1)) for genes in third]
        for third in (
            [genes[2] for genes in frames],
            [genes_of(run["frames"][2]) for run in done.runs(_usual("variable"))],
        )
    )
    begun = fmean(pairs_apart(genes[0].reshape(len(genes[0]), -1)) for genes in frames)
    yield claim_row(
        "one-cap-diversity",
        "3.3.2",
        "so the population soon loses its diversity: how much less two players differ in generation "
        f"{number} than in the first, per cent",
        mean_interval([100 - 100 * one / begun for one in apart]),
        (50, inf),
        f"From {begun:.1f} to {fmean(apart):.1f} per cent of cells. Reproduced from 50 on, our bound. That "
        f"is no reason to give it up: the usual players then differ in {fmean(usual):.1f}.",
        1,
    )


def _loss_at(runs: Sequence[dict[str, Any]], hands: Sequence[float]) -> list[float]:
    """Return what each run's best lost in the generation in which it had played that many hands."""
    found = []
    for run, most in zip(runs, hands, strict=False):
        reached = round(most * run["generations"] / run["hands"])
        found.append(run["loss"][min(max(reached, 1), run["generations"]) - 1])
    return found


def _populations(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows on sizes of populations (4.6.1)."""
    least, chosen, most = POPULATIONS
    few, usual, many = (done.runs(f"variable/size-{size}") for size in POPULATIONS)
    setting = _at_usual("variable")
    yield claim_row(
        f"population-{least}",
        "4.6.1",
        f"few players converge too early: generations of {least} less those of {chosen}",
        difference([run["generations"] for run in few], [run["generations"] for run in usual]),
        (-inf, 0),
        f"Reproduced below 0. {setting}",
        2,
    )
    ends = [[run["loss"][-1] for run in runs] for runs in (few, usual, many)]
    yield compared_row(
        f"population-{least}-loss",
        "4.6.1",
        f"few players find worse ones: best answers win more from solutions of {least} than of {chosen}",
        ends[0],
        ends[1],
        setting,
    )
    yield compared_row(
        f"population-{most}",
        "4.6.1",
        "many players have fewer generations in the same time, and are less refined: best answers win more "
        f"from the best of {most} than of {chosen}, when as many hands have been played",
        _loss_at(many, [run["hands"] for run in usual]),
        ends[1],
        f"In the same time only: at their own ends `population-{most}-limit`. {setting}",
    )
    at_end = f"best answers win more from solutions of {most} than of {chosen}, each at its own end"
    yield beyond_row(
        f"population-{most}-end",
        "4.6.1",
        f"many players are less refined in the end: {at_end}, mbb/hand",
        difference(ends[2], ends[1]),
        f"No verdict: 4.6.1 speaks of iterations in a time (`population-{most}`). Read of the end, it would "
        f"exclude 4.7, whose row is `population-{most}-limit`.",
        2,
    )
    claim = f"too few players limited the search: {at_end}"
    yield compared_row(f"population-{most}-limit", "4.7", claim, ends[2], ends[1], setting, less=True)
