"""Loki-1's rules after the flop (Papp 1998, 6; Peña 1999, 3.2.2)."""

from __future__ import annotations

from typing import NamedTuple

from strategy.loki.views import View

BET_AT = 0.5
"""EHS from which a bet is made or called ("make1", the postflop-call threshold)."""

RAISE_AT = 0.85
"""EHS from which a raise is made ("make2", the postflop-raise threshold)."""


class HandValue(NamedTuple):
    """The value of a hand: ``strength`` against all opponents, ``ppot`` and ``npot`` against one."""

    strength: float
    ppot: float
    npot: float

    @property
    def ehs(self) -> float:
        """Return HS + (1 - HS) PPot."""
        return self.strength + (1 - self.strength) * self.ppot

    @property
    def win(self) -> float:
        """Return the probability of being best later: HS (1 - NPot) + (1 - HS) PPot."""
        return self.strength * (1 - self.npot) + (1 - self.strength) * self.ppot


class BettingThresholds(NamedTuple):
    """The two thresholds."""

    bet_at: float = BET_AT
    raise_at: float = RAISE_AT


def pot_odds(call: float, pot: float) -> float:
    """Return the winning probability from which a call is profitable: call / (pot + call), 0 if there is
    nothing to call.
    """
    return call / (pot + call) if call else 0.0


def showdown_odds(call: float, pot: float, later: float) -> float:
    """Return the same up to the showdown, if ``later`` more chips come from this player and from one opponent
    each.
    """
    cost = call + later
    return cost / (pot + cost + later) if cost else 0.0


def decide(
    hand: HandValue, view: View, thresholds: BettingThresholds, showdown: float, *, bluffing: bool = False
) -> tuple[str, bool]:
    """Return ``fold``, ``call`` or ``raise`` (a check is a call, a bet a raise), and whether it is a
    semi-bluff.

    ``showdown``: the showdown odds. ``bluffing``: a semi-bluff was made on the previous street; it continues
    while nobody else bets.
    """
    if hand.ehs >= thresholds.raise_at:
        return ("raise" if view.bets < 2 else "call"), False
    if hand.ehs >= thresholds.bet_at and (view.to_call < 2 or view.called):
        return ("call" if view.to_call else "raise"), False
    if not view.to_call:
        # The draw must be worth a bet and the call of a raise.
        if not view.bets and (bluffing or (hand.ppot and hand.ppot >= view.bluff_price)):
            return "raise", True
        return "call", False
    chance = hand.ppot if view.street < 3 else hand.strength
    if chance >= view.price or (view.street < 3 and hand.win >= showdown):
        return "call", False
    return "fold", False
