"""Card states and deals of hold'em: 169 classes, then clusters.

Those of flop and turn are by earth mover's distance, those of the river by groups of opposing hands
(``strategy.abstraction``). No state remembers earlier streets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.abstraction import States
from strategy.abstraction.cluster_tables import earlier_states
from strategy.abstraction.clusters import Clusters, Histograms, make_clusters, nearest
from strategy.abstraction.holdem_deals import PREFLOP_STATES, HoldemDeals
from strategy.abstraction.moment_tables import BoardForms, StateTable, all_forms, river_points
from strategy.abstraction.opponent_clusters import (
    GROUPS,
    Groups,
    Rows,
    fit_rivers,
    opponent_groups,
    river_states,
    write_rows,
)
from strategy.jit import vector_jit
from strategy.nolimit.sampling import Deal
from strategy.poker.combos import combo_index
from strategy.poker.kernels import TABLE, Ints, Ranks, State, key_of
from strategy.progress import ProgressCallback, chunks, no_progress

STATES: Final = 200
"""Card states on flop, turn and river each."""
SIZES: Final = (PREFLOP_STATES, STATES, STATES, STATES)


class HoldemCards(NamedTuple):
    """The clusters: ``flop`` and ``turn``, the histograms of their centres; ``groups`` of opposing hands on
    the river, and the centres there, ``river``.
    """

    flop: Histograms
    turn: Histograms
    groups: Groups
    river: Rows

    def state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """Return a hand's card state; takes as long as ``all_states``."""
        return int(self.all_states(board)[combo_index(*hole)])

    def all_states(self, board: Sequence[int]) -> States:
        """Return the card state of every hand on a board of 0, 3, 4 or 5 cards, int32[1326], -1 if blocked.

        Takes 40 milliseconds on the flop and one or two later. Raises MathError.
        """
        if len(board) == 5:
            return river_states(list(board), self.groups, self.river)
        return Clusters((self.flop, self.turn, self.turn)).all_states(board)


def make_cards(seed: int, report: ProgressCallback = no_progress) -> HoldemCards:
    """Make the clusters from random hands; takes a minute."""
    flop, turn, _ = make_clusters((STATES, STATES, 1), seed=seed, report=report).centres
    groups = opponent_groups(seed)
    return HoldemCards(flop, turn, groups, fit_rivers(STATES, groups, seed))


class ClusterDeals:
    """Deals of hold'em for two. The states of all hands on all boards are made on first use: it takes minutes
    and, meanwhile, a gigabyte. ``seed`` determines them.
    """

    sizes = SIZES

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._deals: HoldemDeals | None = None

    def prepare(self, report: ProgressCallback = no_progress) -> HoldemDeals:
        """Make the states unless that is done."""
        if self._deals is None:
            self._deals = HoldemDeals(2, all_tables(make_cards(self._seed, report), report), SIZES[1:])
        return self._deals

    def deal(self, state: State, count: int) -> Deal:
        """Return random deals that follow from the generator's ``state``."""
        batch = self.prepare().batch(state, count)
        ahead = np.sign(batch.ranks[:, 0] - batch.ranks[:, 1])
        return Deal(batch.states.astype(np.int32), ahead.astype(np.int8))


def all_tables(cards: HoldemCards, report: ProgressCallback = no_progress) -> StateTable:
    """Return the state of every hand on every board."""
    forms = all_forms(report)
    points = river_points(forms[2], report)
    flop, turn = (
        earlier_states(forms[street], forms[2], points, 2 - street, centres, report)
        for street, centres in enumerate((cards.flop, cards.turn))
    )
    return StateTable(forms, (flop, turn, _all_rivers(forms[2], cards, report)))


def _all_rivers(forms: BoardForms, cards: HoldemCards, report: ProgressCallback) -> NDArray[np.uint8]:
    found = np.empty((len(forms.first), 1326), np.uint8)
    for part in chunks(len(found), 256, "clusters on the river", report):
        _write_rivers(TABLE, forms.first[part], cards.groups, cards.river, found[part])
    return found


@vector_jit
def _write_rivers(
    table: Ranks, boards: Ints, groups: Groups, centres: Rows, found: NDArray[np.uint8]
) -> None:
    rows = np.zeros((1326, GROUPS), np.float32)
    for place in range(len(boards)):
        write_rows(table, key_of(boards[place]), boards[place], groups, rows)
        found[place] = nearest(rows, centres)
