from __future__ import annotations

from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest

from dealer.rules.games import Game, holdem, load_game
from strategy.abstraction.deals import DealCounts
from strategy.blueprint.bucketed import BucketedGame, BucketedSolver
from strategy.cfr.files import SolveError, read_arrays, write_arrays
from strategy.cfr.training import Task
from strategy.cfr.tree import compile_tree
from strategy.cfr.vectors import Vectors, make_layout, normalise
from tests.strategy.deal_counts import deals

HEADS_UP = load_game("holdem.limit.2p.reverse_blinds")


def kuhn() -> BucketedGame:
    counts = np.ones((3, 3), np.int32) - np.eye(3, dtype=np.int32)
    wins = np.sign(np.subtract.outer(np.arange(3), np.arange(3))).astype(np.int32)
    return BucketedGame(compile_tree(load_game("kuhn.limit.2p")), (3,), DealCounts(counts, wins))


def leduc() -> BucketedGame:
    """A state is the own rank, then the own rank and the board's."""
    counts, wins = np.zeros((9, 9), np.int32), np.zeros((9, 9), np.int32)
    for own, other, board in product(range(3), repeat=3):
        cards = [own, other, board]
        ways = prod(2 - cards[:place].count(card) for place, card in enumerate(cards))
        first, second = ((card == board, card) for card in (own, other))
        counts[3 * own + board, 3 * other + board] = ways
        wins[3 * own + board, 3 * other + board] = ways * ((first > second) - (first < second))
    return BucketedGame(compile_tree(load_game("leduc.limit.2p")), (3, 9), DealCounts(counts, wins))


def small_solver(variant: str, game: BucketedGame) -> BucketedSolver:
    """A solver of hold'em, given another game."""
    solver = BucketedSolver(Task(HEADS_UP, variant))
    solver.__dict__["game"] = game
    solver._regrets, solver._averages = (np.zeros(game.layout.slots, np.float32) for _ in range(2))
    return solver


@pytest.mark.parametrize(("variant", "iterations"), [("cfr", 5000), ("cfr+", 1000), ("dcfr", 1000)])
def test_kuhn_is_worth_an_eighteenth(variant: str, iterations: int) -> None:
    solver = small_solver(variant, kuhn())
    solver.iterate(iterations)
    assert solver.value() == pytest.approx([-1 / 18, 1 / 18], abs=1e-3)
    assert 0 <= solver.exploitability() < (5e-3 if variant == "cfr" else 5e-4)


@pytest.mark.parametrize(("variant", "iterations", "most"), [("cfr+", 500, 2e-3), ("dcfr", 500, 2e-3)])
def test_leduc_with_two_streets(variant: str, iterations: int, most: float) -> None:
    solver = small_solver(variant, leduc())
    solver.iterate(iterations)
    # Known from exact solutions: -0.0856 chips to the first player.
    assert solver.value() == pytest.approx([-0.0856, 0.0856], abs=most)
    assert 0 <= solver.exploitability() < most


def test_a_best_response_beats_what_it_knows() -> None:
    game = kuhn()
    even: Vectors = np.ones(game.layout.slots, np.float32)
    # By hand: against chances of one half the first wins 1/2 and the second 5/12.
    assert game.best_responses(even) == pytest.approx((1 / 2, 5 / 12), abs=1e-6)
    assert game.values(even) == pytest.approx((1 / 8, -1 / 8), abs=1e-6)


def test_heads_up_holdem_has_its_sizes() -> None:
    tree = compile_tree(HEADS_UP)
    layout, ends = make_layout(tree, (5, 25, 125, 625))
    assert [(street.showdowns, street.folds) for street in ends] == [(0, 7), (0, 56), (0, 504), (5103, 4536)]
    # Sets of information and actions in them.
    assert int(layout.width[tree.decisions].sum()) == 3_624_290
    assert layout.slots == 9_423_155
    assert np.array_equal(layout.slot >= 0, tree.child >= 0)


def test_a_file_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "solution"
    task = Task(HEADS_UP, "dcfr", seed=3)
    solver, whole = BucketedSolver(task, deals(1)), BucketedSolver(task, deals(1))
    solver.iterate(1)
    solver.save(path)
    again = BucketedSolver.load(path)
    assert (again.task, again.iterations) == (task, 1)
    again.iterate(1)
    whole.iterate(2)
    assert np.array_equal(again._regrets, whole._regrets)
    assert np.array_equal(again.average(), whole.average())


def test_what_never_came_is_played_by_the_last_regrets() -> None:
    game = kuhn()
    averages, regrets = (np.zeros(game.layout.slots, np.float32) for _ in range(2))
    places = game.layout.slot[0]
    places = places[places >= 0]
    regrets[places + 1] = [3, 1]
    averages[places + 2] = [0, 2]
    found = normalise(game.layout, averages, regrets)
    assert found[places].tolist() == [0.5, 0.5]
    assert found[places + 1].tolist() == [0.75, 0.25]
    assert found[places + 2].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("game", "settings", "code"),
    [
        (HEADS_UP, {"variant": "es-mccfr"}, "bad_variant"),
        (HEADS_UP, {"buckets": 6}, "bad_setting"),
        (HEADS_UP, {"push_fold": 100}, "unsolvable_game"),
        (load_game("leduc.limit.2p"), {}, "unsolvable_game"),
        (load_game("holdem.limit.3p"), {}, "unsolvable_game"),
        (holdem(2, 5, 10), {}, "unsolvable_game"),
    ],
)
def test_what_cannot_be_solved_is_refused(game: Game, settings: dict[str, object], code: str) -> None:
    with pytest.raises(SolveError) as refusal:
        BucketedSolver(Task(game, **settings))  # type: ignore[arg-type]
    assert refusal.value.code == code


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nothing"
    path.write_text("no solution")
    with pytest.raises(SolveError) as refusal:
        BucketedSolver.load(path)
    assert refusal.value.code == "wrong_file"


@pytest.mark.parametrize("name", ["regrets", "averages", "counts", "wins"])
def test_a_file_without_a_part_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "solution"
    BucketedSolver(Task(HEADS_UP, "dcfr"), deals(1)).save(path)
    header, arrays = read_arrays(path)
    write_arrays(path, header, {key: array for key, array in arrays.items() if key != name})
    with pytest.raises(SolveError) as refusal:
        BucketedSolver.load(path)
    assert refusal.value.code == "wrong_file"
