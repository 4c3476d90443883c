"""Messages about the state of a table: what newcomers get, and what people get in addition to bots: seats,
clocks, pots, and the strength of their cards.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from dealer.formats.format import TableEvent
from dealer.rules.events import BoardDealt, Event, HandEnded, HandStarted
from dealer.table import Table
from protocol.event_messages import game_info
from protocol.messages import MatchStart, ServerMessage
from protocol.people import ActionOn, BotValue, FaceUpCards, SeatInfo, Seats
from server import view
from server.net.connection import Connection
from server.tables.audience import Audience, broadcast
from server.tables.seat import Seat


class TableFacts(NamedTuple):
    """What players are told about a table: id, match, names by seat, random seeds by seat, and whether to
    reset.
    """

    table: str
    match: str
    names: list[str]
    seeds: Sequence[int]
    reset: bool = True


class TableDetails(NamedTuple):
    """What people are told about a table. ``pause`` is seconds; ``kinds`` and ``parameters`` are by seat, as
    in the message ``seats``. ``agreed``: seats whose holders agree to run it twice.
    """

    name: str
    pause: float = 0.0
    kinds: Sequence[str] = ()
    commitment: str = ""
    deck: str = ""
    owner: str = ""
    parameters: Sequence[dict[str, BotValue]] = ()
    practice: bool = False
    again: bool = False
    all_ins: str = ""
    agreed: Collection[int] = ()


class _DescribedTable(Protocol):
    """The table that the messages describe, as ``TableActor`` is."""

    table: Table
    facts: TableFacts
    seats: list[Seat]
    audience: Audience
    progress: view.HandProgress
    hands: int

    def now(self) -> float: ...
    def info(self) -> TableDetails: ...
    def visible_seat(self, seat: int) -> int | None: ...
    def state(self, seat: int) -> str: ...
    def open_cards(self) -> FaceUpCards | None: ...
    def after_hand(self) -> Sequence[ServerMessage]: ...
    def extra_messages(self) -> Sequence[ServerMessage]: ...


class TableUpdates:
    """Sends the updates of one table. Tables with bots alone do no work here."""

    __slots__ = ("_actor", "_last_seats")

    def __init__(self, actor: _DescribedTable) -> None:
        self._actor = actor
        self._last_seats: Seats | None = None

    def after_events(self, events: Sequence[Event | TableEvent]) -> None:
        """Send people what follows from these events, which they already have."""
        actor = self._actor
        hand = actor.table.hand
        if hand is not None and any(type(event) in (HandStarted, BoardDealt) for event in events):
            for number, seat in enumerate(actor.seats):
                connection = seat.connection
                if connection is not None and connection.person:
                    strength = view.strength_message(actor.facts.table, hand, number)
                    if strength is not None:
                        connection.send(strength)
        if any(type(event) is HandStarted for event in events):
            faceup = actor.open_cards()
            if faceup is not None:
                actor.audience.send_to_spectators([faceup])
        if any(type(event) is HandEnded for event in events):
            broadcast(actor.audience.people, actor.after_hand())
        self.send_seats()
        if events:
            self.send_action_on()

    def send_state(self, connection: Connection, seat: int, *, resumed: bool = False) -> None:
        """Send a newcomer the table's state as ``seat`` may see it (-1: a spectator), but not his turn."""
        actor = self._actor
        connection.send(self._match_start(seat, resumed=resumed), urgent=True)
        if actor.audience.people:
            self.send_seats(connection)
        messages: list[ServerMessage] = []
        # Bots get no messages about a hand that is over.
        if actor.table.hand is not None or connection.person:
            progress = actor.progress
            viewer_seat = actor.visible_seat(seat)
            messages += view.hand_messages(
                progress.events,
                actor.facts.table,
                progress.first_seq,
                viewer_seat,
                best_five=connection.person,
            )
        if connection.person:
            faceup = actor.open_cards() if seat < 0 else None
            if faceup is not None:
                messages.append(faceup)
            hand = actor.table.hand
            strength = view.strength_message(actor.facts.table, hand, seat) if hand is not None else None
            messages += [message for message in (strength, self._waiting()) if message is not None]
            messages += actor.extra_messages()
        # All in one frame, so that the state is consistent.
        connection.send_encoded([connection.codec.encode(message) for message in messages], urgent=False)

    def _match_start(self, seat: int, *, resumed: bool) -> MatchStart:
        actor = self._actor
        table, facts = actor.table, actor.facts
        return MatchStart(
            table=facts.table,
            match=facts.match,
            seat=seat,
            players=facts.names,
            game=game_info(table.table_format.game),
            hands=table.table_format.hands,
            reset=facts.reset and not resumed,
            seed=facts.seeds[seat] if seat >= 0 else 0,
            mode=table.table_format.mode,
            time_ms=int(table.clock.decision * 1000),
            bank_ms=int((table.seats[seat].bank if seat >= 0 else table.clock.bank) * 1000),
            hand=table.hand.number if table.hand is not None else actor.hands,
            resumed=resumed,
        )

    def send_seats(self, newcomer: Connection | None = None) -> None:
        """Send people the state of the seats if it has changed, and a newcomer in any case."""
        seats = self._seats()
        if seats != self._last_seats:
            self._last_seats = seats
            broadcast(self._actor.audience.people, [seats])
        elif newcomer is not None and newcomer.person:
            newcomer.send(seats)

    def send_action_on(self) -> None:
        """Send people who is to act, and his time."""
        waiting = self._waiting()
        if waiting is not None:
            broadcast(self._actor.audience.people, [waiting])

    def _waiting(self) -> ActionOn | None:
        actor = self._actor
        table = actor.table
        if table.turn_seat < 0 or table.hand is None:
            return None
        own, bank = table.time_left(actor.now())
        return view.waiting_message(actor.facts.table, table.seq, table.hand, own, bank)

    def _seats(self) -> Seats:
        actor = self._actor
        about = actor.info()
        table_format, hand = actor.table.table_format, actor.table.hand
        return Seats(
            table=actor.facts.table,
            seats=[
                SeatInfo(
                    seat=seat,
                    name=name,
                    kind=about.kinds[seat] if about.kinds else "",
                    stack=table_format.chips(seat),
                    state=actor.state(seat),
                    place=table_format.place(seat),
                    parameters=about.parameters[seat] if about.parameters else {},
                    twice=seat in about.agreed,
                )
                for seat, name in enumerate(actor.facts.names)
            ],
            watchers=len(actor.audience.spectators),
            hand=hand.number if hand is not None else actor.hands,
            pause_ms=int(about.pause * 1000),
            name=about.name,
            mode=table_format.mode,
            game=table_format.title,
            commitment=about.commitment,
            deck=about.deck,
            owner=about.owner,
            practice=about.practice,
            again=about.again,
            all_ins=about.all_ins,
        )
