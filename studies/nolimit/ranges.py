"""Duels of two strategies with all hands at once, on the same boards and with the same dice.

``nolimit`` and ``nolimit+search`` play alike before the turn. So only turns and rivers are played in both
seatings, and a hand that ends before is worth nothing. The two hands are never drawn: an action is drawn with
the probability that any of the player's hands takes it, and what the hands win is summed over all pairs,
weighted with how likely they are there. The mean is that of hands drawn one by one, and spreads far less.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.actions import CALL, Action
from dealer.rules.betting import Betting
from dealer.rules.games import Game
from strategy.lbr.cards import BOARD, Floats
from strategy.lbr.nolimit import NoLimitStrategy
from strategy.lbr.response import Answers, Strategy
from strategy.lbr.search import SearchStrategy
from strategy.nolimit_bots.parameters import SearchParameters
from strategy.nolimit_bots.policy import NoLimitPolicy
from strategy.poker.combos import CARDS, HANDS, MASKS, live
from strategy.poker.kernels import TABLE, keys_of
from strategy.poker.strengths import rank_hands

TURN = 2
_LOST = None
"""The view of a strategy that has no place for a raise: it checks and calls."""


class Place(NamedTuple):
    """A point of a hand: the bets, and by position the views and the weights of all hands, float64[1326]."""

    betting: Betting
    views: tuple[Any, Any]
    weights: tuple[Floats, Floats]


class RangeDuel:
    """``nolimit+search`` against ``nolimit`` with the same trained strategy."""

    def __init__(self, policy: NoLimitPolicy, game: Game, parameters: SearchParameters | None = None) -> None:
        self._search = SearchStrategy(policy, game, parameters)
        self._trained = NoLimitStrategy(policy, game)
        self._game = game
        #: Raises of the other that a strategy had no place for.
        self.lost = 0

    def deal(self, board: Sequence[int], seed: str, paths: int) -> float:
        """Return what the search wins in chips, the mean of both positions and of ``paths`` ways on."""
        there = live(board).astype(np.float64)
        both = (self._search, self._search)
        begun = Place(Betting(self._game), (self._search.start(0), self._search.start(1)), (there, there))
        turn = self._play(begun, both, board, Random(seed), TURN)
        if turn.betting.over:
            return 0.0
        total = 0.0
        for path in range(paths):
            for position in range(2):
                players: list[Strategy] = [self._trained, self._trained]
                players[position] = self._search
                views = [view[:2] for view in turn.views]
                views[position] = turn.views[position]
                start = turn._replace(views=(views[0], views[1]))
                end = self._play(start, players, board, Random(f"{seed} {path}"))
                total += (1 - 2 * position) * _value(end, board)
        return total / (2 * paths)

    def _play(
        self,
        place: Place,
        players: Sequence[Strategy],
        board: Sequence[int],
        random: Random,
        until: int = len(BOARD),
    ) -> Place:
        """Return where the hand is at the start of the street ``until``, or at its end."""
        betting = place.betting.copy()
        views, weights = list(place.views), list(place.weights)
        while not betting.over and betting.street < until:
            actor = betting.to_act
            found = Answers([CALL], np.ones((HANDS, 1)))
            if views[actor] is not _LOST:
                seen = tuple(board[: BOARD[betting.street]])
                found = players[actor].answers(views[actor], betting, seen)
            after = weights[actor][:, np.newaxis] * found.chances
            parts = _pairs(weights[1 - actor]) @ after
            drawn = random.random() * parts.sum()
            number = min(int(np.searchsorted(np.cumsum(parts), drawn, side="right")), len(parts) - 1)
            weights[actor] = after[:, number] * (parts.sum() / parts[number])
            action = found.actions[number]
            views = [
                self._view(player, view, betting, action, random)
                for player, view in zip(players, views, strict=True)
            ]
            betting.act(action)
        return Place(betting, (views[0], views[1]), (weights[0], weights[1]))

    def _view(self, player: Strategy, view: Any, betting: Betting, action: Action, random: Random) -> Any:
        drawn = random.random()
        if view is _LOST:
            return _LOST
        for chance, after in player.after(view, betting, action):
            drawn -= chance
            if drawn < 0:
                return after
        self.lost += 1
        return _LOST


def _pairs(weights: Floats) -> Floats:
    """Return with each hand the weight of the other's hands that share no card with it: float64[1326]."""
    by_card = np.zeros(52)
    for column in range(2):
        np.add.at(by_card, CARDS[:, column], weights)
    found: Floats = weights.sum() - by_card[CARDS].sum(axis=1) + weights
    return found


@cache
def _apart() -> NDArray[np.bool_]:
    """Return which hands share no card: bool[1326, 1326]."""
    found: NDArray[np.bool_] = (MASKS[:, np.newaxis] & MASKS) == 0
    return found


def _value(end: Place, board: Sequence[int]) -> float:
    """Return what position 0 wins in chips, the mean over all pairs of hands."""
    betting, (own, other) = end.betting, end.weights
    there = live(board).astype(np.float64)
    count = float(there @ _pairs(there))
    paid = min(betting.spent)
    if any(betting.folded):
        sign = -1 if betting.folded[0] else 1
        return sign * paid * float(own @ _pairs(other)) / count
    hands, ranks = np.empty((2, HANDS), np.int64)
    left = rank_hands(TABLE, *keys_of(board), hands, ranks)
    hands, ranks = hands[:left], ranks[:left]
    beats = np.sign(ranks[:, np.newaxis] - ranks) * _apart()[np.ix_(hands, hands)]
    return paid * float(own[hands] @ beats @ other[hands]) / count
