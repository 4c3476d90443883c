"""What is kept of an open table, so that it can be taken up by another process: plain data, written as JSON.

Facts alone: cards follow from the seed and the number of the hand, and a hand in progress from its events
(``dealer.snapshot``). Who holds a seat is told by name and by what proves it: the identity of his cookie, or
the secret whose SHA-256 is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from msgspec import structs

from dealer.errors import RecordError
from dealer.records.journal import hand_line
from dealer.rules.errors import ReplayError
from dealer.rules.events import Acted, BoardDealt, Event, event_from_data
from dealer.seats import Change
from dealer.snapshot import SavedTable, restore, save
from dealer.table import Table
from protocol.messages import SeriesMatch
from server.tables.config import TablePlan
from server.tables.phases import Step

if TYPE_CHECKING:
    from dealer.formats.format import TableEvent
    from server.tables.actor import TableActor
    from server.tables.open_table import OpenTable
    from server.tables.player import Player

__all__ = [
    "Holder",
    "LastingPlay",
    "LastingTable",
    "Rivalry",
    "decoded",
    "encoded",
    "followed",
    "keep",
    "play_of",
    "take_up",
]


_T = TypeVar("_T")


class Holder(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player as far as he must be known again. ``resume``: the SHA-256, in hex, of his secret; ``token``:
    that of the token which was issued to him, if there is one.
    """

    name: str
    identity: str = ""
    resume: str = ""
    servant: bool = False
    guest: bool = False
    person: bool = False
    token: str = ""

    @classmethod
    def of(cls, player: Player) -> Holder:
        """This player."""
        if player.servant:
            return cls(player.name, servant=True)
        return cls(
            player.name,
            player.identity,
            player.resume_digest,
            guest=player.guest,
            person=player.person,
            token="" if player.grant is None else player.grant.hash,
        )


class LastingPlay(msgspec.Struct, frozen=True):
    """The course of a match, by seat where not said otherwise. ``events``: of the hand in progress, as in a
    journal, and ``first`` the number of the first of them; ``dealt``: whose cards in it they are who hold the
    seats.
    """

    table: SavedTable
    events: msgspec.Raw
    first: int
    started: bool
    ready: list[bool]
    totals: list[int | float]
    hands: int
    incidents: list[dict[str, int]]
    names: list[str]
    seeds: list[int]
    holders: list[Holder | None]
    dealt: list[bool]


class Rivalry(msgspec.Struct, frozen=True):
    """What a challenge has besides. ``nets`` and ``rival_nets``: won or lost, hand by hand; ``run`` of the
    rival's record; ``play`` of his run while it lasts.
    """

    player: str
    nets: list[int | float]
    rival: str = ""
    rival_nets: list[int | float] = []
    over: bool = False
    run: int = 0
    play: LastingPlay | None = None


class LastingTable(msgspec.Struct, frozen=True, omit_defaults=True):
    """An open table. ``seed`` in hex; ``run``: number of its record; ``resting``: the match is over, and its
    result stands on the table; ``seated``: name and identity by seat when the hand in progress began;
    ``standing``: opened by the command line, and not for somebody, its ``owner``; ``source``: to whose limit
    of open tables it counts.
    """

    plan: TablePlan
    seed: str
    match: int
    run: int
    play: LastingPlay
    resting: bool = False
    results: list[SeriesMatch] = []
    seated: list[tuple[str, str]] = []
    standing: bool = False
    owner: Holder | None = None
    source: tuple[str, str] | None = None
    rivalry: Rivalry | None = None

    @property
    def guests(self) -> bool:
        """Whether somebody from outside has a seat."""
        return any(holder is not None and not holder.servant for holder in self.play.holders)


class _Step(msgspec.Struct, frozen=True, array_like=True):
    """What a hand at a table went on by: events up to number ``seq`` (not included), and how it stands since
    with the ``seat`` that acted first.
    """

    table: str
    run: int
    seq: int
    seat: int
    bank: float
    missed: int
    absent: bool
    events: list[list[Any]]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(LastingTable).decode
_step = msgspec.json.Decoder(_Step).decode


def encoded(table: LastingTable) -> bytes:
    """As it is written."""
    return _encode(table)


def decoded(text: str) -> LastingTable:
    """As it was. Raises ``RecordError`` (``bad_table``)."""
    try:
        return _decode(text)
    except msgspec.DecodeError as error:
        raise RecordError("bad_table", f"this is no table: {error}") from None


def keep(actor: OpenTable, events: Sequence[Event | TableEvent] = ()) -> None:
    """Have it kept how a table stands; of a hand that goes on, what it has just gone on by."""
    record = actor.record
    if record is None:
        return
    for event in events:
        if type(event) is not Acted and type(event) is not BoardDealt:
            break
    else:
        if events:
            line = _line(actor.facts.table, actor.run, actor.table, cast("Sequence[Event]", events))
            record.follows(lambda: encoded(actor.lasting()), line)
            return
    record.stands(lambda: encoded(actor.lasting()))


def _line(name: str, run: int, table: Table, events: Sequence[Event]) -> bytes:
    """A ``_Step``. The first event is that of the seat that acted."""
    first = events[0]
    assert type(first) is Acted
    seat = first.seat
    absent = "true" if table.seats[seat].absent else "false"
    changed = f"{seat},{table.seats[seat].bank},{table.seats[seat].missed},{absent}"
    return f'["{name}",{run},{table.seq},{changed},{hand_line(events).rstrip()}]\n'.encode()


def followed(name: str, was: LastingTable, lines: Iterable[bytes]) -> LastingTable:
    """The table as the lines say that its hand went on. Those that say nothing of it are passed over: lines
    of other tables and other matches, and older ones. Raises ``RecordError`` (``bad_table``): something is
    missing between them.
    """
    events, table = msgspec.json.decode(was.play.events), was.play.table
    for line in lines:
        if not line:
            continue
        try:
            step = _step(line)
        except ValueError as error:
            raise RecordError("bad_table", f"this is no step of a hand: {error}") from None
        if (step.table, step.run) != (name, was.run) or step.seq <= table.seq:
            continue
        if step.seq - len(step.events) != table.seq or not 0 <= step.seat < len(table.banks):
            raise RecordError("bad_table", f"what happened at {name} after event {table.seq} is missing")
        events += step.events
        table = replace(
            table,
            seq=step.seq,
            banks=_with(table.banks, step.seat, step.bank),
            missed=_with(table.missed, step.seat, step.missed),
            absent=_with(table.absent, step.seat, step.absent),
        )
    if table is was.play.table:
        return was
    play = structs.replace(was.play, table=table, events=msgspec.Raw(msgspec.json.encode(events)))
    return structs.replace(was, play=play)


def _with(values: tuple[_T, ...], seat: int, value: _T) -> tuple[_T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def play_of(actor: TableActor) -> LastingPlay:
    """The match at this table as it stands."""
    hand = actor.table.hand
    return LastingPlay(
        table=save(actor.table),
        events=msgspec.Raw(b"[]" if hand is None else hand_line(hand.events).rstrip().encode()),
        first=actor.course.first if hand is not None else 0,
        started=actor.started,
        ready=[seat.ready for seat in actor.seats],
        totals=[seat.total for seat in actor.seats],
        hands=actor.hands,
        incidents=[dict(seat.incidents) for seat in actor.seats],
        names=actor.facts.names,
        seeds=list(actor.facts.seeds),
        holders=[None if player is None else Holder.of(player) for player in actor.players],
        dealt=[seat.dealt_in for seat in actor.seats],
    )


def take_up(actor: TableActor, was: LastingPlay, player_of: Callable[[Holder], Player]) -> None:
    """Bring a fresh table to where the match stood, with the same players; nobody is asked yet, see
    ``dealer.snapshot``. Raises ``RecordError`` (``bad_table``).
    """
    seats = len(actor.seats)
    by_seat = was.ready, was.totals, was.incidents, was.names, was.seeds, was.holders, was.dealt
    if any(len(values) != seats for values in by_seat):
        raise RecordError("bad_table", f"this is no table of {seats} seats")
    try:
        events = [event_from_data(data) for data in msgspec.json.decode(was.events)]
    except (ReplayError, msgspec.DecodeError, TypeError) as error:
        raise RecordError("bad_table", f"this is no hand: {error}") from None
    restore(actor.table, was.table, events)
    for seq, event in enumerate(events, was.first):
        actor.course.add(event, seq)
    if was.started:
        actor.step(Step.BEGIN)
    actor.hands = was.hands
    actor.facts = actor.facts._replace(names=list(was.names), seeds=list(was.seeds))
    for number, seat in enumerate(actor.seats):
        seat.total, seat.incidents = was.totals[number], Counter(was.incidents[number])
        holder = was.holders[number]
        if holder is None:
            continue
        player = seat.player = player_of(holder)
        player.seats[actor.facts.table] = (actor, number)
        seat.dealt_to = player if was.dealt[number] else None
        # To him it is a new connection, as after any other that was lost.
        seat.change(Change.RESTORED_READY if was.ready[number] else Change.RESTORED)
