"""The base class of all bots."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Final

from dealer.rules.actions import Action
from pokerd_bot.hand import Hand, Match
from pokerd_bot.turn import DrawnAction, Turn
from protocol import messages

LOG: Final = logging.getLogger("pokerd_bot")
#: Methods that return nothing.
HOOKS: Final = ("prepare", "hand_started", "board_dealt", "acted", "hand_ended", "match_ended")


class Bot:
    """A player at one table, for one match. Override ``act``; the other methods are optional.

    Each table has its own ``Bot`` object. A match that requires a memory reset gets a new one, so whatever a
    bot keeps in ``self`` is forgotten when it must be. The methods of one object never run concurrently.

    ``act`` may be ``def`` or ``async def``. A ``def`` runs in the table's own thread, so a slow decision does
    not delay other tables. ``threaded = False`` runs it in the event loop instead, which is faster and suits
    bots that decide in well under a millisecond. If ``act`` is ``async def``, all methods run in the event
    loop and any of them may be ``async def``.
    """

    threaded: ClassVar[bool] = True

    def __init__(self, match: Match) -> None:
        self.match = match

    def prepare(self) -> Awaitable[None] | None:
        """Called before the bot reports ready, while no clock runs: load models and tables here."""

    def act(self, turn: Turn) -> Action | DrawnAction | Awaitable[Action | DrawnAction]:
        """Return your decision, alone or with the chances of which you drew it (``turn.declare``)."""
        return turn.check_or_fold()

    def hand_started(self, hand: Hand) -> Awaitable[None] | None:
        """A new hand was dealt."""

    def board_dealt(self, hand: Hand, board: messages.Board) -> Awaitable[None] | None:
        """Board cards were dealt; ``hand.board`` already includes them."""

    def acted(self, hand: Hand, action: messages.PlayerActed) -> Awaitable[None] | None:
        """A player acted, possibly you."""

    def hand_ended(
        self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd
    ) -> Awaitable[None] | None:
        """The hand is over; ``shown`` is the showdown, or None if there was none."""

    def match_ended(self, end: messages.MatchEnd) -> Awaitable[None] | None:
        """The match is over; ``end.net`` is each seat's total."""

    def refused(self, turn: Turn, error: messages.Error) -> Action | Awaitable[Action]:
        """The server refused what ``act`` returned; return another action. The clock still runs.

        By default, check if possible, otherwise fold.
        """
        LOG.warning("refused (%s): %s", error.code, error.message)
        return turn.check_or_fold()


def verify_hooks(bot: Bot) -> bool:
    """Return whether ``bot`` is asynchronous.

    Raises ``TypeError``, naming method and line, if a method is a coroutine function although ``act`` is not:
    nobody would await it.
    """
    if inspect.iscoroutinefunction(bot.act):
        return True
    for name in (*HOOKS, "refused"):
        method = getattr(bot, name)
        if inspect.iscoroutinefunction(method):
            raise TypeError(f"{describe_method(method)} is a coroutine: write def, or async def act, too")
    return False


def describe_method(method: Callable[..., Any]) -> str:
    """Return a method's name with its file and line."""
    code = getattr(method, "__code__", None)
    place = f" ({code.co_filename}, line {code.co_firstlineno})" if code is not None else ""
    return f"{getattr(method, '__qualname__', method)}{place}"
