"""The bot ``cfr+river``: the blueprint up to the river, which is solved at the table."""

from __future__ import annotations

from collections.abc import Sequence

from dealer.rules.games import Game
from strategy.blueprint.blueprint import Blueprint
from strategy.blueprint.endgame import Floats
from strategy.blueprint.river import RIVER, blueprint_rows, resolve
from strategy.blueprint_bots.bot import CfrBot
from strategy.blueprint_bots.parameters import RiverParameters
from strategy.poker.combos import combo_index


class RiverBlueprint(Blueprint):
    """A blueprint whose ``policy`` on the river is solved on demand."""

    def __init__(self, blueprint: Blueprint, parameters: RiverParameters) -> None:
        vars(self).update(vars(blueprint))
        self._plain = blueprint
        self._parameters = parameters

    def policy(self, node: int, hole: Sequence[int], board: Sequence[int]) -> tuple[float, float, float]:
        """Return the probabilities of fold, call and raise; see ``Blueprint.policy``."""
        if self.tree.street[node] < RIVER:
            return super().policy(node, hole, board)
        first, second = hole
        fold, call, raise_ = self.rows(node, board)[combo_index(first, second)].tolist()
        return fold, call, raise_

    def rows(self, node: int, board: Sequence[int]) -> Floats:
        """Return the probabilities of fold, call and raise with every hand: float64[1326, 3], 0 for blocked
        hands.
        """
        if self.tree.street[node] < RIVER:
            return blueprint_rows(self._plain, node, board)
        player, parameters = int(self.tree.player[node]), self._parameters
        found = resolve(
            self._plain, node, board, player, iterations=parameters.iterations, safe=parameters.safe
        )
        return found.rows(node)


class RiverBot(CfrBot):
    """``cfr`` with a solved river (``strategy.blueprint.river``).

    It iterates until the solution is accurate enough, independent of time, so that it plays the same
    everywhere. Raises UnplayableGame as ``cfr`` does.
    """

    def __init__(
        self,
        seed: int,
        game: Game,
        parameters: RiverParameters | None = None,
        *,
        blueprint: Blueprint | None = None,
    ) -> None:
        self.parameters = RiverParameters() if parameters is None else parameters
        known = self.parameters.load() if blueprint is None else blueprint
        super().__init__(seed, game, blueprint=RiverBlueprint(known, self.parameters))
