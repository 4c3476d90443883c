"""Recorded sessions that are dealt again with one player asked anew."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import chain

import pytest

from dealer.deck import secure_deals
from dealer.errors import RecordError
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import TableEvent, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.recorded_table import RecordedTable
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Acted, Event, HandEnded, HandStarted
from dealer.rules.games import load_game
from dealer.table import Clock, Table, TurnRefused
from tests.dealer.records.played import random_action

CLOCK = Clock(decision=10.0, bank=5.0)
LIMIT = load_game("holdem.limit.3p")
NO_LIMIT = load_game("holdem.nolimit.3p")
SEED = bytes(range(32))

Decide = Callable[[Table], Action]


def fixed() -> TableFormat:
    return FixedStacks(NO_LIMIT, secure_deals(SEED, 0, NO_LIMIT), 40)


def limit() -> TableFormat:
    return FixedStacks(LIMIT, secure_deals(SEED, 0, LIMIT), 40)


def tournament() -> TableFormat:
    levels = [Level(50, 100), Level(200, 400)]
    return Tournament(3, levels, 40_000, lambda game: secure_deals(SEED, 0, game))


FORMATS = {"fixed": fixed, "limit": limit, "tournament": tournament}


def chooser(seed: int) -> Decide:
    source = random.Random(seed)
    return lambda table: random_action(table.hand, source) if table.hand else CALL


class Recorded:
    """A session in which the player in seat 1 lets some turns time out, and is away for some hands."""

    def __init__(self, make: Callable[[], TableFormat]) -> None:
        self.make = make
        self.hands: list[list[Event]] = []
        self.decided: list[Action] = []
        table = Table(make(), 3, CLOCK, max_missed_turns=1)
        choose = [chooser(seed) for seed in range(3)]
        self._keep(table.start(0.0))
        turns = 0
        while not table.over:
            seat = table.turn_seat
            action = choose[seat](table)
            if seat == 1:
                self.decided.append(action)
                turns += 1
                if turns % 7 == 4:
                    assert table.deadline is not None
                    self._keep(table.tick(table.deadline))
                    continue
            if table.hand and table.hand.number % 3 == 0 and table.seats[1].is_absent:
                self._keep(table.set_absent(1, False, 0.0))
            self._keep(table.act(seat, table.turn, action, table.turn_started))

    def _keep(self, events: Sequence[Event | TableEvent]) -> None:
        for event in events:
            if isinstance(event, HandStarted):
                self.hands.append([])
            if isinstance(event, Event):
                self.hands[-1].append(event)


class Replayed:
    """``decided`` put into the record; ``seen`` are the pairs of recorded and new actions."""

    def __init__(
        self, recorded: Recorded, decided: Sequence[Action], *, stop: bool = False, turned: bool = False
    ) -> None:
        self.seen: list[tuple[Acted, Acted]] = []
        self.events: list[Event | TableEvent] = []
        self._stop = stop
        self.table = RecordedTable(recorded.make(), 3, CLOCK, recorded.hands, 1, self._see)
        self.events += self.table.start(0.0)
        for said in decided:
            if self.table.over:
                break
            assert self.table.turn_seat == 1
            assert self.table.deadline is None
            assert self.table.time_left(1e9) == CLOCK
            passive = FOLD if self.table.legal().fold else CALL
            action = passive if turned else said
            self.events += self.table.act(1, self.table.turn, action, 1e9)

    def _see(self, recorded: Acted, now: Acted) -> bool:
        self.seen.append((recorded, now))
        return not self._stop or bool(recorded.forced) or recorded == now

    @property
    def differences(self) -> list[tuple[Acted, Acted]]:
        return [(then, now) for then, now in self.seen if not then.forced and then != now]


@pytest.fixture(scope="module", params=FORMATS)
def recorded(request: pytest.FixtureRequest) -> Recorded:
    return Recorded(FORMATS[request.param])


def test_who_decides_as_he_did_meets_every_event_again(recorded: Recorded) -> None:
    forced = {event.forced for hand in recorded.hands for event in hand if isinstance(event, Acted)}
    assert forced == {"", "timeout", "absent"}
    again = Replayed(recorded, recorded.decided)
    assert again.differences == []
    assert len(again.seen) == len(recorded.decided)
    assert any(then.forced == "timeout" for then, _ in again.seen)
    assert again.table.over
    assert [event for event in again.events if isinstance(event, Event)] == [*chain(*recorded.hands)]


def test_what_is_decided_otherwise_is_reported_and_the_record_goes_on(recorded: Recorded) -> None:
    again = Replayed(recorded, recorded.decided, turned=True)
    assert len(again.seen) == len(recorded.decided)
    assert len(again.differences) > len(recorded.decided) / 3
    assert [event for event in again.events if isinstance(event, Event)] == [*chain(*recorded.hands)]


def test_it_stops_where_it_is_told_to(recorded: Recorded) -> None:
    first = next(i for i, action in enumerate(recorded.decided) if action.kind == "raise")
    decided = [*recorded.decided]
    decided[first] = CALL
    again = Replayed(recorded, decided, stop=True)
    assert again.table.over
    assert len(again.seen) == first + 1
    assert again.seen[-1][1].action == "call"
    # What the hand was before is there to be shown.
    assert again.table.hand is not None
    assert not again.table.hand.over


def test_a_refused_act_changes_nothing(recorded: Recorded) -> None:
    again = Replayed(recorded, [])
    table = again.table
    with pytest.raises(TurnRefused) as refused:
        table.act(1, table.turn, raise_to(1), 0.0)
    assert refused.value.code == "illegal_action"
    with pytest.raises(TurnRefused) as refused:
        table.act(1, table.turn - 1, CALL, 0.0)
    assert refused.value.code == "stale_turn"
    assert again.seen == []
    table.act(1, table.turn, recorded.decided[0], 0.0)
    assert len(again.seen) == 1


def test_a_record_that_ends_early_ends_the_table(recorded: Recorded) -> None:
    recorded_part = Recorded(recorded.make)
    del recorded_part.hands[3:]
    again = Replayed(recorded_part, recorded.decided)
    assert again.table.over
    assert sum(isinstance(event, HandEnded) for event in again.events) == 3


def test_a_record_of_other_cards_is_refused() -> None:
    recorded = Recorded(fixed)
    recorded.make = lambda: FixedStacks(NO_LIMIT, secure_deals(SEED, 1, NO_LIMIT), 40)
    with pytest.raises(RecordError) as refused:
        Replayed(recorded, recorded.decided)
    assert refused.value.code == "replay_differs"


def test_a_record_that_the_rules_refuse_is_refused() -> None:
    recorded = Recorded(fixed)
    for hand in recorded.hands:
        for number, event in enumerate(hand):
            if isinstance(event, Acted):
                hand[number] = event._replace(action="raise", to=1)
    with pytest.raises(RecordError) as refused:
        Replayed(recorded, recorded.decided)
    assert refused.value.code == "replay_differs"
