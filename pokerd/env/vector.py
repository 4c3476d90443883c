"""Thousands of tables as one Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete, Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from dealer.rules.games import Game
from pokerd.env.tables import DEFAULT_GAME, Tables, game_of, tables_with
from strategy.batch.betting import CALL, FOLD
from strategy.batch.menu import POT_SIZES
from strategy.batch.observation import HISTORY, largest

Seen = NDArray[np.float32]
Chosen = NDArray[np.int64]


class PokerVectorEnv(VectorEnv[Seen, Chosen, NDArray[Any]]):
    """A learner at ``num_envs`` tables. An episode is a hand; the next begins in the same step.

    ``game`` is a game or its name; ``opponents`` are names, one for all or one for each: compiled opponents
    (``strategy.batch.opponents``), or house bots, which are as slow as they are. ``stacks`` are chips by
    position (default: the game's); ``sizes`` the raises of the menu (``strategy.batch.menu``). With
    ``raise_to`` an action is two numbers, 0 to 2 for fold, check or call, and raise, and the street total of
    a raise. ``history`` is the number of actions that an observation holds.

    Observations, float32[num_envs, n], are described by ``strategy.batch.observation.fields``. A reward is
    what the hand won, in big blinds, when it is over. ``info`` has ``action_mask``, int8[num_envs, actions],
    ``illegal``, which actions were not legal (they count as a check, or else as a fold), and, where a hand is
    over (``_final_obs``), ``final_obs``, what was seen last. Hands in which the learner is never asked are
    dealt and left out. With ``copy=False`` arrays are the environment's own, which the next step overwrites.

    Raises GameError, UnplayableGame, BadMenu, BadHistory and UnknownOpponent.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        game: Game | str = DEFAULT_GAME,
        opponents: Sequence[str] | str = "quick",
        *,
        stacks: Sequence[int] | None = None,
        sizes: Sequence[float] = POT_SIZES,
        raise_to: bool = False,
        history: int = HISTORY,
        copy: bool = True,
    ) -> None:
        definition = game_of(game)
        tables = tables_with(definition, num_envs, opponents, stacks=stacks, sizes=sizes, history=history)
        self._sit(tables, definition, stacks, raise_to=raise_to, copy=copy)

    def _sit(
        self, tables: Tables, definition: Game, stacks: Sequence[int] | None, *, raise_to: bool, copy: bool
    ) -> None:
        """Play at these tables."""
        self.tables = tables
        self.num_envs = num_envs = len(tables.seen)
        self._raise_to, self._copy = raise_to, copy
        self.single_observation_space, self.single_action_space = spaces(
            self.tables, definition, stacks, raise_to=raise_to
        )
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._truncated = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Deal anew; ``options["reset_mask"]``, bool[num_envs], says at which tables.

        The same seed gives the same cards and opponents. A seed for each table is taken as one seed. Raises
        ValueError for a mask of another shape.
        """
        chosen = (options or {}).get("reset_mask")
        places = None
        if chosen is not None:
            places = np.flatnonzero(self._shaped("reset_mask", chosen, (self.num_envs,)))
        if isinstance(seed, Sequence):
            seed = int(np.random.SeedSequence([*map(int, seed)]).generate_state(1)[0])  # type: ignore[arg-type]
        super().reset(seed=seed)
        self.tables.reset(int(self.np_random.integers(1 << 62)), places)
        return self._own(self.tables.seen), self._info()

    def step(
        self, actions: Chosen
    ) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Act at every table. Raises ValueError for actions of another shape than ``action_space`` has."""
        chosen = self._shaped("actions", actions, self.action_space.shape)
        play(self.tables, chosen, raise_to=self._raise_to)
        tables, info = self.tables, self._info()
        if tables.over.any():
            info["final_obs"], info["_final_obs"] = self._own(tables.finals), tables.over.copy()
        rewards = tables.rewards[:, 0].copy()
        return self._own(tables.seen), rewards, tables.over.copy(), self._truncated.copy(), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, bool[num_envs, actions]."""
        return mask_of(self.tables, raise_to=self._raise_to).astype(np.bool_)

    def _info(self) -> dict[str, Any]:
        mask = mask_of(self.tables, raise_to=self._raise_to)
        return {"action_mask": self._own(mask), "illegal": self._own(self.tables.illegal)}

    @staticmethod
    def _shaped(name: str, values: object, shape: tuple[int, ...] | None) -> NDArray[Any]:
        """Return values as an array. Compiled loops do not notice that it is too short, or too long."""
        array = np.asarray(values)
        if array.shape != shape:
            raise ValueError(f"{name} of shape {shape} are needed, not {array.shape}")
        return array

    def _own(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array


def spaces(
    tables: Tables, game: Game, stacks: Sequence[int] | None, *, raise_to: bool
) -> tuple[Box, Space[Any]]:
    """Return the spaces of one table."""
    most = max(game.stacks if stacks is None else stacks)
    seen = Box(0.0, largest(game.players, most / game.min_bet), (tables.seen.shape[1],), np.float32)
    return seen, MultiDiscrete([3, most + 1]) if raise_to else Discrete(tables.mask.shape[1])


def play(tables: Tables, actions: NDArray[Any], *, raise_to: bool) -> None:
    """Do the actions of a space of ``spaces`` at every table."""
    if raise_to:
        tables.act(actions[:, 0].astype(np.int8), actions[:, 1].astype(np.int64))
    else:
        tables.choose(actions.astype(np.int64))


def mask_of(tables: Tables, *, raise_to: bool) -> NDArray[np.int8]:
    """Return which actions are legal; with ``raise_to`` these are fold, check or call, and raise."""
    return tables.mask[:, [FOLD, CALL, -1]] if raise_to else tables.mask
