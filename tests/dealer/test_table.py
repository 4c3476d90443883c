from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Refilled, Stakes, TableEvent, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Acted, Event, HandEnded, HandStarted
from dealer.rules.games import Game, load_game
from dealer.rules.hand import replay
from dealer.seats import Attendance
from dealer.table import Clock, Table, TurnRefused
from tests.dealer.records.played import random_action
from tests.dealer.table_state import state
from tests.support.deals import deals_for

LIMIT = load_game("holdem.limit.3p")
NO_LIMIT = load_game("holdem.nolimit.2p.reverse_blinds")
CLOCK = Clock(decision=10.0, bank=30.0)

Happened = list[Event | TableEvent]


def fixed(game: Game = LIMIT, hands: int = 5, **settings: Any) -> Table:
    return Table(FixedStacks(game, deals_for(game), hands), game.players, CLOCK, **settings)


def acted(events: Happened) -> list[tuple[int, str, str]]:
    return [(event.seat, event.action, event.forced) for event in events if isinstance(event, Acted)]


class TestPlay:
    def test_start_deals_and_asks_and_happens_once(self) -> None:
        table = fixed()
        assert state(table)["deadline"] is None
        events = table.start(100.0)
        assert [type(event) for event in events] == [HandStarted]
        assert table.seq == table.turn == 1
        assert table.turn_seat == 2
        assert table.deadline == 140.0
        before = state(table)
        assert table.start(101.0) == []
        assert state(table) == before

    def test_events_are_numbered_and_a_turn_has_the_number_of_its_answer(self) -> None:
        table = fixed(hands=20)
        source = random.Random(3)
        told: Happened = list(table.start(0.0))
        turns = set()
        while not table.over:
            assert table.seq == len(told)
            assert table.hand is not None
            turn, seat = table.turn, table.turn_seat
            assert turn not in turns
            turns.add(turn)
            told += table.act(seat, turn, random_action(table.hand, source), 0.0)
            answer = told[turn]
            assert isinstance(answer, Acted)
            assert answer.seat == seat
        assert table.seq == len(told)
        assert sum(isinstance(event, HandEnded) for event in told) == 20
        assert table.turn_seat == -1
        assert table.deadline is None

    def test_nothing_can_be_done_when_it_is_over(self) -> None:
        table = fixed(hands=1)
        table.start(0.0)
        while not table.over:
            table.act(table.turn_seat, table.turn, CALL, 0.0)
        before = state(table)
        assert table.start(1.0) == []
        assert table.tick(1e9) == []
        for seat in range(3):
            for turn in (0, table.seq - 1, table.seq, table.seq + 1):
                with pytest.raises(TurnRefused):
                    table.act(seat, turn, CALL, 1.0)
        assert state(table) == before


class TestClock:
    def test_time_is_counted_from_the_question(self) -> None:
        table = fixed()
        table.start(100.0)
        assert table.time_left(100.0) == (10.0, 30.0)
        assert table.time_left(104.0) == (6.0, 30.0)
        assert table.time_left(110.0) == (0.0, 30.0)
        assert table.time_left(125.0) == (0.0, 15.0)
        assert table.time_left(200.0) == (0.0, 0.0)
        table.act(2, table.turn, CALL, 105.0)
        assert table.deadline == 145.0
        assert [seat.bank for seat in table.seats] == [30.0] * 3

    def test_the_bank_pays_what_goes_beyond_and_does_not_fill_again(self) -> None:
        table = fixed(hands=3)
        now = 0.0
        table.start(now)
        seat = table.turn_seat
        while table.seats[seat].bank > 0:
            own = table.turn_seat == seat
            bank = table.seats[seat].bank
            assert table.deadline == now + 10.0 + table.seats[table.turn_seat].bank
            now += 17.0 if own else 2.0
            table.act(table.turn_seat, table.turn, CALL, now)
            assert table.seats[seat].bank == (max(0.0, bank - 7.0) if own else bank)
        assert [one.bank for number, one in enumerate(table.seats) if number != seat] == [30.0, 30.0]
        while table.turn_seat != seat:
            table.act(table.turn_seat, table.turn, CALL, now)
        assert table.deadline == now + 10.0

    def test_nothing_happens_before_the_deadline(self) -> None:
        table = fixed()
        table.start(0.0)
        before = state(table)
        for now in (0.0, 10.0, 39.999):
            assert table.tick(now) == []
            assert state(table) == before

    def test_at_the_deadline_the_policy_folds_to_a_bet(self) -> None:
        table = fixed()
        table.start(0.0)
        assert acted(table.tick(40.0)) == [(2, "fold", "timeout")]
        assert [seat.bank for seat in table.seats] == [30.0, 30.0, 0.0]
        assert [seat.missed_turns for seat in table.seats] == [0, 0, 1]
        assert table.turn_seat == 0
        assert table.deadline == 80.0

    def test_at_the_deadline_the_policy_checks_what_is_free(self) -> None:
        table = fixed()
        table.start(0.0)
        table.act(2, table.turn, CALL, 0.0)
        table.act(0, table.turn, CALL, 0.0)
        events = table.tick(1000.0)
        assert acted(events) == [(1, "call", "timeout")]
        assert table.hand is not None
        assert table.hand.betting.street == 1

    def test_an_answer_between_deadline_and_tick_still_counts(self) -> None:
        table = fixed()
        table.start(0.0)
        assert acted(table.act(2, table.turn, CALL, 40.5)) == [(2, "call", "")]
        assert table.seats[2].bank == 0.0
        assert [seat.missed_turns for seat in table.seats] == [0, 0, 0]


class TestAbsence:
    def miss(self, table: Table, seat: int, now: float) -> float:
        """Let one turn of a seat run out; the others call. Returns the time."""
        while table.turn_seat != seat:
            table.act(table.turn_seat, table.turn, CALL, now)
        assert table.deadline is not None
        now = table.deadline
        assert acted(table.tick(now))[0][::2] == (seat, "timeout")
        return now

    def test_patience_ends_in_absence(self) -> None:
        table = fixed(hands=50, max_missed_turns=3)
        table.start(0.0)
        now = 0.0
        for count in (1, 2):
            now = self.miss(table, 0, now)
            assert table.seats[0].missed_turns == count
            assert not table.seats[0].is_absent
        now = self.miss(table, 0, now)
        assert [seat.is_absent for seat in table.seats] == [True, False, False]
        told: Happened = []
        while not table.over:
            assert table.turn_seat != 0
            told += table.act(table.turn_seat, table.turn, CALL, now)
        forced = [(seat, why) for seat, _, why in acted(told) if why]
        assert forced
        assert set(forced) == {(0, "absent")}

    def test_an_answer_wins_patience_back(self) -> None:
        table = fixed(hands=50, max_missed_turns=2)
        table.start(0.0)
        now = 0.0
        for _ in range(4):
            now = self.miss(table, 1, now)
            while table.turn_seat != 1:
                table.act(table.turn_seat, table.turn, CALL, now)
            table.act(1, table.turn, CALL, now)
            assert table.seats[1].missed_turns == 0
        assert not any(seat.is_absent for seat in table.seats)

    def test_who_is_absent_at_his_turn_is_played_at_once(self) -> None:
        table = fixed()
        table.start(0.0)
        assert acted(table.set_absent(2, True, 5.0)) == [(2, "fold", "absent")]
        assert table.turn_seat == 0
        assert table.deadline == 45.0

    def test_who_is_absent_elsewhere_is_played_when_it_is_his_turn(self) -> None:
        table = fixed()
        table.start(0.0)
        before = state(table)
        assert table.set_absent(0, True, 5.0) == []
        assert {**state(table), "seats": before["seats"]} == before
        assert [seat.is_absent for seat in table.seats] == [True, False, False]
        events = table.act(2, table.turn, CALL, 6.0)
        assert acted(events) == [(2, "call", ""), (0, "fold", "absent")]
        assert table.turn_seat == 1

    def test_who_is_back_is_asked_again(self) -> None:
        table = fixed(hands=10)
        table.set_absent(0, True, 0.0)
        table.start(0.0)
        table.seats[0].missed_turns = 3
        assert table.set_absent(0, False, 1.0) == []
        assert table.seats[0].missed_turns == 0
        asked = set()
        while not table.over:
            asked.add(table.turn_seat)
            assert not any(why for *_, why in acted(table.act(table.turn_seat, table.turn, CALL, 2.0)))
        assert asked == {0, 1, 2}

    def test_a_table_of_absent_players_comes_to_its_end_without_holding_others_up(self) -> None:
        table = fixed(hands=100)
        for seat in range(3):
            table.set_absent(seat, True, 0.0)
        ended = []
        events = table.start(7.0)
        while not table.over:
            ended.append(sum(isinstance(event, HandEnded) for event in events))
            assert table.deadline == 7.0
            events = table.tick(7.0)
        ended.append(sum(isinstance(event, HandEnded) for event in events))
        assert sum(ended) == 100
        assert max(ended) <= 32
        assert table.deadline is None

    def test_a_player_who_comes_back_to_a_table_of_absent_ones_is_asked(self) -> None:
        table = fixed(hands=100)
        for seat in range(3):
            table.set_absent(seat, True, 0.0)
        table.start(0.0)
        table.set_absent(1, False, 0.0)
        table.tick(0.0)
        assert table.turn_seat == 1


def refused(table: Table, seat: int, turn: int, action: Action) -> TurnRefused:
    before = state(table)
    with pytest.raises(TurnRefused) as refusal:
        table.act(seat, turn, action, 5.0)
    assert state(table) == before
    assert str(refusal.value)
    return refusal.value


class TestRefusals:
    def test_before_the_start(self) -> None:
        assert refused(fixed(), 0, 0, CALL).code == "not_your_turn"

    def test_somebody_else_is_to_act(self) -> None:
        table = fixed()
        table.start(0.0)
        for seat in (0, 1, -1, 3):
            assert refused(table, seat, table.turn, CALL).code == "not_your_turn"

    def test_stale(self) -> None:
        table = fixed()
        table.start(0.0)
        first = table.turn
        table.act(2, first, CALL, 0.0)
        for seat in range(3):
            for turn in range(-1, first + 1):
                assert refused(table, seat, turn, CALL).code == "stale_turn"

    def test_double(self) -> None:
        table = fixed(NO_LIMIT)
        table.start(0.0)
        seat, turn = table.turn_seat, table.turn
        table.act(seat, turn, raise_to(300), 0.0)
        assert refused(table, seat, turn, raise_to(300)).code == "stale_turn"
        assert refused(table, seat, turn, FOLD).code == "stale_turn"

    def test_early(self) -> None:
        table = fixed()
        table.start(0.0)
        for turn in (table.turn + 1, table.turn + 2, 2**53):
            for seat in range(3):
                assert refused(table, seat, turn, CALL).code == "not_your_turn"

    def test_after_the_policy_acted(self) -> None:
        table = fixed()
        table.start(0.0)
        turn = table.turn
        table.tick(1000.0)
        assert refused(table, 2, turn, CALL).code == "stale_turn"

    def test_illegal_in_no_limit(self) -> None:
        table = fixed(NO_LIMIT)
        table.start(0.0)
        for amount in (0, 1, 100, 199, 20_001, 2**53 - 1):
            refusal = refused(table, table.turn_seat, table.turn, raise_to(amount))
            assert refusal.code == "illegal_action"
            assert refusal.legal == table.legal()
        table.act(table.turn_seat, table.turn, CALL, 0.0)
        assert refused(table, table.turn_seat, table.turn, FOLD).code == "illegal_action"
        table.act(table.turn_seat, table.turn, raise_to(20_000), 0.0)
        for amount in (0, 20_000, 40_000):
            assert refused(table, table.turn_seat, table.turn, raise_to(amount)).code == "illegal_action"

    def test_illegal_in_limit(self) -> None:
        table = fixed()
        table.start(0.0)
        for amount in (1, 10, 19, 21, 30):
            assert refused(table, table.turn_seat, table.turn, raise_to(amount)).code == "illegal_action"
        for _ in range(3):
            table.act(table.turn_seat, table.turn, raise_to(0), 0.0)
        assert refused(table, table.turn_seat, table.turn, raise_to(0)).code == "illegal_action"
        assert refused(table, table.turn_seat, table.turn, raise_to(50)).code == "illegal_action"

    def test_the_clock_runs_on(self) -> None:
        table = fixed(NO_LIMIT)
        table.start(0.0)
        refused(table, table.turn_seat, table.turn, raise_to(1))
        assert table.deadline == 40.0
        assert acted(table.tick(40.0))[0][2] == "timeout"


class TestPause:
    def finish_hand(self, table: Table, now: float) -> Happened:
        told: Happened = []
        while table.turn_seat >= 0:
            told += table.act(table.turn_seat, table.turn, CALL, now)
        return told

    def test_between_hands(self) -> None:
        table = fixed(hands=2, pause=4.0)
        assert [type(event) for event in table.start(0.0)] == [HandStarted]
        events = self.finish_hand(table, 50.0)
        assert isinstance(events[-1], HandEnded)
        assert table.hand is None
        # Cards were shown: twice as long.
        assert table.deadline == 58.0
        before = state(table)
        assert table.tick(57.9) == []
        assert table.start(57.9) == []
        assert refused(table, 0, table.turn, CALL).code == "not_your_turn"
        assert state(table) == before
        assert [type(event) for event in table.tick(58.0)] == [HandStarted]
        self.finish_hand(table, 60.0)
        assert table.over
        assert table.deadline is None

    def test_it_may_be_changed_at_any_time(self) -> None:
        table = fixed(hands=3)
        table.start(0.0)
        table.pause = 1.0
        self.finish_hand(table, 5.0)
        assert table.deadline == 7.0
        table.pause = 0.0
        table.tick(7.0)
        self.finish_hand(table, 8.0)
        assert table.over

    def test_after_a_hand_that_the_policy_ended(self) -> None:
        table = fixed(NO_LIMIT, hands=2, pause=4.0)
        table.start(0.0)
        events = table.tick(40.0)
        assert isinstance(events[-1], HandEnded)
        assert table.deadline == 44.0
        assert isinstance(table.tick(44.0)[0], HandStarted)

    def test_of_absent_players(self) -> None:
        table = fixed(hands=3, pause=4.0)
        for seat in range(3):
            table.set_absent(seat, True, 0.0)
        now = 0.0
        table.start(now)
        for _ in range(2):
            assert table.deadline == now + 4.0
            now += 4.0
            table.tick(now)
        assert table.over


class TestCash:
    def open_table(self) -> tuple[Table, Cash]:
        cash = Cash(3, Stakes(5, 10, stack=100), deals_for)
        return Table(cash, 3, CLOCK), cash

    def test_it_waits_for_two(self) -> None:
        table, cash = self.open_table()
        assert table.start(0.0) == []
        assert not table.over
        assert table.deadline is None
        cash.sit_in(1)
        assert table.start(0.0) == []
        cash.sit_in(2)
        assert isinstance(table.start(0.0)[0], HandStarted)

    def test_it_stops_when_too_few_are_left_and_goes_on_when_one_comes(self) -> None:
        table, cash = self.open_table()
        cash.sit_in(0)
        cash.sit_in(1)
        table.start(0.0)
        cash.leave(1)
        events = table.set_absent(1, True, 0.0)
        while table.turn_seat >= 0:
            events = table.act(table.turn_seat, table.turn, CALL, 0.0)
        assert isinstance(events[-1], HandEnded)
        assert table.hand is None
        assert not table.over
        assert table.deadline is None
        cash.sit_in(2)
        started = table.start(1.0)[0]
        assert isinstance(started, HandStarted)
        assert set(started.seats) == {0, 2}

    def test_refills_are_events_with_a_number(self) -> None:
        cash = Cash(2, Stakes(5, 10, stack=100), deals_for, hands=30, all_seated=True)
        table = Table(cash, 2, CLOCK)
        told: Happened = list(table.start(0.0))
        while not table.over:
            most = table.legal().max_raise
            told += table.act(table.turn_seat, table.turn, CALL if most is None else raise_to(most), 0.0)
        assert table.seq == len(told)
        assert any(isinstance(event, Refilled) for event in told)
        assert table.seq == len(told)


def test_who_will_be_absent_plays_this_hand_and_not_the_next() -> None:
    table = fixed(hands=3)
    table.start(0.0)
    table.set_leaving(1)
    hand, asked = table.hand, set()
    while table.hand is hand:
        asked.add(table.turn_seat)
        table.act(table.turn_seat, table.turn, CALL, 0.0)
    assert 1 in asked
    assert [seat.is_absent for seat in table.seats] == [False, True, False]
    assert all(seat.attendance is not Attendance.LEAVING for seat in table.seats)
    table.set_leaving(2)
    table.set_absent(2, False, 0.0)
    assert all(seat.attendance is not Attendance.LEAVING for seat in table.seats)


def formats(seed: int) -> Iterator[tuple[TableFormat, int]]:
    four = load_game("custom.nolimit.4p.uneven")
    yield FixedStacks(LIMIT, deals_for(LIMIT), 12), 3
    yield FixedStacks(four, deals_for(four), 12), 4
    yield Cash(4, Stakes(5, 10, 1, stack=80), deals_for, hands=15, all_seated=True), 4
    yield Cash(5, Stakes(5, 10, limit=True, stack=60), deals_for, hands=15, all_seated=True), 5
    levels = [Level(5, 10, 0, 4), Level(10, 20, 3, 4), Level(40, 80, 5, 4)]
    yield Tournament(4, levels, 90, deals_for, limit=seed % 2 == 0), 4


@pytest.mark.parametrize("seed", range(12))
def test_whatever_comes_a_table_obeys_its_own_law(seed: int) -> None:
    """Right and wrong calls in any order: a refusal changes nothing, what happened can be replayed."""
    for play, seats in formats(seed):
        run_wild(play, seats, random.Random(seed))


def run_wild(play: TableFormat, seats: int, source: random.Random) -> None:
    table = Table(play, seats, Clock(1.0, 2.0), max_missed_turns=2, pause=source.choice([0.0, 0.5]))
    now = 0.0
    told: Happened = list(table.start(now))

    def right() -> Happened:
        if table.hand is None or table.turn_seat < 0:
            return []
        return table.act(table.turn_seat, table.turn, random_action(table.hand, source), now)

    def wrong() -> Happened:
        before = state(table)
        seat = source.randrange(seats)
        turn = table.turn + source.choice([-7, -1, 0, 0, 1, 3])
        action = source.choice([FOLD, CALL, raise_to(source.randrange(200))])
        code = ""
        try:
            events = table.act(seat, turn, action, now)
        except TurnRefused as refusal:
            code, events = refusal.code, []
        assert code in {"", "stale_turn", "not_your_turn", "illegal_action"}
        assert (state(table) == before) == bool(code)
        assert code or (seat, turn) == (before["turn_seat"], before["turn"])
        return events

    def tick() -> Happened:
        return table.tick(now)

    def appear() -> Happened:
        return table.set_absent(source.randrange(seats), source.random() < 0.3, now)

    steps: list[Callable[[], Happened]] = [right, right, right, wrong, wrong, tick, appear]
    for _ in range(4000):
        if table.over:
            break
        now += source.choice([0.0, 0.0, 0.1, 2.0])
        events = source.choice(steps)()
        told += events
        assert table.seq == len(told)
        waiting = table.hand is not None or table.deadline is not None
        assert waiting or table.over
        assert (table.turn_seat >= 0) <= (table.hand is not None)
    assert table.over
    check_hands(told, play)


def check_hands(told: Happened, play: TableFormat) -> None:
    """Cut what happened into hands and replay each under the rules."""
    hand: list[Event] = []
    for event in told:
        if isinstance(event, HandStarted):
            hand = []
        if isinstance(event, TableEvent):
            continue
        hand.append(event)
        if not isinstance(event, HandEnded):
            continue
        started = hand[0]
        assert isinstance(started, HandStarted)
        assert sum(event.values) == pytest.approx(0)
        assert sum(event.stacks) == pytest.approx(sum(started.stacks))
        if play.mode == "fixed":
            assert replay(play.game, hand).events == hand
    assert play.over
