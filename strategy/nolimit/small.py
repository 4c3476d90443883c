"""Card states and deals of games whose boards can all be listed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from strategy.jit import vector_jit
from strategy.nolimit.boards import Boards, strengths
from strategy.nolimit.sampling import Deal
from strategy.poker.kernels import Ints, State, below


class SmallDeals:
    """Deals of a small deck. ``states`` has int32[boards, hands] by street: card states, -1 for hands that
    share a card with the board; ``sizes``: how many states there are.

    With ``by_strength`` a state on the last street is a hand's strength alone, ``boards.strengths``, without
    memory of earlier streets. Otherwise, and on all earlier streets, states differ as soon as cards do, up to
    swapped suits.
    """

    def __init__(self, boards: Boards, *, by_strength: bool) -> None:
        self.boards = boards
        self.states: list[NDArray[np.int32]] = [street.state for street in boards.streets]
        self.sizes: Sequence[int] = [street.states for street in boards.streets]
        if by_strength:
            last = boards.streets[-1]
            found, state = np.unique(strengths(boards.hands, last.hands, boards.ranks), return_inverse=True)
            self.states[-1] = state.reshape(last.state.shape).astype(np.int32)
            self.sizes = [*self.sizes[:-1], len(found)]
        last = boards.streets[-1]
        self._chances = np.cumsum(last.weight)
        self._path = np.zeros((len(boards.streets), len(last.cards)), np.int64)
        self._path[-1] = np.arange(len(last.cards))
        for street in range(len(boards.streets) - 1, 0, -1):
            self._path[street - 1] = boards.streets[street].parent[self._path[street]]
        self._wide = tuple(
            _widen(len(boards.hands), street.hands, states)
            for street, states in zip(boards.streets, self.states, strict=True)
        )

    def deal(self, state: State, count: int) -> Deal:
        """Return random deals that follow from the generator's ``state``."""
        last = self.boards.streets[-1]
        boards = np.empty(count, np.int64)
        held = np.empty((count, 2), np.int64)
        winner = np.empty(count, np.int8)
        _deal(state, self._chances, last.hands, self.boards.hands, self.boards.ranks, boards, held, winner)
        states = np.empty((count, 2, len(self._wide)), np.int32)
        for street, wide in enumerate(self._wide):
            states[:, :, street] = wide[self._path[street, boards][:, None], held]
        return Deal(states, winner)


def _widen(hands: int, live: NDArray[np.int32], states: NDArray[np.int32]) -> NDArray[np.int32]:
    wide = np.full((len(live), hands), -1, np.int32)
    np.put_along_axis(wide, live.astype(np.int64), states, axis=1)
    return wide


@vector_jit
def _deal(
    state: State,
    chances: Ints,
    live: NDArray[np.int32],
    hands: Ints,
    ranks: Ints,
    boards: Ints,
    held: Ints,
    winner: NDArray[np.int8],
) -> None:
    for place in range(len(boards)):
        board = np.searchsorted(chances, below(state, chances[-1]), side="right")
        first = below(state, live.shape[1])
        one = hands[live[board, first]]
        while True:
            second = below(state, live.shape[1])
            two = hands[live[board, second]]
            if one[0] != two[0] and one[0] != two[1] and one[1] != two[0] and one[1] != two[1]:
                break
        boards[place] = board
        held[place, 0], held[place, 1] = live[board, first], live[board, second]
        ahead = ranks[board, first] - ranks[board, second]
        winner[place] = 1 if ahead > 0 else -1 if ahead < 0 else 0
