"""The study of the ladder: its players, and those it compares ratings with."""

from __future__ import annotations

import numpy as np
import pytest

from dealer.ratings.results import UNITS_PER_MBB
from studies.ladder.field import push_fold_field
from studies.ladder.simulate import Glicko2, kendall_tau, predicted_deal_sets, skill_for


def test_drawn_deal_sets_have_the_exact_means() -> None:
    field = push_fold_field()
    for one, two in ((0, 1), (3, 40), (59, 10), (20, 55)):
        raw, adjusted = field.draw(one, two, 40_000, 1000 * one + two)
        for found in (raw, adjusted):
            error = float(found.std()) / np.sqrt(len(found))
            assert abs(found.mean() - field.truth[one, two]) < 4 * error
        assert adjusted.std() < raw.std()


def test_sums_are_those_of_the_deal_sets_in_alphabetical_order() -> None:
    field = push_fold_field()
    one, two = 0, 59
    drawn = np.rint(field.draw(one, two, 30, 7)[1] * UNITS_PER_MBB)
    sums = field.sums(one, two, 30, 7)
    sign = 1 if field.names[one] < field.names[two] else -1
    assert sums.sums == (sign * drawn.sum(), -sign * drawn.sum())
    assert sums.products == ((drawn**2).sum(), -(drawn**2).sum(), (drawn**2).sum())


def test_a_copy_plays_alike() -> None:
    field = push_fold_field().with_copy(5, "again")
    assert field.ratings[-1] == pytest.approx(field.ratings[5])
    assert field.truth[5, -1] == pytest.approx(0)


def test_kendalls_tau_counts_pairs() -> None:
    truth = np.array([3.0, 2.0, 1.0])
    assert kendall_tau([9, 8, 7], truth) == 1
    assert kendall_tau([8, 9, 7], truth) == pytest.approx(1 / 3)
    assert kendall_tau([0, 0, 0], truth) == 0


def test_the_better_player_is_better_by_what_is_asked() -> None:
    assert 0 < skill_for(20) < skill_for(40) < 1
    assert 1000 < predicted_deal_sets(20.0) < 100_000


def test_glicko_2_is_that_of_its_author() -> None:
    # Glickman 2013, the example at the end: 1464.06, 151.52, 0.05999.
    scale = 173.7178
    player = (0.0, 200 / scale, 0.06)
    games = [
        (((rating - 1500) / scale, deviation / scale, 0.06), score)
        for rating, deviation, score in ((1400, 30, 1.0), (1550, 100, 0.0), (1700, 300, 0.0))
    ]
    rating, deviation, volatility = Glicko2.updated(player, games)
    assert 1500 + scale * rating == pytest.approx(1464.06, abs=0.01)
    assert scale * deviation == pytest.approx(151.52, abs=0.01)
    assert volatility == pytest.approx(0.05999, abs=0.00001)
