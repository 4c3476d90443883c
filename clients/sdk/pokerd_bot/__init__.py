"""The pokerd SDK: subclass ``Bot``, implement ``act``, call ``run``.

Reading order: ``bot`` (the methods to override), ``turn`` and ``hand`` (what a bot knows), ``odds``;
``running`` and ``client`` (a bot as a program), ``net`` (its connection); ``testing`` (bots without a
server).
"""

from pokerd_bot import shared  # noqa: F401 (first: it makes sure of the packages that the others import)

# isort: split
from dealer.rules.actions import Action, parse_action
from pokerd_bot.bot import Bot
from pokerd_bot.hand import Hand, Match, PlayerState, Pot
from pokerd_bot.odds import equity, hand_name, hand_rank
from pokerd_bot.running import run
from pokerd_bot.turn import DrawnAction, Turn
from protocol import messages

__all__ = [
    "Action",
    "Bot",
    "DrawnAction",
    "Hand",
    "Match",
    "PlayerState",
    "Pot",
    "Turn",
    "equity",
    "hand_name",
    "hand_rank",
    "messages",
    "parse_action",
    "run",
]
