"""Streets solved again with all hands, from the ranges that a base strategy gives.

One player's strategy, the target's, is replaced. Three ways differ in what the opponent holds at the start:

* ``unsafe``: the base strategy's range. The result may lose to an opponent who comes with other hands.
* ``cfr-d``: any hand, but with each the opponent may refuse to play, and then gets what it wins when both
  play the base strategy (Burch, Johanson and Bowling, "Solving Imperfect Information Games Using
  Decomposition", AAAI 2014; they offer what a best response wins, which lets the target play far worse where
  the base strategy is weak).
* ``combined``: the base strategy's range, and beside it hands that may refuse, with a bounded weight.

Regrets are matched as in CFR+ (Tammelin 2014): never below 0, players in turn, averages weighted by the
number of the iteration.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from strategy.jit import vector_jit
from strategy.nolimit.response import Floats, Profile, Responder
from strategy.nolimit.streets import (
    BEST,
    EXPECT,
    LEARN,
    Street,
    Vectors,
    Weights,
    add_up,
    backward,
    fold_values,
    forward,
    last_values,
)
from strategy.poker.kernels import Ints

METHODS = ("unsafe", "cfr-d", "combined")
ITERATIONS = 200

_CAP = 0.2
"""Combined: the weight of the hands that may refuse, at most, relative to that of the range."""
_EVEN = 0.1
"""Combined: the weight that all hands share evenly, relative to that of the others."""


class _Gadget(NamedTuple):
    """The opponent's hands at the starts, all [starts, hands].

    ``fixed``: reach of the hands that must play; ``offer``: what a hand gets for refusing, as a
    counterfactual value; ``enter`` and ``refuse``: regrets. ``cap`` and ``even``: see the module; a negative
    cap is none.
    """

    fixed: Vectors
    offer: Vectors
    enter: Vectors
    refuse: Vectors
    cap: float
    even: float


def gadget_of(method: str, own: Floats, offer: Floats) -> _Gadget:
    """Return the opponent's hands by one of ``METHODS``, from its reach and offers, [starts, hands]."""
    kind = np.float32
    none = np.zeros_like(own, kind)
    fixed = none.copy() if method == "cfr-d" else own.astype(kind)
    cap, even = {"unsafe": (0.0, 0.0), "cfr-d": (-1.0, 0.0), "combined": (_CAP, _EVEN)}[method]
    return _Gadget(fixed, offer.astype(kind), none.copy(), none.copy(), cap, even)


@vector_jit
def _open(gadget: _Gadget, reach: Vectors) -> None:
    """Write the opponent's reach at the starts."""
    for start in range(len(gadget.fixed)):
        fixed, out = gadget.fixed[start], reach[start]
        enter, refuse = gadget.enter[start], gadget.refuse[start]
        hands = len(fixed)
        if gadget.cap == 0:
            out[:] = fixed
            continue
        sure = free = 0.0
        for i in range(hands):
            both = enter[i] + refuse[i]
            out[i] = (1 - fixed[i]) * (enter[i] / both if both > 0 else 1.0)
            sure += fixed[i]
            free += out[i]
        scale = 1.0
        if gadget.cap > 0 and sure > 0 and free > gadget.cap * sure:
            scale = gadget.cap * sure / free
        even = gadget.even * (sure + scale * free) / hands
        for i in range(hands):
            out[i] = min(1.0, fixed[i] + scale * out[i] + even)


@vector_jit
def _choose(gadget: _Gadget, values: Vectors) -> None:
    """Update the regrets of playing and refusing from the values of playing."""
    if gadget.cap == 0:
        return
    for start in range(len(gadget.fixed)):
        enter, refuse = gadget.enter[start], gadget.refuse[start]
        offer, found = gadget.offer[start], values[start]
        for i in range(len(offer)):
            both = enter[i] + refuse[i]
            part = enter[i] / both if both > 0 else 1.0
            more = found[i] - offer[i]
            enter[i] = max(0.0, enter[i] + (1 - part) * more)
            refuse[i] = max(0.0, refuse[i] - part * more)


@vector_jit
def solve_last(
    street: Street,
    target: int,
    cards: Ints,
    ends: Ints,
    own: Vectors,
    gadget: _Gadget,
    iterations: int,
    regrets: Vectors,
    sums: Vectors,
) -> None:
    """Solve the last street: write the target's average strategy into ``sums`` [rows, most, hands].

    ``own``: the target's reach at the starts. ``regrets`` and ``sums`` are 0 at first.
    """
    reach = np.empty((len(street.player), own.shape[1]), own.dtype)
    values = np.empty_like(reach)
    starts = len(own)
    for now in range(1, iterations + 1):
        reach[:starts] = own
        last_values(street, 1 - target, cards, ends, regrets, reach, values, LEARN)
        add_up(street, target, reach, float(now), sums)
        _choose(gadget, values)
        _open(gadget, reach)
        last_values(street, target, cards, ends, regrets, reach, values, LEARN)


class Below(NamedTuple):
    """The boards of the last street below one of the street before: of each, the hands' ``cards``, ``ends``
    of ranks and numbers above (``down``), and of each deal the numbers below (``up``), those of board c being
    ``first[c]`` to ``first[c + 1]``. ``share``: the probability of a deal.
    """

    cards: Ints
    ends: Ints
    down: Ints
    first: Ints
    up: Ints
    share: float


@vector_jit
def two_streets(
    here: Street,
    last: Street,
    below: Below,
    player: int,
    cards: Ints,
    weights: Weights,
    later: Weights,
    reach: Vectors,
    values: Vectors,
    mode: int,
    factor: float,
    sums: Weights,
    later_sums: Weights,
) -> None:
    """Write a player's values on the last but one street, from the opponent's reach at its starts.

    ``weights`` and ``sums`` [rows, most, hands]; ``later`` and ``later_sums`` [boards, rows, most, hands].
    With a ``factor`` the opponent's play is added to the sums; ``later_sums`` may have no boards.
    """
    other = 1 - player
    forward(here, other, weights, reach)
    fold_values(here, player, cards, reach, values)
    starts, hands = len(here.ends), below.down.shape[1]
    there = np.empty((len(last.player), hands), reach.dtype)
    won = np.empty_like(there)
    share = reach.dtype.type(below.share)
    for start in range(starts):
        values[here.ends[start]] = 0
    for board in range(len(below.down)):
        down = below.down[board]
        for start in range(starts):
            above = reach[here.ends[start]]
            for i in range(hands):
                there[start, i] = above[down[i]]
        last_values(last, player, below.cards[board], below.ends[board], later[board], there, won, mode)
        if factor > 0 and len(later_sums) > 0:
            add_up(last, other, there, factor, later_sums[board])
        for deal in range(below.first[board], below.first[board + 1]):
            up = below.up[deal]
            for start in range(starts):
                total, one = values[here.ends[start]], won[start]
                for i in range(len(up)):
                    if up[i] >= 0:
                        total[i] += share * one[up[i]]
    if factor > 0:
        add_up(here, other, reach, factor, sums)
    backward(here, player, weights, values, mode)


@vector_jit
def solve_two(
    here: Street,
    last: Street,
    below: Below,
    target: int,
    cards: Ints,
    own: Vectors,
    gadget: _Gadget,
    iterations: int,
    regrets: Vectors,
    later: Vectors,
    sums: Vectors,
    later_sums: Vectors,
) -> None:
    """Solve the last two streets, as ``solve_last`` does the last."""
    reach = np.empty((len(here.player), own.shape[1]), own.dtype)
    values = np.empty_like(reach)
    starts, opponent = len(own), 1 - target
    for now in range(1, iterations + 1):
        reach[:starts] = own
        two_streets(
            here, last, below, opponent, cards, regrets, later, reach, values, LEARN, now, sums, later_sums
        )
        _choose(gadget, values)
        _open(gadget, reach)
        two_streets(
            here, last, below, target, cards, regrets, later, reach, values, LEARN, 0.0, sums, later_sums
        )


class River:
    """Subgames for ``Responder``: the target's play on the last street, solved again on every board."""

    def __init__(self, profile: Profile, target: int, method: str, iterations: int = ITERATIONS) -> None:
        self.profile, self.target, self.method, self.iterations = profile, target, method, iterations
        self.street = len(profile.streets) - 1

    def __call__(self, board: int, reach: Floats) -> Floats:
        """Return the opponent's values at the starts against the solution: [starts, hands]."""
        profile, target = self.profile, self.target
        here, opponent = profile.streets[self.street], 1 - target
        cards, ends = profile.cards(self.street, board), profile.boards.ends[board].astype(np.int64)
        offer = Responder(profile, opponent, mode=EXPECT).values(self.street, board, reach)
        gadget = gadget_of(self.method, reach[opponent], offer)
        regrets, sums = np.zeros((2, here.rows, here.child.shape[1], reach.shape[2]), np.float32)
        own = reach[target].astype(np.float32)
        solve_last(here, target, cards, ends, own, gadget, self.iterations, regrets, sums)
        work, values = np.empty((2, len(here.node), reach.shape[2]))
        work[: here.starts] = reach[target]
        last_values(here, opponent, cards, ends, sums.astype(np.float64), work, values, BEST)
        return values[: here.starts]


class Turn:
    """Subgames for ``Responder``: the target's play on the last two streets, solved again on every board."""

    def __init__(self, profile: Profile, target: int, method: str, iterations: int = ITERATIONS) -> None:
        self.profile, self.target, self.method, self.iterations = profile, target, method, iterations
        self.street = len(profile.streets) - 2

    def __call__(self, board: int, reach: Floats) -> Floats:
        """Return the opponent's values at the starts against the solution: [starts, hands]."""
        profile, target = self.profile, self.target
        here, last = profile.streets[self.street :]
        opponent, hands = 1 - target, reach.shape[2]
        cards, below = profile.cards(self.street, board), self._below(board)
        offer = Responder(profile, opponent, mode=EXPECT).values(self.street, board, reach)
        gadget = gadget_of(self.method, reach[opponent], offer)
        regrets, sums = np.zeros((2, here.rows, here.child.shape[1], hands), np.float32)
        shape = (2, len(below.down), last.rows, last.child.shape[1], below.down.shape[1])
        later, later_sums = np.zeros(shape, np.float32)
        solve_two(
            here,
            last,
            below,
            target,
            cards,
            reach[target].astype(np.float32),
            gadget,
            self.iterations,
            regrets,
            later,
            sums,
            later_sums,
        )
        found, later_found = sums.astype(np.float64), later_sums.astype(np.float64)
        work, values = np.empty((2, len(here.node), hands))
        work[: here.starts] = reach[target]
        two_streets(
            here,
            last,
            below,
            opponent,
            cards,
            found,
            later_found,
            work,
            values,
            BEST,
            0.0,
            found,
            later_found,
        )
        return values[: here.starts]

    def _below(self, board: int) -> Below:
        boards = self.profile.boards
        last = boards.streets[-1]
        deals = slice(int(last.start[board]), int(last.start[board + 1]))
        order = np.argsort(last.child[deals], kind="stable")
        children, counts = np.unique(last.child[deals], return_counts=True)
        return Below(
            boards.hands[last.hands[children]],
            boards.ends[children].astype(np.int64),
            last.down[children].astype(np.int64),
            np.cumsum([0, *counts.tolist()]),
            last.up[deals][order].astype(np.int64),
            1 / last.chance,
        )
