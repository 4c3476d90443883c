"""The environments pass the checkers of the libraries they are made for, and play by the rules."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import NormalizeObservation
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem
from pokerd.env import PokerAECEnv, PokerEnv, PokerParallelEnv, PokerVectorEnv
from pokerd.env.errors import BadAction, BadReset, ResetFirst
from pokerd.env.house import HouseTables
from strategy.batch.opponents import UnknownOpponent
from strategy.registry import strategy_names
from tests.pokerd.env.walks import compare_modes, same, walk

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


@pytest.mark.filterwarnings(
    "ignore:Observation:UserWarning", "ignore:Environment has not defined a render:UserWarning"
)
@pytest.mark.parametrize(
    ("opponents", "agents"), [("fair", 1), (["random", "quick", "fair"], 3), (["loki1"] * 5, 1)]
)
def test_seats_that_opponents_leave_pass_pettingzoo_s_checks(
    opponents: str | list[str], agents: int, capsys: pytest.CaptureFixture[str]
) -> None:
    game = GAMES[1]
    env = PokerAECEnv(game, opponents)
    assert env.possible_agents == [f"player_{seat}" for seat in range(agents)]
    api_test(env, num_cycles=100)
    seed_test(lambda: PokerAECEnv(game, opponents), num_cycles=30)
    parallel_api_test(PokerParallelEnv(game, opponents), num_cycles=100)
    parallel_seed_test(lambda: PokerParallelEnv(game, opponents), num_cycles=30)
    assert "Passed" in capsys.readouterr().out


def hands_of(env: PokerParallelEnv, hands: int) -> list[dict[str, float]]:
    """What each of these hands paid the agents, who call."""
    paid = []
    for number in range(hands):
        env.reset(seed=None if number else 1)
        rewards: dict[str, float] = {}
        while env.agents:
            _, rewards, _, _, _ = env.step(dict.fromkeys(env.agents, 1))
        paid.append(rewards)
    return paid


def test_opponents_act_for_their_seats() -> None:
    game = holdem(3, 1, 2, stack=100)
    alone = hands_of(PokerParallelEnv(game), 20)
    for opponents in (["call"], ["call", "call"], "call"):
        found = hands_of(PokerParallelEnv(game, opponents), 20)
        # The same cards as where agents that call sit there.
        assert found == [{agent: hand[agent] for agent in found[0]} for hand in alone]
    assert hands_of(PokerParallelEnv(game, "raise"), 20) != hands_of(PokerParallelEnv(game, "call"), 20)


def test_hands_without_a_question_to_an_agent_are_left_out() -> None:
    # All-in or fold: agents in the big blind are not asked when all others fold.
    env = PokerAECEnv(holdem(3, 5, 10, stack=120, rules="pushfold"), "fair")
    for hand in range(60):
        env.reset(seed=None if hand else 1)
        assert env.agent_selection == "player_0"
        assert env.last()[0]["action_mask"].any()


@pytest.mark.parametrize("raise_to", [False, True])
def test_a_whole_number_for_each_table_is_needed(raise_to: bool) -> None:
    env = PokerVectorEnv(8, holdem(2, 5, 10, stack=1000), "call", raise_to=raise_to)
    env.reset(seed=1)
    more = [2] if raise_to else []
    for shape in ([7], [9], [], [8, 3], [1, 8]):
        with pytest.raises(BadAction):
            env.step(np.ones(shape + more, np.int64))
    before = env.action_masks()
    for one in (np.nan, 1.5, 1.0, None):
        with pytest.raises(BadAction):
            env.step(np.full([8, *more], one))
    assert (env.action_masks() == before).all()
    env.step(np.ones([8, *more], np.uint8))


def test_a_single_table_needs_a_whole_number() -> None:
    env = PokerEnv(opponents="call")
    env.reset()
    for action in (np.nan, [1], None, "1"):
        with pytest.raises(BadAction):
            env.step(action)
    env.step(1)


def test_seeds_and_masks_are_for_each_table() -> None:
    env = PokerVectorEnv(2, opponents="call")
    for seeds in ([1], [1, 2, 3], [], [-1, 2]):
        with pytest.raises(BadReset):
            env.reset(seed=seeds)
    one, other, third = (env.reset(seed=seeds)[0] for seeds in ([None, 1], [None, 1], [0, 1]))
    assert (one == other).all()
    assert (one != third).any()
    assert (env.reset(seed=[None, None])[0] != env.reset(seed=[None, None])[0]).any()
    with pytest.raises(BadReset):
        env.reset(options={"reset_mask": np.ones(3, np.bool_)})


@pytest.mark.parametrize("opponents", ["call", "fair"])
def test_reset_comes_before_a_step(opponents: str) -> None:
    env, single = PokerVectorEnv(2, opponents=opponents), PokerEnv(opponents=opponents)
    with pytest.raises(ResetFirst):
        env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ResetFirst):
        env.step(np.ones(2, np.int64))
    with pytest.raises(ResetFirst):
        single.step(1)
    single.reset(seed=1)
    while not single.step(1)[2]:
        pass
    with pytest.raises(ResetFirst):
        single.step(1)
    single.reset()
    single.step(1)


def test_pettingzoo_s_agents_are_told_what_is_wrong() -> None:
    turns, together = PokerAECEnv(opponents="call"), PokerParallelEnv(opponents="call")
    steps: list[Callable[[], object]] = [
        turns.last,
        lambda: turns.observe("player_0"),
        lambda: turns.step(1),
        lambda: together.step({"player_0": 1}),
    ]
    for step in steps:
        with pytest.raises(ResetFirst):
            step()
    turns.reset(seed=1)
    together.reset(seed=1)
    for action in (None, np.nan, 1.5, [1]):
        with pytest.raises(BadAction):
            turns.step(action)  # type: ignore[arg-type]
        with pytest.raises(BadAction):
            together.step({"player_0": action})  # type: ignore[dict-item]
    with pytest.raises(BadAction):
        together.step({})
    with pytest.raises(ValueError, match="player_1"):
        turns.observe("player_1")  # its cards are not the learner's
    while together.agents:
        together.step({"player_0": 1})
    with pytest.raises(ResetFirst):
        together.step({"player_0": 1})
    for agent in turns.agent_iter():
        turns.step(None if turns.terminations[agent] else 1)
    with pytest.raises(ResetFirst):
        turns.step(1)


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


def test_compiled_opponents_and_house_bots_take_stacks_below_a_blind() -> None:
    game, stacks = holdem(3, 5, 10, stack=1000), (3, 50, 80)
    compiled, slow = (PokerVectorEnv(8, game, "call", stacks=stacks) for _ in range(2))
    slow.tables = HouseTables(game, 8, ["call"] * 2, stacks=stacks)
    assert same(walk(compiled, 60, 5), walk(slow, 60, 5))
    walk(PokerVectorEnv(2, game, ["fair", "loki1"], stacks=stacks), 30, 1)
    PokerAECEnv(game, "fair", stacks=stacks).reset()


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


@pytest.mark.parametrize("opponents", ["call", "fair"])
def test_no_large_number_is_a_raise(opponents: str) -> None:
    env = PokerVectorEnv(5, holdem(2, 1, 2, stack=100), opponents, raise_to=True)
    env.reset(seed=1)
    *_, info = env.step(np.array([[256, 0], [257, 0], [258, 37], [2 + (1 << 32), 37], [-254, 37]]))
    assert info["illegal"].all()


def test_some_tables_begin_anew() -> None:
    env = PokerVectorEnv(4, opponents="quick")
    before, _ = env.reset(seed=1)
    seen, _ = env.reset(options={"reset_mask": np.array([True, False, False, True])})
    assert [bool((before[at] == seen[at]).all()) for at in range(4)] == [False, True, True, False]
    assert (env.reset(seed=[1, 2, 3, 4])[0] == env.reset(seed=[1, 2, 3, 4])[0]).all()


@pytest.mark.parametrize("opponents", ["quick", "fair"])
def test_the_next_hand_can_begin_in_the_next_step(opponents: str) -> None:
    same_step = PokerVectorEnv(6, opponents=opponents)
    next_step = PokerVectorEnv(6, opponents=opponents, autoreset_mode=AutoresetMode.NEXT_STEP)
    compare_modes(same_step, next_step)
    normal = NormalizeObservation(next_step)
    assert np.isfinite(normal.reset(seed=1)[0]).all()
    for mode in (AutoresetMode.DISABLED, "Disabled", "SAME_STEP", None):
        with pytest.raises(BadReset):
            PokerVectorEnv(6, autoreset_mode=mode)


def test_a_reset_elsewhere_leaves_what_a_table_that_waits_shows() -> None:
    env = PokerVectorEnv(6, opponents="quick", autoreset_mode=AutoresetMode.NEXT_STEP)
    seen, _ = env.reset(seed=1)
    over = np.zeros(6, np.bool_)
    while not over.any() or over.all():
        seen, _, over, _, _ = env.step(np.zeros(6, np.int64))
    after, _ = env.reset(options={"reset_mask": ~over})
    assert (after[over] == seen[over]).all()
    assert not env.step(np.ones(6, np.int64))[2][over].any()


def test_autoreset_is_named_as_gymnasium_names_it() -> None:
    for mode in AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP:
        env = PokerVectorEnv(2, opponents="call", autoreset_mode=mode.value)
        assert env.metadata["autoreset_mode"] is mode
        env.reset(seed=1)
        while True:
            *_, over, _, info = env.step(np.ones(2, np.int64))
            if over.any():
                break
        assert ("final_obs" in info) == (mode is AutoresetMode.SAME_STEP)


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
    for learner in (PokerEnv, PokerVectorEnv):
        with pytest.raises(UnknownOpponent):
            learner(opponents=[])
    for face in (PokerAECEnv, PokerParallelEnv):
        for opponents in (["nobody"], ["call", "call"]):
            with pytest.raises(UnknownOpponent):
                face(opponents=opponents)
    with pytest.raises(GameError):
        PokerEnv("no.such.game")
