"""Rankings of hands, top tables, and Sklansky and Chubukov's numbers."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from strategy.poker.allin import all_in_table
from strategy.poker.preflop import HAND_CLASSES
from strategy.pushfold.equilibrium import exploitability
from strategy.pushfold.game import PushFoldError, advantage, percent_played, value
from strategy.pushfold.rankings import (
    SKLANSKY_CHUBUKOV,
    STRENGTH,
    Ranking,
    best_top_call,
    best_top_jam,
    cutoffs,
    sklansky_chubukov_numbers,
    top_range,
)

BOTH = pytest.mark.parametrize("ranking", [STRENGTH, SKLANSKY_CHUBUKOV], ids=["strength", "sc"])


def names(ranking: Ranking) -> list[str]:
    return [HAND_CLASSES[hand] for hand in ranking]


def number(name: str) -> float:
    return float(sklansky_chubukov_numbers()[HAND_CLASSES.index(name)])


@BOTH
def test_every_class_is_ranked_once(ranking: Ranking) -> None:
    assert sorted(ranking) == list(range(169))


def test_the_ends_of_the_rankings() -> None:
    assert names(STRENGTH)[:8] == ["AA", "KK", "QQ", "JJ", "TT", "99", "88", "AKs"]
    assert names(STRENGTH)[-3:] == ["62o", "42o", "32o"]
    assert names(SKLANSKY_CHUBUKOV)[:8] == ["AA", "KK", "AKs", "QQ", "AKo", "JJ", "AQs", "TT"]
    assert names(SKLANSKY_CHUBUKOV)[-5:] == ["72o", "52o", "62o", "42o", "32o"]


@pytest.mark.parametrize(
    ("name", "dollars"),
    [
        ("AA", inf), ("KK", 953.9955), ("AKs", 554.510), ("QQ", 478.008), ("AKo", 331.97), ("JJ", 319.214),
        ("AQs", 274.26), ("TT", 239.821), ("AQo", 192.670), ("99", 191.414), ("AJs", 183.32), ("88", 159.297),
        ("ATs", 138.93), ("AJo", 136.31), ("72o", 2.2433), ("52o", 2.1816), ("62o", 2.1397), ("42o", 1.9761),
        ("32o", 1.8254),
    ],
)  # fmt: skip
def test_known_numbers(name: str, dollars: float) -> None:
    digits = len(str(dollars).partition(".")[2])
    if dollars in (554.510, 192.670):
        digits = 3
    assert number(name) == pytest.approx(dollars, abs=0.51 * 10.0**-digits)


def shown(hand: int, behind: float) -> float:
    """What a jam with the class shown is worth, counted from a fold, against the best caller."""
    table = all_in_table()
    chance = table.pairs[hand] / table.pairs[hand].sum()
    called = 1 + (behind + 1) * (2 * table.equity[hand] - 1)
    return float(chance @ np.minimum(3, called))


def test_the_number_is_the_largest_stack_that_breaks_even() -> None:
    for hand, dollars in enumerate(sklansky_chubukov_numbers()):
        if dollars == inf:
            assert shown(hand, 1e9) > 0
            continue
        assert shown(hand, dollars) == pytest.approx(0, abs=1e-9)
        assert all(shown(hand, dollars * more) < 0 for more in (1.0001, 1.1, 2, 10, 1000))
        assert shown(hand, dollars * 0.9999) > 0


@pytest.mark.parametrize(("stack", "lost"), [(2, 0), (3, 0.3), (4, 5.5), (5, 17), (10, 49.0)])
def test_jamming_by_the_numbers_is_no_equilibrium(stack: float, lost: float) -> None:
    # The number is of dollars behind a blind of 1; a big blind is 2.
    jam = (sklansky_chubukov_numbers() >= 2 * stack - 1).astype(float)
    assert 1000 * exploitability((jam, jam), stack)[0] == pytest.approx(lost, abs=0.051)
    if stack == 10:
        assert percent_played(jam) == pytest.approx(41.5, abs=0.05)


# Top tables.


@BOTH
def test_a_top_table_plays_so_many_hands_exactly(ranking: Ranking) -> None:
    for share in (0, 0.1, 12.5, 37, 57, 99.99, 100):
        table = top_range(share, ranking)
        assert percent_played(table) == pytest.approx(share, abs=1e-12)
        in_order = table[list(ranking)]
        assert (np.diff(in_order) <= 0).all()
        assert ((in_order > 0) & (in_order < 1)).sum() <= 1


@BOTH
def test_cutoffs_have_whole_classes(ranking: Ranking) -> None:
    shares = cutoffs(ranking)
    assert (len(shares), shares[0], shares[-1]) == (170, 0, 100)
    for place, share in enumerate(shares):
        table = top_range(share, ranking)
        assert table.sum() == pytest.approx(place, abs=1e-9)


@pytest.mark.parametrize(
    ("opponent", "best", "wins"),
    [
        ((70, 60), (48.11, 48.11), 8.818),
        ((40, 30), (89.44, 26.09), 4.822),
        ((100, 100), (57.47, 66.21), 47.298),
        ((57, 37), (55.66, 35.60), 0.073),
        ((0, 0), (100, 100), 75.0),
    ],
)
def test_best_top_tables(opponent: tuple[float, float], best: tuple[float, float], wins: float) -> None:
    theirs = top_range(opponent[0]), top_range(opponent[1])
    jam, call = best_top_jam(theirs[1], 10), best_top_call(theirs[0], 10)
    assert (jam, call) == pytest.approx(best, abs=0.0051)
    assert 100 * advantage((top_range(jam), top_range(call)), theirs, 10) == pytest.approx(wins, abs=5.1e-4)


@pytest.mark.parametrize(
    ("opponent", "jams", "calls"),
    [
        ((70, 60), (39.2, 51.4), (40.4, 51.4)),
        ((40, 30), (78.6, 100), (20.8, 33.0)),
        ((57, 37), (44.6, 67.7), (32.7, 41.9)),
    ],
)
def test_plateaus(
    opponent: tuple[float, float], jams: tuple[float, float], calls: tuple[float, float]
) -> None:
    """Where one percentage alone costs less than half a big blind per 100 hands: 4.3 has 45/45, 95/25."""
    theirs = top_range(opponent[0]), top_range(opponent[1])
    shares = cutoffs()
    won = np.array([value(top_range(share), theirs[1], 10) for share in shares])
    lost = np.array([value(theirs[0], top_range(share), 10) for share in shares])
    for gain, expected in ((won, jams), (-lost, calls)):
        near = shares[100 * (gain.max() - gain) / 2 < 0.5]
        assert (near[0], near[-1]) == pytest.approx(expected, abs=0.051)


@BOTH
def test_no_percentage_answers_better(ranking: Ranking) -> None:
    rng = np.random.default_rng(9)
    other = rng.random(169)
    most = value(top_range(best_top_jam(other, 7.3, ranking), ranking), other, 7.3)
    least = value(other, top_range(best_top_call(other, 7.3, ranking), ranking), 7.3)
    for share in (*cutoffs(ranking), *rng.uniform(0, 100, 100)):
        assert value(top_range(share, ranking), other, 7.3) <= most + 1e-12
        assert value(other, top_range(share, ranking), 7.3) >= least - 1e-12


@pytest.mark.parametrize("share", [-0.1, 100.1, float("nan"), inf])
def test_a_share_that_is_none(share: float) -> None:
    with pytest.raises(PushFoldError) as caught:
        top_range(share)
    assert caught.value.code == "bad_percent"
