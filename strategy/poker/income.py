"""Income rates of starting hands: a hand's mean win if nobody bets after the first bet.

Every player puts one bet into the pot and stays to the showdown. The rate is the average net win in
thousandths of that bet (Papp 1998, 5.1 and appendix A; Peña 1999, 3.2.1). There are rates for 2, 4 and 7
players, and iterated ones, for which opponents fold their losing hands; see ``income_rates``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from strategy.poker.combos import MathError, Weights, per_class
from strategy.poker.preflop import HAND_CLASSES, hand_class

PLAYERS = (2, 4, 7)
"""Numbers of players for which there are rates, including the player."""

TABLE_PATH = Path(__file__).parents[1] / "data" / "income_rates.json"
"""Written by ``python -m strategy.poker.income_rates``."""


def income_rate(hole: Sequence[int], players: int, *, iterated: bool = False) -> float:
    """Return the rate of a starting hand in milli-bets. Raises MathError ``bad_players`` unless for 2, 4 or
    7.
    """
    return _rates(players, iterated)[hand_class(hole)]


def income_rates(players: int, *, iterated: bool = False) -> Weights:
    """Return the rate of each hand in milli-bets, float64[1326]. Raises MathError ``bad_players``."""
    rates = _rates(players, iterated)
    return per_class([rates[name] for name in HAND_CLASSES])


@cache
def _rates(players: int, iterated: bool) -> dict[str, float]:
    if players not in PLAYERS:
        raise MathError("bad_players", f"there are income rates for 2, 4 and 7 players, not for {players}")
    table: dict[str, Any] = json.loads(TABLE_PATH.read_text(encoding="ascii"))
    rows = table["iterated" if iterated else "rates"]
    return {name: row[PLAYERS.index(players)] for name, row in rows.items()}
