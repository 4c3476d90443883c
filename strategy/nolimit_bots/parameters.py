"""The parameters of ``nolimit`` and ``nolimit+search``."""

from __future__ import annotations

from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path
from typing import TYPE_CHECKING

from strategy.errors import StrategyError
from strategy.parameters import BadParameters, int_field, path_field, verify_fields

if TYPE_CHECKING:
    from strategy.nolimit_bots.policy import NoLimitPolicy


@dataclass(frozen=True)
class NoLimitParameters:
    """Without a ``strategy``, a file of ``make``, the shipped ones are played. Raises BadParameters."""

    strategy: str = path_field("a strategy to play heads-up with any stacks", "")

    def __post_init__(self) -> None:
        verify_fields(self)
        if self.strategy:
            self.load()

    def load(self) -> NoLimitPolicy:
        """Return the strategy that the parameters name."""
        # Only here: whoever reads or describes parameters needs no compiler.
        from strategy.nolimit_bots.policy import read_policy

        try:
            return read_policy(Path(self.strategy))
        except (OSError, ValueError, KeyError, TypeError, LZMAError, StrategyError) as error:
            raise BadParameters(
                "strategy", self.strategy, f"no file of nolimit_bots.make: {error}"
            ) from error


@dataclass(frozen=True)
class SearchParameters:
    """How long turns and rivers are solved at the table. Raises BadParameters."""

    iterations: int = int_field("iterations to solve a river", 200, 1, 100_000, stranger_high=1000)
    turn_iterations: int = int_field(
        "iterations to solve a turn; 0: turns are not solved", 60, 0, 10_000, stranger_high=100
    )

    def __post_init__(self) -> None:
        verify_fields(self)
