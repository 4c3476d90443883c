"""The bots that use a heads-up strategy at a table of three (Glöckner 2013).

Heads-up they play that strategy itself. At tables of more than three, ``fair`` decides until three players
are left; the actions of players who have folded are ignored, as the document does with one.

For no-limit tables, which the document does not have, this is our own adaptation: every raise counts as one
whatever its size, ``fair`` answers bets larger than the pot, which are rare in limit games, and the bot's own
raises are pot-sized.
"""

from __future__ import annotations

from random import Random
from typing import ClassVar

import numpy as np

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game
from strategy.baseline.fair import FairBot
from strategy.checks import require_holdem, verify_situation
from strategy.declared import Chances, chances_of
from strategy.mapping_bots import mappings
from strategy.mapping_bots.bias import finer_shift, fold_shift, shift_folds
from strategy.mapping_bots.histories import histories
from strategy.mapping_bots.mapping import MappedAnswer, Mapping, Values, ask_policy
from strategy.mapping_bots.parameters import HbbParameters, HybridParameters, MappingParameters
from strategy.mapping_bots.policy import Policy
from strategy.mapping_bots.spot import Spot, make_spot, price
from strategy.playout.betting import pot_raise
from strategy.situation import Situation

_MAX_PRICE = (0.42, 1 / 3, 1 / 3, 1 / 3)
# No-limit, by street: the price of a pot-sized raise for a player without a blind.


class MappedBot:
    """Plays ``policy`` through ``mapping``; where ``when`` does not hold, ``fair`` plays.

    ``own_table`` is the name of the mapping in ``strategy.mapping_bots.bias``. The default ``policy`` is the
    blueprint. Raises UnplayableGame for games other than hold'em.
    """

    Parameters: ClassVar[type[MappingParameters]] = HbbParameters
    mapping: ClassVar[Mapping]
    own_table: ClassVar[str]
    when: str = "always"

    def __init__(
        self,
        seed: int,
        game: Game,
        parameters: MappingParameters | None = None,
        *,
        policy: Policy | None = None,
    ) -> None:
        require_holdem("a mapping bot", game)
        self.parameters = self.Parameters() if parameters is None else parameters
        if isinstance(self.parameters, HybridParameters):
            self.when = self.parameters.when
        self._bias = self.parameters.bias if isinstance(self.parameters, HbbParameters) else "none"
        self._seed = seed
        self._limit = game.limit
        self._fair = FairBot(seed, game)
        self._histories = histories()
        self.chances: Chances = {}
        self._policy: Policy = self.parameters.load() if policy is None else policy

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise. Raises SituationError."""
        verify_situation(situation)
        self.chances = {}
        spot = make_spot(situation)
        if not self.uses_mapping(spot):
            return self._fair.decide(situation)
        policy = self.probabilities(situation, spot)
        if self.parameters.argmax:
            # The call first: it is preferred among equals.
            kind = max((1, 2, 0), key=policy.__getitem__)
        else:
            seen = f"hbb {self._seed} {situation.hand} {situation.hole} {situation.board} {spot.rounds}"
            drawn = Random(seen).random()
            kind = 0 if drawn < policy[0] else 1 if drawn < 1 - policy[2] else 2
            raised = raise_to(pot_raise(situation)) if policy[2] else CALL
            self.chances = chances_of(float(policy[0]), float(policy[1]), float(policy[2]), raised)
        if kind == 0:
            return FOLD
        return raise_to(pot_raise(situation)) if kind == 2 else CALL

    def uses_mapping(self, spot: Spot) -> bool:
        """Return whether the mapping decides here, and not ``fair``."""
        dear = not self._limit and price(spot.pot, spot.to_call) > _MAX_PRICE[spot.street] + 1e-9
        if dear or len(spot.opponents) > 2:
            return False
        if spot.players == 2 or self.when == "always":
            return True
        left_before_flop = spot.street == 0 or spot.active[1] == 2
        return len(spot.opponents) == 1 and (self.when == "folded" or left_before_flop)

    def probabilities(self, situation: Situation, spot: Spot) -> Values:
        """Return the probabilities of fold, call and raise, float64[3], 0 for illegal actions."""
        answers = self.answers(situation, spot)
        policy: Values = np.mean([one.mean for one in answers], axis=0)
        if spot.to_call > 0 and len(answers) == 2 and (shift := self._fold_shift(situation)):
            policy = shift_folds(policy, shift)
        if not situation.legal.fold:
            policy = np.array([0.0, policy[0] + policy[1], policy[2]])
        if not spot.can_raise:
            policy = np.array([policy[0], policy[1] + policy[2], 0.0])
        return policy

    def _fold_shift(self, situation: Situation) -> float:
        if self._bias == "hbb6":
            return finer_shift(self.own_table, situation)
        if self._bias == "none" or situation.street:
            return 0.0
        return fold_shift(self.own_table, situation.hole)

    def answers(self, situation: Situation, spot: Spot) -> tuple[MappedAnswer, ...]:
        """Return the policy's answers through the mapping, for each opponent in the order of positions."""
        state = self._policy.card_state(situation.hole, situation.board)
        settings = self.parameters
        mapping = mappings.SAME if spot.players == 2 else self.mapping
        return tuple(
            ask_policy(
                mapping,
                self._histories,
                self._policy,
                spot,
                opponent,
                state,
                nearest=settings.nearest,
                weighted=settings.weighted,
                skip=settings.nan == "skip",
            )
            for opponent in spot.opponents
        )
