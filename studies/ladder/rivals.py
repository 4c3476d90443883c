"""Those that ratings are compared with: they rate who has won a match, and not by how much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log, pi, sqrt
from typing import Any, Final


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
