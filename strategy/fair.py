"""The mathematically fair bot: it compares its chance to win with the price, and with its fair share.

Glöckner 2013 measures his bots against such a one ("dpp", sections 5.2 to 5.4 and 6): it judges a hand by its
win probability against random hands of the opponents. The thesis does not say how it acts on that. Our
reading, with equity ``e`` (ties counted as shares) against ``n - 1`` opponents who have not folded:

* call when ``e > to_call / (pot + to_call)``, and always when it costs nothing; fold otherwise.
* raise when ``e > 1/n + margin``: with that, every chip that all players add earns more than it costs. The
  margin grows with each raise already made on the street, since those who raise do not hold random hands.
* no-limit: the raise adds ``1/2 + edge`` times the pot, where ``edge = (n e - 1) / (n - 1)`` is 0 at the fair
  share and 1 at a certain win.

``pot`` is the part that can be won: what the others put in beyond the own stack does not count.
"""

from __future__ import annotations

from random import Random

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game
from strategy.poker.equity import HOLDEM, cards_of, equity
from strategy.poker.preflop import preflop_equity
from strategy.situation import Situation

__all__ = ["MARGIN", "FairBot"]

MARGIN = 0.05
"""Equity above the fair share that the first raise of a street needs; each later one needs as much more."""

_EVALUATIONS = 800
# Hands ranked for one sampled equity: about one millisecond, and a standard error of 0.02 heads-up.


class FairBot:
    """Win probability against random hands, beside pot odds and fair share.

    A decision is a function of the seed and the situation alone: sampling is seeded by the cards.
    """

    def __init__(self, seed: int, game: Game) -> None:
        self._seed = seed
        self._cards = cards_of(game)
        self._known: tuple[tuple[int, ...], tuple[int, ...], int] | None = None
        self._equity = 0.0

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise, as the module says."""
        win = self.win_probability(situation)
        players = situation.opponents + 1
        least, most = situation.legal.min_raise, situation.legal.max_raise
        if least is not None and most is not None and win > 1 / players + MARGIN * (1 + situation.raises):
            return raise_to(min(most, max(least, _raise_size(situation, win))))
        price = situation.to_call
        if situation.legal.fold and win <= price / (situation.pot_in_reach + price):
            return FOLD
        return CALL

    def win_probability(self, situation: Situation) -> float:
        """The own share of the pot at a showdown against random hands of all who have not folded."""
        hole, board, opponents = situation.hole, situation.board, situation.opponents
        if self._cards == HOLDEM and not board:
            return preflop_equity(hole, opponents)
        known = (hole, board, opponents)
        if known != self._known:
            self._known = known
            self._equity = equity(
                hole,
                board,
                opponents,
                cards=self._cards,
                random=Random(f"fair {self._seed} {known}"),
                samples=_EVALUATIONS // (opponents + 3),
            )
        return self._equity


def _raise_size(situation: Situation, win: float) -> int:
    """The wanted raise as a total of the street, whether legal or not."""
    players = situation.opponents + 1
    edge = (players * win - 1) / (players - 1)
    called = situation.bets[situation.position] + situation.to_call
    return round(called + (0.5 + edge) * (situation.pot + situation.to_call))
