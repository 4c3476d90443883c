"""The small solvers, and the game trees under them, beside OpenSpiel; ``make test-all`` runs it too."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import pytest

from dealer.rules.games import load_game
from strategy.cfr.solver import SmallSolver
from strategy.cfr.training import Task

_THEIRS = {
    "cfr": ("pyspiel", "CFRSolver"),
    "cfr+": ("pyspiel", "CFRPlusSolver"),
    "dcfr": ("open_spiel.python.algorithms.discounted_cfr", "DCFRSolver"),
}


@pytest.mark.parametrize(
    ("name", "variant", "iterations"),
    [
        ("kuhn.limit.2p", "cfr", 100),
        ("kuhn.limit.2p", "cfr+", 100),
        ("kuhn.limit.2p", "dcfr", 20),
        ("kuhn.limit.3p", "cfr", 100),
        ("kuhn.limit.3p", "cfr+", 100),
        ("leduc.limit.2p", "cfr", 100),
        ("leduc.limit.2p", "cfr+", 100),
        ("leduc.limit.2p", "dcfr", 20),
    ],
)
def test_every_iteration_is_theirs(name: str, variant: str, iterations: int) -> None:
    if os.environ.get("POKERD_PURE"):  # only the tree is another one: numba compiles what iterates
        iterations = min(iterations, 5)
    pyspiel: Any = import_module("pyspiel")
    game = load_game(name)
    their_game = pyspiel.load_game(name.partition(".")[0] + "_poker", {"players": game.players})
    module, kind = _THEIRS[variant]
    theirs = getattr(import_module(module), kind)(their_game)
    root = their_game.new_initial_state()
    uniform = pyspiel.UniformRandomPolicy(their_game)
    responses = [pyspiel.TabularBestResponse(their_game, player, uniform) for player in range(game.players)]
    ours = SmallSolver(Task(game, variant))
    for iteration in range(1, iterations + 1):
        theirs.evaluate_and_update_policy()
        ours.iterate(1)
        policy = theirs.average_policy()
        if variant == "dcfr":
            policy = import_module("open_spiel.python.policy").python_policy_to_pyspiel_policy(policy)
        for response in responses:
            response.set_policy(policy)
        # This is ``nash_conv``, which would make each tree anew: what the players have adds up to nothing.
        expected = sum(response.value_from_state(root) for response in responses) / game.players
        assert ours.exploitability() == pytest.approx(expected, rel=1e-8), iteration
