"""Best responses against all pure strategies, and exploitabilities known from elsewhere."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dealer.rules.games import load_game
from strategy.cfr.response import best_response, exploitability, gains, node_values, reach, values
from strategy.cfr.small import Floats, SmallGame, small_game


def random_strategy(game: SmallGame, seed: int) -> Floats:
    legal = (game.tree.child[game.tree.decisions] >= 0)[:, None]
    weights = np.random.default_rng(seed).exponential(size=game.shape) * legal
    strategy: Floats = weights / weights.sum(axis=2, keepdims=True)
    return strategy


def uniform(game: SmallGame) -> Floats:
    legal = (game.tree.child[game.tree.decisions] >= 0)[:, None]
    return np.repeat(legal / legal.sum(axis=2, keepdims=True), game.cards, axis=1)


@pytest.mark.parametrize(
    ("name", "expected"),
    # OpenSpiel 1.6: exploitability of the uniform policy.
    [("kuhn.limit.2p", 0.45833333333333326), ("leduc.limit.2p", 2.373611111111111)],
)
def test_playing_at_random(name: str, expected: float) -> None:
    game = small_game(load_game(name))
    assert exploitability(game, uniform(game)) == pytest.approx(expected)


@pytest.mark.parametrize("position", [0, 1])
def test_no_pure_strategy_is_better(position: int) -> None:
    game = small_game(load_game("kuhn.limit.2p"))
    rows = [row for row, node in enumerate(game.tree.decisions) if game.tree.player[node] == position]
    sets = list(product(rows, range(game.cards)))
    for seed in range(3):
        strategy = random_strategy(game, seed)
        most = -np.inf
        for choice in product((0, 1), repeat=len(sets)):
            pure = strategy.copy()
            for (row, card), which in zip(sets, choice, strict=True):
                actions = np.flatnonzero(strategy[row, card])
                pure[row, card] = np.eye(3)[actions[which]]
            most = max(most, float(values(game, pure)[position]))
        worth, response = best_response(game, strategy, position)
        assert worth == pytest.approx(most)
        assert values(game, response)[position] == pytest.approx(most)
        others = [row for row in range(game.shape[0]) if row not in rows]
        assert (response[others] == strategy[others]).all()
        assert set(np.unique(response[rows])) == {0, 1}


@pytest.mark.parametrize("name", ["kuhn.limit.3p", "leduc.limit.2p"])
def test_the_response_wins_what_it_says(name: str) -> None:
    game = small_game(load_game(name))
    strategy = random_strategy(game, 4)
    own = values(game, strategy)
    assert own.sum() == pytest.approx(0)
    more = gains(game, strategy)
    assert (more > 0).all()
    assert exploitability(game, strategy) == pytest.approx(more.mean())
    for position in range(game.tree.players):
        worth, response = best_response(game, strategy, position)
        assert values(game, response)[position] == pytest.approx(worth) == own[position] + more[position]
        assert best_response(game, response, position)[0] == pytest.approx(worth)


def test_values_and_probabilities_of_nodes() -> None:
    game = small_game(load_game("leduc.limit.2p"))
    strategy = random_strategy(game, 5)
    chances = reach(game, strategy)
    assert chances[0].sum() == pytest.approx(1)
    assert chances[game.tree.player < 0].sum() == pytest.approx(1)
    for position, value in enumerate(values(game, strategy)):
        nodes = node_values(game, strategy, position)
        assert (nodes[0] * game.probability).sum() == pytest.approx(value)
        ends = game.tree.player < 0
        assert (nodes[ends] == game.payoff[position, ends]).all()
