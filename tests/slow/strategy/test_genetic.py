"""The genetic algorithm over whole evolutions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strategy.evolution.plan import EvolutionPlan, record, run_evolution
from strategy.evolution.players import top_tables
from strategy.evolution.tournaments import advantages


def test_algorithm_5_repeats_for_the_same_seed() -> None:
    plan = EvolutionPlan(
        players="complex", fitness="matches", tournament="round-robin", size=7, generations=4, hands=200
    )
    one, two = (
        [record(plan, now) for now in run_evolution(replace(plan, workers=workers))] for workers in (1, 2)
    )
    assert one == two
    assert one != [record(plan, now) for now in run_evolution(replace(plan, seed=1))]


def test_variable_players_win_most_of_what_there_is_from_57_37() -> None:
    plan = EvolutionPlan(players="variable", seed=1, generations=400)
    *_, last = run_evolution(plan)
    tables = plan.player_kind().tables(last.genes[[last.best]], plan.caps)
    fixed = top_tables(np.array([[0.57, 0.37]]), plan.caps)
    assert advantages(tables, fixed, plan.caps)[0, 0] > 8
