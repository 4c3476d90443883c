"""What Aceituno 2017 says that can be computed, and where his text is wrong: every row of it."""

from __future__ import annotations

import json
from functools import cache
from math import comb
from statistics import pstdev

import pytest

from dealer.intervals import MIN_UNITS
from studies.aceituno import errata
from studies.aceituno.document import EQUAL, HUMAN, PRINTED_VALUES, TESTS, TOURNAMENTS
from studies.aceituno.errata import SIGNIFICANT, document_rows, trend
from studies.aceituno.plan import AceitunoPlan
from studies.aceituno.tables import _scaled, table_rows
from studies.aceituno.theory import (
    FIGURE_4,
    FIGURE_5,
    ODDS_AND_EVENS,
    PRISONERS,
    MatrixGame,
    theory_rows,
    two_beside_all_in,
)
from studies.harness.report import Row

SILENT, CONFESS = 0, 1
A, B, C = range(3)


@cache
def told() -> dict[str, Row]:
    """All of them, by their id."""
    return {row.id: row for row in (*theory_rows(), *document_rows())}


# 1.1 and 1.2.


def test_the_prisoners() -> None:
    """1.1, figure 2, and 1.1.2: to confess is better for each, to be silent for both."""
    assert PRISONERS.gains((SILENT, SILENT)) == (-0.5, -0.5)
    assert PRISONERS.gains((SILENT, CONFESS)) == (-10, 0)
    assert PRISONERS.gains((CONFESS, SILENT)) == (0, -10)
    assert PRISONERS.gains((CONFESS, CONFESS)) == (-5, -5)
    assert PRISONERS.dominates(CONFESS, SILENT)
    assert not PRISONERS.dominates(SILENT, CONFESS)
    assert PRISONERS.equilibria() == [(CONFESS, CONFESS)]
    assert (SILENT, SILENT) in PRISONERS.pareto()
    assert (CONFESS, CONFESS) not in PRISONERS.pareto()
    both = [sum(PRISONERS.gains(cell)) for cell in PRISONERS.cells]
    assert max(both) == both[PRISONERS.cells.index((SILENT, SILENT))] == -1
    assert told()["prisoners"].verdict == "reproduced"


def test_odds_and_evens_is_a_game_of_sum_zero_in_which_no_choice_is_safe() -> None:
    """1.1, payoff matrix, and 1.1.2."""
    assert all(sum(ODDS_AND_EVENS.gains(cell)) == 0 for cell in ODDS_AND_EVENS.cells)
    assert ODDS_AND_EVENS.equilibria() == []
    assert ODDS_AND_EVENS.pareto() == ODDS_AND_EVENS.cells

    assert told()["odds-and-evens"].verdict == "reproduced"
    # B's gain if he says 1 in seven of twelve games.
    for other in (0, 1):
        gain = sum(part * ODDS_AND_EVENS.own[row][other] for row, part in enumerate((7 / 12, 5 / 12)))
        assert gain == pytest.approx(1 / 12)


def test_strong_dominance_is_strict() -> None:
    """1.1.2: ">=" would let a strategy dominate itself."""
    even = MatrixGame(((1, 2), (1, 2)), ((0, 0), (0, 0)))
    assert not even.dominates(0, 1)
    assert not even.dominates(0, 0)
    assert MatrixGame(((2, 3), (1, 2)), ((0, 0), (0, 0))).dominates(0, 1)
    assert not MatrixGame(((2, 2), (1, 2)), ((0, 0), (0, 0))).dominates(0, 1)
    assert (told()["dominance"].paper, told()["dominance"].measured) == (">=", ">")


def test_maximin() -> None:
    """1.1.2, figure 4: ours is B with 4, theirs C with 6."""
    own, other = FIGURE_4.least()
    assert own == [1, 4, 3]
    assert other == [1, 2, 6]
    assert (own.index(max(own)), other.index(max(other))) == (B, C)
    assert all(sum(FIGURE_4.gains(cell)) == 10 for cell in FIGURE_4.cells)


def test_the_saddle_point_is_in_both_figures() -> None:
    """1.1.2, figures 4 and 5: the text says that the first has none, and prints the same matrix."""
    assert FIGURE_4 == FIGURE_5
    assert FIGURE_5.equilibria() == [(B, C)]
    assert FIGURE_5.gains((B, C)) == (4, 6)
    assert told()["saddle-points"].verdict == "document in error"


def test_two_may_leave_the_betting_as_it_is() -> None:
    """3.2: they halve the third's 100; who folds to a bet of 200 loses his own 100."""
    two = two_beside_all_in()
    assert {sum(two.gains(cell)) for cell in two.cells} == {100}
    assert two.gains((0, 0)) == two.gains((1, 0)) == (50, 50)
    assert two.gains((1, 1)) == (200, -100)
    assert two.equilibria() == [(0, 0), (1, 0)]
    assert told()["saddle-of-two"].verdict == "reproduced"


def test_all_results_of_a_game_of_sum_zero_are_pareto_optimal() -> None:
    """3.2: so the concept applies, and tells nothing."""
    assert (told()["pareto-poker"].measured, told()["pareto-poker"].verdict) == ("4 of 4", "beyond")


def test_the_expected_stake() -> None:
    """1.2: half of nothing and half of 2.5 million, more than the million that most would keep."""
    assert told()["expected-stake"].measured == 1_250_000


# Errors of the text.


def test_every_error_says_what_is_right_and_why() -> None:
    for row in told().values():
        if row.verdict == "document in error":
            assert row.paper != row.measured, row.id
            assert row.note, row.id
        assert row.source[0].isdigit(), row.id
    assert json.dumps([row.measured for row in told().values()])


@pytest.mark.parametrize(
    ("row", "right"),
    [
        ("preflop-classes", "167 classes"),
        ("least-raise", "W >= Z + big blind"),
        ("least-bet", "less"),
        ("heads-up-blinds", "the dealer"),
        ("four-hands", 1),
        ("fold-results", "0 or below"),
        ("mu-by-street", 1),
        ("at-the-threshold", "call"),
        ("training-mode", "tournaments"),
    ],
)
def test_an_error_is_computed(row: str, right: str | int) -> None:
    assert (told()[row].measured, told()[row].verdict) == (right, "document in error")


def test_an_error_that_the_code_does_not_find_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errata, "_PRINTED_TWICE", {})
    assert next(row for row in document_rows() if row.id == "preflop-classes").verdict == "reproduced"


def test_tables_in_which_a_loser_pays_two_stacks_are_of_the_other_mode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """4.1: chips are refilled there."""
    last = TESTS[5]
    more = last.outcomes[0]._replace(balance=last.outcomes[0].balance - 1)
    tests = {**TESTS, 5: last._replace(outcomes=(more, *last.outcomes[1:]))}
    monkeypatch.setattr(errata, "TESTS", tests)
    row = next(row for row in document_rows() if row.id == "training-mode")
    assert (row.measured, row.verdict) == ("simple", "reproduced")


def test_the_worked_examples() -> None:
    """3.1.4, 4.2.1, 4.2.2, figure 14, and 4.3; the hand of 4.3.2 if 50 is all that is paid."""
    examples = [name for name in told() if name.startswith("example-")]
    assert len(examples) == 8
    for name in (one.removeprefix("example-") for one in examples):
        assert told()[f"example-{name}"].verdict == "reproduced", name
    assert told()["example-hundred-hands"].measured == "+1 and -1 mu"
    assert (told()["example-hand"].paper, told()["example-hand"].measured) == (-50, -50)


def test_nobody_bets_more_with_worse_cards() -> None:
    """7: no bluffs; with the best configuration V counts 0.6, all else at most 0.4, and 0.55 raises."""
    assert (told()["no-bluffs"].measured, told()["no-bluffs"].verdict) == (0, "reproduced")
    assert "bets from V = 0.25 on" in told()["no-bluffs"].note


def test_the_values_of_starting_hands_are_those_that_are_printed() -> None:
    """4.2.1, figure 12: numbers 1, 2, 10, 100, 168 and 169."""
    assert [PRINTED_VALUES[number - 1] for number in (1, 2, 10, 100, 168, 169)] == [
        1.0,
        0.9881,
        0.9405,
        0.4048,
        0.0,
        0.0,
    ]
    assert told()["preflop-table"].paper == told()["preflop-table"].measured == 169


def test_one_mu_for_all_streets() -> None:
    """4.3.4 promises one for each; the tests of 6.2 have none such."""
    assert {len(player.mu) for test in TESTS.values() for player in test.players} == {1}
    assert told()["mu-by-street"].measured == 1


@pytest.mark.parametrize("number", [1, 2])
def test_where_they_learn_the_difference_is_beyond_chance(number: int) -> None:
    """6.2."""
    row = told()[f"test-{number}-significance"]
    assert row.verdict == "beyond"
    assert float(str(row.measured).removeprefix("p = ")) < SIGNIFICANT


@pytest.mark.parametrize(("number", "lead"), [(3, 93 - 91), (4, 96 - 83), (5, 96 - 89)])
def test_who_is_the_best_after_400_tournaments_is_not_sure(number: int, lead: int) -> None:
    """6.2: the lead that the table has, with an interval that includes none, and no verdict."""
    row = told()[f"test-{number}-significance"]
    assert row.verdict == "beyond"
    assert row.measured == round(lead / 400, 4)
    assert row.low is not None
    assert row.high is not None
    assert row.low < 0 < row.high
    # Two of 400 tournaments: each adds 1, -1 or 0.
    won = sorted((one.wins for one in TESTS[number].outcomes), reverse=True)[:2]
    values = [1] * won[0] + [-1] * won[1] + [0] * (400 - sum(won))
    assert row.high - row.low == pytest.approx(2 * 1.96 * pstdev(values) / 20, abs=2e-4)


def test_a_trend_is_found_in_the_order_of_the_settings() -> None:
    """6.2, Prueba 3: wins fall with the weight of V, more evenly than chance would have it."""
    assert trend(tuple(one.wins for one in TESTS[3].outcomes)) == pytest.approx(0.037, abs=0.001)
    assert trend((80,) * 5) == 1
    assert trend((20, 50, 80, 110, 140)) < 1e-9


def test_the_person_is_better_than_chance() -> None:
    """6.3: 6 of 10 with a chance of 0.2 each."""
    chance = sum(comb(10, wins) * EQUAL**wins * (1 - EQUAL) ** (10 - wins) for wins in range(HUMAN[0][4], 11))
    assert chance == pytest.approx(0.00637, abs=1e-5)


def test_the_tables_are_printed_as_the_document_prints_them() -> None:
    """6.2: wins, balances, and final thresholds where they move."""
    plan = AceitunoPlan(True, 1)
    plan.sizes = plan.sizes._replace(runs=MIN_UNITS, step_runs=MIN_UNITS, chunks=1)
    winners = [player for player, won in enumerate((202, 3, 2, 188, 5)) for _ in range(won)]
    paths = [[[one.raise_at, one.fold_below] for one in TESTS[1].outcomes]]
    learnt = {"winners": winners, "hands": 1, "paths": paths}
    even = {"winners": list(range(5)) * (TOURNAMENTS // 5), "hands": 1, "paths": []}
    done = {f"test/{number}/{run}": learnt for number in (1, 2) for run in range(MIN_UNITS)}
    done |= {f"test/{number}/0": even for number in (3, 5)}
    many = [player for player, won in enumerate((7560, 7670, 8010, 8305, 8455)) for _ in range(won)]
    done["test/4/0"] = {"winners": many, "hands": 1, "paths": []}
    rows = {row.id: row for row in table_rows(plan, done)}
    assert rows["test-1-table"].paper == rows["test-1-table"].measured
    assert rows["test-1-table"].paper == (
        "202 3 2 188 5, +610 -385 -390 +540 -375, 0.55/0.3 0.95/0.9 0.95/0.9 0.6/0.25 0.95/0.9"
    )
    assert rows["test-3-table"].paper == "91 93 75 66 75, +55 +65 -25 -70 -25"
    assert rows["test-3-table"].measured == "80 80 80 80 80, +0 +0 +0 +0 +0"
    assert rows["test-4-table"].measured == "76 77 80 83 84, -20 -15 +0 +15 +20"
    assert {rows[f"test-{number}-table"].verdict for number in range(1, 6)} == {"beyond"}


@pytest.mark.parametrize(
    ("wins", "scaled"),
    [
        # Each rounded for itself: 401, and 398.
        ((7560, 7670, 8010, 8305, 8455), [76, 77, 80, 83, 84]),
        ((7545, 7648, 7942, 8340, 8525), [76, 77, 79, 83, 85]),
        ((0, 0, 0, 0, 7), [0, 0, 0, 0, 400]),
    ],
)
def test_a_scaled_table_has_as_many_tournaments_as_the_document(
    wins: tuple[int, ...], scaled: list[int]
) -> None:
    assert _scaled(wins) == scaled
    assert sum(scaled) == TOURNAMENTS


@pytest.mark.parametrize(
    ("uneven", "part", "low", "high", "verdict"),
    [
        # Clopper and Pearson: 0.025 ** (1 / 10), and a table of theirs.
        (10, 1, 0.6915, 1, "reproduced"),
        (5, 0.5, 0.1871, 0.8129, "undecided"),
        (0, 0, 0, 0.3085, "not reproduced"),
    ],
)
def test_in_how_many_runs_some_win_more(
    uneven: int, part: float, low: float, high: float, verdict: str
) -> None:
    plan = AceitunoPlan(True, 1)
    plan.sizes = plan.sizes._replace(runs=10, step_runs=10, chunks=1)
    paths = [[[0.6, 0.25]] * 5]
    clear, even = (
        {"winners": winners, "hands": 1, "paths": paths} for winners in ([0] * 50, [0, 1, 2, 3, 4])
    )
    done = {f"test/{number}/{run}": clear if run < uneven else even for number in (1, 2) for run in range(10)}
    done |= {f"test/{number}/0": even for number in (3, 4, 5)}
    row = {row.id: row for row in table_rows(plan, done)}["test-1-uneven"]
    assert (row.measured, row.low, row.high, row.verdict) == (part, low, high, verdict)
