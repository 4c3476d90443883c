"""The bots ``nolimit`` and ``nolimit+search``: heads-up no-limit hold'em by strategies trained for several
stacks, and with later streets solved at the table; with more players by one strategy for three to ten.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final, NamedTuple

import numpy as np

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Event, HandStarted
from dealer.rules.games import Game
from dealer.rules.legal import Legal
from strategy.baseline.fair import FairBot
from strategy.blueprint_bots.bot import CfrBot
from strategy.checks import require_holdem, verify_situation
from strategy.declared import Chances
from strategy.nolimit_bots.follow import Path, bets_of, follow
from strategy.nolimit_bots.parameters import NoLimitParameters, SearchParameters
from strategy.nolimit_bots.policy import NoLimitPolicy, load_cards, load_policy, nearest_depth
from strategy.nolimit_bots.ring import ACTIONS, NONE, betting_of, find_moves, key_of, load_ring
from strategy.nolimit_bots.search import Search, spot_at
from strategy.poker.combos import combo_index
from strategy.situation import Situation

_DEEPER: Final = 1.3
"""With stacks this much deeper than the strategy's, its all-in is a raise of the same size."""


class NoLimitBot:
    """Plays the trained strategy whose stacks are nearest to the smaller stack, or that of its parameters,
    and with more than two players that of ``ring``. At limit tables ``cfr`` plays with two players, and
    ``fair`` with more, as where a strategy knows nothing.

    Where the betting of the strategy is over and that of the hand is not, because a raise counted as all-in
    (``strategy.nolimit_bots.follow``), it checks and calls. Raises UnplayableGame for games other than
    hold'em.
    """

    def __init__(self, seed: int, game: Game, parameters: NoLimitParameters | None = None) -> None:
        require_holdem("nolimit", game)
        self._policy = parameters.load() if parameters and parameters.strategy else None
        self._holds = not game.limit and (game.players > 2 or game.first_player == (1, 0, 0, 0))
        self._seed = seed
        self._blinds, self._antes = game.blinds, (game.ante,) * game.players
        self.chances: Chances = {}
        self._others = (CfrBot if game.limit and game.players == 2 else FairBot)(seed, game)

    def observe(self, event: Event) -> None:
        """Observe the hand's blinds and antes, which may be higher than the game's."""
        if isinstance(event, HandStarted):
            self._blinds, self._antes = event.blinds, event.antes

    def decide(self, situation: Situation) -> Action:
        """Act at random, with the probabilities of the strategy. Raises SituationError."""
        verify_situation(situation)
        self.chances = {}
        two = self._holds and situation.players == len(self._blinds) == 2
        policy = self.policy(situation) if two else None
        path = None if policy is None else self.path(policy, situation)
        if policy is not None and path is not None:
            self.chances = self.weigh(policy, path, situation)
        elif self._holds and situation.players > 2:
            self.chances = self._at_a_ring(situation)
        if not self.chances:
            action = self._others.decide(situation)
            self.chances = getattr(self._others, "chances", {})
            return action
        drawn = Random(self._words("acts", situation, len(situation.history))).random()
        for action, chance in self.chances.items():
            drawn -= chance
            if drawn < 0:
                return action
        return next(reversed(self.chances))

    def policy(self, situation: Situation) -> NoLimitPolicy:
        """Return the strategy for the stacks of a hand."""
        if self._policy is not None:
            return self._policy
        stack = min(situation.whole_stacks)
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
        legal = situation.legal
        level = situation.bets[situation.position] + legal.call
        stack = min(situation.whole_stacks)
        stakes = Stakes(situation.pot + legal.call, level, stack, max(1, *self._blinds))
        return [
            (table_action(policy, path.node, place, legal, stakes), chance)
            for place, chance in enumerate(policy.chances(path.node, state).tolist())
        ]

    def _at_a_ring(self, situation: Situation) -> Chances:
        """Return the probabilities of the actions with more than two players; empty where the strategy knows
        nothing.
        """
        legal, moves = situation.legal, np.empty(ACTIONS, np.int64)
        seats, now = betting_of(situation, max(1, *self._blinds, *situation.game.blinds))
        if find_moves(seats, now, moves) == 1:
            return {CALL: 1.0}
        state = load_cards().state(situation.hole, situation.board)
        chances = load_ring().chances(int(key_of(seats, now)), state)
        if chances is None:
            return {}
        known = [move for move in zip(moves.tolist(), chances.tolist(), strict=True) if move[0] != NONE]
        total = sum(chance for _, chance in known)
        if not total:
            return {}
        return added((ring_action(to, legal), chance / total) for to, chance in known)

    def _words(self, what: str, situation: Situation, number: int) -> str:
        steps = [step[1:] for step in situation.history[:number]]
        return f"nolimit {what} {self._seed} {situation.hand} {situation.hole} {steps}"


class NoLimitSearchBot(NoLimitBot):
    """As ``NoLimitBot``, but solves turns and rivers before it acts there (``search``)."""

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


def ring_action(to: int, legal: Legal) -> Action:
    """Return what an action of ``ring.find_moves`` is at a table."""
    if to < 0:
        return FOLD if legal.fold else CALL
    if to == 0 or legal.min_raise is None or legal.max_raise is None:
        return CALL
    return raise_to(min(legal.max_raise, max(legal.min_raise, to)))


class Stakes(NamedTuple):
    """What sizes at a table are measured by, in chips: the ``pot`` after a call, the ``level`` of the bets on
    the street, the smaller ``stack`` at the start of the hand, and the ``big_blind``.
    """

    pot: int
    level: int
    stack: int
    big_blind: int


def table_action(policy: NoLimitPolicy, node: int, place: int, legal: Legal, stakes: Stakes) -> Action:
    """Return what an action of a decision is at a table where the betting may be another."""
    to = int(policy.tree.to[node, place])
    if to < 0:
        return FOLD if legal.fold else CALL
    if to == 0 or legal.min_raise is None or legal.max_raise is None:
        return CALL
    all_in = place == int(policy.tree.choices[node]) - 1 and policy.all_in[node]
    if all_in and stakes.stack <= _DEEPER * policy.depth * stakes.big_blind:
        return raise_to(legal.max_raise)
    wanted = stakes.level + round(float(policy.sizes[node, place]) * stakes.pot)
    return raise_to(min(legal.max_raise, max(legal.min_raise, wanted)))
