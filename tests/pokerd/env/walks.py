"""Random walks through vector environments, and what is seen on them compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from pokerd.env import PokerVectorEnv


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


def compare_modes(same_step: PokerVectorEnv, next_step: PokerVectorEnv) -> None:
    """Play the same hands in both modes, each table by itself: the observations of every table, those at
    the end included, and its rewards are the same.
    """
    courses = []
    for env in (same_step, next_step):
        size = env.num_envs
        seen, info = env.reset(seed=4)
        course: list[list[tuple[list[float], float]]] = [[(row.tolist(), 0.0)] for row in seen]
        over = np.zeros(size, np.bool_)
        for _ in range(60):
            waited = over if env is next_step else np.zeros(size, np.bool_)
            # Calls; a table that waits gets an action that is never legal.
            seen, rewards, over, _, info = env.step(np.where(waited, 99, 1))
            assert not info["illegal"].any()
            assert not (over & waited).any()
            for place in range(size):
                if env is same_step and over[place]:
                    course[place].append((info["final_obs"][place].tolist(), rewards[place]))
                    course[place].append((seen[place].tolist(), 0.0))
                else:
                    course[place].append((seen[place].tolist(), rewards[place]))
        courses.append(course)
    for one, other in zip(*courses, strict=True):
        both = min(len(one), len(other))
        assert one[:both] == other[:both]
        assert sum(reward != 0 for _, reward in other) > 5
