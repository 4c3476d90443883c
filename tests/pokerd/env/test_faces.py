"""The environments pass the checkers of the libraries they are made for, and play by the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem
from pokerd.env import PokerAECEnv, PokerEnv, PokerParallelEnv, PokerVectorEnv
from pokerd.env.house import HouseTables
from strategy.batch.opponents import UnknownOpponent
from strategy.registry import strategy_names

GAMES = [holdem(2, 5, 10, limit=True, stack=1000), holdem(6, 1, 2, stack=200)]
games = pytest.mark.parametrize("game", GAMES, ids=["limit", "no-limit"])


@games
@pytest.mark.parametrize("opponents", ["quick", "fair"])
@pytest.mark.parametrize("raise_to", [False, True])
def test_the_single_environment_passes_gymnasium_s_checks(game: Game, opponents: str, raise_to: bool) -> None:
    check_env(PokerEnv(game, opponents, raise_to=raise_to), skip_render_check=True)


# PettingZoo's own card games are dictionaries too.
@pytest.mark.filterwarnings(
    "ignore:Observation:UserWarning", "ignore:Environment has not defined a render:UserWarning"
)
@games
def test_every_seat_passes_pettingzoo_s_checks(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(PokerAECEnv(game), num_cycles=200)
    seed_test(lambda: PokerAECEnv(game), num_cycles=50)
    parallel_api_test(PokerParallelEnv(game), num_cycles=200)
    parallel_seed_test(lambda: PokerParallelEnv(game), num_cycles=50)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("raise_to", [False, True])
def test_as_many_actions_as_tables_are_needed(raise_to: bool) -> None:
    env = PokerVectorEnv(8, holdem(2, 5, 10, stack=1000), "call", raise_to=raise_to)
    env.reset(seed=1)
    more = [2] if raise_to else []
    for shape in ([7], [9], [], [8, 3], [1, 8]):
        with pytest.raises(ValueError, match="shape"):
            env.step(np.ones(shape + more, np.int64))
    with pytest.raises(ValueError, match="shape"):
        env.reset(options={"reset_mask": np.ones(9, np.bool_)})
    env.step(np.ones([8, *more], np.int64))


def walk(env: PokerVectorEnv, steps: int, seed: int) -> list[tuple[Any, ...]]:
    """Act at random but legally; return all that was seen."""
    random = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    found: list[tuple[Any, ...]] = [(seen, info["action_mask"])]
    for _ in range(steps):
        chances = random.random(info["action_mask"].shape) * info["action_mask"]
        seen, rewards, over, truncated, info = env.step(chances.argmax(axis=1))
        assert not truncated.any()
        assert not info["illegal"].any()
        assert (rewards[~over] == 0).all()
        found.append((seen, info["action_mask"], rewards, over, info.get("final_obs")))
    return found


def same(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> bool:
    return all(
        np.array_equal(a, b)
        for left, right in zip(one, other, strict=True)
        for a, b in zip(left, right, strict=True)
    )


@games
def test_a_seed_gives_the_same_hands(game: Game) -> None:
    walks = [walk(PokerVectorEnv(20, game, "quick"), 40, seed) for seed in (1, 1, 2)]
    assert same(walks[0], walks[1])
    assert not same(walks[0], walks[2])
    assert sum(int(over.sum()) for _, _, _, over, _ in walks[0][1:]) > 100


@games
@pytest.mark.parametrize("name", ["call", "raise"])
def test_compiled_opponents_and_house_bots_play_the_same_hands(game: Game, name: str) -> None:
    compiled = walk(PokerVectorEnv(8, game, name), 60, 5)
    # A table with another house bot is played in Python; these two are the same in both.
    slow = PokerVectorEnv(8, game, name)
    slow.tables = HouseTables(game, 8, [name] * (game.players - 1))
    assert same(compiled, walk(slow, 60, 5))


@pytest.mark.parametrize("name", strategy_names())
def test_every_house_bot_is_an_opponent(name: str) -> None:
    for game in (holdem(2, 5, 10, limit=True, stack=1000), holdem(3, 5, 10, limit=True, stack=400)):
        tables, hands = HouseTables(game, 1, [name] * (game.players - 1)), 0
        tables.reset(1)
        while hands < 2:
            tables.choose(np.ones(1, np.int64))
            assert abs(tables.rewards.sum()) < 1e-9
            hands += int(tables.over[0])


def test_house_bots_and_compiled_opponents_sit_at_one_table() -> None:
    env = PokerVectorEnv(2, holdem(3, 5, 10, limit=True, stack=200), ["fair", "quick-loose"])
    assert sum(int(over.sum()) for _, _, _, over, _ in walk(env, 30, 1)[1:]) > 5


def test_raises_to_any_amount() -> None:
    env = PokerVectorEnv(3, holdem(2, 1, 2, stack=100), "call", raise_to=True)
    env.reset(seed=1)
    _, _, over, _, info = env.step(np.array([[2, 37], [2, 3], [2, 100]]))
    assert info["illegal"].tolist() == [False, True, False]
    assert info["action_mask"].shape == (3, 3)
    assert over.tolist()[2]


def test_some_tables_begin_anew() -> None:
    env = PokerVectorEnv(4, opponents="quick")
    before, _ = env.reset(seed=1)
    seen, _ = env.reset(options={"reset_mask": np.array([True, False, False, True])})
    assert [bool((before[at] == seen[at]).all()) for at in range(4)] == [False, True, True, False]
    assert (env.reset(seed=[1, 2, 3, 4])[0] == env.reset(seed=[1, 2, 3, 4])[0]).all()


def test_arrays_can_be_lent() -> None:
    env = PokerVectorEnv(4, opponents="call", copy=False)
    seen, _ = env.reset(seed=1)
    after, *_ = env.step(np.ones(4, np.int64))
    assert seen is after
    assert env.action_masks().dtype == np.bool_


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UnknownOpponent):
        PokerVectorEnv(1, opponents="nobody")
    with pytest.raises(UnknownOpponent):
        PokerVectorEnv(1, opponents=["fair", "fair"])
    with pytest.raises(GameError):
        PokerEnv("no.such.game")
