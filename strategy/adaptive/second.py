"""``adaptive2``: the adaptive player with the extensions that its document proposes.

Aceituno 2017, 7, lists them: a profile of each opponent, the aggression of the table, bluffs, and bet sizes
that do not reveal the hand. The frame is unchanged: a utility of V, P, B and S with weights, compared with a
Raise and a Fold threshold, one pair before the flop and one after it. New are:

* **V after the flop** is the probability of being ahead of a random hand of every opponent, and of drawing
  out with the next card (``strategy.poker.strength``), instead of a band per category.
* **Thresholds move** with the number of opponents, with the table's aggression (an aggressive table calls for
  caution) and, facing a bet, with how seldom the bettor bets: a bet from a player who never bets deserves
  respect.
* **Bluffs**: a hand too weak to raise sometimes raises if, by their profiles, all opponents in the hand are
  likely enough to fold.
* **Sizes** are multiples of the pot: larger with better hands and with opponents who call more, then
  multiplied by a random factor, so that a size reveals little.

All numbers were optimised together: ``python -m studies.aceituno.tune_adaptive2`` writes
``strategy/data/adaptive2.json``, which describes the search.
"""

from __future__ import annotations

from math import exp
from random import Random

from dealer.rules.actions import Action
from dealer.rules.events import Event, HandStarted
from dealer.rules.games import Game
from strategy.adaptive.decision import action_for, bet_share, choose, position_share, stack_share, utility
from strategy.adaptive.parameters import Adaptive2Parameters
from strategy.adaptive.profile import Profiles
from strategy.adaptive.value import preflop_value
from strategy.checks import require_holdem, verify_situation
from strategy.poker.strength import optimistic_ehs, potential
from strategy.situation import Situation

_FEW = 3
# The search used tables of two and of five players: the opponents beyond the first.
_TIGHTER = 0.06
# Added to all thresholds for each further opponent; tried at tables of six to ten.


class Adaptive2Bot:
    """The adaptive player with a memory of its opponents. Its randomness follows from the seed."""

    def __init__(self, seed: int, game: Game, parameters: Adaptive2Parameters | None = None) -> None:
        require_holdem("adaptive2", game)
        self.parameters = Adaptive2Parameters() if parameters is None else parameters
        self.profiles = Profiles()
        self._weights = self.parameters.weights
        self._random = Random(f"adaptive2 {seed}")
        self._known: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
        self._strength = (0.0, 0.0)

    def observe(self, event: Event) -> None:
        """Observe the opponents."""
        if isinstance(event, HandStarted):
            own = next((seat for seat, hole in zip(event.seats, event.hole, strict=True) if hole), None)
            if own is not None:
                self.profiles.own_seat = own
        self.profiles.observe(event)

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
        raise_at = (own.raise_postflop if late else own.raise_preflop) + shift
        fold_below = (own.fold_postflop if late else own.fold_preflop) + shift
        maker = next((step.seat for step in reversed(situation.history) if step.kind == "raise"), None)
        if maker is not None and maker != situation.seat:
            fold_below += own.respect * (1 - profiles.raise_rate(maker, late=late))
        return max(raise_at, fold_below), fold_below

    def raise_size(self, situation: Situation, excess: float, deviation: float) -> int:
        """Return the street total of a raise; ``deviation`` is from -1 to 1."""
        own = self.parameters
        others = self._possible_folders(situation)
        late = situation.street > 0
        calls = 1 - sum(self.profiles.fold_rate(seat, late=late) for seat in others) / max(1, len(others))
        logarithm = own.size + own.size_worth * excess + own.size_call * calls + own.size_spread * deviation
        called = situation.bets[situation.position] + situation.to_call
        return called + round(exp(logarithm) * (situation.pot + situation.to_call))

    def _bluff_pays(self, situation: Situation, size: int) -> bool:
        """Return whether a raise to ``size`` wins chips on average with a hand that loses whenever it is
        called.
        """
        others = self._possible_folders(situation)
        if len(others) < situation.opponents:
            return False  # somebody is all-in and cannot fold
        chance = self.profiles.all_fold(others, late=situation.street > 0)
        legal = situation.legal
        if legal.min_raise is None or legal.max_raise is None:
            return False
        risk = min(legal.max_raise, max(legal.min_raise, size)) - situation.bets[situation.position]
        return chance * situation.pot > (1 - chance) * risk

    def _possible_folders(self, situation: Situation) -> list[int]:
        """Return the seats of opponents who could fold."""
        return [
            seat
            for seat, folded, stack in zip(situation.seats, situation.folded, situation.stacks, strict=True)
            if seat != situation.seat and not folded and stack > 0
        ]
