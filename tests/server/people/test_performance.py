"""The statistics of people: what is added up, what the units are, and that intervals hold what they say."""

from __future__ import annotations

from math import comb
from random import Random

import pytest

from dealer.intervals import mean_interval
from server.people.performance import (
    PlayedMatch,
    PlaySetting,
    own_score,
    pooled_score,
    sums_of,
    total,
    wilson,
)

TEN = PlaySetting(
    mode="tournament",
    game="nolimit",
    bots=("fair",) * 4,
    rival="",
    small_blind=5,
    big_blind=10,
    ante=0,
    stack=1000,
    levels=0,
    min_raise="bb",
    matches=10,
    hands=0,
    memory="match",
)
CHALLENGE = PlaySetting(
    mode="challenge",
    game="limit",
    bots=("call",),
    rival="fair",
    small_blind=5,
    big_blind=10,
    ante=0,
    stack=1000,
    levels=0,
    min_raise="",
    matches=1,
    hands=12,
    memory="match",
)


def tournament(place: int, *hands: tuple[float, float, int]) -> PlayedMatch:
    return PlayedMatch(place, sum(net for net, _, _ in hands), 0, list(hands))


WON = tournament(1, (1000, 500, 10), (3000, 3000, 20))
LOST = tournament(3, (-1000, -250, 10))


def test_the_sums_of_a_tournament() -> None:
    won, lost = sums_of(WON, TEN), sums_of(LOST, TEN)
    assert (won.tournaments, won.won, won.hands, won.net, won.adjusted) == (1, 1, 2, 250, 200)
    assert (lost.tournaments, lost.won, lost.hands, lost.net, lost.adjusted) == (1, 0, 1, -100, -25)
    # 4,500 and 750 of all 5,000 chips.
    assert (won.share, lost.share) == (0.9, 0.15)
    both = total([won, lost])
    assert (both.tournaments, both.won, both.hands, both.net, both.adjusted) == (2, 1, 3, 150, 175)
    assert both.share == pytest.approx(1.05)


def test_what_a_winner_has_is_all_chips_whatever_the_hands() -> None:
    """Without luck to correct the share is 1 or 0: it is a win or none."""
    assert sums_of(tournament(1, (500, 500, 10), (3500, 3500, 10)), TEN).share == 1
    assert sums_of(tournament(2, (-1000, -1000, 10)), TEN).share == 0


def test_a_person_s_units_are_tournaments() -> None:
    score = own_score([WON] * 3 + [LOST] * 7, TEN)
    assert (score.results, score.tournaments, score.won, score.hands) == (1, 10, 3, 13)
    assert score.share == wilson(3, 10)
    assert score.share_adjusted is not None
    share = mean_interval([0.9] * 3 + [0.15] * 7)
    assert score.share_adjusted.mean == pytest.approx(share.mean)
    assert score.share_adjusted.low == pytest.approx(share.low)
    assert score.share_adjusted.high == pytest.approx(share.high)
    assert score.bb100.mean == pytest.approx((3 * 250 - 7 * 100) / 13 * 100)
    assert score.bb100_adjusted.mean == pytest.approx((3 * 200 - 7 * 25) / 13 * 100)
    assert score.bb100.low is not None
    assert score.bb100.high is not None
    assert score.bb100.low < score.bb100.mean < score.bb100.high


def test_nine_tournaments_are_too_few_for_student() -> None:
    score = own_score([WON, *[LOST] * 8], TEN)
    assert score.bb100.low is None
    assert score.share_adjusted is not None
    assert score.share_adjusted.high is None
    assert score.share is not None
    assert score.share.low is not None


def test_a_challenger_s_units_are_hands() -> None:
    nets = [10.0, -20, 30, 0, 5, -5, 10, 10, -40, 80, 0, 15]
    score = own_score([PlayedMatch(0, sum(nets), 0, [(net, net / 2, 10) for net in nets])], CHALLENGE)
    raw = mean_interval(net / 10 for net in nets).scaled(100)
    assert (score.results, score.tournaments, score.won, score.hands) == (1, 0, 0, 12)
    assert (score.share, score.share_adjusted) == (None, None)
    assert (score.bb100.mean, score.bb100.low) == pytest.approx((raw.mean, raw.low))
    assert score.bb100_adjusted.mean == pytest.approx(raw.mean / 2)


def test_the_units_of_many_people_are_results() -> None:
    one, other = total([sums_of(WON, TEN)] * 10), total([sums_of(LOST, TEN)] * 10)
    nine = pooled_score([one] * 4 + [other] * 5)
    ten = pooled_score([one] * 5 + [other] * 5)
    assert nine is not None
    assert ten is not None
    assert (ten.results, ten.tournaments, ten.won, ten.hands) == (10, 100, 50, 150)
    assert nine.bb100.low is None
    # A hundred tournaments of ten people tell less than those of a hundred people.
    hundred = pooled_score([sums_of(WON, TEN)] * 50 + [sums_of(LOST, TEN)] * 50)
    assert hundred is not None
    assert ten.share_adjusted is not None
    assert hundred.share_adjusted is not None
    assert ten.share_adjusted.mean == pytest.approx(hundred.share_adjusted.mean)
    assert ten.share_adjusted.low is not None
    assert hundred.share_adjusted.low is not None
    assert ten.share_adjusted.low < hundred.share_adjusted.low
    assert pooled_score([]) is None


@pytest.mark.parametrize(("won", "of", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634)])
def test_wilson_s_interval_is_the_one_in_the_books(won: int, of: int, low: float, high: float) -> None:
    found = wilson(won, of)
    assert (found.mean, found.low, found.high) == pytest.approx((won / of, low, high), abs=5e-5)
    mirrored = wilson(of - won, of)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - high, 1 - low), abs=5e-5)


@pytest.mark.parametrize("chance", [0.1, 0.2, 0.5])
def test_wilson_s_interval_of_ten_tournaments_holds_about_what_it_promises(chance: float) -> None:
    held = 0.0
    for won in range(11):
        found = wilson(won, 10)
        assert found.low is not None
        assert found.high is not None
        if found.low <= chance <= found.high:
            held += comb(10, won) * chance**won * (1 - chance) ** (10 - won)
    assert 0.92 < held < 0.99


def test_the_corrected_share_estimates_the_chance_to_win() -> None:
    """A walk of coin flips for 500 chips with known equity: the correction removes all of the luck."""
    random = Random(3)
    heads_up = PlaySetting(
        **{**{name: getattr(TEN, name) for name in TEN.__struct_fields__}, "bots": ("fair",)}
    )
    matches = []
    for _ in range(400):
        stack, hands = 1000, []
        while 0 < stack < 2000:
            won = 500 if random.random() < 0.5 else -500
            # Half of the flips were all-ins with equal hands; the others cannot be corrected.
            hands.append((won, 0 if random.random() < 0.5 else won, 10))
            stack += won
        matches.append(tournament(1 if stack else 2, *hands))
    score = own_score(matches, heads_up)
    for share in (score.share, score.share_adjusted):
        assert share is not None
        assert share.low is not None
        assert share.high is not None
        assert share.low < 0.5 < share.high
    assert score.share is not None
    assert score.share_adjusted is not None
    assert score.share_adjusted.high is not None
    assert score.share.high is not None
    assert score.share_adjusted.high - score.share_adjusted.mean < 0.85 * (
        score.share.high - score.share.mean
    )
