"""Who plays next."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest

from dealer.ratings.model import Ratings
from dealer.ratings.results import Results
from dealer.ratings.schedule import (
    FIRST_DEAL_SETS,
    LONGEST_WAIT,
    MOST_LINE_UPS,
    candidates,
    next_line_up,
    wrong_order,
)
from tests.dealer.ratings.simulated import simulated_field


def _rated(pairs: dict[tuple[str, str], float], sets: int = 200) -> Ratings:
    random = Random(16)
    results = Results()
    for line_up, true in pairs.items():
        for _ in range(sets):
            won = random.gauss(true, 300)
            results.add(line_up, (won, -won))
    return Ratings(results, sorted({bot for pair in pairs for bot in pair}))


@pytest.mark.parametrize(("gap", "told"), [(0, 0.5), (0.5, 0.3), (0.5, 0.9), (2, 0.5), (1, 0.0), (-0.5, 0.3)])
def test_the_chance_of_a_wrong_order_is_that_of_drawn_differences(gap: float, told: float) -> None:
    random = Random(17)
    wrong = 0
    for _ in range(20_000):
        seen = gap + sqrt(told) * random.gauss(0, 1)
        true = seen + sqrt(1 - told) * random.gauss(0, 1)
        wrong += ((seen > 0) if told else gap > 0) != (true > 0)
    assert wrong_order(gap, told) == pytest.approx(wrong / 20_000, abs=0.01)


def test_neighbours_whose_order_is_open_play_before_those_who_are_far_apart() -> None:
    ratings = _rated({("a", "b"): 5, ("b", "c"): 1000, ("c", "d"): 1000})
    assert candidates(ratings, ratings.field, 50)[0].line_up == ("a", "b")


def test_a_line_up_that_takes_long_is_worth_less() -> None:
    ratings = _rated({("a", "b"): 5, ("b", "c"): 5, ("a", "c"): 5})
    first = candidates(ratings, ratings.field, 50)[0]
    slow = candidates(ratings, ratings.field, 50, lambda line_up: 100.0 if line_up == first.line_up else 1.0)
    found = next(candidate for candidate in slow if candidate.line_up == first.line_up)
    assert found.worth == pytest.approx(first.worth / 100)
    assert slow == sorted(slow, key=lambda candidate: -candidate.worth)


def test_new_bots_play_first_and_busy_ones_not_at_all() -> None:
    ratings = _rated({("a", "b"): 5, ("b", "c"): 5})
    results = Results()
    results.merge(ratings.results)
    rated = Ratings(results, ["a", "b", "c", "new"])
    chosen = next_line_up(rated, ["a", "c", "new"], {}, 50)
    assert chosen is not None
    assert "new" in chosen
    assert "b" not in chosen
    assert next_line_up(rated, ["new"], {}, 50) is None


def test_nobody_waits_longer_than_three_medians() -> None:
    random = Random(18)
    field = simulated_field(12, random, spread=500)
    results = Results()
    last = dict.fromkeys(field.bots, 0)
    played: list[tuple[str, ...]] = []
    longest = 0.0
    for now in range(1, 150):
        ratings = Ratings(results, field.bots)
        waits = {bot: float(now - last[bot]) for bot in field.bots}
        chosen = next_line_up(ratings, field.bots, waits, 20)
        assert chosen is not None
        played.append(chosen)
        results.merge(field.play(chosen, 20, random))
        for bot in chosen:
            last[bot] = now
        if now > 12 * FIRST_DEAL_SETS // 20:
            ordered = sorted(waits.values())
            longest = max(longest, ordered[-1] / ordered[6])
    assert {bot for line_up in played[-60:] for bot in line_up} == set(field.bots)
    assert longest <= LONGEST_WAIT


def test_in_a_small_field_nobody_is_left_out() -> None:
    """However much is to be learnt from the two others."""
    ratings = _rated({("a", "b"): 0.0, ("b", "c"): 900.0, ("a", "c"): 900.0})
    assert next_line_up(ratings, "abc", {"a": 0, "b": 0, "c": 0}, 10) == ("a", "b")
    chosen = next_line_up(ratings, "abc", {"a": 0, "b": 0, "c": 7}, 10)
    assert chosen is not None
    assert "c" in chosen


def test_larger_tables_are_filled() -> None:
    random = Random(19)
    field = simulated_field(9, random, players=4)
    results = Results()
    for line_up in list(field.expected)[::3]:
        results.merge(field.play(line_up, 10, random))
    chosen = next_line_up(Ratings(results, field.bots, 4), field.bots, {}, 20)
    assert chosen is not None
    assert len(set(chosen)) == 4


def test_parts_of_a_field_that_have_not_met_meet_before_anything_else() -> None:
    ratings = _rated({("a", "b"): 0, ("c", "d"): 0})
    # a and b have waited, and are due; but only a match with c or d says who is better.
    chosen = next_line_up(ratings, ratings.field, {"a": 9.0, "b": 9.0, "c": 1.0, "d": 1.0}, 50)
    assert chosen is not None
    assert len({"a", "b"} & set(chosen)) == 1


def test_at_larger_tables_bots_meet_again_in_the_line_ups_that_they_have_met_in() -> None:
    random = Random(5)
    bots = [f"bot{number:02}" for number in range(12)]
    results = Results()
    while any(sum(bot in line_up for line_up, _ in results) < MOST_LINE_UPS for bot in bots):
        for _ in range(2):
            results.add(random.sample(bots, 3), [random.gauss(0, 100) for _ in range(3)])
    known = {line_up for line_up, _ in results}
    ranked = candidates(Ratings(results, bots, 3), bots, 10)
    assert {candidate.line_up for candidate in ranked} == known
    # A new one meets everybody, and there are line-ups of those who are free alone.
    later = candidates(Ratings(results, [*bots, "new"], 3), [*bots[:6], "new"], 10)
    new = {candidate.line_up for candidate in later} - known
    assert new
    assert all("new" in line_up for line_up in new)
    assert all(set(bots[6:]).isdisjoint(candidate.line_up) for candidate in later)
