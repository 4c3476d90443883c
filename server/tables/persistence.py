"""Save a running table, and restore it. See ``snapshot`` for the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

import msgspec

from dealer.errors import RecordError
from dealer.formats.format import TableEvent
from dealer.records.journal import hand_line
from dealer.rules.errors import ReplayError
from dealer.rules.events import Acted, BoardDealt, Event, event_from_data
from dealer.seats import Change
from dealer.snapshot import restore, save
from dealer.table import Table
from server.storage.hand_store import TableRecorder
from server.tables.actor import TableActor
from server.tables.phases import Step
from server.tables.player import Player
from server.tables.snapshot import MatchSnapshot, SeatHolder, TableSnapshot, encode


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
