"""The sequential test: its errors, its length, and that it can be resumed."""

from __future__ import annotations

from dataclasses import asdict
from math import inf, nan
from random import Random
from statistics import mean

import pytest

from dealer.errors import ScoreError
from dealer.ratings.sequential import FARTHEST_BOUND, LEAST_DEAL_SETS, NARROWEST, SequentialTest


def _run(true: float, random: Random, deviation: float = 100.0) -> SequentialTest:
    test = SequentialTest(0, 20)
    while test.decision == "undecided":
        test.add(random.gauss(true, deviation))
    return test


def test_equal_versions_are_rarely_called_better() -> None:
    random = Random(13)
    found = [_run(0, random).decision for _ in range(300)]
    assert found.count("better") <= 26  # 15 expected at most; three deviations more


def test_a_better_version_is_found_in_the_hands_that_were_predicted() -> None:
    random = Random(14)
    tests = [_run(20, random) for _ in range(300)]
    assert sum(test.decision == "better" for test in tests) >= 274  # 285 expected at least
    predicted = SequentialTest(0, 20).expected_deal_sets(100)
    assert mean(test.count for test in tests) == pytest.approx(predicted, rel=0.15)


def test_between_the_bounds_it_takes_longest() -> None:
    test = SequentialTest(0, 20)
    assert test.expected_deal_sets(100, 10) > test.expected_deal_sets(100, 20)
    assert test.expected_deal_sets(100, 0) == pytest.approx(test.expected_deal_sets(100, 20))
    assert test.expected_deal_sets(100, 10 + 1e-3) == pytest.approx(
        test.expected_deal_sets(100, 10), rel=1e-3
    )


@pytest.mark.parametrize("far", [1e4, -1e4])
def test_far_beyond_the_bounds_a_few_deal_sets_decide(far: float) -> None:
    test = SequentialTest(0, 1)
    # The way to the bound, at the speed of the drift.
    way = test.bounds[far > 0] / (far - 0.5)
    assert test.expected_deal_sets(1, far) == pytest.approx(way)


@pytest.mark.parametrize("drift", [1e-3, 1e-5, 1e-7, 1e-12, 1e-17, 0, -1e-17, -1e-7, -1e-3])
def test_the_smallest_drifts_are_as_none(drift: float) -> None:
    test = SequentialTest(-5, 5)
    assert test.expected_deal_sets(1000, drift) == pytest.approx(test.expected_deal_sets(1000, 0), rel=1e-3)


@pytest.mark.parametrize(
    "bounds", [(0.0, 1e-4), (0.0, 2e9), (-2e9, 0.0), (0.0, inf), (-inf, 0.0), (0.0, nan), (1.0, 1.0)]
)
def test_bounds_are_within_reason(bounds: tuple[float, float]) -> None:
    with pytest.raises(ScoreError) as refused:
        SequentialTest(*bounds)
    assert refused.value.code == "bad_bounds"


@pytest.mark.parametrize("bounds", [(0.0, NARROWEST), (-FARTHEST_BOUND, FARTHEST_BOUND)])
@pytest.mark.parametrize("true", [-1e9, -1e-9, 0.0, 3.0, 1e9])
def test_within_them_everything_can_be_told(bounds: tuple[float, float], true: float) -> None:
    assert 0 < SequentialTest(*bounds).expected_deal_sets(1.0, true) < inf


def test_it_goes_on_from_its_stored_state() -> None:
    random = Random(15)
    drawn = [random.gauss(20, 100) for _ in range(60)]
    whole, part = SequentialTest(0, 20), SequentialTest(0, 20)
    for value in drawn:
        whole.add(value)
    for value in drawn[:30]:
        part.add(value)
    resumed = SequentialTest(**asdict(part))
    for value in drawn[30:]:
        resumed.add(value)
    assert resumed == whole
    assert resumed.interval() == whole.interval()


def test_it_never_decides_at_once() -> None:
    test = SequentialTest(0, 20)
    for _ in range(LEAST_DEAL_SETS - 1):
        test.add(1000.0)
    early = test.decision
    test.add(1000.0)
    assert (early, test.decision) == ("undecided", "better")


@pytest.mark.parametrize(
    "bounds", [(20, 0, 0.05, 0.05), (0, 0, 0.05, 0.05), (0, 20, 0, 0.05), (0, 20, 0.05, 0.6)]
)
def test_impossible_bounds_are_refused(bounds: tuple[float, float, float, float]) -> None:
    with pytest.raises(ScoreError) as refused:
        SequentialTest(*bounds)
    assert refused.value.code == "bad_bounds"
