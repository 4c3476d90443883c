"""Ratings over time: at most so many points, evenly spread, of those who played then."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dealer.ratings.model import Ratings
from dealer.ratings.results import Results
from server.ladder.records import Scored, Version, VersionState
from server.web.ladder.history import POINTS, History

A_DAY = 86_400.0


def version(name: str, state: VersionState = "rated", settled: float | None = None) -> Version:
    bot, _, number = name.partition("@")
    return Version(name, bot, int(number or 1), "pushed", "", (), state, "", 0.0, settled)


def match(number: int, line_up: tuple[str, str], *mbb: float) -> Scored:
    results = Results()
    for value in mbb:
        results.add(line_up, [value, -value])
    sums = results.sums(line_up)
    assert sums is not None
    return Scored(number, float(number), line_up, sums)


MANY = [match(number, ("ann@1", "call"), 100.0 + number % 7, 90.0) for number in range(1, 1001)]
FIELD = [version("ann@1"), version("call")]


def test_points_are_evenly_spread_and_few_however_many_matches_there_are() -> None:
    history = History(2)
    for start in range(0, len(MANY), 100):
        assert history.extend(MANY[start : start + 100], FIELD, A_DAY)
    numbers = [moment.match for moment in history.moments]
    assert POINTS / 2 <= len(numbers) <= POINTS
    assert len({after - before for before, after in pairwise(numbers)}) == 1
    assert history.last == (1000.0, 1000)


def test_a_ladder_that_starts_again_has_points_as_far_apart() -> None:
    again = History(2, total=len(MANY))
    assert again.extend(MANY, FIELD, A_DAY)
    assert POINTS / 2 <= len(again.moments) <= POINTS


def test_each_point_is_the_rating_of_all_matches_until_then() -> None:
    history = History(2)
    history.extend(MANY[:20], FIELD, A_DAY)
    results = Results()
    for one in MANY[:10]:
        results.merge(Results({one.line_up: one.sums}))
    expected = Ratings(results, ["ann@1", "call"]).rating("ann@1")
    assert history.moments[9].ratings["ann@1"] == expected


def test_time_that_runs_out_leaves_the_rest_to_the_next_call() -> None:
    history = History(2)
    assert not history.extend(MANY, FIELD, 0.0)
    assert history.extend(MANY[:5], FIELD, A_DAY)
    assert history.last == (5.0, 5)


@pytest.mark.parametrize(("settled", "there"), [(5.5, [False] * 4), (100.0, [True] * 4)])
def test_a_version_is_there_until_it_is_replaced(settled: float, there: list[bool]) -> None:
    field = [*FIELD, version("bob@1", "replaced", settled)]
    matches = [match(1, ("bob@1", "call"), 10.0, 20.0), *MANY[5:9]]
    history = History(2)
    assert history.extend(matches, field, A_DAY)
    assert ["bob@1" in moment.ratings for moment in history.moments[1:]] == there
