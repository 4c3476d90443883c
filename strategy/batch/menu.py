"""Numbered actions: fold, call, then raises from the smallest to all-in.

Action 0 folds and 1 checks or calls. A limit game has one raise, action 2. In no-limit games the raises of
the menu follow, as fractions of the pot after a call, and all-in comes last. A raise that would be too small
is the smallest one; what equals a raise before it, or all-in, is not legal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import Game
from strategy.batch.betting import CALL, FOLD, RAISE, LegalActions
from strategy.batch.layout import BET, LIMIT, NUMBER, SPENT, STREET_START, TO_ACT, Rows
from strategy.errors import StrategyError
from strategy.jit import lean_jit as jit

Mask = NDArray[np.int8]
Sizes = NDArray[np.float64]

POT_SIZES = (0.5, 1.0, 2.0)
"""The menu where none is given."""

MAX_SIZE = 1_000_000
"""Of a raise, in pots: all-in everywhere, and still a number of chips."""


class BadMenu(StrategyError):
    """Sizes of raises that make no menu; the message says why."""

    code = "bad_menu"


def menu(sizes: Sequence[float]) -> Sizes:
    """Return the raises of a menu, float64[k]. Raises BadMenu unless they rise, from 0 to ``MAX_SIZE``."""
    found = np.array(sizes, np.float64)
    # Written so that it does not hold for what is no number either.
    if found.ndim != 1 or not ((found >= 0) & (found <= MAX_SIZE)).all() or (np.diff(found) <= 0).any():
        raise BadMenu(
            "the sizes of raises are fractions of the pot that rise,"
            f" from 0 to {MAX_SIZE:,}, not {sizes!r:.80}"
        )
    return found


def menu_size(game: Game, sizes: Sizes) -> int:
    """Return the number of actions."""
    return 3 if game.limit else 3 + len(sizes)


@jit
def offer(game: Rows, row: Rows, legal: LegalActions, sizes: Sizes, mask: Mask, totals: Rows) -> None:
    """Write which actions are legal into ``mask``, int8[menu_size], 1 or 0, and the street totals of the
    raises into ``totals``, int64[menu_size]; all 0 when the betting is over.
    """
    for action in range(len(mask)):
        mask[action] = totals[action] = 0
    if row[TO_ACT] < 0:
        return
    fold, call, low, high = legal
    mask[FOLD] = fold
    mask[CALL] = 1
    if not high:
        return
    last = len(mask) - 1
    mask[last] = 1
    totals[last] = high
    if game[LIMIT]:
        return
    pot = call
    for position in range(game[NUMBER]):
        pot += row[SPENT + position]
    called = row[BET] - row[STREET_START]
    least = low
    for size in range(len(sizes)):
        to = max(low, called + int(sizes[size] * pot + 0.5))
        if least <= to < high:
            mask[RAISE + size] = 1
            totals[RAISE + size] = to
            least = to + 1
