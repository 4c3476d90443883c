"""Card states and deals of hold'em: 169 classes, clusters on flop and turn, strength on the river.

Flop and turn have clusters by earth mover's distance (``strategy.abstraction.clusters``). A river state is
one of equal steps of the hand's strength against a random hand. No state remembers earlier streets.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.cluster_tables import earlier_states
from strategy.abstraction.clusters import make_clusters
from strategy.abstraction.holdem_deals import PREFLOP_STATES, HoldemDeals
from strategy.abstraction.moment_tables import StateTable, all_forms, river_points
from strategy.nolimit.sampling import Deal
from strategy.poker.kernels import State
from strategy.poker.strengths import HAND_POINTS
from strategy.progress import ProgressCallback, chunks, no_progress

STATES = 200
"""Card states on flop, turn and river each."""


class ClusterDeals:
    """Deals of hold'em for two. The states of all hands on all boards are made on first use: it takes minutes
    and, meanwhile, a gigabyte. ``seed`` determines them.
    """

    sizes = (PREFLOP_STATES, STATES, STATES, STATES)

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._deals: HoldemDeals | None = None

    def prepare(self, report: ProgressCallback = no_progress) -> HoldemDeals:
        """Make the states unless that is done."""
        if self._deals is None:
            self._deals = HoldemDeals(2, _all_states(self._seed, report), self.sizes[1:])
        return self._deals

    def deal(self, state: State, count: int) -> Deal:
        """Return random deals that follow from the generator's ``state``."""
        batch = self.prepare().batch(state, count)
        ahead = np.sign(batch.ranks[:, 0] - batch.ranks[:, 1])
        return Deal(batch.states.astype(np.int32), ahead.astype(np.int8))


def _all_states(seed: int, report: ProgressCallback) -> StateTable:
    # The river has states of its own; of its clusters the least is made.
    centres = make_clusters((STATES, STATES, 1), seed=seed, report=report).centres
    forms = all_forms(report)
    points = river_points(forms[2], report)
    flop, turn = (
        earlier_states(forms[street], forms[2], points, 2 - street, centres[street], report)
        for street in (0, 1)
    )
    return StateTable(forms, (flop, turn, river_states(points, report)))


def river_states(points: NDArray[np.int16], report: ProgressCallback = no_progress) -> NDArray[np.uint8]:
    """Return the states of hands from their points, uint8 of the same shape."""
    found = np.empty(points.shape, np.uint8)
    for part in chunks(len(points), 4096, "strengths on the river", report):
        found[part] = points[part].astype(np.int32) * STATES // (HAND_POINTS + 1)
    return found
