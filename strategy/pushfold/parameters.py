"""The parameters of pushfold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from strategy.parameters import BadParameters, path_field, verify_fields


@dataclass(frozen=True)
class PushFoldParameters:
    """Without a ``strategy``, a file of tables, the exact equilibria are played. Raises BadParameters."""

    strategy: str = path_field("a strategy file to play", "")

    def __post_init__(self) -> None:
        verify_fields(self)
        if self.strategy:
            # Only here: whoever describes parameters needs no numeric library.
            from strategy.pushfold.files import StrategyFileError, load_chart

            try:
                load_chart(Path(self.strategy))
            except (StrategyFileError, OSError) as error:
                raise BadParameters("strategy", self.strategy, str(error)) from None
