"""A table as plain data, from which it can be taken up where it stood: the hand in progress, too.

Kept are the facts alone. What follows from them is worked out again and compared: cards from the seed, the
hand from its events, the blind level from the number of the hand. Not kept is the time: whoever is asked is
asked anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dealer.errors import RecordError
from dealer.formats import Cash, Challenge, LevelRaised, Tournament, level_at
from dealer.rules.errors import GameError, ReplayError
from dealer.rules.events import Chips, Event, HandStarted
from dealer.rules.hand import Hand, replay
from dealer.table import Table

__all__ = ["SavedTable", "restore", "save"]


@dataclass(frozen=True, slots=True)
class SavedTable:
    """What must be known of an open table besides its settings, its seed, and the events of the hand in
    progress. By seat, where not said otherwise; ``hand`` is the number of the last hand that was begun
    (challenge: ended), ``button`` a seat or -1.
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
    #: Of a cash game: seats whose holder left during the hand, and that play until their next big blind.
    left: tuple[int, ...] = ()
    until_blind: tuple[int, ...] = ()


def save(table: Table) -> SavedTable:
    """An open table as it stands; the events of its hand are in ``table.hand.events``."""
    play = table.play
    assert isinstance(play, Cash | Challenge | Tournament)
    moving = None if isinstance(play, Challenge) else play
    cash = play if isinstance(play, Cash) else None
    return SavedTable(
        seq=table.seq,
        hand=play.hand,
        absent=tuple(table.absent),
        missed=tuple(table.missed),
        banks=tuple(table.banks),
        leaving=tuple(sorted(table.leaving)),
        button=-1 if moving is None else moving.button,
        stacks=() if moving is None else tuple(moving.stacks),
        playing=() if moving is None else tuple(moving.playing),
        places=tuple(play.places) if isinstance(play, Tournament) else (),
        left=() if cash is None else tuple(sorted(cash.left)),
        until_blind=() if cash is None else tuple(sorted(cash.until_blind)),
    )


def restore(table: Table, saved: SavedTable, events: Sequence[Event]) -> None:
    """Bring a fresh table to where another one of the same settings and seed stood. ``events``: those of the
    hand in progress, or none. Nobody is asked before ``Table.reopen``, and no hand dealt before ``start``.

    Raises ``RecordError`` (``bad_table``): this cannot have been so; the table is of no use then.
    """
    play, seats = table.play, len(table.absent)
    assert isinstance(play, Cash | Challenge | Tournament)
    _check(saved, seats, play)
    table.absent[:] = saved.absent
    table.missed[:] = saved.missed
    table.banks[:] = saved.banks
    table.leaving.update(saved.leaving)
    play.hand = saved.hand
    if isinstance(play, Cash | Tournament):
        play.button = saved.button
        play.stacks[:] = saved.stacks
        play.playing[:] = saved.playing
    if isinstance(play, Cash):
        play.left.update(saved.left)
        play.until_blind.update(saved.until_blind)
    elif isinstance(play, Tournament):
        play.places[:] = saved.places
        level = level_at(play.levels, saved.hand + (not events and not play.over))
        play.level = level
        play.stakes = play.stakes_of(LevelRaised(level.small_blind, level.big_blind, level.ante))
    if events:
        table.hand = _hand(play, events)
    table.seq = saved.seq
    table.over = play.over


def _check(saved: SavedTable, seats: int, play: Cash | Challenge | Tournament) -> None:
    by_seat: list[Sequence[object]] = [saved.absent, saved.missed, saved.banks]
    if isinstance(play, Cash | Tournament):
        by_seat += [saved.stacks, saved.playing]
    if isinstance(play, Tournament):
        by_seat.append(saved.places)
    named = {*saved.leaving, *saved.left, *saved.until_blind}
    good = all(len(values) == seats for values in by_seat)
    if not good or not named <= set(range(seats)) or not -1 <= saved.button < seats or saved.hand < 0:
        raise RecordError("bad_table", f"no table of {seats} seats can stand so: {saved}")


def _hand(play: Cash | Challenge | Tournament, events: Sequence[Event]) -> Hand:
    """The hand in progress, dealt again from the seed and played again from its events."""
    started = events[0]
    if not isinstance(started, HandStarted) or started.hand != play.hand + isinstance(play, Challenge):
        raise RecordError("bad_table", f"hand {play.hand} does not begin with {started}")
    game, deals = play.sources(len(started.seats), play.stakes)
    try:
        hand = replay(game, events, muck=True, cards=deals.deal(started.hand))
    except (GameError, ReplayError) as error:
        raise RecordError("bad_table", f"hand {started.hand} was not played so: {error}") from None
    if hand.over:
        raise RecordError("bad_table", f"hand {started.hand} is not in progress")
    return hand
