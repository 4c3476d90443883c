"""The mathematically fair bot: a table before the flop; later, equity against price and fair share.

Glöckner 2013 compares its own bots with such a bot, "dpp" (sections 5.2 to 5.4 and 6), which the
report of the bot akuma (Czarny and Schumann 2009) calls the Dummy Preflop Player: it answers with an action,
or with its win probability against random hands of the opponents. No more is published. Our reading, with
equity ``e`` (ties counted as shares) against ``n - 1`` opponents who have not folded:

* before the flop of hold'em a table gives the action, by hand class, number of opponents, and whether nobody
  has raised, or a call is cheap, or dear (``preflop_action``). In any case a call must be worth its price as
  after the flop.
* call when ``e > to_call / (pot + to_call)``, and always when it costs nothing; fold otherwise.
* raise when ``e > 1/n + margin``: then every chip that all players add earns more than it costs. The margin
  grows with each raise on the street, since raisers do not hold random hands.
* no-limit: the raise adds ``1/2 + edge`` times the pot, where ``edge = (n e - 1) / (n - 1)`` is 0 at the fair
  share and 1 at a certain win; before the flop it is never less than 0.

``pot`` is the part that can be won: what others put in beyond the bot's own stack does not count.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from random import Random

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game
from strategy.baseline.parameters import FairParameters
from strategy.checks import verify_betting
from strategy.poker.equity import HOLDEM, card_setup, equity
from strategy.poker.preflop import class_combinations, hand_class, preflop_equity
from strategy.situation import Situation, SituationError

MARGIN = 0.05
"""Equity above the fair share that the first raise of a street needs; each later one needs as much more."""

DEAR = 0.3
"""Before the flop a call after a raise is dear from this price on: cheaper for a blind that pays one bet,
dear for a cold call of two bets or of a pot-sized raise.
"""

_EVALUATIONS = 800
# Hands ranked per sampled equity: about one millisecond, and a standard error of 0.02 heads-up.


_OPEN = (
    (0.55, 1.00), (0.42, 0.52), (0.32, 0.42), (0.26, 0.34), (0.21, 0.28),
    (0.18, 0.24), (0.16, 0.21), (0.14, 0.18), (0.12, 0.16),
)  # fmt: skip
_CHEAP = (
    (0.15, 0.85), (0.12, 0.65), (0.10, 0.55), (0.08, 0.50), (0.07, 0.45),
    (0.06, 0.40), (0.05, 0.35), (0.05, 0.30), (0.05, 0.30),
)  # fmt: skip
_DEAR = (
    (0.10, 0.45), (0.07, 0.22), (0.06, 0.16), (0.05, 0.13), (0.05, 0.10),
    (0.04, 0.09), (0.04, 0.08), (0.03, 0.07), (0.03, 0.06),
)  # fmt: skip
# The share of hands that raises, and the share that at least calls, for 1 to 9 opponents who have not folded:
# before any raise, and after one for a low price and a high one.


@cache
def _better_hands(opponents: int) -> dict[str, float]:
    """Return by class the share of all hands with a larger equity against ``opponents`` random hands."""
    equities = {hand_class(hole): preflop_equity(hole, opponents) for hole in combinations(range(52), 2)}
    better: dict[str, float] = {}
    hands = 0
    for name in sorted(equities, key=equities.__getitem__, reverse=True):
        better[name] = hands / 1326
        hands += class_combinations(name)
    return better


def preflop_action(name: str, opponents: int, raised: bool, price: float) -> str:
    """Return the action in the table: ``raise``, ``call`` or ``fold``.

    ``name``: the hand's class; ``price``: to call / (pot + to call). Raises KeyError if it is not a class,
    IndexError for more than nine opponents.
    """
    part = _OPEN if not raised else _CHEAP if price <= DEAR else _DEAR
    raise_best, call_best = part[opponents - 1]
    better = _better_hands(opponents)[name]
    return "raise" if better < raise_best else "call" if better < call_best else "fold"


class FairBot:
    """Plays its winning probability against random hands, compared with pot odds and fair share.

    A decision is a function of the seed and the situation alone: sampling is seeded by the cards.
    """

    def __init__(self, seed: int, game: Game, parameters: FairParameters | None = None) -> None:
        self._seed = seed
        self._game = game
        self._cards = card_setup(game)
        self._table = self._cards == HOLDEM and (parameters or FairParameters()).preflop == "table"
        self._known: tuple[tuple[int, ...], tuple[int, ...], int] | None = None
        self._equity = 0.0

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise, as the module describes. Raises SituationError."""
        self._verify(situation)
        win = self.win_probability(situation)
        price = situation.to_call / max(1, situation.pot_in_reach + situation.to_call)
        least, most = situation.legal.min_raise, situation.legal.max_raise
        if self._table and not situation.board:
            name = hand_class(situation.hole)
            wanted = preflop_action(name, situation.opponents, situation.raises > 0, price)
        else:
            fair = 1 / (situation.opponents + 1)
            wanted = "raise" if win > fair + MARGIN * (1 + situation.raises) else "call"
        if wanted == "raise" and least is not None and most is not None:
            return raise_to(min(most, max(least, _raise_size(situation, win))))
        if situation.legal.fold and (wanted == "fold" or win <= price):
            return FOLD
        return CALL

    def _verify(self, situation: Situation) -> None:
        """Check what a decision relies on, whatever cards the game has."""
        hole, board, street = situation.hole, situation.board, situation.street
        shown = sum(self._game.board_cards[: street + 1])
        if not 0 <= street < self._game.rounds or (len(hole), len(board)) != (self._cards.hole, shown):
            raise SituationError(
                f"{len(hole)} hole cards and {len(board)} board cards on street {street} of {self._game.name}"
            )
        if len({*hole, *board}) < len(hole) + len(board) or not {*hole, *board} <= {*self._cards.deck}:
            raise SituationError(f"not different cards of the deck of {self._game.name}: {(*hole, *board)}")
        verify_betting(situation)

    def win_probability(self, situation: Situation) -> float:
        """Return the expected share of the pot at a showdown against random hands of all who have
        not folded.
        """
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
    """Return the desired raise as a total of the street, legal or not."""
    players = situation.opponents + 1
    edge = max(0.0, (players * win - 1) / (players - 1))
    called = situation.bets[situation.position] + situation.to_call
    return round(called + (0.5 + edge) * (situation.pot + situation.to_call))
