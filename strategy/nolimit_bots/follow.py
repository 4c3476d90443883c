"""A hand with any bets followed through a betting tree: translation of sizes that the tree does not have.

A size is a fraction of the pot after a call. The player's own raises are the nearest size of the tree. A
raise of the opponent between two sizes of the tree is taken for one of them at random, by the pseudo-harmonic
rule (Ganzfried and Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces", IJCAI
2013); smaller ones are the smallest, and all-in is always all-in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.actions import Action
from dealer.rules.betting import Betting
from strategy.nolimit.tree import BettingTree
from strategy.situation import Situation

_CLOSE = 1e-9


class Bet(NamedTuple):
    """An action of a hand: who acts, by position, its ``kind``, and of a raise the ``size`` and whether it
    puts a player all-in.
    """

    position: int
    kind: str
    size: float = 0.0
    all_in: bool = False


class Step(NamedTuple):
    """A decision of the tree, and the number of the action that was taken there."""

    node: int
    action: int


class Path(NamedTuple):
    """The way of a hand through a tree: its steps, and the node that it leads to."""

    steps: tuple[Step, ...]
    node: int


def raise_sizes(tree: BettingTree) -> NDArray[np.float64]:
    """Return the sizes of the raises of each decision, float64[nodes, most]; 0 for other actions."""
    start = np.zeros(len(tree.player), np.int64)
    for node in range(1, len(start)):
        parent = tree.parent[node]
        same = tree.street[node] == tree.street[parent]
        start[node] = start[parent] if same else tree.paid[node].max()
    level = tree.paid.max(axis=1).astype(np.int64)
    added = tree.to + (start - level)[:, np.newaxis]
    return np.where(tree.to > 0, added / (2.0 * level)[:, np.newaxis], 0.0)


def ends_all_in(tree: BettingTree) -> NDArray[np.bool_]:
    """Return of which decisions the last action is a raise that puts the player all-in: bool[nodes]."""
    last = np.maximum(tree.choices.astype(np.int64) - 1, 0)[:, np.newaxis]
    child = np.take_along_axis(tree.child, last, axis=1)[:, 0]
    raises = np.take_along_axis(tree.to, last, axis=1)[:, 0] > 0
    found: NDArray[np.bool_] = raises & (tree.paid[child].max(axis=1) >= min(tree.game.stacks))
    return found


def bets_of(situation: Situation, blinds: Sequence[int], antes: Sequence[int]) -> list[Bet]:
    """Return the actions of a hand of two, whose blinds and antes stand by position."""
    starts = [left + paid for left, paid in zip(situation.stacks, situation.paid, strict=True)]
    most = min(starts)
    position = {seat: place for place, seat in enumerate(situation.seats)}
    before = [min(ante, start) for ante, start in zip(antes, starts, strict=True)]
    bets = [min(blind, start - ante) for blind, start, ante in zip(blinds, starts, before, strict=True)]
    street, found = 0, []
    for step in situation.history:
        if step.street != street:
            street, before, bets = step.street, [a + b for a, b in zip(before, bets, strict=True)], [0, 0]
        place, level = position[step.seat], max(bets)
        if step.kind == "raise":
            pot = sum(before) + 2 * level
            size = (step.to - level) / max(1, pot)
            found.append(Bet(place, "raise", size, step.to + before[place] >= most))
        else:
            found.append(Bet(place, step.kind))
        if step.kind != "fold":
            bets[place] = step.to
    return found


def follow(
    tree: BettingTree,
    sizes: NDArray[np.float64],
    bets: Sequence[Bet],
    own: int,
    drawn: Callable[[int], float],
) -> Path | None:
    """Return the way of a hand; it ends early where the tree's betting does. None if others act there.

    ``drawn``: a random number from 0 to 1 for the action of this number, always the same one.
    """
    node, steps = 0, []
    for number, bet in enumerate(bets):
        if tree.player[node] < 0:
            break
        if tree.player[node] != bet.position or bet.kind == "fold":
            return None
        found = ways(tree, sizes, node, bet, own=bet.position == own)
        action = found[0 if len(found) == 1 or drawn(number) < found[0][0] else 1][1]
        steps.append(Step(node, action))
        node = int(tree.child[node, action])
    return Path(tuple(steps), node)


def bet_of(betting: Betting, action: Action) -> Bet:
    """Return an action of a hand of two with equal stacks; ``betting`` is before it."""
    if action.kind != "raise":
        return Bet(betting.to_act, action.kind)
    to = betting.street_start + action.to
    return Bet(
        betting.to_act, "raise", (to - betting.bet) / max(1, 2 * betting.bet), to >= min(betting.stacks)
    )


def ways(
    tree: BettingTree, sizes: NDArray[np.float64], node: int, bet: Bet, *, own: bool
) -> list[tuple[float, int]]:
    """Return the actions of a decision, one or two, that a bet may be taken for, with their probabilities;
    ``own``: the player's own bet.
    """
    count = int(tree.choices[node])
    raises = [place for place in range(count) if tree.to[node, place] > 0]
    if bet.kind == "call" or not raises:
        return [(1.0, int(tree.to[node, :count].tolist().index(0)))]
    if bet.all_in:
        return [(1.0, raises[-1])]
    known = sizes[node, raises]
    if own:
        return [(1.0, raises[int(np.abs(np.log(known / max(bet.size, _CLOSE))).argmin())])]
    above = int(np.searchsorted(known, bet.size - _CLOSE))
    if above in (0, len(raises)):
        return [(1.0, raises[0 if above == 0 else -1])]
    share = lower_share(known[above - 1], known[above], bet.size)
    return [(share, raises[above - 1]), (1 - share, raises[above])]


def lower_share(low: float, high: float, size: float) -> float:
    """Return the probability that a size between two others counts as the lower (the pseudo-harmonic
    rule).
    """
    return float((high - size) * (1 + low) / ((high - low) * (1 + size)))
