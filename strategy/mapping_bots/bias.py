"""The bias of Glöckner 2013, 5.3: with three active players and something to pay, fold as often as a
reference bot.

By the document's own (``hyperborean``) a chance to fold before the flop is shifted by class of hand: by how
much more often the winner of the ACPC 2012 folds (appendix B) than this bot does. By the finer one that its
conclusion asks for (``hbb6``) it is shifted by class and by the actions so far, and on later streets by
street and number of raises, to the folds of hbb6 at the same decisions. ``strategy/data/bias.json`` has what
these bots do; ``python -m studies.gloeckner.make_bias`` measures it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from strategy.mapping_bots.mapping import Values
from strategy.poker.preflop import hand_class
from strategy.situation import Situation

DATA = Path(__file__).parents[1] / "data" / "bias.json"

TABLES_PATH = DATA.with_name("preflop_tables.json")
"""Appendix B of the document."""

REFERENCE = "hyperborean"
"""Winner of the three-player limit game of the ACPC 2012."""


@cache
def preflop_tables() -> dict[str, dict[str, tuple[float, float, float]]]:
    """Return the document's tables: by bot and class of hole cards how often it folds, calls and raises with
    three active players and something to call. ``(0, 0, 0)`` is a class that it was never dealt.
    """
    document: dict[str, Any] = json.loads(TABLES_PATH.read_text(encoding="ascii"))
    return {
        bot: {name: (cell[0], cell[1], cell[2]) for name, cell in table.items()}
        for bot, table in document["tables"].items()
    }


@cache
def _measured() -> dict[str, dict[str, dict[str, float]]]:
    found: dict[str, dict[str, dict[str, float]]] = json.loads(DATA.read_text(encoding="ascii"))["bots"]
    return found


def preflop_key(situation: Situation, name: str) -> str:
    """Return the key of a class of hands after the actions so far."""
    return f"{''.join(step.kind[0] for step in situation.history)} {name}"


def later_key(situation: Situation) -> str:
    """Return the key of a decision after the flop: street and raises."""
    return f"{situation.street} {situation.raises}"


def fold_shift(bot: str, hole: Sequence[int]) -> float:
    """Return how much more the reference folds than ``bot`` with such a hand before the flop, from -1 to 1; 0
    if the document has no data of the reference.
    """
    name = hand_class(hole)
    reference = preflop_tables()[REFERENCE][name]
    return reference[0] - _measured()[bot]["own"][name] if any(reference) else 0.0


def printed_shift(bot: str, hole: Sequence[int]) -> float:
    """Return the same between two bots of the document; 0 if it was never dealt to one of them."""
    tables, name = preflop_tables(), hand_class(hole)
    own, reference = tables[bot][name], tables[REFERENCE][name]
    return reference[0] - own[0] if any(own) and any(reference) else 0.0


def finer_shift(bot: str, situation: Situation) -> float:
    """Return how much more hbb6 folds than ``bot`` at such decisions, from -1 to 1; 0 if they are unknown."""
    shifts = _measured()[bot]["shifts"]
    if situation.street:
        return shifts.get(later_key(situation), 0.0)
    name = hand_class(situation.hole)
    return shifts.get(preflop_key(situation, name), shifts.get(name, 0.0))


def shift_folds(probabilities: Values, shift: float) -> Values:
    """Return fold, call and raise with ``shift`` added to the fold, within 0 and 1.

    The other two keep their ratio. If both are 0, the fold's loss goes to the call.
    """
    fold = min(1.0, max(0.0, float(probabilities[0]) + shift))
    rest = probabilities[1:].sum()
    played = probabilities[1:] / rest if rest > 0 else np.array([1.0, 0.0])
    return np.array([fold, *((1 - fold) * played)])
