"""The chances with which a strategy draws its actions, as it tells the host."""

from __future__ import annotations

from dealer.rules.actions import CALL, FOLD, Action

Chances = dict[Action, float]
"""Actions with their probabilities, which sum to 1; empty where nothing is drawn, or nothing is said."""


def chances_of(fold: float, call: float, raise_: float, to: Action) -> Chances:
    """Return the chances of a draw with these weights, of which one is above 0. ``to``: what a raise
    does, a call where there is no raise.
    """
    result: Chances = {}
    for action, weight in ((FOLD, fold), (CALL, call), (to, raise_)):
        if weight > 0:
            result[action] = result.get(action, 0.0) + float(weight)
    total = sum(result.values())
    return {action: weight / total for action, weight in result.items()}
