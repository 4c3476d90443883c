"""Heads-up push/fold, exactly: the values of tables, and the best answers to them.

The small blind (button) jams or folds, the big blind calls a jam or folds. Blinds are half and one big blind,
and the effective stack is the smaller of both, blinds included (the document's cap, section 1.4). A player is
a table for each seat: the probability of jamming, or of calling, with each class of hands. Both players'
cards are dealt from one deck and all-ins have their exact equity, so everything is one sum over pairs of
classes.

The choices of short stacks:

* up to half a big blind both are all-in from the blinds: nobody has a choice, and every table is worth 0;
* below one big blind the big blind has no choice, as a jam does not exceed the posted blind: an all-in is
  called whatever the table says, and the small blind jams or gives up the posted half;
* from one big blind on the table decides. At exactly one a call is free: a table that folds there gives a big
  blind away, as the document allows its players with a cap of 1.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from strategy.errors import StrategyError
from strategy.poker.allin import CLASSES, all_in_table

HandTable: TypeAlias = NDArray[np.float64]
"""float64[169]: the probability of jamming, or of calling, with each class, as in ``HAND_CLASSES``."""
Pair: TypeAlias = tuple[HandTable, HandTable]
"""A player: one table as the small blind (jam) and one as the big blind (call)."""

SMALL_BLIND, BIG_BLIND = 0.5, 1.0
MAX_STACK = 1e6
"""Big blinds; far above the stack from which only aces are jammed and called."""


class PushFoldError(StrategyError):
    """An impossible request. Codes: ``bad_stack``, ``bad_percent``, ``not_solved``; of matches also
    ``bad_player`` and ``bad_match``.
    """


class Payoffs(NamedTuple):
    """The small blind's winnings in big blinds per hand: ``fold + jam @ steal + jam @ call_gain @ call``.

    * ``fold`` if the small blind always folds
    * ``steal`` float64[169]: added by jamming a class, if only forced calls are made
    * ``call_gain`` float64[169, 169]: added if the second class calls a jam of the first

    All include the probabilities of the deal. The arrays are C-contiguous and read-only.
    """

    fold: float
    steal: HandTable
    call_gain: NDArray[np.float64]


@lru_cache(maxsize=256)
def payoffs(stack: float) -> Payoffs:
    """Return the payoffs for an effective stack in big blinds. Raises PushFoldError ``bad_stack``."""
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
    """Return the probability of each pair of classes, float64[169, 169]."""
    pairs = all_in_table().pairs
    chances: NDArray[np.float64] = pairs / pairs.sum()
    return chances


@cache
def weights() -> HandTable:
    """Return the probability of being dealt each class; read-only."""
    chances: HandTable = combinations() / combinations().sum()
    chances.flags.writeable = False
    return chances


@cache
def combinations() -> NDArray[np.int64]:
    """Return how many of the 1326 hands are in each class, int64[169]; read-only."""
    counts: NDArray[np.int64] = all_in_table().pairs.sum(axis=1) // 1225
    counts.flags.writeable = False
    return counts


def jam_gain(call: HandTable, stack: float) -> HandTable:
    """Return what a jam with each class wins more than a fold, in big blinds, against a table of calls."""
    game = payoffs(stack)
    gain: HandTable = (game.steal + game.call_gain @ call) / weights()
    return gain


def call_gain(jam: HandTable, stack: float) -> HandTable:
    """Return what a call with each class wins more than a fold, in big blinds, once a table jams. It must jam
    some hand beside each class.
    """
    gain: HandTable = -(jam @ payoffs(stack).call_gain) / (jam @ _deal())
    return gain


def percent_played(table: HandTable) -> float:
    """Return the percentage of the 1326 hands that a table plays."""
    return float(100 * weights() @ table)


def value(jam: HandTable, call: HandTable, stack: float) -> float:
    """Return the small blind's net winnings with ``jam`` against ``call``, in big blinds per hand."""
    game = payoffs(stack)
    return float(game.fold + jam @ (game.steal + game.call_gain @ call))


def advantage(mine: Pair, other: Pair, stack: float) -> float:
    """Return ``mine``'s winnings against ``other`` in big blinds per hand, if seats alternate."""
    return (value(mine[0], other[1], stack) - value(other[0], mine[1], stack)) / 2


def best_jam(call: HandTable, stack: float) -> HandTable:
    """Return the best answer to a table of calls, in zeros and ones; if both are equally good, a jam."""
    game = payoffs(stack)
    return (game.steal + game.call_gain @ call >= 0).astype(np.float64)


def best_call(jam: HandTable, stack: float) -> HandTable:
    """Return the best answer to a table of jams, in zeros and ones; if both are equally good, a call."""
    return (jam @ payoffs(stack).call_gain <= 0).astype(np.float64)
