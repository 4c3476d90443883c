"""What the author of a bot overrides."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Final

from dealer.rules.actions import Action
from pokerd_bot.hand import Hand, Match
from pokerd_bot.turn import Turn
from protocol import messages

__all__ = ["HOOKS", "LOG", "Bot", "describe_method", "verify_hooks"]

LOG: Final = logging.getLogger("pokerd_bot")
#: Methods whose answer nobody needs.
HOOKS: Final = ("prepare", "hand_started", "board_dealt", "acted", "hand_ended", "match_ended")


class Bot:
    """A player at one table, for one match. Override ``act``; the other methods only if you need them.

    Each table has a ``Bot`` object of its own, made anew at every match that asks for a memory reset: what a
    bot keeps in ``self`` it forgets when it must. All methods of an object are called one after the other.

    ``act`` may be ``def`` or ``async def``. A ``def`` runs in a thread of its table, so that other tables do
    not wait while it thinks. With ``threaded = False`` it runs in the event loop's thread: that is faster,
    and right for bots that answer in well under a millisecond. Where ``act`` is ``async def``, everything
    runs in the event loop, and the other methods may be ``async def``, too.
    """

    threaded: ClassVar[bool] = True

    def __init__(self, match: Match) -> None:
        self.match = match

    def prepare(self) -> Awaitable[None] | None:
        """Called before the bot says that it is ready, when no clock runs yet: load what takes long here."""

    def act(self, turn: Turn) -> Action | Awaitable[Action]:
        """Your decision."""
        return turn.check_or_fold()

    def hand_started(self, hand: Hand) -> Awaitable[None] | None:
        """A new hand was dealt."""

    def board_dealt(self, hand: Hand, board: messages.Board) -> Awaitable[None] | None:
        """New board cards (``hand.board`` has them already)."""

    def acted(self, hand: Hand, action: messages.PlayerActed) -> Awaitable[None] | None:
        """Somebody acted (you too)."""

    def hand_ended(
        self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd
    ) -> Awaitable[None] | None:
        """The hand is over; ``shown`` holds the cards of a showdown."""

    def match_ended(self, end: messages.MatchEnd) -> Awaitable[None] | None:
        """The match is over: ``end.net`` is what every seat has won."""

    def refused(self, turn: Turn, error: messages.Error) -> Action | Awaitable[Action]:
        """The server refused what ``act`` returned; the clock still runs. By default: check, else fold."""
        LOG.warning("refused (%s): %s", error.code, error.message)
        return turn.check_or_fold()


def verify_hooks(bot: Bot) -> bool:
    """Whether ``bot`` is asynchronous. Raises ``TypeError``, which names method and line, for a coroutine
    that nobody would wait for.
    """
    if inspect.iscoroutinefunction(bot.act):
        return True
    for name in (*HOOKS, "refused"):
        method = getattr(bot, name)
        if inspect.iscoroutinefunction(method):
            raise TypeError(f"{describe_method(method)} is a coroutine: write def, or async def act, too")
    return False


def describe_method(method: Callable[..., Any]) -> str:
    """A method of a bot, and where it stands."""
    code = getattr(method, "__code__", None)
    place = f" ({code.co_filename}, line {code.co_firstlineno})" if code is not None else ""
    return f"{getattr(method, '__qualname__', method)}{place}"
