"""The parameters of cfr and cfr+river."""

from __future__ import annotations

from dataclasses import dataclass

from strategy.blueprint.parameters import BlueprintParameters
from strategy.parameters import bool_field, int_field

__all__ = ["BlueprintParameters", "RiverParameters"]


@dataclass(frozen=True)
class RiverParameters(BlueprintParameters):
    """``safe``: whether no opponent may do better than against the blueprint. Raises BadParameters."""

    iterations: int = int_field("most iterations to solve a river", 1000, 1, 1_000_000, stranger_high=2000)
    safe: bool = bool_field("opponents gain little over the blueprint", True)
