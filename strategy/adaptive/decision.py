"""P, B and S, the utility, and what is done with it (Aceituno 2017, 4.2.1 and 4.2.2). Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game
from strategy.situation import Situation

__all__ = [
    "action_for",
    "bet_share",
    "choose",
    "position_share",
    "raise_amount",
    "acting_order",
    "stack_share",
    "utility",
]


def acting_order(situation: Situation) -> list[int]:
    """The positions that can still speak on this street, who speaks first comes first: neither folded nor
    all-in.
    """
    count = len(situation.seats)
    first = first_to_act(situation.game, situation.street, count)
    order = [(first + step) % count for step in range(count)]
    return [
        position for position in order if not situation.folded[position] and situation.stacks[position] > 0
    ]


def first_to_act(game: Game, street: int, players: int) -> int:
    """The position that speaks first on a street. Where players have left the table since the game was
    defined, positions are those of hold'em for as many as are left.
    """
    if players == game.players:
        return game.first_player[street]
    if street:
        return 0
    return 1 if players == 2 else 2


def position_share(situation: Situation) -> float:
    """P: the own place in the order of speaking, by the number of those who can speak; the last has 1."""
    order = acting_order(situation)
    return (order.index(situation.position) + 1) / len(order)


def bet_share(to_call: int, pot: int) -> float:
    """B: 1 less what must be paid to go on as a part of the pot.

    The document says that the payment is never below the pot; never above it is meant. That is so but for a
    big blind posted short, whose full amount is to be called: then B is 0.
    """
    return max(0.0, 1 - to_call / pot)


def stack_share(stack: int, stacks: Sequence[int]) -> float:
    """S: the own chips, as a part of those of all players of the hand; chips in the pot are nobody's."""
    return stack / sum(stacks)


def utility(values: Sequence[float], weights: Sequence[float]) -> float:
    """The sum of V, P, B and S, each times its weight."""
    return sum(value * weight for value, weight in zip(values, weights, strict=True))


def choose(worth: float, raise_at: float, fold_below: float, *, free: bool) -> str:
    """``raise``, ``call`` (a check where it is free) or ``fold`` at a utility of ``worth``.

    Case A, nothing to pay: raise from the threshold on. Case B: raise above it only, fold below the other.
    """
    if free:
        return "raise" if worth >= raise_at else "call"
    if worth > raise_at:
        return "raise"
    return "fold" if worth < fold_below else "call"


def raise_amount(worth: float, raise_at: float, least: int, most: int) -> int:
    """The size of a raise: the more the utility exceeds the threshold, the larger.

    The document gives no formula but says where sizes lie, from the least (case A: one big blind, case B: one
    big blind above the call) to the whole stack. Here a utility at the threshold gives the least, one of 1
    the most, and between them the size grows evenly.
    """
    excess = min(1.0, (worth - raise_at) / (1 - raise_at)) if raise_at < 1 else 0.0
    return least + round(max(0.0, excess) * (most - least))


def action_for(situation: Situation, kind: str, size: int) -> Action:
    """The legal action nearest to the wish for ``kind``; ``size`` is the street total of a raise."""
    legal = situation.legal
    if kind == "fold" and legal.fold:
        return FOLD
    if kind == "raise" and legal.min_raise is not None and legal.max_raise is not None:
        return raise_to(min(legal.max_raise, max(legal.min_raise, size)))
    return CALL
