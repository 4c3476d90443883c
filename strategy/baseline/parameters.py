"""The parameters of fair."""

from __future__ import annotations

from dataclasses import dataclass

from strategy.parameters import choice_field, verify_fields


@dataclass(frozen=True)
class FairParameters:
    """``preflop``: by the table, or by the odds as after the flop. Raises BadParameters."""

    preflop: str = choice_field(
        "before the flop, plays by a table of hands or by odds", "table", "table", "odds"
    )

    def __post_init__(self) -> None:
        verify_fields(self)
