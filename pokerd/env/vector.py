"""Thousands of tables as one Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete, Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from dealer.rules.games import Game
from pokerd.env.errors import BadReset, ResetFirst
from pokerd.env.tables import DEFAULT_GAME, Tables, game_of, tables_with, whole_numbers
from strategy.batch.betting import CALL, FOLD, RAISE
from strategy.batch.menu import POT_SIZES
from strategy.batch.observation import HISTORY, largest

Seen = NDArray[np.float32]
Chosen = NDArray[np.int64]

_NO_SEED = 1 << 64
"""What stands for None among the seeds of tables."""
_MODES = (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)


class PokerVectorEnv(VectorEnv[Seen, Chosen, NDArray[Any]]):
    """A learner at ``num_envs`` tables. An episode is a hand; the next begins in the same step, or with
    ``autoreset_mode`` NEXT_STEP in the next one, whose action counts for nothing there.

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

    Raises GameError, UnplayableGame, BadMenu, BadHistory, UnknownOpponent, and BadReset for another mode.
    """

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
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        definition = game_of(game)
        tables = tables_with(definition, num_envs, opponents, stacks=stacks, sizes=sizes, history=history)
        self._sit(tables, definition, stacks, raise_to=raise_to, copy=copy, autoreset_mode=autoreset_mode)

    def _sit(
        self,
        tables: Tables,
        definition: Game,
        stacks: Sequence[int] | None,
        *,
        raise_to: bool,
        copy: bool,
        autoreset_mode: AutoresetMode | str,
    ) -> None:
        """Play at these tables. Raises BadReset."""
        mode = next((mode for mode in _MODES if autoreset_mode in (mode, mode.value)), None)
        if mode is None:
            raise BadReset("hands follow each other: autoreset is SAME_STEP or NEXT_STEP")
        self.metadata = {"render_modes": [], "autoreset_mode": mode}
        self._same_step = mode is AutoresetMode.SAME_STEP
        self.tables = tables
        self.num_envs = num_envs = len(tables.seen)
        self._raise_to, self._copy = raise_to, copy
        self.single_observation_space, self.single_action_space = spaces(
            self.tables, definition, stacks, raise_to=raise_to
        )
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._truncated = np.zeros(num_envs, np.bool_)
        self._begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Deal anew; ``options["reset_mask"]``, bool[num_envs], says at which tables.

        The same seed gives the same cards and opponents. A seed for each table, or None, is taken as one
        seed. Raises BadReset, and ResetFirst for some tables before all have begun.
        """
        places, seed = self._places(options), self._one_seed(seed)
        super().reset(seed=seed)
        self.tables.reset(int(self.np_random.integers(1 << 62)), places)
        self._begun = True
        return self._shown(), self._info()

    def step(
        self, actions: Chosen
    ) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Act at every table. Raises ResetFirst and BadAction."""
        chosen = whole_numbers(actions, self.action_space.shape)
        if not self._begun:
            raise ResetFirst("no hand has begun: reset comes first")
        tables = self.tables
        tables.waits[:] = False if self._same_step else tables.over
        play(tables, chosen, raise_to=self._raise_to)
        info, over, rewards = self._info(), tables.over.copy(), tables.rewards[:, 0].copy()
        if self._same_step and over.any():
            info["final_obs"], info["_final_obs"] = self._own(tables.finals), over.copy()
        return self._shown(), rewards, over, self._truncated.copy(), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, bool[num_envs, actions]."""
        return mask_of(self.tables, raise_to=self._raise_to).astype(np.bool_)

    def _shown(self) -> Seen:
        tables = self.tables
        if self._same_step:
            return self._own(tables.seen)
        return np.where(tables.over[:, None], tables.finals, tables.seen)

    def _info(self) -> dict[str, Any]:
        mask = mask_of(self.tables, raise_to=self._raise_to)
        return {"action_mask": self._own(mask), "illegal": self._own(self.tables.illegal)}

    def _places(self, options: dict[str, Any] | None) -> NDArray[np.int64] | None:
        """Return which tables are to begin anew (None: all). Raises BadReset and ResetFirst."""
        chosen = (options or {}).get("reset_mask")
        if chosen is None:
            return None
        mask = np.asarray(chosen)
        if mask.shape != (self.num_envs,):
            raise BadReset(f"a reset_mask of shape ({self.num_envs},) is needed, not {mask.shape}")
        if not self._begun and not mask.all():
            raise ResetFirst("no hand has begun: reset all tables first")
        return np.flatnonzero(mask)

    def _one_seed(self, seed: int | Sequence[int | None] | None) -> int | None:
        """Return the one seed that the seeds of the tables make. Raises BadReset."""
        if not isinstance(seed, Sequence):
            return seed
        if len(seed) != self.num_envs or any(one is not None and one < 0 for one in seed):
            raise BadReset(f"a seed from 0 on, or None, is needed for each of {self.num_envs} tables")
        if all(one is None for one in seed):
            return None
        seeds = [_NO_SEED if one is None else int(one) for one in seed]
        return int(np.random.SeedSequence(seeds).generate_state(1)[0])

    def _own(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array


def spaces(
    tables: Tables, game: Game, stacks: Sequence[int] | None, *, raise_to: bool
) -> tuple[Box, Space[Any]]:
    """Return the spaces of one table."""
    most = max(game.stacks if stacks is None else stacks)
    seen = Box(0.0, largest(game.players, most / game.min_bet), (tables.seen.shape[1],), np.float32)
    return seen, MultiDiscrete([3, most + 1]) if raise_to else Discrete(tables.mask.shape[1])


def play(tables: Tables, actions: Chosen, *, raise_to: bool) -> None:
    """Do the actions of a space of ``spaces`` at every table; numbers of no action are not legal."""
    if raise_to:
        kinds, to = actions.T
        # As int8 a large number could be one of the three.
        known = (kinds >= FOLD) & (kinds <= RAISE)
        tables.act(np.where(known, kinds, -1).astype(np.int8), to.copy())
    else:
        tables.choose(actions)


def mask_of(tables: Tables, *, raise_to: bool) -> NDArray[np.int8]:
    """Return which actions are legal; with ``raise_to`` these are fold, check or call, and raise."""
    return tables.mask[:, [FOLD, CALL, -1]] if raise_to else tables.mask
