from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dealer.rules.games import load_game
from strategy.cfr.files import SolveError
from strategy.nolimit import sampling
from strategy.nolimit.boards import all_boards
from strategy.nolimit.response import exploitability, profile_of
from strategy.nolimit.small import SmallDeals
from strategy.nolimit.training import NoLimitSolver, NoLimitTask, resume_nolimit
from strategy.poker.kernels import rng
from tests.strategy.nolimit.games import small_game

LEDUC = NoLimitTask(load_game("leduc.limit.2p"), "1,1/1,1", "exact", 3)


def distance(solver: NoLimitSolver) -> float:
    assert isinstance(solver.deals, SmallDeals)
    return exploitability(profile_of(solver.tree, solver.deals, solver.table.policy()))[0]


def test_training_comes_closer_to_equilibrium() -> None:
    solver = NoLimitSolver(LEDUC)
    solver.table.period = 5
    untrained = distance(solver)
    solver.iterate(20)
    some = distance(solver)
    solver.iterate(60)
    assert distance(solver) < some / 2 < untrained / 4


def test_any_number_of_workers_and_any_stops_give_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each process starts with short lists and lengthens them.
    monkeypatch.setattr(sampling._Lists.__init__, "__defaults__", (64,))
    whole = NoLimitSolver(LEDUC, workers=3)
    whole.table.period = 2
    whole.iterate(5)
    whole.save(tmp_path / "whole.npz")
    file = tmp_path / "x.npz"
    for batches in (2, 2, 1):
        solver = resume_nolimit(LEDUC, file)
        solver.table.period = 2
        solver.iterate(batches)
        solver.save(file)
    assert file.read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_short_lists_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, short = NoLimitSolver(LEDUC), NoLimitSolver(LEDUC)
    short.table._lists = [sampling._Lists(64) for _ in range(sampling.PARTS)]
    for solver in (usual, short):
        solver.iterate(2)
    assert len(short.table._lists[0].slots) > 64
    assert np.array_equal(usual.table.regrets, short.table.regrets)
    assert np.array_equal(usual.table.sums, short.table.sums)
    assert usual.table.visits == short.table.visits


def test_a_file_of_another_task_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    NoLimitSolver(LEDUC).save(file)
    for other in (
        NoLimitTask(LEDUC.game, "1/1", "exact", 3),
        NoLimitTask(LEDUC.game, LEDUC.menu, "strength", 3),
        NoLimitTask(LEDUC.game, LEDUC.menu, "exact", 4),
        NoLimitTask(small_game(), "1/1/1", "exact", 3),
    ):
        with pytest.raises(SolveError):
            resume_nolimit(other, file)


def test_deals_are_even_and_the_better_hand_wins() -> None:
    boards = all_boards(load_game("leduc.limit.2p"))
    deals = SmallDeals(boards, by_strength=False)
    deal = deals.deal(rng("test"), 60_000)
    # Each of three ranks is dealt to a third of the players.
    counts = np.bincount(deal.states[:, :, 0].ravel(), minlength=3) / 120_000
    assert counts == pytest.approx(np.full(3, 1 / 3), abs=0.01)
    assert deal.winner.mean() == pytest.approx(0, abs=0.02)
    # Two of the same rank tie: 3 of 15 pairs of cards.
    assert (deal.winner == 0).mean() == pytest.approx(0.2, abs=0.01)
