"""The parameters of hbb6."""

from __future__ import annotations

from dataclasses import dataclass

from strategy.parameters import choice_field, number_field, verify_fields


@dataclass(frozen=True)
class Hbb6Parameters:
    """``after_fold``: the strategy after one of three has folded: the heads-up ``blueprint`` of the resulting
    flop game, its ``own`` strategy, or ``ownbot``, which maps to the blueprint of heads-up tables. Raises
    BadParameters.
    """

    after_fold: str = choice_field("the strategy after a fold", "blueprint", "blueprint", "own", "ownbot")
    least: float = number_field("leaves out actions that are rarer than this", 0.0, 0.0, 0.33)

    def __post_init__(self) -> None:
        verify_fields(self)
