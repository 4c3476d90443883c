"""Do bots draw their actions with the chances that they declare? A test of many decisions at once.

Each decision has a declared distribution. If it is true, what was played differs from it by chance
alone: how often a player folded, called and raised, how likely his actions were, and what his dice
brought him. The last is what a lie would be for. Each difference is divided by its standard deviation
and compared with the normal distribution; the p-value is that of the largest one of all, by
Bonferroni's bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import erfc, log, sqrt
from typing import Any, Final, NamedTuple

from dealer.luck.correction import Draws
from dealer.rules.events import Acted, Event

#: Decisions from which on the normal distribution is near enough to judge by.
LEAST_DECISIONS: Final = 100
#: The p-value below which chances are not believed: by chance once in 10,000 bots.
LIE: Final = 1e-4
_WORDS: Final = "fcr"
#: What is compared, in the order of ``ChanceSums``.
_COMPARED: Final = (*_WORDS, "likelihood", "chips")
#: Of ``ChanceSums``: below 1e-12, the least variance that counts.
_UNITS: Final = 2**40


class ChanceSums(NamedTuple):
    """What hands added to ``DeclaredChances``, in whole numbers: parts can be added in any order, and the
    same parts give the same bits. ``sums``: for each comparison the sum of differences and its variance, in
    units of ``2**-40``.
    """

    decisions: int = 0
    sums: tuple[int, ...] = (0,) * (2 * len(_COMPARED))

    def plus(self, other: ChanceSums) -> ChanceSums:
        """Return the sums of both."""
        sums = tuple([mine + theirs for mine, theirs in zip(self.sums, other.sums, strict=True)])
        return ChanceSums(self.decisions + other.decisions, sums)


class DeclaredChances:
    """The decisions of one player, added up in any order. ``decisions`` counts those with more than one
    possible action.
    """

    def __init__(self) -> None:
        self.decisions = 0
        # By what is compared: the sum of differences, and its variance.
        self._sums = {word: [0.0, 0.0] for word in _COMPARED}

    @classmethod
    def of(cls, sums: ChanceSums) -> DeclaredChances:
        """Return the chances whose hands have these sums."""
        chances = cls()
        chances.decisions = sums.decisions
        for place, word in enumerate(_COMPARED):
            chances._sums[word] = [total / _UNITS for total in sums.sums[2 * place : 2 * place + 2]]
        return chances

    def sums(self) -> ChanceSums:
        """Return the sums, rounded."""
        return ChanceSums(
            self.decisions, tuple([round(total * _UNITS) for word in _COMPARED for total in self._sums[word]])
        )

    def data(self) -> dict[str, Any]:
        """Return how many ``decisions``, the p-value ``p``, and whether it is ``believed``."""
        return {"decisions": self.decisions, "p": self.p_value, "believed": self.believed}

    def add(self, events: Iterable[Event], seat: int, draws: Draws | None = None) -> None:
        """Add a hand's decisions of ``seat``; ``draws``: what its dice brought in it."""
        for event in events:
            if isinstance(event, Acted) and event.seat == seat and len(event.policy) > 1:
                self._add_decision(event)
        if draws is not None:
            self._note("chips", draws.sum, draws.variance)

    @property
    def p_value(self) -> float | None:
        """Return how likely differences as large as these are if all is true; None with too few
        decisions."""
        if self.decisions < LEAST_DECISIONS:
            return None
        tests = [abs(total) / sqrt(variance) for total, variance in self._sums.values() if variance > 1e-12]
        return min(1.0, len(tests) * erfc(max(tests) / sqrt(2))) if tests else 1.0

    @property
    def believed(self) -> bool:
        """Return whether nothing speaks against what was declared."""
        p = self.p_value
        return p is None or p >= LIE

    def _add_decision(self, event: Acted) -> None:
        self.decisions += 1
        taken = event.action[0]
        for word in _WORDS:
            chance = sum([p for text, p in event.policy if text[0] == word])
            self._note(word, (word == taken) - chance, chance * (1 - chance))
        played = [p for text, p in event.policy if text in (taken, f"r{event.to}")]
        if played:
            logs = [(p, log(p)) for _, p in event.policy]
            mean = sum([p * value for p, value in logs])
            spread = sum([p * value * value for p, value in logs]) - mean * mean
            self._note("likelihood", log(played[0]) - mean, max(0.0, spread))

    def _note(self, what: str, difference: float, variance: float) -> None:
        sums = self._sums[what]
        sums[0] += difference
        sums[1] += variance
