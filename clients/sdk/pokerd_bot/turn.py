"""The decision that a bot has to take."""

from __future__ import annotations

import time
from operator import index

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import load_game
from pokerd_bot.hand import Hand, Match
from protocol import messages

__all__ = ["Turn"]


class Turn:
    """A decision to take. ``to_call`` is the price; ``pot`` all chips in the middle, the bets of this street
    included; ``min_raise`` and ``max_raise`` are what may be raised *to* on this street, None when no raise
    is allowed. ``message`` is the server's message.
    """

    __slots__ = (
        "can_fold",
        "hand",
        "match",
        "max_raise",
        "message",
        "min_raise",
        "pot",
        "received",
        "to_call",
    )

    def __init__(self, match: Match, hand: Hand, message: messages.YourTurn, received: float = 0.0) -> None:
        self.match = match
        self.hand = hand
        self.message = message
        #: By ``time.monotonic``.
        self.received = received
        self.can_fold = message.fold
        self.to_call = message.call
        self.pot = message.pot
        bounds = message.raise_to
        self.min_raise = None if bounds is None else bounds[0]
        self.max_raise = None if bounds is None else bounds[1]

    def time_left(self, *, bank: bool = True) -> float:
        """Seconds until the table acts in your place; without ``bank``, until your time bank is drawn on.
        Below 0 when that has happened.
        """
        allowed = self.message.time_ms + (self.message.bank_ms if bank else 0)
        return allowed / 1000 - (time.monotonic() - self.received)

    @property
    def pot_odds(self) -> float:
        """The share of the pot after a call that the call pays, from 0 (a check) to 1: to call pays off when
        you win more often than this.
        """
        return self.to_call / (self.pot + self.to_call) if self.to_call else 0.0

    @property
    def position(self) -> str:
        """Your position, as in ``BTN``; see ``Hand.position_name``."""
        return self.hand.position_name(self.match.seat)

    def legal_actions(self) -> tuple[Action, ...]:
        """A fold where there is something to call, the call (or check), the smallest raise and the largest.
        Any raise between these two is legal, too, but in limit games, where they are the same and stand here
        once. ``Action.text`` gives ``f``, ``c`` and ``r300``, and ``parse_action`` is the way back.
        """
        fold = (FOLD,) if self.can_fold else ()
        if self.min_raise is None or self.max_raise is None:
            return (*fold, CALL)
        least, most = raise_to(self.min_raise), raise_to(self.max_raise)
        return (*fold, CALL, least) if least == most else (*fold, CALL, least, most)

    def is_legal(self, action: Action) -> bool:
        """Whether the server will take it."""
        if action.kind == "raise":
            return self.min_raise is not None and self.min_raise <= action.to <= (self.max_raise or 0)
        return action == CALL or (action == FOLD and self.can_fold)

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

    def raise_pot(self, fraction: float = 1.0) -> Action:
        """Raise by ``fraction`` of the pot as it is after a call: 1.0 is a pot-sized raise. Too small or too
        large a raise becomes the smallest or the largest; it is a call when no raise is allowed.
        """
        if self.min_raise is None or self.max_raise is None:
            return CALL
        called = self.hand.me.bet + self.to_call
        amount = called + round(fraction * (self.pot + self.to_call))
        return raise_to(min(max(amount, self.min_raise), self.max_raise))

    def all_in(self) -> Action:
        """The largest raise, which is all chips in no-limit games; a call when no raise is allowed."""
        return CALL if self.max_raise is None else raise_to(self.max_raise)

    def text(self) -> str:
        """The situation in one line, which ``pokerd_bot.testing.decide`` reads: for logs and tests."""
        hand, start = self.hand, self.hand.start
        streets = [""] * (hand.street + 1)
        for street, action in hand.actions:
            streets[street] += f"r{action.to}" if action.action == "raise" else action.action[0]
        return (
            f"hand={hand.number} seat={self.match.seat} seats={','.join(map(str, hand.seats))} "
            f"button={hand.button} stacks={','.join(map(str, start.stacks))} hole={''.join(hand.hole)} "
            f"board={''.join(hand.board)} actions={'/'.join(streets)} game={self._game_text()}"
        )

    def _game_text(self) -> str:
        """Its name, and its definition unless it is one of those that come with pokerd."""
        game = self.match.game
        try:
            if load_game(game.name) == game:
                return game.name
        except ValueError:
            pass
        return f"{game.name} {game.text().strip().replace(chr(10), ';')}"
