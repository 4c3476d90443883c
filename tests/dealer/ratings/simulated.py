"""Fields of bots with known ratings, and results drawn from them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, sqrt
from random import Random
from typing import NamedTuple

from dealer.ratings.results import Results


class SimulatedField(NamedTuple):
    """Bots, what each wins in each line-up on average, and their ratings, in mbb/hand."""

    bots: tuple[str, ...]
    expected: dict[tuple[str, ...], list[float]]
    ratings: dict[str, float]

    def play(self, line_up: Sequence[str], deal_sets: int, random: Random, noise: float = 2000.0) -> Results:
        """Return the results of deal sets of a line-up."""
        results = Results()
        bots = tuple(sorted(line_up))
        for _ in range(deal_sets):
            luck = [random.gauss(0, noise) for _ in bots]
            mean = sum(luck) / len(luck)
            results.add(
                bots, [value + each - mean for value, each in zip(self.expected[bots], luck, strict=True)]
            )
        return results


def simulated_field(
    size: int, random: Random, players: int = 2, spread: float = 200.0, interaction: float = 0.0
) -> SimulatedField:
    """Return a field with strengths of deviation ``spread`` and interactions of deviation ``interaction``."""
    bots = tuple(f"bot-{number:02d}" for number in range(size))
    strength = {bot: random.gauss(0, spread) for bot in bots}
    expected = {}
    ratings = dict.fromkeys(bots, 0.0)
    for line_up in combinations(bots, players):
        drawn = [random.gauss(0, interaction * sqrt(players / (players - 1))) for _ in line_up]
        mean = sum(drawn) / players
        total = sum(strength[bot] for bot in line_up)
        row = [
            strength[bot] - (total - strength[bot]) / (players - 1) + own - mean
            for bot, own in zip(line_up, drawn, strict=True)
        ]
        expected[line_up] = row
        for bot, value in zip(line_up, row, strict=True):
            ratings[bot] += value / comb(size - 1, players - 1)
    return SimulatedField(bots, expected, ratings)
