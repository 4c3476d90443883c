"""The only writer of a table: executes actions, keeps the clock and sends every viewer what he may see.

``dealer.table.Table`` decides; this shell passes actions in, and events to the recorders and, through
``server.view``, to the audience. It runs in the event loop, never concurrently. For open tables see
``server.tables.open_table``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

from dealer.formats.format import Eliminated, LevelRaised, Refilled, TableEvent
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted, start_of
from dealer.seats import Arrival, Change
from dealer.table import Table, TurnRefused
from protocol.errors import Refused
from protocol.event_messages import turn_message
from protocol.messages import Act, MatchEnd, ServerMessage
from protocol.people import FaceUpCards
from server import view
from server.net.connection import Connection
from server.tables.audience import Audience, broadcast
from server.tables.phases import PHASES, Phase, Step
from server.tables.player import Player
from server.tables.seat import Seat
from server.tables.table_updates import TableDetails, TableFacts, TableUpdates
from server.telemetry.incidents import Incident
from server.telemetry.logger import get_logger
from server.telemetry.metrics import HANDS, INCIDENTS

log = get_logger("pokerd.table")

_ACTIONS: Final = {"fold": FOLD, "call": CALL, "check": CALL}
_BETWEEN: Final = (Refilled, Eliminated, LevelRaised)


def _choice(verb: str, to: int, chance: float) -> tuple[str, float]:
    """Return an action that a bot could have drawn, in the words of the rules."""
    return (f"r{to}" if verb == "raise" else _ACTIONS[verb].text()), chance


class TableHost(Protocol):
    """What a table needs from the house: the time, and a call when its deadline comes."""

    clock: Callable[[], float]

    @property
    def closing(self) -> bool:
        """Return whether the server is about to stop: no hand begins."""
        ...

    def register_table(self, actor: TableActor) -> None:
        """Watch this table's deadline from now on."""

    def unregister_table(self, actor: TableActor) -> None:
        """Forget this table; it is closed."""

    def call_later(self, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call ``callback`` once, after ``delay`` seconds."""
        ...


class Recorder(Protocol):
    """A destination for finished hands."""

    def record_hand(self, events: Sequence[Event]) -> None:
        """Take all events of a finished hand, from ``HandStarted`` to ``HandEnded``."""


class TableActor:
    """A running table. ``on_ready`` is called once nobody has to be waited for before the first hand,
    ``on_over`` when the table is over.
    """

    def __init__(
        self,
        house: TableHost,
        table: Table,
        facts: TableFacts,
        recorder: Recorder | None = None,
        on_over: Callable[[TableActor], None] | None = None,
        on_ready: Callable[[TableActor], None] | None = None,
    ) -> None:
        seats = len(facts.names)
        self.house = house
        self.table = table
        self.facts = facts
        self.seats = [Seat() for _ in range(seats)]
        self.failure: Exception | None = None
        self.recorders: list[Recorder] = [] if recorder is None else [recorder]
        self.audience = Audience(self.seats)
        self.updates = TableUpdates(self)
        self._log = log.bind(table=facts.table, match=facts.match)
        self._on_over = on_over
        self._on_ready = on_ready
        self._id = facts.table
        self.phase = Phase.GATHERING
        self._reset()

    def _reset(self) -> None:
        """Reset to the state before the first hand of a match."""
        for seat in self.seats:
            seat.total = 0
            seat.dealt_to = None
        self.hands = 0
        #: The hand in progress, or the last one.
        self.progress = view.HandProgress()

    def now(self) -> float:
        """Return the time in seconds."""
        return self.house.clock()

    def step(self, what: Step) -> bool:
        """Take a step to the next phase; return false if the current phase does not allow it."""
        after = PHASES.get((self.phase, what))
        if after is None:
            return False
        self.phase = after
        return True

    @property
    def started(self) -> bool:
        """Return whether the first hand of this match has been dealt."""
        return self.phase is not Phase.GATHERING

    @property
    def players(self) -> list[Player | None]:
        """Return the holders of the seats."""
        return [seat.player for seat in self.seats]

    # Seats.

    def seat(self, seat: int, player: Player) -> None:
        """Give a seat to a player, and tell him at once if he is connected."""
        self.seats[seat].player = player
        self.seats[seat].change(Change.TAKEN)
        player.seats[self.facts.table] = (self, seat)
        player.aborted_tables.discard(self.facts.table)
        if player.connection is not None:
            self.attach(seat, player.connection)

    def unseat(self, seat: int) -> None:
        """Free a seat; its connection gets no more messages of this table."""
        freed = self.seats[seat]
        if freed.player is not None:
            freed.player.seats.pop(self.facts.table, None)
            freed.player = None
        freed.change(Change.FREED)
        self.audience.set_connection(seat, None)

    def attach(self, seat: int, connection: Connection) -> None:
        """Connect a seat: send the match's facts, the hand in progress from its start, and the open turn."""
        self.audience.set_connection(seat, connection)
        resumed = self.seats[seat].arrival is not Arrival.INVITED
        self.seats[seat].change(Change.CONNECTS)
        self.updates.send_state(connection, seat, resumed=resumed)
        if self.table.turn_seat == seat:
            self._ask()
        else:
            self._mark_present(seat)

    def _mark_present(self, seat: int) -> None:
        """Mark a player who was absent as present."""
        if self.table.seats[seat].is_absent and self.seats[seat].ready:
            self._publish_and_ask(self.table.set_absent(seat, False, self.house.clock()))

    def visible_seat(self, seat: int) -> int | None:
        """Return the seat whose cards of the last hand the holder may see; somebody else may have held it
        then.
        """
        return seat if seat >= 0 and self.seats[seat].dealt_in else None

    def state(self, seat: int) -> str:
        """Return the state of a seat, as in the message ``seats``."""
        player = self.seats[seat].player
        if self.table.table_format.is_eliminated(seat):
            return "out"
        if player is None:
            return "gone" if self.facts.names[seat] else ""
        if player.connection is None:
            return "gone"
        if not (self.seats[seat].ready and self.started):
            return "waiting"
        return "away" if self.table.seats[seat].is_absent else "in"

    def info(self) -> TableDetails:
        """Return what people are told about the table itself."""
        return TableDetails(self.facts.table)

    def open_cards(self) -> FaceUpCards | None:
        """Return all cards of the current hand if spectators may see them, else None."""
        return None

    def after_hand(self) -> Sequence[ServerMessage]:
        """Return additional messages for people after a hand."""
        return ()

    def extra_messages(self) -> Sequence[ServerMessage]:
        """Return additional messages for a person who arrives, sent after those of the hand."""
        return ()

    def detach(self, connection: Connection) -> None:
        """Drop a lost connection. The seat is kept, and its clock runs."""
        if self.audience.remove(connection) and self.audience.people:
            self.updates.send_seats()

    def leave(self, seat: int, reason: str = "left") -> None:
        """Give up a seat; from now on the default policy plays it. The player is told ``reason``."""
        self._remove_player(seat, reason)
        self.count(seat, Incident.LEAVE)
        self._publish_and_ask(self.table.set_absent(seat, True, self.house.clock()))
        self._notify_ready()

    def _remove_player(self, seat: int, reason: str) -> None:
        connection = self.seats[seat].connection
        if connection is not None:
            connection.send(self._match_end(reason), urgent=True)
        self.unseat(seat)

    def give_up_seat(self, seat: int) -> None:
        """Let the default policy play the seat without waiting; its player will not return in time."""
        if not self.table.seats[seat].is_absent:
            self.count(seat, Incident.GONE)
            self._publish_and_ask(self.table.set_absent(seat, True, self.house.clock()))
            self._notify_ready()

    def stop_waiting_for(self, seat: int) -> None:
        """Start the match without this player; he may still arrive."""
        self.table.set_absent(seat, True, self.house.clock())
        self._notify_ready()

    def set_ready(self, seat: int) -> None:
        """Note that the player has handled ``match_start``. Raises ``Refused`` if he was ready before."""
        if not self.seats[seat].change(Change.SAYS_READY):
            raise Refused("not_asked", table=self._id)
        self._mark_present(seat)
        self._notify_ready()

    def _notify_ready(self) -> None:
        """Call ``on_ready`` once nobody has to be waited for."""
        if self._on_ready is not None and not self.started and self.settled():
            self._on_ready(self)

    def settled(self) -> bool:
        """Return whether nobody has to be waited for: players who are not ready are absent."""
        pairs = zip(self.seats, self.table.seats, strict=True)
        return all(seat.ready or status.is_absent for seat, status in pairs)

    def sit_in(self, seat: int) -> None:
        """Return a player from sitting out. Raises ``Refused`` if he does not sit out."""
        if not self.table.seats[seat].is_absent:
            raise Refused("not_asked", table=self._id)
        self._publish_and_ask(self.table.set_absent(seat, False, self.house.clock()))

    # Play.

    def begin(self) -> None:
        """Deal the first hand. The policy plays seats that are not ready until they are."""
        self.step(Step.BEGIN)
        for seat, one in enumerate(self.seats):
            if one.player is not None and not one.ready:
                self.count(seat, Incident.NO_SHOW)
                self.table.set_absent(seat, True, self.house.clock())
        self.house.register_table(self)
        self._publish_and_ask(self.table.start(self.house.clock()))

    def resume(self, wait: float) -> None:
        """Continue a match of another process. The player to act gets his full time, ``wait`` seconds from
        now.
        """
        now = self.house.clock()
        self.house.register_table(self)
        self.table.reopen_turn(now + wait)
        self._publish_and_ask(self.table.start(now))

    def act(self, seat: int, message: Act, now: float) -> None:
        """Execute the answer to a turn. Raises ``Refused``; then nothing has changed."""
        table = self.table
        verb = message.action
        action = raise_to(message.to) if verb == "raise" else _ACTIONS[verb]
        started = table.turn_started
        try:
            if (
                verb == "check"
                and table.turn_seat == seat
                and table.turn == message.turn
                and table.legal().call
            ):
                raise TurnRefused("illegal_action", f"{table.legal().call} to call: call, fold or raise")
            policy = tuple([_choice(*choice) for choice in message.policy]) if message.policy else ()
            events = table.act(seat, message.turn, action, now, policy)
        except TurnRefused as refusal:
            raise Refused(refusal.code, refusal.detail, table=self._id, turn=message.turn) from None
        player = self.seats[seat].player
        if player is not None:
            player.decisions.observe(now - started)
        self._publish_and_ask(events)

    def tick(self, now: float) -> None:
        """Tell the table the time."""
        self._publish_and_ask(self.table.tick(now))

    def fail(self, error: Exception) -> None:
        """Stop after an internal error: what was played here cannot be trusted."""
        self._log.error("table failed", hand=self._hand, exc_info=error)
        if self.failure is None:
            self.failure = error
            self._finish("internal")

    def stop(self, reason: str) -> None:
        """End the match now. The hand in progress is not scored."""
        for player in self.players:
            if player is not None:
                player.aborted_tables.add(self._id)
        self._finish(reason)

    def count(self, seat: int, kind: Incident) -> None:
        """Count an incident of a seat."""
        self.seats[seat].incidents[kind] += 1
        INCIDENTS[kind].inc()
        # Each action of the policy for an absent player would be an incident.
        if kind is not Incident.ABSENT:
            player = self.seats[seat].player
            self._log.info(
                "incident",
                hand=self._hand,
                seat=seat,
                player=self.facts.names[seat],
                kind=kind,
                limited=player is not None and player.is_anonymous,
            )

    def count_refusal(self, seat: int, code: str) -> None:
        """Count a refused message of the seat's player."""
        self.seats[seat].incidents[code] += 1

    @property
    def _hand(self) -> int | None:
        """Return the number of the hand in progress."""
        hand = self.table.hand
        return None if hand is None else hand.number

    # Send events to the recorders and to every viewer.

    def _publish_and_ask(self, events: Sequence[Event | TableEvent]) -> None:
        table = self.table
        if events:
            self._publish(events, table.seq - len(events))
        if self.audience.people:
            self.updates.after_events(events)
        if not events:
            return
        if table.turn_seat >= 0:
            self._ask()
        elif table.over:
            self._finish("complete")

    def _ask(self) -> None:
        """Send the open turn to its player."""
        table = self.table
        connection = self.seats[table.turn_seat].connection
        if connection is not None:
            assert table.hand is not None
            own, bank = table.time_left(self.house.clock())
            betting = table.hand.betting
            turn = turn_message(self._id, table.seq, betting.legal(), betting.pot, own, bank)
            connection.send_encoded((connection.codec.encode(turn),), urgent=True)

    def _publish(self, events: Sequence[Event | TableEvent], seq: int) -> None:
        """Send every viewer what he may see. What is the same for all is encoded once per codec."""
        public: list[ServerMessage] = []
        audience = self.audience
        progress = self.progress
        table = self._id
        for event in events:
            if type(event) is Acted:
                progress.events.append(event)
                if event.forced:
                    self.count(event.seat, Incident(event.forced))
                public.append(view.event_message(event, table, seq, None))
            elif type(event) is BoardDealt:
                progress.add(event, seq)
                public.append(view.event_message(event, table, seq, None))
            else:
                self._on_event(event, seq)
                if view.is_private(event):
                    if public:
                        broadcast(audience.everybody, public)
                        public = []
                    audience.send_each(partial(view.event_message, event, table, seq))
                else:
                    best = bool(audience.people)
                    message = view.event_message(
                        event, table, seq, None, progress.board, progress.shown_earlier, best_five=best
                    )
                    public.append(message)
            seq += 1
        if public:
            broadcast(audience.everybody, public)

    def _on_event(self, event: Event | TableEvent, seq: int) -> None:
        """Apply events that happen once per hand, or between hands."""
        if not isinstance(event, _BETWEEN):
            self.progress.add(event, seq)
            if type(event) is HandStarted:
                for seat in self.seats:
                    seat.dealt_to = seat.player
            elif type(event) is HandEnded:
                self._on_hand_ended(event)

    def _on_hand_ended(self, event: HandEnded) -> None:
        self.hands += 1
        HANDS.inc()
        start = start_of(self.progress.events)
        for seat, value in zip(start.seats, event.values, strict=True):
            self.seats[seat].total += value
        for recorder in self.recorders:
            recorder.record_hand(self.progress.events)
        self._log.info("hand", hand=event.hand, seats=start.seats, net=event.values)

    def _match_end(self, reason: str) -> MatchEnd:
        return MatchEnd(self._id, self.hands, [seat.total for seat in self.seats], reason)

    def _finish(self, reason: str) -> None:
        self.step(Step.CLOSE)
        self.house.unregister_table(self)
        broadcast(self.audience.everybody, [self._match_end(reason)], urgent=True)
        for seat in range(len(self.seats)):
            self.unseat(seat)
        if self._on_over is not None:
            self._on_over(self)
