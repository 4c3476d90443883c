"""A decision to make, and the actions to choose from."""

from __future__ import annotations

import time
from collections.abc import Mapping
from operator import index
from typing import NamedTuple

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import load_game
from pokerd_bot.hand import Hand, Match
from protocol import messages


class DrawnAction(NamedTuple):
    """An action and the ``policy`` it was drawn from: action, total of a raise, and probability of each."""

    kind: str
    to: int
    policy: tuple[tuple[str, int, float], ...]


class Turn:
    """A decision to make.

    ``to_call`` is the price of a call. ``pot`` is all chips in the middle, including bets on this street.
    ``min_raise`` and ``max_raise`` are the totals on this street that you may raise *to*, or None if you may
    not raise. ``message`` is the server's message.
    """

    __slots__ = (
        "can_fold", "hand", "match", "max_raise", "message", "min_raise", "pot", "received", "to_call",
    )  # fmt: skip

    def __init__(self, match: Match, hand: Hand, message: messages.YourTurn, received: float) -> None:
        self.match = match
        self.hand = hand
        self.message = message
        #: When the turn arrived, by ``time.monotonic``.
        self.received = received
        self.can_fold = message.fold
        self.to_call = message.call
        self.pot = message.pot
        bounds = message.raise_to
        self.min_raise = None if bounds is None else bounds[0]
        self.max_raise = None if bounds is None else bounds[1]

    def time_left(self, *, bank: bool = True) -> float:
        """Return the seconds until the table acts for you, or without ``bank``, until your time bank starts
        to run down. Negative once that has happened.
        """
        allowed = self.message.time_ms + (self.message.bank_ms if bank else 0)
        return allowed / 1000 - (time.monotonic() - self.received)

    @property
    def pot_odds(self) -> float:
        """The price of a call as a share of the pot after it, from 0 (a check) to 1. Calling is profitable if
        you win more often than this.
        """
        return self.to_call / (self.pot + self.to_call) if self.to_call else 0.0

    @property
    def position(self) -> str:
        """Your position, such as ``BTN``; see ``Hand.position_name``."""
        return self.hand.position_name(self.match.seat)

    def legal_actions(self) -> tuple[Action, ...]:
        """Return the fold (if there is a bet to fold to), the call or check, the smallest raise and the
        largest.

        Any raise in between is legal, too. In limit games the two are the same and listed once.
        ``Action.text`` gives ``f``, ``c`` or ``r300``; ``parse_action`` reads it back.
        """
        fold = (FOLD,) if self.can_fold else ()
        if self.min_raise is None or self.max_raise is None:
            return (*fold, CALL)
        least, most = raise_to(self.min_raise), raise_to(self.max_raise)
        return (*fold, CALL, least) if least == most else (*fold, CALL, least, most)

    def is_legal(self, action: Action) -> bool:
        """Return whether the server would accept ``action``."""
        if action.kind == "raise":
            return self.min_raise is not None and self.min_raise <= action.to <= (self.max_raise or 0)
        return action == CALL or (action == FOLD and self.can_fold)

    def fold(self) -> Action:
        """Fold; only legal when there is a bet to fold to."""
        return FOLD

    def call(self) -> Action:
        """Call, or check when there is nothing to call."""
        return CALL

    def check_or_fold(self) -> Action:
        """Check if that is free, otherwise fold."""
        return FOLD if self.can_fold else CALL

    def raise_to(self, amount: int) -> Action:
        """Raise to a total of ``amount`` on this street, from ``min_raise`` to ``max_raise``.

        Raises ``TypeError`` unless ``amount`` is an integer (``int``, or a numpy integer).
        """
        try:
            return raise_to(index(amount))
        except TypeError:
            raise TypeError(
                f"raise_to({amount!r}): chips are whole numbers; write raise_to(int(...)) to round down"
            ) from None

    def raise_min(self) -> Action:
        """Make the smallest raise; call if no raise is allowed."""
        return CALL if self.min_raise is None else raise_to(self.min_raise)

    def raise_pot(self, fraction: float = 1.0) -> Action:
        """Raise by ``fraction`` of the pot after a call: 1.0 is a pot-sized raise.

        The amount is clamped to the legal range. If no raise is allowed, call.
        """
        if self.min_raise is None or self.max_raise is None:
            return CALL
        called = self.hand.me.bet + self.to_call
        amount = called + round(fraction * (self.pot + self.to_call))
        return raise_to(min(max(amount, self.min_raise), self.max_raise))

    def all_in(self) -> Action:
        """Make the largest raise, in no-limit games all chips; call if no raise is allowed."""
        return CALL if self.max_raise is None else raise_to(self.max_raise)

    def declare(self, action: Action, chances: Mapping[Action, float]) -> DrawnAction:
        """Return ``action`` with the probabilities with which you drew it: return that from ``act``.

        The host takes the luck of your dice out of your result; nobody else is told. The probabilities sum to
        1, ``action`` is one of up to 16. They must be those that you draw with: the host compares them with
        what you play.
        """
        policy = [(one.kind, one.to, float(chance)) for one, chance in chances.items() if chance > 0]
        return DrawnAction(action.kind, action.to, tuple(policy))

    def text(self) -> str:
        """Describe the situation in one line, for logs and tests; ``pokerd_bot.testing.decide`` reads it."""
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
        """Return the game's name, followed by its definition unless the game comes with pokerd."""
        game = self.match.game
        try:
            if load_game(game.name) == game:
                return game.name
        except ValueError:
            pass
        return f"{game.name} {game.text().strip().replace(chr(10), ';')}"
