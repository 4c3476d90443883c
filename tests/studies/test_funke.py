"""The study of Funke: what it evolves and plays, and its exact figures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.random import default_rng

from dealer.intervals import Interval
from strategy.evolution.plan import EvolutionPlan as Evolution
from strategy.evolution.tournaments import berger
from strategy.pushfold.equilibrium import exploitability
from strategy.pushfold.game import value
from strategy.pushfold.rankings import SKLANSKY_CHUBUKOV, STRENGTH, best_top_jam, top_range
from studies.funke.appendices import CLAIMS, departs_at_end, departures, fit, one_run
from studies.funke.comparisons import (
    best_of_random,
    best_top,
    best_won,
    chubukov,
    chubukov_order,
    figure_row,
    most_exploitable,
    pairs_apart,
    plateau,
    printed_noise,
    ratio,
    scatter,
    source_noise,
    won,
)
from studies.funke.complex_players import _populations
from studies.funke.document import EQUILIBRIUM, FIGURE_41_MATCHES, SETTINGS, SIMPLE, SOLVED
from studies.funke.errata import _as_printed, _crossover, _equilibria, _two_performances
from studies.funke.figures import loss_quartiles
from studies.funke.jobs import (
    PIECE,
    play_curves,
    play_matches_of_pair,
    players_of,
    rates_of_pair,
    run_experiment,
)
from studies.funke.matches import _five
from studies.funke.plan import BEST, BEST_AGAINST, SWEPT, FunkePlan, FunkeResults, rates_key
from studies.funke.players import ABANDONED, VARIANTS

FULL = FunkePlan(False, 1)
REPORTS = Path(__file__).parents[2] / "docs" / "reproduction"
PAIR = ((59.2, 36.5), (72.3, 35.9))


def test_the_experiments_are_those_of_the_document() -> None:
    for solution in (*SIMPLE, *SOLVED):
        other = f"{solution.opponent[0]:g}-{solution.opponent[1]:g}".replace("57-37", "none")
        evolution = FULL.experiments[f"simple/{other}/{solution.size}"].evolution
        assert (evolution.players, evolution.fitness, evolution.size) == ("simple", "matches", solution.size)
        # Tables 4.1 and 4.3: elitism only against one.
        assert evolution.genetic_settings().elite == (other != "none")
    sizes = {name: FULL.experiments[f"{name}/none/{SWEPT[name][0].name}"].evolution.size for name in SWEPT}
    assert sizes == {"complex": 30, "variable": 20}


def test_keys_and_seeds_of_units_are_different() -> None:
    units = FULL.units()
    assert len({unit.key for unit in units}) == len(units)
    name = f"complex/none/{SWEPT['complex'][0].name}/"
    seeds = [unit.arguments[0].seed for unit in units if unit.key.startswith(name)]
    assert len(set(seeds)) == len(seeds) > 1


def test_his_matches_end_with_500_big_blinds() -> None:
    # What shows that his unit is 100 hands.
    assert all(hands * rate / 100 == pytest.approx(500, abs=1.5) for hands, rate in FIGURE_41_MATCHES)
    played = np.array(play_matches_of_pair(PAIR, 5, 500.0, 10**7, 1))
    assert (abs(played[:, 1]) == 500).all()


def test_what_simple_players_win_is_exact() -> None:
    # Figures of docs/pushfold.md, and of the report that is kept.
    assert won((45.33, 46.97), (70, 60)) == pytest.approx(8.454, abs=5e-4)
    assert won((58.41, 35.02), (57, 37)) == pytest.approx(-0.140, abs=5e-4)
    assert best_won((70, 60)) == pytest.approx(9.073, abs=5e-4)
    assert best_top((70, 60)) == pytest.approx((48.11, 48.11, 8.818), abs=6e-3)
    assert best_top((40, 30)) == pytest.approx((89.44, 26.09, 4.822), abs=6e-3)
    assert plateau((70, 60)) == pytest.approx((39.2, 51.4, 40.4, 51.4), abs=0.06)
    assert plateau((40, 30)) == pytest.approx((78.6, 100, 20.8, 33.0), abs=0.06)


def test_an_evolution_is_the_same_again_but_for_its_time() -> None:
    plan = Evolution("simple", "matches", "round-robin", size=6, generations=4, hands=50)
    first, again = run_experiment(plan, frames=2), run_experiment(plan, frames=2)
    assert first.pop("seconds") >= 0
    again.pop("seconds")
    assert first == again == json.loads(json.dumps(first))
    assert [frame[0] for frame in first["frames"]] == [0, 2]
    assert len(first["loss"]) == first["generations"] == 4
    assert all(loss >= 0 for loss in first["loss"])


@pytest.mark.parametrize("variant", ABANDONED)
def test_what_he_gave_up_has_genes_of_its_kind(variant: str) -> None:
    players, draw = ABANDONED[variant](), default_rng(1)
    first = players.initialise(8, draw)
    genes = players.mutate(players.cross(first, draw), draw)
    assert genes.shape == (8, 2, 169)
    assert genes.min() >= 0
    assert genes.max() <= (10 if players.name == "variable" else 1)
    if variant == "one-point":
        children = players.cross(first, draw)
        # Cells are exchanged from one point on: each child has one parent before it and the other after it.
        for cells, mine, other in zip(children[0], first[0], first[1], strict=True):
            from_other = cells != mine
            assert (cells[from_other] == other[from_other]).all()
        assert (children[::2] + children[1::2] == first[::2] + first[1::2]).all()


def test_what_he_gave_up_mutates_as_often_as_the_usual_players() -> None:
    seen = {}
    for variant in ABANDONED:
        evolution = next(one.evolution for one in FULL.experiments.values() if one.variant == variant)
        usual, tried = evolution.player_kind(), players_of(evolution, variant)
        assert type(tried) is ABANDONED[variant]
        assert vars(tried) == vars(usual)
        seen[variant] = vars(tried)["mutation"]
    assert seen == {
        "random-cells": 0.0005,
        "one-point": 0.0005,
        "random-caps": 0.01,
        "one-cap": 0.01,
        "any-cap": 0.01,
    }


def test_the_second_initialiser_has_one_cap_for_each_table() -> None:
    genes = ABANDONED["one-cap"]().initialise(50, default_rng(1))
    caps = genes.max(axis=2, keepdims=True)
    assert ((genes == 0) | (genes == caps)).all()
    assert set(caps.ravel().tolist()) <= set(range(11))
    assert len(set(caps.ravel().tolist())) > 5


def test_each_printed_solution_plays_the_matches_that_its_figure_is_a_mean_of() -> None:
    done = {unit.key: [2.0, 10.0, 400.0] for unit in FULL.units()}
    for solution in (*SIMPLE, *SOLVED):
        mean = FunkeResults(FULL, done).rates(solution)
        assert (mean.mean, mean.units) == (2.0, 400)
        assert mean.half == pytest.approx(1.966 * 10 / 20, abs=1e-3)


def test_a_mean_of_rates_exceeds_what_is_won() -> None:
    mean, deviation, count = rates_of_pair(((47.21, 49.43), (70, 60)), 4000, 1)
    assert count == 4000
    assert deviation > 5
    # Exactly 8.54; his figure is 14.18.
    assert mean - 4 * deviation / 4000**0.5 > won((47.21, 49.43), (70, 60)) + 2


def test_the_most_exploitable_player_that_passes_is_found() -> None:
    found = [most_exploitable((57, 37), within) for within in (1.0, 5.0)]
    for within, (jam, call, lost) in zip((1.0, 5.0), found, strict=True):
        assert won((jam, call), (57, 37)) >= -within
        exact = exploitability((top_range(jam), top_range(call)), 10.0)
        assert lost == pytest.approx(500 * sum(exact))
        # What a player of the report loses who passes too.
        assert lost > 500 * sum(exploitability((top_range(50.45), top_range(40.56)), 10.0))
    # Who may lose nothing is near the equilibrium.
    assert most_exploitable((57, 37), 0.0)[2] < found[0][2] < found[1][2]


def test_the_order_of_sklansky_and_chubukov_has_an_equilibrium_for_each_stack() -> None:
    tables = chubukov_order((5.0, 10.0))
    assert tables.jam.shape == tables.call.shape == (1, 2, 169)
    # Nobody of that order wins from it; the jams by the numbers alone do not.
    best = top_range(best_top_jam(tables.call[0, 1], 10.0, SKLANSKY_CHUBUKOV), SKLANSKY_CHUBUKOV)
    ours = value(tables.jam[0, 1], tables.call[0, 1], 10.0)
    assert value(best, tables.call[0, 1], 10.0) == pytest.approx(ours, abs=1e-9)
    assert value(chubukov((10.0,)).jam[0, 0], tables.call[0, 1], 10.0) < ours - 0.005


def test_ratios_and_the_noise_of_the_document() -> None:
    found = ratio([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert found.mean == pytest.approx(2)
    assert found.half == pytest.approx(0, abs=1e-9)
    # Student's 0.975 quantile for 3 values is 4.3027.
    assert source_noise([1.0, 2.0, 3.0]) == pytest.approx(4.3027, abs=1e-4)
    assert source_noise([1.0, 2.0, 3.0], 4) == pytest.approx(4.3027 / 2, abs=1e-4)


def test_the_noise_of_a_table_is_from_all_of_it_in_deviations_of_a_match() -> None:
    """Of table 4.4 one half lies 1 deviation of a match beside its mean, the other a half."""
    done = FunkeResults(FULL, {})
    for number, one in enumerate(SOLVED):
        loose = one.opponent[0] == 70
        deviation = 12.0 if loose else 8.0
        away = (1 if loose else 0.5) * (-1) ** number
        # By how much ours are higher does not matter.
        mean = one.won - deviation * (away - 3)
        cast("dict[str, Any]", done.results)[rates_key(one)] = [mean, deviation, 10_000.0]
    found = scatter(done, SOLVED)
    assert found.free == 10
    assert found.share == pytest.approx((7.5 / 10) ** 0.5)
    assert found.matches == pytest.approx(10 / 7.5)
    assert scatter(done, SOLVED[6:]).share == pytest.approx((1.5 / 5) ** 0.5)
    # Student's 0.975 quantile for 10 degrees of freedom is 2.2281.
    each = [printed_noise(done, [one]) for one in (SOLVED[0], SOLVED[6])]
    assert each == pytest.approx([2.2281 * found.share * deviation for deviation in (12, 8)], rel=1e-4)
    assert printed_noise(done, SOLVED[6:]) == pytest.approx(each[1] / 6**0.5)


def test_the_settings_of_a_table_are_those_of_its_evolutions_against_each_opponent() -> None:
    for table, kind in (("4.3", "simple"), ("4.6", "complex")):
        found = {name.split("/")[1] for name in FULL.experiments if name.startswith(SETTINGS[table][0])}
        assert (found, SETTINGS[table][1]) == ({"70-60", "40-30"}, kind)


def test_each_reading_of_an_equilibrium_has_a_row() -> None:
    rows = {row.id: row for row in _equilibria()}
    assert {
        key: rows[f"equilibrium-{key}"].verdict for key in ("jam-all", "call-all", "jam-top", "call-top")
    } == {
        "jam-all": "not reproduced",
        "call-all": "reproduced",
        "jam-top": "reproduced",
        "call-top": "not reproduced",
    }
    assert rows["equilibrium-jam-top"].measured == pytest.approx(56.56)
    assert [rows[f"chubukov-equilibrium-{key}"].measured for key in ("order", "jams")] == [3.06, 10.97]
    assert rows["chubukov-equilibrium-jams"].verdict == "not reproduced"


def test_a_sentence_and_a_figure_are_judged_once() -> None:
    report = json.loads((REPORTS / "funke" / "report.json").read_text("utf-8"))
    rows = {row["id"]: row for row in report["rows"]}
    for size in (20, 25, 30, 40):
        assert {rows[f"simple-{size}-{field}"]["verdict"] for field in ("jam", "call", "won")} == {"beyond"}
    assert "beyond" not in {rows[f"simple-{field}"]["verdict"] for field in ("jam", "call", "won")}
    assert rows["against-70-60-text"]["verdict"] == "document in error"
    assert rows["against-70-60-range"]["verdict"] == "beyond"
    # What is certain in advance.
    assert {rows[key]["verdict"] for key in ("quadratic", "linear-hands-time", "appendix-a-begins")} == {
        "beyond"
    }
    for key in ("complex-alike", "complex-70-60-alike", "complex-40-30-alike"):
        assert all(rates.name in rows[key]["note"] for rates in SWEPT["complex"])


def test_pairs_of_tables_differ_in_the_per_cent_of_their_cells() -> None:
    assert pairs_apart(np.array([[1, 1, 0, 0], [1, 1, 0, 0]])) == 0
    assert pairs_apart(np.array([[1, 1, 0, 0], [1, 0, 1, 0]])) == 50
    assert pairs_apart(np.array([[0, 0], [0, 0], [1, 1]])) == pytest.approx(200 / 3)


def test_running_curves_add_up() -> None:
    rows = np.array(play_curves(PAIR, 2, 5, 3))
    assert rows.shape == (2, 5)
    assert (abs(np.diff(rows)) <= 10 * PIECE).all()


def test_departures_are_cells_beside_the_nearest_top_table() -> None:
    tables = np.zeros((4, 169), np.int64)
    best = list(STRENGTH)
    tables[1, best[:50]] = 1
    tables[2, best[:50]] = 1
    tables[2, [best[7], best[100], best[168]]] ^= 1
    tables[3] = 1
    assert departures(tables).tolist() == [0, 0, 3, 0]
    genes = ["".join(map(str, table)) for table in tables[[1, 2]]]
    assert departs_at_end({"genes": genes}) == pytest.approx(100 * 1.5 / 169)


def test_what_is_played_on_is_in_the_plan() -> None:
    judged = {name: FULL.experiments[name].runs - FULL.experiments[name].chosen for name in FULL.sizes.more}
    assert judged == FULL.sizes.more


def test_runs_that_did_not_converge_are_counted() -> None:
    done = {f"simple/none/20/{run}": {"generations": 200 if run < 3 else 60} for run in range(440)}
    told = FunkeResults(FULL, done).cut(["simple/none/20"])
    assert told == "3 of 440 runs did not converge, and were cut at 200 generations."


def test_the_setting_is_chosen_by_other_runs_than_it_is_judged_by() -> None:
    plan = FunkePlan(True, 1)
    plan.sizes = plan.sizes._replace(chosen=2, tables=3)
    best = SWEPT["complex"][4]
    name = f"complex/none/{best.name}"
    plan.experiments[name] = replace(plan.experiments[name], chosen=2, runs=5)
    done = {
        f"complex/none/{rates.name}/{run}": {"loss": [1.0 if rates == best else 2.0], "run": run}
        for rates in SWEPT["complex"]
        for run in range(2)
    }
    # Whatever the others lose.
    done |= {f"{name}/{run}": {"loss": [9.0], "run": run} for run in range(2, 5)}
    results = FunkeResults(plan, done)
    assert results.best_rates("complex") == best
    assert [run["run"] for run in results.runs("complex/none")] == [2, 3, 4]


@pytest.mark.parametrize(
    ("paper", "noise", "margin", "verdict"),
    [
        (10.2, 0.3, 1.0, "reproduced"),
        # Were both equal, half of such comparisons would be within .67 of a standard error.
        (10.5, 0.6, 1.0, "undecided"),
        (10.2, 1.5, 1.0, "beyond"),
        (10.2, 0.9, 1.0, "beyond"),
        (13.0, 1.5, 1.0, "not reproduced"),
    ],
)
def test_a_row_that_could_hardly_be_reproduced_has_no_verdict(
    paper: float, noise: float, margin: float, verdict: str
) -> None:
    row = figure_row("a", "b", "c", paper, Interval(10.0, 0.1, 50), margin, noise, "Why.")
    assert row.verdict == verdict
    assert ("No verdict" in row.note) == (verdict == "beyond")
    assert (row.paper, row.low, row.high) == (paper, 9.9, 10.1)


def test_one_evolution_is_judged_at_a_setting_that_other_runs_chose() -> None:
    """Of seven claims: at the chosen setting the best stays, and the others depart from it."""
    best = ["".join(map(str, top_range(share).round().astype(int))) for share in EQUILIBRIUM]
    wild = ["01" * 84 + "0", "01" * 84 + "0"]

    def run(*later: list[list[str]]) -> dict[str, Any]:
        frames = [[7 * number, 0, genes] for number, genes in enumerate([[best, best], *later])]
        return {"frames": frames, "genes": later[-1][0], "loss": [1.0], "jam": 57.0, "call": 37.0}

    calm = run([best, best], [best, wild])
    # Everybody departs at once, the best too, and comes back.
    restless = run([wild, wild], [best, best])
    plan = FunkePlan(True, 1)
    plan.sizes = plan.sizes._replace(chosen=10, tables=10)
    chosen = SWEPT["complex"][7]
    done = {}
    for rates in SWEPT["complex"]:
        name = f"complex/none/{rates.name}"
        plan.experiments[name] = replace(plan.experiments[name], chosen=10, runs=20)
        for number in range(20):
            done[f"{name}/{number}"] = calm if (rates == chosen) == (number < 10) else restless
    results = FunkeResults(plan, done)
    found, swept = fit(results, "complex")
    assert found == chosen
    assert one_run(results, "complex") == f"complex/none/{chosen.name}"
    # Judged by the other runs, which are restless.
    assert [swept[chosen][f"appendix-b-{key}"].mean for key in ("stable", "departs")] == [
        pytest.approx(100 * np.mean([one != two for one, two in zip(best[0], wild[0], strict=True)])),
        pytest.approx(-departures(np.array([[int(cell) for cell in wild[1]]]))[0]),
    ]
    other = swept[SWEPT["complex"][0]]
    assert other["appendix-b-early"].mean < 1
    assert other["appendix-b-stable"].mean == other["appendix-b-insubstantial"].mean == 0
    assert other["appendix-b-departs"].mean > 10
    assert other["complex-jam"].mean == 57
    assert abs(other["complex-won"].mean) < 1


def test_the_caps_of_variable_players_are_refined_until_all_are_alike() -> None:
    alike, half = ["A" * 169, "A" * 100 + "0" * 69], ["A" * 169, "A" * 50 + "5" * 50 + "0" * 69]
    run = {"frames": [[0, 0, [alike, alike]], [5, 0, [alike, alike]], [10, 0, [half, alike]]]}
    claims = CLAIMS["variable"]
    assert claims["appendix-c-refined"].figure(run) == pytest.approx(100 * 50 / 169)
    assert claims["appendix-c-converges"].figure(run) == pytest.approx(100 * 50 / 169)


def test_57_37_is_among_those_who_begin() -> None:
    genes = VARIANTS["equilibrium"]().initialise(20, default_rng(1))
    assert genes[0].tolist() == [0.57, 0.37]
    assert len(np.unique(genes, axis=0)) == 20


def test_who_wins_most_in_a_random_population_is_told_exactly() -> None:
    # Nobody wins less than who always folds, but who always folds too.
    assert best_of_random((0, 0), 10, 5) == [0] * 5
    assert 0 < sum(best_of_random(EQUILIBRIUM, 10, 20)) <= 20


def test_evolutions_against_one_are_watched_at_the_setting_that_is_judged() -> None:
    for other in ("70-60", "40-30"):
        watched, judged = (
            FULL.experiments[f"complex/{name}"].evolution
            for name in (f"watched-{other}", f"{other}/{BEST_AGAINST.name}")
        )
        assert watched == judged
        assert FULL.experiments[f"complex/watched-{other}"].frames
    report = json.loads((REPORTS / "funke" / "report.json").read_text("utf-8"))
    notes = {row["id"]: row["note"] for row in report["rows"]}
    assert "Chosen by" in notes[f"sweep-complex-{BEST.name}"]
    for other in ("70-60", "40-30"):
        assert BEST_AGAINST.name in notes[f"complex-{other}-jam"]


def test_algorithm_2_as_printed_begins_with_a_player_who_does_not_exist() -> None:
    for size in (2, 5, 20):
        pairs = _as_printed(size)
        assert {player for pair in pairs for player in pair} == set(range(size))
        assert len(pairs) == size * (size - 1) // 2
    # As what is played.
    assert _as_printed(8) == [pair for pairs in berger(8) for pair in pairs]


def test_the_same_figure_does_not_prove_and_refute() -> None:
    """4.1.1 and 4.2.1 on the noise of a mean of ten, 4.6.1 and 4.7 on the size of a population."""
    rates = np.array([-10.0, 10.0, -9.0, 9.0] * 20)
    rows = {row.id: row for row in _five(rates)}
    # It hangs on the number of matches, which the document does not tell.
    assert rows["mean-steady"].measured == rows["five-significant"].measured
    assert rows["mean-steady"].verdict == rows["five-significant"].verdict == "beyond"

    def runs(loss: float) -> list[dict[str, Any]]:
        return [{"generations": 2, "hands": 40, "loss": [loss, loss + run / 10]} for run in range(20)]

    losses = {"variable/size-10": 30.0, "variable/size-20": 20.0, "variable/size-50": 10.0}
    done = SimpleNamespace(runs=lambda name: runs(losses[name]))
    found = {row.id: row for row in _populations(cast("FunkeResults", done))}
    assert found["population-50-end"].measured == found["population-50-limit"].measured == -10
    verdicts = [found[f"population-50-{key}"].verdict for key in ("end", "limit")]
    assert verdicts == ["beyond", "reproduced"]


def test_errors_that_can_be_computed_are() -> None:
    crossed = _crossover()
    assert (crossed.paper, crossed.measured) == ("0/0; 100/100", "100/0; 100/0")
    assert crossed.verdict == "document in error"
    # 33,853 hands at 1.48, 5,749 at 8.68, 3,759 at 13.30.
    assert _two_performances() == "3.46 and 7.82"


def test_a_run_that_has_ended_keeps_what_it_loses_in_the_picture() -> None:
    low, middle, high = loss_quartiles([[8.0, 4.0, 0.0], [8.0, 2.0], [8.0, 6.0, 6.0]])
    assert middle.tolist() == [8, 4, 2]
    assert (low[0], high[0]) == (8, 8)
    assert (low[2], high[2]) == (1, 4)
