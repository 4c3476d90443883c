"""The study's evolutions and matches, and how to read their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import sqrt
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from dealer.intervals import Interval, mean_interval, t_quantile
from strategy.evolution.plan import EvolutionPlan as Evolution
from strategy.evolution.players import ComplexPlayers, VariablePlayers
from strategy.evolution.tournaments import advantages
from strategy.pushfold.kernel import PushFoldTables
from studies.funke.document import EQUILIBRIUM, FIGURE_41, SIMPLE, SOLVED, PrintedSolution, opponent
from studies.funke.jobs import (
    BUST,
    CAP,
    CAPS,
    play_curves,
    play_fixed_length,
    play_matches_of_pair,
    rates_of_pair,
    run_experiment,
    score_equal_players,
    top_tables_of,
)
from studies.harness.work import Unit

FIXED = (1000, 4000, 16_000, 64_000)
"""Hands of the matches that show how the variance falls."""


class Rates(NamedTuple):
    """Settings that the document names and does not give: pCross and pMut, and after how many generations
    without progress an evolution ends.
    """

    crossing: float
    mutation: float
    patience: int

    @property
    def name(self) -> str:
        """Return a name for a setting."""
        return f"{self.crossing:g}-{self.mutation:g}-{self.patience}"


SWEPT: Mapping[str, tuple[Rates, ...]] = {
    kind: tuple(Rates(*one) for one in product((0.5, 0.1, 0.01), mutations, (20, 60)))
    for kind, mutations in (("complex", (0.0005, 0.005)), ("variable", (0.01, 0.002)))
}
"""The settings that are tried, by kind of players; the first are those of ``pokerd evolve``."""

POPULATIONS = (10, 20, 50)
"""Sizes of populations of variable players: the least, the chosen and the largest of 4.6.1."""

BEGUN = (20, 30)
"""Sizes of random populations to which 57/37 is added (4.2, 4.4)."""

BEST = Rates(0.1, 0.0005, 60)
BEST_AGAINST = Rates(0.01, 0.0005, 20)
"""The settings of complex players that other runs chose for the round robin, and against one
(``FunkeResults.best_rates``); there are more runs at them, and at the second evolutions are watched.
"""

AGAINST = {"complex": ("none", "70-60", "40-30"), "variable": ("none",)}
"""What each kind is evolved against at all its settings; none: a round robin."""

AGAINST_SIZES = (20, 25, 30)
"""Sizes of populations of simple players against one (table 4.4)."""


class FunkeSizes(NamedTuple):
    """Runs of evolutions of simple players by matches, of others to choose a setting by and to judge it by,
    and against the worst case (simple, others); maximum generations (0: the default); matches of one against
    one, to the end and of fixed length, and of each printed solution; round robins of equal players; running
    curves and their points. ``more`` has the experiments with more runs, by name.
    """

    simple: int
    chosen: int
    tables: int
    sure: int
    sure_tables: int
    generations: int
    bust: int
    fixed: int
    rates: int
    equals: int
    curves: int
    points: int
    more: Mapping[str, int] = {}


def sizes(quick: bool) -> FunkeSizes:
    """Return the sizes of a run. Full: more runs where the first decided too little, as many as an hour on
    two cores has room for: for the rows ``twenty``, ``simple-25-jam``, ``round-robin-exact-40``,
    ``complex-40-30-jam``, ``appendix-b-early``, ``one-cap-diversity``, ``single-match``,
    ``harder-complex``, ``elitism-on-40-30``, ``complex-70-60-alike``, ``population-10`` and
    ``against-40-30-jam``.
    """
    if quick:
        return FunkeSizes(2, 1, 2, 2, 2, 5, 100, 10, 20, 3, 8, 20)
    more = {
        "simple/none/20": 440,
        "simple/none/25": 90,
        "simple/none/40": 440,
        "simple/exact/40": 520,
        f"complex/40-30/{BEST_AGAINST.name}": 250,
        f"complex/none/{Rates(0.01, 0.0005, 60).name}": 156,
        "variable/one-cap": 42,
        "simple/70-60/20": 240,
        "simple/single-match": 240,
        f"complex/none/{BEST.name}": 33,
        f"complex/40-30/{SWEPT['complex'][0].name}": 90,
        "complex/no-elitism-40-30": 90,
        "simple/no-elitism-40-30": 90,
        f"complex/70-60/{BEST_AGAINST.name}": 551,
        **{f"variable/size-{size}": 800 for size in POPULATIONS[:2]},
        **{f"simple/40-30/{size}": 328 for size in AGAINST_SIZES},
    }
    return FunkeSizes(60, 10, 20, 12, 10, 0, 20_000, 400, 10_000, 30, 60, 400, more)


@dataclass(frozen=True)
class Experiment:
    """Several evolutions that differ only in their seed. The first ``chosen`` are no part of its results: a
    setting was chosen by them.
    """

    name: str
    evolution: Evolution
    runs: int
    weight: float
    variant: str = ""
    frames: int = 0
    """Interval, in generations, between the kept ones."""
    chosen: int = 0


def _by_matches(players: str, tournament: str, size: int, rates: Rates | None = None) -> Evolution:
    if tournament == "none":
        found = Evolution(players, "matches", "round-robin", size=size)
    else:
        found = Evolution(players, "matches", "against", opponent(tournament), size=size)
    if rates is None:
        return found
    crossing, mutation, patience = rates
    return replace(found, cross_rate=crossing, mutation_rate=mutation, patience=patience)


class FunkePlan:
    """The units of a study of this size and seed."""

    def __init__(self, quick: bool, seed: int) -> None:
        self.sizes = sizes(quick)
        self.seed = seed
        found = [
            *self._simple(),
            *self._tables(),
            *self._abandoned(),
            *self._other_settings(),
            *self._worst_case(),
        ]
        self.experiments = {one.name: one for one in found}
        for name, runs in self.sizes.more.items():
            one = self.experiments[name]
            self.experiments[name] = replace(one, runs=one.chosen + runs)
        if most := self.sizes.generations:
            for name, one in self.experiments.items():
                short = replace(one.evolution, generations=most, hands=100)
                self.experiments[name] = replace(one, evolution=short)

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
                for size in AGAINST_SIZES
            ),
            *(
                Experiment(
                    f"simple/exact/{size}", Evolution("simple", "exact", "round-robin", size=size), runs, 0.3
                )
                for size in (20, 40)
            ),
        ]

    def _tables(self) -> list[Experiment]:
        size, steps = self.sizes, {"complex": 7, "variable": 5}
        return [
            Experiment(
                f"{kind}/{other}/{rates.name}",
                _by_matches(kind, other, 30 if kind == "complex" else 20, rates),
                size.chosen + size.tables,
                rates.patience / 5,
                frames=self._steps(steps[kind]) if other == "none" else 0,
                chosen=size.chosen,
            )
            for kind, settings in SWEPT.items()
            for rates in settings
            for other in AGAINST[kind]
        ]

    def _abandoned(self) -> list[Experiment]:
        runs = self.sizes.tables
        return [
            Experiment(
                f"{kind}/{variant}", _by_matches(kind, "none", size), runs, 4, variant, self._steps(step)
            )
            for kind, variant, size, step in (
                ("complex", "random-cells", 30, 0),
                ("complex", "one-point", 30, 0),
                ("variable", "random-caps", 20, 0),
                ("variable", "one-cap", 20, 5),
                ("variable", "any-cap", 20, 0),
            )
        ]

    def _steps(self, step: int) -> int:
        # A quick run has few generations.
        return 1 if step and self.sizes.generations else step

    def _other_settings(self) -> list[Experiment]:
        """Return other sizes of populations (4.6.1), and elitism the other way (2.10, 4.2, 4.5), evolutions
        against one that are watched, single matches (4.1.1), and populations with 57/37 in them.
        """
        size = self.sizes
        return [
            *(
                Experiment(
                    f"variable/size-{count}", _by_matches("variable", "none", count), size.tables, weight
                )
                for count, weight in zip(POPULATIONS, (1, 4, 20), strict=True)
            ),
            Experiment("simple/elitism", replace(_by_matches("simple", "none", 20), elite=1), size.simple, 2),
            *(
                Experiment(
                    f"{kind}/no-elitism-{other}",
                    replace(_by_matches(kind, other, 30), elite=0),
                    runs,
                    4,
                    frames=self._steps(7 if kind == "complex" else 0),
                )
                for kind, runs in (("complex", size.tables), ("simple", size.simple))
                for other in AGAINST["complex"][1:]
            ),
            *(
                Experiment(
                    f"complex/watched-{other}",
                    _by_matches("complex", other, 30, BEST_AGAINST),
                    size.tables,
                    12,
                    frames=self._steps(7),
                )
                for other in AGAINST["complex"][1:]
            ),
            Experiment(
                "simple/single-match", replace(_by_matches("simple", "70-60", 20), matches=1), size.simple, 1
            ),
            *(
                Experiment(
                    f"simple/equilibrium-{count}",
                    _by_matches("simple", "none", count),
                    size.simple,
                    2,
                    "equilibrium",
                )
                for count in BEGUN
            ),
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
            Unit("match/curves", play_curves, (FIGURE_41, size.curves, size.points, seed + 2), 0.1),
            *(
                Unit(
                    rates_key(found),
                    rates_of_pair,
                    (((found.jam, found.call), found.opponent), size.rates, seed + 10 + place),
                    3,
                )
                for place, found in enumerate((*SIMPLE, *SOLVED))
            ),
            Unit(
                "match/variable",
                rates_of_pair,
                ((EQUILIBRIUM, EQUILIBRIUM), size.rates // 10, seed + 90, CAPS),
                3,
            ),
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


def rates_key(solution: PrintedSolution) -> str:
    """Return the key of the unit that plays a printed solution against its opponent."""
    return f"match/{solution.jam:g}-{solution.call:g}-{solution.opponent[0]:g}"


def tables_of(kind: str, genes: Any) -> PushFoldTables:
    """Return the tables of one player from the stored genes: two numbers, or two texts."""
    if kind == "simple":
        return top_tables_of((100 * genes[0], 100 * genes[1]))
    cells = np.array([[int(cell, 16) for cell in row] for row in genes], np.int8)[None]
    if kind == "variable":
        return VariablePlayers().tables(cells, CAPS)
    return ComplexPlayers().tables(cells, CAP)


@dataclass(frozen=True, eq=False)
class FunkeResults:
    """The results of a plan."""

    plan: FunkePlan
    results: Mapping[str, Any]

    def experiment(self, name: str) -> Experiment:
        """Return an experiment; ``complex/none`` and the like have the best setting."""
        kind, _, other = name.partition("/")
        if other in AGAINST.get(kind, ()):
            name = f"{name}/{self.best_rates(kind, other).name}"
        return self.plan.experiments[name]

    def runs(self, name: str) -> list[dict[str, Any]]:
        """Return the runs of an ``experiment``, in order."""
        found = self.experiment(name)
        return [self.results[f"{found.name}/{run}"] for run in range(found.chosen, found.runs)]

    def cut(self, names: Sequence[str]) -> str:
        """Return a sentence on how many runs of these experiments did not converge."""
        most = self.experiment(names[0]).evolution.genetic_settings().generations
        runs = [run for name in names for run in self.runs(name)]
        late = sum(run["generations"] >= most for run in runs)
        return f"{late} of {len(runs)} runs did not converge, and were cut at {most} generations."

    def choosing_runs(self, name: str) -> list[dict[str, Any]]:
        """Return the runs of a setting, ``kind/opponent/setting``, that are for choosing one."""
        return [self.results[f"{name}/{run}"] for run in range(self.plan.sizes.chosen)]

    def best_rates(self, kind: str, other: str = "none") -> Rates:
        """Return the setting that is best by the runs that are for choosing: whose solutions of the round
        robin lose least to best answers, or whose solutions against one win most from him, exactly.
        """

        def lost(rates: Rates) -> float:
            runs = self.choosing_runs(f"{kind}/{other}/{rates.name}")
            if other == "none":
                return fmean(run["loss"][-1] for run in runs)
            rival = top_tables_of(opponent(other))
            return -fmean(_exact_wins([tables_of(kind, run["genes"]) for run in runs], rival, CAP))

        return min(SWEPT[kind], key=lost)

    def mean(self, name: str, field: str) -> Interval:
        """Return the mean of a numeric field over runs."""
        return mean_interval([float(run[field]) for run in self.runs(name)])

    def rates(self, solution: PrintedSolution) -> Interval:
        """Return the mean of a printed solution's performances in matches until 500 big blinds are lost."""
        mean, deviation, count = self.results[rates_key(solution)]
        return Interval(mean, t_quantile(0.975, round(count) - 1) * deviation / sqrt(count), round(count))

    def match_deviation(self, solution: PrintedSolution) -> float:
        """Return the standard deviation of those performances."""
        return float(self.results[rates_key(solution)][1])

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
        return _exact_wins(self.players(name), other, CAPS if name.startswith("variable") else CAP)


def _exact_wins(
    players: Sequence[PushFoldTables], other: PushFoldTables, caps: tuple[float, ...]
) -> list[float]:
    return [float(advantages(player, other, caps)[0, 0]) for player in players]
