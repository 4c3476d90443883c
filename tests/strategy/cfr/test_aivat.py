"""AIVAT over every hand that there is: unbiased whatever the values, and calmer the better they are."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from dealer.rules.games import load_game
from strategy.cfr.aivat import Aivat, AivatError, estimate
from strategy.cfr.response import node_values, reach, values
from strategy.cfr.small import Floats, SmallGame
from strategy.cfr.solver import SmallSolver
from strategy.cfr.training import Task

GAMES = ("kuhn.limit.2p", "kuhn.limit.3p", "leduc.limit.2p")


@cache
def solved(name: str, iterations: int) -> tuple[SmallGame, Floats]:
    solver = SmallSolver(Task(load_game(name), "cfr"))
    solver.iterate(iterations)
    return solver.game, solver.strategy


def moments(
    game: SmallGame, strategy: Floats, known: tuple[int, ...], told: Floats, position: int
) -> tuple[float, float, float]:
    """Mean of the estimate, and its standard deviation and that of the payoff, over all hands."""
    chances, payoff = reach(game, strategy), game.payoff[position]
    hands = [
        (chances[end, deal], payoff[end, deal], estimate(game, strategy, known, told, payoff, deal, int(end)))
        for end in np.flatnonzero(game.tree.player < 0)
        for deal in range(len(game.probability))
        if chances[end, deal] > 0
    ]
    chance, won, estimated = np.array(hands).T
    assert chance.sum() == pytest.approx(1)
    mean = float((chance * estimated).sum())
    before, after = (
        float(np.sqrt((chance * x**2).sum() - (chance * x).sum() ** 2 + 1e-18)) for x in (won, estimated)
    )
    return mean, after, before


@pytest.mark.parametrize("known", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize("name", GAMES)
def test_the_mean_over_all_hands_is_the_value(name: str, known: tuple[int, ...]) -> None:
    game, strategy = solved(name, 20)
    random = np.random.default_rng(6)
    payoff = game.payoff[1]
    for told in (np.zeros(payoff.shape), random.normal(size=payoff.shape), node_values(game, strategy, 1)):
        mean, _, _ = moments(game, strategy, known, told, 1)
        assert abs(mean - values(game, strategy)[1]) < 1e-9


def test_with_right_values_and_all_strategies_no_luck_is_left() -> None:
    for name in GAMES:
        game, strategy = solved(name, 20)
        everybody = tuple(range(game.tree.players))
        mean, after, before = moments(game, strategy, everybody, node_values(game, strategy, 0), 0)
        assert mean == pytest.approx(values(game, strategy)[0], abs=1e-9)
        assert after < 1e-6 < before


@pytest.mark.parametrize(
    ("name", "known", "most"),
    [
        ("kuhn.limit.2p", (0,), 0.70),
        ("kuhn.limit.2p", (0, 1), 0.40),
        ("leduc.limit.2p", (0,), 0.75),
        ("leduc.limit.2p", (0, 1), 0.40),
    ],
)
def test_values_of_another_strategy_take_luck_away_too(
    name: str, known: tuple[int, ...], most: float
) -> None:
    game, strategy = solved(name, 20)
    _, rough = solved(name, 2)
    _, after, before = moments(game, strategy, known, node_values(game, rough, 0), 0)
    assert after < most * before


def test_worlds_of_any_shape() -> None:
    """Two hands of three each, as a matrix of pairs: the same as the pairs in a row."""
    random = np.random.default_rng(7)
    weights = random.random((3, 3)) * (1 - np.eye(3))
    policies = random.dirichlet((1, 1, 1), size=(2, 3)).transpose(0, 2, 1)
    told, after, payoff = (
        random.normal(size=(3, 3, 3)),
        random.normal(size=(3, 3)),
        random.normal(size=(3, 3)),
    )
    dealt = random.random((3, 3))
    pairs, row = Aivat(weights), Aivat(weights.ravel())
    for actor, taken in ((0, 2), (1, 0)):
        shaped = policies[actor][:, :, None] if actor == 0 else policies[actor][:, None, :]
        pairs.act(shaped, told, taken)
        row.act(np.broadcast_to(shaped, (3, 3, 3)).reshape(3, 9), told.reshape(3, 9), taken)
    pairs.deal(after, dealt, told[0])
    row.deal(after.ravel(), dealt.ravel(), told[0].ravel())
    assert pairs.end(payoff) == pytest.approx(row.end(payoff.ravel()), abs=1e-12)


def test_what_the_strategy_never_does_is_refused() -> None:
    hand = Aivat(np.ones(2))
    with pytest.raises(AivatError) as caught:
        hand.act(np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]), np.zeros((3, 2)), 2)
    assert caught.value.code == "impossible_hand"
