"""Local best response: its equities, its luck, and what it wins from those of whom it is known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import fmean

import numpy as np
import pytest

from dealer.intervals import mean_interval
from dealer.rules.cards import parse_cards
from strategy.blueprint.blueprint import load_blueprint
from strategy.blueprint.bucketed import BucketedSolver
from strategy.blueprint.endgame import Floats
from strategy.blueprint.river import blueprint_rows
from strategy.cfr.training import Task
from strategy.cfr.tree import find_node
from strategy.lbr.cards import equities, luck_features, reduce_variance
from strategy.lbr.limit import LimitStrategy, Rows, rows_of_solver
from strategy.lbr.response import LIMIT, local_best_response
from strategy.poker.combos import combo_index, live
from strategy.poker.strength import exact_equity
from tests.strategy.deal_counts import deals

BOARD = parse_cards("2h7hTc3d9h")
TREE = load_blueprint().tree


def always(*wanted: int) -> Rows:
    """Takes the first of these actions that is legal."""

    def rows(node: int, board: Sequence[int]) -> Floats:
        action = next(action for action in wanted if TREE.child[node, action] >= 0)
        return np.tile(np.eye(3)[action], (1326, 1))

    return rows


def playing(rows: Rows) -> LimitStrategy:
    return LimitStrategy(TREE, rows)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_equities_are_exact_after_the_flop(cards: int) -> None:
    hole = (parse_cards("QsJh")[0], parse_cards("QsJh")[1])
    found = equities(hole, BOARD[:cards])
    for other in ("AhKh", "9s8s", "TsTd"):
        weights = np.zeros(1326)
        weights[combo_index(*parse_cards(other))] = 1.0
        expected = exact_equity(hole, BOARD[:cards], weights)
        assert found[combo_index(*parse_cards(other))] == pytest.approx(expected, abs=1e-12)


def test_luck_is_nothing_on_average_over_all_hands() -> None:
    everywhere = np.array([luck_features(hand, BOARD) for hand in range(1326)])
    luck = everywhere[live(BOARD)]
    # On the river: the hands that the board leaves are those that it was averaged over.
    assert np.abs(luck[:, -3:].mean(axis=0)).max() < 1e-12
    assert luck.std(axis=0).min() > 0.01
    assert np.abs(everywhere[:, :3].mean(axis=0)).max() < 1e-12


def test_what_is_learnt_from_deals_is_not_taken_from_them() -> None:
    random = np.random.default_rng(1)
    luck, noise = random.normal(size=(2, 400, 12))
    won = luck @ np.arange(12) + noise[:, 0]
    left = reduce_variance(won, luck)
    assert left.std() < 1.2
    # Another half changes what is learnt; the own winnings change themselves alone.
    changed = won.copy()
    changed[::2] += 5.0
    again = reduce_variance(changed, luck)
    assert again[::2] - left[::2] == pytest.approx(5.0)


def test_with_caution_intervals_from_few_deals_are_as_wide_as_the_error() -> None:
    luck = np.array([luck_features(hand, BOARD) for hand in np.flatnonzero(live(BOARD)).tolist()])
    luck -= luck.mean(axis=0)

    def spread(caution: float) -> float:
        """The standard deviation of means of 100 deals, in parts of what their intervals say."""
        found = []
        for seed in range(200):
            random = np.random.default_rng(seed)
            dealt = luck[random.integers(len(luck), size=100)]
            won = random.normal(size=100) + 3 * dealt[:, 9]
            found.append(mean_interval(reduce_variance(won, dealt, caution).tolist()))
        # Student's 97.5% quantile for 99 degrees of freedom.
        return float(np.std([one.mean for one in found]) / fmean(one.half or 0.0 for one in found) * 1.984)

    # Aces before the flop are rare, and high powers of their strength far from all others.
    assert spread(0) > 1.2
    assert spread(20) == pytest.approx(1, abs=0.1)


def test_folding_always_loses_the_blinds() -> None:
    # 50 dollars of the small blind and 100 of the big one, in thousandths of the big blind.
    assert local_best_response(playing(always(0, 1)), LIMIT, deals=20) == pytest.approx([750.0] * 20)


def test_calling_always_loses_what_is_known() -> None:
    # Zinkevich et al. and Johanson et al. 2011: 1,163 mbb. Raising always: 3,698.
    interval = mean_interval(local_best_response(playing(always(1)), LIMIT, deals=240, paths=1))
    assert interval.half is not None
    assert abs(interval.mean - 1163) < interval.half < 200


def test_a_solvers_rows_are_those_of_its_blueprint() -> None:
    solver = BucketedSolver(Task(load_blueprint().game, "dcfr"), deals(1))
    solver.iterate(1)
    rows = rows_of_solver(solver)
    for kinds, cards in (("", 0), ("rcr", 3), ("rccccccr", 5)):
        node = find_node(TREE, kinds)
        found = rows(node, BOARD)
        assert np.allclose(found[live(BOARD[:cards])].sum(axis=1), 1, atol=1e-6)
        assert not found[~live(BOARD[:cards])].any()


def test_the_same_again() -> None:
    strategy = playing(partial(blueprint_rows, load_blueprint()))
    first = local_best_response(strategy, LIMIT, deals=2, seed=3, paths=1)
    assert first == local_best_response(strategy, LIMIT, deals=2, seed=3, paths=1)
    assert first != local_best_response(strategy, LIMIT, deals=2, seed=4, paths=1)
    assert all(abs(won) < 48_000 for won in first)
    assert fmean(first) != 0
