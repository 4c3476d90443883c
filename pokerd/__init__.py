"""pokerd: a poker dealer for programs and people. ``from pokerd import Bot, run`` is all a bot needs."""

from clients.sdk.bot import Bot, run
from clients.sdk.turn import Hand, Match, Turn
from dealer.rules.actions import Action

__all__ = ["Action", "Bot", "Hand", "Match", "Turn", "run"]
