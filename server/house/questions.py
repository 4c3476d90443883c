"""Questions to a house bot: what would it do after these events of a hand?

For every question it gets what it would have been told at a table: all that it knows is what a player knows,
and it remembers nothing from question to question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dealer.rules.actions import Action
from dealer.rules.betting import Betting
from dealer.rules.events import Acted, Event, start_of
from dealer.rules.games import Game
from protocol.base import Choice
from protocol.event_messages import game_info, turn_message
from protocol.messages import Act, MatchStart, ServerMessage
from server import view
from server.net.connection import Connection
from server.tables.player import Player
from server.telemetry.incidents import Incident

#: Seconds that it is told to have: nobody waits for it.
QUESTION_TIME: Final = 60.0


class Questions:
    """A seat of a house bot at no table, where it is asked. It is asked again when its connection was lost;
    if its process ends, the questions are dropped. ``on_error`` is told of internal errors.
    """

    def __init__(
        self,
        player: Player,
        name: str,
        on_answer: Callable[[Act], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        self._on_answer = on_answer
        self._on_error = on_error
        self._player = player
        self._name = name
        self._open: list[ServerMessage] = []
        self.sit_down()

    def sit_down(self) -> None:
        """Take the seat, which the bot's process lasts for."""
        self._player.seats[self._name] = (self, 0)

    def _ask(self, questions: list[ServerMessage]) -> None:
        self._open = questions
        if self._player.connection is not None:
            self._send(self._player.connection)

    def _send(self, connection: Connection) -> None:
        connection.send_encoded([connection.codec.encode(message) for message in self._open], urgent=True)

    def _ask_once(self, number: int, match: MatchStart, betting: Betting, events: Sequence[Event]) -> None:
        """Ask what it would do after these events of a hand."""
        told = view.hand_messages(events, self._name, 0, match.seat)
        asked = turn_message(self._name, number, betting.legal(), betting.pot, QUESTION_TIME, 0.0)
        self._ask([match, *told, asked])

    def _start(self, seat: int, names: Sequence[str], game: Game, mode: str, hand: int) -> MatchStart:
        return MatchStart(
            table=self._name,
            match=self._name,
            seat=seat,
            players=list(names),
            game=game_info(game),
            hands=0,
            reset=True,
            seed=0,
            mode=mode,
            time_ms=int(QUESTION_TIME * 1000),
            bank_ms=0,
            hand=hand,
        )

    def drop(self) -> None:
        """Wait for no answer any more."""
        self._open = []

    def close(self) -> None:
        """Leave the bot, whose process ends when nobody needs it."""
        self._player.seats.pop(self._name, None)
        self.drop()

    # A table, from the point of view of the bot.

    def act(self, seat: int, message: Act, now: float) -> None:
        """Take an answer."""
        self._on_answer(message)

    def attach(self, seat: int, connection: Connection) -> None:
        """Ask what is open: the bot has connected."""
        if self._open:
            self._send(connection)

    def give_up_seat(self, seat: int) -> None:
        """Drop the questions: the bot's process has ended, or could not be started."""
        self.drop()

    def unseat(self, seat: int) -> None:
        """Drop the questions: the server stops."""
        self.close()

    def leave(self, seat: int) -> None:
        """Drop the questions."""
        self.drop()

    def fail(self, error: Exception) -> None:
        """Tell of an internal error."""
        self._on_error(error)

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


def chances_of(message: Act) -> list[Choice]:
    """Return what the bot would do; it is certain where it tells no chances."""
    return list(message.policy) or [(message.action, message.to, 1.0)]


def betting_after(game: Game, events: Sequence[Event]) -> Betting:
    """Return the betting after these events of a hand."""
    betting = Betting(game, start_of(events).stacks)
    for event in events:
        if isinstance(event, Acted):
            betting.act(Action("raise", event.to) if event.action == "raise" else Action(event.action))
    return betting
