"""The parameters of Loki."""

from __future__ import annotations

from dataclasses import dataclass

from strategy.parameters import BadParameters, choice_field, int_field, number_field, verify_fields


@dataclass(frozen=True)
class LokiParameters:
    """``model``: no weights, weights by the default frequencies (generic), or by observed ones where
    available (specific). Raises BadParameters.
    """

    tightness: str = choice_field(
        "plays 18, 24 or 30 % of hands before the flop", "loose", "tight", "moderate", "loose"
    )
    model: str = choice_field(
        "opponents have any hand, or hands by usual or their own frequencies",
        "specific",
        "none",
        "generic",
        "specific",
    )
    bet_at: float = number_field("hand strength (EHS) from which it bets or calls", 0.5, 0, 1)
    raise_at: float = number_field("hand strength (EHS) from which it raises; at least bet_at", 0.85, 0, 1)
    trials: int = int_field("trials of a simulation", 500, 1, 1_000_000, stranger_high=2000)
    triples: str = choice_field(
        "its own triples bet weak hands often or seldom, or are the example's of Peña 1999, 4.1",
        "bluffing",
        "bluffing",
        "cautious",
        "example",
    )
    soft: float = number_field("half the width of the edge between two actions, in EHS", 0.1, 0.001, 0.25)

    def __post_init__(self) -> None:
        verify_fields(self)
        if self.raise_at < self.bet_at:
            raise BadParameters("raise_at", self.raise_at, "must be at least bet_at")
