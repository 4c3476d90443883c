from __future__ import annotations

import numpy as np
import pytest

from dealer.rules.events import Acted, BoardDealt, Event, HandStarted
from strategy.loki.model import (
    DEFAULTS,
    FLOOR,
    SIGMA_INCOME,
    Frequencies,
    income_mean,
    linear_factor,
    mean_of,
    mean_table,
    reweight,
    sigma_part,
)
from strategy.poker.combos import HANDS, combo_index, uniform
from strategy.poker.income import income_rates


def test_linear_factor_of_the_example() -> None:
    # Papp 1998, 7.2: mu .6 and sigma .2.
    factor = linear_factor(np.array([0.0, 0.39, 0.4, 0.5, 0.6, 0.7, 0.8, 0.81, 1.0]), 0.6, 0.2)
    assert factor == pytest.approx([0.01, 0.01, 0.01, 0.25, 0.5, 0.75, 1, 1, 1])


def test_default_frequencies() -> None:
    # Papp 1998, table B.2.
    assert DEFAULTS == ((0, 0.5, 0.5), (0.5, 0.3, 0.2), (0.7, 0.2, 0.1))


@pytest.mark.parametrize(
    ("kind", "to_call", "mean"),
    [
        ("raise", 0, 0.5),
        ("call", 0, 0.0),
        ("raise", 1, 0.8),
        ("call", 1, 0.5),
        ("raise", 2, 0.9),
        ("call", 2, 0.7),
    ],
)
def test_means_of_the_defaults(kind: str, to_call: int, mean: float) -> None:
    assert mean_of(kind, DEFAULTS[to_call]) == pytest.approx(mean)


def test_who_cannot_fold_has_a_mean_of_nothing() -> None:
    # Else a check would tell something of a hand by a rounding error.
    for checks in range(40):
        for bets in range(40):
            seen = Frequencies()
            for kind, times in (("call", checks), ("raise", bets)):
                for _ in range(times):
                    seen.count(3, 1, 0, kind)
            assert mean_of("call", seen.rates(3, 1, 0)) == 0


def test_income_means_are_those_of_sorted_hands() -> None:
    incomes = np.sort(income_rates(7))
    assert income_mean(0.04) is None
    assert income_mean(0.5) == incomes[663]
    assert income_mean(1.0) == incomes[-1]
    # Papp 1998, 5.1: who raises 30 % needs +118; ours agrees.
    assert income_mean(0.7) == pytest.approx(118, abs=5)
    assert SIGMA_INCOME == 330


def test_sigma_follows_from_the_frequency() -> None:
    """Papp 1998, 7.2: mu .6 has a sigma of .2. What is rare or usual is known more exactly."""
    assert pytest.approx(0.2, abs=0.005) == 0.2 * sigma_part(0.6)
    assert sigma_part(0.5) == 1
    assert (sigma_part(0.1), sigma_part(0.9)) == pytest.approx((0.6, 0.6))
    assert sigma_part(0.99) == sigma_part(1) == 0.25


def test_reweighting_of_the_example() -> None:
    # Peña 1999, 4.2.2: aces of weight .90 that call with .2.
    table = uniform()
    aces = combo_index(50, 51)
    table[aces] = 0.90
    factor = np.ones(HANDS)
    factor[aces] = 0.2
    assert reweight(table, factor)[aces] == pytest.approx(0.18)


def test_no_weight_falls_below_the_floor() -> None:
    table = uniform()
    factor = np.ones(HANDS)
    factor[0] = 0.05
    for _ in range(9):
        table = reweight(table, factor)
    assert table[0] == FLOOR
    assert table[1] == 1


def test_a_field_weighs_every_opponent_alike() -> None:
    one, other = uniform(), np.full(HANDS, 0.02)
    assert mean_table([one, other]) == pytest.approx(np.full(HANDS, 1 / HANDS))


def started(hand: int = 1) -> HandStarted:
    return HandStarted(hand, (3, 5, 8), 8, (100,) * 3, (0,) * 3, (5, 10, 0), ((), (), ()))


def told(*events: Event) -> Frequencies:
    frequencies = Frequencies()
    for event in events:
        frequencies.observe(event)
    return frequencies


def test_frequencies_start_with_the_defaults_and_end_with_what_is_seen() -> None:
    frequencies = Frequencies()
    assert frequencies.rates(3, 1, 1) == DEFAULTS[1]
    for _ in range(20):
        frequencies.count(3, 1, 1, "raise")
    assert frequencies.rates(3, 1, 1) == pytest.approx((0.25, 0.15, 0.6))
    assert frequencies.rates(5, 1, 1) == DEFAULTS[1]
    for _ in range(2000):
        frequencies.count(3, 1, 1, "raise")
    assert frequencies.rates(3, 1, 1)[2] > 0.98


def test_actions_are_counted_by_street_and_bets_to_call() -> None:
    frequencies = told(
        started(),
        Acted(8, "raise", 20, 20, False),
        Acted(3, "call", 20, 15, False),
        Acted(5, "call", 20, 10, False),
        BoardDealt(1, (1, 2, 3)),
        Acted(3, "call", 0, 0, False),
        Acted(5, "raise", 10, 10, False),
        Acted(8, "raise", 20, 20, False),
        Acted(3, "fold", 0, 0, False),
    )
    for seat, street, to_call, kind in (
        (8, 0, 1, 2), (3, 0, 2, 1), (5, 0, 1, 1), (3, 1, 0, 1), (5, 1, 0, 2), (8, 1, 1, 2), (3, 1, 2, 0),
    ):  # fmt: skip
        rates = frequencies.rates(seat, street, to_call)
        assert rates[kind] > DEFAULTS[to_call][kind]
        assert rates[kind] == pytest.approx((20 * DEFAULTS[to_call][kind] + 1) / 21)


def test_frequencies_are_kept_between_hands_and_forced_actions_do_not_count() -> None:
    frequencies = told(started(1), Acted(8, "fold", 0, 0, False), started(2), Acted(8, "fold", 0, 0, False))
    assert frequencies.rates(8, 0, 1)[0] == pytest.approx((20 * 0.5 + 2) / 22)
    forced = told(started(), Acted(8, "fold", 0, 0, False, "timeout"))
    assert forced.rates(8, 0, 1) == DEFAULTS[1]


def test_tendencies_tell_callers_and_raisers() -> None:
    frequencies = Frequencies()
    assert frequencies.tendencies(1) == (1, 1)
    for _ in range(300):
        frequencies.count(1, 1, 1, "call")
        frequencies.count(2, 1, 1, "raise")
    assert frequencies.tendencies(1)[0] < 0.1
    assert frequencies.tendencies(2)[1] > 3
