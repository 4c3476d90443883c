"""The chances with which an action was drawn, as its player tells them: whether they can be true."""

from __future__ import annotations

from typing import Final

from dealer.rules.actions import Action, parse_action
from dealer.rules.betting import Betting
from dealer.rules.errors import ActionError
from dealer.rules.events import Policy

#: The most actions that a policy may have.
MAX_CHOICES: Final = 16
_TOLERANCE: Final = 1e-6


def policy_problem(betting: Betting, taken: Action, policy: Policy) -> str:
    """Return what is wrong with the ``policy`` of the action ``taken``, for people; empty if nothing is.

    It has 1 to ``MAX_CHOICES`` different legal actions, the one taken among them; each has a probability
    above 0, and these sum to 1.
    """
    if not 1 <= len(policy) <= MAX_CHOICES:
        return f"a policy has 1 to {MAX_CHOICES} actions, not {len(policy)}"
    chances = dict(policy)
    if len(chances) < len(policy):
        return "a policy has every action once"
    if not all(0 < chance <= 1 for chance in chances.values()):
        return "every action of a policy has a probability above 0, at most 1"
    if not abs(sum(chances.values()) - 1) <= _TOLERANCE:
        return f"the probabilities of a policy sum to 1, not to {sum(chances.values()):g}"
    if taken.text() not in chances:
        return f"the policy lacks the action taken, {taken.text()}"
    for text in chances:
        try:
            legal = betting.can(parse_action(text))
        except ActionError as error:
            return str(error)
        if not legal:
            return f"the policy has {text}, which is not legal now"
    return ""
