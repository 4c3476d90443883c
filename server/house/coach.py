"""Who gives hints at practice tables: a house bot that has no seat there.

For every hint it gets what its match and hand would look like from the person's seat, and the open turn: all
that it knows is what the person knows, and it remembers nothing from hint to hint. Like every house bot it is
a process of its own; what it answers goes to the person alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dealer.rules.games import Game
from protocol.base import Choice
from protocol.event_messages import game_info, turn_message
from protocol.messages import Act, MatchStart, ServerMessage
from server import view
from server.net.connection import Connection
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.telemetry.incidents import Incident

#: The house bots that give hints: the strongest that was measured at full tables, and those whose strategies
#: are near an equilibrium heads-up.
FULL_TABLE: Final = "hbb6"
HEADS_UP_LIMIT: Final = "cfr"
HEADS_UP: Final = "nolimit"
ALL_IN_OR_FOLD: Final = "pushfold"
COACHES: Final = (FULL_TABLE, HEADS_UP_LIMIT, HEADS_UP, ALL_IN_OR_FOLD)
#: Seconds that it is told to have: nobody waits for it.
_TIME: Final = 60.0


def coach_for(game: Game) -> str:
    """Return the house bot that gives hints in a game."""
    if game.rules == "pushfold":
        return ALL_IN_OR_FOLD
    if game.players > 2:
        return FULL_TABLE
    return HEADS_UP_LIMIT if game.limit else HEADS_UP


class Coach:
    """The way to one house bot, for one table. It is asked one question at a time; an answer to an older one
    counts for nothing. While the table is open the bot runs: the way is its seat.
    """

    def __init__(self, table: OpenTable, player: Player, bot: str) -> None:
        self._table = table
        self._player = player
        self._bot = bot
        self._name = f"{table.facts.table}-coach-{bot}"
        self._number = 0
        #: The open question: the turn at the table, and the messages that ask it.
        self._turn = -1
        self._question: list[ServerMessage] = []
        player.seats[self._name] = (self, 0)

    def ask(self, seat: int, turn: int) -> None:
        """Ask what it would do in the open turn of ``seat``."""
        if self._turn == turn:
            return
        self._turn = turn
        self._number += 1
        self._question = self._messages(seat)
        if self._player.connection is not None:
            self._send(self._player.connection)

    def _messages(self, seat: int) -> list[ServerMessage]:
        """Return what a bot in that seat would have been told."""
        table = self._table.table
        hand = table.hand
        assert hand is not None
        betting = hand.betting
        start = MatchStart(
            table=self._name,
            match=self._name,
            seat=seat,
            players=list(self._table.facts.names),
            game=game_info(hand.game),
            hands=0,
            reset=True,
            seed=0,
            mode=table.table_format.mode,
            time_ms=int(_TIME * 1000),
            bank_ms=0,
            hand=hand.number,
        )
        events = view.hand_messages(self._table.progress.events, self._name, 0, seat)
        asked = turn_message(self._name, self._number, betting.legal(), betting.pot, _TIME, 0.0)
        return [start, *events, asked]

    def _send(self, connection: Connection) -> None:
        frame = [connection.codec.encode(message) for message in self._question]
        connection.send_encoded(frame, urgent=True)

    def close(self) -> None:
        """Leave the bot, whose process ends when nobody needs it."""
        self._player.seats.pop(self._name, None)
        self._drop()

    def _drop(self) -> None:
        self._turn, self._question = -1, []

    # A table, from the point of view of the bot.

    def act(self, seat: int, message: Act, now: float) -> None:
        """Take its answer."""
        if message.turn != self._number or self._turn < 0:
            return
        only: Choice = (message.action, message.to, 1.0)
        turn = self._turn
        self._drop()
        self._table.show_hint(turn, self._bot, list(message.policy) or [only])

    def attach(self, seat: int, connection: Connection) -> None:
        """Ask the open question: the bot has connected."""
        if self._question:
            self._send(connection)

    def give_up_seat(self, seat: int) -> None:
        """Drop the question: the bot's process has ended, or could not be started."""
        self._drop()

    def unseat(self, seat: int) -> None:
        """Drop the question: the server stops."""
        self.close()

    def leave(self, seat: int) -> None:
        """Drop the question."""
        self._drop()

    def fail(self, error: Exception) -> None:
        """Stop the table, as after any internal error there."""
        self._table.fail(error)

    def set_ready(self, seat: int) -> None:
        """Do nothing: nobody waits for it."""

    def sit_in(self, seat: int) -> None:
        """Do nothing: it is never absent."""

    def detach(self, connection: Connection) -> None:
        """Do nothing: it is asked again when it returns."""

    def count(self, seat: int, kind: Incident) -> None:
        """Do nothing: it plays no match."""

    def count_refusal(self, seat: int, code: str) -> None:
        """Do nothing: it plays no match."""


def coach_name(bot: str) -> str:
    """Return the name of the player that gives the hints of a house bot, to all tables."""
    return f"{bot}-coach"


class Coaches:
    """Who gives hints at one practice table: usually one house bot; another when so few are dealt in that it
    is another game. ``player_of`` returns the player of a name, ``start`` starts its process if necessary.
    """

    def __init__(
        self, table: OpenTable, player_of: Callable[[str], Player], start: Callable[[Player], None]
    ) -> None:
        self._table = table
        self._player_of = player_of
        self._start = start
        self._coaches: dict[str, Coach] = {}
        # So that it is there when somebody asks.
        self._coach(coach_for(table.table_format.game))

    def _coach(self, bot: str) -> Coach:
        if bot not in self._coaches:
            player = self._player_of(coach_name(bot))
            self._coaches[bot] = Coach(self._table, player, bot)
            self._start(player)
        return self._coaches[bot]

    def ask(self, seat: int, turn: int) -> None:
        """Ask for a hint in the open turn of ``seat``."""
        hand = self._table.table.hand
        assert hand is not None
        self._coach(coach_for(hand.game)).ask(seat, turn)

    def close(self) -> None:
        """Let the house bots go."""
        for coach in self._coaches.values():
            coach.close()
