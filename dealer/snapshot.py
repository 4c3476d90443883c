"""A table as plain data, from which it can be restored, including a hand in progress.

Only facts are saved. What follows from them is recomputed and compared: cards from the seed, the hand from
its events, the blind level from the number of the hand. Time is not saved: the player to act is asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dealer.errors import RecordError
from dealer.formats.carry_over import CarryOverStacks
from dealer.formats.cash import Cash
from dealer.formats.fixed import Challenge
from dealer.formats.format import LevelRaised, OpenFormat
from dealer.formats.tournament import Tournament, level_at
from dealer.rules.errors import GameError, ReplayError
from dealer.rules.events import Chips, Event, HandStarted
from dealer.rules.hand import HandState, replay
from dealer.seats import Attendance, Dealt
from dealer.table import Table


@dataclass(frozen=True, slots=True)
class SavedTable:
    """The state of an open table, without its settings, its seed, and the events of the hand in progress. By
    seat, unless stated otherwise; ``hand`` is the number of the last hand begun (in a challenge: ended),
    ``button`` a seat or -1.
    """

    seq: int
    hand: int
    absent: tuple[bool, ...]
    missed: tuple[int, ...]
    #: Seconds.
    banks: tuple[float, ...]
    #: Seats that will be absent from the next hand on.
    leaving: tuple[int, ...] = ()
    button: int = -1
    stacks: tuple[Chips, ...] = ()
    playing: tuple[bool, ...] = ()
    #: Of a tournament.
    places: tuple[int, ...] = ()
    #: Of a cash game: seats whose holder left during the hand, and seats that play until their next big
    #: blind.
    left: tuple[int, ...] = ()
    until_blind: tuple[int, ...] = ()
    #: Of a cash game in which a hand is played again: the stacks after it.
    kept: tuple[Chips, ...] = ()
    #: Of a cash game: seats whose players have agreed to run it twice.
    agreed: tuple[int, ...] = ()


def save(table: Table) -> SavedTable:
    """Return the state of an open table; the events of its hand are in ``table.hand.events``."""
    play, seats = table.table_format, table.seats
    assert isinstance(play, OpenFormat)
    carry_over = play if isinstance(play, CarryOverStacks) else None
    dealt = [] if carry_over is None else carry_over.dealt
    return SavedTable(
        seq=table.seq,
        hand=play.hand,
        absent=tuple(seat.is_absent for seat in seats),
        missed=tuple(seat.missed_turns for seat in seats),
        banks=tuple(seat.bank for seat in seats),
        leaving=_seats(seat.attendance is Attendance.LEAVING for seat in seats),
        button=-1 if carry_over is None else carry_over.button,
        stacks=() if carry_over is None else tuple(carry_over.stacks),
        playing=tuple(state is not Dealt.OUT for state in dealt),
        places=tuple(play.places) if isinstance(play, Tournament) else (),
        left=tuple(sorted(play.left_during_hand)) if isinstance(play, Cash) else (),
        until_blind=_seats(state is Dealt.UNTIL_BLIND for state in dealt),
        kept=tuple(play.kept_stacks or ()) if isinstance(play, Cash) else (),
        agreed=tuple(sorted(play.agreed)) if isinstance(play, Cash) else (),
    )


def _seats(chosen: Iterable[bool]) -> tuple[int, ...]:
    return tuple(seat for seat, wanted in enumerate(chosen) if wanted)


def restore(table: Table, saved: SavedTable, events: Sequence[Event]) -> None:
    """Restore a new table with the same settings and seed. ``events``: those of the hand in progress, or
    none. Nobody is asked before ``Table.reopen_turn``, and no hand is dealt before ``start``.

    Raises ``RecordError`` (``bad_table``) for impossible states; then the table must not be used.
    """
    play = table.table_format
    assert isinstance(play, OpenFormat)
    _check(saved, len(table.seats), play)
    for number, seat in enumerate(table.seats):
        seat.attendance = _attendance(saved, number)
        seat.missed_turns, seat.bank = saved.missed[number], saved.banks[number]
    play.hand = saved.hand
    if isinstance(play, CarryOverStacks):
        play.button = saved.button
        play.stacks[:] = saved.stacks
        play.dealt[:] = (_dealt(saved, seat) for seat in range(len(table.seats)))
    if isinstance(play, Cash):
        play.left_during_hand.update(saved.left)
        play.kept_stacks = list(saved.kept) or None
        play.agreed.update(saved.agreed)
    if isinstance(play, Tournament):
        play.places[:] = saved.places
        level = level_at(play.levels, saved.hand + (not events and not play.over))
        play.level = level
        play.stakes = play.stakes_of(LevelRaised(level.small_blind, level.big_blind, level.ante))
    if events:
        table.hand = _hand(play, events)
    table.seq = saved.seq
    table.over = play.over


def _attendance(saved: SavedTable, seat: int) -> Attendance:
    if saved.absent[seat]:
        return Attendance.ABSENT
    return Attendance.LEAVING if seat in saved.leaving else Attendance.PRESENT


def _dealt(saved: SavedTable, seat: int) -> Dealt:
    if not saved.playing[seat]:
        return Dealt.OUT
    return Dealt.UNTIL_BLIND if seat in saved.until_blind else Dealt.IN


def _check(saved: SavedTable, seats: int, play: OpenFormat) -> None:
    by_seat: list[Sequence[object]] = [saved.absent, saved.missed, saved.banks]
    if isinstance(play, CarryOverStacks):
        by_seat += [saved.stacks, saved.playing]
    if isinstance(play, Tournament):
        by_seat.append(saved.places)
    if saved.kept:
        by_seat.append(saved.kept)
    named = {*saved.leaving, *saved.left, *saved.until_blind, *saved.agreed}
    good = all(len(values) == seats for values in by_seat)
    if not good or not named <= set(range(seats)) or not -1 <= saved.button < seats or saved.hand < 0:
        raise RecordError("bad_table", f"the saved state does not fit a table of {seats} seats: {saved}")


def _hand(play: OpenFormat, events: Sequence[Event]) -> HandState:
    """Return the hand in progress, dealt again from the seed and replayed from its events."""
    started = events[0]
    if not isinstance(started, HandStarted) or started.hand != play.hand + isinstance(play, Challenge):
        raise RecordError("bad_table", f"hand {play.hand} does not begin with {started}")
    game, deals = play.game_and_deals(len(started.seats), play.stakes)
    try:
        hand = replay(game, events, muck=True, cards=deals.deal(started.hand))
    except (GameError, ReplayError) as error:
        raise RecordError("bad_table", f"hand {started.hand} was not played so: {error}") from None
    if isinstance(play, CarryOverStacks):
        hand.all_ins = play.all_ins(game, started.hand)
    if hand.over:
        raise RecordError("bad_table", f"hand {started.hand} is not in progress")
    return hand
