"""Beside OpenSpiel, which ``make oracle`` installs (``pip install 'pokerd[bench]'``)."""

from __future__ import annotations

import pytest

from benchmarks.solvers import main
from dealer.rules.games import load_game
from strategy.cfr.solver import SmallSolver
from strategy.cfr.training import Task


@pytest.mark.oracle
@pytest.mark.parametrize(("variant", "their_class"), [("cfr", "CFRSolver"), ("cfr+", "CFRPlusSolver")])
@pytest.mark.parametrize(
    ("name", "their_name", "players"),
    [
        ("kuhn.limit.2p", "kuhn_poker", 2),
        ("kuhn.limit.3p", "kuhn_poker", 3),
        ("leduc.limit.2p", "leduc_poker", 2),
    ],
)
def test_every_iteration_is_theirs(
    name: str, their_name: str, players: int, variant: str, their_class: str
) -> None:
    import pyspiel

    their_game = pyspiel.load_game(their_name, {"players": players})
    theirs, ours = getattr(pyspiel, their_class)(their_game), SmallSolver(Task(load_game(name), variant))
    for _ in range(100):
        theirs.evaluate_and_update_policy()
        ours.iterate(1)
        # One argument more, as with three players it is not a two-player zero-sum game.
        expected = pyspiel.nash_conv(their_game, theirs.average_policy(), True) / players
        assert ours.exploitability() == pytest.approx(expected, rel=1e-8)


def test_the_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["CFR+", "to", "exploitability", "solver", "iterations", "CPU", "s", "times"]
    assert {line.split()[0] for line in lines[1:]} == {"kuhn", "leduc"}
    assert sum("pokerd" in line for line in lines) == 2
