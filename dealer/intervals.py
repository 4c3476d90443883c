"""Means with 95 % intervals, from independent units.

The caller knows which unit is independent. In duplicate poker it is a deal or a match with all its seatings,
in every line-up that played it (``dealer.scoring``), never the single hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import atan, cos, exp, fsum, lgamma, log, log1p, pi, sin, sqrt
from statistics import NormalDist
from typing import NamedTuple

from dealer.errors import ScoreError

CONFIDENCE = 0.95

#: Minimum number of units for an interval. Student's interval assumes a normal distribution. It is wrong for
#: a few values that can only be a win, loss or draw, such as tournaments: with half of them drawn it misses
#: the truth in 12.5 % of cases with two units (both won: it is empty), and in 0.8 % with four. From ten on it
#: is about 5 %.
MIN_UNITS = 10

_SERIES_FROM = 60
_NEWTON_STEPS = 200
_NORMAL_FROM = 1000


class Interval(NamedTuple):
    """``mean`` +- ``half`` (95 %) from ``units`` independent units. With a single unit ``half`` is None:
    nothing is known.
    """

    mean: float
    half: float | None
    units: int

    @property
    def low(self) -> float | None:
        """Return the lower end."""
        return None if self.half is None else self.mean - self.half

    @property
    def high(self) -> float | None:
        """Return the upper end."""
        return None if self.half is None else self.mean + self.half

    @property
    def decided(self) -> bool:
        """Return whether the sign is known: the interval exists and does not contain 0."""
        return self.half is not None and abs(self.mean) > self.half

    def if_enough_units(self) -> Interval:
        """Return the same without ``half`` if there are fewer than ``MIN_UNITS`` units."""
        return self if self.units >= MIN_UNITS else self._replace(half=None)

    def scaled(self, factor: float) -> Interval:
        """Return the same in another unit, for example mbb instead of chips."""
        return Interval(
            self.mean * factor, None if self.half is None else self.half * abs(factor), self.units
        )


class Ratio(NamedTuple):
    """A mean per hand, sum of totals by sum of hands, with the contribution of each unit to its error
    (linearised; sums to 0). ``units``: the number of units with hands.
    """

    mean: float
    errors: tuple[float, ...]
    units: int

    def interval(self) -> Interval:
        """Return the 95 % interval of the mean."""
        return _interval(self.mean, self.errors, self.units)

    def difference(self, other: Ratio) -> Interval:
        """Return the 95 % interval of the difference of two means over the same units, which may be dependent
        within a unit.
        """
        errors = [mine - theirs for mine, theirs in zip(self.errors, other.errors, strict=True)]
        return _interval(self.mean - other.mean, errors, min(self.units, other.units))


def mean_interval(values: Iterable[float]) -> Interval:
    """Return the mean of independent values with its 95 % Student interval. Raises ``ScoreError``
    (``nothing_to_score``).
    """
    totals = list(values)
    return ratio_interval(totals, [1] * len(totals)).interval()


def ratio_interval(totals: Sequence[float], counts: Sequence[int]) -> Ratio:
    """Return the mean per hand over units (clusters) with different numbers of hands.

    ``totals[u]`` is the sum over the ``counts[u]`` hands of unit u. With equal counts this is the mean of the
    units' means. Raises ``ScoreError`` (``nothing_to_score``) without any hand.
    """
    hands = sum(counts)
    if hands == 0:
        raise ScoreError("nothing_to_score", "no hand was played, so there is no mean")
    mean = fsum(totals) / hands
    errors = [(total - mean * count) / hands for total, count in zip(totals, counts, strict=True)]
    return Ratio(mean, tuple(errors), sum(count > 0 for count in counts))


def student_half(squares: float, units: int) -> float | None:
    """Return half of the 95 % Student interval of a sum of ``units`` independent values, from the sum of
    their squared deviations from their mean; None for a single one.
    """
    if units < 2:
        return None
    return t_quantile((1 + CONFIDENCE) / 2, units - 1) * sqrt(max(0.0, squares) * units / (units - 1))


def _interval(mean: float, errors: Sequence[float], units: int) -> Interval:
    return Interval(mean, student_half(fsum([error * error for error in errors]), units), units)


@lru_cache(maxsize=256)
def t_quantile(probability: float, freedom: int) -> float:
    """Return a quantile of Student's t distribution with a whole number of degrees of freedom, to at least 6
    digits.

    Raises ``ScoreError`` (``bad_probability``) unless 0 < probability < 1 and freedom >= 1.
    """
    if not 0 < probability < 1 or freedom < 1:
        raise ScoreError(
            "bad_probability", f"no t quantile for probability {probability}, {freedom} degrees of freedom"
        )
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    normal = NormalDist().inv_cdf(probability)
    if freedom >= _SERIES_FROM:
        return _t_by_series(normal, freedom)
    # The distribution function is concave above 0 and the normal quantile is below, so Newton's steps
    # approach from below.
    t = normal
    for _ in range(_NEWTON_STEPS):
        step = (probability - _t_distribution(t, freedom)) / _t_density(t, freedom)
        t += step
        if abs(step) <= 1e-12 * t:
            break
    return t


def t_tail(t: float, freedom: int) -> float:
    """Return the probability that a variable of Student's t distribution is at least ``t``; beyond 1000
    degrees of freedom by the normal distribution.
    """
    if t < 0:
        return 1 - t_tail(-t, freedom)
    if freedom > _NORMAL_FROM:
        return NormalDist().cdf(-t)
    return max(0.0, 1 - _t_distribution(t, freedom))


def chi_square_tail(value: float, freedom: int) -> float:
    """Return the probability that a chi-square variable is at least ``value`` (Abramowitz and Stegun 1964,
    26.4.19, with the series and the continued fraction of 6.5.29 and 6.5.31).
    """
    shape, x = freedom / 2, value / 2
    if x <= 0:
        return 1.0
    front = exp(shape * log(x) - x - lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        step = shape
        while term > total * 1e-15:
            step += 1
            term *= x / step
            total += term
        return max(0.0, 1 - front * total)
    tiny = 1e-300
    b = x + 1 - shape
    c, d = 1 / tiny, 1 / b
    fraction = d
    for i in range(1, 10_000):
        a = -i * (i - shape)
        b += 2
        d = 1 / (a * d + b or tiny)
        c = b + a / c or tiny
        fraction *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return min(1.0, front * fraction)


def _t_by_series(x: float, freedom: int) -> float:
    """Cornish-Fisher expansion around the normal quantile (Abramowitz and Stegun 1964, 26.7.5)."""
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + fsum(term / float(freedom) ** power for power, term in enumerate(terms, 1))


def _t_distribution(t: float, freedom: int) -> float:
    """Student's distribution function as a finite sum (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    angle = atan(t / sqrt(freedom))
    square = cos(angle) ** 2
    odd = freedom % 2
    term, total = (cos(angle), 0.0) if odd else (1.0, 0.0)
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= square * k / (k + 1)
    between = 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
    return (1 + between) / 2


def _t_density(t: float, freedom: int) -> float:
    constant = lgamma((freedom + 1) / 2) - lgamma(freedom / 2)
    return exp(constant - (freedom + 1) / 2 * log1p(t * t / freedom)) / sqrt(freedom * pi)
