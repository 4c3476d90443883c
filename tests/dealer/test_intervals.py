import math
import random
from itertools import pairwise

import pytest
from scipy.special import chdtrc

from dealer.errors import ScoreError
from dealer.intervals import (
    MIN_UNITS,
    Interval,
    chi_square_tail,
    mean_interval,
    ratio_interval,
    t_quantile,
    t_tail,
)

# Upper 2.5 % and 0.5 % points of Student's t (Fisher and Yates, Statistical Tables, table III).
T_TABLE = [
    (1, 12.706, 63.657), (2, 4.303, 9.925), (3, 3.182, 5.841), (4, 2.776, 4.604), (5, 2.571, 4.032),
    (6, 2.447, 3.707), (7, 2.365, 3.499), (8, 2.306, 3.355), (9, 2.262, 3.250), (10, 2.228, 3.169),
    (12, 2.179, 3.055), (15, 2.131, 2.947), (20, 2.086, 2.845), (25, 2.060, 2.787), (29, 2.045, 2.756),
    (30, 2.042, 2.750), (40, 2.021, 2.704), (60, 2.000, 2.660), (120, 1.980, 2.617), (10**9, 1.960, 2.576),
]  # fmt: skip


@pytest.mark.parametrize(("freedom", "upper_975", "upper_995"), T_TABLE)
def test_t_quantile_agrees_with_the_table(freedom: int, upper_975: float, upper_995: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(upper_975, abs=0.0006)
    assert t_quantile(0.995, freedom) == pytest.approx(upper_995, abs=0.0006)
    assert t_quantile(0.025, freedom) == -t_quantile(0.975, freedom)


def test_both_ways_of_computing_the_quantile_meet() -> None:
    exact = [t_quantile(0.975, freedom) for freedom in (57, 58, 59)]
    series = [t_quantile(0.975, freedom) for freedom in (60, 61, 62)]
    steps = [before - after for before, after in pairwise([*exact, *series])]

    assert all(0 < after < before < 1.05 * after for before, after in pairwise(steps))


@pytest.mark.parametrize(("probability", "freedom"), [(0, 5), (1, 5), (-0.1, 5), (math.nan, 5), (0.975, 0)])
def test_no_quantile_outside_its_domain(probability: float, freedom: int) -> None:
    with pytest.raises(ScoreError) as error:
        t_quantile(probability, freedom)

    assert error.value.code == "bad_probability"


def test_mean_interval_by_hand() -> None:
    # Mean 3, variance 2.5, t(4) = 2.776.
    interval = mean_interval([1, 2, 3, 4, 5])

    assert interval.mean == 3
    assert interval.half == pytest.approx(2.7764 * math.sqrt(2.5 / 5), abs=1e-4)
    assert interval.units == 5
    assert interval.decided
    assert interval.low == pytest.approx(3 - 1.9632, abs=1e-3)
    assert interval.high == pytest.approx(3 + 1.9632, abs=1e-3)


def test_one_unit_decides_nothing() -> None:
    interval = mean_interval([7])

    assert interval == Interval(7, None, 1)
    assert not interval.decided
    assert interval.low is None
    assert interval.high is None
    assert interval.scaled(2) == Interval(14, None, 1)


@pytest.mark.parametrize("units", range(2, 13))
def test_tournaments_of_equals_are_decided_in_5_of_100_cases(units: int) -> None:
    """Matches of two tournaments, one from each seat: both won, one each, both lost. Every way in which they
    can end, with its chance.
    """
    decided = sum(
        math.comb(units, won) * math.comb(units - won, lost) * 2 ** (units - won - lost) / 4**units
        for won in range(units + 1)
        for lost in range(units + 1 - won)
        if mean_interval([1] * won + [-1] * lost + [0] * (units - won - lost)).if_enough_units().decided
    )
    assert decided == 0 if units < MIN_UNITS else 0.045 < decided < 0.055


def test_no_difference_at_all_is_undecided() -> None:
    assert mean_interval([0, 0, 0]) == Interval(0, 0, 3)
    assert not mean_interval([0, 0, 0]).decided
    assert mean_interval([2, 2, 2]).decided


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ScoreError) as error:
        mean_interval([])

    assert error.value.code == "nothing_to_score"


def test_units_of_several_hands_count_as_one() -> None:
    # Ten hands that all share their luck are one observation, however many there are.
    once = ratio_interval([3, -1, 4, -2], [1, 1, 1, 1]).interval()
    tenfold = ratio_interval([30, -10, 40, -20], [10, 10, 10, 10]).interval()

    assert tenfold.half is not None
    assert tenfold.half == pytest.approx(once.half)
    assert tenfold.mean == once.mean


def test_difference_of_two_means_over_the_same_units_is_that_of_the_pairs() -> None:
    mine, theirs = [5.0, 1.0, 7.0, -3.0], [4.0, 1.5, 5.0, -2.0]
    ones = [1] * 4

    difference = ratio_interval(mine, ones).difference(ratio_interval(theirs, ones))

    paired = mean_interval([a - b for a, b in zip(mine, theirs, strict=True)])
    assert difference.mean == pytest.approx(paired.mean)
    assert difference.half == pytest.approx(paired.half)


def test_units_without_hands_are_none() -> None:
    # Who has played in one match of five has one unit, and is compared with nobody by it.
    regular = ratio_interval([3, -1, 4, -2, 0], [1] * 5)
    guest = ratio_interval([9, 0, 0, 0, 0], [1, 0, 0, 0, 0])

    assert guest.interval() == Interval(9, None, 1)
    assert regular.difference(guest).half is None
    assert guest.difference(regular).units == 1


def test_interval_covers_the_truth_in_95_of_100_cases() -> None:
    source = random.Random(20130501)
    for units in (3, 12, 80):
        covered = 0
        for _ in range(2000):
            interval = mean_interval([source.gauss(1.5, 4) for _ in range(units)])
            assert interval.low is not None
            assert interval.high is not None
            covered += interval.low <= 1.5 <= interval.high
        # Three standard deviations of a count with 2,000 draws are 29.
        assert abs(covered - 1900) < 30


@pytest.mark.parametrize("freedom", [1, 2, 5, 29, 60, 400, 5000])
@pytest.mark.parametrize("probability", [0.02, 0.5, 0.9, 0.999])
def test_the_tail_is_what_lies_beyond_the_quantile(freedom: int, probability: float) -> None:
    assert t_tail(t_quantile(probability, freedom), freedom) == pytest.approx(1 - probability, rel=1e-2)


def test_no_tail_is_below_nothing() -> None:
    assert t_tail(1e9, 30) == pytest.approx(0, abs=1e-12)
    assert t_tail(1e9, 5000) == 0


@pytest.mark.parametrize(("value", "freedom"), [(0.5, 1), (3.8, 1), (10, 3), (80, 100), (130, 100), (2, 30)])
def test_the_chi_square_tail_is_scipys(value: float, freedom: int) -> None:
    assert chi_square_tail(value, freedom) == pytest.approx(float(chdtrc(freedom, value)), rel=1e-9)
