"""River endgames against sums over all pairs of hands, and against themselves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from strategy.blueprint.blueprint import load_blueprint
from strategy.blueprint.endgame import (
    Endgame,
    Floats,
    best_response,
    endgame_at,
    iterate,
    make_gadget,
    mixture,
    normalise_weights,
    opponent_mass,
    strategy_values,
    total_pair_weight,
)
from strategy.cfr.tree import find_node
from strategy.poker.combos import live
from strategy.poker.kernels import TABLE, rank_rows

BOARD = parse_cards("2h7hTc3d9h")
TIED = parse_cards("AsKsQsJsTs")


def endgame(kinds: str = "rcrccc", board: tuple[int, ...] = BOARD) -> Endgame:
    tree = load_blueprint().tree
    return endgame_at(tree, find_node(tree, kinds), board)


def random_strategy(game: Endgame, seed: int) -> Floats:
    weights = np.random.default_rng(seed).random((len(game.player), 3, len(game.hands)))
    weights[game.child < 0] = 0.0
    strategy = np.zeros_like(weights)
    normalise_weights(game, weights, strategy)
    return strategy


def random_ranges(game: Endgame, seed: int, hands: int | None = None) -> Floats:
    random = np.random.default_rng(seed)
    ranges = random.random((2, len(game.hands)))
    if hands is not None:
        for row in ranges:
            row[random.permutation(len(row))[hands:]] = 0.0
    ranges /= ranges.sum(axis=1, keepdims=True)
    return ranges


def solved(game: Endgame, ranges: Floats, iterations: int) -> Floats:
    hands = len(game.hands)
    regrets, sums, strategy = (np.zeros((len(game.player), 3, hands)) for _ in range(3))
    none = np.zeros(hands)
    iterate(game, ranges, make_gadget(none, none, none), -1, 1, iterations, regrets, sums)
    normalise_weights(game, sums, strategy)
    return strategy


def exploitability(game: Endgame, strategy: Floats, ranges: Floats) -> float:
    """In mbb: the big blind has 10 chips."""
    won = [(ranges[p] * best_response(game, strategy, p, ranges[1 - p])).sum() for p in (0, 1)]
    return float(sum(won)) / 2 / total_pair_weight(game, ranges) * 100


def test_its_nodes_and_hands() -> None:
    game = endgame()
    ends = game.player < 0
    assert len(game.player) == 27
    assert (int((ends & (game.loser >= 0)).sum()), int((ends & (game.loser < 0)).sum())) == (8, 9)
    assert sorted(game.hands.tolist()) == np.flatnonzero(live(BOARD)).tolist()
    rows = np.column_stack((game.cards, np.tile(BOARD, (len(game.hands), 1)))).astype(np.int8)
    ranks = rank_rows(TABLE, rows)
    assert np.all(np.diff(ranks) >= 0)
    assert all(ranks[end - 1] == rank for rank, end in zip(ranks, game.ties, strict=True))
    assert all(end == len(ranks) or ranks[end] > rank for rank, end in zip(ranks, game.ties, strict=True))
    # Both have paid 30 before; a bet is 20, and there are four.
    assert set(game.stake[ends].tolist()) == {30.0, 50.0, 70.0, 90.0, 110.0}


def test_it_may_begin_in_the_middle() -> None:
    game = endgame("rcrcccr")
    assert len(game.player) == 12
    assert game.player[0] == 1


def one_by_one(game: Endgame, strategy: Floats, player: int, own: int, other: int) -> float:
    """What ``player`` wins with one hand from another when both play ``strategy``."""

    def play(node: int) -> float:
        if game.player[node] >= 0:
            hand = own if game.player[node] == player else other
            return sum(
                float(strategy[node, action, hand]) * play(int(child))
                for action, child in enumerate(game.child[node])
                if child >= 0
            )
        if game.loser[node] >= 0:
            return float(-game.stake[node] if game.loser[node] == player else game.stake[node])
        ahead = int(own >= game.ties[other]) - int(other >= game.ties[own])
        return float(game.stake[node]) * ahead

    return play(0)


@pytest.mark.parametrize("board", [BOARD, TIED])
@pytest.mark.parametrize("player", [0, 1])
def test_values_are_sums_over_pairs(board: tuple[int, ...], player: int) -> None:
    game = endgame(board=board)
    strategy, ranges = random_strategy(game, 1), random_ranges(game, 2, 12)
    found = strategy_values(game, strategy, player, ranges[1 - player])
    total = 0.0
    for own in np.flatnonzero(ranges[player])[:6].tolist():
        expected = 0.0
        for other in np.flatnonzero(ranges[1 - player]).tolist():
            if not set(game.cards[own]) & set(game.cards[other]):
                expected += ranges[1 - player, other] * one_by_one(game, strategy, player, own, other)
        assert found[own] == pytest.approx(expected, abs=1e-12)
        total += abs(expected)
    assert total > 0


def test_pairs_share_no_card() -> None:
    game = endgame()
    ranges = random_ranges(game, 3, 15)
    expected = sum(
        ranges[0, one] * ranges[1, other]
        for one in np.flatnonzero(ranges[0])
        for other in np.flatnonzero(ranges[1])
        if not set(game.cards[one]) & set(game.cards[other])
    )
    assert total_pair_weight(game, ranges) == pytest.approx(expected)


def test_a_hand_meets_those_that_share_no_card() -> None:
    game = endgame()
    weights = random_ranges(game, 9, 40)[0]
    for hand in (0, 500, 1080):
        apart = ~np.isin(game.cards, game.cards[hand]).any(axis=1)
        assert opponent_mass(game, weights)[hand] == pytest.approx(weights[apart].sum())


def test_who_plays_a_mixture_plays_the_one_or_the_other() -> None:
    game = endgame()
    one, two, other = (random_strategy(game, seed) for seed in (20, 21, 22))
    ranges = random_ranges(game, 23)
    mixed = mixture(game, one, two, 0, 0.3)
    own = game.player == 0
    assert not mixed[~own].any()

    def won(strategy: Floats) -> Floats:
        return strategy_values(game, np.where(own[:, np.newaxis, np.newaxis], strategy, other), 1, ranges[0])

    assert won(mixed) == pytest.approx(0.3 * won(one) + 0.7 * won(two), abs=1e-12)
    most = 0.3 * best_response(game, one, 1, ranges[0]) + 0.7 * best_response(game, two, 1, ranges[0])
    assert np.all(best_response(game, mixed, 1, ranges[0]) <= most + 1e-12)


def test_a_best_response_is_at_least_as_good_as_anything_else() -> None:
    game = endgame()
    ranges, strategy = random_ranges(game, 4), random_strategy(game, 5)
    best = best_response(game, strategy, 0, ranges[1])
    for seed in range(3):
        other = strategy.copy()
        own = game.player == 0
        other[own] = random_strategy(game, 10 + seed)[own]
        assert np.all(strategy_values(game, other, 0, ranges[1]) <= best + 1e-12)


def always(game: Endgame, choose: Callable[[Endgame, int], int]) -> Floats:
    strategy = np.zeros((len(game.player), 3, len(game.hands)))
    for node in np.flatnonzero(game.player >= 0).tolist():
        strategy[node, choose(game, node)] = 1.0
    return strategy


def test_a_best_response_to_somebody_who_always_folds_wins_what_is_there() -> None:
    game = endgame()
    folds = always(game, lambda game, node: 0 if game.child[node, 0] >= 0 else 1)
    ranges = random_ranges(game, 6)
    best = best_response(game, folds, 0, ranges[1])
    low, high = game.cards.T
    by_card = np.bincount(low, ranges[1], 52) + np.bincount(high, ranges[1], 52)
    met = ranges[1].sum() - by_card[low] - by_card[high] + ranges[1]
    assert best == pytest.approx(30 * met)


def test_it_comes_to_an_equilibrium() -> None:
    game = endgame()
    ranges = random_ranges(game, 7)
    found = [exploitability(game, solved(game, ranges, iterations), ranges) for iterations in (25, 100, 400)]
    assert found[0] < 80
    assert found[1] < 10
    assert found[2] < 2
    assert min(found) > 0


def test_it_goes_on_from_where_it_was() -> None:
    game = endgame()
    ranges, offer = random_ranges(game, 24), np.full(len(game.hands), 1.0)
    found = []
    for parts in ((30,), (10, 20)):
        regrets, sums = np.zeros((2, len(game.player), 3, len(game.hands)))
        refused = make_gadget(np.full(len(game.hands), 0.001), offer, offer / 100)
        done = 0
        for part in parts:
            iterate(game, ranges, refused, 1, done + 1, part, regrets, sums)
            done += part
        assert (refused.reach_sum > 0).all()
        found.append((sums, *refused))
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_nobody_gains_when_all_tie() -> None:
    game = endgame(board=TIED)
    ranges = random_ranges(game, 8)
    calls = always(game, lambda game, node: 1)
    assert exploitability(game, calls, ranges) == pytest.approx(0, abs=1e-9)
