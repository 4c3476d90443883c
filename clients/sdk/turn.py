"""What a bot is told: the match, the hand, and the decision that it has to take."""

from __future__ import annotations

import random
from operator import index

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from protocol import messages

__all__ = ["Hand", "Match", "Turn"]


class Match:
    """What a bot is told at ``match_start``; ``info`` is the whole message. ``players`` are names by seat.
    ``rng`` is seeded so that reruns repeat.
    """

    __slots__ = ("info", "players", "rng", "seat", "table")

    def __init__(self, info: messages.MatchStart) -> None:
        self.info = info
        self.table = info.table
        self.seat = info.seat
        self.players = info.players
        self.rng = random.Random(info.seed)


class Hand:
    """One hand as its player sees it. ``seats`` and the lists in ``start`` run by position; cards are text
    ("Ah").
    """

    __slots__ = ("actions", "board", "hole", "number", "seats", "start", "street")

    def __init__(self, start: messages.HandStart) -> None:
        self.start = start
        self.number = start.hand
        self.seats = start.seats
        self.hole = start.hole
        self.board: list[str] = []
        self.street = 0
        self.actions: list[tuple[int, messages.PlayerActed]] = []


class Turn:
    """A decision to take. ``to_call`` is the price; ``min_raise`` and ``max_raise`` are raise-to bounds, None
    when none.
    """

    __slots__ = ("can_fold", "hand", "match", "max_raise", "message", "min_raise", "pot", "to_call")

    def __init__(self, match: Match, hand: Hand, message: messages.YourTurn) -> None:
        self.match = match
        self.hand = hand
        self.message = message
        self.can_fold = message.fold
        self.to_call = message.call
        self.pot = message.pot
        bounds = message.raise_to
        self.min_raise = None if bounds is None else bounds[0]
        self.max_raise = None if bounds is None else bounds[1]

    def fold(self) -> Action:
        """Give the hand up; only legal when there is something to call."""
        return FOLD

    def call(self) -> Action:
        """Pay what is to call; a check when it is nothing."""
        return CALL

    def check_or_fold(self) -> Action:
        """Check when that is free, else fold."""
        return FOLD if self.can_fold else CALL

    def raise_to(self, amount: int) -> Action:
        """Raise so that this street's bet is ``amount`` in all, between ``min_raise`` and ``max_raise``.

        Raises ``TypeError`` unless ``amount`` is a whole number: an ``int``, or an integer of numpy.
        """
        try:
            return raise_to(index(amount))
        except TypeError:
            raise TypeError(
                f"raise_to({amount!r}): chips are whole numbers; write raise_to(int(...)) to round down"
            ) from None

    def raise_min(self) -> Action:
        """The smallest raise, or a call when no raise is allowed."""
        return CALL if self.min_raise is None else raise_to(self.min_raise)
