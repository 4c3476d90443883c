"""The study of the ladder: its players, and those it compares ratings with."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dealer.ratings.results import UNITS_PER_MBB
from studies.ladder.courses import DEAL_SETS, LONGEST, TAU, course, hands, kendall_tau
from studies.ladder.field import push_fold_field
from studies.ladder.pools import BOTS, PooledField, names_of, pool
from studies.ladder.rivals import RIVALS, Glicko2
from studies.ladder.simulate import predicted_deal_sets, skill_for


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


#: Three bots: by pair what the first wins in each deal set, with luck and without.
POOLS = [
    [[1000.0, -700.0, 50.0, 200.0], [90.0, 110.0, 100.0, 100.0]],
    [[-900.0, 300.0, 100.0, 500.0], [190.0, 210.0, 200.0, 200.0]],
    [[0.0, 20.0, 300.0, 100.0], [40.0, 60.0, 50.0, 50.0]],
]


def test_what_bots_won_in_their_pools_is_their_law() -> None:
    field = PooledField(("a", "c", "b"), POOLS)
    assert field.truth.tolist() == [[0, 100, 200], [-100, 0, 50], [-200, -50, 0]]
    assert field.ratings.tolist() == [150, -25, -125]
    for one, two in combinations(range(3), 2):
        raw, adjusted = field.draw(one, two, 20_000, 3)
        # Luck has no mean: those who rate winners are asked for the same order.
        for found in (raw, adjusted):
            assert abs(found.mean() - field.truth[one, two]) < 4 * found.std() / np.sqrt(len(found))
        turned = field.draw(two, one, 20_000, 3)
        assert (turned[0] == -raw).all()
        assert (turned[1] == -adjusted).all()
    won, sums = field.match(1, 2, 50, 4)
    raw, adjusted = field.draw(1, 2, 50, 4)
    assert won == pytest.approx(raw.sum())
    # In alphabetical order b comes before c.
    assert sums.sums[1] == pytest.approx(adjusted.sum() * UNITS_PER_MBB)


@pytest.mark.parametrize("kind", sorted(BOTS))
def test_a_pool_has_what_a_bot_wins_with_and_without_luck(kind: str) -> None:
    raw, adjusted = pool(1, kind, "call", "random", 12)
    assert len(raw) == len(adjusted) == 12
    assert raw != adjusted
    assert pool(1, kind, "call", "random", 12) == [raw, adjusted]
    assert len(names_of(kind, 99)) == len(set(names_of(kind, 99))) == 16


def test_a_course_is_of_the_same_cards_for_all() -> None:
    # What all win is certain: ratings have the order after the first look, and so have the others.
    sure = [[[value] * 4, [value] * 4] for value in (100.0, 200.0, 100.0)]
    curves = course(1, "limit", 0, 40, sure)
    assert set(curves) == {"ratings", *RIVALS}
    for curve in curves.values():
        assert curve["tau"][-1] == 1
    assert curves == course(1, "limit", 0, 40, sure)
    # Those who have not got it are stopped.
    lucky = [[[20_000.0 * sign + fair for sign in (1, -1)], [fair, fair]] for fair in (1.0, 2.0, 1.0)]
    curves = course(1, "limit", 0, 40, lucky)
    assert curves["ratings"]["tau"][-1] >= TAU
    late = [curve for curve in curves.values() if curve["tau"][-1] < TAU]
    assert all(hands(curve) >= LONGEST * hands(curves["ratings"]) for curve in late)
    assert hands(curves["ratings"]) % (2 * DEAL_SETS) == 0
