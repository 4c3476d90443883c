"""The bot ``cfr``: plays the heads-up limit hold'em blueprint."""

from __future__ import annotations

from random import Random

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game
from strategy.blueprint.blueprint import GAME, Blueprint
from strategy.blueprint.parameters import BlueprintParameters
from strategy.cfr.tree import TreeError, find_node
from strategy.checks import require_holdem, verify_situation
from strategy.declared import Chances, chances_of
from strategy.mapping_bots.bots import OwnBot
from strategy.situation import Situation


class CfrBot:
    """Plays the blueprint at heads-up limit tables; at others, and where the blueprint's betting does not
    apply, ``ownbot``.

    It does not apply in heads-up limit games whose blinds and bets have other proportions or numbers than the
    blueprint's. Raises UnplayableGame for games other than hold'em.
    """

    def __init__(
        self,
        seed: int,
        game: Game,
        parameters: BlueprintParameters | None = None,
        *,
        blueprint: Blueprint | None = None,
    ) -> None:
        require_holdem("cfr", game)
        self._holds = game.players > 2 or _is_blueprint_game(game)
        self._seed = seed
        self.chances: Chances = {}
        self._blueprint = (parameters or BlueprintParameters()).load() if blueprint is None else blueprint
        self._others = OwnBot(seed, game, policy=self._blueprint)

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise at random, with the probabilities of the average strategy. Raises
        SituationError.
        """
        verify_situation(situation)
        node = self.node(situation)
        if node is None:
            action = self._others.decide(situation)
            self.chances = self._others.chances
            return action
        fold, _, raise_ = self._blueprint.policy(node, situation.hole, situation.board)
        kinds = [step.kind for step in situation.history]
        drawn = Random(
            f"cfr {self._seed} {situation.hand} {situation.hole} {situation.board} {kinds}"
        ).random()
        least = situation.legal.min_raise
        may_fold = situation.legal.fold
        self.chances = chances_of(
            fold if may_fold else 0.0,
            1 - raise_ - (fold if may_fold else 0.0),
            raise_,
            CALL if least is None else raise_to(least),
        )
        if drawn < fold and may_fold:
            return FOLD
        # A short stack may be unable to raise where the blueprint can.
        return raise_to(least) if drawn >= 1 - raise_ and least is not None else CALL

    def node(self, situation: Situation) -> int | None:
        """Return the blueprint's decision for this situation; None if it has none."""
        if not self._holds or situation.players != 2 or not situation.game.limit:
            return None
        tree = self._blueprint.tree
        try:
            node = find_node(tree, (step.kind[0] for step in situation.history))
        except TreeError:
            return None
        # Heads-up the player in position 1 has the button.
        fits = tree.player[node] == situation.position and tree.street[node] == situation.street
        return node if fits else None


def _is_blueprint_game(game: Game) -> bool:
    """Return whether a heads-up game is the blueprint's in other chips."""
    big = max(1, *game.blinds)
    ours = max(GAME.blinds)
    return (
        [blind * ours for blind in game.blinds] == [blind * big for blind in GAME.blinds]
        and [size * ours for size in game.raise_sizes] == [size * big for size in GAME.raise_sizes]
        and game.max_raises == GAME.max_raises
        and game.first_player == GAME.first_player
        and game.ante == 0
    )
