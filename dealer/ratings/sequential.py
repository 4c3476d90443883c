"""Is a version better than another? A test that may be looked at after every deal set, and stops by itself.

Wald's sequential probability ratio test between two differences ``low`` and ``high`` (mbb/hand), with the
variance estimated on the way. The chance to accept ``high`` when ``low`` is true is at most ``alpha``, the
chance to accept ``low`` when ``high`` is true at most ``beta``. Sources: Wald 1945, "Sequential tests of
statistical hypotheses" (Annals of Mathematical Statistics 16); Ville's inequality for the bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, log, sqrt
from typing import Final, Literal

from dealer.errors import ScoreError
from dealer.intervals import Interval, t_quantile
from dealer.ratings.results import UNITS_PER_MBB

#: No decision before as many deal sets: until then the variance is hardly known.
LEAST_DEAL_SETS: Final = 40
#: Bounds, in mbb/hand, are no farther from zero than the one, and no nearer to each other than the other.
FARTHEST_BOUND: Final = 1e9
NARROWEST: Final = 1e-3

Decision = Literal["better", "not better", "undecided"]


@dataclass
class SequentialTest:
    """The course of a test. Counts and sums are whole numbers, so it can be stored and resumed exactly.

    Raises ``ScoreError`` (``bad_bounds``) unless ``low < high``, both within reason (``FARTHEST_BOUND``,
    ``NARROWEST``), and ``alpha`` and ``beta`` are between 0 and one half.
    """

    low: float = 0.0
    high: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    count: int = 0
    total: int = 0
    squares: int = 0

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ScoreError(
                "bad_bounds", f"the lower bound must be below the upper, not {self.low} and {self.high}"
            )
        if max(-self.low, self.high) > FARTHEST_BOUND or self.high - self.low < NARROWEST:
            raise ScoreError(
                "bad_bounds",
                f"bounds are at most {FARTHEST_BOUND:g} mbb/hand from zero, and at least {NARROWEST:g} apart",
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ScoreError("bad_bounds", "alpha and beta are between 0 and 0.5")

    def add(self, difference: float) -> None:
        """Add a deal set: by how many mbb/hand the version won more than the other."""
        units = round(difference * UNITS_PER_MBB)
        self.count += 1
        self.total += units
        self.squares += units * units

    @property
    def mean(self) -> float:
        """Return the mean difference in mbb/hand; 0 before the first deal set."""
        return self.total / (self.count * UNITS_PER_MBB) if self.count else 0.0

    @property
    def variance(self) -> float:
        """Return the variance of a deal set's difference, in squared mbb/hand; 0 with less than two."""
        if self.count < 2:
            return 0.0
        exact = self.squares * self.count - self.total * self.total
        return exact / (self.count * (self.count - 1) * UNITS_PER_MBB**2)

    @property
    def log_likelihood_ratio(self) -> float:
        """Return how much likelier the results are with ``high`` than with ``low``, as a logarithm."""
        if self.count < 2:
            return 0.0
        # With no spread at all one thousandth is as sure as anything.
        variance = max(self.variance, 1e-6)
        return self.count * (self.high - self.low) / variance * (self.mean - (self.low + self.high) / 2)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the log likelihood ratios at which the test ends: "not better", "better"."""
        return log(self.beta), -log(self.alpha)

    @property
    def decision(self) -> Decision:
        """Return what the test has found so far."""
        lower, upper = self.bounds
        if self.count < LEAST_DEAL_SETS:
            return "undecided"
        ratio = self.log_likelihood_ratio
        return "better" if ratio >= upper else "not better" if ratio <= lower else "undecided"

    def interval(self) -> Interval:
        """Return the mean with its 95 % interval, as if the number of deal sets had been fixed. After a test
        that stopped by itself the mean is a little too far out.
        """
        if self.count < 2:
            return Interval(self.mean, None, self.count)
        half = t_quantile(0.975, self.count - 1) * sqrt(self.variance / self.count)
        return Interval(self.mean, half, self.count)

    def expected_deal_sets(self, deviation: float, difference: float | None = None) -> float:
        """Return how many deal sets the test takes on average (Wald 1945, formula 4.8), if the true
        difference is ``difference`` (default: ``high``) and a deal set's deviation is ``deviation``, both
        in mbb/hand.
        """
        true = self.high if difference is None else difference
        lower, upper = self.bounds
        width, ahead = self.high - self.low, true - (self.low + self.high) / 2
        # The martingale exp(h * ratio) has mean 1.
        h = -2 * ahead / width
        if abs(h) < 1e-6:  # as without a drift: what follows would divide nothing by nothing
            return -lower * upper * (deviation / width) ** 2
        # The chance to end at "better", (1 - exp(h lower)) / (exp(h upper) - exp(h lower)), with powers that
        # do not overflow, however large h is.
        if h > 0:
            reach = exp(-h * upper) * expm1(h * lower) / expm1(h * (lower - upper))
        else:
            reach = expm1(-h * lower) / expm1(h * (upper - lower))
        return (reach * upper + (1 - reach) * lower) * deviation**2 / (width * ahead)
