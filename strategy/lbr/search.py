"""The bot ``nolimit+search`` for a local best response, and for duels of ranges: its play with all hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dealer.rules.actions import Action
from dealer.rules.betting import Betting
from dealer.rules.games import Game
from strategy.lbr.nolimit import NoLimitStrategy
from strategy.lbr.response import Answers
from strategy.nolimit_bots.follow import Step
from strategy.nolimit_bots.parameters import SearchParameters
from strategy.nolimit_bots.policy import NoLimitPolicy
from strategy.nolimit_bots.search import Search, Spot

_KEPT = 96
"""Streets whose solutions are kept: at most a megabyte each."""


class SearchView(NamedTuple):
    """Where a hand is in the strategy's tree, the player's position, and the hand's way there."""

    node: int
    position: int
    steps: tuple[Step, ...] = ()


class SearchStrategy(NoLimitStrategy):
    """A strategy as the bot ``nolimit+search`` plays it. Solves a turn in about two seconds of CPU time."""

    def __init__(self, policy: NoLimitPolicy, game: Game, parameters: SearchParameters | None = None) -> None:
        super().__init__(policy, game)
        self._search = Search(parameters or SearchParameters(), kept=_KEPT)

    def start(self, position: int) -> Any:
        """Return the root."""
        return SearchView(0, position)

    def after(self, view: Any, betting: Betting, action: Action) -> list[tuple[float, Any]]:
        """Return the nodes that the action may be taken to lead to, with the way there."""
        node, position, steps = view
        found = super().after((node, position), betting, action)
        tree = self._policy.tree
        return [
            (
                chance,
                view
                if child == node
                else SearchView(child, position, (*steps, Step(node, int(tree.action[child])))),
            )
            for chance, (child, _) in found
        ]

    def answers(self, view: Any, betting: Betting, board: Sequence[int]) -> Answers:
        """Return the actions of the bot with their probabilities."""
        node, position, steps = view
        if betting.street < self._search.first:
            return super().answers((node, position), betting, board)
        actions = tuple((street, action) for street, _, action in betting.history)
        spot = Spot(
            self.game, tuple(betting.stacks), actions, tuple(board), position, betting.street, steps, node
        )
        found = self._search.chances(self._policy, spot)
        return Answers([action for action, _ in found], np.stack([row for _, row in found], axis=1))
