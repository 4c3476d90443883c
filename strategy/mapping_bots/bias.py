"""The bias of Glöckner 2013, 5.3: folds before the flop as often as a reference bot, by class of hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from strategy.mapping_bots.mapping import Values
from strategy.poker.preflop import hand_class

TABLES_PATH = Path(__file__).parents[1] / "data" / "preflop_tables.json"
"""Appendix B of the document."""

REFERENCE = "hyperborean"
"""Winner of the three-player limit game of the ACPC 2012."""


@cache
def preflop_tables() -> dict[str, dict[str, tuple[float, float, float]]]:
    """Return by bot and class of hole cards how often it folds, calls and raises with three active players
    and something to call. ``(0, 0, 0)`` is a class that it was never dealt.
    """
    document: dict[str, Any] = json.loads(TABLES_PATH.read_text(encoding="ascii"))
    return {
        bot: {name: (cell[0], cell[1], cell[2]) for name, cell in table.items()}
        for bot, table in document["tables"].items()
    }


def fold_shift(bot: str, hole: Sequence[int]) -> float:
    """Return how much more the reference folds than ``bot`` with such a hand, from -1 to 1; 0 if one of them
    has no data.
    """
    tables, name = preflop_tables(), hand_class(hole)
    own, reference = tables[bot][name], tables[REFERENCE][name]
    return reference[0] - own[0] if any(own) and any(reference) else 0.0


def shift_folds(probabilities: Values, shift: float) -> Values:
    """Return fold, call and raise with ``shift`` added to the fold, within 0 and 1.

    The other two keep their ratio. If both are 0, the fold's loss goes to the call.
    """
    fold = min(1.0, max(0.0, float(probabilities[0]) + shift))
    rest = probabilities[1:].sum()
    played = probabilities[1:] / rest if rest > 0 else np.array([1.0, 0.0])
    return np.array([fold, *((1 - fold) * played)])
