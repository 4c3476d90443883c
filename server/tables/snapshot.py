"""The stored state of an open table, from which another process continues: plain data, written as JSON; how a
running table is saved, and restored.

Cards follow from the seed and the number of the hand, and the hand in progress from its events
(``dealer.snapshot``). Seats are held by name and proof: the identity of a cookie, or the SHA-256 of a secret.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec import structs

from dealer.errors import RecordError
from dealer.formats.format import TableEvent
from dealer.records.journal import hand_line
from dealer.rules.errors import ReplayError
from dealer.rules.events import Acted, BoardDealt, Event, event_from_data
from dealer.seats import Change
from dealer.snapshot import SavedTable, restore, save
from dealer.table import Table
from protocol.people import BotValue, PersonScore, SeriesMatch
from server.storage.hand_store import TableRecorder
from server.tables.actor import TableActor
from server.tables.config import TableConfig
from server.tables.phases import Step
from server.tables.player import Player

_T = TypeVar("_T")


class SeatHolder(msgspec.Struct, frozen=True, omit_defaults=True):
    """What identifies a player. ``resume``: SHA-256 of his secret, in hex; ``token``: that of his issued
    token, if any; ``address``: of his last connection; ``parameters``: of a house bot that has its own.
    """

    name: str
    identity: str = ""
    resume: str = ""
    is_house_bot: bool = msgspec.field(default=False, name="servant")
    guest: bool = False
    person: bool = False
    token: str = ""
    address: str = ""
    parameters: dict[str, BotValue] = {}

    @classmethod
    def of(cls, player: Player) -> SeatHolder:
        """Return the record of this player."""
        if player.is_house_bot:
            return cls(player.name, is_house_bot=True, parameters=player.parameters)
        return cls(
            player.name,
            player.identity,
            player.resume_digest,
            guest=player.guest,
            person=player.is_person,
            token="" if player.grant is None else player.grant.hash,
            address=player.address,
        )


class MatchSnapshot(msgspec.Struct, frozen=True):
    """The state of a match, by seat unless stated otherwise. ``events``: of the hand in progress, as in a
    journal; ``first``: the number of the first event; ``dealt``: who was dealt into that hand.
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
    holders: list[SeatHolder | None]
    dealt: list[bool]


class ChallengeSnapshot(msgspec.Struct, frozen=True):
    """The additional state of a challenge. ``nets`` and ``rival_nets``: chips won, by hand; ``run``: number
    of the rival's record; ``match_state``: of his run in progress; ``rival_run``: the run of a friend's
    rival, whose result is known.
    """

    player: str
    nets: list[int | float]
    rival: str = ""
    rival_nets: list[int | float] = []
    over: bool = False
    run: int = 0
    match_state: MatchSnapshot | None = msgspec.field(default=None, name="play")
    rival_run: str = ""


class TableSnapshot(msgspec.Struct, frozen=True, omit_defaults=True):
    """An open table. ``seed`` in hex; ``run``: number of its record; ``resting``: the match is over and its
    result is displayed; ``seated``: name and identity by seat when the hand in progress began; ``permanent``:
    opened by the command line or an administrator, not by an ``owner``; ``source``: whose limit of open
    tables it counts against; ``paused``: by an administrator; ``result_runs``: numbers of the records of
    ``results``; ``score``: of the person who played alone; ``hints``: that he has had.
    """

    config: TableConfig = msgspec.field(name="plan")
    seed: str
    match: int
    run: int
    match_state: MatchSnapshot = msgspec.field(name="play")
    resting: bool = False
    results: list[SeriesMatch] = []
    seated: list[tuple[str, str]] = []
    permanent: bool = msgspec.field(default=False, name="standing")
    owner: SeatHolder | None = None
    source: tuple[str, str] | None = None
    paused: bool = False
    result_runs: list[int] = []
    score: PersonScore | None = None
    rivalry: ChallengeSnapshot | None = None
    hints: int = 0

    @property
    def has_guests(self) -> bool:
        """Return whether somebody other than a house bot has a seat."""
        return any(holder is not None and not holder.is_house_bot for holder in self.match_state.holders)


class _Step(msgspec.Struct, frozen=True, array_like=True):
    """A step of a hand: the events up to number ``seq`` (exclusive), and the state after them. The first
    event is an action of ``seat``.
    """

    table: str
    run: int
    seq: int
    seat: int
    bank: float
    missed: int
    absent: bool
    events: list[list[Any]]


#: Returns the stored form of a ``TableSnapshot``.
encode: Final = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(TableSnapshot).decode
_step = msgspec.json.Decoder(_Step).decode


def decode(text: str) -> TableSnapshot:
    """Read the stored form. Raises ``RecordError`` (``bad_table``)."""
    try:
        return _decode(text)
    except msgspec.DecodeError as error:
        raise RecordError("bad_table", f"this is no table: {error}") from None


def apply_steps(name: str, snapshot: TableSnapshot, lines: Iterable[bytes]) -> TableSnapshot:
    """Return the table after the steps in ``lines``. Lines of other tables, other matches and earlier hands
    are skipped. Raises ``RecordError`` (``bad_table``) if steps are missing.
    """
    events, table = msgspec.json.decode(snapshot.match_state.events), snapshot.match_state.table
    for line in lines:
        if not line:
            continue
        try:
            step = _step(line)
        except ValueError as error:
            raise RecordError("bad_table", f"this is no step of a hand: {error}") from None
        if (step.table, step.run) != (name, snapshot.run) or step.seq <= table.seq:
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
    if table is snapshot.match_state.table:
        return snapshot
    match_state = structs.replace(
        snapshot.match_state, table=table, events=msgspec.Raw(msgspec.json.encode(events))
    )
    return structs.replace(snapshot, match_state=match_state)


def _with(values: tuple[_T, ...], seat: int, value: _T) -> tuple[_T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def save_table(
    actor: TableActor,
    record: TableRecorder | None,
    snapshot: Callable[[], TableSnapshot],
    events: Sequence[Event | TableEvent] = (),
) -> None:
    """Save the state of a table; of a hand in progress, only the latest events."""
    if record is None:
        return
    for event in events:
        if type(event) is not Acted and type(event) is not BoardDealt:
            break
    else:
        if events:
            line = _line(actor.facts.table, record.number, actor.table, cast("Sequence[Event]", events))
            record.append_step(lambda: encode(snapshot()), line)
            return
    record.save_state(lambda: encode(snapshot()))


def _line(name: str, run: int, table: Table, events: Sequence[Event]) -> bytes:
    """Return a ``_Step``. The first event is that of the seat that acted."""
    first = events[0]
    assert type(first) is Acted
    seat = first.seat
    absent = "true" if table.seats[seat].is_absent else "false"
    changed = f"{seat},{table.seats[seat].bank},{table.seats[seat].missed_turns},{absent}"
    return f'["{name}",{run},{table.seq},{changed},{hand_line(events).rstrip()}]\n'.encode()


def match_snapshot(actor: TableActor) -> MatchSnapshot:
    """Return the state of the match at this table."""
    hand = actor.table.hand
    return MatchSnapshot(
        table=save(actor.table),
        events=msgspec.Raw(b"[]" if hand is None else hand_line(hand.events).rstrip().encode()),
        first=actor.progress.first_seq if hand is not None else 0,
        started=actor.started,
        ready=[seat.ready for seat in actor.seats],
        totals=[seat.total for seat in actor.seats],
        hands=actor.hands,
        incidents=[dict(seat.incidents) for seat in actor.seats],
        names=actor.facts.names,
        seeds=list(actor.facts.seeds),
        holders=[None if player is None else SeatHolder.of(player) for player in actor.players],
        dealt=[seat.dealt_in for seat in actor.seats],
    )


def restore_match(
    actor: TableActor, snapshot: MatchSnapshot, player_of: Callable[[SeatHolder], Player]
) -> None:
    """Bring a new table to the state of the match, with the same players. Nobody is asked to act yet; see
    ``dealer.snapshot``. Raises ``RecordError`` (``bad_table``).
    """
    seats = len(actor.seats)
    by_seat = (
        snapshot.ready,
        snapshot.totals,
        snapshot.incidents,
        snapshot.names,
        snapshot.seeds,
        snapshot.holders,
        snapshot.dealt,
    )
    if any(len(values) != seats for values in by_seat):
        raise RecordError("bad_table", f"this is no table of {seats} seats")
    try:
        events = [event_from_data(data) for data in msgspec.json.decode(snapshot.events)]
    except (ReplayError, msgspec.DecodeError, TypeError) as error:
        raise RecordError("bad_table", f"this is no hand: {error}") from None
    restore(actor.table, snapshot.table, events)
    for seq, event in enumerate(events, snapshot.first):
        actor.progress.add(event, seq)
    if snapshot.started:
        actor.step(Step.BEGIN)
    actor.hands = snapshot.hands
    actor.facts = actor.facts._replace(names=list(snapshot.names), seeds=list(snapshot.seeds))
    for number, seat in enumerate(actor.seats):
        seat.total, seat.incidents = snapshot.totals[number], Counter(snapshot.incidents[number])
        holder = snapshot.holders[number]
        if holder is None:
            continue
        player = seat.player = player_of(holder)
        player.seats[actor.facts.table] = (actor, number)
        seat.dealt_to = player if snapshot.dealt[number] else None
        # To the player it is a new connection, as after any lost one.
        seat.change(Change.RESTORED_READY if snapshot.ready[number] else Change.RESTORED)
