"""The solver for three players as the command uses it; card states are made up, the true ones take long."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dealer.rules.errors import GameError
from dealer.rules.games import Game, load_game
from strategy.abstraction.moment_tables import BoardForms, StateTable, board_forms
from strategy.cfr.files import SolveError, read_arrays, write_arrays
from strategy.cfr.training import Task, load_solver, resume, train
from strategy.poker.strength_moments import Cuts
from strategy.three_player import cfr_three as module
from strategy.three_player.cfr_three import SHAPE, ThreeSolver

# As hold'em for three, with few bets.
GAME = replace(load_game("holdem.limit.3p"), max_raises=(1, 1, 1, 1))
TASK = Task(GAME, "es-mccfr", seed=3)


@pytest.fixture(scope="module")
def few() -> StateTable:
    random = np.random.default_rng(1)
    forms, states = [], []
    for count, (rows, columns) in zip((3, 4, 5), SHAPE, strict=True):
        found = board_forms(count)
        forms.append(BoardForms(found.form % 300, found.suits, found.first[:300]))
        states.append(random.integers(0, rows * columns, (300, 1326)).astype(np.uint8))
    return StateTable((forms[0], forms[1], forms[2]), (states[0], states[1], states[2]))


@pytest.fixture(autouse=True)
def made_up(few: StateTable, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts = [
        Cuts(np.zeros(rows - 1, np.int64), np.zeros((rows, columns - 1), np.int64)) for rows, columns in SHAPE
    ]
    monkeypatch.setattr(module, "make_moment_tables", lambda _: None)
    monkeypatch.setattr(module, "make_states", lambda *_: (cuts, few))


def test_it_goes_on_from_its_file_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    file = tmp_path / "three"
    whole = ThreeSolver(TASK)
    train(whole, 3000)
    first = resume(TASK, file)
    train(first, 1200, out=file)
    second = resume(TASK, file)
    assert second.iterations == 1200
    train(second, 3000, out=file)
    assert isinstance(second, ThreeSolver)
    assert (second.policy() == whole.policy()).all()
    assert load_solver(GAME, file).iterations == 3000


def test_what_it_says_of_itself() -> None:
    solver = ThreeSolver(TASK)
    solver.iterate(2000)
    assert math.isnan(solver.exploitability())
    assert sum(solver.value()) == pytest.approx(0, abs=1e-9)
    policy = solver.policy()
    assert policy.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert policy.min() >= 0


def test_two_players_can_be_sampled_too() -> None:
    task = Task(replace(load_game("holdem.limit.2p.reverse_blinds"), max_raises=(1, 1, 1, 1)), "es-mccfr")
    solver = ThreeSolver(task)
    solver.iterate(500)
    assert len(solver.value()) == 2


@pytest.mark.parametrize(
    ("task", "code"),
    [
        (Task(GAME, "cfr+"), "bad_variant"),
        (Task(GAME, "es-mccfr", buckets=257), "bad_setting"),
        (Task(GAME, "es-mccfr", push_fold=100), "bad_setting"),
    ],
)
def test_what_it_does_not_do(task: Task, code: str) -> None:
    with pytest.raises(SolveError) as refusal:
        ThreeSolver(task)
    assert refusal.value.code == code


@pytest.mark.parametrize("game", [load_game("holdem.nolimit.3p"), load_game("kuhn.limit.3p")])
def test_other_games_are_refused(game: Game) -> None:
    with pytest.raises(GameError) as refusal:
        ThreeSolver(Task(game, "es-mccfr"))
    assert refusal.value.code == "unsolvable_game"


def test_a_file_with_other_card_states_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "three"
    ThreeSolver(TASK).save(file)
    header, arrays = read_arrays(file)
    kept = {
        name: header[name] for name in ("game", "name", "variant", "buckets", "push_fold", "seed", "deals")
    }
    write_arrays(file, {**kept, "shape": [[2, 2]] * 3}, arrays)
    with pytest.raises(SolveError) as refusal:
        ThreeSolver.load(file)
    assert refusal.value.code == "wrong_file"
    del kept["deals"]
    write_arrays(file, {**kept, "shape": [list(one) for one in SHAPE]}, arrays)
    with pytest.raises(SolveError, match="deals") as refusal:
        ThreeSolver.load(file)
    assert refusal.value.code == "wrong_file"
