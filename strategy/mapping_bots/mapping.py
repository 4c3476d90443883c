"""The framework of mappings (Glöckner 2013, 5.1): filters select histories, keys sort them.

A new mapping takes a few lines: filters, each of which selects from the given rows of ``Histories``, and
keys, the most important first, where smaller is nearer; the last key is a distance. The filters and keys of
the document, and ours, are here; ``strategy.mapping_bots.mappings`` combines them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from strategy.mapping_bots.histories import Histories, word_distances
from strategy.mapping_bots.policy import Policy
from strategy.mapping_bots.spot import Spot, acting_position, preferred_position, price

Rows = NDArray[np.intp]
"""Rows of ``Histories``."""

Values = NDArray[np.float64]

Filter = Callable[[Histories, Spot, Rows], Rows]
"""Selects rows."""

Key = Callable[[Histories, Spot, int, Rows], Values]
"""Returns the distance of each row from the spot, seen as one against this opponent."""


class RankedHistories(NamedTuple):
    """The histories that the filters selected, the nearest first: ``rows``, and ``keys``
    float64[rows, keys].
    """

    rows: Rows
    keys: Values


class Mapping(Protocol):
    """Finds heads-up histories for a spot."""

    def rank(self, histories: Histories, spot: Spot, opponent: int) -> RankedHistories:
        """Return at least one history, the nearest first. ``opponent``: the position that counts; others are
        ignored.
        """
        ...


class Nearest(NamedTuple):
    """A mapping from filters and keys. Ties are in the order of the tree."""

    filters: tuple[Filter, ...]
    keys: tuple[Key, ...]

    def rank(self, histories: Histories, spot: Spot, opponent: int) -> RankedHistories:
        """Return all that the filters select, in the order of the keys."""
        rows: Rows = np.arange(len(histories.node))
        for keep in self.filters:
            rows = keep(histories, spot, rows)
        values = np.stack([key(histories, spot, opponent, rows) for key in self.keys])
        order = np.lexsort(values[::-1])
        return RankedHistories(rows[order], values[:, order].T)


class MappedAnswer(NamedTuple):
    """The answer of the heads-up strategy through a mapping.

    ``available``: histories after the filters; ``skipped``: those passed over as not reached. ``rows`` and
    ``distances`` of the nearest, and their ``probabilities`` float64[rows, 3] of fold, call and raise;
    ``mean``: their average, weighted if requested.
    """

    opponent: int
    available: int
    skipped: int
    rows: Rows
    distances: Values
    probabilities: Values
    mean: Values


def ask_policy(
    mapping: Mapping,
    histories: Histories,
    policy: Policy,
    spot: Spot,
    opponent: int,
    state: int,
    *,
    nearest: int = 1,
    weighted: bool = False,
    skip: bool = False,
) -> MappedAnswer:
    """Ask ``policy`` at the ``nearest`` histories, with cards of the card state ``state``.

    ``weighted``: an answer at distance d counts 1 / (1 + d) (equation 8). ``skip``: histories that the policy
    never reaches are passed over, as in the document, whose program answers NaN to them; if all are such,
    none is.
    """
    ranked = mapping.rank(histories, spot, opponent)
    chosen = np.arange(min(nearest, len(ranked.rows)))
    skipped = 0
    if skip:
        found: list[int] = []
        for place, row in enumerate(ranked.rows):
            if len(found) == nearest:
                break
            if policy.reached(int(histories.node[row]), state):
                found.append(place)
            else:
                skipped += 1
        chosen = np.array(found, np.intp) if found else chosen
    rows = ranked.rows[chosen]
    away = numeric_distances(ranked.keys[chosen])
    policies = np.array([policy.table(int(node))[state] for node in histories.node[rows]], np.float64)
    weights = 1 / (1 + away) if weighted else np.ones(len(rows))
    return MappedAnswer(
        opponent, len(ranked.rows), skipped, rows, away, policies, (weights @ policies) / float(weights.sum())
    )


def numeric_distances(keys: Values) -> Values:
    """Return the numeric distances of histories in order, from their ``keys`` (Glöckner 2013, table 4).

    The last key is the distance in the actions. Added to it is the distance of the last previous history that
    differs in any other key.
    """
    away: list[float] = []
    base = 0.0
    for place, row in enumerate(keys):
        if place and not np.array_equal(row[:-1], keys[place - 1, :-1]):
            base = away[-1]
        away.append(base + float(row[-1]))
    return np.array(away)


# Filters.


def same_street(histories: Histories, spot: Spot, rows: Rows) -> Rows:
    """Select those of the same street (StreetFilter)."""
    selected: Rows = rows[histories.street[rows] == spot.street]
    return selected


def nearest_pot(histories: Histories, spot: Spot, rows: Rows) -> Rows:
    """Select those with the nearest pot size; two sizes if both are equally near (PotSizeFilter)."""
    return _keep_smallest(rows, pot_gap(histories, spot, 0, rows))


def nearest_price(histories: Histories, spot: Spot, rows: Rows) -> Rows:
    """Select those with the nearest pot odds, and of these with the nearest pot (PotOddsFilter).

    The document's 76 classes are pairs of pot and price, so that equal odds are not all that counts; that the
    pot comes second is our reading, after the order of its fifth bot.
    """
    rows = _keep_smallest(rows, price_gap(histories, spot, 0, rows))
    return _keep_smallest(rows, pot_gap(histories, spot, 0, rows))


def _keep_smallest(rows: Rows, gaps: Values) -> Rows:
    selected: Rows = rows[gaps == gaps.min()]
    return selected


# Keys.


def action_distance(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return the number of different actions: of both players, on every street so far (Glöckner
    2013, 4.3).
    """
    return sum(
        (_street_actions(histories, spot, opponent, rows, s) for s in range(spot.street + 1)), _zero(rows)
    )


def street_action_distance(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return the number of different actions on this street."""
    return _street_actions(histories, spot, opponent, rows, spot.street)


def raise_differs(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return 1 where a raise is legal in only one of the two (AdvancedComparator)."""
    return _numbers(histories.can_raise[rows] != spot.can_raise)


def wrong_position(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return 1 where the position is not the preferred one, if there is one (AdvancedComparator)."""
    preferred = preferred_position(spot.hero, opponent)
    if preferred is None:
        return _zero(rows)
    return _numbers(histories.hero[rows] != preferred)


def price_gap(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return the difference in the pot odds, as ``price``: the document does not say how it measures it."""
    pot, to_call = histories.pot[rows], histories.to_call[rows]
    # Rounded, so that equal odds compare equal.
    return _numbers(np.abs(to_call / (pot + to_call) - price(spot.pot, spot.to_call)).round(9))


def pot_gap(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return the difference of the pots, in small blinds."""
    return _numbers(np.abs(histories.pot[rows] - spot.pot))


def order_differs(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return 1 where the other player acts first on this street."""
    return _numbers(histories.hero[rows] != acting_position(spot, opponent))


def facing_differs(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return 1 where there is something to call in only one of the two."""
    return _numbers((histories.to_call[rows] > 0) != (spot.to_call > 0))


def raise_gap(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return the difference of the raises on this street, by anybody."""
    return _numbers(np.abs(histories.raises[rows, spot.street] - spot.rounds[spot.street].count("r")))


def past_raise_gap(histories: Histories, spot: Spot, opponent: int, rows: Rows) -> Values:
    """Return the sum of the differences of the raises on each earlier street."""
    counts = [word.count("r") for word in spot.rounds[:-1]]
    return _numbers(np.abs(histories.raises[rows, : spot.street] - np.array(counts, int)).sum(axis=1))


def _street_actions(histories: Histories, spot: Spot, opponent: int, rows: Rows, street: int) -> Values:
    own, other = spot.lists[street][spot.hero], spot.lists[street][opponent]
    away = word_distances(own)[histories.own[rows, street]]
    return _numbers(away + word_distances(other)[histories.other[rows, street]])


def _zero(rows: Rows) -> Values:
    return np.zeros(len(rows))


def _numbers(values: NDArray[Any]) -> Values:
    numbers: Values = values.astype(np.float64)
    return numbers
