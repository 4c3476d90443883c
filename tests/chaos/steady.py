"""A bot whose every answer follows from what it sees of the hand alone, so that it may be killed at any
moment and start again: ``python -m tests.chaos.steady --url URL --token TOKEN``.
"""

from __future__ import annotations

import hashlib

from pokerd_bot import Action, Bot, Turn, run


class Steady(Bot):
    """Draws among its actions by a digest of its name, the cards and the betting."""

    def act(self, turn: Turn) -> Action:
        """The same for the same hand, whenever it is asked."""
        hand = turn.hand
        name = turn.match.players[turn.match.seat]
        done = [(action.seat, action.action, action.to) for _, action in hand.actions]
        draw = hashlib.sha256(repr((name, hand.hole, hand.board, done)).encode()).digest()[0]
        if draw < 30:
            return turn.check_or_fold()
        return turn.call() if draw < 190 else turn.raise_min()


if __name__ == "__main__":
    raise SystemExit(run(Steady, tables=8))
