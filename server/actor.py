"""The writer of one table: carries out what players answer, keeps the clock, and tells every viewer what he
may see.

``dealer.table.Table`` decides; this shell only moves facts: acts in, events to the recorder and, through
``server.view``, to the viewers' outboxes. It is called from the event loop alone, never concurrently.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

import structlog

from dealer.formats import Cash, TableEvent
from dealer.rules.actions import CALL, FOLD, Action
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted, Shown
from dealer.table import Table, TurnRefused
from protocol.codec import Codec
from protocol.errors import Refused
from protocol.messages import Act, MatchEnd, MatchStart, OpenTable, Players, ServerMessage
from server import view
from server.connection import Connection
from server.incidents import Incident

__all__ = ["Player", "Pulse", "Recorder", "TableActor", "TableFacts"]

log = structlog.get_logger("pokerd.table")

_ACTIONS: Final = {"fold": FOLD, "call": CALL, "check": CALL}


class Recorder(Protocol):
    """Where finished hands go."""

    def hand(self, events: Sequence[Event]) -> None:
        """Take all events of one finished hand, from its ``HandStarted`` to its ``HandEnded``."""
        ...


class TableFacts(NamedTuple):
    """What players are told of a table besides its game: id, match, names by seat, randomness seeds by seat,
    reset or not.
    """

    table: str
    match: str
    names: list[str]
    seeds: Sequence[int]
    reset: bool = True


class Pulse(Protocol):
    """What a table needs of the house around it: the time, and to be called when its deadline comes."""

    clock: Callable[[], float]

    def run(self, actor: TableActor) -> None:
        """Watch this table's deadline from now on."""

    def halt(self, actor: TableActor) -> None:
        """Watch it no longer."""


class Player:
    """Somebody who can sit: a name, the secret that proves it, the seats held, and at most one connection."""

    __slots__ = (
        "capacity",
        "connection",
        "ended",
        "grace_timer",
        "guest",
        "incidents",
        "name",
        "on_hello",
        "resume",
        "seats",
        "token",
    )

    def __init__(self, name: str, token: str = "", *, guest: bool = False) -> None:
        self.name = name
        self.token = token
        self.guest = guest
        self.resume = secrets.token_urlsafe(24)
        self.capacity = 1
        self.connection: Connection | None = None
        #: His process has ended or could not be started: he will not come (back).
        self.ended = False
        self.seats: dict[str, tuple[TableActor, int]] = {}
        self.incidents: Counter[str] = Counter()
        self.grace_timer: asyncio.TimerHandle | None = None
        self.on_hello: Callable[[], None] | None = None


class TableActor:
    """One running table."""

    def __init__(
        self,
        house: Pulse,
        table: Table,
        facts: TableFacts,
        recorder: Recorder | None = None,
        on_over: Callable[[TableActor], None] | None = None,
    ) -> None:
        seats = len(facts.names)
        self.house = house
        self.table = table
        self.facts = facts
        self.players: list[Player | None] = [None] * seats
        self.ready = [False] * seats
        self.started = False
        self.totals: list[float] = [0] * seats
        self.hands = 0
        self.incidents: list[Counter[str]] = [Counter() for _ in range(seats)]
        self.on_ready: Callable[[], None] | None = None
        self.failure: Exception | None = None
        self._recorder = recorder
        self._journal = log.bind(table=facts.table)
        self._on_over = on_over
        self._told = [False] * seats
        self._asked = [False] * seats
        self._log: list[Event] = []
        self._log_seq = 0
        self._board: tuple[int, ...] = ()
        self._id = facts.table
        self._viewers: dict[Codec, list[Connection]] = {}
        self._connections: list[Connection | None] = [None] * seats

    # Seats.

    def seat(self, seat: int, player: Player) -> None:
        """Give a seat to a player; tell him at once if he is connected."""
        self.players[seat] = player
        self._told[seat] = False
        self.ready[seat] = False
        player.seats[self.facts.table] = (self, seat)
        if player.connection is not None:
            self.attach(seat, player.connection)

    def unseat(self, seat: int) -> None:
        """Take a seat back; the connection hears no more of this table."""
        player = self.players[seat]
        if player is not None:
            player.seats.pop(self.facts.table, None)
            self.players[seat] = None
        self._bind(seat, None)

    def attach(self, seat: int, connection: Connection) -> None:
        """Bind a seat to a connection: the match's facts, then the hand in progress from its start, then the
        open turn.
        """
        self._bind(seat, connection)
        resumed = self._told[seat]
        self._told[seat] = True
        self._asked[seat] = True
        connection.send(self._match_start(seat, resumed=resumed), urgent=True)
        # A hand that is over is not told again: the seat may have had another holder then.
        log = self._log if self.table.hand is not None else ()
        told = [
            view.message(event, self._id, self._log_seq + number, seat, self._board)
            for number, event in enumerate(log)
        ]
        # In one frame, however many: what belongs together is never told apart.
        connection.post([connection.codec.encode(message) for message in told], urgent=False)
        if self.table.absent[seat] and self.ready[seat]:
            self._settle(self.table.set_absent(seat, False, self.house.clock()))
        elif self.table.turn_seat == seat:
            self._ask()

    def detach(self, connection: Connection) -> None:
        """Forget a lost connection; the seat stays, and its clock runs."""
        for seat, bound in enumerate(self._connections):
            if bound is connection:
                self._bind(seat, None)

    def join(self, player: Player, seat: int) -> None:
        """Seat a player at an open table: in ``seat``, or with -1 wherever is free. Raises ``Refused``."""
        free = self._free()
        if not free or (seat >= 0 and seat not in free):
            raise Refused("no_seat", table=self.facts.table)
        seat = free[0] if seat < 0 else seat
        self.table.absent[seat] = True
        self._rename(seat, player.name)
        self.seat(seat, player)

    def leave(self, seat: int) -> None:
        """Give a seat up: the policy plays the hand out, and the seat is free from the next hand on."""
        connection = self._connections[seat]
        if connection is not None:
            end = MatchEnd(self._id, self.hands, list(self.totals), "left")
            connection.send(end, urgent=True)
        self.unseat(seat)
        cash = self._open_cash()
        if cash is not None:
            cash.leave(seat)
            self._company(cash)
            self._rename(seat, "")
        else:
            self.count(seat, Incident.LEAVE)
        self._settle(self.table.set_absent(seat, True, self.house.clock()))
        self._tell_ready()

    def _rename(self, seat: int, name: str) -> None:
        """Somebody else, or nobody, sits in ``seat`` now: tell those who are there."""
        self.facts.names[seat] = name
        self._broadcast([Players(self._id, list(self.facts.names))])

    def listing(self) -> OpenTable:
        """How the table is listed for those who may join it."""
        play = self.table.play
        return OpenTable(self._id, play.game.name, len(self.players), len(self._free()), play.mode)

    def _free(self) -> list[int]:
        """Seats that can be taken: those without a holder, once the hand of the last holder is over."""
        playing = self.table.hand.seats if self.table.hand is not None else ()
        return [seat for seat, holder in enumerate(self.players) if holder is None and seat not in playing]

    def _open_cash(self) -> Cash | None:
        """The cash game of a table where players come and go; a match keeps those it began with."""
        play = self.table.play
        return play if isinstance(play, Cash) and not play.hands else None

    def _bind(self, seat: int, connection: Connection | None) -> None:
        self._connections[seat] = connection
        self._viewers = {}
        for bound in self._connections:
            if bound is not None:
                self._viewers.setdefault(bound.codec, []).append(bound)

    def gone(self, seat: int) -> None:
        """The player will not come back in time: from now on the policy acts for the seat without waiting."""
        if not self.table.absent[seat]:
            self.count(seat, Incident.GONE)
            self._settle(self.table.set_absent(seat, True, self.house.clock()))
            self._tell_ready()

    def give_up(self, seat: int) -> None:
        """The match need not wait for this player; he may still come."""
        self.table.set_absent(seat, True, self.house.clock())
        self._tell_ready()

    def set_ready(self, seat: int) -> None:
        """The player has taken note of ``match_start``. Raises ``Refused`` when he said so before."""
        if not self._asked[seat]:
            raise Refused("not_asked", table=self._id)
        self._asked[seat] = False
        self.ready[seat] = True
        cash = self._open_cash()
        if cash is not None:
            cash.sit(seat)
            self._company(cash)
            self._settle(self.table.set_absent(seat, False, self.house.clock()))
            self._settle(self.table.start(self.house.clock()))
        elif self.table.absent[seat]:
            self._settle(self.table.set_absent(seat, False, self.house.clock()))
        self._tell_ready()

    def _company(self, cash: Cash) -> None:
        """House bots do not play among themselves: they wait for somebody who came from outside."""
        seated = zip(self.players, self.ready, strict=True)
        cash.waiting = not any(player is not None and player.guest and ready for player, ready in seated)

    def _tell_ready(self) -> None:
        """Call ``on_ready`` once there is nobody left to wait for."""
        settled = (ready or absent for ready, absent in zip(self.ready, self.table.absent, strict=True))
        if self.on_ready is not None and not self.started and all(settled):
            self.on_ready()

    def back(self, seat: int) -> None:
        """The player returns from sitting out. Raises ``Refused`` when he does not sit out."""
        if not self.table.absent[seat]:
            raise Refused("not_asked", table=self._id)
        self._settle(self.table.set_absent(seat, False, self.house.clock()))

    # Play.

    def begin(self) -> None:
        """Deal the first hand; seats that are not ready are played by the policy until they are."""
        self.started = True
        for seat, ready in enumerate(self.ready):
            if not ready and self.players[seat] is not None:
                self.count(seat, Incident.NO_SHOW)
                self.table.set_absent(seat, True, self.house.clock())
        self.house.run(self)
        self._settle(self.table.start(self.house.clock()))

    def act(self, seat: int, message: Act, now: float) -> None:
        """Carry out an answer to a turn. Raises ``Refused``; then nothing changed."""
        table = self.table
        verb = message.action
        action = Action("raise", message.to) if verb == "raise" else _ACTIONS[verb]
        try:
            if (
                verb == "check"
                and table.turn_seat == seat
                and table.turn == message.turn
                and table.legal().call
            ):
                raise TurnRefused(
                    "illegal_action", f"there are {table.legal().call} chips to call: call, fold or raise"
                )
            events = table.act(seat, message.turn, action, now)
        except TurnRefused as refusal:
            raise Refused(refusal.code, refusal.detail, table=self._id, turn=message.turn) from None
        self._settle(events)

    def tick(self, now: float) -> None:
        """Let the table notice that time has passed."""
        self._settle(self.table.tick(now))

    def fail(self, error: Exception) -> None:
        """A fault of ours: what was played at this table cannot be trusted, so it stops, and says so."""
        log.error("table failed", table=self._id, exc_info=error)
        if self.failure is None:
            self.failure = error
            self._finish("internal")

    def stop(self, reason: str) -> None:
        """End the match where it stands; the hand in progress is not scored."""
        self._finish(reason)

    def count(self, seat: int, kind: Incident) -> None:
        """Note an incident of a seat."""
        self.incidents[seat][kind] += 1

    # What happened goes to the recorder and to every viewer.

    def _settle(self, events: Sequence[Event | TableEvent]) -> None:
        if not events:
            return
        self._publish(events, self.table.seq - len(events))
        if self.table.turn_seat >= 0:
            self._ask()
        elif self.table.over:
            self._finish("complete")

    def _ask(self) -> None:
        """Put the open turn to the player whose it is."""
        table = self.table
        connection = self._connections[table.turn_seat]
        if connection is not None:
            assert table.hand is not None
            own, bank = table.time_left(self.house.clock())
            betting = table.hand.betting
            turn = view.turn(self._id, table.seq, betting.legal(), betting.pot, own, bank)
            connection.post((connection.codec.encode(turn),), urgent=True)

    def _publish(self, events: Sequence[Event | TableEvent], seq: int) -> None:
        """Tell every viewer what he may see. What is the same for all is encoded once for each codec."""
        public: list[ServerMessage] = []
        for event in events:
            if type(event) is Acted:
                self._log.append(event)
                if event.forced:
                    self.count(event.seat, Incident(event.forced))
            else:
                self._note(event, seq)
            if view.is_private(event):
                self._broadcast(public)
                public = []
                for seat, connection in enumerate(self._connections):
                    if connection is not None:
                        connection.send(view.message(event, self._id, seq, seat))
            else:
                public.append(view.message(event, self._id, seq, None, self._board))
            seq += 1
        self._broadcast(public)

    def _broadcast(self, public: Sequence[ServerMessage]) -> None:
        if public:
            for codec, connections in self._viewers.items():
                parts = [codec.encode(message) for message in public]
                for connection in connections:
                    connection.post(parts, urgent=False)

    def _note(self, event: Event | TableEvent, seq: int) -> None:
        """Fold an event other than an action into what the actor keeps: the hand's log, board and totals."""
        if isinstance(event, HandStarted):
            self._log = [event]
            self._log_seq = seq
            self._board = ()
        elif isinstance(event, BoardDealt):
            self._log.append(event)
            self._board += event.cards
        elif isinstance(event, Shown):
            self._log.append(event)
        elif isinstance(event, HandEnded):
            self._log.append(event)
            self._ended(event)

    def _ended(self, event: HandEnded) -> None:
        self.hands += 1
        start = self._log[0]
        assert isinstance(start, HandStarted)
        for seat, value in zip(start.seats, event.values, strict=True):
            self.totals[seat] += value
        if self._recorder is not None:
            self._recorder.hand(self._log)
        self._journal.info("hand", hand=event.hand, seats=start.seats, net=event.values)

    def _match_start(self, seat: int, *, resumed: bool) -> MatchStart:
        table, facts = self.table, self.facts
        hand = table.hand.number if table.hand is not None else self.hands
        return MatchStart(
            table=facts.table,
            match=facts.match,
            seat=seat,
            players=facts.names,
            game=view.game_info(table.play.game),
            hands=table.play.hands,
            reset=facts.reset and not resumed,
            seed=facts.seeds[seat],
            mode=table.play.mode,
            time_ms=int(table.clock.decision * 1000),
            bank_ms=int(table.banks[seat] * 1000),
            hand=hand,
            resumed=resumed,
        )

    def _finish(self, reason: str) -> None:
        self.house.halt(self)
        end = MatchEnd(self.facts.table, self.hands, list(self.totals), reason)
        for connection in filter(None, self._connections):
            connection.send(end, urgent=True)
        for seat in range(len(self.players)):
            self.unseat(seat)
        if self._on_over is not None:
            self._on_over(self)
