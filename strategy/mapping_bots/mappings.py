"""The mappings by name: Glöckner's five, and those of ownbot and Sartre3P once two players are left."""

from __future__ import annotations

import numpy as np

from strategy.mapping_bots.histories import Histories
from strategy.mapping_bots.mapping import (
    Mapping,
    Nearest,
    RankedHistories,
    action_distance,
    facing_differs,
    nearest_pot,
    nearest_price,
    order_differs,
    past_raise_gap,
    pot_gap,
    price_gap,
    raise_differs,
    raise_gap,
    same_street,
    street_action_distance,
    wrong_position,
)
from strategy.mapping_bots.rounds import CAPS, map_street
from strategy.mapping_bots.spot import Spot


class FirstTry:
    """Delete as few actions as possible, street by street (4.2); opponents are not distinguished."""

    def rank(self, histories: Histories, spot: Spot, opponent: int) -> RankedHistories:
        """Return the only history, at distance 0."""
        words = tuple(
            map_street(actions, active, closed=street < spot.street, cap=cap)
            for street, (actions, active, cap) in enumerate(zip(spot.rounds, spot.active, CAPS, strict=False))
        )
        return RankedHistories(np.array([histories.row_of[words]]), np.zeros((1, 1)))


_ADVANCED = (raise_differs, wrong_position, action_distance)

HBB1: Mapping = FirstTry()
HBB2: Mapping = Nearest((same_street,), (action_distance,))
HBB3: Mapping = Nearest((same_street, nearest_pot), (action_distance,))
HBB4: Mapping = Nearest((same_street, nearest_price), _ADVANCED)
HBB5: Mapping = Nearest((same_street,), (price_gap, pot_gap, *_ADVANCED))

OWNBOT: Mapping = Nearest(
    (same_street,), (order_differs, street_action_distance, raise_differs, pot_gap, action_distance)
)
"""Folded players are treated as if they had never been there, which is all that Glöckner 2013, 6, says about
ownbot. That the actions of this street count first, then the pot, then earlier streets, is ours.
"""

SARTRE: Mapping = Nearest(
    (same_street,), (order_differs, facing_differs, raise_gap, past_raise_gap, action_distance)
)
"""Position and number of raises, which is all that Glöckner 2013, 6, says about Sartre3P; their order is
ours.
"""


class _Same:
    """Heads-up, where nothing needs mapping: the same history; if the heads-up game has none, for example
    after more raises than it allows, as ownbot does.
    """

    def rank(self, histories: Histories, spot: Spot, opponent: int) -> RankedHistories:
        row = histories.row_of.get(spot.rounds)
        if row is None:
            return OWNBOT.rank(histories, spot, opponent)
        return RankedHistories(np.array([row]), np.zeros((1, 1)))


SAME: Mapping = _Same()
