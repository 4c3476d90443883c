"""Who gets which chips, as in ``dealer.rules.pots``, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.batch.layout import ACPC, FOLDED, LIVE, NUMBER, RULES, SPENT, Rows
from strategy.jit import lean_jit as jit

Chips = NDArray[np.float64]


@jit
def settle(game: Rows, table: Rows, ranks: Rows, values: Chips) -> None:
    """Write what each position won or lost, float64[players], into ``values``.

    ``ranks``, int64[players], are those of the hands at the showdown; of hands that were folded they do not
    count. At least one player is left.
    """
    players = game[NUMBER]
    if table[LIVE] == 1:
        _take_all(players, table, values)
    elif game[RULES] == ACPC:
        _settle_acpc(players, table, ranks, values)
    else:
        _settle_pots(players, table, ranks, values)


@jit
def _take_all(players: int, table: Rows, values: Chips) -> None:
    total = winner = 0
    for position in range(players):
        total += table[SPENT + position]
        values[position] = -table[SPENT + position]
        if not table[FOLDED + position]:
            winner = position
    values[winner] += total


@jit
def _settle_pots(players: int, table: Rows, ranks: Rows, values: Chips) -> None:
    """Robert's Rules of Poker 11, ties 3 to 5: every pot is split by itself, and odd chips go to the first
    left of the button.
    """
    for position in range(players):
        values[position] = -table[SPENT + position]
    below = 0
    while True:
        # A pot for each amount that somebody went all-in with, the least first.
        level = -1
        for position in range(players):
            spent = table[SPENT + position]
            if not table[FOLDED + position] and spent > below and (level < 0 or spent < level):
                level = spent
        if level < 0:
            break
        amount, best, winners = 0, -1, 0
        for position in range(players):
            spent = table[SPENT + position]
            amount += min(spent, level) - min(spent, below)
            if not table[FOLDED + position] and spent >= level:
                if ranks[position] > best:
                    best, winners = ranks[position], 0
                winners += ranks[position] == best
        share, odd = amount // winners, amount % winners
        for position in range(players):
            if not table[FOLDED + position] and table[SPENT + position] >= level and ranks[position] == best:
                values[position] += share + (odd > 0)
                odd -= 1
        below = level
    # What only folded hands spent beyond the last pot is nobody's: the rules let nobody fold to no bet.


@jit
def _settle_acpc(players: int, table: Rows, ranks: Rows, values: Chips) -> None:
    """The ACPC reference dealer 1.0.42: fractions, in its order of additions."""
    for position in range(players):
        values[position] = 0
    paid = 0
    while True:
        size, best, playing, winners = 0, -1, 0, 0
        for position in range(players):
            left = table[SPENT + position] - paid
            if left > 0:
                playing += 1
                size = left if not size else min(size, left)
                rank = -1 if table[FOLDED + position] else ranks[position]
                if rank > best:
                    best, winners = rank, 0
                winners += rank == best
        if best < 0:
            break
        gain = size * (playing - winners) / winners
        for position in range(players):
            if table[SPENT + position] > paid:
                rank = -1 if table[FOLDED + position] else ranks[position]
                values[position] += gain if rank == best else -size
        paid += size
    for position in range(players):
        if table[FOLDED + position]:
            values[position] = -table[SPENT + position]
