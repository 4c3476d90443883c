"""How many hands does it take until the order of a field is known? Each course is a function of its arguments
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt
from random import Random
from statistics import NormalDist
from typing import Final

import numpy as np

from dealer.ratings.model import Ratings
from dealer.ratings.results import LineUpSums, Results
from dealer.ratings.schedule import FIRST_DEAL_SETS, candidates
from studies.ladder.field import Field, Floats, push_fold_field
from studies.ladder.pools import PooledField, names_of
from studies.ladder.rivals import RIVALS

#: Deal sets of a match; a match of 100 hands is what others rate.
DEAL_SETS: Final = 50
TAU: Final = 0.95
#: Others play until they have the order, too, or have played so many times the hands that the ratings took.
LONGEST: Final = 15
#: Numbers of matches at which rankings are compared grow by this factor.
_GROWTH = 1.06

Curve = dict[str, list[float]]
"""``hands`` of a ladder, and Kendall's ``tau`` after them."""

Pools = Sequence[Sequence[Sequence[float]]]


def kendall_tau(values: Sequence[float] | Floats, truth: Floats) -> float:
    """Return Kendall's rank correlation; ties in ``values`` count half."""
    one, two = np.asarray(values), np.asarray(truth)
    upper = np.triu_indices(len(two), 1)
    signs = np.sign(one[:, None] - one[None, :]) * np.sign(two[:, None] - two[None, :])
    return float(signs[upper].mean())


def merge(results: Results, field: Field, one: int, two: int, sums: LineUpSums) -> None:
    """Add the sums of two players of a field to results."""
    results.merge(Results({tuple(sorted((field.names[one], field.names[two]))): sums}))


def new_seed(random: Random) -> int:
    """Return the seed of a match."""
    return random.getrandbits(64)


def field_of(kind: str, pools: Pools = ()) -> Field:
    """Return the field of push/fold players, or with the ``pools`` of all pairs one of house bots."""
    if kind == "pushfold":
        return push_fold_field()
    pairs = len(pools)
    return PooledField(names_of(kind, round((1 + sqrt(1 + 8 * pairs)) / 2)), pools)


def course(seed: int, kind: str, number: int, most: int, pools: Pools = ()) -> dict[str, Curve]:
    """Return the course of a round robin, with the same cards for all: of the ``ratings`` until their tau is
    ``TAU``, ``most`` matches at most; and by name of those who rate the winners of the same matches.
    """
    field = field_of(kind, pools)
    players = len(field.names)
    rivals = {name: make(players) for name, make in RIVALS.items()}
    curves: dict[str, Curve] = {name: {"hands": [], "tau": []} for name in ("ratings", *rivals)}
    left, results = set(curves), Results()
    look, last = min(players * players // 4, most), most * LONGEST
    for played, (one, two, won, sums) in enumerate(_round_robin(field, Random(f"order {seed} {number}")), 1):
        for name in left:
            if name == "ratings":
                merge(results, field, one, two, sums)
            else:
                rivals[name].add(one, two, 0.5 if won == 0 else float(won > 0))
        if played < look:
            continue
        look = max(look + 1, round(look * _GROWTH))
        for name in sorted(left):
            values = Ratings(results, field.names).means if name == "ratings" else rivals[name].values()
            tau = kendall_tau(values, field.ratings)
            curves[name]["hands"].append(played * DEAL_SETS * 2)
            curves[name]["tau"].append(tau)
            if tau >= TAU or (name == "ratings" and played >= most):
                left.discard(name)
                if name == "ratings":
                    last = played * LONGEST
        if not left or played >= last:
            return curves
    raise AssertionError  # a round robin has no end


def hands(curve: Curve) -> float:
    """Return the hands until ``TAU`` was reached, or the hands played if it was not."""
    return curve["hands"][-1]


def _round_robin(field: Field, random: Random) -> Iterator[tuple[int, int, float, LineUpSums]]:
    """Yield matches of all pairs in random order, again and again: who won how much, and the sums."""
    pairs = list(combinations(range(len(field.names)), 2))
    while True:
        random.shuffle(pairs)
        for one, two in pairs:
            yield one, two, *field.match(one, two, DEAL_SETS, new_seed(random))


def schedule(seed: int, kind: str, number: int, most: int, pools: Pools = ()) -> Curve:
    """Return the course if the schedule chooses the line-ups, ``most`` matches at most."""
    field = field_of(kind, pools)
    names, row = list(field.names), {name: place for place, name in enumerate(field.names)}
    random = Random(f"schedule {seed} {number}")
    results = Results()
    order = list(range(len(names)))
    random.shuffle(order)
    # A circle connects the field.
    played = 0
    for one, two in zip(order, order[1:] + order[:1], strict=True):
        merge(results, field, one, two, field.sums(one, two, FIRST_DEAL_SETS, new_seed(random)))
        played += 2 * FIRST_DEAL_SETS
    curve: Curve = {"hands": [], "tau": []}
    while True:
        ratings = Ratings(results, names)
        tau = kendall_tau(ratings.means, field.ratings)
        curve["hands"].append(played)
        curve["tau"].append(tau)
        if tau >= TAU or played >= most * DEAL_SETS * 2:
            return curve
        free = set(names)
        sets = max(FIRST_DEAL_SETS, round(played * (_GROWTH - 1) / len(names)))
        for candidate in candidates(ratings, names, sets):
            if free.issuperset(candidate.line_up):
                free.difference_update(candidate.line_up)
                one, two = (row[name] for name in candidate.line_up)
                merge(results, field, one, two, field.sums(one, two, sets, new_seed(random)))
                played += 2 * sets


def best_allocation(deviation: float) -> tuple[float, float]:
    """Return the deal sets a round robin needs until the expected tau is ``TAU``, and the fewest that any
    distribution of deal sets over the bots needs that knows the truth. Each bot's rating has the error of its
    own deal sets, of deviation ``deviation``.
    """
    truth = push_fold_field().ratings
    size = len(truth)
    gaps = np.abs(truth[:, None] - truth[None, :])
    upper = np.triu_indices(size, 1)
    normal = np.vectorize(_below)

    def tau(sets: Floats) -> float:
        variance = deviation**2 / sets
        return 1 - 2 * float(normal(-gaps / np.sqrt(variance[:, None] + variance[None, :]))[upper].mean())

    def scaled(sets: Floats) -> Floats:
        low, high = 1e-3, 1e3
        while high / low > 1.0001:
            middle = sqrt(low * high)
            low, high = (middle, high) if tau(sets * middle) < TAU else (low, middle)
        return sets * sqrt(low * high)

    uniform = sets = scaled(np.full(size, 20_000.0))
    for _ in range(60):
        variance = deviation**2 / sets
        errors = np.sqrt(variance[:, None] + variance[None, :])
        density = np.exp(-((gaps / errors) ** 2) / 2) * gaps / errors**3 * variance[:, None]
        gain = density.sum(axis=1) / sets
        sets = scaled(sets * np.exp(0.3 * np.clip(np.log(gain / np.exp(np.log(gain).mean())), -2, 2)))
    return float(uniform.sum() / 2), float(sets.sum() / 2)


def _below(value: float) -> float:
    return NormalDist().cdf(float(value))
