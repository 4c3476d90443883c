"""Simulated ladders of push/fold players, each a function of its arguments alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import exp, log, pi, sqrt
from random import Random
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from dealer.ratings.model import Ratings
from dealer.ratings.ranks import rank_intervals
from dealer.ratings.results import LineUpSums, Results
from dealer.ratings.schedule import FIRST_DEAL_SETS, candidates
from dealer.ratings.sequential import SequentialTest
from strategy.poker.allin import CLASSES
from strategy.pushfold.equilibrium import equilibrium
from strategy.pushfold.game import Pair, advantage
from studies.ladder.field import STACK, Floats, PushFoldField, push_fold_field

#: Deal sets of a match; a match of 100 hands is what others rate.
DEAL_SETS: Final = 50
TAU: Final = 0.95
#: Numbers of matches at which rankings are compared grow by this factor.
_GROWTH = 1.06
#: What a planted circle wins (mbb/hand), and of how many bots it consists.
PLANTED: Final = 100.0
_CIRCLE = 3
#: Deal sets between two looks of a sequential test.
_LOOK = 100


def kendall_tau(values: Sequence[float] | Floats, truth: Floats) -> float:
    """Return Kendall's rank correlation; ties in ``values`` count half."""
    one, two = np.asarray(values), np.asarray(truth)
    upper = np.triu_indices(len(two), 1)
    signs = np.sign(one[:, None] - one[None, :]) * np.sign(two[:, None] - two[None, :])
    return float(signs[upper].mean())


def _seed(random: Random) -> int:
    return random.getrandbits(64)


def _merged(results: Results, field: PushFoldField, one: int, two: int, sums: LineUpSums) -> None:
    results.merge(Results({tuple(sorted((field.names[one], field.names[two]))): sums}))


def _played(field: PushFoldField, random: Random, share: float, least: int, most: int) -> Results:
    """Return a ladder's results: a share of all pairs, each with a random number of deal sets."""
    results = Results()
    pairs = list(combinations(range(len(field.names)), 2))
    for one, two in random.sample(pairs, round(share * len(pairs))):
        _merged(results, field, one, two, field.sums(one, two, random.randint(least, most), _seed(random)))
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
            raw = field.draw(one, two, 2000, _seed(random))[1] + extra
            pair = Results()
            for value in raw.reshape(20, 100).mean(axis=1):
                pair.add((field.names[one], field.names[two]), (float(value), -float(value)))
            results.merge(pair)
        p_value = Ratings(results, [field.names[row] for row in chosen]).interaction().p_value
        found.append(1.0 if p_value is None else p_value)
    return found


# How many hands does an order take?

Matches = Iterator[tuple[int, int, Floats, LineUpSums]]


def _round_robin(field: PushFoldField, random: Random) -> Matches:
    """Yield matches of all pairs in random order, again and again: their raw results and the sums."""
    pairs = list(combinations(range(len(field.names)), 2))
    while True:
        random.shuffle(pairs)
        for one, two in pairs:
            seed = _seed(random)
            yield one, two, field.draw(one, two, DEAL_SETS, seed)[0], field.sums(one, two, DEAL_SETS, seed)


def _checkpoints(least: int, most: int) -> list[int]:
    found = [least]
    while found[-1] < most:
        found.append(min(most, max(found[-1] + 1, round(found[-1] * _GROWTH))))
    return found


def hands_by_ratings(seed: int, number: int, most: int) -> dict[str, list[float]]:
    """Return Kendall's tau by hands of a round robin that the ratings rate, until it is ``TAU``."""
    field = push_fold_field()
    random = Random(f"order {seed} {number}")
    results = Results()
    looks = set(_checkpoints(len(field.names) * 15, most))
    curve: dict[str, list[float]] = {"hands": [], "tau": []}
    for played, (one, two, _, sums) in enumerate(_round_robin(field, random), 1):
        _merged(results, field, one, two, sums)
        if played in looks:
            tau = kendall_tau(Ratings(results, field.names).means, field.ratings)
            curve["hands"].append(played * DEAL_SETS * 2)
            curve["tau"].append(tau)
            if tau >= TAU or played >= most:
                return curve
    raise AssertionError  # a round robin has no end


def hands_by_rivals(seed: int, number: int, most: int) -> dict[str, dict[str, list[float]]]:
    """Return the same for those who rate the winners of the same matches, with the same cards."""
    field = push_fold_field()
    random = Random(f"order {seed} {number}")
    rivals = {name: make(len(field.names)) for name, make in RIVALS.items()}
    looks = set(_checkpoints(len(field.names) * 15, most))
    curves: dict[str, dict[str, list[float]]] = {name: {"hands": [], "tau": []} for name in rivals}
    left = set(rivals)
    for played, (one, two, raw, _) in enumerate(_round_robin(field, random), 1):
        won = float(raw.sum())
        for name in left:
            rivals[name].add(one, two, 0.5 if won == 0 else float(won > 0))
        if played in looks:
            for name in sorted(left):
                tau = kendall_tau(rivals[name].values(), field.ratings)
                curves[name]["hands"].append(played * DEAL_SETS * 2)
                curves[name]["tau"].append(tau)
                if tau >= TAU:
                    left.discard(name)
            if not left or played >= most:
                return curves
    raise AssertionError


def hands_by_schedule(seed: int, number: int, most: int) -> dict[str, list[float]]:
    """Return Kendall's tau by hands if the schedule chooses the line-ups, ``most`` matches at most."""
    field = push_fold_field()
    names, row = list(field.names), {name: place for place, name in enumerate(field.names)}
    random = Random(f"schedule {seed} {number}")
    results = Results()
    order = list(range(len(names)))
    random.shuffle(order)
    # A circle connects the field.
    hands = 0
    for one, two in zip(order, order[1:] + order[:1], strict=True):
        _merged(results, field, one, two, field.sums(one, two, FIRST_DEAL_SETS, _seed(random)))
        hands += 2 * FIRST_DEAL_SETS
    curve: dict[str, list[float]] = {"hands": [], "tau": []}
    while True:
        ratings = Ratings(results, names)
        tau = kendall_tau(ratings.means, field.ratings)
        curve["hands"].append(hands)
        curve["tau"].append(tau)
        if tau >= TAU or hands >= most * DEAL_SETS * 2:
            return curve
        free = set(names)
        sets = max(FIRST_DEAL_SETS, round(hands * (_GROWTH - 1) / len(names)))
        for candidate in candidates(ratings, names, sets):
            if free.issuperset(candidate.line_up):
                free.difference_update(candidate.line_up)
                one, two = (row[name] for name in candidate.line_up)
                _merged(results, field, one, two, field.sums(one, two, sets, _seed(random)))
                hands += 2 * sets


# Those who rate winners.


class _Elo:
    """Elo with K = 40, as MIT's scrimmage server has it."""

    def __init__(self, players: int) -> None:
        self._values = [1500.0] * players

    def add(self, one: int, two: int, score: float) -> None:
        expected = 1 / (1 + 10 ** ((self._values[two] - self._values[one]) / 400))
        self._values[one] += 40 * (score - expected)
        self._values[two] -= 40 * (score - expected)

    def values(self) -> list[float]:
        return self._values


class Glicko2:
    """Glicko-2, every match a rating period (Glickman 2013, "Example of the Glicko-2 system"; tau 0.5)."""

    _SCALE = 173.7178
    _TAU = 0.5

    def __init__(self, players: int) -> None:
        #: By player: rating and deviation on the internal scale, and volatility.
        self._players = [(0.0, 350 / self._SCALE, 0.06)] * players

    def add(self, one: int, two: int, score: float) -> None:
        """Rate a match: 1 if ``one`` has won, 0.5 for a draw."""
        mine, theirs = self._players[one], self._players[two]
        self._players[one] = self.updated(mine, [(theirs, score)])
        self._players[two] = self.updated(theirs, [(mine, 1 - score)])

    def values(self) -> list[float]:
        """Return the ratings."""
        return [1500 + self._SCALE * rating for rating, _, _ in self._players]

    @classmethod
    def updated(
        cls, player: tuple[float, float, float], games: Sequence[tuple[tuple[float, float, float], float]]
    ) -> tuple[float, float, float]:
        """Return a player after the games of a period: each opponent, and the score (steps 3 to 8)."""
        rating, deviation, volatility = player
        information = gain = 0.0
        for (other, spread, _), score in games:
            weight = 1 / sqrt(1 + 3 * spread * spread / pi**2)
            expected = 1 / (1 + exp(-weight * (rating - other)))
            information += weight * weight * expected * (1 - expected)
            gain += weight * (score - expected)
        variance = 1 / information
        change = variance * gain
        volatility = cls._volatility(deviation, volatility, variance, change)
        wider = deviation * deviation + volatility * volatility
        deviation = 1 / sqrt(1 / wider + information)
        return rating + deviation * deviation * gain, deviation, volatility

    @classmethod
    def _volatility(cls, deviation: float, volatility: float, variance: float, change: float) -> float:
        """Return the new volatility, by the Illinois algorithm (step 5)."""
        start = log(volatility * volatility)

        def f(x: float) -> float:
            square = deviation * deviation + variance + exp(x)
            return exp(x) * (change * change - square) / (2 * square * square) - (x - start) / cls._TAU**2

        a = start
        over = change * change - deviation * deviation - variance
        if over > 0:
            b = log(over)
        else:
            step = 1
            while f(start - step * cls._TAU) < 0:
                step += 1
            b = start - step * cls._TAU
        at_a, at_b = f(a), f(b)
        while abs(b - a) > 1e-6:
            c = a + (a - b) * at_a / (at_b - at_a)
            at_c = f(c)
            if at_c * at_b <= 0:
                a, at_a = b, at_b
            else:
                at_a /= 2
            b, at_b = c, at_c
        return exp(a / 2)


class _TrueSkill:
    def __init__(self, players: int) -> None:
        import trueskill

        self._rate = trueskill.rate_1vs1
        self._players = [trueskill.Rating() for _ in range(players)]

    def add(self, one: int, two: int, score: float) -> None:
        first, second = (one, two) if score >= 0.5 else (two, one)
        self._players[first], self._players[second] = self._rate(
            self._players[first], self._players[second], drawn=score == 0.5
        )

    def values(self) -> list[float]:
        return [player.mu for player in self._players]


class _OpenSkill:
    def __init__(self, players: int) -> None:
        from openskill.models import PlackettLuce

        self._model = PlackettLuce()
        self._players = [self._model.rating() for _ in range(players)]

    def add(self, one: int, two: int, score: float) -> None:
        [[self._players[one]], [self._players[two]]] = self._model.rate(
            [[self._players[one]], [self._players[two]]], scores=[score, 1 - score]
        )

    def values(self) -> list[float]:
        return [player.mu for player in self._players]


RIVALS: Final[dict[str, Callable[[int], Any]]] = {
    "Elo, K = 40": _Elo,
    "Glicko-2": Glicko2,
    "TrueSkill": _TrueSkill,
    "OpenSkill": _OpenSkill,
}


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
            sums = field.sums(0, 1, _LOOK, _seed(random))
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
