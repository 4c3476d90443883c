"""A bot that plays what a learner has saved: any policy that ``pokerd evaluate`` plays.

    cd clients/examples/learners
    python learned_bot.py net_policy.py:policy ppo.npz --url ws://127.0.0.1:8000

The file is what ``learn_ppo.py`` or ``learn_cfr.py`` has saved; options of the SDK follow. The bot plays
their game: for a policy of another game change ``GAME``.
"""

import os
import sys
from functools import partial

import numpy as np

from clients.examples.learners.learner import GAME, LEARNED
from dealer.rules.betting import Betting
from dealer.rules.games import load_game
from pokerd.env.evaluation import Policy, load_policy
from pokerd_bot import Action, Bot, Match, Turn, run
from strategy.batch.view import Viewer
from strategy.situation import Situation, parse_situation, situation_at


class Learned(Bot):
    """Shows a policy what the environment would show it, and does what it says."""

    def __init__(self, policy: Policy, match: Match) -> None:
        super().__init__(match)
        self.policy, self.viewer = policy, Viewer(match.game)

    def act(self, turn: Turn) -> Action:
        return decide(self.policy, self.viewer, parse_situation(turn.text()))


def decide(policy: Policy, viewer: Viewer, situation: Situation) -> Action:
    """Return what the policy does."""
    decision = viewer.decision(situation)
    (choice,) = policy(decision.seen[np.newaxis], decision.mask[np.newaxis])
    return decision.action(int(choice))


def main() -> int:
    """Play until the server lets the bot go."""
    name, os.environ[LEARNED], *options = sys.argv[1:]
    policy, game = load_policy(name), load_game(GAME)
    # The first decision reads the file and compiles: better now than while a clock runs.
    decide(policy, Viewer(game), situation_at(Betting(game), hole=(0, 1), board=()))
    return run(partial(Learned, policy), label="learned", arguments=options)


if __name__ == "__main__":
    raise SystemExit(main())
