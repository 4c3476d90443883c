"""The 169 classes of hold'em's starting hands, and the equity of each against random hands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dealer.rules.cards import RANKS

MAX_OPPONENTS = 9

TABLE_PATH = Path(__file__).parents[1] / "data" / "preflop_equity.json"
"""Written by ``python -m strategy.poker.preflop_table``."""


def _class_name(high: int, low: int, suited: bool) -> str:
    suffix = "" if high == low else "s" if suited else "o"
    return f"{RANKS[high]}{RANKS[low]}{suffix}"


HAND_CLASSES: tuple[str, ...] = tuple(
    _class_name(max(row, column), min(row, column), row > column)
    for row in range(12, -1, -1)
    for column in range(12, -1, -1)
)
"""Row by row of the usual 13 x 13 grid: AA, AKs, ..., AKo, KK, KQs, ..."""


def hand_class(hole: Sequence[int]) -> str:
    """Return the class of two hole cards, in either order: ``AA``, ``AKs`` (suited), ``AKo``."""
    first, second = hole
    high, low = (first, second) if first >= second else (second, first)
    return _class_name(high >> 2, low >> 2, not (high ^ low) & 3)


def class_combinations(name: str) -> int:
    """Return how many of the 1326 hands are in the class: 6 for a pair, 4 suited, 12 offsuit."""
    return 6 if len(name) == 2 else 4 if name[2] == "s" else 12


def preflop_equity(hole: Sequence[int], opponents: int) -> float:
    """Return the equity before the flop against 1 to 9 random hands, with ties as shares.

    It was sampled once; the file describes how, and standard errors are below 0.001. Raises KeyError for
    another number of opponents.
    """
    return _equities()[hand_class(hole), opponents]


@cache
def _equities() -> dict[tuple[str, int], float]:
    table: dict[str, Any] = json.loads(TABLE_PATH.read_text(encoding="ascii"))
    return {
        (name, opponents): value
        for name, row in table["equity"].items()
        for opponents, value in enumerate(row, start=1)
    }
