"""Learning from lost chips (Aceituno 2017, 4.3). Pure but for the list of vectors in ``ActionStatistics``.

After each hand the player notes what he did on each street, and what the hand brought him. After so many
hands he adds up: if he has won, or lost nothing, he goes on as he is. If he has lost, he looks at the raises
of each street, and at its calls (a check is a call of nothing): hands in which he raised there and that
brought chips in all make the Raise threshold one step lower, hands that cost chips one step higher; calls
move the Fold threshold in the same way. Folds are not looked at, they can only cost.

What the document leaves open, and how it is filled:

* One pair of thresholds serves all streets, and each street moves it by itself, so that it may take four
  steps at once. The steps may differ between streets, as the document plans and never tries.
* Several actions on one street count as the last of them: then a hand has one action per street, as in the
  document's tables.
* A step that would carry the Raise threshold to 1 or beyond, the Fold threshold below 0, or the two nearer
  to each other than the least gap, is not taken. So thresholds always are a whole number of steps away from
  where they began, as all of the document's results are (0.95 is 0.55 + 4 x 0.1, 0.97 is 0.55 + 7 x 0.06).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = [
    "STREETS",
    "ActionTotal",
    "ActionStatistics",
    "Thresholds",
    "HandVector",
    "learn",
    "move_threshold",
]

STREETS = 4
_DIGITS = 9
"""Thresholds are sums of decimal fractions; further digits are noise of the machine."""


class Thresholds(NamedTuple):
    """Raise above the one, fold below the other."""

    raise_at: float
    fold_below: float


class HandVector(NamedTuple):
    """A hand: its action by street (``fold``, ``call``, ``raise``, or nothing), and chips won or lost."""

    actions: tuple[str, ...]
    result: float


class ActionTotal(NamedTuple):
    """How often an action was taken on a street, and what these hands brought in all."""

    times: int
    chips: float


class ActionStatistics:
    """Vectors added up: ``hands`` and ``chips`` in all, and ``balances`` by street and action, where what
    never happened is missing.
    """

    def __init__(self, vectors: Iterable[HandVector] = ()) -> None:
        self.hands = 0
        self.chips: float = 0
        self.balances: dict[tuple[int, str], ActionTotal] = {}
        for vector in vectors:
            self.add(vector)

    def add(self, vector: HandVector) -> None:
        """Enter one more hand."""
        self.hands += 1
        self.chips += vector.result
        for street, action in enumerate(vector.actions):
            if action:
                times, chips = self.balance(street, action)
                self.balances[street, action] = ActionTotal(times + 1, chips + vector.result)

    def balance(self, street: int, action: str) -> ActionTotal:
        """Of the hands with that action on that street."""
        return self.balances.get((street, action), _NOTHING)


_NOTHING = ActionTotal(0, 0)


def learn(
    thresholds: Thresholds, statistics: ActionStatistics, steps: Sequence[float], gap: float
) -> Thresholds:
    """The thresholds after the hands of the ledger; ``steps`` are mu by street."""
    if statistics.chips >= 0:
        return thresholds
    for street in range(STREETS):
        for action in ("raise", "call"):
            chips = statistics.balance(street, action).chips
            if chips:
                thresholds = move_threshold(
                    thresholds, action, -steps[street] if chips > 0 else steps[street], gap
                )
    return thresholds


def move_threshold(thresholds: Thresholds, action: str, step: float, gap: float) -> Thresholds:
    """The threshold of ``action`` moved by ``step``; unchanged where that is not allowed."""
    raise_at, fold_below = thresholds
    if action == "raise":
        raise_at = round(raise_at + step, _DIGITS)
    else:
        fold_below = round(fold_below + step, _DIGITS)
    if raise_at >= 1 or fold_below < 0 or round(raise_at - fold_below, _DIGITS) < gap:
        return thresholds
    return Thresholds(raise_at, fold_below)
