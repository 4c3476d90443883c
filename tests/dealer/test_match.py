import random
from itertools import pairwise, permutations
from pathlib import PurePosixPath

import pytest

from dealer.errors import MatchError
from dealer.match import (
    Division,
    Session,
    bot_seed,
    line_ups,
    plan_sessions,
    play_key,
    position_of,
    pseudonyms,
    seat_at,
    seatings,
)

THREE = Division("three", ("call", "fair", "raise", "random"), players=3, matches=2, hands=10)
KEY = play_key(bytes(32))


def test_three_players_sit_as_in_gloeckner_4_5() -> None:
    # Steps 2, 5, 8, 10 and again: player 0 is small blind, button, big blind; then in the mirrored order.
    assert seatings(3) == ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2))


def test_heads_up_has_two_seatings_either_way() -> None:
    assert seatings(2) == seatings(2, "rotations") == ((0, 1), (1, 0))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_all_seatings_are_every_permutation_once(players: int) -> None:
    assert set(seatings(players)) == set(permutations(range(players)))
    assert len(seatings(players)) == len(set(seatings(players)))


def test_every_player_gets_every_seat_equally_often() -> None:
    for players in range(2, 11):
        for how in ["all", "rotations"] if players <= 5 else ["rotations"]:
            orders = seatings(players, how)
            for seat in range(players):
                held = [order[seat] for order in orders]
                assert all(held.count(player) == len(orders) // players for player in range(players))


def test_three_bots_hold_each_seats_cards_twice_against_both_orders_of_the_others() -> None:
    for player in range(3):
        for seat in range(3):
            to_the_left = [order[(seat + 1) % 3] for order in seatings(3) if order[seat] == player]
            assert sorted(to_the_left) == sorted({0, 1, 2} - {player})


def test_position_moves_one_seat_a_hand() -> None:
    assert [position_of(0, hand, 3) for hand in range(4)] == [0, 2, 1, 0]
    assert [seat_at(0, hand, 3) for hand in range(4)] == [0, 1, 2, 0]
    for players in range(2, 11):
        for hand in range(12):
            assert [
                seat_at(position_of(seat, hand, players), hand, players) for seat in range(players)
            ] == list(range(players))


@pytest.mark.parametrize(
    ("players", "how", "code"),
    [(1, "all", "bad_table_size"), (11, "rotations", "bad_table_size"), (3, "some", "bad_seatings"),
     (6, "all", "too_many_seatings")],
)  # fmt: skip
def test_seatings_that_cannot_be(players: int, how: str, code: str) -> None:
    with pytest.raises(MatchError) as error:
        seatings(players, how)

    assert error.value.code == code


def test_line_ups_are_all_combinations_in_order() -> None:
    assert line_ups("abcd", 3) == (tuple("abc"), tuple("abd"), tuple("acd"), tuple("bcd"))
    assert len(line_ups("abcdefg", 3)) == 35


@pytest.mark.parametrize("players", [2, 3, 4])
def test_one_more_bot_leaves_the_line_ups_before_him_as_they_are(players: int) -> None:
    for bots in ("abcd", "abcde", "abcdef"):
        before = line_ups(bots, players)
        after = line_ups(bots + "z", players)
        assert after[: len(before)] == before
        assert all("z" in line_up for line_up in after[len(before) :])


def test_plan_plays_each_match_of_each_line_up_at_every_seating() -> None:
    sessions = plan_sessions(THREE)

    assert len(sessions) == THREE.sessions == 4 * 2 * 6
    assert [(s.match, s.line_up, s.seating) for s in sessions] == sorted(
        (s.match, s.line_up, s.seating) for s in sessions
    )
    assert sessions[0] == Session("three", 0, 0, 0, ("call", "fair", "raise"), 10)
    assert sessions[1].players == ("fair", "raise", "call")
    assert {frozenset(s.players) for s in sessions if s.line_up == 3} == {
        frozenset(("fair", "raise", "random"))
    }
    assert plan_sessions(THREE) == sessions


def test_session_names_are_unique_relative_paths() -> None:
    names = [session.name for session in plan_sessions(THREE)]

    assert names[0] == "three/m0000-l000-s0"
    assert len(set(names)) == len(names)
    for name in names:
        path = PurePosixPath(name)
        assert not path.is_absolute()
        assert path.parts == ("three", path.name)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": "../up"}, "bad_name"),
        ({"name": ""}, "bad_name"),
        ({"name": "a/b"}, "bad_name"),
        ({"bots": ("a", "b", "c|d")}, "bad_name"),
        ({"bots": ("a", "b", "c d")}, "bad_name"),
        ({"bots": ("a", "b", "c\n")}, "bad_name"),
        ({"bots": ("a", "b", "x" * 65)}, "bad_name"),
        ({"bots": ("a", "b", "..")}, "bad_name"),
        ({"bots": ("a", "b", "end.")}, "bad_name"),
        ({"bots": ("a", "b", "B")}, "duplicate_name"),
        ({"bots": ("a", "b")}, "too_few_bots"),
        ({"players": 1}, "bad_table_size"),
        ({"matches": 0}, "bad_count"),
        ({"hands": 0}, "bad_count"),
        ({"seating": "none"}, "bad_seatings"),
        ({"players": 6, "bots": tuple("abcdef")}, "too_many_seatings"),
        ({"matches": 10**7}, "too_many_sessions"),
    ],
)
def test_divisions_that_cannot_be_played(change: dict[str, object], code: str) -> None:
    settings: dict[str, object] = {
        "name": "d",
        "bots": ("a", "b", "c"),
        "players": 3,
        "matches": 1,
        "hands": 1,
    }

    with pytest.raises(MatchError) as error:
        Division(**{**settings, **change})  # type: ignore[arg-type]

    assert error.value.code == code


def test_a_hundred_bots_at_full_tables_are_refused_at_once() -> None:
    with pytest.raises(MatchError) as error:
        Division("huge", tuple(f"bot{i}" for i in range(100)), 10, 1, 1, "rotations")

    assert error.value.code == "too_many_sessions"


def test_bot_seeds_differ_by_session_and_bot_and_repeat() -> None:
    seeds = [bot_seed(KEY, session, seat) for session in plan_sessions(THREE) for seat in range(3)]

    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**48 for seed in seeds)
    assert seeds == [bot_seed(KEY, session, seat) for session in plan_sessions(THREE) for seat in range(3)]
    assert bot_seed(play_key(b"other"), plan_sessions(THREE)[0], 0) != seeds[0]


def test_pseudonyms_change_at_every_reset_and_say_nothing_of_the_players() -> None:
    sessions = plan_sessions(THREE)
    names = [pseudonyms(KEY, session) for session in sessions]

    assert all(len(set(shown)) == 3 for shown in names)
    assert len({shown[0] for shown in names}) > 20
    assert all(before != after for before, after in pairwise(names))
    other_players = Session("three", 0, 0, 0, ("random", "raise", "call"), 10)
    assert pseudonyms(KEY, other_players) == names[0]


def test_pseudonyms_suffice_for_ten_players_and_are_evenly_drawn() -> None:
    session = Session("ten", 0, 0, 0, tuple("abcdefghij"), 1)
    drawn = [pseudonyms(random.Random(i).randbytes(32), session) for i in range(640)]

    assert all(len(set(shown)) == 10 for shown in drawn)
    counts = [sum(alias in shown for shown in drawn) for alias in {name for shown in drawn for name in shown}]
    # 64 names, each drawn 100 times on average with a standard deviation of about 9.
    assert len(counts) == 64
    assert 60 < min(counts) <= max(counts) < 140


def test_play_key_is_not_the_seed() -> None:
    assert play_key(bytes(32)) != bytes(32)
    assert play_key(bytes(32)) != play_key(bytes(31) + b"\1")
