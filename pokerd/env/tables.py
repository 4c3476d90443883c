"""What the environments are made of: tables with opponents, compiled where all of them are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import Game, load_game
from strategy.batch.learning import LearningTables
from strategy.batch.opponents import QUICK

DEFAULT_GAME = "holdem.limit.2p.reverse_blinds"


class Tables(Protocol):
    """The common part of ``LearningTables`` and ``HouseTables``: see there."""

    seen: NDArray[np.float32]
    finals: NDArray[np.float32]
    mask: NDArray[np.int8]
    rewards: NDArray[np.float64]
    over: NDArray[np.bool_]
    illegal: NDArray[np.bool_]

    def reset(self, seed: object, places: NDArray[np.int64] | None = None) -> None:
        """Begin anew."""

    def choose(self, choices: NDArray[np.int64]) -> None:
        """Act by numbers of the menu."""

    def act(self, kinds: NDArray[np.int8], to: NDArray[np.int64]) -> None:
        """Act with any raise."""


def game_of(game: Game | str) -> Game:
    """Return a game, or load it by its name or from its file. Raises GameError."""
    return game if isinstance(game, Game) else load_game(game)


def tables_with(game: Game, size: int, opponents: Sequence[str] | str, **settings: Any) -> Tables:
    """Return tables with these opponents; one name is for all of them.

    Raises what ``LearningTables`` and ``HouseTables`` raise.
    """
    names = [opponents] * (game.players - 1) if isinstance(opponents, str) else list(opponents)
    if all(name in QUICK for name in names):
        return LearningTables(game, size, names, last_seen=True, **settings)
    # Bots in Python, and what they need, take a second to import.
    from pokerd.env.house import HouseTables

    return HouseTables(game, size, names, **settings)
