"""The equilibrium of push/fold for any stack, among all tables and among the top tables of a ranking.

Both are matrix games, solved exactly by linear programming (HiGHS): the solution for one player gives the
other's as its multipliers, and best answers to both certify the result.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from strategy.poker.allin import CLASSES
from strategy.pushfold.game import (
    HandTable,
    Pair,
    Payoffs,
    PushFoldError,
    best_call,
    best_jam,
    payoffs,
    value,
    weights,
)
from strategy.pushfold.rankings import STRENGTH, Ranking, cutoffs, top_range

Mix: TypeAlias = tuple[tuple[float, float], ...]
"""Percentages of a ranking, ascending, each with its probability."""

_LEAST = 1e-12
"""Smaller probabilities are rounding errors."""
_Floats: TypeAlias = NDArray[np.float64]


class Equilibrium(NamedTuple):
    """Two tables against which no other table wins; they are read-only.

    ``value``: the small blind's net winnings in big blinds per hand, with the posted blind counted;
    ``exploitability``: the sum of both best answers' winnings, in big blinds per hand (0 up to rounding).
    """

    jam: HandTable
    call: HandTable
    value: float
    exploitability: float


class RankedEquilibrium(NamedTuple):
    """The equilibrium if only top tables of a ranking are allowed; no top table wins against it.

    ``jams`` and ``calls`` give the probability of each percentage; ``jam`` and ``call`` are the resulting
    tables, which win the same. ``exploitability`` is by top tables only: other tables win more.
    """

    jam: HandTable
    call: HandTable
    value: float
    exploitability: float
    jams: Mix
    calls: Mix


@lru_cache(maxsize=256)
def equilibrium(stack: float) -> Equilibrium:
    """Return the equilibrium for an effective stack in big blinds. Raises PushFoldError ``bad_stack``.

    Where a player has no choice, or no reason for one, the table plays the hand.
    """
    game = payoffs(stack)
    if game.call_gain.any():
        jam, call = _solve(game)
    else:
        # Below one big blind nobody can fold to a jam.
        call = np.ones(CLASSES)
        jam = best_jam(call, stack)
    most, least = value(best_jam(call, stack), call, stack), value(jam, best_call(jam, stack), stack)
    jam.flags.writeable = call.flags.writeable = False
    return Equilibrium(jam, call, value(jam, call, stack), max(0.0, most - least))


def _solve(game: Payoffs) -> tuple[HandTable, HandTable]:
    """Maximize ``steal @ x + share @ t`` over jam tables x, with ``t`` the loss to each calling class.

    A class of the caller takes the lesser of zero and its win by calling. Its inequality's multiplier is its
    probability of calling, times the probability of being dealt it.
    """
    share = weights()
    called = game.call_gain.T / share[:, None]
    found, multipliers = _linear_program(
        np.concatenate([game.steal, share]),
        np.hstack([-called, np.eye(CLASSES)]),
        np.zeros(CLASSES),
        [(0.0, 1.0)] * CLASSES + [(None, 0.0)] * CLASSES,
    )
    return np.clip(found[:CLASSES], 0, 1), np.clip(multipliers / share, 0, 1)


@lru_cache(maxsize=256)
def _restricted(stack: float, ranking: tuple[int, ...]) -> RankedEquilibrium:
    game = payoffs(stack)
    shares = cutoffs(ranking)
    tables = np.array([top_range(share, ranking) for share in shares])
    won = game.fold + (tables @ game.steal)[:, None] + tables @ game.call_gain @ tables.T
    jams, calls = _saddle(won) or _mixed(won)
    gap = float((won @ calls).max() - (jams @ won).min())
    jam, call = jams @ tables, calls @ tables
    jam.flags.writeable = call.flags.writeable = False
    return RankedEquilibrium(
        jam, call, float(jams @ won @ calls), max(0.0, gap), _mix(jams, shares), _mix(calls, shares)
    )


def restricted_equilibrium(stack: float, ranking: Ranking = STRENGTH) -> RankedEquilibrium:
    """Return the equilibrium if both may only play the top percentages of a ranking. Raises PushFoldError
    ``bad_stack``.

    It is a saddle point if there is one, of several the one with the most jams and then calls; otherwise the
    percentages are mixed.
    """
    return _restricted(stack, tuple(ranking))


def _saddle(won: _Floats) -> tuple[_Floats, _Floats] | None:
    """Return a row and a column that are best answers to each other, as probabilities; the last such pair."""
    best = (won == won.max(axis=0)) & (won == won.min(axis=1, keepdims=True))
    if not best.any():
        return None
    row, column = np.argwhere(best)[-1]
    return np.eye(len(won))[row], np.eye(len(won))[column]


def _mixed(won: _Floats) -> tuple[_Floats, _Floats]:
    """Maximize v over probabilities p of the rows with ``p @ won >= v``; the multipliers are the columns'."""
    size = len(won)
    found, multipliers = _linear_program(
        np.eye(size + 1)[size],
        np.hstack([-won.T, np.ones((size, 1))]),
        np.zeros(size),
        [(0.0, 1.0)] * size + [(None, None)],
        equal=np.append(np.ones(size), 0.0)[None, :],
    )
    return _chances(found[:size]), _chances(multipliers)


def _chances(found: _Floats) -> _Floats:
    chances: _Floats = np.where(found > _LEAST, found, 0.0)
    chances /= chances.sum()
    return chances


def _mix(chances: _Floats, shares: HandTable) -> Mix:
    return tuple((float(shares[place]), float(chances[place])) for place in np.flatnonzero(chances))


def _linear_program(
    gain: _Floats,
    rows: _Floats,
    most: _Floats,
    bounds: list[tuple[float | None, float | None]],
    equal: _Floats | None = None,
) -> tuple[_Floats, _Floats]:
    """Return the best point of ``rows @ point <= most`` within bounds, and the multipliers of the rows.

    ``equal @ point`` is 1 if given.
    """
    from scipy.optimize import linprog

    right = None if equal is None else np.ones(len(equal))
    result = linprog(-gain, rows, most, equal, right, bounds, method="highs-ds")
    if result.status != 0:
        raise PushFoldError("not_solved", f"the linear program was not solved: {result.message}")
    point: _Floats = result.x
    multipliers: _Floats = -result.ineqlin.marginals
    return point, multipliers


def exploitability(pair: Pair, stack: float) -> tuple[float, float]:
    """Return the winnings of the best answers to the jam table and to the call table, in big blinds per hand.

    Each is relative to the value of the game, so it is 0 for an equilibrium table whatever the other table
    is, and never negative. Their mean is what a best reply to both wins over both seats.
    """
    jam, call = pair
    fair = equilibrium(stack).value
    least, most = value(jam, best_call(jam, stack), stack), value(best_jam(call, stack), call, stack)
    return max(0.0, fair - least), max(0.0, most - fair)
