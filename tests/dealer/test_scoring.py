import random
from itertools import combinations, permutations
from statistics import mean

import pytest

from dealer.errors import MatchError, ScoreError
from dealer.intervals import Interval, mean_interval
from dealer.match import Division, Session, plan_sessions
from dealer.scoring import Scores
from tests.dealer.simulated import bots_division, simulate, true_rate

SKILLS = {"call": 0.0, "fair": 8.0, "raise": -3.0, "random": -9.0}
PAIR = Division("pair", ("a", "b"), players=2, matches=2, hands=2)


def scored(chips: list[list[float]], division: Division = PAIR) -> Scores:
    """Heads-up results: ``chips[session][hand]`` are the first seat's."""
    scores = Scores(division, big_blind=10)
    for session, nets in zip(plan_sessions(division), chips, strict=True):
        scores.add(session, [(net, -net) for net in nets])
    return scores


def test_a_small_heads_up_match_by_hand() -> None:
    # Match 0: a wins 30, 10 in seat 0 and, as -(-20), -(4) in seat 1; match 1 likewise.
    scores = scored([[30, 10], [-20, 4], [5, -5], [3, 7]])

    # Chips of a per deal over both seatings: 50, 6, 2, -12; each deal is two hands.
    assert [(place.bot, place.chips) for place in scores.ranking()] == [("a", 46), ("b", -46)]
    rate = scores.rate("a")
    assert rate is not None
    assert rate == Interval(575, None, 4)
    assert scores.cell("a", "b") == scores.rate("a")
    assert scores.hands_scored == 8
    assert scores.hands_of("b") == 8
    assert scores.complete


@pytest.mark.parametrize(("series", "units"), [(2, 10), (4, 5)])
def test_the_unit_of_matches_in_series_is_the_series(series: int, units: int) -> None:
    division = Division("pair", ("a", "b"), 2, 20, 2, series=series)
    sets = [[float(7 * match % 19), float(match)] for match in range(40)]
    scores = scored(sets, division)
    assert division.interval_unit == "series"
    rate = scores.rate("a")
    assert rate is not None
    # The mean is that of the matches alone; what is independent are sums of some.
    alone = scored(sets, Division("pair", ("a", "b"), 2, 20, 2)).rate("a")
    assert alone is not None
    assert (rate.units, alone.units) == (units, 20)
    assert rate.mean == pytest.approx(alone.mean)
    assert (rate.half is None) == (units < 10)
    won = [sum(sets[2 * match]) - sum(sets[2 * match + 1]) for match in range(20)]
    whole = [sum(won[begin : begin + series]) for begin in range(0, 20, series)]
    expected = mean_interval([1000 / 10 * one / (4 * series) for one in whole]).if_enough_units()
    assert rate == pytest.approx(expected)


def test_matches_are_divided_into_series() -> None:
    for series in (0, 3, 40):
        with pytest.raises(MatchError) as refusal:
            Division("pair", ("a", "b"), 2, 20, 2, series=series)
        assert refusal.value.code == "bad_series"


@pytest.mark.parametrize(
    ("matches", "carry", "unit"),
    [(9, False, "deal"), (9, True, "match"), (10, False, "match"), (10, True, "match")],
)
def test_the_unit_is_the_deal_or_the_match(matches: int, carry: bool, unit: str) -> None:
    """The match where stacks go on from hand to hand, and where there are enough of them."""
    division = Division("pair", ("a", "b"), 2, matches, 2, carry=carry)
    sets = [[30.0, 10.0], [-20.0, 4.0]] * 5 + [[5.0, -5.0], [3.0, 7.0]] * 5
    scores = scored(sets[: 2 * matches], division)

    assert division.interval_unit == unit
    # Chips of a over both seatings: 50 and 6 in the first five matches, then 2 and -12; a deal is two hands.
    deals = [2500.0, 300.0] * 5 + [100.0, -600.0] * (matches - 5)
    means = [mean(pair) for pair in zip(deals[::2], deals[1::2], strict=True)]
    expected = mean_interval(deals if unit == "deal" else means).if_enough_units()
    assert scores.rate("a") == pytest.approx(expected)
    assert scores.cell("a", "b") == pytest.approx(expected)
    difference = scores.difference("a", "b")
    assert difference is not None
    assert difference == pytest.approx(expected.scaled(2))
    assert (difference.half is None) == (unit == "match" and matches == 9)


def test_one_match_where_stacks_go_on_decides_nothing() -> None:
    scores = scored([[30.0] * 50, [-20.0] * 50], Division("pair", ("a", "b"), 2, 1, 50, carry=True))
    rate = scores.rate("a")

    assert rate == Interval(2500, None, 1)
    assert not rate.decided


def test_luck_that_both_have_once_cancels_out() -> None:
    # Whoever has seat 0 wins 100 with these cards: over both seatings nobody has won anything.
    scores = scored([[100, -70]] * 10, Division("pair", ("a", "b"), 2, 5, 2))

    assert scores.rate("a") == Interval(0, 0, 10)
    assert [place.place for place in scores.ranking()] == [1, 1]


def test_heads_up_crosstable_is_antisymmetric() -> None:
    division = bots_division(SKILLS, 2, matches=3, hands=7)
    scores = simulate(division, SKILLS, seed=1)

    for row, column in combinations(SKILLS, 2):
        one, other = scores.cell(row, column), scores.cell(column, row)
        assert one is not None
        assert other is not None
        assert one.mean == pytest.approx(-other.mean, abs=1e-9)
        assert one.half == pytest.approx(other.half, abs=1e-9)
        assert one.units == other.units == 21


@pytest.mark.parametrize("players", [2, 3, 4])
def test_chips_sum_to_zero_and_rates_follow_from_them(players: int) -> None:
    division = bots_division(SKILLS, players, matches=2, hands=5)
    scores = simulate(division, SKILLS, seed=2)

    assert sum(place.chips for place in scores.ranking()) == pytest.approx(0, abs=1e-4)
    for place in scores.ranking():
        rate = scores.rate(place.bot)
        assert rate is not None
        assert rate.mean == pytest.approx(place.chips / scores.hands_of(place.bot) * 100, abs=1e-4)


def test_three_player_cells_are_the_results_in_line_ups_with_the_column() -> None:
    division = bots_division(SKILLS, 3, matches=2, hands=4)
    scores = simulate(division, SKILLS, seed=3)
    chips = scores.line_up_chips()

    for row, column in permutations(SKILLS, 2):
        met = [(line_up, won) for line_up, won in chips.items() if {row, column} <= set(line_up)]
        total = sum(won[line_up.index(row)] for line_up, won in met)
        cell = scores.cell(row, column)
        assert cell is not None
        assert len(met) == 2
        # 2 line-ups, 2 matches, 6 seatings, 4 hands; 100 mbb are a chip.
        assert cell.mean == pytest.approx(total / (2 * 2 * 6 * 4) * 100)
        assert cell.units == 8


def test_difference_is_that_of_the_rates_and_its_interval_is_of_pairs() -> None:
    division = bots_division(SKILLS, 3, matches=2, hands=10)
    scores = simulate(division, SKILLS, seed=4)
    difference = scores.difference("fair", "call")
    fair, call = scores.rate("fair"), scores.rate("call")

    assert difference is not None
    assert fair is not None
    assert call is not None
    assert difference.mean == pytest.approx(fair.mean - call.mean)
    among = scores.difference("fair", "call", among=("fair", "call", "random"))
    chips = scores.line_up_chips()["call", "fair", "random"]
    assert among is not None
    assert among.mean == pytest.approx((chips[1] - chips[0]) / (2 * 6 * 10) * 100)


def test_intervals_cover_the_truth_and_those_of_hands_would_not() -> None:
    division = bots_division(SKILLS, 3, matches=1, hands=12)
    truth = true_rate("call", division, SKILLS)
    rounds = 300
    covered = {"rate": 0, "cell": 0, "difference": 0, "line-ups as units": 0}
    for seed in range(rounds):
        scores = simulate(division, SKILLS, seed)
        figures = {
            "rate": (scores.rate("call"), truth),
            "cell": (scores.cell("call", "fair"), true_rate("call", division, SKILLS, "fair")),
            "difference": (scores.difference("call", "fair"), truth - true_rate("fair", division, SKILLS)),
            "line-ups as units": (by_line_up_and_deal(scores, "call"), truth),
        }
        for name, (interval, true) in figures.items():
            assert interval is not None
            assert interval.half is not None
            covered[name] += abs(interval.mean - true) <= interval.half

    # 285 of 300, with a standard deviation of 3.8.
    for name in ("rate", "cell", "difference"):
        assert 272 <= covered[name] <= 298
    # One deal in three line-ups is not three deals: an interval that took it for that would be too narrow.
    assert covered["line-ups as units"] < 265


def by_line_up_and_deal(scores: Scores, bot: str) -> Interval:
    means = []
    for (_, number), sums in scores._complete.items():
        line_up = scores.line_ups[number]
        if bot in line_up:
            means += [total / 6 * 100 for total in sums[line_up.index(bot)]]
    return mean_interval(means)


def test_order_of_arrival_does_not_matter() -> None:
    division = Division("three", ("a", "b", "c", "d"), players=3, matches=2, hands=3)
    source = random.Random(5)
    results = {session: [thirds(source) for _ in range(3)] for session in plan_sessions(division)}
    figures = []
    for _ in range(4):
        scores = Scores(division, 10)
        for session in source.sample(list(results), len(results)):
            scores.add(session, results[session])
        figures.append(
            (
                scores.ranking(),
                scores.run_off(),
                [scores.rate(bot) for bot in division.bots],
                scores.cell("a", "d"),
            )
        )

    assert all(figure == figures[0] for figure in figures)


def thirds(source: random.Random) -> tuple[float, float, float]:
    pot = source.randrange(1, 1000)
    return (pot / 3, pot / 3, -2 * pot / 3)


def test_only_matches_with_all_seatings_count() -> None:
    scores = Scores(PAIR, 10)
    sessions = plan_sessions(PAIR)
    scores.add(sessions[1], [(5, -5), (5, -5)])

    assert scores.matches_scored == 0
    assert scores.rate("a") is None
    assert scores.cell("a", "b") is None
    assert scores.difference("a", "b") is None
    assert [place.chips for place in scores.ranking()] == [0, 0]
    scores.add(sessions[0], [(1, -1), (2, -2)])
    assert scores.matches_scored == 1
    assert not scores.complete
    # Seat 0 was a's and won 3; then b's and won 10.
    assert [(place.bot, place.chips) for place in scores.ranking()] == [("b", 7), ("a", -7)]


def test_half_a_competition_has_rates_but_no_run_off() -> None:
    division = Division("three", ("a", "b", "c"), players=2, matches=1, hands=1)
    scores = Scores(division, 10)
    for session in plan_sessions(division)[:2]:
        scores.add(session, [(1, -1) if session.players[0] == "a" else (-1, 1)])

    assert scores.rate("a") == Interval(100, None, 1)
    assert scores.rate("c") is None
    assert scores.cell("a", "c") is None
    assert scores.difference("a", "c") is None
    with pytest.raises(ScoreError) as error:
        scores.run_off()
    assert error.value.code == "nothing_to_score"


SESSION = plan_sessions(PAIR)[0]


@pytest.mark.parametrize(
    ("session", "nets", "code"),
    [
        (SESSION, [(1, -1)], "bad_result"),
        (SESSION, [(1, -1), (1, -1), (1, -1)], "bad_result"),
        (SESSION, [(1, -1), (1, -1, 0)], "bad_result"),
        (SESSION, [(1, -1), (1, 1)], "bad_result"),
        (SESSION, [(1, -1), (float("nan"), 0)], "bad_result"),
        (Session("other", 0, 0, 0, ("a", "b"), 2), [(1, -1), (1, -1)], "unknown_session"),
        (Session("pair", 1, 0, 0, ("a", "b"), 2), [(1, -1), (1, -1)], "unknown_session"),
        (Session("pair", 0, 2, 0, ("a", "b"), 2), [(1, -1), (1, -1)], "unknown_session"),
        (Session("pair", 0, 0, 2, ("a", "b"), 2), [(1, -1), (1, -1)], "unknown_session"),
        (Session("pair", 0, -1, 0, ("a", "b"), 2), [(1, -1), (1, -1)], "unknown_session"),
        (Session("pair", 0, 0, 0, ("b", "a"), 2), [(1, -1), (1, -1)], "unknown_session"),
        (Session("pair", 0, 0, 0, ("a", "b"), 3), [(1, -1), (1, -1)], "unknown_session"),
        (plan_sessions(PAIR)[2], [(1, -1), (1, -1)], "duplicate_result"),
        (plan_sessions(PAIR)[1], [(1, -1), (1, -1)], "duplicate_result"),
    ],
)
def test_refused_results_change_nothing(session: Session, nets: list[tuple[float, ...]], code: str) -> None:
    scores = Scores(PAIR, 10)
    for known in plan_sessions(PAIR)[1:]:
        scores.add(known, [(3, -3), (4, -4)])
    before = (scores.ranking(), scores.matches_scored, scores.rate("a"))

    with pytest.raises(ScoreError) as error:
        scores.add(session, nets)

    assert error.value.code == code
    assert (scores.ranking(), scores.matches_scored, scores.rate("a")) == before
    scores.add(SESSION, [(0, 0), (0, 0)])
    assert scores.complete


@pytest.mark.parametrize("big_blind", [0, -1, float("nan")])
def test_a_rate_needs_a_big_blind(big_blind: float) -> None:
    with pytest.raises(ScoreError) as error:
        Scores(PAIR, big_blind)

    assert error.value.code == "bad_big_blind"
