"""The parameters of ``nolimit+search``."""

from __future__ import annotations

from dataclasses import dataclass

from strategy.parameters import int_field, verify_fields


@dataclass(frozen=True)
class SearchParameters:
    """How long turns and rivers are solved at the table. Raises BadParameters."""

    iterations: int = int_field("iterations to solve a river", 200, 1, 100_000, stranger_high=1000)
    turn_iterations: int = int_field(
        "iterations to solve a turn; 0: turns are not solved", 60, 0, 10_000, stranger_high=100
    )

    def __post_init__(self) -> None:
        verify_fields(self)
