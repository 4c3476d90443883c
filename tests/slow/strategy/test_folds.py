"""The games for two that a fold before the flop leaves: they are solved anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from strategy.three_player.subgames import SubgameSolver
from tests.strategy.deal_counts import uneven_deals


def test_it_is_solved_and_goes_on_from_its_file(tmp_path: Path) -> None:
    solver = SubgameSolver(45, uneven_deals(1))
    solver.iterate(10)
    rough = solver.exploitability(solver.average())
    solver.save(tmp_path / "10.npz")
    again = SubgameSolver.load(tmp_path / "10.npz")
    again.iterate(20)
    solver.iterate(20)
    assert again.iterations == solver.iterations == 30
    assert np.array_equal(again.average(), solver.average())
    fine = solver.exploitability(solver.average())
    assert 0 < fine < rough / 2
    # Of the first's weaker hands his value is below 0, and it sums to zero.
    first, second = solver.game.values(solver.average())
    assert first < 0
    assert first + second == pytest.approx(0, abs=1e-3)
