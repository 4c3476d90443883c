"""Games with few cards: what is dealt, what it pays, and that equal suits change nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem, load_game
from strategy.cfr import small
from strategy.cfr.small import push_fold_game, small_game
from strategy.cfr.solver import SmallSolver
from strategy.cfr.training import Task
from strategy.cfr.tree import find_node

LEDUC = load_game("leduc.limit.2p")

#: Two cards each and three on the board, of ten: there are straights and flushes.
FIVES = replace(LEDUC, ranks=5, hole_cards=2, board_cards=(0, 3), max_raises=(0, 1))


def test_kuhn() -> None:
    game = small_game(load_game("kuhn.limit.2p"))
    assert game.shape == (4, 3, 3)
    assert sorted(zip(*game.info[:, 0].tolist(), strict=True)) == [
        (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)
    ]  # fmt: skip
    assert game.probability.tolist() == [1 / 6] * 6
    better = game.info[0, 0] > game.info[1, 0]
    for history, chips in (("cc", 1), ("rc", 2), ("crc", 2)):
        won = game.payoff[0, find_node(game.tree, history)]
        assert won.tolist() == np.where(better, chips, -chips).tolist()
    assert (game.payoff[0, find_node(game.tree, "rf")] == 1).all()
    assert (game.payoff[0, find_node(game.tree, "crf")] == -1).all()
    assert (game.payoff[0] == -game.payoff[1]).all()


def test_kuhn_for_three() -> None:
    game = small_game(load_game("kuhn.limit.3p"))
    assert (game.shape, len(game.probability)) == ((12, 4, 3), 24)
    assert np.abs(game.payoff.sum(axis=0)).max() == 0
    deal = int(np.flatnonzero((game.info[:, 0].T == (2, 3, 0)).all(axis=1))[0])
    # The second, who has the best card, folds to the first's bet: he and the third have lost one chip.
    assert game.payoff[:, find_node(game.tree, "rfc"), deal].tolist() == [3, -1, -2]
    assert game.seen[:, 0].max(axis=1).tolist() == [0, 3, 3, 11, 3, 11, 11, 23]


def test_leduc_has_ranks_only() -> None:
    game = small_game(LEDUC)
    assert (game.shape, len(game.probability)) == ((36, 9, 3), 24)
    assert game.probability.sum() == pytest.approx(1)
    # Both have the king, the queen is on the board.
    deal = int(np.flatnonzero((game.info[0, 1] == 7) & (game.info[1, 1] == 7))[0])
    assert game.info[:, 0, deal].tolist() == [2, 2]
    assert game.probability[deal] == pytest.approx(2 * 2 / (6 * 5 * 4))
    assert (game.payoff[:, find_node(game.tree, "cccc"), deal] == 0).all()


@pytest.mark.parametrize("game", [LEDUC, FIVES], ids=["three cards", "five cards"])
def test_equal_suits_change_nothing(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not CFR+: where two actions are worth the same, it takes one or the other by the last digit.
    folded = SmallSolver(Task(game, "cfr"))
    monkeypatch.setattr(small, "_canonical_key", lambda _: tuple)
    whole = SmallSolver(Task(game, "cfr"))
    fewer, more = len(folded.game.probability), len(whole.game.probability)
    assert fewer < 0.6 * more
    for solver in (folded, whole):
        solver.iterate(10)
    assert folded.exploitability() == pytest.approx(whole.exploitability(), rel=1e-9)
    assert folded.value() == pytest.approx(whole.value(), rel=1e-9)


def test_side_pots_are_paid() -> None:
    game = replace(load_game("kuhn.limit.3p"), stacks=(1, 3, 3), rules="standard")
    made = small_game(game)
    # The first has no more than his ante, which the best of three wins; the second bet is between two.
    end = find_node(made.tree, "rc")
    deal = int(np.flatnonzero((made.info[:, 0].T == (3, 2, 1)).all(axis=1))[0])
    assert made.payoff[:, end, deal].tolist() == [2, 0, -2]


@pytest.mark.parametrize(
    ("game", "code"),
    [
        (load_game("holdem.limit.2p.reverse_blinds"), "unsolvable_game"),
        (load_game("holdem.nolimit.2p.reverse_blinds"), "unsolvable_game"),
        (replace(LEDUC, ranks=13, suits=4, max_raises=(20, 20)), "tree_too_large"),
    ],
)
def test_what_is_too_large(game: Game, code: str) -> None:
    with pytest.raises(GameError) as caught:
        small_game(game)
    assert caught.value.code == code


@pytest.mark.parametrize("game", [load_game("kuhn.limit.2p"), holdem(3, 1, 2), LEDUC])
def test_what_is_not_solved_as_push_or_fold(game: Game) -> None:
    with pytest.raises(GameError) as caught:
        push_fold_game(game, 20)
    assert caught.value.code == "unsolvable_game"


# Values of the small blind in thousandths of a big blind, by linear programming.
@pytest.mark.parametrize(
    ("stack", "value"), [(1, 0.0), (2, 9.5495), (5, 56.2007), (10, -45.3708), (20, -183.1897)]
)
def test_push_or_fold(stack: int, value: float) -> None:
    task = Task(holdem(2, 50, 100), "cfr+", push_fold=100 * stack)
    solver = SmallSolver(task)
    assert solver.game.shape == ((2, 169, 3) if stack > 1 else (1, 169, 3))
    solver.iterate(300)
    assert 10 * solver.exploitability() < 0.1
    assert 10 * solver.value()[1] == pytest.approx(value, abs=0.05)


def test_what_players_see_of_a_board() -> None:
    game = small_game(LEDUC)
    assert game.seen.shape == (4, 2, 24)
    assert game.seen[0, 0].max() == 0
    assert game.seen[0, 1].max() == 2
    # What one player sees is his card state.
    for player in (0, 1):
        assert (game.seen[1 << player] == game.info[player]).all()
