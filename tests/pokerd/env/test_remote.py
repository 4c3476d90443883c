"""The environment at a server's tables is the environment at one's own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from websockets.sync.server import serve

from dealer.rules.games import Game, holdem
from pokerd.env import PokerVectorEnv, RemoteVectorEnv
from pokerd.env.errors import ResetFirst
from pokerd.env.remote import RemoteError
from server.net import batch_room
from server.net.batch_room import BatchLimits
from strategy.batch.observation import BadHistory
from strategy.batch.opponents import QUICK, UnknownOpponent
from tests.pokerd.env.walks import compare_modes, same, walk
from tests.support.batches import serving

GAMES = [
    holdem(2, 5, 10, limit=True, stack=1000),
    holdem(6, 1, 2, stack=200),
    holdem(3, 5, 10, ante=2, stack=90, rules="acpc"),
    holdem(4, 5, 10, stack=120, rules="pushfold"),
]
games = pytest.mark.parametrize("game", GAMES, ids=["limit", "no-limit", "acpc", "pushfold"])


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(BatchLimits(8, 60.0, seeds=True)) as served:
        yield served.url


@games
@pytest.mark.parametrize("history", [4, 32])
def test_the_same_seed_and_actions_give_the_same(url: str, game: Game, history: int) -> None:
    here = PokerVectorEnv(20, game, "quick", history=history)
    there = RemoteVectorEnv(url, 20, game, "quick", history=history)
    assert here.observation_space == there.observation_space
    assert here.action_space == there.action_space
    walks = [walk(env, 60, 7) for env in (here, there)]
    assert same(*walks)
    assert sum(int(over.sum()) for _, _, _, over, _ in walks[0][1:]) > 50
    assert there.observation_space.contains(walks[1][-1][0])
    there.close()


def test_any_raise_and_what_is_not_legal(url: str) -> None:
    game, random = holdem(3, 1, 2, stack=100), np.random.default_rng(3)
    here = PokerVectorEnv(30, game, ["quick", "random"], raise_to=True)
    there = RemoteVectorEnv(url, 30, game, ["quick", "random"], raise_to=True)
    for env in (here, there):
        env.reset(seed=2)
    illegal = 0
    for _ in range(80):
        # Beyond the three: 258 would be a raise in one byte.
        kinds = random.choice([-1, 0, 1, 2, 3, 258], 30)
        actions = np.stack([kinds, random.integers(0, 110, 30)], axis=1)
        one, other = here.step(actions), there.step(actions)
        assert same([one[:4]], [other[:4]])
        assert (one[4]["illegal"] == other[4]["illegal"]).all()
        assert (here.action_masks() == there.action_masks()).all()
        illegal += int(one[4]["illegal"].sum())
    assert illegal > 100
    there.close()


def test_numbers_of_no_action_and_own_stacks(url: str) -> None:
    settings = {"game": holdem(3, 1, 2), "opponents": "call", "stacks": (3, 50, 80), "sizes": (0.0, 0.7)}
    here = PokerVectorEnv(9, **settings)  # type: ignore[arg-type]
    there = RemoteVectorEnv(url, 9, **settings)  # type: ignore[arg-type]
    for env in (here, there):
        env.reset(seed=[4, None, *range(7)])
    for choice in (9, -1, 2, 3, 4, 1, 0) * 5:
        one, other = (env.step(np.full(9, choice)) for env in (here, there))
        assert same([one[:4]], [other[:4]])
        assert (one[4]["illegal"] == other[4]["illegal"]).all()
    there.close()


def test_the_next_hand_can_begin_in_the_next_step(url: str) -> None:
    there = RemoteVectorEnv(url, 6, opponents="quick", autoreset_mode=AutoresetMode.NEXT_STEP)
    compare_modes(PokerVectorEnv(6, opponents="quick"), there)
    there.close()


def test_as_many_opponents_as_seats_are_needed() -> None:
    for opponents in ([], ["call", "call"]):
        with pytest.raises(UnknownOpponent):
            RemoteVectorEnv("ws://127.0.0.1:1", 8, opponents=opponents)


def test_a_step_needs_tables(url: str) -> None:
    env = RemoteVectorEnv(url, 8, opponents="call", raise_to=True)
    actions = np.ones((8, 2), np.int64)
    with pytest.raises(ResetFirst):
        env.step(actions)
    env.reset()
    env.step(actions)
    env.close()
    with pytest.raises(ResetFirst):
        env.step(actions)


def test_who_forgets_an_environment_has_left() -> None:
    """There is one place, and one player of that name."""
    with serving(BatchLimits(1, 60.0)) as served:
        for _ in range(3):
            RemoteVectorEnv(served.url, 8, opponents="call").reset()
        env = RemoteVectorEnv(served.url, 8, opponents="call")
        for _ in range(2):
            env.reset()
            env.close()
        RemoteVectorEnv(served.url, 8, opponents="call").reset()


def test_a_server_of_something_else_is_told_at_once() -> None:
    with serve(lambda _: None, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with pytest.raises(RemoteError, match="no batches") as refused:
                RemoteVectorEnv(f"ws://127.0.0.1:{server.socket.getsockname()[1]}", 8).reset()
            assert refused.value.code == "closed"
        finally:
            server.shutdown()
            thread.join()


def test_without_a_seed_no_two_are_alike(url: str) -> None:
    env = RemoteVectorEnv(url, 8, opponents="call")
    first, _ = env.reset()
    second, _ = env.reset()
    assert (first != second).any()
    env.close()


def test_every_compiled_opponent_can_be_met(url: str) -> None:
    game = holdem(len(QUICK) + 1, 1, 2, stack=100)
    here = PokerVectorEnv(10, game, QUICK)
    there = RemoteVectorEnv(url, 10, game, QUICK)
    assert same(*[walk(env, 20, 3) for env in (here, there)])
    there.close()


def test_what_a_server_refuses_has_a_code(url: str) -> None:
    for other in ("nobody", "fair"):  # which decides in Python
        env = RemoteVectorEnv(url, 8, opponents=other)
        with pytest.raises(RemoteError, match=r"unknown_opponent.*quick") as refused:
            env.reset()
        assert refused.value.code == "bad_table"
    env = RemoteVectorEnv(url, 8, opponents="call")
    with pytest.raises(RemoteError) as refused:
        env.reset(options={"reset_mask": np.ones(8, np.bool_)})
    assert refused.value.code == "not_there"


@pytest.mark.parametrize("wrong", ["ws://127.0.0.1:1", "nonsense", "http://127.0.0.1:1"])
def test_a_server_that_is_not_there_is_closed(wrong: str) -> None:
    with pytest.raises(RemoteError) as refused:
        RemoteVectorEnv(wrong, 8, opponents="call").reset()
    assert refused.value.code == "closed"


def test_a_server_that_freezes_is_given_up_in_time(no_error_logged: list[str]) -> None:
    with serving(BatchLimits(2, 60.0)) as served:
        thaw = threading.Event()
        env = RemoteVectorEnv(served.url, 8, opponents="call", timeout=0.5)
        env.reset()
        try:
            served.house._loop.call_soon_threadsafe(thaw.wait, 60.0)
            began = time.monotonic()
            with pytest.raises(RemoteError, match=r"timeout=0\.5") as given_up:
                env.step(np.ones(8, np.int64))
            assert time.monotonic() - began < 10
            assert given_up.value.code == "closed"
        finally:
            thaw.set()
            env.close()
    # The library reports that its pings were not answered.
    no_error_logged[:] = [one for one in no_error_logged if "keepalive ping failed" not in one]


def call_on(env: RemoteVectorEnv) -> NoReturn:
    while True:
        env.step(np.ones(env.num_envs, np.int64))


def test_a_record_that_is_full_ends_the_tables_until_the_next_reset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_room, "MAX_RECORD", 2000)
    with serving(BatchLimits(2, 60.0, records=tmp_path)) as served:
        env = RemoteVectorEnv(served.url, 8, opponents="quick", records=True)
        for _ in range(2):
            env.reset()
            with pytest.raises(RemoteError, match="no more hands") as ended:
                call_on(env)
            assert ended.value.code == "closed"
        env.close()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_history_of_nothing_is_refused_before_connecting() -> None:
    with pytest.raises(BadHistory):
        RemoteVectorEnv("ws://127.0.0.1:1", 8, opponents="call", history=0)
