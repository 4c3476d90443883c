"""A bot at one table: passes the server's messages to the bot and turns its decisions into messages."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from pokerd_bot.bot import LOG, Bot, describe_method
from pokerd_bot.hand import Hand, Match
from pokerd_bot.turn import Turn
from protocol import messages

_ACTION_KINDS: Final = ("fold", "check", "call", "raise")
#: Value of ``TableSeat.open_turn`` when no turn is open.
NO_TURN: Final = -1


class TableSeat:
    """One table's bot, its current hand, the open turn, and the results so far.

    ``handle`` takes a message and returns the answer. It and the methods below it run in the bot's own thread
    or task; ``mark_seen``, ``open_turn`` and ``started`` belong to the connection.
    """

    __slots__ = (
        "act", "bot", "hand", "hands", "match", "next_report", "open_turn", "prepared", "returning",
        "seat", "seq", "shown", "started", "turn", "won",
    )  # fmt: skip

    def __init__(self, match: Match, bot: Bot) -> None:
        self.match = match
        self.bot = bot
        self.seat = match.seat
        self.hand: Hand | None = None
        self.shown: messages.Showdown | None = None
        self.turn: Turn | None = None
        self.returning = False
        #: Whether this connection has had the table's state, which a reconnection begins with.
        self.started = True
        #: Whether the bot is ready to play.
        self.prepared = False
        #: The latest answer of a bot that runs in a thread or task.
        self.act: messages.Act | None = None
        #: The turn that the server is waiting for.
        self.open_turn = NO_TURN
        #: Number of the last event; after a reconnect the server repeats the hand in progress.
        self.seq = -1
        self.hands = 0
        self.won: float | int = 0
        self.next_report = 1

    def mark_seen(self, seq: int) -> bool:
        """Record this event as seen; return whether it had not been seen before."""
        if seq <= self.seq:
            return False
        self.seq = seq
        return True

    def handle(self, message: Any, received: float) -> messages.ClientMessage | None:
        """Pass a message to the bot and return its answer.

        Raises whatever the bot raises, and ``TypeError`` if it returns something other than an action.
        """
        call = _CALLS.get(type(message))
        if call is None:
            return None
        return self._answer(message, call(self, message, received))

    async def handle_async(self, message: Any, received: float) -> messages.ClientMessage | None:
        """Like ``handle``, for a bot whose methods may be coroutines."""
        call = _CALLS.get(type(message))
        if call is None:
            return None
        result = call(self, message, received)
        if inspect.isawaitable(result):
            result = await result
        return self._answer(message, result)

    def _answer(self, message: Any, result: object) -> messages.ClientMessage | None:
        kind = type(message)
        if kind is messages.YourTurn or kind is messages.Error:
            if self.turn is None or self.turn.message.turn != message.turn:
                return None
            hook = self.bot.act if kind is messages.YourTurn else self.bot.refused
            return _act_message(self.turn, result, hook)
        if kind is messages.MatchStart:
            self.prepared = True
            return messages.Ready(message.table)
        if kind is messages.PlayerActed and self._is_back(message):
            self.returning = True
            return messages.SitIn(message.table)
        return None

    def _is_back(self, message: messages.PlayerActed) -> bool:
        """Return whether the table treats us as absent and we have not yet announced our return."""
        return message.forced == "absent" and message.seat == self.seat and not self.returning

    def _on_match_start(self, message: messages.MatchStart, received: float) -> object:
        return self.bot.prepare()

    def _on_turn(self, message: messages.YourTurn, received: float) -> object:
        if self.hand is None or self.open_turn != message.turn:
            self.turn = None
            return None
        self.returning = False
        self.turn = Turn(self.match, self.hand, message, received)
        return self.bot.act(self.turn)

    def _on_acted(self, message: messages.PlayerActed, received: float) -> object:
        hand = self.hand
        if hand is None:
            return None
        hand.actions.append((hand.street, message))
        return self.bot.acted(hand, message)

    def _on_board(self, message: messages.Board, received: float) -> object:
        hand = self.hand
        if hand is None:
            return None
        hand.board += message.cards
        hand.street = message.street
        return self.bot.board_dealt(hand, message)

    def _on_hand_start(self, message: messages.HandStart, received: float) -> object:
        self.hand = Hand(self.match, message)
        self.shown = self.turn = None
        return self.bot.hand_started(self.hand)

    def _on_shown(self, message: messages.Showdown, received: float) -> None:
        self.shown = message

    def _on_hand_end(self, message: messages.HandEnd, received: float) -> object:
        hand = self.hand
        if hand is None:
            return None
        self.turn = None
        self._add_result(hand, message)
        return self.bot.hand_ended(hand, self.shown, message)

    def _add_result(self, hand: Hand, end: messages.HandEnd) -> None:
        """Add a hand's result, unless the player was not dealt in; log the 1st, 10th, 100th, ... hand."""
        if self.seat in hand.seats:
            self.hands += 1
            self.won += end.net[hand.seats.index(self.seat)]
            if self.hands == self.next_report:
                self.next_report *= 10
                hands = "1 hand" if self.hands == 1 else f"{self.hands:,} hands"
                LOG.info("%s: %s, %s chips", end.table, hands, f"{self.won:+,.0f}")

    def _on_players(self, message: messages.PlayerList, received: float) -> None:
        self.match.players = message.players

    def _on_match_end(self, message: messages.MatchEnd, received: float) -> object:
        chips = f"{self.won:+,.0f}"
        LOG.info("%s: %s after %s hands, %s chips", message.table, message.reason, self.hands, chips)
        return self.bot.match_ended(message)

    def _on_error(self, message: messages.Error, received: float) -> object:
        if self.turn is None or self.turn.message.turn != message.turn:
            return None
        LOG.debug("refused in %s", self.turn.text())
        return self.bot.refused(self.turn, message)


def _act_message(turn: Turn, action: Any, decide: Callable[..., object]) -> messages.Act:
    """Return the message for ``action``, which the bot's method ``decide`` returned.

    Raises ``TypeError``, naming the method and its line, if it is not an action.
    """
    message = turn.message
    kind, to = getattr(action, "kind", None), getattr(action, "to", None)
    if kind in _ACTION_KINDS and type(to) is int:
        policy = getattr(action, "policy", ())
        return messages.Act(message.table, message.turn, kind, to, policy or ())
    if inspect.iscoroutine(action):
        action.close()
        what = "is a coroutine: write async def, or return what await gives"
    else:
        what = f"returned {action!r}: return turn.fold(), turn.call() or turn.raise_to(amount)"
    raise TypeError(f"{describe_method(decide)} {what}")


# ruff: noqa: SLF001 (compiled classes have no table of their own methods)
#: What each message does.
_CALLS: Final[dict[type[messages.ServerMessage], Callable[[TableSeat, Any, float], object]]] = {
    messages.YourTurn: TableSeat._on_turn,
    messages.PlayerActed: TableSeat._on_acted,
    messages.Board: TableSeat._on_board,
    messages.HandStart: TableSeat._on_hand_start,
    messages.Showdown: TableSeat._on_shown,
    messages.HandEnd: TableSeat._on_hand_end,
    messages.MatchStart: TableSeat._on_match_start,
    messages.MatchEnd: TableSeat._on_match_end,
    messages.PlayerList: TableSeat._on_players,
    messages.Error: TableSeat._on_error,
}
