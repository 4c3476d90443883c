"""Rows beyond the document: evolution by exact values against the worst opponent."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from dealer.intervals import mean_interval
from strategy.evolution.tournaments import advantages
from strategy.pushfold.equilibrium import equilibrium, restricted_equilibrium
from strategy.pushfold.kernel import PushFoldTables
from studies.funke.document import EQUILIBRIUM
from studies.funke.jobs import CAP, CAPS, top_tables_of
from studies.funke.plan import FunkeResults
from studies.harness.report import Row
from studies.harness.verdicts import beyond_row

_SOURCE = "beyond: exact, worst case"


def extension_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows of simple, complex and variable players."""
    ranked = restricted_equilibrium(CAP[0])
    for field, exact in (("jam", ranked.jams[0][0]), ("call", ranked.calls[0][0])):
        runs = [run[field] for run in done.runs("simple/sure")]
        hits = sum(round(share, 2) == round(exact, 2) for share in runs)
        yield beyond_row(
            f"sure-simple-{field}",
            _SOURCE,
            f"simple players: per cent of hands to {field}",
            mean_interval(runs),
            f"The exact equilibrium of top tables has {exact:.4f}; {hits} of {len(runs)} runs end there "
            "to two digits.",
        )
    generations = fmean(run["generations"] for run in done.runs("simple/sure"))
    yield beyond_row(
        "sure-simple-loss",
        _SOURCE,
        "simple players: best top tables win, mbb/hand",
        done.mean("simple/sure", "ranked"),
        f"After {generations:.0f} generations on average.",
        6,
    )
    yield from _complex(done)
    yield from _variable(done)


def _complex(done: FunkeResults) -> Iterator[Row]:
    name = "complex/sure"
    lost = mean_interval(done.losses(name))
    first = [next((n for n, loss in enumerate(run["loss"]) if loss < 1), None) for run in done.runs(name)]
    reached = [n for n in first if n is not None]
    note = f"; below 1 from generation {fmean(reached):.0f} on average" if reached else ""
    yield beyond_row(
        "sure-complex-loss",
        _SOURCE,
        "complex players: best answers win, both seats averaged, mbb/hand",
        lost,
        f"{len(reached)} of {len(first)} runs came below 1 mbb/hand{note}.",
        4,
    )
    ranked = restricted_equilibrium(CAP[0])
    simple = PushFoldTables(ranked.jam[None, None], ranked.call[None, None])
    yield beyond_row(
        "sure-complex-won",
        _SOURCE,
        "complex players: win from the best of the simple ones, bb/100",
        mean_interval(done.wins(name, simple)),
        "In 4.4.1 his evolution, by matches, found nothing better than simple players.",
        4,
    )


def _variable(done: FunkeResults) -> Iterator[Row]:
    name = "variable/sure"
    exact = [equilibrium(cap) for cap in CAPS]
    fair = PushFoldTables(
        np.array([[found.jam for found in exact]]), np.array([[found.call for found in exact]])
    )
    most = float(advantages(fair, top_tables_of(EQUILIBRIUM, CAPS), CAPS)[0, 0])
    yield beyond_row(
        "sure-variable-won",
        _SOURCE,
        "variable players: win from 57/37, stacks of 1 to 10, bb/100",
        mean_interval(done.wins(name, top_tables_of(EQUILIBRIUM, CAPS))),
        f"His, by matches: 2.76. The equilibrium of each stack wins {most:.2f}.",
        3,
    )
    yield beyond_row(
        "sure-variable-loss",
        _SOURCE,
        "variable players: best answers win, both seats and all stacks averaged, mbb/hand",
        mean_interval(done.losses(name)),
        "One largest stack for each hand cannot play the equilibria exactly: 84s, 63s, 53s and 43s are "
        "jammed again with more chips.",
        3,
    )
