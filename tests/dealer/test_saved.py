"""A table that is taken up from what was kept of it goes on as if nothing had been."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dealer.deck import secure_deals
from dealer.errors import RecordError
from dealer.formats.cash import Cash
from dealer.formats.fixed import Challenge
from dealer.formats.format import Stakes
from dealer.formats.tournament import Level, Tournament
from dealer.rules.actions import CALL
from dealer.rules.events import Acted, Event, HandStarted
from dealer.snapshot import SavedTable, restore, save
from dealer.table import Clock, Table
from tests.dealer.records.played import random_action
from tests.dealer.table_state import state
from tests.support.deals import SEED, deals_for

SEATS = 4
STAKES = Stakes(5, 10, 1, stack=200)
LEVELS = (Level(5, 10, 0, 3), Level(10, 20, 2, 3), Level(40, 80, 0, 3))
PLAYS: dict[str, Callable[[], Cash | Challenge | Tournament]] = {
    "cash": lambda: Cash(SEATS, STAKES, deals_for, all_seated=True),
    "drawn": lambda: Cash(
        SEATS, STAKES._replace(rules="pushfold", depth=(2, 12)), deals_for, all_seated=True
    ),
    "limit": lambda: Cash(SEATS, STAKES._replace(limit=True), deals_for, all_seated=True),
    "tournament": lambda: Tournament(SEATS, LEVELS, 200, deals_for),
    "challenge": lambda: Challenge(SEATS, STAKES, deals_for, 30),
}


def table_of(mode: str) -> Table:
    return Table(PLAYS[mode](), SEATS, Clock(10.0, 30.0))


def events_of(table: Table) -> list[Event]:
    return [] if table.hand is None else list(table.hand.events)


def whole(table: Table) -> dict[str, Any]:
    """All but the objects, which are others."""
    found = state(table)
    hand = found.pop("hand")
    names = [name for name in dir(table.table_format) if not name.startswith("__")]
    values = {name: getattr(table.table_format, name) for name in names}
    play = {name: value for name, value in values.items() if not callable(value)}
    for passing in ("_deals", "_games", "paused"):
        play.pop(passing, None)
    return {
        **found,
        **play,
        "undealt": None if hand is None else hand.board,
        "attendance": [seat.attendance for seat in table.seats],
    }


def disturb(table: Table, source: random.Random, now: float) -> None:
    """What people do besides playing."""
    seat = source.randrange(SEATS)
    what = source.random()
    if what < 0.05:
        table.set_absent(seat, not table.seats[seat].is_absent, now)
    elif what < 0.07:
        table.set_leaving(seat)
    elif what < 0.15 and isinstance(table.table_format, Cash):
        move = source.choice(["sit_in", "sit_out", "leave", "blind"])
        if move == "blind" and not table.table_format.is_sitting_out(seat):
            table.table_format.sit_out(seat, at_blind=True)
        elif move != "blind":
            getattr(table.table_format, move)(seat)


def step(table: Table, source: random.Random, now: float) -> None:
    if table.turn_seat < 0:
        table.tick(now)
        table.start(now)
    elif source.random() < 0.03:
        table.tick(now + 100.0)
    else:
        assert table.hand is not None
        table.act(table.turn_seat, table.turn, random_action(table.hand, source), now)


@pytest.mark.parametrize("mode", PLAYS)
def test_at_any_moment(mode: str) -> None:
    resumed = 0
    for seed in range(3):
        source = random.Random(seed)
        table = table_of(mode)
        for moment in range(120):
            now = float(moment)
            step(table, source, now)
            disturb(table, source, now)
            again = table_of(mode)
            restore(again, save(table), events_of(table))
            again.reopen_turn(now)
            if table.turn_seat >= 0:
                table.reopen_turn(now)
                resumed += 1
            else:
                again.deadline = table.deadline
            again.turn_started = table.turn_started
            assert whole(again) == whole(table)
            # From here on it is the one that was taken up that plays: what is wrong with it would grow.
            table = again
    assert resumed > 20


def test_a_hand_that_is_played_again_does_not_count_afterwards_either() -> None:
    table = table_of("cash")
    cash = table.table_format
    assert isinstance(cash, Cash)
    table.start(0.0)
    assert table.hand is not None
    first = table.hand
    cash.play_again(first.seats, first.betting.stacks)
    while table.hand is first:
        table.act(table.turn_seat, table.turn, CALL, 1.0)
    after = cash.kept_stacks
    assert after
    other = table_of("cash")
    restore(other, save(table), events_of(table))
    other.reopen_turn(2.0)
    for one in (table, other):
        again = one.hand
        assert again is not None
        assert again.hole == first.hole
        while one.hand is again:
            one.act(one.turn_seat, one.turn, CALL, 3.0)
        assert isinstance(one.table_format, Cash)
        assert one.table_format.stacks == after
        assert one.table_format.hand == first.number + 1
    with pytest.raises(RecordError):
        restore(table_of("cash"), replace(save(table), kept=(1,)), events_of(table))


def in_progress() -> tuple[SavedTable, list[Event]]:
    table = table_of("cash")
    table.start(0.0)
    table.act(table.turn_seat, table.turn, CALL, 1.0)
    return save(table), events_of(table)


def test_the_clock_begins_when_it_is_told_to() -> None:
    saved, events = in_progress()
    table = table_of("cash")
    restore(table, saved, events)
    assert (table.turn_seat, table.deadline) == (-1, None)
    table.reopen_turn(100.0)
    assert table.turn_seat >= 0
    assert table.deadline == 140.0
    assert table.time_left(70.0) == table.time_left(100.0) == (10.0, 30.0)
    assert table.tick(139.0) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"absent": (False,)},
        {"stacks": ()},
        {"banks": (1.0,) * 5},
        {"leaving": (4,)},
        {"left": (-1,)},
        {"button": 4},
        {"hand": 7},
        {"hand": -1},
    ],
)
def test_what_cannot_have_been_is_refused(wrong: dict[str, Any]) -> None:
    saved, events = in_progress()
    with pytest.raises(RecordError) as refused:
        restore(table_of("cash"), replace(saved, **wrong), events)
    assert refused.value.code == "bad_table"


def test_a_hand_of_another_seed_or_with_other_events_is_refused() -> None:
    saved, events = in_progress()
    started = events[0]
    assert isinstance(started, HandStarted)
    swapped = started._replace(hole=(started.hole[1], started.hole[0], *started.hole[2:]))
    acted = Acted(started.seats[0], "raise", 10**6, 10**6, False)
    for wrong in ([swapped, *events[1:]], [*events, acted], events[1:]):
        with pytest.raises(RecordError, match=str(started.hand)):
            restore(table_of("cash"), saved, wrong)
    other = Table(
        Cash(SEATS, STAKES, lambda game: secure_deals(SEED[::-1], 0, game)), SEATS, Clock(10.0, 30.0)
    )
    with pytest.raises(RecordError) as refusal:
        restore(other, saved, events)
    assert refusal.value.code == "bad_table"
