"""Ranges of opponents, inferred from their choices and their frequencies.

A player who raises 20 % of hands raises with the best fifth; a player who folds 30 % folds the worst three
tenths and calls with the rest. The edges are soft (``blur``: half their width), and some choices are
independent of the cards (``noise``: their share). Every choice in a hand narrows the range, and the next
applies to what is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from strategy.akuma.habits import Choice, HabitRates
from strategy.jit import jit
from strategy.playout.playout import FOLD, RAISE
from strategy.poker.batch import all_strengths, next_card_strengths
from strategy.poker.combos import CARDS, HANDS, Weights, uniform
from strategy.poker.preflop import preflop_equity

_STREETS = (0, 3, 4, 5)
_CROWD = 3
# Before the flop hands are ordered by their equity against this many random hands, or fewer opponents.


@lru_cache(maxsize=4096)
def _order(board: tuple[int, ...], opponents: int) -> NDArray[np.int16]:
    """Return all hands from worst to best: by equity before the flop, later by strength with one
    more card.
    """
    if not board:
        crowd = min(_CROWD, opponents)
        return _sorted(np.array([preflop_equity(cards, crowd) for cards in CARDS.tolist()]))
    if len(board) == 5:
        return _sorted(all_strengths(board))
    return _sorted(next_card_strengths(board))


def _sorted(values: Weights) -> NDArray[np.int16]:
    return np.argsort(values, kind="stable").astype(np.int16)


def range_percentiles(weights: Weights, board: tuple[int, ...], opponents: int) -> Weights:
    """Return for every hand the share of a range that is worse: float64[1326]. The range must not
    be empty.
    """
    order = _order(board, opponents)
    inside = weights[order]
    below = np.cumsum(inside)
    parts = np.empty(HANDS)
    parts[order] = (below - inside / 2) / below[-1]
    return parts


@jit
def _soft_step(part: float, edge: float, blur: float) -> float:
    """Return the probability that a hand with this share of a range below it is beyond an edge; its mean is 1
    - edge.
    """
    width = min(blur, edge, 1.0 - edge)
    if width <= 0:
        return 1.0 if part >= edge else 0.0
    return min(1.0, max(0.0, (part - edge + width) / (2 * width)))


@jit
def fold_raise_chances(
    part: float, fold: float, raise_: float, blur: float, noise: float
) -> tuple[float, float]:
    """Return the probabilities that a hand with this share of the range below it folds, and raises."""
    folds = 1.0 - _soft_step(part, fold, blur)
    raises = min(_soft_step(part, 1.0 - raise_, blur), 1.0 - folds)
    return folds + noise * (fold - folds), raises + noise * (raise_ - raises)


@jit
def _likelihoods(
    parts: Weights, fold: float, raise_: float, action: int, blur: float, noise: float
) -> Weights:
    found = np.empty(len(parts))
    for hand in range(len(parts)):
        folds, raises = fold_raise_chances(parts[hand], fold, raise_, blur, noise)
        found[hand] = folds if action == FOLD else raises if action == RAISE else 1.0 - folds - raises
    return found


def infer_ranges(
    made: Iterable[Choice], rates: HabitRates, board: tuple[int, ...], skipped: int, blur: float, noise: float
) -> Weights:
    """Return the ranges of all players after these choices: float64[n, 1326]; that of position ``skipped`` is
    full.

    ``rates``: float64[n, 4 streets, 8 faces, 3], none of them 0 for an observed choice.
    """
    players = len(rates)
    tables = np.ones((players, HANDS))
    for position, street, face, action in made:
        if position == skipped:
            continue
        seen = board[: _STREETS[street]]
        table = tables[position] * uniform(seen)
        fold, _, raise_ = rates[position, street, face]
        parts = range_percentiles(table, seen, players - 1)
        table *= _likelihoods(parts, fold, raise_, action, blur, noise)
        # A floor, so that several narrow ranges in a row do not become zero.
        tables[position] = table / table.max()
    return tables * uniform(board)
