"""The parameters of akuma."""

from __future__ import annotations

from dataclasses import dataclass

from strategy.parameters import int_field, number_field, verify_fields


@dataclass(frozen=True)
class AkumaParameters:
    """A call may seem to lose ``explore`` big blinds at first when a weak player is in the hand, half of it
    after ``explore_hands`` hands, and so on. Raises BadParameters.
    """

    trials: int = int_field("trials of a simulation", 1000, 1, 1_000_000, stranger_high=2000)
    prior: float = number_field("choices that the usual frequencies count for", 8, 0.1, 10_000)
    blur: float = number_field("softness of a range's edges", 0.15, 0, 0.5)
    noise: float = number_field("share of actions taken regardless of the cards", 0.1, 0.001, 1)
    explore: float = number_field("big blinds that a call may seem to lose at first", 0.25, 0, 100)
    explore_hands: int = int_field("hands until it is half of that", 100, 1, 1_000_000)

    def __post_init__(self) -> None:
        verify_fields(self)
