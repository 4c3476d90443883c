"""``adaptive2``: the adaptive player with the extensions that its document proposes.

Aceituno 2017, 7, lists them: a profile of each opponent, the aggression of the table, bluffs, and bet sizes
that do not reveal the hand. The frame is unchanged: a utility of V, P, B and S with weights, compared with a
Raise and a Fold threshold, one pair before the flop and one after it. New are:

* **V after the flop** is the probability of being ahead of a random hand of every opponent, and of drawing
  out with the next card (``strategy.poker.strength``), instead of a band per category.
* **Thresholds move** with the number of opponents, with the table's aggression (an aggressive table calls for
  caution) and, facing a bet, with how seldom the bettor bets and how often the hands that he showed were
  weak: a bet from a player who never bets deserves respect, one from a player who bluffs does not.
* **Learning**: after a loss the thresholds move as in the document's 4.3, before and after the flop on their
  own.
* **Bluffs**: a hand too weak to raise sometimes raises if, by their profiles, all opponents in the hand are
  likely enough to fold.
* **Loose calls** (``loose``, off by default): opponents who have shown weak hands after calls are bluffed
  less and meet larger raises. Weak raises and all-ins count as bluffs.
* **Sizes** are multiples of the pot: larger with better hands and with opponents who call more, then
  multiplied by a random factor, so that a size reveals little.

All numbers were optimised together: ``python -m studies.aceituno.tune adaptive2`` writes
``strategy/data/adaptive2.json``, which describes the search.
"""

from __future__ import annotations

from math import exp
from random import Random

from dealer.rules.actions import Action
from dealer.rules.events import Event
from dealer.rules.games import Game
from strategy.adaptive.decision import action_for, bet_share, choose, position_share, stack_share, utility
from strategy.adaptive.learning import STREETS, ActionStatistics, HandRecorder, Thresholds, learn
from strategy.adaptive.parameters import Adaptive2Parameters
from strategy.adaptive.profile import BLUFFS, LOOSE, Profiles
from strategy.adaptive.value import preflop_value
from strategy.checks import require_holdem, verify_situation
from strategy.poker.strength import optimistic_ehs, potential
from strategy.situation import Situation

_FEW = 3
# The search used tables of two and of five players: the opponents beyond the first.
_TIGHTER = 0.06
# Added to all thresholds for each further opponent; tried at tables of six to ten.
_LEARN_EVERY = 10
# Hands from one step of learning to the next, as for the document's player.


class Adaptive2Bot:
    """The adaptive player with a memory of its opponents. Its randomness follows from the seed."""

    def __init__(self, seed: int, game: Game, parameters: Adaptive2Parameters | None = None) -> None:
        require_holdem("adaptive2", game)
        self.parameters = Adaptive2Parameters() if parameters is None else parameters
        self.profiles = Profiles()
        #: Before and after the flop; they move as the player learns.
        self.learned = [
            Thresholds(self.parameters.raise_preflop, self.parameters.fold_preflop),
            Thresholds(self.parameters.raise_postflop, self.parameters.fold_postflop),
        ]
        self._recorder = HandRecorder()
        self._ledger = ActionStatistics()
        self._weights = self.parameters.weights
        self._random = Random(f"adaptive2 {seed}")
        self._known: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
        self._strength = (0.0, 0.0)

    def observe(self, event: Event) -> None:
        """Observe the opponents and, for learning, the player's own actions and results."""
        vector = self._recorder.observe(event)
        self.profiles.own_seat = self._recorder.seat
        self.profiles.observe(event)
        if vector is not None:
            self._ledger.add(vector)
            if self._ledger.hands % _LEARN_EVERY == 0:
                self._learn()

    def _learn(self) -> None:
        mu = self.parameters.mu
        first, later = self.learned
        self.learned = [
            learn(first, self._ledger, (mu, *[0.0] * (STREETS - 1)), 0),
            learn(later, self._ledger, (0.0, *[mu] * (STREETS - 1)), 0),
        ]

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise. Raises SituationError."""
        verify_situation(situation)
        # Drawn for every decision, needed or not, so that decisions do not influence each other.
        bluff, deviation = self._random.random(), 2 * self._random.random() - 1
        worth = self.utility(situation)
        raise_at, fold_below = self.thresholds(situation)
        kind = choose(worth, raise_at, fold_below, free=situation.to_call == 0)
        size = self.raise_size(situation, max(0.0, worth - raise_at), deviation)
        if kind != "raise" and bluff < self.parameters.bluff and self._bluff_pays(situation, size):
            kind = "raise"
        return action_for(situation, kind, size)

    def utility(self, situation: Situation) -> float:
        """Return the utility of the situation, from 0 to 1."""
        facts = (
            self.value(situation),
            position_share(situation),
            bet_share(situation.to_call, situation.pot),
            stack_share(situation.stacks[situation.position], situation.stacks),
        )
        return utility(facts, self._weights)

    def value(self, situation: Situation) -> float:
        """Return V: from the table before the flop, the effective strength after it."""
        hole, board = situation.hole, situation.board
        if not board:
            return preflop_value(hole)
        if self._known != (hole, board):
            self._known = (hole, board)
            table = potential(hole, board)
            now = table.table.sum(axis=1)
            self._strength = float((now[0] + now[1] / 2) / now.sum()), table.ppot
        strength, ppot = self._strength
        return optimistic_ehs(strength**situation.opponents, ppot)

    def thresholds(self, situation: Situation) -> tuple[float, float]:
        """Return the thresholds: raise at the one, fold below the other."""
        own, profiles = self.parameters, self.profiles
        late = situation.street > 0
        others = situation.opponents - 1
        shift = own.crowd * min(others, _FEW) + _TIGHTER * max(0, others - _FEW)
        shift += own.caution * profiles.aggression
        raise_at, fold_below = (threshold + shift for threshold in self.learned[late])
        maker = next((step.seat for step in reversed(situation.history) if step.kind == "raise"), None)
        if maker is not None and maker != situation.seat:
            fold_below += own.respect * (1 - profiles.raise_rate(maker, late=late))
            fold_below -= own.catch * (profiles.bluff_rate(maker, late=late) - BLUFFS)
        return max(raise_at, fold_below), fold_below

    def raise_size(self, situation: Situation, excess: float, deviation: float) -> int:
        """Return the street total of a raise; ``deviation`` is from -1 to 1."""
        own = self.parameters
        others = self._possible_folders(situation)
        late = situation.street > 0
        calls = 1 - sum(self.profiles.fold_rate(seat, late=late) for seat in others) / max(1, len(others))
        logarithm = own.size + own.size_worth * excess + own.size_call * calls + own.size_spread * deviation
        logarithm += self._looseness(others, late)
        called = situation.bets[situation.position] + situation.to_call
        return called + round(exp(logarithm) * (situation.pot + situation.to_call))

    def _bluff_pays(self, situation: Situation, size: int) -> bool:
        """Return whether a raise to ``size`` wins chips on average with a hand that loses whenever it is
        called.
        """
        others = self._possible_folders(situation)
        if len(others) < situation.opponents:
            return False  # somebody is all-in and cannot fold
        late = situation.street > 0
        chance = self.profiles.all_fold(others, late=late) - self._looseness(others, late)
        legal = situation.legal
        if legal.min_raise is None or legal.max_raise is None:
            return False
        risk = min(legal.max_raise, max(legal.min_raise, size)) - situation.bets[situation.position]
        return chance * situation.pot > (1 - chance) * risk

    def _looseness(self, seats: list[int], late: bool) -> float:
        """Return by how much more often than unknown players these call with weak hands, times ``loose``."""
        if not self.parameters.loose or not seats:
            return 0.0
        return self.parameters.loose * (self.profiles.loose_rate(seats, late=late) - LOOSE)

    def _possible_folders(self, situation: Situation) -> list[int]:
        """Return the seats of opponents who could fold."""
        return [
            seat
            for seat, folded, stack in zip(situation.seats, situation.folded, situation.stacks, strict=True)
            if seat != situation.seat and not folded and stack > 0
        ]
