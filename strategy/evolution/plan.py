"""An evolution from a few settings: its players, its scores, and its records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strategy.errors import StrategyError
from strategy.evolution.genetic import Generation, GeneticSettings, evolve
from strategy.evolution.players import (
    MOST,
    ComplexPlayers,
    Genes,
    PlayerKind,
    SimplePlayers,
    VariablePlayers,
    top_tables,
)
from strategy.evolution.tournaments import AgainstOne, MatchScoring, PopulationScorer, RoundRobin, WorstCase
from strategy.pushfold.files import PushFoldChart
from strategy.pushfold.game import percent_played
from strategy.pushfold.kernel import MatchRules

KINDS = ("simple", "complex", "variable")
TOURNAMENTS = ("round-robin", "against", "worst-case")
LITERAL = ("shift", "crossover", "clamp")
"""Errors of the document that can be kept as printed: algorithm 4, the crossover of 3.1.3, algorithm 13."""

MOST_HANDS, MOST_MATCHES, MOST_WORKERS = 1_000_000_000, 10_000_000, 256
"""Maximum hands of a match, matches of a generation, and threads."""

GENES_KEPT = 60
"""Maximum number of generations whose genes are kept."""


class PlanError(StrategyError):
    """Settings that do not fit together. The code is ``bad_evolution``."""

    code = "bad_evolution"


@dataclass(frozen=True)
class EvolutionPlan:
    """The settings of an evolution.

    ``opponent``: percentages of raises and calls, for ``against``. ``stack``: the cap of players with a
    single one; variable-cap players meet 1 to 10 equally often. ``size``, ``generations``, ``elite``,
    ``patience``: None for the tournament's default. ``cross_rate`` and ``mutation_rate``: the document's
    pCross and pMut, the probabilities that a cell is exchanged and that it mutates (of simple players: that
    raise and call are swapped); None for the players' default. ``hands`` and ``matches``: the maximum of a
    match, and the matches of a pair. ``as_printed``: the document's errors to keep (``clamp``, ``crossover``,
    ``shift``). Raises PlanError.
    """

    players: str = "simple"
    fitness: str = "exact"
    tournament: str = "worst-case"
    opponent: tuple[float, float] | None = None
    stack: float = 10.0
    size: int | None = None
    generations: int | None = None
    elite: int | None = None
    cross_rate: float | None = None
    mutation_rate: float | None = None
    patience: int | None = None
    hands: int = 5000
    matches: int | None = None
    workers: int = 1
    seed: int = 0
    as_printed: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.tournament == "worst-case" and self.fitness != "exact":
            raise PlanError("the worst case is known exactly: it needs the fitness exact")
        if (self.tournament == "against") != (self.opponent is not None):
            raise PlanError("the tournament against needs an opponent, and no other has one")
        if self.opponent and not all(0 <= share <= 100 for share in self.opponent):
            raise PlanError("an opponent is two percentages from 0 to 100, as 70/60")
        if "clamp" in self.as_printed and self.players != "variable":
            raise PlanError("clamp is a slip of the mutation of variable players")
        if "crossover" in self.as_printed and self.players != "simple":
            raise PlanError("crossover is a slip of the crossover of simple players")
        if "shift" in self.as_printed and self.tournament == "worst-case":
            raise PlanError("shift is a slip of the document's scaling, and the worst case ranks")
        if not 1 <= self.stack <= 1000:
            raise PlanError("the stack is 1 to 1000 big blinds")
        if self.size is not None and not 2 <= self.size <= 10_000:
            raise PlanError("a population has 2 to 10,000 players")
        if self.elite is not None and not 0 <= self.elite <= self.genetic_settings().size:
            raise PlanError("the elite are some of the population")
        self._verify_rates()
        self._verify_counts()

    def _verify_rates(self) -> None:
        if self.cross_rate is not None and self.players == "simple":
            raise PlanError("simple players have no cells: a cross rate is for complex and variable ones")
        for rate in (self.cross_rate, self.mutation_rate):
            if rate is not None and not 0 <= rate <= 1:
                raise PlanError("a rate is a probability from 0 to 1")
        if self.patience is not None and self.patience < 1:
            raise PlanError("patience is at least 1 generation")

    def _verify_counts(self) -> None:
        if self.generations is not None and self.generations < 1:
            raise PlanError("there is at least 1 generation")
        if not 1 <= self.hands <= MOST_HANDS:
            raise PlanError(f"a match has 1 to {MOST_HANDS:,} hands")
        if not 1 <= self.workers <= MOST_WORKERS:
            raise PlanError(f"there are 1 to {MOST_WORKERS} threads")
        if self.seed < 0:
            raise PlanError("the seed is not negative")
        if self.matches is not None and self.matches < 1:
            raise PlanError("a pair plays at least 1 match")
        size = self.genetic_settings().size
        pairs = size * (size - 1) // 2 if self.opponent is None else size
        if self.fitness == "matches" and pairs * self.repeats > MOST_MATCHES:
            raise PlanError(f"a generation plays at most {MOST_MATCHES:,} matches")

    @property
    def repeats(self) -> int:
        """Return the number of matches of a pair."""
        return self.matches or (1 if self.opponent is None else 10)

    @property
    def caps(self) -> tuple[float, ...]:
        """Return the caps that are played."""
        return tuple(map(float, range(1, MOST + 1))) if self.players == "variable" else (self.stack,)

    def player_kind(self) -> PlayerKind:
        """Return the players; for the document's own tournaments they add only what it leaves open."""
        sure = self.tournament == "worst-case"
        crossing = 0.5 if self.cross_rate is None else self.cross_rate
        if self.players == "simple":
            return SimplePlayers(
                mutation=self._mutation(0.01),
                jitter=0.5 if sure else 0.0,
                mixes_raises_and_calls="crossover" in self.as_printed,
            )
        if self.players == "complex":
            # Scores of matches are too noisy to select against more mutations than these.
            mutation = self._mutation(0.002 if sure else 0.0005)
            return ComplexPlayers(crossing, mutation, flips=0.003 if sure else 0.0)
        mutation = self._mutation(0.006 if sure else 0.01)
        return VariablePlayers(crossing, mutation, unclamped="clamp" in self.as_printed)

    def _mutation(self, usual: float) -> float:
        return usual if self.mutation_rate is None else self.mutation_rate

    def scorer(self) -> PopulationScorer:
        """Return the tournament."""
        if self.tournament == "worst-case":
            return WorstCase(self.caps, ranked=self.player_kind().ranked)
        matches = None
        if self.fitness == "matches":
            matches = MatchScoring(MatchRules(self.caps, hands=self.hands), self.repeats, self.workers)
        if self.opponent is None:
            return RoundRobin(self.caps, matches)
        return AgainstOne(top_tables(np.array([self.opponent]) / 100, self.caps), self.caps, matches)

    def genetic_settings(self) -> GeneticSettings:
        """Return the algorithm's settings: the document's elite; for the worst case a search without an early
        end.
        """
        if self.tournament == "worst-case":
            found = GeneticSettings(60, 1200, 4, scale="rank", patience=200, tolerance=1e-5)
        else:
            found = GeneticSettings(elite=int(self.opponent is not None))
        if "shift" in self.as_printed:
            found = replace(found, scale="as_printed")
        return replace(
            found,
            size=found.size if self.size is None else self.size,
            generations=found.generations if self.generations is None else self.generations,
            elite=found.elite if self.elite is None else self.elite,
            patience=found.patience if self.patience is None else self.patience,
        )


def run_evolution(plan: EvolutionPlan) -> Iterator[Generation]:
    """Yield the generations of a plan; the same for the same seed, whatever the number of workers."""
    draw = np.random.default_rng(plan.seed)
    return evolve(plan.player_kind(), plan.scorer(), plan.genetic_settings(), plan.caps, draw)


def best_chart(plan: EvolutionPlan, generation: Generation) -> PushFoldChart:
    """Return the best player of a generation as a strategy that can be saved and played."""
    best = generation.genes[[generation.best]]
    if plan.players == "variable":
        caps = np.maximum(best[0], 0).astype(np.float64)
        return PushFoldChart(np.zeros(1), caps[:1], caps[1:], caps=True)
    jam, call = plan.player_kind().tables(best, plan.caps)
    return PushFoldChart(np.array(plan.caps), jam[0], call[0])


def record(plan: EvolutionPlan, generation: Generation) -> dict[str, Any]:
    """Return a generation as plain values.

    These are scores, in big blinds per 100 hands; percentages of the best player at the largest cap; and the
    genes of all players: two numbers for simple players, for others two texts with a digit (``A`` is 10) for
    each class in the order of ``HAND_CLASSES``.
    """
    genes, points = generation.genes, generation.points
    jam, call = plan.player_kind().tables(genes[[generation.best]], plan.caps)
    return {
        "generation": generation.number,
        "best": generation.best,
        "best_score": float(points[generation.best]),
        "mean_score": float(points.mean()),
        "jam": percent_played(jam[0, -1]),
        "call": percent_played(call[0, -1]),
        "hands": generation.hands,
        "genes": _genes(plan, genes),
    }


def history_record(plan: EvolutionPlan, generation: Generation) -> dict[str, Any]:
    """Return the ``record`` for storage: genes only at intervals that keep at most ``GENES_KEPT`` of them, as
    all would take 20 MB in a long evolution.
    """
    entry = record(plan, generation)
    if generation.number % -(-plan.genetic_settings().generations // GENES_KEPT):
        del entry["genes"]
    return entry


def _genes(plan: EvolutionPlan, genes: Genes) -> Any:
    if plan.players == "simple":
        return genes.tolist()
    # Caps outside 0..10, which algorithm 13 allows, are shown as its end.
    digits = np.frombuffer(b"0123456789A", np.uint8)[np.clip(genes, 0, MOST)]
    return [[row.tobytes().decode() for row in player] for player in digits]
