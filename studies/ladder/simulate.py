"""Simulated ladders of push/fold players, each a function of its arguments alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Final

import numpy as np

from dealer.ratings.model import Ratings
from dealer.ratings.ranks import rank_intervals
from dealer.ratings.results import Results
from dealer.ratings.sequential import SequentialTest
from strategy.poker.allin import CLASSES
from strategy.pushfold.equilibrium import equilibrium
from strategy.pushfold.game import Pair, advantage
from studies.ladder.courses import merge, new_seed
from studies.ladder.field import STACK, PushFoldField, push_fold_field

#: What a planted circle wins (mbb/hand), and of how many bots it consists.
PLANTED: Final = 100.0
_CIRCLE = 3
#: Deal sets between two looks of a sequential test.
_LOOK = 100


def _played(field: PushFoldField, random: Random, share: float, least: int, most: int) -> Results:
    """Return a ladder's results: a share of all pairs, each with a random number of deal sets."""
    results = Results()
    pairs = list(combinations(range(len(field.names)), 2))
    for one, two in random.sample(pairs, round(share * len(pairs))):
        merge(results, field, one, two, field.sums(one, two, random.randint(least, most), new_seed(random)))
    return results


# Are ratings as sure as they say?


def calibration(seed: int, numbers: Sequence[int]) -> list[dict[str, float]]:
    """Return for each simulated ladder: the share of ratings whose interval has the true value, and whether
    all rank intervals have the true ranks.
    """
    field = push_fold_field()
    true = {field.names[row]: rank for rank, row in enumerate(np.argsort(-field.ratings), 1)}
    found = []
    for number in numbers:
        random = Random(f"calibration {seed} {number}")
        ratings = Ratings(_played(field, random, random.uniform(0.3, 1.0), 20, 100), field.names)
        hits = [
            abs(rating.mean - value) <= (rating.half or 0.0)
            for rating, value in zip(map(ratings.rating, field.names), field.ratings.tolist(), strict=True)
        ]
        ranks = rank_intervals(ratings)
        joint = all(ranks[bot].best <= true[bot] <= ranks[bot].worst for bot in field.names)
        width = sum(ranks[bot].worst - ranks[bot].best + 1 for bot in field.names) / len(field.names)
        found.append({"covered": float(sum(hits)) / len(hits), "joint": float(joint), "ranks": width})
    return found


def same_twice(seed: int, numbers: Sequence[int]) -> list[float]:
    """Return for each simulated ladder with a bot that was pushed twice whether the difference of both
    ratings is within its 95 % interval.
    """
    field = push_fold_field()
    found = []
    for number in numbers:
        random = Random(f"twice {seed} {number}")
        twin = random.randrange(len(field.names))
        doubled = field.with_copy(twin, "again")
        ratings = Ratings(_played(doubled, random, random.uniform(0.3, 1.0), 20, 100), doubled.names)
        ahead, error = ratings.difference(field.names[twin], "again")
        found.append(float(abs(ahead) <= 1.959964 * error))
    return found


def circles(seed: int, planted: float, numbers: Sequence[int]) -> list[float]:
    """Return the p-value of interactions in ladders of players that are otherwise additive, with three among
    them of which each wins ``planted`` mbb/hand from the next.
    """
    field = push_fold_field()
    found = []
    for number in numbers:
        random = Random(f"circles {seed} {number}")
        chosen = random.sample(range(len(field.names)), 12)
        circle = chosen[:_CIRCLE]
        results = Results()
        for one, two in combinations(chosen, 2):
            # The field's own interactions are taken out, so that only the planted ones are there.
            own = field.truth[one, two] - (field.ratings[one] - field.ratings[two])
            extra = -own
            if one in circle and two in circle:
                after = circle[(circle.index(one) + 1) % _CIRCLE] == two
                extra += planted if after else -planted
            raw = field.draw(one, two, 2000, new_seed(random))[1] + extra
            pair = Results()
            for value in raw.reshape(20, 100).mean(axis=1):
                pair.add((field.names[one], field.names[two]), (float(value), -float(value)))
            results.merge(pair)
        p_value = Ratings(results, [field.names[row] for row in chosen]).interaction().p_value
        found.append(1.0 if p_value is None else p_value)
    return found


# Is a version better than another?


def dicing_player(skill: float) -> Pair:
    """Return a player who throws dice for each class, nearer to the equilibrium with more ``skill``."""
    random = Random("dice")
    best = equilibrium(STACK)
    dice = [np.array([random.uniform(0.2, 0.8) for _ in range(CLASSES)]) for _ in range(2)]
    return (skill * best.jam + (1 - skill) * dice[0], skill * best.call + (1 - skill) * dice[1])


def skill_for(difference: float) -> float:
    """Return the skill of a player who wins ``difference`` mbb/hand from one with skill 0."""
    low, high = 0.0, 1.0
    other = dicing_player(0.0)
    for _ in range(60):
        middle = (low + high) / 2
        if 1000 * advantage(dicing_player(middle), other, STACK) < difference:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def sequential_tests(seed: int, name: str, difference: float, numbers: Sequence[int]) -> list[list[float]]:
    """Return for each test of two players with that true difference (mbb/hand) whether it found "better",
    and the deal sets that it took.
    """
    skill = skill_for(difference) if difference else 0.0
    field = PushFoldField({"a": dicing_player(skill), "b": dicing_player(0.0)})
    found = []
    for number in numbers:
        random = Random(f"test {seed} {name} {number}")
        test = SequentialTest(0.0, 20.0)
        while test.decision == "undecided":
            sums = field.sums(0, 1, _LOOK, new_seed(random))
            test.count += sums.deal_sets
            test.total += sums.sums[0]
            test.squares += sums.products[0]
        found.append([float(test.decision == "better"), float(test.count)])
    return found


def predicted_deal_sets(difference: float) -> float:
    """Return the deal sets that such a test takes on average, as predicted."""
    field = PushFoldField({"a": dicing_player(skill_for(difference)), "b": dicing_player(0.0)})
    deviation = float(field.draw(0, 1, 200_000, 1)[1].std())
    return SequentialTest(0.0, 20.0).expected_deal_sets(deviation, difference)
