"""Who helps at practice tables: a house bot that has no seat there.

It is asked what it would do in the person's place. For every question it gets what it would have been told
there: all that it knows is what the person knows, and it remembers nothing from question to question. Like
every house bot it is a process of its own; what it answers goes to the person alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dealer.rules.events import Event, HandStarted, start_of
from dealer.rules.games import Game
from protocol.messages import Act
from server.house.questions import Questions, chances_of
from server.house.ranges import RangeQueue, RangeStudy
from server.tables.open_table import OpenTable
from server.tables.player import Player

#: The house bots that help. At no-limit one plays with any number of players: six-handed it won more than
#: that for full limit tables (docs/reproduction/house-bots).
NO_LIMIT: Final = "nolimit"
HEADS_UP_LIMIT: Final = "cfr"
FULL_TABLE_LIMIT: Final = "hbb6"
ALL_IN_OR_FOLD: Final = "pushfold"
#: It plays the heads-up strategy for the nearest stacks of these, in big blinds.
NO_LIMIT_DEPTHS: Final = (10, 20, 50, 100, 200)
COACHES: Final = (NO_LIMIT, HEADS_UP_LIMIT, FULL_TABLE_LIMIT, ALL_IN_OR_FOLD)


def coach_for(game: Game) -> str:
    """Return the house bot that helps in a game."""
    if game.rules == "pushfold":
        return ALL_IN_OR_FOLD
    if not game.limit:
        return NO_LIMIT
    return HEADS_UP_LIMIT if game.players == 2 else FULL_TABLE_LIMIT


def depth_of(game: Game, start: HandStarted) -> int:
    """Return for which stacks, in big blinds, the strategy is that helps in a hand; 0 for any."""
    usual_duel = game.players == len(start.seats) == 2 and game.first_player == (1, 0, 0, 0)
    if coach_for(game) != NO_LIMIT or not usual_duel:
        return 0
    stack = min(start.stacks) / max(1, *start.blinds)
    return min(NO_LIMIT_DEPTHS, key=lambda depth: max(depth / stack, stack / depth))


def coach_name(bot: str) -> str:
    """Return the name of the player that asks a house bot, for all tables."""
    return f"{bot}-coach"


class _Hints(Questions):
    """Asks for hints, one at a time; an answer to an older question counts for nothing."""

    def __init__(self, table: OpenTable, player: Player, bot: str) -> None:
        super().__init__(player, f"{table.facts.table}-hint-{bot}", self._take_hint, table.fail)
        self.table = table
        self._bot = bot
        self._number = 0
        #: The turn at the table.
        self._turn = -1
        self._depth = 0

    def ask(self, seat: int, turn: int) -> None:
        """Ask what it would do in the open turn of ``seat``."""
        hand = self.table.table.hand
        if self._turn == turn or hand is None:
            return
        self._turn = turn
        self._number += 1
        names, mode = self.table.facts.names, self.table.table_format.mode
        start = self._start(seat, names, hand.game, mode, hand.number)
        self._depth = depth_of(hand.game, start_of(self.table.progress.events))
        self._ask_once(self._number, start, hand.betting, self.table.progress.events)

    def drop(self) -> None:
        super().drop()
        self._turn = -1

    def _take_hint(self, message: Act) -> None:
        if message.turn == self._number and self._turn >= 0:
            turn = self._turn
            self.drop()
            self.table.practice.show_hint(turn, self._bot, chances_of(message), self._depth)


class Coaches:
    """Who helps at one practice table: usually one house bot; another when so few are dealt in that it is
    another game. ``player_of`` returns the player of a name, ``start`` starts its process if necessary.
    ``queue`` is that of all tables.
    """

    def __init__(
        self,
        table: OpenTable,
        player_of: Callable[[str], Player],
        start: Callable[[Player], None],
        queue: RangeQueue,
    ) -> None:
        self._table = table
        self._queue = queue
        self._player_of = player_of
        self._start = start
        self._coaches: dict[str, tuple[_Hints, RangeStudy]] = {}
        # So that it is there when somebody asks.
        self._coach(coach_for(table.table_format.game))

    def _coach(self, bot: str) -> tuple[_Hints, RangeStudy]:
        if bot not in self._coaches:
            player = self._player_of(coach_name(bot))
            study = RangeStudy(self._table, player, bot, self._queue)
            self._coaches[bot] = _Hints(self._table, player, bot), study
            self._start(player)
        return self._coaches[bot]

    def ask(self, seat: int, turn: int) -> None:
        """Ask for a hint in the open turn of ``seat``."""
        hand = self._table.table.hand
        assert hand is not None
        self._coach(coach_for(hand.game))[0].ask(seat, turn)

    def ask_ranges(self, seat: int, events: Sequence[Event]) -> None:
        """Ask what the holder of ``seat`` could have done in a hand. Raises ``Refused`` (``busy``)."""
        table_format = self._table.table_format
        players = len(start_of(events).seats)
        game = table_format.game_and_deals(players, table_format.stakes)[0]
        self._coach(coach_for(game))[1].ask(seat, events, game, table_format.mode)

    def close(self) -> None:
        """Let the house bots go."""
        for coach in self._coaches.values():
            for questions in coach:
                questions.close()
