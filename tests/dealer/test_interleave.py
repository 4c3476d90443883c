"""The order of play: nothing but the order changes, and the same deals lie far apart."""

from __future__ import annotations

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st

from dealer.match import Division, Session, plan_sessions
from dealer.play_order import play_order, smallest_gap

KEY = bytes(range(32))


def division(name: str, bots: int, players: int, matches: int, how: str = "all") -> tuple[Session, ...]:
    return plan_sessions(
        Division(name, tuple(f"b{number}" for number in range(bots)), players, matches, 10, how)
    )


shapes = st.tuples(st.integers(2, 5), st.integers(2, 3), st.integers(1, 40)).filter(
    lambda shape: shape[0] >= shape[1]
)


@given(shapes, st.integers(1, 50))
def test_the_same_deals_are_as_far_apart_as_is_said(shape: tuple[int, int, int], apart: int) -> None:
    sessions = division("one", *shape)
    order = play_order(sessions, apart, KEY)
    assert sorted(order, key=lambda one: one.name) == sorted(sessions, key=lambda one: one.name)
    bots = {bot for session in sessions for bot in session.players}
    least = min(apart, shape[2])
    steps = smallest_gap(order, bots)
    assert steps is not None
    assert steps >= least
    for bot in bots:
        own = smallest_gap([session for session in order if bot in session.players], {bot})
        assert own is not None
        assert own >= least


@given(st.lists(shapes, min_size=1, max_size=3))
def test_in_divisions_of_different_size_the_bound_holds(given_shapes: list[tuple[int, int, int]]) -> None:
    sessions = [
        session for number, shape in enumerate(given_shapes) for session in division(f"d{number}", *shape)
    ]
    matches = len({session.match for session in sessions})
    order = play_order(sessions, matches, KEY)
    assert Counter(order) == Counter(sessions)
    counts = Counter(session.match for session in sessions)
    seen: dict[int, int] = {}
    for step, session in enumerate(order):
        match = session.match
        bound = 1 + sum(count // counts[match] for other, count in counts.items() if other != match)
        assert step - seen.get(match, step - bound) >= bound
        seen[match] = step


def test_with_as_many_sessions_for_each_match_the_distance_is_the_number_of_matches() -> None:
    sessions = division("one", 4, 2, 20)
    bots = {"b0", "b1", "b2", "b3"}
    assert smallest_gap(play_order(sessions, 20, KEY), bots) == 20
    assert smallest_gap(play_order(sessions, 5, KEY), bots) == 5
    assert smallest_gap(play_order(sessions, 6, KEY), bots) == 6  # three blocks, of 7, 7 and 6
    assert smallest_gap(sessions, bots) == 1


def test_nothing_is_moved_unless_it_is_asked_for() -> None:
    sessions = division("one", 3, 3, 4)
    assert play_order(sessions, 0, KEY) == sessions


def test_a_block_is_finished_before_the_next_begins() -> None:
    order = play_order(division("one", 3, 2, 10), 5, KEY)
    half = len(order) // 2
    assert {session.match for session in order[:half]} == set(range(5))


def test_the_first_seating_is_drawn_for_each_match_and_from_the_key_alone() -> None:
    sessions = division("one", 3, 3, 600)

    def firsts(key: bytes) -> list[int]:
        first: dict[int, int] = {}
        for session in play_order(sessions, 600, key):
            first.setdefault(session.match, session.seating)
        return [first[match] for match in range(600)]

    assert firsts(KEY) == firsts(KEY)
    assert firsts(KEY) != firsts(bytes(32))
    counts = Counter(firsts(KEY))
    # 100 each on average; 60 is beyond four standard deviations.
    assert len(counts) == 6
    assert min(counts.values()) > 60


def test_the_first_line_up_is_drawn_for_each_block() -> None:
    order = play_order(division("one", 4, 2, 400), 4, KEY)
    firsts: defaultdict[int, int] = defaultdict(int)
    for start in range(0, len(order), 4 * 12):
        firsts[order[start].line_up] += 1
    assert set(firsts) == set(range(6))


def test_who_never_meets_a_deal_again_is_not_counted() -> None:
    sessions = division("one", 2, 2, 3)
    assert smallest_gap(sessions, set()) is None
    assert smallest_gap(sessions[:1], {"b0"}) is None
    assert smallest_gap([sessions[0], sessions[2], sessions[1]], {"b0"}) == 2
