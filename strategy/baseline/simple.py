"""Simple bots, as a baseline for others."""

from __future__ import annotations

from random import Random

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game
from strategy.situation import Situation


class CallBot:
    """Calls or checks, always (Glöckner 2013, section 4.5, "CallBot")."""

    def __init__(self, seed: int, game: Game) -> None:
        pass

    def decide(self, situation: Situation) -> Action:
        """Call; check if there is nothing to call."""
        return CALL


class RaiseBot:
    """Raises the minimum if it may, otherwise calls (Glöckner 2013, section 4.5, "RaiseBot")."""

    def __init__(self, seed: int, game: Game) -> None:
        pass

    def decide(self, situation: Situation) -> Action:
        """Make the smallest legal raise, otherwise call."""
        least = situation.legal.min_raise
        return CALL if least is None else raise_to(least)


class RandomBot:
    """Chooses among the legal actions of fold, call and raise with equal probability.

    Sizes of no-limit raises are log-uniform between minimum and maximum: a raise from 200 to 20,000 chips is
    as often below 2,000 as above.
    """

    def __init__(self, seed: int, game: Game) -> None:
        self._random = Random(seed)

    def decide(self, situation: Situation) -> Action:
        """Choose a random legal action."""
        fold, _, least, most = situation.legal
        choices = [CALL]
        if fold:
            choices.append(FOLD)
        if least is not None and most is not None:
            choices.append(raise_to(least))
        chosen = choices[int(self._random.random() * len(choices))]
        if chosen.kind != "raise" or least is None or most is None or least == most:
            return chosen
        size = least * (most / least) ** self._random.random()
        return raise_to(min(most, max(least, round(size))))
