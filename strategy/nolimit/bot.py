"""The bots ``nolimit`` and ``nolimit+search``: heads-up no-limit hold'em by strategies trained for several
stacks, and with rivers solved at the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Event, HandStarted
from dealer.rules.games import Game
from strategy.baseline.fair import FairBot
from strategy.checks import require_holdem, verify_situation
from strategy.declared import Chances
from strategy.nolimit.follow import Path, bets_of, follow
from strategy.nolimit.parameters import SearchParameters
from strategy.nolimit.policy import NoLimitPolicy, load_policy, nearest_depth
from strategy.nolimit.search import Search, spot_at
from strategy.poker.combos import combo_index
from strategy.situation import Situation

_DEEPER: Final = 1.3
"""With stacks this much deeper than the strategy's, its all-in is a raise of the same size."""


class NoLimitBot:
    """Plays the trained strategy whose stacks are nearest to the smaller stack; ``fair`` plays with more than
    two players, and at limit tables.

    Where the betting of the strategy is over and that of the hand is not, because a raise counted as all-in
    (``strategy.nolimit.follow``), it checks and calls. Raises UnplayableGame for games other than hold'em.
    """

    def __init__(self, seed: int, game: Game) -> None:
        require_holdem("nolimit", game)
        self._holds = game.players == 2 and not game.limit and game.first_player == (1, 0, 0, 0)
        self._seed = seed
        self._blinds, self._antes = game.blinds, (game.ante,) * game.players
        self.chances: Chances = {}
        self._others = FairBot(seed, game)

    def observe(self, event: Event) -> None:
        """Observe the hand's blinds and antes, which may be higher than the game's."""
        if isinstance(event, HandStarted):
            self._blinds, self._antes = event.blinds, event.antes

    def decide(self, situation: Situation) -> Action:
        """Act at random, with the probabilities of the strategy. Raises SituationError."""
        verify_situation(situation)
        self.chances = {}
        policy = self.policy(situation) if self._holds and situation.players == 2 else None
        path = None if policy is None else self.path(policy, situation)
        if policy is None or path is None:
            return self._others.decide(situation)
        self.chances = self.weigh(policy, path, situation)
        drawn = Random(self._words("acts", situation, len(situation.history))).random()
        for action, chance in self.chances.items():
            drawn -= chance
            if drawn < 0:
                return action
        return next(reversed(self.chances))

    def policy(self, situation: Situation) -> NoLimitPolicy:
        """Return the strategy for the stacks of a hand."""
        stack = min(left + paid for left, paid in zip(situation.stacks, situation.paid, strict=True))
        return load_policy(nearest_depth(stack / max(1, *self._blinds)))

    def path(self, policy: NoLimitPolicy, situation: Situation) -> Path | None:
        """Return the hand's way through the strategy's betting; None if it does not lead to this decision."""
        path = follow(
            policy.tree,
            policy.sizes,
            bets_of(situation, self._blinds, self._antes),
            situation.position,
            lambda number: Random(self._words("sees", situation, number)).random(),
        )
        if path is None or policy.tree.player[path.node] < 0:
            return path
        here = policy.tree.player[path.node], policy.tree.street[path.node]
        return path if here == (situation.position, situation.street) else None

    def weigh(self, policy: NoLimitPolicy, path: Path, situation: Situation) -> Chances:
        """Return the probabilities of the actions of the hand."""
        if policy.tree.player[path.node] < 0:
            return {CALL: 1.0}
        return added(self._chances(policy, path, situation))

    def _chances(self, policy: NoLimitPolicy, path: Path, situation: Situation) -> list[tuple[Action, float]]:
        """Return the actions at a decision of the strategy, with their probabilities."""
        state = policy.cards.state(situation.hole, situation.board)
        chances = policy.chances(path.node, state).tolist()
        return [
            (self._action(policy, situation, path.node, place), chance)
            for place, chance in enumerate(chances)
        ]

    def _action(self, policy: NoLimitPolicy, situation: Situation, node: int, place: int) -> Action:
        to = int(policy.tree.to[node, place])
        least, most = situation.legal.min_raise, situation.legal.max_raise
        if to < 0:
            return FOLD if situation.legal.fold else CALL
        if to == 0 or least is None or most is None:
            return CALL
        stack = min(left + paid for left, paid in zip(situation.stacks, situation.paid, strict=True))
        all_in = place == int(policy.tree.choices[node]) - 1 and policy.all_in[node]
        if all_in and stack <= _DEEPER * policy.depth * max(1, *self._blinds):
            return raise_to(most)
        pot = situation.pot + situation.legal.call
        level = situation.bets[situation.position] + situation.legal.call
        return raise_to(min(most, max(least, level + round(float(policy.sizes[node, place]) * pot))))

    def _words(self, what: str, situation: Situation, number: int) -> str:
        steps = [step[1:] for step in situation.history[:number]]
        return f"nolimit {what} {self._seed} {situation.hand} {situation.hole} {steps}"


class NoLimitSearchBot(NoLimitBot):
    """As ``NoLimitBot``, but solves turns and rivers (``strategy.nolimit.search``) before it acts there."""

    def __init__(self, seed: int, game: Game, parameters: SearchParameters | None = None) -> None:
        super().__init__(seed, game)
        self._search = Search(parameters or SearchParameters())

    def weigh(self, policy: NoLimitPolicy, path: Path, situation: Situation) -> Chances:
        """Return the probabilities of the actions of the hand."""
        if situation.street < self._search.first:
            return super().weigh(policy, path, situation)
        spot = spot_at(policy.tree, path, situation, self._blinds, self._antes)
        hand = combo_index(*situation.hole)
        return added((action, float(row[hand])) for action, row in self._search.chances(policy, spot))


def added(actions: Iterable[tuple[Action, float]]) -> Chances:
    """Return the probability of each action; some may stand there twice, or with 0."""
    found: Chances = {}
    for action, chance in actions:
        if chance > 0:
            found[action] = found.get(action, 0.0) + chance
    return found
