"""What the environments are made of: tables with opponents, compiled where all of them are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import Game, load_game
from pokerd.env.errors import BadAction
from strategy.batch.learning import LearningTables
from strategy.batch.opponents import QUICK, UnknownOpponent

DEFAULT_GAME = "holdem.limit.2p.reverse_blinds"


class Tables(Protocol):
    """The common part of ``LearningTables`` and ``HouseTables``: see there."""

    seen: NDArray[np.float32]
    finals: NDArray[np.float32]
    mask: NDArray[np.int8]
    rewards: NDArray[np.float64]
    over: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    waits: NDArray[np.bool_]

    def reset(self, seed: object, places: NDArray[np.int64] | None = None) -> None:
        """Begin anew."""

    def choose(self, choices: NDArray[np.int64]) -> None:
        """Act by numbers of the menu."""

    def act(self, kinds: NDArray[np.int8], to: NDArray[np.int64]) -> None:
        """Act with any raise."""


def game_of(game: Game | str) -> Game:
    """Return a game, or load it by its name or from its file. Raises GameError."""
    return game if isinstance(game, Game) else load_game(game)


def opponents_of(game: Game, opponents: Sequence[str] | str) -> list[str]:
    """Return the names for seats 1, 2, ..., of which one is for all. Raises UnknownOpponent if there are too
    few or too many.
    """
    names = [opponents] * (game.players - 1) if isinstance(opponents, str) else list(opponents)
    if len(names) != game.players - 1:
        raise UnknownOpponent(f"{game.players - 1} opponents are needed, not {len(names)}")
    return names


def whole_numbers(actions: object, shape: tuple[int, ...] | None) -> NDArray[np.int64]:
    """Return actions as an array of this shape, which compiled loops do not check. Raises BadAction."""
    array = np.asarray(actions)
    if array.shape != shape or not np.issubdtype(array.dtype, np.integer):
        raise BadAction(
            f"actions are whole numbers of shape {shape}, not {array.dtype} of shape {array.shape}"
        )
    return array.astype(np.int64)


def tables_with(game: Game, size: int, opponents: Sequence[str] | str, **settings: Any) -> Tables:
    """Return tables with these opponents, as in ``opponents_of``.

    Raises what ``LearningTables`` and ``HouseTables`` raise.
    """
    names = opponents_of(game, opponents)
    if all(name in QUICK for name in names):
        return LearningTables(game, size, names, last_seen=True, **settings)
    # Bots in Python, and what they need, take a second to import.
    from pokerd.env.house import HouseTables

    return HouseTables(game, size, names, **settings)
