"""Local best response: the winnings of a simple opponent who knows the strategy, in the real game.

Lisý and Bowling, "Equilibrium Approximation Quality of Current No-Limit Poker Bots" (2017). The opponent
knows the strategy's action probabilities with every hand, and so by Bayes' rule the distribution of its
hands. The opponent takes the action that wins the most if both check and call from then on; a raise also wins
the pot when the strategy folds to it. The result is a lower bound of the exploitability: a best response wins
at least as much.

The opponent's own cards, the board and the strategy's actions before the river are sampled. The strategy's
cards and its actions on the river are not: the mean over them is computed. After an all-in it is the mean
over the cards to come, too; before the flop that of the hands' classes, so a strategy must not tell suits
apart there. A control variate removes the luck of the opponent's own cards that is linear in the winnings:
the subtracted term has mean 0 over all cards, whatever the strategy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import GameError
from dealer.rules.games import Game
from strategy.lbr.cards import BOARD, Floats, equities, luck_features, reduce_variance
from strategy.poker.combos import combo_index, live
from strategy.progress import ProgressCallback, no_progress

TURN, RIVER = 2, 3

_CAUTION = 20
"""Of ``reduce_variance``: with 20, the spread of means of 100 deals is as large as their intervals say."""

ALL_IN = float("inf")
"""A size of ``Freedom``: all chips."""


class Freedom(NamedTuple):
    """What the opponent may do: ``sizes`` of raises, as fractions of the pot after a call, and the first
    street on which it may raise or fold; before that it checks and calls. A size that the rules do not allow
    is replaced by the nearest that they do.
    """

    sizes: tuple[float, ...]
    first: int = 0


LIMIT: Final = Freedom((1.0,))
"""In a limit game every size is the one raise of the rules."""

FREEDOMS: Final = {
    "fc": Freedom(()),
    "fcpa": Freedom((1.0, ALL_IN), TURN),
    "56": Freedom(tuple(0.05 * 1.15**k for k in range(56)), TURN),
}
"""The published settings of no-limit (Lisý and Bowling 2017, table 3), by the names of their actions."""


class Answers(NamedTuple):
    """What a strategy does at a decision: ``chances`` float64[1326, n] of ``actions``, with every hand that
    the board leaves; other hands have any. No two actions are equal.
    """

    actions: Sequence[Action]
    chances: Floats


class Strategy(Protocol):
    """A strategy for two as it plays at a table.

    A ``view`` is all that it knows of a hand besides cards and bets, such as the place in a tree that the
    hand was taken to be at. Only the strategy looks into views; it never changes one.
    """

    game: Game

    def start(self, position: int) -> Any:
        """Return the view at the start of a hand, in a position."""
        ...

    def after(self, view: Any, betting: Betting, action: Action) -> Sequence[tuple[float, Any]]:
        """Return the views that may follow from an action of either player, with their probabilities.

        ``betting`` is before it. Empty if the strategy has no answer to a raise of the other.
        """
        ...

    def answers(self, view: Any, betting: Betting, board: Sequence[int]) -> Answers:
        """Return what the strategy, which is to act, does on a board: that of the street."""
        ...


def local_best_response(
    strategy: Strategy,
    freedom: Freedom,
    *,
    deals: int,
    seed: int = 0,
    paths: int = 4,
    steady: bool = False,
    report: ProgressCallback = no_progress,
) -> list[float]:
    """Return the winnings in mbb/hand, averaged over both positions, for each of ``deals`` deals.

    At each deal the strategy's actions are drawn ``paths`` times in each position. With the same ``seed``,
    two strategies that differ only on the river meet the same draws before it. ``steady``: also take out the
    luck of the board, what each new card changes in the value of the pot so far, and learn cautiously how
    winnings depend on the cards; without it, intervals from a few hundred deals can be too short. The mean is
    unbiased; for its confidence interval the deals count as independent. Raises GameError ``bad_stacks``.
    """
    won, luck = raw_deals(
        strategy, freedom, range(deals), seed=seed, paths=paths, steady=steady, report=report
    )
    return without_luck(won, luck, steady=steady)


def without_luck(won: Sequence[float], luck: Sequence[Sequence[float]], *, steady: bool) -> list[float]:
    """Return the winnings of ``raw_deals`` without the luck of the opponent's cards, for deals 0, 1, ..."""
    found = reduce_variance(np.asarray(won), np.asarray(luck), _CAUTION if steady else 0)
    steadied: list[float] = found.tolist()
    return steadied


def raw_deals(
    strategy: Strategy,
    freedom: Freedom,
    numbers: Sequence[int],
    *,
    seed: int = 0,
    paths: int = 4,
    steady: bool = False,
    report: ProgressCallback = no_progress,
) -> tuple[list[float], list[list[float]]]:
    """Return the winnings and the ``luck_features`` of some of the deals of ``local_best_response``."""
    game = strategy.game
    if len(set(Betting(game).stacks)) > 1:
        raise GameError("bad_stacks", "a local best response needs equal stacks")
    unit = 1000 / max(game.blinds)
    won, luck = [], []
    for done, deal in enumerate(numbers):
        report("deals", done / len(numbers))
        cards = Random(f"lbr {seed} {deal}").sample(range(52), 7)
        hole, board = (cards[0], cards[1]), cards[2:]
        hand = LbrDeal(strategy, freedom, hole, board, steady=steady)
        total = 0.0
        for path in range(2 * paths):
            total += hand.play(path % 2, Random(f"lbr {seed} {deal} {path}"))
        won.append(total * unit / (2 * paths))
        luck.append(luck_features(combo_index(*hole), board))
    report("deals", 1.0)
    return won, luck


class _Place(NamedTuple):
    """A point of a hand: the bets, what the strategy takes them for, and a weight of each of its hands."""

    betting: Betting
    view: Any
    weights: Floats


class LbrDeal:
    """The opponent's own cards and a board of five; see ``local_best_response``."""

    def __init__(
        self,
        strategy: Strategy,
        freedom: Freedom,
        hole: tuple[int, int],
        board: Sequence[int],
        *,
        steady: bool = False,
    ) -> None:
        self._strategy, self._freedom, self._steady = strategy, freedom, steady
        self._board = tuple(board)
        self._unseen = live(hole).astype(np.float64)
        self._left = live((*hole, *board)).astype(np.float64)
        self._equity = cache(lambda street: equities(hole, self._seen(street)))
        self._player = 0
        self._random = Random()

    def play(self, player: int, random: Random) -> float:
        """Return the winnings in chips in this position; ``random`` draws what the strategy does."""
        self._player, self._random = player, random
        start = _Place(Betting(self._strategy.game), self._strategy.start(1 - player), self._unseen)
        return self._value(start) / float(self._left.sum())

    def _seen(self, street: int) -> tuple[int, ...]:
        return self._board[: BOARD[street]]

    def _value(self, place: _Place) -> float:
        """Return the winnings summed over the strategy's hands with their weights."""
        betting, weights = place.betting, place.weights
        if betting.over:
            return self._won(betting, weights * self._left)
        if betting.to_act == self._player:
            return self._after(place, self._best_action(place), weights)
        answers = self._strategy.answers(place.view, betting, self._seen(betting.street))
        after = weights[:, np.newaxis] * answers.chances
        parts: list[float] = (self._left @ after).tolist()
        if betting.street == RIVER:
            return sum(
                self._after(place, action, after[:, number])
                for number, action in enumerate(answers.actions)
                if parts[number] > 0
            )
        total = sum(parts)
        if not total > 0:
            return 0.0
        number = self._random.choices(range(len(parts)), parts)[0]
        return self._after(place, answers.actions[number], after[:, number]) * total / parts[number]

    def _after(self, place: _Place, action: Action, weights: Floats) -> float:
        """Return the winnings after an action, summed over hands of these weights."""
        views = self._strategy.after(place.view, place.betting, action)
        view = views[0][1]
        if len(views) > 1:
            chances = [chance for chance, _ in views]
            view = views[self._random.choices(range(len(views)), chances)[0]][1]
        betting = place.betting.copy()
        betting.act(action)
        won = self._value(_Place(betting, view, weights))
        street = betting.street
        if not self._steady or betting.over or street == place.betting.street:
            return won
        # With each hand the mean of the change is 0, over the cards that may come.
        change = self._equity(street) - self._equity(street - 1)
        return won - 2 * min(betting.spent) * float((weights * self._left * change).sum())

    def _won(self, betting: Betting, there: Floats) -> float:
        paid = betting.spent
        if betting.folded[self._player]:
            return -paid[self._player] * float(there.sum())
        if betting.folded[1 - self._player]:
            return paid[1 - self._player] * float(there.sum())
        last_street = betting.history[-1][0]
        return min(paid) * float((there * (2 * self._equity(last_street) - 1)).sum())

    def _best_action(self, place: _Place) -> Action:
        """Return the action that wins the most if all check and call after it; the cheapest of equal ones."""
        betting = place.betting
        street, legal = betting.street, betting.legal()
        raises = [] if street < self._freedom.first else _raises(betting, self._freedom.sizes)
        folds = legal.fold and street >= self._freedom.first
        if not (folds or raises):
            return CALL
        seen = self._seen(street)
        now = place.weights * live(seen)
        total = float(now.sum())
        if not total > 0:
            return CALL
        equity = self._equity(street)
        pot, price = float(betting.pot), float(legal.call)
        share = float((now * equity).sum()) / total
        gains = {FOLD: 0.0} if folds else {}
        gains[CALL] = share * pot - (1 - share) * price
        for action in raises:
            raised = betting.copy()
            size = raised.act(action) - legal.call
            views = self._strategy.after(place.view, betting, action)
            if not views:
                continue
            stays = now * (1 - sum(chance * self._folds(view, raised, seen) for chance, view in views))
            rest = float(stays.sum())
            share = float((stays * equity).sum()) / rest if rest > 0 else 0.0
            won = share * (pot + size) - (1 - share) * (price + size)
            gains[action] = (1 - rest / total) * pot + rest / total * won
        return max(gains, key=gains.__getitem__)

    def _folds(self, view: Any, betting: Betting, board: Sequence[int]) -> Floats | float:
        """Return the probability of a fold with every hand."""
        answers = self._strategy.answers(view, betting, board)
        return answers.chances[:, answers.actions.index(FOLD)] if FOLD in answers.actions else 0.0


def _raises(betting: Betting, sizes: Sequence[float]) -> list[Action]:
    """Return the raises of these sizes, smallest first, that the rules allow."""
    legal = betting.legal()
    least, most = legal.min_raise, legal.max_raise
    if least is None or most is None:
        return []
    called = betting.street_bet(betting.to_act) + legal.call
    pot = betting.pot + legal.call
    wanted = (most if size == ALL_IN else round(called + size * pot) for size in sizes)
    return [raise_to(to) for to in sorted({min(max(least, to), most) for to in wanted})]
