"""Who helps at practice tables: a house bot that has no seat there.

It is asked what it would do in the person's place. For every question it gets what it would have been told
there: all that it knows is what the person knows, and it remembers nothing from question to question. Like
every house bot it is a process of its own; what it answers goes to the person alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from dealer.rules.actions import Action
from dealer.rules.betting import Betting
from dealer.rules.events import Acted, BoardDealt, Event, start_of
from dealer.rules.games import Game
from protocol.base import Choice
from protocol.event_messages import game_info, turn_message
from protocol.messages import Act, MatchStart, ServerMessage
from protocol.people import RangeDecision, Ranges
from server import view
from server.net.connection import Connection
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.telemetry.incidents import Incident

#: The house bots that help: the strongest that was measured at full tables, and those whose strategies are
#: near an equilibrium heads-up.
FULL_TABLE: Final = "hbb6"
HEADS_UP_LIMIT: Final = "cfr"
HEADS_UP: Final = "nolimit"
ALL_IN_OR_FOLD: Final = "pushfold"
COACHES: Final = (FULL_TABLE, HEADS_UP_LIMIT, HEADS_UP, ALL_IN_OR_FOLD)
#: A hand of each of the 169 kinds, row by row of the usual grid: suited ones above the diagonal.
_HANDS: Final = tuple(
    (4 * row + 3, 4 * column + (3 if column < row else 2)) if row != column else (4 * row + 3, 4 * row + 2)
    for row in range(12, -1, -1)
    for column in range(12, -1, -1)
)
#: Decisions of a hand that ranges are told of, and events before each: a hand can have hundreds.
_MOST_DECISIONS: Final = 6
_MOST_EVENTS: Final = 40
#: Messages in a frame; the SDK takes at most 1024.
_FRAME: Final = 1000
#: Seconds that it is told to have: nobody waits for it.
_TIME: Final = 60.0


def coach_for(game: Game) -> str:
    """Return the house bot that helps in a game."""
    if game.rules == "pushfold":
        return ALL_IN_OR_FOLD
    if game.players > 2:
        return FULL_TABLE
    return HEADS_UP_LIMIT if game.limit else HEADS_UP


def coach_name(bot: str) -> str:
    """Return the name of the player that asks a house bot, for all tables."""
    return f"{bot}-coach"


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
        parts = [connection.codec.encode(message) for message in self._open]
        for first in range(0, len(parts), _FRAME):
            connection.send_encoded(parts[first : first + _FRAME], urgent=True)

    def _ask_once(self, number: int, match: MatchStart, betting: Betting, events: Sequence[Event]) -> None:
        """Ask what it would do after these events of a hand."""
        told = view.hand_messages(events, self._name, 0, match.seat)
        asked = turn_message(self._name, number, betting.legal(), betting.pot, _TIME, 0.0)
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
            time_ms=int(_TIME * 1000),
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


class _Hints(Questions):
    """Asks for hints, one at a time; an answer to an older question counts for nothing."""

    def __init__(self, table: OpenTable, player: Player, bot: str) -> None:
        super().__init__(player, f"{table.facts.table}-hint-{bot}", self._take_hint, table.fail)
        self.table = table
        self._bot = bot
        self._number = 0
        #: The turn at the table.
        self._turn = -1

    def ask(self, seat: int, turn: int) -> None:
        """Ask what it would do in the open turn of ``seat``."""
        hand = self.table.table.hand
        if self._turn == turn or hand is None:
            return
        self._turn = turn
        self._number += 1
        names, mode = self.table.facts.names, self.table.table_format.mode
        start = self._start(seat, names, hand.game, mode, hand.number)
        self._ask_once(self._number, start, hand.betting, self.table.progress.events)

    def drop(self) -> None:
        super().drop()
        self._turn = -1

    def _take_hint(self, message: Act) -> None:
        if message.turn == self._number and self._turn >= 0:
            turn = self._turn
            self.drop()
            self.table.practice.show_hint(turn, self._bot, chances_of(message))


class _RangeStudy(Questions):
    """Asks what the bot would have done before the flop with every hand, for one hand of the table at a time,
    decision by decision: as many hands in a row, which all go as that one went.
    """

    def __init__(self, table: OpenTable, player: Player, bot: str) -> None:
        super().__init__(player, f"{table.facts.table}-range-{bot}", self._take_range, table.fail)
        self.table = table
        self._bot = bot
        self._seat = -1
        self._game: Game | None = None
        self._mode = ""
        self._events: list[Event] = []
        self._places: list[int] = []
        self._made: list[Acted] = []
        self._answers: list[tuple[float, float, float]] = []

    def ask(self, seat: int, events: Sequence[Event], game: Game, mode: str) -> None:
        """Ask about the decisions of ``seat`` in a hand, unless another question is open; a second time tell
        the same.
        """
        if self._open:
            return
        if self._is_answered and (self._seat, self._events) == (seat, events):
            self._tell()
            return
        self._seat, self._game, self._mode, self._events = seat, game, mode, list(events)
        self._answers = []
        first = enumerate(_before_flop(events[:_MOST_EVENTS]))
        self._places = [place for place, event in first if _is_decision_of(event, seat)][:_MOST_DECISIONS]
        self._made = [event for place in self._places if isinstance(event := events[place], Acted)]
        if self._places:
            self._ask_next()
        else:
            self._tell()

    def _ask_next(self) -> None:
        """Ask about the first decision that is not answered."""
        assert self._game is not None
        start = start_of(self._events)
        place = self._places[len(self._answers) // len(_HANDS)]
        betting = betting_after(self._game, self._events[:place])
        questions: list[ServerMessage] = [
            self._start(self._seat, self.table.facts.names, self._game, self._mode, start.hand)
        ]
        seq = 0
        position = start.seats.index(self._seat)
        for cards in _HANDS:
            hole = tuple(cards if at == position else () for at in range(len(start.seats)))
            told = [start._replace(hole=hole), *self._events[1:place]]
            questions += view.hand_messages(told, self._name, seq, self._seat)
            seq += len(told)
            questions.append(turn_message(self._name, seq, betting.legal(), betting.pot, _TIME, 0.0))
        self._ask(questions)

    def _take_range(self, message: Act) -> None:
        if not self._open:
            return
        sums = {"fold": 0.0, "call": 0.0, "raise": 0.0}
        for action, _, chance in chances_of(message):
            sums["call" if action == "check" else action] += chance
        self._answers.append((round(sums["fold"], 4), round(sums["call"], 4), round(sums["raise"], 4)))
        if self._is_answered:
            self.drop()
            self._tell()
        elif not len(self._answers) % len(_HANDS):
            self._ask_next()

    @property
    def _is_answered(self) -> bool:
        return bool(self._answers) and len(self._answers) == len(self._made) * len(_HANDS)

    def _tell(self) -> None:
        size = len(_HANDS)
        decisions = [
            RangeDecision(_kind(made), made.to, self._answers[size * number : size * (number + 1)])
            for number, made in enumerate(self._made)
        ]
        self.table.practice.tell(
            self._seat, Ranges(self.table.facts.table, start_of(self._events).hand, self._bot, decisions)
        )

    def attach(self, seat: int, connection: Connection) -> None:
        del self._answers[len(self._answers) // len(_HANDS) * len(_HANDS) :]
        super().attach(seat, connection)


def _kind(made: Acted) -> Literal["fold", "call", "raise"]:
    return "fold" if made.action == "fold" else "raise" if made.action == "raise" else "call"


def _before_flop(events: Sequence[Event]) -> Iterator[Event]:
    for event in events:
        if isinstance(event, BoardDealt):
            return
        yield event


def _is_decision_of(event: Event, seat: int) -> bool:
    return isinstance(event, Acted) and event.seat == seat and not event.forced


def betting_after(game: Game, events: Sequence[Event]) -> Betting:
    """Return the betting after these events of a hand."""
    betting = Betting(game, start_of(events).stacks)
    for event in events:
        if isinstance(event, Acted):
            betting.act(Action("raise", event.to) if event.action == "raise" else Action(event.action))
    return betting


class Coaches:
    """Who helps at one practice table: usually one house bot; another when so few are dealt in that it is
    another game. ``player_of`` returns the player of a name, ``start`` starts its process if necessary.
    """

    def __init__(
        self, table: OpenTable, player_of: Callable[[str], Player], start: Callable[[Player], None]
    ) -> None:
        self._table = table
        self._player_of = player_of
        self._start = start
        self._coaches: dict[str, tuple[_Hints, _RangeStudy]] = {}
        # So that it is there when somebody asks.
        self._coach(coach_for(table.table_format.game))

    def _coach(self, bot: str) -> tuple[_Hints, _RangeStudy]:
        if bot not in self._coaches:
            player = self._player_of(coach_name(bot))
            self._coaches[bot] = _Hints(self._table, player, bot), _RangeStudy(self._table, player, bot)
            self._start(player)
        return self._coaches[bot]

    def ask(self, seat: int, turn: int) -> None:
        """Ask for a hint in the open turn of ``seat``."""
        hand = self._table.table.hand
        assert hand is not None
        self._coach(coach_for(hand.game))[0].ask(seat, turn)

    def ask_ranges(self, seat: int, events: Sequence[Event]) -> None:
        """Ask what the holder of ``seat`` could have done in a hand."""
        table_format = self._table.table_format
        players = len(start_of(events).seats)
        game = table_format.game_and_deals(players, table_format.stakes)[0]
        self._coach(coach_for(game))[1].ask(seat, events, game, table_format.mode)

    def close(self) -> None:
        """Let the house bots go."""
        for coach in self._coaches.values():
            for questions in coach:
                questions.close()
