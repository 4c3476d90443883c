"""What a player may say, and what he is allowed to say."""

from __future__ import annotations

import re
from typing import NamedTuple

from dealer.rules.errors import ActionError

# Every raise makes one, in half the time that its own constructor takes.
_new = tuple.__new__

_RAISE = re.compile(r"r([1-9][0-9]{0,17})", re.ASCII)


class Action(NamedTuple):
    """One decision.

    ``kind`` is ``fold``, ``call`` (a check when there is nothing to call) or ``raise`` (a bet when nobody has
    bet). ``to`` belongs to a raise: the chips the player will have in front of him on this street, his blind
    included. A raise with ``to`` 0 is a raise of the fixed size, in limit games.
    """

    kind: str
    to: int = 0

    def text(self) -> str:
        """``f``, ``c``, ``r``, or ``r300``; ``parse_action`` is the way back."""
        return f"r{self.to}" if self.kind == "raise" and self.to else self.kind[0]


FOLD = Action("fold")
CALL = Action("call")
RAISE = Action("raise")
"""The raise of a limit game."""


def raise_to(amount: int) -> Action:
    """A raise (or bet) to ``amount`` chips on this street."""
    return _new(Action, ("raise", amount))


def parse_action(text: str) -> Action:
    """The action that ``text`` says: ``f``, ``c``, ``r``, or ``r`` and an amount without leading zeros.

    Raises ActionError ``unknown_action``, or ``bad_amount`` when the letter is right and the rest is not.
    """
    known = _FIXED.get(text)
    if known is not None:
        return known
    match = _RAISE.fullmatch(text)
    if match is None:
        code = "bad_amount" if text.startswith("r") else "unknown_action"
        raise ActionError(code, f"not an action: {text[:40]!r}")
    return Action("raise", int(match[1]))


_FIXED = {"f": FOLD, "c": CALL, "r": RAISE}
