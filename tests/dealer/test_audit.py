"""The audit accuses nobody honest more often than is said, and finds who remembers."""

from __future__ import annotations

import random
from functools import cache
from math import sqrt

import pytest

from dealer.audit import (
    ALPHA,
    Contrast,
    Finding,
    PlayedSession,
    contrasts,
    estimate,
    findings,
    holm_correction,
)
from dealer.intervals import Interval
from dealer.match import Division, Session, plan_sessions
from dealer.play_order import play_order


@cache
def planned(players: int, matches: int) -> tuple[Session, ...]:
    return plan_sessions(Division("d", ("a", "b", "c", "d"), players, matches, 1))


def simulated(
    draw: random.Random, *, players: int = 2, matches: int = 30, drawn: bool = True, gain: float = 0.0
) -> list[Finding]:
    """A competition in which cards, opponents and chance decide; ``a`` wins more on deals seen before."""
    skill = {"a": 1.0, "b": 0.0, "c": -0.5, "d": -0.5}
    order = play_order(planned(players, matches), matches if drawn else 0, draw.randbytes(32))
    luck = {}
    for match in range(matches):
        cards = [draw.gauss(0, 3) ** 3 / 9 for _ in range(players)]
        luck[match] = [one - sum(cards) / players for one in cards]
    seen: set[tuple[int, str]] = set()
    played: dict[int, list[PlayedSession]] = {match: [] for match in range(matches)}
    for begun, session in enumerate(order):
        nets = []
        for seat, bot in enumerate(session.players):
            known = gain if bot == "a" and (session.match, bot) in seen else 0.0
            nets.append(luck[session.match][seat] + skill[bot] + known + draw.gauss(0, 1))
        middle = sum(nets) / players
        played[session.match].append(PlayedSession(session, begun, [net - middle for net in nets]))
        seen |= {(session.match, bot) for bot in session.players}
    units: dict[tuple[str, str], list[Contrast]] = {("d", bot): [] for bot in skill}
    for sessions in played.values():
        for bot, found in contrasts(sessions, random_order=drawn).items():
            units["d", bot].append(found)
    return findings(units)


def allowed(runs: int) -> float:
    """5 %, and three standard deviations of chance."""
    return runs * ALPHA + 3 * sqrt(runs * ALPHA)


@pytest.mark.parametrize(
    ("players", "drawn", "matches"), [(2, True, 30), (2, False, 30), (3, True, 20), (2, True, 8)]
)
def test_honest_bots_are_accused_as_rarely_as_is_said(players: int, drawn: bool, matches: int) -> None:
    draw = random.Random(7)
    runs = 200 if players == 2 else 100
    found = [simulated(draw, players=players, drawn=drawn, matches=matches) for _ in range(runs)]
    accused = sum(any(one.verdict == "better" for one in bots) for bots in found)
    assert accused <= allowed(runs)
    # Each comparison alone is neither bold nor timid.
    chances = [one.p for bots in found for one in bots if one.p is not None]
    assert len(chances) == 4 * runs
    low = sum(p <= ALPHA for p in chances) / len(chances)
    assert 0.02 < low < 0.08


@pytest.mark.parametrize("drawn", [True, False])
def test_who_remembers_is_found_and_nobody_else(drawn: bool) -> None:
    draw = random.Random(11)
    gain, inside, found, wrong, runs = 4.0 if drawn else 40.0, 0, 0, 0, 100
    for _ in range(runs):
        mine, *others = simulated(draw, gain=gain, drawn=drawn)
        assert mine.gain is not None
        assert mine.gain.half is not None
        # Half of it is taken from the one other player at the table.
        inside += abs(mine.gain.mean - gain / 2) <= mine.gain.half
        found += mine.verdict == "better"
        wrong += any(other.verdict == "better" for other in others)
    assert inside >= 88
    assert found >= 95
    assert wrong <= allowed(runs)


@pytest.mark.parametrize("drawn", [True, False])
def test_with_few_matches_nobody_suffers_from_one_who_remembers(drawn: bool) -> None:
    draw = random.Random(13)
    runs = 150
    found = [simulated(draw, gain=20.0, matches=7, drawn=drawn) for _ in range(runs)]
    assert sum(any(one.verdict == "better" for one in others) for _, *others in found) <= allowed(runs)


def session(match: int, line_up: int, seating: int, *players: str) -> Session:
    return Session("d", line_up, match, seating, players, 2)


def test_a_contrast_is_later_seatings_less_the_first_and_what_the_cards_were_worth() -> None:
    match = [
        PlayedSession(session(0, 0, 0, "a", "b"), 5, [1, -1]),
        PlayedSession(session(0, 0, 1, "b", "a"), 3, [4, -4]),
        PlayedSession(session(0, 1, 0, "a", "c"), 6, [9, -9]),
        PlayedSession(session(0, 1, 1, "c", "a"), 7, [9, -9]),
        PlayedSession(session(0, 2, 0, "b", "c"), 1, [6, -6]),
        PlayedSession(session(0, 2, 1, "c", "b"), 2, [2, -2]),
    ]
    found = contrasts(match, random_order=True)
    # a saw the deals first in seat 1 of line-up 0, then in seat 0; b and c had these cards in line-up 2.
    assert found["a"] == Contrast(1 - -4, 4 - -4)
    # b and c met them first in line-up 2, in other seats.
    assert found["b"] == Contrast(-2 - 6, -9 - 9)
    assert found["c"] == Contrast(2 - -6, 2.5 - -2.5)
    assert contrasts(match, random_order=False)["a"] == Contrast(5, None)


def test_without_others_there_is_nothing_to_take_out() -> None:
    match = [
        PlayedSession(session(0, 0, 0, "a", "b"), 1, [1, -1]),
        PlayedSession(session(0, 0, 1, "b", "a"), 2, [3, -3]),
    ]
    assert contrasts(match, random_order=True) == {"a": Contrast(-4, None), "b": Contrast(4, None)}
    assert contrasts(match[:1], random_order=True) == {}


def test_of_three_players_the_later_seatings_are_averaged() -> None:
    match = [
        PlayedSession(session(0, 0, 0, "a", "b", "c"), 1, [1, 2, -3]),
        PlayedSession(session(0, 0, 1, "b", "c", "a"), 2, [3, -3, 0]),
        PlayedSession(session(0, 0, 2, "c", "a", "b"), 3, [0, 6, -6]),
    ]
    assert contrasts(match, random_order=False)["a"] == Contrast(3 - 1, None, 3)


def test_the_estimate_is_the_mean_with_students_interval() -> None:
    found = estimate([Contrast(value, None) for value in (1.0, 2.0, 3.0, 6.0)])
    assert found is not None
    interval, chance = found
    assert interval.mean == 3
    # t(0.975, 3) = 3.18245, standard error 2.16025 / 2.
    assert interval.half == pytest.approx(3.18245 * 2.16025 / 2, rel=1e-4)
    # Of sixteen orders of four pairs one is as good as this.
    assert chance == pytest.approx(0.0625)


def test_no_chance_is_smaller_than_that_of_the_order_that_was_drawn() -> None:
    found = estimate([Contrast(100 + value, None, 6) for value in (1.0, 2.0, 3.0)])
    assert found is not None
    assert found[1] == pytest.approx(6**-3)


def test_what_the_cards_explain_is_taken_out() -> None:
    units = [Contrast(2 * x + 1 + noise, x) for x, noise in ((-4, 0.1), (-1, -0.1), (2, -0.1), (5, 0.1))]
    found = estimate(units)
    assert found is not None
    assert found[0].mean == pytest.approx(1.0)
    assert found[0].half is not None
    assert found[0].half < 0.5


@pytest.mark.parametrize(
    ("values", "half", "chance"),
    [
        ([], None, None),
        ([5.0], None, None),
        ([2.0, 2.0], 0.0, 0.25),
        ([-2.0, -2.0], 0.0, 1.0),
        ([0.0] * 3, 0.0, 1.0),
    ],
)
def test_where_there_is_little_to_compare(
    values: list[float], half: float | None, chance: float | None
) -> None:
    found = estimate([Contrast(value, None) for value in values])
    if not values:
        assert found is None
        return
    assert found is not None
    assert (found[0].half, found[1]) == (half, chance)


def test_holms_correction() -> None:
    chances = {("d", "a"): 0.01, ("d", "b"): 0.04, ("d", "c"): 0.03, ("d", "d"): 0.9}
    assert holm_correction(chances) == {
        ("d", "a"): 0.04,
        ("d", "c"): pytest.approx(0.09),
        ("d", "b"): pytest.approx(0.09),
        ("d", "d"): 0.9,
    }


@pytest.mark.parametrize(
    ("mean", "half", "corrected", "verdict"),
    [
        (5.0, 1.0, 0.01, "better"),
        (5.0, 1.0, 0.06, "undecided"),
        (0.5, 1.0, 0.5, "undecided"),
        (-5.0, 1.0, 1.0, "not better"),
        (5.0, None, None, "undecided"),
    ],
)
def test_the_verdict(mean: float, half: float | None, corrected: float | None, verdict: str) -> None:
    assert Finding("d", "a", Interval(mean, half, 9), corrected, corrected).verdict == verdict
    assert Finding("d", "a", None, None, None).verdict == "undecided"
