"""The study of Aceituno 2017: his tables as data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dealer.intervals import MIN_UNITS, Interval, mean_interval
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.events import Chips, HandStarted
from pokerd.__main__ import main
from strategy.adaptive.bot import AdaptiveBot
from strategy.adaptive.value import value
from strategy.situation import situation_at
from studies.aceituno import contests_of
from studies.aceituno.beyond import _ABILITIES, _LEARNS, _WHOLE, conclusion
from studies.aceituno.claims import _weights, batches, learning_rows
from studies.aceituno.document import BEST, HUMAN, TESTS, chi_squared
from studies.aceituno.jobs import (
    HIGH_BLINDS,
    PATIENT,
    READABLE,
    TABLE,
    AllInPlayer,
    BluffPlayer,
    PatientPlayer,
    ReadBot,
    play_tournaments,
    watch_tournaments,
)
from studies.aceituno.person import person_rows
from studies.aceituno.plan import READINGS, WITHOUT, AceitunoPlan
from studies.aceituno.statements import statement_rows
from studies.harness.arena import Contest, ContestEntry, ContestResult
from studies.harness.report import Row
from studies.harness.runner import UnknownStudy, study_names, study_of
from studies.harness.verdicts import gain_row

OPEN = (
    "test-2-order",
    "test-1-top-two",
    "learning-best",
    "searched-cup",
    "searched-table",
    "adaptive2-best",
    "adaptive2-over-fair",
    "adaptive2-cup",
    "adaptive2-showdowns",
    "adaptive2-bluff-raise",
)
PARTS = ("test-1-top-two", "test-1-losers", "test-1-survivors", "test-2-small-steps")


def test_wins_and_balances_of_every_row_agree() -> None:
    for test in TESTS.values():
        assert sum(one.wins for one in test.outcomes) == 400
        assert all(one.balance == 5 * one.wins - 400 for one in test.outcomes), test.name
    assert sum(HUMAN[0]) == 10
    assert all(balance == 5 * wins - 10 for wins, balance in zip(*HUMAN, strict=True))


@pytest.mark.parametrize(("number", "chance"), [(3, 0.15), (4, 0.30), (5, 0.12)])
def test_no_best_weights_are_significant(number: int, chance: float) -> None:
    assert chi_squared(tuple(one.wins for one in TESTS[number].outcomes)) == pytest.approx(chance, abs=0.005)


def test_open_rows_are_of_units_that_are_played() -> None:
    plan = AceitunoPlan(True, 1)
    played = {unit.key.rpartition("/")[0] for unit in plan.units()}
    found = {row: set(contests_of(plan, row)) for row in OPEN}
    assert all(names and names <= played for names in found.values())
    assert found["test-1-top-two"] != found["test-2-order"]
    assert found["searched-cup"] == {"searched-cup"}
    assert not found["searched-table"] & found["adaptive2-showdowns"]
    assert not set(contests_of(plan, "ties"))


@pytest.mark.parametrize("number", [1, 2])
def test_what_learning_did_is(number: int) -> None:
    assert chi_squared(tuple(one.wins for one in TESTS[number].outcomes)) < 1e-50


def test_the_settings_of_the_tests() -> None:
    assert [test.best for test in TESTS.values()] == [0, 4, 1, 4, 1]
    assert set(TESTS[1].players) == {TESTS[1].players[0]}
    assert [player.mu[0] for player in TESTS[2].players] == [0.1, 0.08, 0.06, 0.04, 0.02]
    for number in (3, 4, 5):
        for player in TESTS[number].players:
            assert (player.raise_at, player.fold_below, player.learn_every) == (0.55, 0.3, 0)
    assert TESTS[5].players[1].weights == BEST.weights == (0.6, 0.1, 0.2, 0.1)


def test_batches_call_the_first_of_equals() -> None:
    assert batches([0, 1, 1, 4, 3, 2, 2], 3) == [1, 2]


def test_the_patient_player_waits() -> None:
    betting = Betting(TABLE.game)
    waits, pounces = (
        PatientPlayer().decide(situation_at(betting, parse_cards(hole), ())) for hole in ("Th9d", "AhKh")
    )
    assert waits.kind == "fold"
    assert (pounces.kind, pounces.to) == ("raise", 1000)


def test_who_goes_all_in_or_bets_the_pot_does_so_with_any_cards() -> None:
    betting = Betting(TABLE.game)
    betting.act(raise_to(30))
    worst = situation_at(betting, parse_cards("7h2d"), ())
    push, bluff = AllInPlayer().decide(worst), BluffPlayer().decide(worst)
    assert (push.kind, push.to) == ("raise", 1000)
    # 5 + 10 + 30 and a call of 30 are the pot.
    assert (bluff.kind, bluff.to) == ("raise", 30 + 75)
    # 30 is more than 5 + 10.
    assert BluffPlayer(shy=True).decide(worst).kind == "fold"
    first = situation_at(Betting(TABLE._replace(players=2).game), parse_cards("7h2d"), ())
    assert BluffPlayer(shy=True).decide(first) == BluffPlayer().decide(first) == raise_to(30)
    betting.act(raise_to(1000))
    assert AllInPlayer().decide(situation_at(betting, parse_cards("7h2d"), ())).kind == "call"


@pytest.mark.parametrize("hole", ["AhAd", "AhKh", "QsJs"])
def test_a_raise_tells_the_cards(hole: str) -> None:
    bot = ReadBot(BEST)
    betting = Betting(TABLE.game)
    for action in (CALL, CALL, CALL, FOLD):
        betting.act(action)
    situation = situation_at(betting, parse_cards(hole), ())
    action = bot.decide(situation)
    assert action.kind == "raise"
    assert bot.read_value(situation, action.to) == pytest.approx(value(situation.hole, ()), abs=0.002)
    assert bot.read_value(situation, action.to - 100) < value(situation.hole, ()) - READABLE
    assert bot.reads == [pytest.approx(0, abs=0.002)]


def test_watched_tournaments_are_the_same_and_what_is_counted_fits() -> None:
    entries = [*[ContestEntry("adaptive", BEST)] * 4, PATIENT]
    seen = watch_tournaments(entries, "watch", 0, 20)
    assert len(seen["all_ins"]) == len(seen["raises"]) == 20
    for pushed, paid, won, asked, calls in seen["all_ins"]:
        assert won <= paid <= min(pushed, calls)
        assert calls <= asked <= 4 * pushed
    for raises, read in seen["raises"]:
        assert 0 <= read <= raises
    parts = [watch_tournaments(entries, "watch", first, 10)["all_ins"] for first in (0, 10)]
    assert parts[0] + parts[1] == seen["all_ins"]
    # He has won where his last paid all-in won him chips; he pushed at least once to win all.
    winners = play_tournaments(entries, "watch", 0, 20)["winners"]
    assert winners.count(4) > 0
    assert all(seen["all_ins"][number][2] for number, winner in enumerate(winners) if winner == 4)


def test_higher_blinds_make_shorter_tournaments() -> None:
    entries = [ContestEntry("adaptive", BEST)] * 5
    low, high = (play_tournaments(entries, "blinds", 0, 10, 0, table) for table in (TABLE, HIGH_BLINDS))
    assert high["hands"] < low["hands"]


def test_tournaments_are_played_to_their_end_and_can_be_split() -> None:
    entries = [*[ContestEntry("adaptive", BEST)] * 4, PATIENT]
    whole = play_tournaments(entries, "split", 0, 6)
    parts = [play_tournaments(entries, "split", first, 3) for first in (0, 3)]
    assert len(whole["winners"]) == 6
    assert whole["winners"] == parts[0]["winners"] + parts[1]["winners"]
    assert whole["hands"] == parts[0]["hands"] + parts[1]["hands"]


def test_the_least_raise_of_the_document_s_player_stays() -> None:
    """Also where blinds have doubled to end a stalemate."""
    steady = AdaptiveBot(0, TABLE.game, BEST, rising_blinds=False)
    steady.observe(HandStarted(2000, (0, 1), 0, (2500, 2500), (0, 0), (40, 80), ((1, 2), ())))
    situation = situation_at(Betting(TABLE.game), parse_cards("AhKh"), ())
    assert steady.big_blind(situation) == 10


def test_the_paths_of_learners_are_kept() -> None:
    run = play_tournaments([ContestEntry("adaptive", one) for one in TESTS[1].players], "paths", 0, 4, 2)
    assert len(run["paths"]) == 3
    assert run["paths"][0] == [[0.6, 0.25]] * 5
    assert run["paths"][2] != run["paths"][0]


def test_keys_of_units_are_different_and_the_full_plan_is_as_large_as_asked() -> None:
    for quick in (True, False):
        keys = [unit.key for unit in AceitunoPlan(quick, 1).units()]
        assert len(set(keys)) == len(keys)
    size = AceitunoPlan(False, 1).sizes
    assert size.run * size.runs >= 4000
    assert size.chunk * size.chunks >= 4000


def learners(wins: Sequence[int], *raise_at: float) -> dict[str, Any]:
    """A run of learners with these wins by player, and where their Raise thresholds ended."""
    winners = [player for player, won in enumerate(wins) for _ in range(won)]
    return {"winners": winners, "hands": 10, "paths": [[[one, 0.2] for one in raise_at]]}


def verdicts(test: int, first: dict[str, Any], second: dict[str, Any]) -> dict[str, Row]:
    """The rows of Pruebas 1 and 2 where the runs of the test went like these in turn."""
    plan = AceitunoPlan(True, 1)
    plan.sizes = plan.sizes._replace(runs=2 * MIN_UNITS, step_runs=2 * MIN_UNITS, reading_runs=2 * MIN_UNITS)
    even = learners([2] * 5, *[0.6] * 5)
    done = {
        f"learn/{reading}/{run}": (first, second)[run % 2]
        for reading in READINGS
        for run in range(plan.sizes.reading_runs)
    }
    done |= {f"thresholds/{part}": even for part in range(plan.sizes.test_chunks)}
    done |= {f"test/{number}/{run}": even for number in (1, 2) for run in range(plan.sizes.runs)}
    done |= {f"test/{test}/{run}": (first, second)[run % 2] for run in range(plan.sizes.runs)}
    return {row.id: row for row in learning_rows(plan, done)}


def test_a_claim_on_learners_holds_if_its_intervals_are_clear() -> None:
    """A mean that is high enough is not."""
    three, none = learners([5, 5, 0, 0, 0], 0.6, 0.6, *[0.95] * 3), learners([5, 5, 0, 0, 0], *[0.6] * 5)
    assert verdicts(1, three, three)["test-1-runaways"].verdict == "reproduced"
    mixed = verdicts(1, three, none)["test-1-runaways"]
    assert (mixed.measured, mixed.verdict) == (1.5, "undecided")
    # Runs differ by 3, so one run, his, does not show it.
    assert mixed.paper_noise is not None
    assert mixed.paper_noise > 1
    assert "The document's own figure does not show it" in mixed.note
    assert "does not show it" not in verdicts(1, three, three)["test-1-runaways"].note
    assert verdicts(1, none, none)["test-1-runaways"].verdict == "not reproduced"
    weak = verdicts(1, *[learners([3, 3, 2, 1, 1], 0.6, 0.6, *[0.95] * 3)] * 2)
    assert weak["test-1-runaways"].verdict == "reproduced"
    assert weak["test-1-top-two"].verdict == "not reproduced"


def test_readings_that_the_document_does_not_state_are_not_judged() -> None:
    away, even = (learners([40, 40, 0, 0, 0], *[0.95] * 5), learners([16] * 5, *[0.6] * 5))
    rows = verdicts(1, away, even)
    found = {name: row for name, row in rows.items() if name.startswith("reading-")}
    assert set(found) == {
        f"reading-{one}{key}" for one in (1, 2, 4, 5, 6) for key in ("", "-top-two", "-uneven")
    }
    assert {(row.verdict, row.bound, row.is_open) for row in found.values()} == {("beyond", "", False)}
    assert [found[f"reading-1{key}"].measured for key in ("", "-top-two", "-uneven")] == [2.5, 0.7, 0.5]
    # None of 20 runs has one: three of 20 more might have all five.
    none = verdicts(1, even, even)["reading-1"]
    assert (none.measured, none.low, none.high) == (0, 0, 0.75)


@pytest.mark.parametrize(
    ("wins", "verdict"), [((2, 1, 1, 3, 3), "not reproduced"), ((1, 0, 0, 5, 4), "reproduced")]
)
def test_nearly_all_is_more_than_three_quarters(wins: tuple[int, ...], verdict: str) -> None:
    run = learners(wins, *[0.55] * 5)
    assert verdicts(2, run, run)["test-2-small-steps"].verdict == verdict


def test_the_runs_of_prueba_2_are_counted() -> None:
    """His run, and one in which the greatest step wins and both thresholds have moved far."""
    his = learners((0, 0, 0, 4, 6), 0.95, 0.95, 0.97, 0.43, 0.55)
    other = learners((4, 2, 2, 1, 1), 0.95, *[0.55] * 4)
    for runs, parts in (((his, his), [1, 1, 1, 1]), ((his, other), [0.5, 0.5, 0.5, 0.5])):
        rows = verdicts(2, *runs)
        names = ("best", "small", "two", "kept")
        assert [rows[f"test-2-runs-{name}"].measured for name in names] == parts
    assert verdicts(2, his, his)["test-2-runs-kept"].verdict == "reproduced"
    assert verdicts(2, other, other)["test-2-runs-best"].verdict == "not reproduced"


def test_fold_thresholds_are_those_of_players_who_ran_away() -> None:
    away = learners((5, 5, 0, 0, 0), 0.6, 0.6, *[0.95] * 3)
    row = verdicts(1, away, away)["test-1-losers-fold"]
    assert (row.paper, row.measured, row.verdict) == (0.9, 0.2, "not reproduced")
    assert "the least of his is 0.9." in row.note
    none = learners((2, 2, 2, 2, 2), *[0.6] * 5)
    assert verdicts(1, none, none)["test-1-losers-fold"].verdict == "undecided"


def test_intervals_of_parts_stay_between_0_and_1() -> None:
    run, other = learners([10, 0, 0, 0, 0], *[0.95] * 5), learners([0, 0, 0, 5, 5], *[0.6] * 5)
    for test in (1, 2):
        rows = verdicts(test, run, run) | verdicts(test, run, other)
        parts = [row for row in rows.values() if "mu-" in row.id or row.id in PARTS]
        assert len(parts) == 5 + len(PARTS)
        assert all(0 <= row.low <= row.high <= 1 for row in parts if row.low is not None and row.high)
        assert rows["test-1-runaways"].high is not None
        assert rows["test-1-runaways"].high <= 5


@pytest.mark.parametrize(
    ("wins", "verdict"),
    [
        # Player 2 is said to be the best: against whoever wins most of the others.
        ((20, 60, 10, 10, 0), "reproduced"),
        ((60, 30, 10, 0, 0), "not reproduced"),
        ((41, 42, 10, 7, 0), "undecided"),
    ],
)
def test_the_best_is_better_than_all_others(wins: tuple[int, ...], verdict: str) -> None:
    winners = [player for player, won in enumerate(wins) for _ in range(10 * won)]
    row = next(_weights(5, winners, 100))
    assert (row.id, row.verdict) == ("test-5-best", verdict)
    assert row.measured == (wins[1] - max(wins[0], *wins[2:])) / 100
    one = mean_interval([float((winner == 1) - (winner == 0)) for winner in winners])
    assert row.low is not None
    assert row.high is not None
    # Wider than that of a single difference.
    assert row.high - row.low > 2.4 * (one.half or 0)
    # His lead is 7 of 400 wins.
    assert row.paper_noise is not None
    assert row.paper_noise > 7 / 400
    assert "The document's own figure does not show it" in row.note


@pytest.mark.parametrize(
    ("wins", "most", "told"), [((9, 8, 1, 1, 1), 0.7, True), ((1, 3, 8, 7, 1), 0.5, False)]
)
def test_what_is_near_the_best_weight_is_not_judged(wins: tuple[int, ...], most: float, told: bool) -> None:
    """Only that player 2 wins most is. The end of what was tried need not be the best."""
    winners = [player for player, won in enumerate(wins) for _ in range(10 * won)]
    rows = {row.id: row for row in _weights(3, winners, 100)}
    assert "near" not in rows["test-3-best"].claim
    near = rows["test-3-near"]
    assert (near.paper, near.measured, near.verdict) == (0.6, most, "beyond")
    assert ("the end of what was tried" in near.note) is told
    assert "test-4-near" not in {row.id for row in _weights(4, winners, 100)}


def test_a_chance_too_small_for_a_float_is_not_none() -> None:
    certain, likely = (
        next(row.note for row in _weights(3, winners, 100) if row.id == "test-3-power")
        for winners in ([0] * 10_000, [0, 1, 2, 3, 4] * 100)
    )
    assert certain.endswith("with a chance below 1e-300.")
    assert likely.endswith("with a chance of 1.")


def test_a_conservative_player_meets_two_who_bluff_and_is_not_judged() -> None:
    """From who gives up he wins nothing, from the other much."""
    plan = AceitunoPlan(True, 1)
    one = {"winners": [1] * 8}
    done: dict[str, Any] = {
        unit.key: one for unit in plan.units() if unit.key.startswith(("simple/", "patient"))
    }
    done |= {
        f"patient-bluff/{part}": {"winners": [0] * 6 + [1] * 2} for part in range(plan.sizes.test_chunks)
    }
    done |= {
        f"all-ins/patient/{part}": {"all_ins": [[1, 1, 1, 4, 1]] * 8, "raises": [[1, 1]] * 8}
        for part in range(plan.sizes.test_chunks)
    }
    rows = {row.id: row for row in person_rows(plan, done)}
    found = [rows[f"conservative-{name}"] for name in ("shy-bluff", "bluff")]
    assert [(row.measured, row.verdict) for row in found] == [(0, "beyond"), (0.75, "beyond")]
    assert rows["always-all-in"].verdict == "reproduced"


def test_who_keeps_the_fold_threshold_is_compared_with_the_rest() -> None:
    run = learners((5, 5, 0, 0, 0), 0.6, 0.6, *[0.95] * 3)
    # All keep it: nobody is left to compare with.
    assert verdicts(1, run, run)["test-1-survivors-fold"].verdict == "undecided"
    run["paths"] = [[[0.6, 0.3], [0.6, 0.5], *[[0.95, 0.9]] * 3]]
    row = verdicts(1, run, run)["test-1-survivors-fold"]
    assert (row.measured, row.verdict) == (0.5 - 0.125, "reproduced")


def test_the_conclusion_says_what_is_sure_and_what_is_not() -> None:
    names = {*_ABILITIES, *_LEARNS, *(f"adaptive2-{one}" for one in _WHOLE), "searched-table", "searched-cup"}
    known = dict.fromkeys(names, Interval(5.0, 10, MIN_UNITS))
    known |= {
        "adaptive2-respect-best": Interval(3760, 560, MIN_UNITS),
        "adaptive2-caution-raise": Interval(-3070, 846, MIN_UNITS),
        "learning-first": Interval(0.1, 0.01, MIN_UNITS - 1),
        "searched-cup": Interval(-0.085, 0.04, MIN_UNITS),
        "adaptive2-best": Interval(4417, 265, MIN_UNITS),
    }
    told = conclusion([gain_row(name, "", "", interval) for name, interval in known.items()])
    assert "Sure gains: respect with one of the best (3,760 ± 560). Sure losses: caution" in told
    assert "as 7 asks, is not shown to gain or lose; who is" in told
    assert "as 7 asks, surely loses with one who always raises" in told
    # Too few runs are no evidence.
    assert "Learning surely gains in 0 of 5 comparisons and surely loses in 0: `learning-first` 0.100" in told
    assert "surely loses in tournaments (-0.085 ± 0.040, part of the wins)" in told
    assert "surely wins in 1 of 7 rows" in told


def test_the_dealer_s_lead_is_over_those_who_post_no_blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """In hand h of five the dealer is seat h + 4; adaptive2 counts nowhere."""

    def results(plan: AceitunoPlan, name: str, done: Any) -> list[ContestResult]:
        contest: Contest = plan.contests()[name]
        hands: list[list[Chips]] = [[0, 0, 10, 20, 90], [90, 0, 0, 10, 20]]
        return [ContestResult(one, hands, []) for one in contest.match(0)]

    monkeypatch.setattr(AceitunoPlan, "results", results)
    rows = {row.id: row for row in statement_rows(AceitunoPlan(True, 1), {})}
    assert rows["position"].measured == 1000 / 10 * (90 - (10 + 20) / 2)
    assert rows["position"].verdict == "beyond"
    # Two players with any cards: 4.07 %.
    assert (rows["ties"].measured, rows["ties"].verdict) == (0.0407, "reproduced")
    assert {rows[name].verdict for name in ("styles", "most-chips")} == {"beyond"}


def test_studies_are_listed() -> None:
    assert "aceituno" in study_names()
    with pytest.raises(UnknownStudy, match="aceituno") as refusal:
        study_of("astrology")
    assert refusal.value.code == "unknown_study"


def test_without_a_name_the_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} == set(study_names())


def test_a_file_is_no_directory_for_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report"
    out.write_text("mine", encoding="utf-8")
    assert main(["study", "intervals", "--quick", "--out", str(out)]) == 2
    assert capsys.readouterr().err.endswith("[out_exists]\n")
    assert out.read_text(encoding="utf-8") == "mine"


def test_an_unknown_study_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "astrology"]) == 2
    assert "[unknown_study]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "alike", "others"),
    [
        ("without-best", {"adaptive2", *WITHOUT}, ["best"]),
        ("without-raise", {"adaptive2", *WITHOUT}, ["raise"]),
        ("parts", {"adaptive2", "blind", "fixed"}, ["raise", "loose"]),
        ("calls", {"heeding", "adaptive2"}, ["call", "loose"]),
        ("searched", {"searched", "fixed"}, ["best1", "best2", "best3"]),
    ],
)
def test_who_is_compared_sits_as_often_at_each_place_from_the_others(
    name: str, alike: set[str], others: list[str]
) -> None:
    contests = AceitunoPlan(True, 1).contests()
    orders = [list(contests[f"{name}-{turn}"].entries) for turn in range(len(alike))]
    assert all(order[len(alike) :] == others for order in orders)
    for column in list(zip(*orders, strict=True))[: len(alike)]:
        assert set(column) == alike
    entries = contests[f"{name}-1"].entries
    assert entries.keys() >= alike
    for lacking in alike & WITHOUT.keys():
        assert entries[lacking].parameters == WITHOUT[lacking]
