"""The study's evolutions and matches, and how to read their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dealer.intervals import Interval, mean_interval
from strategy.evolution.plan import EvolutionPlan as Evolution
from strategy.evolution.players import ComplexPlayers, VariablePlayers
from strategy.evolution.tournaments import advantages
from strategy.pushfold.kernel import PushFoldTables
from studies.funke.document import FIGURE_41
from studies.funke.jobs import (
    BUST,
    CAP,
    CAPS,
    play_curves,
    play_fixed_length,
    play_matches_of_pair,
    run_experiment,
    score_equal_players,
    top_tables_of,
)
from studies.harness.work import Unit

FIXED = (1000, 4000, 16_000, 64_000)
"""Hands of the matches that show how the variance falls."""


class FunkeSizes(NamedTuple):
    """Runs of evolutions of simple players by matches, of others, and against the worst case (simple,
    others); maximum generations (0: the default); matches of one against one, to the end and of fixed length;
    round robins of equal players; points of a running curve.
    """

    simple: int
    tables: int
    sure: int
    sure_tables: int
    generations: int
    bust: int
    fixed: int
    equals: int
    points: int


def sizes(quick: bool) -> FunkeSizes:
    """Return the sizes of a run."""
    return (
        FunkeSizes(2, 2, 2, 2, 5, 100, 10, 3, 20)
        if quick
        else FunkeSizes(8, 6, 6, 4, 0, 20_000, 400, 30, 400)
    )


@dataclass(frozen=True)
class Experiment:
    """Several evolutions that differ only in their seed."""

    name: str
    evolution: Evolution
    runs: int
    weight: float
    variant: str = ""
    frames: int = 0
    """Interval, in generations, between the kept ones."""


def _by_matches(players: str, tournament: str, size: int) -> Evolution:
    if tournament == "none":
        return Evolution(players, "matches", "round-robin", size=size)
    jam, call = map(float, tournament.split("-"))
    return Evolution(players, "matches", "against", (jam, call), size=size)


class FunkePlan:
    """The units of a study of this size and seed."""

    def __init__(self, quick: bool, seed: int) -> None:
        self.sizes = sizes(quick)
        self.seed = seed
        found = [*self._simple(), *self._tables(), *self._abandoned(), *self._worst_case()]
        most = self.sizes.generations
        if most:
            found = [
                replace(one, evolution=replace(one.evolution, generations=most, hands=100)) for one in found
            ]
        self.experiments = {one.name: one for one in found}

    def units(self) -> list[Unit]:
        """Return all units, the longest first."""
        found = [
            Unit(
                f"{experiment.name}/{run}",
                run_experiment,
                (
                    replace(experiment.evolution, seed=1000 * self.seed + run),
                    experiment.variant,
                    experiment.frames,
                ),
                experiment.weight,
            )
            for experiment in self.experiments.values()
            for run in range(experiment.runs)
        ]
        return sorted([*found, *self._matches()], key=lambda unit: -unit.weight)

    def _simple(self) -> list[Experiment]:
        runs = self.sizes.simple
        return [
            *(
                Experiment(f"simple/none/{size}", _by_matches("simple", "none", size), runs, weight)
                for size, weight in ((20, 2), (25, 3), (30, 4), (40, 8))
            ),
            *(
                Experiment(f"simple/{other}/{size}", _by_matches("simple", other, size), runs, 2, frames=2)
                for other in ("70-60", "40-30")
                for size in (20, 25, 30)
            ),
            *(
                Experiment(
                    f"simple/exact/{size}", Evolution("simple", "exact", "round-robin", size=size), runs, 0.3
                )
                for size in (20, 40)
            ),
        ]

    def _tables(self) -> list[Experiment]:
        runs = self.sizes.tables
        return [
            Experiment(
                "complex/none",
                _by_matches("complex", "none", 30),
                runs,
                4,
                frames=1 if self.sizes.generations else 7,
            ),
            Experiment("complex/70-60", _by_matches("complex", "70-60", 30), runs, 7),
            Experiment("complex/40-30", _by_matches("complex", "40-30", 30), runs, 7),
            Experiment(
                "variable/none",
                _by_matches("variable", "none", 20),
                runs,
                4,
                frames=1 if self.sizes.generations else 5,
            ),
        ]

    def _abandoned(self) -> list[Experiment]:
        runs = self.sizes.tables
        return [
            Experiment(f"{players}/{variant}", _by_matches(players, "none", size), runs, 4, variant=variant)
            for players, variant, size in (
                ("complex", "random-cells", 30),
                ("complex", "one-point", 30),
                ("variable", "random-caps", 20),
                ("variable", "any-cap", 20),
            )
        ]

    def _worst_case(self) -> list[Experiment]:
        size = self.sizes
        return [
            Experiment("simple/sure", Evolution("simple"), size.sure, 3),
            Experiment("complex/sure", Evolution("complex"), size.sure_tables, 10),
            Experiment("variable/sure", Evolution("variable"), size.sure_tables, 20),
        ]

    def _matches(self) -> list[Unit]:
        size, seed = self.sizes, self.seed
        return [
            Unit("match/sample", play_matches_of_pair, (FIGURE_41, 10, 500.0, BUST, seed), 0.1),
            Unit("match/bust", play_matches_of_pair, (FIGURE_41, size.bust, 500.0, BUST, seed + 1), 8),
            Unit("match/curves", play_curves, (FIGURE_41, 8, size.points, seed + 2), 0.1),
            Unit("match/equals", score_equal_players, (20, size.equals, seed + 3), 2),
            *(
                Unit(
                    f"match/fixed-{hands}",
                    play_fixed_length,
                    (FIGURE_41, size.fixed, hands, seed + hands),
                    0.5,
                )
                for hands in FIXED
            ),
        ]


def tables_of(kind: str, genes: Any) -> PushFoldTables:
    """Return the tables of one player from the stored genes: two numbers, or two texts."""
    if kind == "simple":
        return top_tables_of((100 * genes[0], 100 * genes[1]))
    cells = np.array([[int(cell, 16) for cell in row] for row in genes], np.int8)[None]
    return (
        VariablePlayers().tables(cells, CAPS) if kind == "variable" else ComplexPlayers().tables(cells, CAP)
    )


@dataclass(frozen=True)
class FunkeResults:
    """The results of a plan."""

    plan: FunkePlan
    results: Mapping[str, Any]

    def runs(self, name: str) -> list[dict[str, Any]]:
        """Return the runs of an experiment, in order."""
        return [self.results[f"{name}/{run}"] for run in range(self.plan.experiments[name].runs)]

    def mean(self, name: str, field: str) -> Interval:
        """Return the mean of a numeric field over runs."""
        return mean_interval([float(run[field]) for run in self.runs(name)])

    def losses(self, name: str) -> list[float]:
        """Return best answers' winnings against the last best of each run, thousandths of a big blind per
        hand.
        """
        return [run["loss"][-1] for run in self.runs(name)]

    def players(self, name: str) -> list[PushFoldTables]:
        """Return the last best player of each run."""
        return [tables_of(name.partition("/")[0], run["genes"]) for run in self.runs(name)]

    def wins(self, name: str, other: PushFoldTables) -> list[float]:
        """Return their exact winnings against another, in big blinds per 100 hands."""
        caps = CAPS if name.startswith("variable") else CAP
        return [float(advantages(player, other, caps)[0, 0]) for player in self.players(name)]
