"""hbb6, a hold'em player for three-player tables with a strategy trained with three players.

Glöckner 2013 maps situations of three players to a strategy for two, and finds that this does not work while
three are active (7). This bot is our own: it looks its action up in a strategy from external sampling with
three players (``strategy.three_player.cfr_three``) and, if two players see the flop, in one solved for these
two (``strategy.three_player.subgames``). ``strategy.three_player.locate_node`` maps situations at other
tables to these strategies; where that fails ``fair`` plays, and heads-up tables are left to ``cfr``.

At no-limit tables, as with the mapping bots, every raise counts as one, ``fair`` answers bets larger than the
pot, and the bot's own raises are pot-sized.
"""

from __future__ import annotations

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game
from strategy.baseline.fair import FairBot
from strategy.checks import require_holdem, verify_situation
from strategy.declared import Chances, chances_of
from strategy.playout.betting import pot_raise
from strategy.poker.kernels import rng, uniform
from strategy.registry import DeclaringStrategy, Strategy, create_strategy
from strategy.situation import Situation
from strategy.three_player.locate_node import find_node
from strategy.three_player.parameters import Hbb6Parameters
from strategy.three_player.policy import ThreePlayerPolicy, load_policy
from strategy.three_player.subgame_strategy import load_subgame_strategies

_MAX_PRICE = 1 / 3
# The price of a pot-sized bet; limit games have none above it.


class Hbb6:
    """The player. Without a ``table`` it plays the shipped strategy. Raises UnplayableGame for games other
    than hold'em.
    """

    def __init__(
        self,
        seed: int,
        game: Game,
        parameters: Hbb6Parameters | None = None,
        *,
        table: ThreePlayerPolicy | None = None,
    ) -> None:
        require_holdem("hbb6", game)
        self.parameters = Hbb6Parameters() if parameters is None else parameters
        self._table = load_policy() if table is None else table
        self._folds = load_subgame_strategies() if self.parameters.after_fold == "blueprint" else None
        self._seed = seed
        self._game = game
        self.chances: Chances = {}
        self._others: dict[str, Strategy] = {"fair": FairBot(seed, game)}

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise. Raises SituationError."""
        verify_situation(situation)
        other = self._substitute(situation)
        policy = None if other else self.probabilities(situation)
        if policy is None:
            return self._decide_with(other or "fair", situation)
        fold, call, raise_ = policy
        self.chances = chances_of(*policy, raise_to(pot_raise(situation)) if raise_ else CALL)
        random = rng("hbb6", self._seed, situation.hand, situation.hole, situation.board, situation.history)
        drawn = uniform(random) * (fold + call + raise_)
        if drawn < fold:
            return FOLD
        return CALL if drawn < fold + call else raise_to(pot_raise(situation))

    def probabilities(self, situation: Situation) -> tuple[float, float, float] | None:
        """Return weights of fold, call and raise, 0 for illegal and improbable ones; None if the situation
        has no node.
        """
        policy = self._own_policy(situation)
        if policy is None:
            return None
        fold, call, raise_ = (one if one >= self.parameters.least else 0.0 for one in policy)
        if not situation.legal.fold:
            fold, call = 0.0, fold + call
        if situation.legal.min_raise is None:
            call, raise_ = call + raise_, 0.0
        return fold, call, raise_

    def _own_policy(self, situation: Situation) -> tuple[float, float, float] | None:
        graph = self._table.graph
        place = None if self._folds is None else self._folds.locate(graph, situation)
        if self._folds is not None and place is not None:
            policy = self._folds.policy(place, situation.hole, situation.board)
            if policy is not None:
                return policy
        node = find_node(graph, situation)
        return None if node < 0 else self._table.policy(node, situation.hole, situation.board)

    def _substitute(self, situation: Situation) -> str:
        """Return the strategy that plays instead."""
        if situation.players == 2:
            return "cfr"
        if situation.to_call > _MAX_PRICE * (situation.pot + situation.to_call) * (1 + 1e-9):
            return "fair"
        return "ownbot" if situation.opponents == 1 and self.parameters.after_fold == "ownbot" else ""

    def _decide_with(self, name: str, situation: Situation) -> Action:
        if name not in self._others:
            self._others[name] = create_strategy(name, self._seed, self._game)
        other = self._others[name]
        action = other.decide(situation)
        self.chances = other.chances if isinstance(other, DeclaringStrategy) else {}
        return action
