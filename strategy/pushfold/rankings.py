"""Orders of the 169 classes of hands, and the tables that play the top percentage of an order.

A ranking is the class indices of ``HAND_CLASSES``, best first. The document plays by strength and shows
Sklansky and Chubukov's order beside it (section 1.5.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import numpy as np

from strategy.poker.allin import BOARDS, CLASSES, all_in_table
from strategy.pushfold.game import HandTable, PushFoldError, combinations, payoffs

Ranking: TypeAlias = Sequence[int]


@cache
def sklansky_chubukov_numbers() -> HandTable:
    """Return the dollars behind with which a small blind may jam face up: float64[169], read-only.

    With blinds of 1 and 2 dollars, and ``x`` behind the small blind, a face-up jam with the class wins the
    blinds, 3 dollars, unless a hand calls profitably. The showdown is worth 1 + (x + 1)(2 equity - 1) to the
    jammer, relative to a fold. The caller sees the class and not its suits. The number is the largest ``x``
    at which the jam is no worse than a fold; for aces it is infinite.

    The value of the jam is the minimum over all sets of callers, so the number is the minimum of theirs. The
    worst set for any ``x`` is some number of the hands that beat the class most.
    """
    table = all_in_table()
    numbers = np.full(CLASSES, np.inf)
    for hand in range(CLASSES):
        callers = np.argsort(table.equity[hand], kind="stable")
        chance = table.pairs[hand, callers] / table.pairs[hand].sum()
        calling = np.cumsum(chance)
        loss = np.cumsum(chance * (1 - 2 * table.equity[hand, callers]))
        losing = loss > 0
        if losing.any():
            numbers[hand] = np.min((3 - 2 * calling[losing]) / loss[losing]) - 1
    numbers.flags.writeable = False
    return numbers


def _best_first(worth: HandTable) -> tuple[int, ...]:
    return tuple(int(place) for place in np.argsort(-worth, kind="stable"))


def _equity_against_any() -> HandTable:
    table = all_in_table()
    average: HandTable = table.points.sum(axis=1) / (2 * BOARDS * table.pairs.sum(axis=1))
    return average


STRENGTH: tuple[int, ...] = _best_first(_equity_against_any())
"""By equity against a random hand."""

SKLANSKY_CHUBUKOV: tuple[int, ...] = _best_first(sklansky_chubukov_numbers())
"""By Sklansky and Chubukov's number."""

RANKINGS: dict[str, Ranking] = {"strength": STRENGTH, "sklansky-chubukov": SKLANSKY_CHUBUKOV}
"""All by their names."""


def top_range(percent: float, ranking: Ranking = STRENGTH) -> HandTable:
    """Return the table that plays the best ``percent`` of the 1326 hands, exactly.

    A share of the class at the edge is played: 57 % by strength takes in part of one class. Raises
    PushFoldError ``bad_percent``.
    """
    if not 0 <= percent <= 100:
        raise PushFoldError("bad_percent", f"a share of the hands is from 0 to 100 per cent, not {percent:g}")
    order = np.array(ranking)
    counts = combinations()[order]
    before = np.cumsum(counts) - counts
    table = np.zeros(CLASSES)
    table[order] = np.clip((percent * counts.sum() / 100 - before) / counts, 0, 1)
    return table


def cutoffs(ranking: Ranking = STRENGTH) -> HandTable:
    """Return the percentages at which a top table has whole classes only, ascending from 0 to 100:
    float64[170].

    A top table's winnings against a fixed opponent are linear between two of them, so one of them is best.
    """
    shares = 100 * np.cumsum(combinations()[list(ranking)]) / combinations().sum()
    return np.concatenate([[0.0], shares])


def best_top_jam(call: HandTable, stack: float, ranking: Ranking = STRENGTH) -> float:
    """Return the percentage that jams best against a table of calls, a cutoff; of equal ones the largest."""
    game = payoffs(stack)
    return _best_cutoff(game.steal + game.call_gain @ call, ranking)


def best_top_call(jam: HandTable, stack: float, ranking: Ranking = STRENGTH) -> float:
    """Return the percentage that calls best against a table of jams, a cutoff; of equal ones the largest."""
    return _best_cutoff(-(jam @ payoffs(stack).call_gain), ranking)


def _best_cutoff(gain: HandTable, ranking: Ranking) -> float:
    won = np.concatenate([[0.0], np.cumsum(gain[list(ranking)])])
    return float(cutoffs(ranking)[len(won) - 1 - int(np.argmax(won[::-1]))])
