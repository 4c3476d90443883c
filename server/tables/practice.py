"""What a practice table is for: hints, the last hand once more, and what one could have held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from dealer.deck import SecureDeals
from dealer.formats.cash import Cash
from dealer.formats.format import Stakes
from dealer.rules.actions import Action
from dealer.rules.events import Acted, Event, HandEnded, HandStarted, start_of
from protocol.base import Choice
from protocol.errors import Refused
from protocol.people import CreateTable, Hint, Ranges
from server.bots.offered import HouseBots
from server.net.connection import Connection
from server.storage.stored_hands import StoredHand
from server.tables.config import LEAST_RAISES, Replay, TableConfig, config_from_request
from server.tables.joinable_table import JoinableTable


class HintGiver(Protocol):
    """Who gives hints at a practice table."""

    def ask(self, seat: int, turn: int) -> None:
        """Ask for a hint, which is given by ``Practice.show_hint``, if at all."""
        ...

    def ask_ranges(self, seat: int, events: Sequence[Event]) -> None:
        """Ask what the holder of ``seat`` could have done in a hand, told by ``Practice.tell``."""
        ...


def replay_config(
    hand: StoredHand, seed: bytes, request: CreateTable, offered: HouseBots, other: str
) -> TableConfig:
    """Return a practice table for a stored hand, whose deck has this ``seed``, after ``request.keep`` of its
    actions. The player has the seat that acts next, house bots that are ``offered`` their own seats, and the
    house bot ``other`` those of everybody else. Raises ``Refused`` (``bad_table``).
    """
    start, game = hand.started, hand.game
    acted = [event for event in hand.events if isinstance(event, Acted)]
    if not 0 <= request.keep < len(acted):
        most = len(acted) - 1
        raise Refused("bad_table", f"keep: after so many actions nobody acts; at most {most}", field="keep")
    stakes = Stakes(
        min(filter(None, game.blinds), default=0),
        max(game.blinds),
        game.ante,
        game.limit,
        max(game.stacks),
        game.rules,
        straddle=game.straddle,
    )
    players = len(start.seats)
    known = game.rules in {"pushfold", *LEAST_RAISES.values()} and game.players == players
    same = known and replace(stakes.game(players), name=game.name, stacks=game.stacks) == game
    if not same or SecureDeals(seed, 0, game).deal(start.hand).hole != tuple(start.hole):
        raise Refused("bad_table", "deals: this hand is of a game that is not practised here", field="deals")
    mine = start.seats.index(acted[request.keep].seat)
    order = tuple((position - mine - 1) % players for position in range(players))
    seated = [hand.seated[start.seats[order.index(seat)]] for seat in range(players - 1)]
    kinds = [one.name.rpartition("-")[0] for one in seated]
    ended = hand.events[-1]
    wanted = CreateTable(
        seats=players,
        bots=[
            other if one.identity or kind not in offered else kind
            for one, kind in zip(seated, kinds, strict=True)
        ],
        decision_ms=request.decision_ms,
        bank_ms=request.bank_ms,
        pause_ms=request.pause_ms,
        practice=True,
        all_ins="equity" if isinstance(ended, HandEnded) and ended.equity else "",
    )
    done = tuple(Action(event.action, event.to) for event in acted[: request.keep])
    replay = Replay(start.hand, order, tuple(map(int, start.stacks)), done)
    return config_from_request(wanted, offered)._replace(stakes=stakes, replay=replay)


class Practice:
    """The practice at one ``table``; at others it refuses all. ``giver``: of hints, at a practice table.
    ``hints``: how many were given, which ``save`` stores. ``again``: whether the hand in progress, or the
    last one, has been played before.
    """

    def __init__(self, table: JoinableTable, hints: int, save: Callable[[], None]) -> None:
        self.giver: HintGiver | None = None
        self.hints = hints
        self.again = False
        self._last: Hint | None = None
        self._table = table
        self._id = table.facts.table
        self._save = save

    def attach(self, seat: int, connection: Connection) -> None:
        """Tell the person who came to ``seat`` how many hints were given, and the one of his open turn."""
        # Bots sit before the only person.
        if self.hints and seat == len(self._table.seats) - 1:
            last = self._last
            if last is None or last.turn != self._table.table.turn:
                last = Hint(self._id, 0, "", [], self.hints)
            connection.send(last)

    def ask_hint(self, seat: int, turn: int) -> None:
        """Ask for a hint in the open turn of ``seat``; a second time it is the same, and not counted again.
        Raises ``Refused`` (``no_practice``).
        """
        table = self._table.table
        if self.giver is None or table.turn_seat != seat or table.turn != turn:
            raise Refused("no_practice", table=self._id)
        if self._last is not None and self._last.turn == turn:
            self.tell(seat, self._last)
        else:
            self.giver.ask(seat, turn)

    def show_hint(self, turn: int, bot: str, chances: list[Choice], depth: int) -> None:
        """Give the player what the house bot ``bot`` would do in his open turn; a later turn gets nothing.
        ``depth``: as in ``Hint``.
        """
        seat = self._table.table.turn_seat
        if seat < 0 or self._table.table.turn != turn:
            return
        self.hints += 1
        self._last = Hint(self._id, turn, bot, chances, self.hints, depth)
        self._save()
        self.tell(seat, self._last)

    def ask_ranges(self, seat: int, hand: int) -> None:
        """Ask what a strong bot would have done in the last hand. Raises ``Refused`` (``no_practice``,
        ``busy``).
        """
        events = self._table.progress.events
        over = bool(events) and isinstance(events[-1], HandEnded) and start_of(events).hand == hand
        if self.giver is None or not over or seat not in start_of(events).seats:
            raise Refused("no_practice", table=self._id)
        self.giver.ask_ranges(seat, list(events))

    def tell(self, seat: int, message: Hint | Ranges) -> None:
        """Tell the player in ``seat`` what the bot would do, or would have done."""
        connection = self._table.seats[seat].connection
        if connection is not None:
            connection.send(message, urgent=True)

    def begin_hand(self, event: HandStarted) -> None:
        """Note whether the hand that begins is the last one once more."""
        before = self._table.progress.events
        replay = self._table.config.replay
        again = replay is not None or (bool(before) and start_of(before).hand == event.hand)
        self.again = self._table.config.practice and again
        table_format = self._table.table_format
        if replay is not None and event.hand == replay.hand and isinstance(table_format, Cash):
            # Unless the player asks for another point, it comes from the same one when it is over.
            replay.begin(table_format)

    def plan_again(self, seat: int, hand: int, keep: int | None) -> bool:
        """Let the last hand come again, at once or when it is over; with ``keep``, after so many of its
        actions, and at once if ``seat`` is to act. Return whether the hand in progress is to be given up for
        it. Raises ``Refused`` (``no_practice``).
        """
        table_format, table = self._table.table_format, self._table.table
        events = self._table.progress.events
        if not (self._table.config.practice and isinstance(table_format, Cash) and events):
            raise Refused("no_practice", table=self._id)
        start = start_of(events)
        if start.hand != hand:
            raise Refused("no_practice", "another hand has begun", table=self._id)
        done = [event for event in events if type(event) is Acted]
        at_once = keep is not None and table.hand is not None
        if keep is not None and keep >= len(done):
            raise Refused("no_practice", table=self._id)
        dealt = not (table_format.over or table_format.paused)
        dealt = dealt and all(map(table_format.is_sitting_in, start.seats))
        if at_once and not (dealt and table.turn_seat == seat):
            raise Refused("no_practice", table=self._id)
        actions = tuple(Action(event.action, event.to) for event in done[: keep or 0])
        table_format.play_again(tuple(start.seats), tuple(start.stacks), actions)
        if not at_once and table.hand is None and table.deadline is not None:
            table.deadline = self._table.house.clock()
        return at_once
