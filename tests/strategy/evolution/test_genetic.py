"""The genetic algorithm: algorithms 4 and 5, selection, elitism, termination, and where it leads."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from strategy.evolution.genetic import GeneticSettings, evolve, roulette, scale
from strategy.evolution.plan import EvolutionPlan, PlanError, best_chart, run_evolution
from strategy.evolution.players import SimplePlayers, top_tables
from strategy.evolution.tournaments import PopulationScores, advantages
from strategy.pushfold.equilibrium import exploitability
from strategy.pushfold.game import percent_played
from strategy.pushfold.kernel import PushFoldTables

CAP = (10.0,)


class Constant:
    """Everybody wins the same."""

    def score(self, tables: PushFoldTables, draw: Generator) -> PopulationScores:
        return PopulationScores(np.ones(len(tables.jam)))


def test_algorithm_4_moves_the_worst_to_0_and_leaves_winners_alone() -> None:
    assert scale(np.array([-3.0, 1.0, 5.0])) == pytest.approx([0, 4, 8], abs=1e-8)
    assert scale(np.array([2.0, 1.0, 5.0])) == pytest.approx([2, 1, 5], abs=1e-8)
    assert (scale(np.zeros(3)) > 0).all()
    assert scale(np.array([2.0, 1.0, 5.0]), "window") == pytest.approx([1, 0, 4], abs=1e-8)
    assert scale(np.array([2.0, -1.0, 5.0]), "rank").tolist() == [2, 1, 3]


def test_algorithm_4_as_printed_makes_negative_scores_more_negative() -> None:
    assert scale(np.array([-3.0, 1.0, 5.0]), "as_printed").tolist() == [0, 0, 2]
    assert scale(np.array([-3.0, 1.0, 2.0]), "as_printed").tolist() == [1, 1, 1]


def test_the_wheel_selects_in_proportion_to_fitness() -> None:
    chosen = roulette(np.array([1.0, 0.0, 3.0]), 20_000, default_rng(1))
    counts = np.bincount(chosen, minlength=3)
    assert counts[1] == 0
    assert abs(counts[0] / 20_000 - 0.25) < 4 * (0.25 * 0.75 / 20_000) ** 0.5


@pytest.mark.parametrize("elite", [0, 1, 3])
def test_the_elite_live_on(elite: int) -> None:
    plan = EvolutionPlan(
        tournament="against", opponent=(70, 60), elite=elite, size=11, generations=30, seed=3
    )
    best = [float(one.points.max()) for one in run_evolution(plan)]
    falls = sum(after < before - 1e-12 for before, after in pairwise(best))
    assert (falls == 0) == (elite > 0)


def test_it_ends_when_the_best_score_is_stable() -> None:
    settings = GeneticSettings(size=6, generations=50, patience=5)
    found = list(evolve(SimplePlayers(), Constant(), settings, CAP, default_rng(1)))
    assert len(found) == 10
    settings = replace(settings, generations=7)
    assert len(list(evolve(SimplePlayers(), Constant(), settings, CAP, default_rng(1)))) == 7


def test_without_jitter_only_the_first_shares_are_recombined() -> None:
    plan = EvolutionPlan(tournament="round-robin", size=10, generations=30)
    first, *later = run_evolution(plan)
    assert all(set(now.genes.ravel()) <= set(first.genes.ravel()) for now in later)


def test_simple_players_come_to_the_restricted_equilibrium() -> None:
    *_, last = run_evolution(EvolutionPlan(players="simple", seed=1, size=40, generations=400))
    assert 100 * last.genes[last.best] == pytest.approx([56.56, 35.60], abs=0.02)


def test_complex_players_come_below_1_mbb_a_hand() -> None:
    plan = EvolutionPlan(players="complex", seed=1, generations=600)
    *_, last = run_evolution(plan)
    jam, call = best_chart(plan, last).pair(10)
    assert 1000 * sum(exploitability((jam, call), 10.0)) / 2 < 0.5
    assert percent_played(jam) == pytest.approx(58.3, abs=0.7)


@pytest.mark.parametrize(("opponent", "most"), [((70.0, 60.0), 8.82), ((40.0, 30.0), 4.82)])
def test_against_one_they_come_near_the_best_reply(opponent: tuple[float, float], most: float) -> None:
    plan = EvolutionPlan(
        fitness="matches", tournament="against", opponent=opponent, size=30, generations=60, seed=2
    )
    *_, last = run_evolution(plan)
    tables = plan.player_kind().tables(last.genes[[last.best]], CAP)
    wins = advantages(tables, top_tables(np.array([opponent]) / 100, CAP), CAP)[0, 0]
    assert most - 1.0 < wins < most + 0.01


@pytest.mark.parametrize(
    "wrong",
    [
        {"fitness": "matches"},
        {"tournament": "against"},
        {"opponent": (70.0, 60.0)},
        {"tournament": "against", "opponent": (70.0, 101.0)},
        {"stack": 0.5},
        {"stack": float("nan")},
        {"size": 1},
        {"elite": 61},
    ],
)
def test_what_does_not_go_together_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(PlanError) as refusal:
        EvolutionPlan(**wrong)  # type: ignore[arg-type]
    assert refusal.value.code == "bad_evolution"
