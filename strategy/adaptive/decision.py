"""P, B and S, the utility, and the decision (Aceituno 2017, 4.2.1 and 4.2.2). Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Chips
from dealer.rules.games import Game
from strategy.situation import Situation


def acting_order(situation: Situation) -> list[int]:
    """Return the positions that can still act on this street (neither folded nor all-in), in order
    of acting.
    """
    folded, stacks = situation.folded, situation.stacks
    count = len(folded)
    first = first_to_act(situation.game, situation.street, count)
    order = (*range(first, count), *range(first))
    return [position for position in order if not folded[position] and stacks[position] > 0]


def first_to_act(game: Game, street: int, players: int) -> int:
    """Return the position that acts first on a street. If players have left the table since the game was
    defined, positions are those of hold'em for the remaining number.
    """
    if players == game.players:
        return game.first_player[street]
    if street:
        return 0
    return 1 if players == 2 else 2


def position_share(situation: Situation) -> float:
    """Return P: the player's place in the order of acting, divided by the number of players who can act; the
    last has 1.
    """
    order = acting_order(situation)
    return (order.index(situation.position) + 1) / len(order)


def bet_share(to_call: int, pot: int) -> float:
    """Return B: 1 minus the price of a call as a share of the pot.

    The document says that the price is never below the pot, meaning never above. The exception is a big blind
    posted short, whose full amount must be called: then B is 0.
    """
    return max(0.0, 1 - to_call / pot)


def stack_share(stack: Chips, stacks: Sequence[Chips]) -> float:
    """Return S: the player's chips as a share of those of all players in the hand, without the pot."""
    return stack / sum(stacks)


def utility(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted sum of V, P, B and S."""
    total: float = sum(map(mul, values, weights))
    return total


def choose(worth: float, raise_at: float, fold_below: float, *, free: bool) -> str:
    """Return ``raise``, ``call`` (a check if it is free) or ``fold`` for a utility of ``worth``.

    Case A, nothing to call: raise from the threshold on. Case B: raise above it only, fold below the other.
    """
    if free:
        return "raise" if worth >= raise_at else "call"
    if worth > raise_at:
        return "raise"
    return "fold" if worth < fold_below else "call"


def raise_amount(worth: float, raise_at: float, least: int, most: int) -> int:
    """Return the size of a raise: the more the utility exceeds the threshold, the larger.

    The document gives no formula but the limits: from the minimum (case A: one big blind, case B: one big
    blind above the call) to the whole stack. Here the size grows linearly from the minimum, for a utility at
    the threshold, to the maximum, for a utility of 1.
    """
    excess = min(1.0, (worth - raise_at) / (1 - raise_at)) if raise_at < 1 else 0.0
    return least + round(max(0.0, excess) * (most - least))


def action_for(situation: Situation, kind: str, size: int) -> Action:
    """Return the legal action nearest to ``kind``; ``size`` is the street total of a raise."""
    legal = situation.legal
    if kind == "fold" and legal.fold:
        return FOLD
    if kind == "raise" and legal.min_raise is not None and legal.max_raise is not None:
        return raise_to(min(legal.max_raise, max(legal.min_raise, size)))
    return CALL
