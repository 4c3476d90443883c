"""The seat of a session at a pokerd server: the hands played there, in their order."""

from __future__ import annotations

from clients.slumbot.hands import Record
from clients.slumbot.notation import BIG_BLIND, SMALL_BLIND, STACK, is_slumbots_game
from dealer.rules.actions import Action
from pokerd_bot.bot import LOG, Bot
from pokerd_bot.client import Client
from pokerd_bot.hand import Hand, Match
from protocol import messages
from protocol.codec import MSGPACK
from protocol.people import CreateTable, TableCreated


class _Seat(Bot):
    """Writes down what happens at a table; the client of the API decides."""

    threaded = False

    def __init__(self, player: Player, match: Match) -> None:
        super().__init__(match)
        self._player = player

    def hand_started(self, hand: Hand) -> None:
        if is_slumbots_game(hand):
            self._player.record.add_hand(hand)
        else:
            self._player.refuse_game(hand)

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        if self._player.is_last(hand):
            self._player.record.end_hand(shown, end)

    def match_ended(self, end: messages.MatchEnd) -> None:
        self._player.record.drop_unfinished()


class Player(Client):
    """Plays for a session, at one table at a time. ``act`` sends what its client decides."""

    def __init__(self, record: Record) -> None:
        super().__init__(self._make_seat, MSGPACK)
        self.record = record
        #: Whether the server treats the client as absent, and asks for no decisions; and whether it has been
        #: told that the client is back.
        self.absent = False
        self._returning = False
        self._opening = False
        #: Tables that were opened for this session.
        self._own_tables: set[str] = set()
        #: The turn that was answered, and the answer, until the server has done it.
        self._asked: messages.YourTurn | None = None
        self._answer: messages.Act | None = None
        self._others: list[Player] = []
        self._handlers[TableCreated] = self._on_created

    def _make_seat(self, match: Match) -> Bot:
        self._opening = self.absent = self._returning = False
        self.record.drop_unfinished()
        return _Seat(self, match)

    def redirect_client(self) -> Client | None:
        """Return a player of the same session for a table on another server."""
        other = Player(self.record)
        self._others = [one for one in self._others if one.online or one.welcome is None] + [other]
        return other

    # From the session.

    @property
    def is_seated(self) -> bool:
        """Whether the session has a seat, or is about to get one at a table that it opens."""
        return self._opening or bool(self.seats)

    def open_table(self, rival: str, decision_time: float) -> None:
        """Open a table with a house bot, and sit down there. ``decision_time``: seconds; no time bank."""
        self._opening = True
        self._send_answers(
            [
                CreateTable(
                    seats=2,
                    small_blind=SMALL_BLIND,
                    big_blind=BIG_BLIND,
                    stack=STACK,
                    depth=[STACK // BIG_BLIND] * 2,
                    bots=[rival],
                    decision_ms=int(1000 * decision_time),
                    bank_ms=0,
                    pause_ms=0,
                )
            ]
        )

    def act(self, turn: messages.YourTurn, action: Action) -> bool:
        """Answer a turn; return whether it was this connection's. While the connection is lost nothing is
        sent: the server asks again.
        """
        seat = self.seats.get(turn.table)
        if seat is None or seat.open_turn != turn.turn:
            return any(other.act(turn, action) for other in self._others)
        self._asked = turn
        self._answer = messages.Act(turn.table, turn.turn, action.kind, action.to)  # type: ignore[arg-type]
        if self.online:
            self._send_answers([self._answer])
        return True

    def come_back(self) -> None:
        """Tell the server that the client is there again."""
        for player in [self, *self._others]:
            player.return_to_tables()

    def return_to_tables(self) -> None:
        """Do what ``come_back`` does, for the tables of this connection."""
        if self.absent and self.online and not self._returning:
            self._returning = True
            self._send_answers([messages.SitIn(table) for table in self.seats])

    def leave_tables(self) -> None:
        """Leave the tables that were opened for this session."""
        left = [messages.Leave(table) for table in self.seats if table in self._own_tables]
        if left and self.online:
            self._send_answers(left)

    # From the server.

    def is_last(self, hand: Hand) -> bool:
        """Return whether this is the hand in progress of the session."""
        return bool(self.record.hands) and self.record.hands[-1].hand is hand

    def refuse_game(self, hand: Hand) -> None:
        """Leave a table where Slumbot's clients cannot play."""
        table = hand.match.table
        LOG.warning("%s: not heads-up no-limit hold'em with blinds 50/100 and 20,000 chips a hand", table)
        self.record.refusal = f"{table} plays another game than Slumbot's"
        self.record.news.set()
        self._send_answers([messages.Leave(table)])

    def _on_welcome(self, message: messages.Welcome) -> None:
        super()._on_welcome(message)
        self._tables_to_join = []
        self._opening = False
        self.record.news.set()

    def _on_created(self, message: TableCreated) -> messages.ClientMessage | None:
        self._own_tables.add(message.table)
        return messages.Join(message.table)

    def _on_turn(self, message: messages.YourTurn) -> messages.ClientMessage | None:
        seat = self.seats.get(message.table)
        if seat is None or seat.hand is None or not self.is_last(seat.hand):
            return None
        seat.open_turn = message.turn
        self.absent = self._returning = False
        if self._asked is not None and (self._asked.table, self._asked.turn) == (message.table, message.turn):
            return self._answer  # it was lost with the connection
        self.record.hands[-1].turn = message
        self.record.news.set()
        return None

    def _on_acted(self, message: messages.PlayerActed) -> messages.ClientMessage | None:
        seat = self.seats.get(message.table)
        # After a reconnection the hand in progress is told again.
        news = seat is not None and message.seq > seat.seq
        super()._on_acted(message)
        if seat is None or not news or message.seat != seat.seat:
            return None
        self._asked = self._answer = None
        if seat.hand is not None and self.is_last(seat.hand):
            self.record.hands[-1].turn = None
        if message.forced == "absent":
            self.absent = True
        return None

    def _on_hand_end(self, message: messages.HandEnd) -> messages.ClientMessage | None:
        answer = super()._on_hand_end(message)
        if self.absent and not self._returning and message.table in self._own_tables:
            # House bots would play on against the policy. The next hand is dealt at a new table.
            self._own_tables.discard(message.table)
            return messages.Leave(message.table)
        return answer

    def _on_error(self, message: messages.Error) -> messages.ClientMessage | None:
        super()._on_error(message)
        if message.code == "illegal_action" and self._asked is not None and message.turn == self._asked.turn:
            self.record.hands[-1].turn, self._asked = self._asked, None
        elif not (self._opening or message.fatal):
            return None
        self._opening = False
        self.record.refusal = f"{message.code}: {message.message}"
        self.record.news.set()
        return None
