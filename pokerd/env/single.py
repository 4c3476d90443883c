"""One table as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import Game
from pokerd.env.errors import ResetFirst
from pokerd.env.tables import DEFAULT_GAME, game_of, tables_with, whole_numbers
from pokerd.env.vector import mask_of, play, spaces
from strategy.batch.menu import POT_SIZES
from strategy.batch.observation import HISTORY

Seen = NDArray[np.float32]


class PokerEnv(gymnasium.Env[Seen, Any]):
    """A learner at one table. An episode is a hand; arguments, observations, rewards and ``info`` are those
    of a table of ``PokerVectorEnv``.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        game: Game | str = DEFAULT_GAME,
        opponents: Sequence[str] | str = "quick",
        *,
        stacks: Sequence[int] | None = None,
        sizes: Sequence[float] = POT_SIZES,
        raise_to: bool = False,
        history: int = HISTORY,
    ) -> None:
        definition = game_of(game)
        self._tables = tables_with(definition, 1, opponents, stacks=stacks, sizes=sizes, history=history)
        self._raise_to = raise_to
        self.observation_space, self.action_space = spaces(
            self._tables, definition, stacks, raise_to=raise_to
        )
        self._begun = self._dealt = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Deal the next hand; with a seed, or in the middle of a hand, begin anew."""
        super().reset(seed=seed)
        if seed is not None or not self._dealt:
            self._tables.reset(int(self.np_random.integers(1 << 62)))
        self._begun, self._dealt = True, False
        return self._tables.seen[0].copy(), self._info()

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Act. Raises ResetFirst and BadAction."""
        tables, chosen = self._tables, whole_numbers(action, self.action_space.shape)
        if not self._begun or self._dealt:
            raise ResetFirst("no hand is in play: reset comes first")
        play(tables, chosen[None], raise_to=self._raise_to)
        self._dealt = over = bool(tables.over[0])
        seen = (tables.finals if over else tables.seen)[0].copy()
        return seen, float(tables.rewards[0, 0]), over, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, bool[actions]; when the hand is over, in the next one."""
        masks: NDArray[np.bool_] = mask_of(self._tables, raise_to=self._raise_to)[0].astype(np.bool_)
        return masks

    def _info(self) -> dict[str, Any]:
        mask = mask_of(self._tables, raise_to=self._raise_to)[0]
        return {"action_mask": mask.copy(), "illegal": bool(self._tables.illegal[0])}
