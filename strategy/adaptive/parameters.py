"""The parameters of the adaptive players."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from strategy.adaptive.learning import STREETS
from strategy.parameters import (
    BadParameters,
    choice_field,
    int_field,
    number_field,
    numbers_field,
    verify_fields,
)

TUNED_PATH = Path(__file__).parents[1] / "data" / "adaptive2.json"
"""The result of the search for adaptive2's defaults, and its settings."""

_tuned: dict[str, float] = json.loads(TUNED_PATH.read_text(encoding="ascii"))["parameters"]


@dataclass(frozen=True)
class AdaptiveParameters:
    """The settings that the document varies; the defaults are the best configuration that it found (6.3).

    It does not give ``learn_every``, nor ``gap``: 0.01 is the largest that its results allow. Its
    ``min_raise`` is ``bb`` (3.1.4); the table's own minimum always applies. Raises BadParameters.
    """

    raise_at: float = number_field("raises when the weighted sum is at least this", 0.55, 0, 1)
    fold_below: float = number_field("folds when the sum is below this", 0.3, 0, 1)
    weight_v: float = number_field("weight of the cards; the four weights sum to 1", 0.6, 0, 1)
    weight_p: float = number_field("weight of the position", 0.1, 0, 1)
    weight_b: float = number_field("weight of the price to call", 0.2, 0, 1)
    weight_s: float = number_field("weight of the stack", 0.1, 0, 1)
    mu: tuple[float, ...] = numbers_field(
        "size of a learning step, or a size for each street", (0.02,), (1, STREETS), 0, 1
    )
    learn_every: int = int_field("hands between learning steps; 0: it never learns", 0, 0, 1_000_000)
    gap: float = number_field("smallest distance between the two thresholds", 0.01, 0, 1)
    memory: str = choice_field(
        "learns from all hands, or from those since the last step (window)", "all", "all", "window"
    )
    min_raise: str = choice_field(
        "smallest raise: by a big blind, or by the last raise", "bb", "bb", "last_raise"
    )

    def __post_init__(self) -> None:
        verify_fields(self)
        total = sum(self.weights)
        if not abs(total - 1) < 1e-9:
            raise BadParameters("weight_v, weight_p, weight_b, weight_s", self.weights, "must sum to 1")
        if self.raise_at - self.fold_below < self.gap - 1e-9:
            raise BadParameters("raise_at", self.raise_at, "must be at least fold_below + gap")

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """Return the weights of V, P, B and S."""
        return self.weight_v, self.weight_p, self.weight_b, self.weight_s

    @property
    def steps(self) -> tuple[float, ...]:
        """Return mu by street."""
        return self.mu * STREETS if len(self.mu) == 1 else self.mu


@dataclass(frozen=True)
class LearningParameters(AdaptiveParameters):
    """As ``AdaptiveParameters``, but for ``learn_every``. Raises BadParameters."""

    learn_every: int = int_field("hands between learning steps", 10, 1, 1_000_000)


def _number(meaning: str, key: str, low: float, high: float) -> float:
    default: float = number_field(meaning, _tuned[key], low, high)
    return default


@dataclass(frozen=True)
class Adaptive2Parameters:
    """The defaults are what the search found, but for ``loose``, which is off. ``respect`` is added to the
    threshold of folding, ``crowd`` and ``caution`` to all. Raises BadParameters.
    """

    weight_v: float = _number("weight of the cards; the weights are divided by their sum", "weight_v", 0, 10)
    weight_p: float = _number("weight of the position", "weight_p", 0, 10)
    weight_b: float = _number("weight of the price to call", "weight_b", 0, 10)
    weight_s: float = _number("weight of the stack", "weight_s", 0, 10)
    raise_preflop: float = _number(
        "before the flop, raises from here on; at least fold_preflop", "raise_preflop", 0, 1
    )
    fold_preflop: float = _number("before the flop, folds below this", "fold_preflop", 0, 1)
    raise_postflop: float = _number(
        "after it, raises from here on; at least fold_postflop", "raise_postflop", 0, 1
    )
    fold_postflop: float = _number("after it, folds below this", "fold_postflop", 0, 1)
    crowd: float = _number("added to all thresholds for the 2nd to 4th opponent each", "crowd", -1, 1)
    caution: float = _number("added to all thresholds if everybody always raises", "caution", -1, 1)
    respect: float = _number("added to the fold threshold if the bettor never bets", "respect", -1, 1)
    catch: float = _number("taken off the fold threshold if the bettor always bluffs", "catch", -1, 1)
    mu: float = _number("size of a learning step", "mu", 0, 1)
    bluff: float = _number("share of profitable bluffs that it tries", "bluff", 0, 1)
    size: float = _number("natural logarithm of a raise in pots", "size", -3, 4)
    size_worth: float = _number("added to size for the best hand", "size_worth", -4, 4)
    size_call: float = _number("added to size if nobody ever folds", "size_call", -4, 4)
    size_spread: float = _number("largest random deviation of size", "size_spread", 0.2, 2)

    loose: float = number_field(
        "added to size, and off the chance that a bluff works, if others always call with weak hands",
        0.0,
        0,
        4,
    )

    def __post_init__(self) -> None:
        verify_fields(self)
        if not sum(self._given) > 0:
            raise BadParameters("weight_v, weight_p, weight_b, weight_s", self._given, "must not all be 0")
        for key in ("preflop", "postflop"):
            raise_at: float = getattr(self, f"raise_{key}")
            if raise_at < getattr(self, f"fold_{key}"):
                raise BadParameters(f"raise_{key}", raise_at, f"must be at least fold_{key}")

    @property
    def _given(self) -> tuple[float, float, float, float]:
        return self.weight_v, self.weight_p, self.weight_b, self.weight_s

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """Return the weights of V, P, B and S; they sum to 1."""
        v, p, b, s = (one / sum(self._given) for one in self._given)
        return v, p, b, s
