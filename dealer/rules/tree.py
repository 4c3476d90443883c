"""How large the betting tree of a game is: cards ignored, one node for every sequence of actions.

The counts pin down a set of rules: a cap that is off by one, a missing option or a fold too many changes
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import GameError
from dealer.rules.games import Game

MAX_STEPS = 300_000
"""Actions tried after which a tree is given up as too large, about two seconds of work."""
MAX_ACTIONS = 250
"""The longest betting that is followed."""


class TreeCounts(NamedTuple):
    """``streets``: decisions per street; ``folds`` and ``showdowns``: the ends of the betting, by kind."""

    streets: tuple[int, ...]
    folds: int
    showdowns: int

    @property
    def decisions(self) -> int:
        """Betting sequences after which somebody has to act."""
        return sum(self.streets)

    @property
    def nodes(self) -> int:
        """All betting sequences, finished or not."""
        return self.decisions + self.folds + self.showdowns


def count_tree(game: Game) -> TreeCounts:
    """Count the betting tree of a game.

    States from which the betting can only go on alike are counted once and multiplied, so that limit games
    of a few players take milliseconds. Raises GameError ``tree_too_large``, as no-limit games of any depth
    do.
    """
    *streets, folds, showdowns = _Counter(game).count(Betting(game))
    return TreeCounts(tuple(streets), folds, showdowns)


class _Counter:
    """Counts of the states met so far: decisions per street, folds and showdowns from there on."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.steps = 0
        self.known: dict[object, tuple[int, ...]] = {}

    def count(self, betting: Betting) -> tuple[int, ...]:
        if betting.over:
            return (*[0] * self.game.rounds, int(betting.live == 1), int(betting.live > 1))
        key = betting.key()
        counts = self.known.get(key)
        if counts is None:
            totals = [0] * (self.game.rounds + 2)
            totals[betting.street] = 1
            for action in _actions(betting):
                after = betting.copy()
                after.act(action)
                self._step(after)
                totals = [total + count for total, count in zip(totals, self.count(after), strict=True)]
            counts = self.known[key] = tuple(totals)
        return counts

    def _step(self, betting: Betting) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS or len(betting.history) > MAX_ACTIONS:
            raise GameError("tree_too_large", f"the betting tree of {self.game.name!r} is too large to count")


def _actions(betting: Betting) -> Iterator[Action]:
    legal = betting.legal()
    if legal.fold:
        yield FOLD
    # Under the pushfold rules a call may be the raise.
    pushfold = betting.game.rules == "pushfold"
    if not (pushfold and legal.call + betting.street_bet(betting.to_act) == legal.max_raise):
        yield CALL
    if legal.min_raise is not None and legal.max_raise is not None:
        yield from map(raise_to, range(legal.min_raise, legal.max_raise + 1))
