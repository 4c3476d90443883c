"""Learning from lost chips (Aceituno 2017, 4.3).

After each hand the player records the action on each street and the result of the hand. After a number of
hands the results are added up. If they are not a loss, nothing changes. After a loss the raises on each
street count, and the calls (a check is a call of nothing): if the hands with a raise there won chips in all,
the Raise threshold falls by one step; if they lost, it rises by one step. Calls move the Fold threshold in
the same way. Folds are ignored, as they can only lose.

Open points of the document, and how they are resolved:

* One pair of thresholds serves all streets, and each street moves it separately, so that it may take four
  steps at once. The steps may differ between streets, as the document plans but never tries.
* Of several actions on one street the last one counts, so that a hand has one action per street, as in the
  document's tables.
* A step is skipped if it would move the Raise threshold to 1 or above, the Fold threshold below 0, or the two
  closer than the smallest gap. So thresholds are always a whole number of steps from their start, as are all
  of the document's results (0.95 is 0.55 + 4 x 0.1, 0.97 is 0.55 + 7 x 0.06).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandEnded, HandStarted

STREETS = 4
_DIGITS = 9
"""Thresholds are sums of decimal fractions; further digits are rounding errors."""


class Thresholds(NamedTuple):
    """Raise above ``raise_at``, fold below ``fold_below``."""

    raise_at: float
    fold_below: float


class HandVector(NamedTuple):
    """A hand: its action by street (``fold``, ``call``, ``raise``, or none), and the chips won or lost."""

    actions: tuple[str, ...]
    result: Chips


class HandRecorder:
    """Records the player's own hands from the events of a session; ``seat`` is the player's, or -1."""

    def __init__(self) -> None:
        self.seat = -1
        self._position = -1
        self._street = 0
        self._actions = [""] * STREETS

    def observe(self, event: Event) -> HandVector | None:
        """Observe an event; return the hand that it ends, or None."""
        match event:
            case Acted():
                if event.seat == self.seat:
                    self._actions[self._street] = event.action
            case BoardDealt():
                self._street = event.street
            case HandStarted():
                # Only the player's own cards are known; an eliminated player has none.
                self._position = next((position for position, cards in enumerate(event.hole) if cards), -1)
                self.seat = event.seats[self._position] if self._position >= 0 else -1
                self._street = 0
                self._actions = [""] * STREETS
            case HandEnded():
                if self._position >= 0:
                    return HandVector(tuple(self._actions), event.values[self._position])
        return None


class ActionTotal(NamedTuple):
    """How often an action was taken on a street, and the total result of these hands."""

    times: int
    chips: Chips


class ActionStatistics:
    """Totals of vectors: ``hands`` and ``chips`` in all, and ``balances`` by street and action, without
    combinations that did not occur.
    """

    def __init__(self, vectors: Iterable[HandVector] = ()) -> None:
        self.hands = 0
        self.chips: Chips = 0
        self.balances: dict[tuple[int, str], ActionTotal] = {}
        for vector in vectors:
            self.add(vector)

    def add(self, vector: HandVector) -> None:
        """Add a hand."""
        self.hands += 1
        self.chips += vector.result
        for street, action in enumerate(vector.actions):
            if action:
                times, chips = self.balances.get((street, action), _NOTHING)
                self.balances[street, action] = ActionTotal(times + 1, chips + vector.result)

    def balance(self, street: int, action: str) -> ActionTotal:
        """Return the total of the hands with that action on that street."""
        return self.balances.get((street, action), _NOTHING)


_NOTHING = ActionTotal(0, 0)


def learn(
    thresholds: Thresholds, statistics: ActionStatistics, steps: Sequence[float], gap: float
) -> Thresholds:
    """Return the thresholds after the recorded hands; ``steps`` are mu by street."""
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
    """Move the threshold of ``action`` by ``step``, unless that is not allowed."""
    raise_at, fold_below = thresholds
    if action == "raise":
        raise_at = round(raise_at + step, _DIGITS)
    else:
        fold_below = round(fold_below + step, _DIGITS)
    if raise_at >= 1 or fold_below < 0 or round(raise_at - fold_below, _DIGITS) < gap:
        return thresholds
    return Thresholds(raise_at, fold_below)
