"""Heads-up push/fold, exactly: what tables are worth, and the best answers to them.

The small blind (button) jams or folds, the big blind calls a jam or folds; blinds are half and one big blind,
and the effective stack is the smaller of both, blinds included (the document's cap, section 1.4). A player is
a table for each seat: the chance to jam, or to call, with each class of hands. Cards are dealt to both from
one deck and all-ins have their exact equity, so that everything is one sum over pairs of classes.

Short stacks, by what a player can still choose:

* up to half a big blind both are all-in from the blinds: nobody chooses, and every table is worth 0;
* below one big blind the big blind has nothing to choose, as a jam does not exceed what he has posted: he is
  called all-in whatever his table says, and the small blind jams or gives up the half he has posted;
* from one big blind on the table decides. At exactly one it costs nothing to call: a table that folds there
  gives a big blind away, as the document lets its players do with a cap of 1.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from strategy.errors import StrategyError
from strategy.poker.allin import CLASSES, all_in_table

Table: TypeAlias = NDArray[np.float64]
"""float64[169]: the chance to jam, or to call, with each class, in the order of ``HAND_CLASSES``."""
Pair: TypeAlias = tuple[Table, Table]
"""A player: his table as the small blind (jam) and as the big blind (call)."""

SMALL_BLIND, BIG_BLIND = 0.5, 1.0
MAX_STACK = 1e6
"""Big blinds; far above the stack from which only aces are jammed and called."""


class PushFoldError(StrategyError):
    """What was asked for cannot be. Codes: ``bad_stack``, ``bad_percent``, ``not_solved``; of matches also
    ``bad_player`` and ``bad_match``.
    """


class Payoffs(NamedTuple):
    """What the small blind wins, in big blinds a hand: ``fold + jam @ steal + jam @ call_gain @ call``.

    * ``fold`` if he always folds
    * ``steal`` float64[169]: what is added by jamming a class, if nobody calls who need not
    * ``call_gain`` float64[169, 169]: what is added by a call of the second class to a jam of the first

    Chances of the deal are in all of them. The arrays are C-contiguous and cannot be written to.
    """

    fold: float
    steal: Table
    call_gain: NDArray[np.float64]


@lru_cache(maxsize=256)
def payoffs(stack: float) -> Payoffs:
    """For an effective stack in big blinds. Raises PushFoldError ``bad_stack``."""
    if not 0 < stack <= MAX_STACK:
        raise PushFoldError(
            "bad_stack", f"a stack is above 0 and at most {MAX_STACK:,.0f} big blinds, not {stack:g}"
        )
    deal = _deal()
    showdown = deal * (stack * (2 * all_in_table().equity - 1))
    none = np.zeros((CLASSES, CLASSES))
    if stack <= SMALL_BLIND:
        return _fixed(Payoffs(0.0, none[0], none))
    if stack < BIG_BLIND:
        return _fixed(Payoffs(-SMALL_BLIND, SMALL_BLIND * weights() + showdown.sum(axis=1), none))
    return _fixed(Payoffs(-SMALL_BLIND, (SMALL_BLIND + BIG_BLIND) * weights(), showdown - BIG_BLIND * deal))


def _fixed(found: Payoffs) -> Payoffs:
    found.steal.flags.writeable = found.call_gain.flags.writeable = False
    return found


@cache
def _deal() -> NDArray[np.float64]:
    """The chance of each pair of classes, float64[169, 169]."""
    pairs = all_in_table().pairs
    chances: NDArray[np.float64] = pairs / pairs.sum()
    return chances


@cache
def weights() -> Table:
    """The chance to be dealt each class; not to be written to."""
    chances: Table = combinations() / combinations().sum()
    chances.flags.writeable = False
    return chances


@cache
def combinations() -> NDArray[np.int64]:
    """How many of the 1326 hands are in each class, int64[169]; not to be written to."""
    counts: NDArray[np.int64] = all_in_table().pairs.sum(axis=1) // 1225
    counts.flags.writeable = False
    return counts


def percent_played(table: Table) -> float:
    """Of the 1326 hands, in per cent, that a table plays."""
    return float(100 * weights() @ table)


def value(jam: Table, call: Table, stack: float) -> float:
    """Big blinds a hand that the small blind wins with ``jam`` against ``call``; his blind is counted."""
    game = payoffs(stack)
    return float(game.fold + jam @ (game.steal + game.call_gain @ call))


def advantage(mine: Pair, other: Pair, stack: float) -> float:
    """Big blinds a hand that ``mine`` wins from ``other`` when both have each seat every other hand."""
    return (value(mine[0], other[1], stack) - value(other[0], mine[1], stack)) / 2


def best_jam(call: Table, stack: float) -> Table:
    """The best answer to a table of calls, of zeros and ones; where both are as good, a jam."""
    game = payoffs(stack)
    return (game.steal + game.call_gain @ call >= 0).astype(np.float64)


def best_call(jam: Table, stack: float) -> Table:
    """The best answer to a table of jams, of zeros and ones; where both are as good, a call."""
    return (jam @ payoffs(stack).call_gain <= 0).astype(np.float64)
