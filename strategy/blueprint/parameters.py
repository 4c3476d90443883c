"""The parameters that all bots with a blueprint have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from strategy.parameters import path_field, verify_fields

if TYPE_CHECKING:
    from strategy.blueprint.blueprint import Blueprint


@dataclass(frozen=True)
class BlueprintParameters:
    """Without a ``blueprint`` the one that comes with pokerd is played. Raises BadParameters, for a file that
    is none too.
    """

    blueprint: str = path_field("a blueprint other than pokerd's own", "")

    def __post_init__(self) -> None:
        verify_fields(self)
        if self.blueprint:
            self.load()

    def load(self) -> Blueprint:
        """Return the blueprint that the parameters name."""
        # Only here: whoever reads or describes parameters needs no compiler.
        from strategy.blueprint.blueprint import load_blueprint

        return load_blueprint(Path(self.blueprint) if self.blueprint else None)
