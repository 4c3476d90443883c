"""Rivers solved at the table: the ranges they begin with, and that they are safe."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.players.river import MBB, sample_rivers
from dealer.rules.cards import parse_cards
from strategy.blueprint import river
from strategy.blueprint.blueprint import Blueprint, load_blueprint
from strategy.blueprint.endgame import best_response, total_pair_weight
from strategy.blueprint.river import (
    ITERATIONS,
    MAX_GAIN,
    TARGET_DISTANCE,
    RiverProblem,
    blueprint_rows,
    distance,
    gains,
    ranges_at,
    resolve,
    river_problem,
    solve,
    street_start,
)
from strategy.cfr.tree import find_node
from strategy.poker.combos import CARDS, combo_index, live

BOARD = parse_cards("2h7hTc3d9h")
ROUNDING = 1e-6
"""Chips; the chances of the blueprint are float32."""


def river_problems(blueprint: Blueprint, count: int, seed: int) -> list[RiverProblem]:
    return [river_problem(blueprint, *place) for place in sample_rivers(blueprint, count, seed)]


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return load_blueprint()


def test_rows_are_the_policy_of_every_hand(blueprint: Blueprint) -> None:
    node = find_node(blueprint.tree, "rcrc")
    rows = blueprint_rows(blueprint, node, BOARD)
    assert not rows[~live(BOARD[:4])].any()
    for hand in (0, 100, 700, 1325):
        if live(BOARD[:4])[hand]:
            said = blueprint.policy(node, CARDS[hand].tolist(), BOARD[:4])
            assert rows[hand] == pytest.approx(said, abs=1e-6)


def test_ranges_are_products_of_what_was_done(blueprint: Blueprint) -> None:
    kinds = "rrcrccrrcc"
    node = find_node(blueprint.tree, kinds)
    ranges = ranges_at(blueprint, node, BOARD)
    assert not ranges[:, ~live(BOARD)].any()
    hole = parse_cards("AsTd")
    expected, now = [1.0, 1.0], 0
    for kind in kinds:
        player, street = int(blueprint.tree.player[now]), int(blueprint.tree.street[now])
        action = "fcr".index(kind)
        expected[player] *= blueprint.policy(now, hole, BOARD[: (0, 3, 4, 5)[street]])[action]
        now = int(blueprint.tree.child[now, action])
    assert ranges[:, combo_index(*hole)] == pytest.approx(expected, abs=1e-6)
    assert max(expected) > 0


def test_a_street_has_one_start(blueprint: Blueprint) -> None:
    tree = blueprint.tree
    start = find_node(tree, "rcccrc")
    assert [street_start(tree, find_node(tree, f"rcccrc{kinds}")) for kinds in ("", "c", "rr", "crr")] == [
        start
    ] * 4
    assert street_start(tree, find_node(tree, "r")) == 0


def test_no_hand_gains_and_those_of_the_blueprint_lose(blueprint: Blueprint) -> None:
    gained: list[float] = []
    lost: list[float] = []
    for setting in river_problems(blueprint, 8, seed=11):
        game, player = setting.game, setting.player
        safe, bold = (solve(setting, ITERATIONS, safe=safe).strategy for safe in (True, False))
        # The worst of a thousand hands, not their mean.
        assert gains(setting, safe).max() <= MAX_GAIN + ROUNDING
        gained.append(gains(setting, bold).max())
        own, his = setting.ranges[player], setting.ranges[1 - player]
        after, bolder = (best_response(game, found, 1 - player, own) for found in (safe, bold))
        mbb = MBB / total_pair_weight(game, setting.ranges)
        assert (his * (after - setting.offer)).sum() * mbb < -10
        # Without the offer it is better against the blueprint's hands, as far as both are exact.
        lost.append((his * (after - bolder)).sum() * mbb)
        assert lost[-1] > -2 * TARGET_DISTANCE * MBB
    assert np.mean(lost) > 10
    # And worse, by far, against some others: the offer is what keeps these from gaining.
    assert np.mean(gained) > 5 * MAX_GAIN


def test_it_ends_when_it_is_exact_enough(blueprint: Blueprint) -> None:
    for setting in river_problems(blueprint, 12, seed=13):
        for safe in (True, False):
            found = solve(setting, ITERATIONS, safe=safe)
            assert distance(setting, found) <= TARGET_DISTANCE
            assert found.iterations < ITERATIONS
            if not safe and found.iterations > 50:
                before = solve(setting, found.iterations - 50, safe=safe)
                assert distance(setting, before) > TARGET_DISTANCE


def test_the_distance_is_to_the_best_of_all(blueprint: Blueprint) -> None:
    # Without refusals it is what best responses win; it may not be below what a solution has to lose.
    setting = river_problems(blueprint, 1, seed=14)[0]
    game, ranges = setting.game, setting.ranges
    rough, fine = (solve(setting, iterations, safe=False) for iterations in (5, ITERATIONS))
    won = [(ranges[p] * best_response(game, rough.strategy, p, ranges[1 - p])).sum() for p in (0, 1)]
    assert distance(setting, rough) == pytest.approx(sum(won) / 2 / total_pair_weight(game, ranges))
    own, his = ranges[setting.player], ranges[1 - setting.player]
    lost = [(his * best_response(game, one.strategy, 1 - setting.player, own)).sum() for one in (rough, fine)]
    assert 2 * distance(setting, rough) >= (lost[0] - lost[1]) / total_pair_weight(game, ranges) > 0


def test_what_is_unsafe_is_made_safe_by_the_blueprint(
    blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without weight nobody refuses, and the solution is what the blueprint's hands alone make it.
    monkeypatch.setattr(river, "_FREE_WEIGHT", 0.0)
    for setting in river_problems(blueprint, 4, seed=12):
        assert gains(setting, setting.known).max() == 0
        found = solve(setting, 50, safe=True)
        assert gains(setting, found.strategy).max() <= MAX_GAIN + ROUNDING
        assert np.any(found.strategy != setting.known)


def test_the_same_solution_at_all_decisions(blueprint: Blueprint) -> None:
    tree = blueprint.tree
    first, later = find_node(tree, "rcrccc"), find_node(tree, "rcrcccrr")
    assert resolve(blueprint, first, BOARD, 0) is resolve(blueprint, later, BOARD, 0)
    solution = resolve(blueprint, first, BOARD, 0)
    for node in (first, later):
        rows = solution.rows(node)
        assert np.allclose(rows[live(BOARD)].sum(axis=1), 1)
        assert not rows[~live(BOARD)].any()
        assert not rows[:, tree.child[node] < 0].any()
    river._cached_solution.cache_clear()
    assert np.array_equal(resolve(blueprint, first, BOARD, 0).strategy, solution.strategy)


def test_the_nuts_are_played_well(blueprint: Blueprint) -> None:
    node = find_node(blueprint.tree, "rcrcccr")
    fold, call, raise_ = resolve(blueprint, node, BOARD, 1).rows(node)[combo_index(*parse_cards("AhKh"))]
    assert fold < 1e-3
    assert raise_ > call


def test_where_the_blueprint_never_comes_to_it_still_plays(
    blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(river, "ranges_at", lambda *_: np.zeros((2, 1326)))
    node = find_node(blueprint.tree, "ccccccr")
    rows = resolve(blueprint, node, BOARD, 1, iterations=20).rows(node)
    assert np.allclose(rows[live(BOARD)].sum(axis=1), 1)
    river._cached_solution.cache_clear()
