"""Tables for learners are equal to ``dealer.rules``: who is asked, what is seen, legal and paid."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem, load_game
from strategy.batch import betting
from strategy.batch.learning import LearningTables
from strategy.batch.menu import BadMenu
from strategy.batch.observation import BadHistory, fields, observation_size
from strategy.batch.opponents import QUICK, UnknownOpponent
from strategy.batch.view import CompiledBot
from strategy.checks import UnplayableGame
from strategy.situation import situation_at
from tests.strategy.batch.learning import begun, play_hands
from tests.strategy.batch.seen import read_back
from tests.strategy.batch.walks import any_game


@pytest.mark.parametrize("seed", range(30))
def test_everything_is_as_in_the_rules(seed: int) -> None:
    assert play_hands(seed, 30, history=7 if seed % 2 else 64) >= 30


def test_the_fields_fill_the_row() -> None:
    for players in (2, 6, 10):
        found = fields(players, 5)
        assert [field.start + field.size for field in found[:-1]] == [field.start for field in found[1:]]
        assert found[0].start == 0
        assert len({field.name for field in found}) == len(found)
        assert observation_size(holdem(players, 1, 2), 5) == found[-1].start + found[-1].size


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("game", [load_game("holdem.limit.2p.reverse_blinds"), holdem(6, 1, 2, stack=100)])
def test_an_opponent_acts_legally_and_pays_zero_sum(name: str, game: Game) -> None:
    tables = LearningTables(game, 50, [name] * (game.players - 1))
    tables.reset(3)
    random, ended = np.random.default_rng(1), 0
    for _ in range(200):
        assert (tables.to_act == 0).all()
        assert (tables.mask[:, betting.CALL] == 1).all()
        legal = tables.mask * random.random(tables.mask.shape)
        tables.choose(legal.argmax(axis=1))
        assert not tables.illegal.any()
        assert np.abs(tables.rewards.sum(axis=1)).max() < 1e-9
        ended += int(tables.over.sum())
    assert ended > 1000


@pytest.mark.parametrize("name", ["quick", "quick-tight", "quick-loose", "quick-bluff"])
def test_compiled_bots_play_situations(name: str) -> None:
    random = Random(name)
    for seed in range(100):
        game = any_game(random)
        tables = LearningTables(game, 1)
        tables.reset(seed)
        hand, bot = begun(tables, 0, game), CompiledBot(name, seed)
        while not hand.over:
            position = hand.betting.to_act
            hand.act(bot.decide(situation_at(hand.betting, hand.hole[position], hand.board)))


def test_what_is_not_legal_is_a_check_or_a_fold() -> None:
    tables = LearningTables(holdem(2, 1, 2, stack=100), 4)
    tables.reset(0)
    tables.choose(np.array([99, -1, 1, 1]))
    assert tables.illegal.tolist() == [True, True, False, False]
    assert tables.over.tolist() == [True, True, False, False]
    tables.act(np.full(4, betting.RAISE, np.int8), np.array([0, 0, 3, 4]))
    assert tables.illegal.tolist() == [True, True, True, False]
    assert tables.over.tolist() == [True, True, False, False]


def test_tables_do_not_depend_on_others() -> None:
    few, many = (LearningTables(holdem(3, 1, 2), size, ["quick", "random"]) for size in (4, 40))
    other = LearningTables(holdem(3, 1, 2), 4, ["quick", "random"])
    few.reset("a")
    many.reset("a")
    other.reset("b")
    assert (other.seen != few.seen).any()
    for _ in range(50):
        assert (few.seen == many.seen[:4]).all()
        assert (few.rewards == many.rewards[:4]).all()
        few.choose(np.ones(4, np.int64))
        many.choose(np.ones(40, np.int64))
    many.reset("a", np.array([2]))
    few.reset("a")
    assert (few.seen[2] == many.seen[2]).all()
    assert (few.seen[0] != many.seen[0]).any()


def test_what_was_seen_last_is_kept() -> None:
    game = holdem(2, 1, 2, stack=100)
    tables = LearningTables(game, 8, ["call"], last_seen=True)
    tables.reset(0)
    for _ in range(12):
        before = tables.numbers.copy()
        tables.choose(np.ones(8, np.int64))
        for place in np.flatnonzero(tables.over).tolist():
            end = read_back(tables.finals[place], game, 32)
            assert (end["street"], end["to_act"], end["price"], end["stacks"]) == (3, None, 0, [98, 98])
            assert end["position"] == -before[place] % 2


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"game": load_game("leduc.limit.2p")}, UnplayableGame),
        ({"stacks": (5,)}, GameError),
        ({"stacks": (1, 1)}, GameError),
        ({"sizes": (1.0, 0.5)}, BadMenu),
        ({"sizes": (float("nan"),)}, BadMenu),
        ({"sizes": (1.0, 1e300)}, BadMenu),
        ({"history": 0}, BadHistory),
        ({"opponents": ("loki2",)}, UnknownOpponent),
        ({"opponents": ("call", "call")}, UnknownOpponent),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, object], error: type[Exception]) -> None:
    settings: dict[str, object] = {"game": holdem(2, 1, 2), "size": 1, **changes}
    with pytest.raises(error):
        LearningTables(**settings)  # type: ignore[arg-type]
