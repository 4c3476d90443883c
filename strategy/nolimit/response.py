"""Exact best responses in the real game, with all cards, to a strategy of a game with few cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.jit import vector_jit
from strategy.nolimit.boards import Boards
from strategy.nolimit.sampling import Layout, layout_of
from strategy.nolimit.small import SmallDeals
from strategy.nolimit.streets import BEST, Street, backward, fold_values, forward, last_values, streets_of
from strategy.nolimit.tree import BettingTree
from strategy.poker.kernels import Ints
from strategy.progress import ProgressCallback, no_progress

Floats = NDArray[np.float64]


class Profile(NamedTuple):
    """A strategy for both players: ``policy`` float32[layout.size] for the card states of ``deals``."""

    tree: BettingTree
    streets: list[Street]
    deals: SmallDeals
    layout: Layout
    policy: NDArray[np.float32]

    @property
    def boards(self) -> Boards:
        """The boards of the game."""
        return self.deals.boards

    def weights(self, street: int, board: int) -> Floats:
        """Return the probabilities of a street's decisions on a board: float64[rows, most, hands]."""
        here = self.streets[street]
        states = self.deals.states[street][board]
        found = np.zeros((here.rows, here.child.shape[1], len(states)))
        base, width = int(self.layout.base[street]), int(self.layout.width[street])
        _gather(here, self.layout.offset, base, width, states, self.policy, found)
        return found

    def cards(self, street: int, board: int) -> Ints:
        """Return the cards of the hands on a board, int64[hands, 2]."""
        found: Ints = self.boards.hands[self.boards.streets[street].hands[board]]
        return found


def profile_of(tree: BettingTree, deals: SmallDeals, policy: NDArray[np.float32]) -> Profile:
    """Return the profile of a ``Table``'s policy."""
    return Profile(tree, streets_of(tree), deals, layout_of(tree, deals.sizes), policy)


@vector_jit
def _gather(
    street: Street,
    offset: Ints,
    base: int,
    width: int,
    states: NDArray[np.int32],
    policy: NDArray[np.float32],
    found: Floats,
) -> None:
    for node in range(len(street.player)):
        if street.player[node] >= 0:
            for i in range(len(states)):
                slot = base + width * states[i] + offset[street.node[node]]
                for action in range(street.choices[node]):
                    found[street.row[node], action, i] = policy[slot + action]


Subgames = Callable[[int, Floats], Floats]
"""Gives the responder's values at the starts of a street, [starts, hands], on a board of it, from both
players' reach there, [2, starts, hands].
"""


Kept = MutableMapping[int, Floats]
"""Values at the starts of the second street by board."""


class Responder:
    """Values of a player who plays the best response (or, with ``mode`` ``EXPECT``, the profile itself) to
    the other's strategy in the profile.

    ``at`` and ``subgames``: the street from which on another strategy is played, and its values. ``workers``:
    threads, each with other boards of the second street; they change nothing but time. ``kept``: values
    there that are known, and where new ones go.
    """

    def __init__(
        self,
        profile: Profile,
        player: int,
        *,
        mode: int = BEST,
        at: int = -1,
        subgames: Subgames | None = None,
        workers: int = 1,
        kept: Kept | None = None,
        report: ProgressCallback = no_progress,
    ) -> None:
        self.profile, self.player, self.mode = profile, player, mode
        self.at, self.subgames = at, subgames
        self._workers, self._kept, self._report = workers, kept, report

    def value(self) -> float:
        """Return the player's value in chips a hand."""
        hands = len(self.profile.boards.hands)
        found = self.values(0, 0, np.ones((2, 1, hands)))
        return float(found.sum()) / (hands * _met(self.profile.boards.hands))

    def values(self, street: int, board: int, reach: Floats) -> Floats:
        """Return the player's values at the starts of a street: float64[starts, hands]."""
        if street == self.at and self.subgames is not None:
            return self.subgames(board, reach)
        profile, here = self.profile, self.profile.streets[street]
        weights = profile.weights(street, board)
        cards = profile.cards(street, board)
        hands = reach.shape[2]
        own, other = np.empty((2, len(here.node), hands))
        other[: here.starts] = reach[1 - self.player]
        values = np.empty((len(here.node), hands))
        if street == profile.tree.game.rounds - 1:
            ends = profile.boards.ends[board].astype(np.int64)
            last_values(here, self.player, cards, ends, weights, other, values, self.mode)
            return values[: here.starts]
        forward(here, 1 - self.player, weights, other)
        if self.subgames is not None:
            own[: here.starts] = reach[self.player]
            forward(here, self.player, weights, own)
        fold_values(here, self.player, cards, other, values)
        both = np.empty((2, len(here.ends), hands))
        both[self.player], both[1 - self.player] = own[here.ends], other[here.ends]
        values[here.ends] = self._after(street + 1, board, both)
        backward(here, self.player, weights, values, self.mode)
        return values[: here.starts]

    def _after(self, street: int, parent: int, reach: Floats) -> Floats:
        """Return the values before a street's cards are dealt on a board of the street before."""
        here = self.profile.boards.streets[street]
        deals = slice(int(here.start[parent]), int(here.start[parent + 1]))
        children, ways = here.child[deals], here.up[deals]
        total = np.zeros(reach.shape[1:])
        boards = np.unique(children).tolist()

        def values(board: int) -> Floats:
            return self.values(street, board, np.ascontiguousarray(reach[:, :, here.down[board]]))

        found = map(values, boards) if street > 1 else self._second_street(values, boards)
        for board, one in zip(boards, found, strict=True):
            # The last column is what a hand with a dealt card gets.
            padded = np.concatenate((one, np.zeros((len(one), 1))), axis=1)
            for way in ways[children == board]:
                total += padded[:, way]
        total /= here.chance
        return total

    def _second_street(self, values: Callable[[int], Floats], boards: list[int]) -> Iterator[Floats]:
        kept: Kept = {} if self._kept is None else self._kept
        pool = ThreadPoolExecutor(self._workers)
        try:
            waiting = {board: pool.submit(values, board) for board in boards if board not in kept}
            for place, board in enumerate(boards):
                if board in waiting:
                    kept[board] = waiting[board].result()
                yield kept[board]
                self._report(f"position {self.player}", (place + 1) / len(boards))
        finally:
            pool.shutdown(cancel_futures=True)


def _met(hands: Ints) -> int:
    """Return how many hands share no card with a hand."""
    return int(sum(not set(hands[0].tolist()) & set(other) for other in hands.tolist()))


def exploitability(
    profile: Profile, report: ProgressCallback = no_progress
) -> tuple[float, tuple[float, float]]:
    """Return what a best response wins, averaged over both positions, and what it wins in each, in chips."""
    found = tuple(Responder(profile, player, report=report).value() for player in range(2))
    return sum(found) / 2, (found[0], found[1])
