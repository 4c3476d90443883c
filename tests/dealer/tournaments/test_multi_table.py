"""A tournament over several tables: seats, moves, places and points, with hands that are thrown by dice."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.formats.tournament import Level
from dealer.tournaments.multi_table import Closed, Dealt, Finished, MultiTable, Seated, Structure, TableState
from dealer.tournaments.payouts import SHARES, points, shares_for

LEVELS = tuple(Level(small, 2 * small, 0, hands=4) for small in (5, 10, 20, 40, 80))


class Evening:
    """A tournament whose hands end in any order, at tables that deal when they may."""

    def __init__(self, entrants: int, seed: int, **settings: float) -> None:
        self.source = random.Random(seed)
        values = {"seats": 6, "stack": 300, "levels": LEVELS} | settings
        self.game = MultiTable(Structure(**values), str(seed))  # type: ignore[arg-type]
        self.now = 0.0
        self.entered = entrants
        #: Who was dealt in, by table, while its hand lasts.
        self.dealt: dict[int, list[int]] = {}
        self.moves: list[Seated] = []
        self.finished: list[Finished] = []
        self.closed: list[int] = []
        self.game.start(range(entrants), self.now)
        self.go_on()

    def go_on(self) -> None:
        game = self.game
        for news in game.go_on(self.now):
            if isinstance(news, Seated):
                assert news.origin not in self.dealt, "nobody moves in the middle of his hand"
                self.moves.append(news)
            elif isinstance(news, Finished):
                self.finished.append(news)
            elif isinstance(news, Closed):
                self.closed.append(news.table)
            else:
                self.deal(news)
        self.check()

    def deal(self, news: Dealt) -> None:
        table = self.game.tables[news.table]
        assert news.table not in self.dealt
        assert table.seats[news.button] is not None
        self.dealt[news.table] = [holder for holder in table.seats if holder is not None]
        assert len(self.dealt[news.table]) > 1

    def check(self) -> None:
        game = self.game
        assert sum(game.stacks.values()) == game.structure.stack * game.entrants
        seated = Counter(holder for table in game.tables.values() for holder in table.seats)
        del seated[None]
        assert all(count == 1 for count in seated.values())
        assert set(game.left) <= set(seated) or game.over
        counts = [table.players for table in game.tables.values()]
        if not self.dealt and not game.over:
            assert max(counts) - min(counts) <= 1, "tables are balanced whenever all hands are over"
            assert len(counts) == -(-sum(counts) // game.structure.seats), (
                "no table is left that is not needed"
            )

    def end_hand(self) -> None:
        """End one of the hands: chips go around among those who were dealt in."""
        number = self.source.choice(sorted(self.dealt))
        players = self.dealt.pop(number)
        stacks = {entrant: self.game.stacks[entrant] for entrant in players}
        for _ in range(self.source.choice((1, 1, 2, 3))):
            winner, loser = self.source.sample(players, 2)
            lost = self.source.choice((0, 10, stacks[loser], min(stacks[loser], stacks[winner])))
            lost = min(lost, stacks[loser])
            if stacks[winner]:
                stacks[winner] += lost
                stacks[loser] -= lost
        self.game.end_hand(number, stacks)

    def play(self) -> None:
        """Play until somebody has won."""
        for _ in range(20_000):
            if self.game.over:
                return
            if self.game.takes_entries and self.source.random() < 0.1:
                self.game.enter(self.entered)
                self.entered += 1
            elif self.dealt:
                self.end_hand()
            else:
                # A break.
                self.now = max(self.now, self.game.rests_until)
            self.now += self.source.uniform(0, 5)
            self.go_on()
        raise AssertionError("nobody wins")


@given(
    entrants=st.integers(2, 60),
    seed=st.integers(0, 2**32),
    seats=st.integers(2, 10),
    late=st.integers(0, 3),
    seconds=st.sampled_from((0, 60)),
    pause=st.integers(0, 2),
)
def test_a_tournament_ends_with_everybody_placed(
    entrants: int, seed: int, seats: int, late: int, seconds: float, pause: int
) -> None:
    evening = Evening(
        entrants,
        seed,
        seats=seats,
        late_levels=late,
        level_seconds=seconds,
        break_every=pause,
        break_seconds=90,
    )
    evening.play()
    game = evening.game
    assert game.entrants == evening.entered
    places = sorted(game.place(entrant) for entrant in range(evening.entered))
    # Ties leave out as many places as they have players too many.
    groups = Counter(places)
    assert all(sum(groups[other] for other in groups if other < place) == place - 1 for place in groups)
    assert groups[1] == 1
    won = sum(game.points(entrant) for entrant in range(evening.entered))
    assert won == pytest.approx(10 * evening.entered)
    assert sorted(news.entrant for news in evening.finished) == list(range(evening.entered))


@given(st.integers(0, 2**32), st.integers(2, 60), st.integers(2, 10))
def test_the_draw(seed: int, entrants: int, seats: int) -> None:
    one, other = (Evening(entrants, seed, seats=seats) for _ in range(2))
    assert one.moves == other.moves, "the seed decides"
    assert all(move.reason == "start" for move in one.moves)
    assert len(one.game.tables) == -(-entrants // seats)


def test_another_seed_draws_other_seats() -> None:
    assert Evening(20, 1).moves != Evening(20, 2).moves


def a_game(*tables: str, buttons: tuple[int, ...], seats: int = 6, **settings: int) -> MultiTable:
    """Return a tournament at these tables; ``x`` is a player and ``.`` a free seat."""
    game = MultiTable(Structure(seats, 300, LEVELS, **settings), "seed")
    game.start(range(sum(table.count("x") for table in tables)), 0.0)
    game.news.clear()
    entrants = iter(range(game.entrants))
    for number, (table, button) in enumerate(zip(tables, buttons, strict=True), 1):
        holders = [next(entrants) if one == "x" else None for one in table]
        game.tables[number] = TableState(holders, button)
    game.last_table = len(tables)
    return game


class TestBalancing:
    def test_the_next_big_blind_moves_to_where_it_is_posted_soonest(self) -> None:
        # Next at table 1: button 1, blinds 2 and 3. At table 2 seats 0, 1 and 2 are button, small, big blind.
        game = a_game("xxxxxx", "xx.x..", buttons=(0, 5))
        moved = game.go_on(0.0)[0]
        # Seat 2 comes after the small blind in seat 1: the newcomer has the big blind at once.
        assert moved == Seated(3, 2, 2, 1, "balance")

    def test_nobody_comes_to_sit_between_the_blinds_if_another_seat_is_free(self) -> None:
        # Next: button 3, small blind 0. Seats 4 and 5 are between them.
        state = a_game("xxxxxx", "xx.x..", buttons=(0, 1)).tables[2]
        assert [seat for seat in (2, 4, 5) if state.puts_others_off(seat)] == [2, 4, 5]
        state.button = 0
        assert not state.puts_others_off(4)
        assert state.free_seats()[0] == 4

    def test_a_table_in_the_middle_of_a_hand_gives_nobody_away(self) -> None:
        game = a_game("xxxxxx", "xxxx..", buttons=(0, 0))
        game.tables[1].playing = True
        assert [type(news) for news in game.go_on(0.0)] == [Dealt]
        game.end_hand(1, {})
        assert isinstance(game.go_on(0.0)[0], Seated)

    def test_a_table_waits_that_is_three_short(self) -> None:
        game = a_game("xxxxxx", "xxx...", buttons=(0, 0))
        game.tables[1].playing = True
        assert game.go_on(0.0) == []

    def test_no_table_is_far_ahead_of_another(self) -> None:
        game = a_game("xxxxxx", "xxxxxx", buttons=(0, 0))
        assert [news.table for news in game.go_on(0.0)] == [1, 2]
        for _ in range(2):
            game.end_hand(1, {})
            assert [type(news) for news in game.go_on(0.0)] == [Dealt]
        game.end_hand(1, {})
        assert game.go_on(0.0) == []
        game.end_hand(2, {})
        assert [news.table for news in game.go_on(0.0)] == [1, 2]


class TestBreaking:
    def test_the_newest_table_is_broken_when_the_others_have_seats_for_all(self) -> None:
        game = a_game("xxxx..", "xxxx..", "xxxx..", buttons=(0, 0, 0))
        news = game.go_on(0.0)
        assert Closed(3) in news
        moved = [one for one in news if isinstance(one, Seated)]
        assert {one.reason for one in moved} == {"broken"}
        assert [table.players for table in game.tables.values()] == [6, 6]

    def test_it_plays_its_hand_to_the_end(self) -> None:
        game = a_game("xxx...", "xxx...", buttons=(0, 0))
        game.tables[2].playing = True
        assert [news.table for news in game.go_on(0.0)] == [1]
        game.end_hand(2, {})
        news = game.go_on(0.0)
        assert [one.reason for one in news if isinstance(one, Seated)] == ["final"] * 3
        assert list(game.tables) == [1]


class TestPlaces:
    def lost(self, *before: int) -> list[int]:
        """Return the places of players who lose all in one hand with these stacks."""
        game = MultiTable(Structure(6, 100, LEVELS), "seed")
        entrants = range(len(before) + 1)
        game.start(entrants, 0.0)
        game.stacks = dict(zip(entrants, (*before, 1000), strict=True))
        game.go_on(0.0)
        game.end_hand(1, dict.fromkeys(range(len(before)), 0) | {len(before): 1000 + sum(before)})
        game.go_on(0.0)
        assert game.over
        return [game.place(entrant) for entrant in entrants]

    def test_in_one_hand_the_larger_stack_is_better(self) -> None:
        assert self.lost(50, 200, 120) == [4, 2, 3, 1]

    def test_the_same_stack_shares_the_place(self) -> None:
        assert self.lost(50, 200, 200) == [4, 2, 2, 1]

    @pytest.mark.parametrize(("more", "places"), [(0, {0: 3, 2: 3}), (50, {0: 4, 2: 3})])
    def test_hand_for_hand_all_tables_count_as_one_hand(self, more: int, places: dict[int, int]) -> None:
        # Three of seven places get points, and four are left.
        game = a_game("xx.", "xx.", buttons=(0, 0), seats=3)
        game.stacks |= {4: 0, 5: 0, 6: 0, 2: 300 + more}
        game.out = [[4], [5], [6]]
        assert [type(news) for news in game.go_on(0.0)] == [Dealt, Dealt]
        assert game.hand_for_hand
        game.end_hand(1, {0: 0, 1: 600})
        assert game.go_on(0.0) == [], "the other table is awaited"
        game.end_hand(2, {2: 0, 3: 600 + more})
        game.go_on(0.0)
        assert {entrant: game.place(entrant) for entrant in places} == places
        assert game.points(0) + game.points(2) == pytest.approx(14)


class TestTheClock:
    def test_levels_by_hands_follow_the_table_that_has_played_most(self) -> None:
        assert Evening(6, 1).game.level_end == 4
        late = MultiTable(Structure(6, 300, LEVELS), "seed")
        late.start(range(6), 1000.0)
        assert late.level_end == 4
        game = a_game("xxxxxx", "xxxxxx", buttons=(0, 0))
        game.tables[2].hands = 4
        game.go_on(0.0)
        assert game.blinds == LEVELS[1]

    def test_levels_by_time_and_breaks(self) -> None:
        game = MultiTable(Structure(6, 300, LEVELS, 60, break_every=2, break_seconds=30), "seed")
        game.start(range(4), 100.0)
        game.go_on(100.0)
        for now, level, deals in (
            (159, 0, True),
            (161, 1, True),
            (220, 2, False),
            (249, 2, False),
            (250, 2, True),
        ):
            if game.tables[1].playing:
                game.end_hand(1, {})
            assert bool(game.go_on(now)) == deals
            assert game.level == level
        game.end_hand(1, {})
        game.go_on(309)
        assert game.level == 2
        assert game.next_break == 4

    def test_blinds_double_after_the_last_level(self) -> None:
        structure = Structure(6, 300, LEVELS)
        assert [structure.level(number).big_blind for number in (4, 5, 6)] == [160, 320, 640]
        assert structure.level(500).big_blind < 2**28


class TestLatecomers:
    def test_the_shortest_table_takes_him_until_entries_are_closed(self) -> None:
        game = a_game("xxxxxx", "xxxxx.", buttons=(0, 0), late_levels=1)
        game.enter(99)
        game.enter(100)
        assert [(news.table, news.reason) for news in game.news] == [(2, "late"), (3, "late")]  # type: ignore[union-attr]
        game.go_on(0.0)
        assert sorted(table.players for table in game.tables.values()) == [4, 4, 5]
        game.level = 1
        assert not game.takes_entries


class TestPoints:
    @pytest.mark.parametrize("least", SHARES)
    def test_shares_are_all_there_is(self, least: int) -> None:
        assert sum(SHARES[least]) == pytest.approx(100)
        assert list(SHARES[least]) == sorted(SHARES[least], reverse=True)

    def test_by_the_number_of_entrants(self) -> None:
        assert [len(shares_for(entrants)) for entrants in (2, 3, 4, 18, 19, 30, 200)] == [
            1,
            1,
            2,
            3,
            4,
            5,
            14,
        ]

    def test_those_who_share_a_place_share_its_points(self) -> None:
        assert points(10, 1) == 50
        assert points(10, 2, ties=2) == pytest.approx(25)
        assert points(10, 3, ties=2) == pytest.approx(10)
        assert points(10, 4) == 0
