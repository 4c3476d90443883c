"""A bot that plays what a learner has saved: any policy that ``pokerd evaluate`` plays.

    python clients/examples/learned_bot.py clients/examples/net_policy.py:policy ppo.npz --url ws://127.0.0.1:8000

The file is for the policies of ``learn_ppo.py`` and ``learn_cfr.py``, which read it at their first decision;
options of the SDK follow.
"""

import os
import sys
from functools import partial

import numpy as np

from clients.examples.learner import LEARNED
from pokerd.env.evaluation import Policy, load_policy
from pokerd_bot import Action, Bot, Match, Turn, run
from strategy.batch.view import Viewer
from strategy.situation import parse_situation


class Learned(Bot):
    """Shows a policy what the environment would show it, and does what it says."""

    def __init__(self, policy: Policy, match: Match) -> None:
        super().__init__(match)
        self.policy, self.viewer = policy, Viewer(match.game)

    def act(self, turn: Turn) -> Action:
        decision = self.viewer.decision(parse_situation(turn.text()))
        (choice,) = self.policy(decision.seen[np.newaxis], decision.mask[np.newaxis])
        return decision.action(int(choice))


if __name__ == "__main__":
    policy, os.environ[LEARNED], *options = sys.argv[1:]
    raise SystemExit(run(partial(Learned, load_policy(policy)), label="learned", arguments=options))
