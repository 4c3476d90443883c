"""A net learns heads-up limit hold'em by MaskablePPO of sb3-contrib, against compiled opponents.

It needs the extra ``examples``; on a machine without a GPU install PyTorch's small build for CPUs first:

    pip install 'pokerd[examples]'
    python clients/examples/learners/learn_ppo.py --minutes 10 --out ppo.npz

``net_policy.py`` plays what is saved, without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv
from torch import nn, set_num_threads

from clients.examples.learners.kernels import Seen
from clients.examples.learners.learner import GAME, Budget, run
from clients.examples.learners.net_policy import features
from pokerd.env import PokerVectorEnv

OPPONENTS = ("call", "quick", "quick-tight")
TABLES = 512  # with each of them
#: Of rewards: a value net learns best from numbers around 1.
SCALE = 0.1


class Tables(VecEnv):
    """Tables with each of the opponents, as stable-baselines3 wants them."""

    def __init__(self, each: int, seed: int) -> None:
        self.parts = [PokerVectorEnv(each, GAME, name, copy=False) for name in OPPONENTS]
        self.hands, self.won = np.zeros(len(OPPONENTS)), np.zeros(len(OPPONENTS))
        self._seed = seed
        self._chosen = np.zeros(0, np.int64)
        inputs = Box(-np.inf, np.inf, features(self.parts[0].tables.seen).shape[1:], np.float32)
        super().__init__(each * len(OPPONENTS), inputs, self.parts[0].single_action_space)

    def reset(self) -> Seen:
        return self._inputs([part.reset(seed=self._seed + at)[0] for at, part in enumerate(self.parts)])

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._chosen = actions

    def step_wait(self) -> tuple[Seen, Seen, NDArray[np.bool_], list[dict[str, Any]]]:
        chosen = np.split(self._chosen, len(self.parts))
        steps = [part.step(actions) for part, actions in zip(self.parts, chosen, strict=True)]
        self.hands += [over.sum() for _, _, over, _, _ in steps]
        self.won += [rewards.sum() for _, rewards, _, _, _ in steps]
        rewards = np.concatenate([rewards for _, rewards, _, _, _ in steps]).astype(np.float32)
        over = np.concatenate([over for _, _, over, _, _ in steps])
        return self._inputs([seen for seen, *_ in steps]), rewards * SCALE, over, [{}] * self.num_envs

    def env_method(self, method_name: str, *_: Any, **__: Any) -> list[Any]:
        """Return what a method says for every table: ``action_masks`` is all that is asked for."""
        return [row for part in self.parts for row in getattr(part, method_name)()]

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"tables have no {attr_name} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        """There is nothing to close."""

    def _inputs(self, seen: Sequence[Seen]) -> Seen:
        return features(np.concatenate(seen))


class Watch(BaseCallback):
    """Ends the learning when its time is over, and tells how it goes."""

    def __init__(self, tables: Tables, budget: Budget) -> None:
        super().__init__()
        self._tables, self._budget = tables, budget

    def _on_training_start(self) -> None:
        self._budget.start()

    def _on_step(self) -> bool:
        return not self._budget.over(self.num_timesteps)

    def _on_rollout_end(self) -> None:
        tables = self._tables
        won = 1000 * tables.won / np.maximum(1, tables.hands)
        figures = ", ".join(f"{name} {mean:+.0f}" for name, mean in zip(OPPONENTS, won, strict=True))
        if self._budget.tell(self.num_timesteps, f"mbb/hand against {figures}"):
            tables.hands[:] = tables.won[:] = 0


def learn(budget: Budget, seed: int, out: Path) -> None:
    """Learn, and save the layers of the net: weights and biases by turns."""
    # Layers this small are not worth a second thread.
    set_num_threads(1)
    env = Tables(TABLES, seed)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda _: 5e-4 * max(0.02, 1 - budget.done),
        n_steps=32,
        batch_size=2048,
        n_epochs=4,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.003,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": nn.ReLU},
        seed=seed,
        device="cpu",
    )
    model.learn(10**12, callback=Watch(env, budget))
    layers = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    arrays = [array for layer in layers for array in layer.parameters()]
    np.savez(out, *(array.detach().numpy() for array in arrays))


if __name__ == "__main__":
    raise SystemExit(run(learn, Path(__file__).with_name("net_policy.py"), "ppo.npz"))
