"""The study of Glöckner 2013: his tables as data, and how they are compared."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from dealer.intervals import Interval
from dealer.rules.actions import CALL, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from dealer.runoff import bankrolls, instant_run_off
from strategy.blueprint.blueprint import GAME
from strategy.registry import Strategy
from strategy.situation import Situation, situation_at
from studies.gloeckner.comparisons import printed_noise, winnings_row
from studies.gloeckner.document import (
    BANKROLLS,
    BIASES,
    DISTANCES,
    HYBRIDS,
    LIKELIEST,
    NAN,
    NEAREST,
    NEIGHBOURS,
    RUN_OFF,
    TABLE_1,
    TABLE_1_BOTS,
    TRIPLES,
    UNHELPED,
    WEIGHTED,
    mbb,
)
from studies.gloeckner.exact import exact_rows, kuhn_regrets
from studies.gloeckner.jobs import CHANGES, LOGGED, count_actions, log_mappings, play_session
from studies.gloeckner.plan import HBB6_TOURNAMENT, MAPPED, GloecknerPlan, line_up_name
from studies.gloeckner.rankings import make_rankings
from studies.harness.arena import Contest

FULL, QUICK = GloecknerPlan(False, 1), GloecknerPlan(True, 1)


def test_one_of_the_documents_matches_does_not_sum_to_zero() -> None:
    assert set(TABLE_1) == set(combinations(TABLE_1_BOTS, 3))
    assert all(set(chips) == set(line_up) for line_up, chips in TABLE_1.items())
    sums = {line_up: sum(chips.values()) for line_up, chips in TABLE_1.items() if sum(chips.values())}
    assert sums == {("hbb1", "hbb3", "ownbot"): 27}


def test_the_documents_bankrolls_and_run_off_follow_from_its_matches() -> None:
    chips = {line_up: [float(won[bot]) for bot in line_up] for line_up, won in TABLE_1.items()}
    found = bankrolls(chips, TABLE_1_BOTS)
    assert {bot: BANKROLLS[bot] - found[bot] for bot in TABLE_1_BOTS if BANKROLLS[bot] != found[bot]} == {
        "hbb3": -27
    }
    run_off = instant_run_off(chips, TABLE_1_BOTS, 3)
    assert tuple(place.bot for place in run_off.ranking) == RUN_OFF
    assert [place.chips for place in run_off.rounds[-1].ranking] == [6559, 671, -7230]


def test_the_documents_triples_sum_to_one_and_its_distances_are_as_many_as_it_says() -> None:
    for table in TRIPLES.values():
        for streets in table.values():
            assert all(0.996 <= sum(triple) <= 1 for triple in streets)
    assert sum(DISTANCES) == 17593


def test_the_documents_tables_are_those_of_the_thesis() -> None:
    assert NEAREST == {
        "hbb2": (940, -2821, -4421, -5312, -6188),
        "hbb3": (-2247, -4462, -6014, -4945, -7319),
        "hbb4": (-2180, -3624, -3911, -5956, -6166),
    }
    # Only HBB2 with the nearest history alone wins.
    assert [chips > 0 for bot in MAPPED for chips in NEAREST[bot]] == [True] + [False] * 14
    assert WEIGHTED == {
        "hbb2": (-1884, -4300, -4975, -6276, -5714),
        "hbb3": (-789, -2558, -4121, -4122, -3864),
        "hbb4": (-504, -2731, -3065, -3733, -3153),
    }
    assert BIASES == {"hbb2": (-1698, -1245), "hbb3": (-1378, -716), "hbb4": (-1318, -737)}
    assert (LIKELIEST, UNHELPED) == ((-1966, -2073), -41)
    assert HYBRIDS == {
        "always": (-2103, -863, -1796, -1095, -1196),
        "folded_preflop": (-543, 469, -97, 232, 423),
        "folded": (-650, 601, -717, 344, 525),
    }
    assert DISTANCES == (520, 1593, 2228, 2964, 3506, 2859, 2166, 1263, 397, 83, 12, 2)
    assert NAN == {"hbb2": (0, 57759), "hbb3": (51, 55790), "hbb4": (75, 58180)}


def test_chips_are_converted() -> None:
    assert mbb(-51968, 6000) == pytest.approx(-866, abs=0.2)


def test_every_match_of_the_full_plan_is_as_long_as_the_documents() -> None:
    for name, contest in FULL.contests.items():
        division = contest.division
        hands = division.matches * division.hands * division.seatings
        least = {"analysis": 3000, "answers": 2400} | dict.fromkeys(CHANGES, 1500)
        assert hands >= least.get(name.partition("/")[0], 6000), name
        assert contest.table.game.limit
        if division.players == 3:
            assert contest.seed == FULL.contests["fair/none"].seed


def test_both_tournaments_are_whole_and_memories_last_a_thousand_hands() -> None:
    for bots in (TABLE_1_BOTS, HBB6_TOURNAMENT):
        for line_up in combinations(bots, 3):
            division = FULL.contests[line_up_name(line_up)].division
            assert set(division.bots) == set(line_up)
            assert (division.hands, division.seatings) == (1000, 6)


def test_what_is_played_on_is_in_the_plan() -> None:
    assert {name: FULL.contests[name].division.matches for name in FULL.sizes.more} == FULL.sizes.more


def test_the_bots_are_set_as_the_tables_say() -> None:
    def hero(name: str) -> Any:
        return FULL.contests[name].entries["hero"].parameters

    for bot in MAPPED:
        for nearest in NEIGHBOURS[1:]:
            averaged: Any = FULL.contests[f"nearest/{bot}-{nearest}"].entries[bot].parameters
            assert (averaged.nearest, averaged.weighted, averaged.nan) == (nearest, False, "define")
            weighted = hero(f"fair/{bot}-{nearest}")
            assert (weighted.nearest, weighted.weighted, weighted.nan) == (nearest, True, "skip")
        assert hero(f"fair/{bot}-bias").bias == "hyperborean"
        assert (hero(f"fair/{bot}").bias, hero(f"fair/{bot}").nearest) == ("none", 1)
    assert hero("fair/hbb5-max").argmax
    assert not hero("fair/hbb5").argmax
    assert {hero(f"fair/hbb{n}-{when}").when for n in range(1, 6) for when in ("folded",)} == {"folded"}


def test_keys_of_units_are_different_and_units_are_sessions() -> None:
    for plan in (FULL, QUICK):
        keys = [unit.key for unit in plan.units()]
        assert len(set(keys)) == len(keys) == sum(one.division.sessions for one in plan.contests.values())


def test_the_games_are_those_of_the_blueprint() -> None:
    game = holdem(2, 5, 10, limit=True)
    assert (game.blinds, game.raise_sizes, game.max_raises) == (
        GAME.blinds,
        GAME.raise_sizes,
        GAME.max_raises,
    )


@pytest.mark.parametrize(
    ("paper", "mean", "verdict"),
    [
        (300.0, 260.0, "reproduced"),
        (300.0, -200.0, "not reproduced"),
        (300.0, 230.0, "undecided"),
        (300.0, 200.0, "not reproduced"),
        # Its own noise, 71, hides what would matter.
        (80.0, 20.0, "beyond"),
        (-30.0, 20.0, "beyond"),
        (-30.0, 70.0, "not reproduced"),
        (-30.0, -200.0, "not reproduced"),
    ],
)
def test_figures_are_reproduced_within_half_of_the_documents(paper: float, mean: float, verdict: str) -> None:
    interval = Interval(mean, 50.0, 2000)
    assert printed_noise(interval) == pytest.approx(50 * 2**0.5)
    row = winnings_row("row", "table 0", "claim", paper, interval)
    assert row.verdict == verdict
    assert (row.low, row.high) == (mean - 50, mean + 50)


def test_standings_of_clear_winners_are_sure_and_of_equals_are_not() -> None:
    bots = ("a", "b", "c", "d")
    rng = np.random.default_rng(1)
    means = {"a": 3.0, "b": 1.0, "c": -1.0, "d": -3.0}
    sure: dict[tuple[str, ...], Any] = {
        line_up: np.array([rng.normal(means[bot], 0.1, 50) for bot in line_up])
        for line_up in combinations(bots, 3)
    }
    found = make_rankings(sure, bots)
    assert found.by_bankroll == found.by_run_off == bots
    assert found.first(0)["a"] == pytest.approx(1)
    assert found.rates["a"].mean == pytest.approx(3, abs=0.1)
    even: dict[tuple[str, ...], Any] = {
        line_up: rng.normal(0, 1, (3, 50)) for line_up in combinations(bots, 3)
    }
    assert max(make_rankings(even, bots).first(1).values()) < 0.95


def session_of(name: str) -> tuple[Contest, Any]:
    contest = QUICK.contests[name]
    return contest, contest.sessions[1]


def test_counting_changes_nothing_and_misses_nothing() -> None:
    contest, session = session_of("hbb2-raise-call")
    found = count_actions(contest, session, "hbb2", 2)
    assert found["nets"] == play_session(contest, session)["nets"]
    actions = np.array(found["actions"])
    assert actions.shape == (2, 2, 4, 3)
    # The others never fold, and one always raises: in every hand there is something to pay before the flop.
    assert actions[:, 0].sum() == 0
    assert actions[:, 1, 0].sum(axis=1).min() >= 1
    classes = np.array(found["classes"])
    assert classes.shape == (2, 169, 3)
    assert (classes.sum(axis=(1, 2)) == actions[:, 1, 0].sum(axis=1)).all()


def situation(actions: str, board: str = "") -> Situation:
    """Three players, the one to act with the worst hand."""
    betting = Betting(holdem(3, 5, 10, limit=True))
    for kind in actions.replace("/", ""):
        betting.act(CALL if kind == "c" else raise_to(betting.legal().min_raise or 0))
    return situation_at(betting, parse_cards("7c2d"), parse_cards(board))


def changed_player(change: str, bot: str) -> Strategy:
    contest = QUICK.contests[f"{change}/hbb2-raise-ownbot"]
    session = contest.sessions[0]
    return contest.strategies(session, contest.table.game)[session.players.index(bot)]


@pytest.mark.parametrize(
    ("actions", "board", "fold", "call", "raised"),
    [
        # The heads-up strategy has folded such a hand before. Where nothing is to pay nobody folds, and after
        # three raises nobody raises.
        ("rrr", "", "fold", "call", "call"),
        ("rrrcc/rrr", "AsKsQs", "fold", "call", "raise"),
        ("ccc/c", "AsKsQs", "call", "call", "raise"),
    ],
)
def test_mappings_without_an_answer_do_what_they_are_told(
    actions: str, board: str, fold: str, call: str, raised: str
) -> None:
    at = situation(actions, board)
    for change, kind in (("nan-fold", fold), ("nan-call", call), ("nan-raise", raised)):
        assert changed_player(change, "hbb2").decide(at).kind == kind


def test_mappings_with_an_answer_and_all_others_stay_as_they_are() -> None:
    contest = QUICK.contests["hbb2-raise-ownbot"]
    session = contest.sessions[0]
    for number, bot in enumerate(session.players):
        plain = contest.strategies(session, contest.table.game)[number]
        for at in (situation("c"), situation("ccc/ccc/r", "AsKsQsJs")):
            for change in CHANGES:
                if bot == "ownbot" or (bot == "hbb2" and at.street == 0):
                    assert changed_player(change, bot).decide(at) == plain.decide(at)
    keys = {name for name in QUICK.contests if name.startswith(CHANGES)}
    assert not any("akuma" in name for name in keys)
    assert "nan-fold/raise-call-ownbot" not in keys
    assert "raise-folds/hbb1-hbb2-call" not in keys


def test_a_raise_that_folds_or_raises_once_a_round() -> None:
    first, capped, again = situation("c"), situation("rrr"), situation("crr")
    assert [changed_player("raise-folds", "raise").decide(at).kind for at in (first, capped)] == [
        "raise",
        "fold",
    ]
    bot = changed_player("raise-once", "raise")
    flop = situation("ccc/c", "AsKsQs")
    assert [bot.decide(at).kind for at in (first, again, flop)] == ["raise", "call", "raise"]


def test_an_analysis_has_a_mapping_for_each_opponent() -> None:
    contest, session = session_of("analysis/hbb3-10")
    found = log_mappings(contest, session, "hbb3", 2)
    logged = np.array(found["counts"])
    assert logged.shape == (2, len(LOGGED))
    mappings, unanswered, seen, nan = logged.T
    sizes = {int(size): np.array(rows)[:, 0] for size, rows in found["variances"].items()}
    assert (mappings == sum(sizes.values()) + unanswered).all()
    assert (mappings > 0).all()
    assert (mappings <= seen).all()
    assert (nan <= seen).all()
    counts = np.array(found["distances"])[:, :, 0].sum(axis=1)
    assert (counts <= sum(size * rows for size, rows in sizes.items())).all()
    assert set(sizes) <= set(range(1, 11))


def test_regrets_in_kuhn_poker_obey_the_theorems() -> None:
    first, *_, last = kuhn_regrets((1, 5, 50))
    assert [first.hands, last.hands] == [1, 50]
    # All actions alike: who knows it wins 11/24 of a chip on average, as a best response does.
    assert first.gains.mean() == pytest.approx(11 / 24)
    for one in (first, last):
        assert max(one.gains) <= 2 * max(one.overall)
        assert (one.overall <= one.sums + 1e-12).all()
        assert one.largest <= 4 * (2 / one.hands) ** 0.5
    assert max(last.overall) < max(first.overall) / 4


def test_what_needs_no_game() -> None:
    rows = {row.id: row for row in exact_rows()}
    counts = [row for key, row in rows.items() if key.startswith("count-") and row.verdict != "beyond"]
    assert len(counts) == 7
    assert {row.verdict for row in counts if row.id != "count-three"} == {"reproduced"}
    assert (rows["count-three"].measured, rows["count-three"].verdict) == (10_611_306, "document in error")
    assert "12,827,520" in rows["count-three"].note
    assert "9,711,806" in rows["count-three"].note
    followed = [row for key, row in rows.items() if key.startswith("map-street")]
    assert [row.verdict for row in followed] == ["reproduced"] * 4
    # What must hold is no finding.
    checks = [row for row in rows.values() if row.note.startswith("A check of our program")]
    assert len(checks) == 12
    for row in checks:
        assert (row.paper, row.verdict) == (None, "beyond")
        holds, _, cases = str(row.measured).partition(" of ")
        assert holds == cases, row.id
    assert rows["mapping-1-shortest"].measured == "370 of 370"
    assert rows["free-preflop"].measured == rows["free-preflop"].paper == "all"
    for example in ("s1", "s2"):
        # hbb1 and hbb3 fold more often than hbb2.
        row = rows[f"{example}-aim"]
        assert (row.paper, row.measured, row.verdict) == (0, 2, "not reproduced")
    # One answer is judged once.
    assert all(rows[f"s1-call{bot}"].verdict == "beyond" for bot in ("", "-hbb3", "-hbb4", "-hbb5"))
    assert "`table-13-2-call`" in rows["s1-call-hbb3"].note
    order = rows["table-14-order"]
    assert (order.paper, order.verdict) == (0.6, "not reproduced")
    assert rows["table-13-2-odds"].verdict == "document in error"
    assert (rows["s1-odds"].measured, rows["s2-odds"].measured) == ("90:20", "90:40")
    assert [rows[f"table-13-{n}-odds"].measured for n in (1, 2, 3)] == ["50:10", "90:10", "50:10"]
    assert [rows[f"table-14-{n}-odds"].measured for n in (1, 2)] == ["40:20", "60:20"]
