import tomllib
from pathlib import Path
from typing import Any

import pytest

from dealer.errors import ScoreError
from dealer.runoff import Place, bankrolls, instant_run_off, ranked_places

GLOECKNER: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "data" / "gloeckner_2013.toml").read_text(encoding="ascii")
)
TABLE_1 = {tuple(row): tuple(row.values()) for row in GLOECKNER["table_1"]}
Results = dict[tuple[str, ...], tuple[float, ...]]
BOTS = tuple(GLOECKNER["bots"])


def test_every_row_of_gloeckners_table_2_follows_from_his_table_1() -> None:
    result = instant_run_off(TABLE_1, BOTS, players=3)

    rounds = [{place.bot: place.chips for place in played.ranking} for played in result.rounds]
    assert rounds == GLOECKNER["table_2"]
    assert [played.dropped for played in result.rounds] == [("HBB3",), ("CallBot",), ("HBB",), ("HBB2",), ()]
    assert [(place.place, place.bot) for place in result.ranking] == [
        (1, "akuma"), (2, "ownbot"), (3, "RaiseBot"), (4, "HBB2"), (5, "HBB"), (6, "CallBot"), (7, "HBB3"),
    ]  # fmt: skip


def test_total_bankroll_is_the_first_row_of_table_2() -> None:
    ranking = ranked_places(bankrolls(TABLE_1, BOTS))

    assert {place.bot: place.chips for place in ranking} == GLOECKNER["table_2"][0]
    assert [place.bot for place in ranking] == [
        "ownbot",
        "RaiseBot",
        "akuma",
        "HBB",
        "HBB2",
        "CallBot",
        "HBB3",
    ]


def test_all_35_matches_sum_to_zero_and_the_misprint_does_not() -> None:
    misprint = GLOECKNER["misprint"]
    line_up = tuple(misprint["line_up"])
    printed = [
        misprint["printed"] if bot == misprint["bot"] else TABLE_1[line_up][i]
        for i, bot in enumerate(line_up)
    ]

    assert len(TABLE_1) == 35
    assert all(sum(chips) == 0 for chips in TABLE_1.values())
    assert sum(printed) == 27
    assert bankrolls({**TABLE_1, line_up: printed}, BOTS)["HBB3"] - GLOECKNER["table_2"][0]["HBB3"] == 27


def test_ties_share_a_place_and_the_next_place_is_left_out() -> None:
    assert ranked_places({"a": 5, "b": 7, "c": 5, "d": -17}) == (
        Place(1, "b", 7),
        Place(2, "a", 5),
        Place(2, "c", 5),
        Place(4, "d", -17),
    )


def test_tied_lowest_bots_go_out_together() -> None:
    results: Results = {("a", "b"): (4, -4), ("a", "c"): (6, -6), ("a", "d"): (6, -6), ("b", "c"): (2, -2),
               ("b", "d"): (2, -2), ("c", "d"): (0, 0)}  # fmt: skip

    result = instant_run_off(results, "abcd", players=2)

    assert [played.dropped for played in result.rounds] == [("c", "d"), ()]
    assert result.ranking == (Place(1, "a", 4), Place(2, "b", -4), Place(3, "c", -8), Place(3, "d", -8))


def test_a_tie_that_leaves_too_few_for_a_table_is_placed_by_that_round() -> None:
    results: Results = {
        ("a", "b", "c"): (2, -1, -1),
        ("a", "b", "d"): (1, -1, 0),
        ("a", "c", "d"): (1, -1, 0),
        ("b", "c", "d"): (0, 0, 0),
    }

    result = instant_run_off(results, "abcd", players=3)

    assert [played.dropped for played in result.rounds] == [()]
    assert [(place.place, place.bot) for place in result.ranking] == [(1, "a"), (2, "d"), (3, "b"), (3, "c")]


def test_when_all_are_tied_all_are_first() -> None:
    result = instant_run_off(
        {("a", "b"): (1, -1), ("a", "c"): (-1, 1), ("b", "c"): (1, -1)}, "abc", players=2
    )

    assert [place.place for place in result.ranking] == [1, 1, 1]


def test_fractions_that_differ_in_the_last_bit_are_ties() -> None:
    third = 100 / 3
    results: Results = {
        ("a", "b"): (third + third + third, -100.0),
        ("a", "c"): (0, 0),
        ("b", "c"): (200.0, -200.0),
    }

    chips = bankrolls(results, "abc")

    assert chips == {"a": 100.0, "b": 100.0, "c": -200.0}


def test_bots_that_have_not_met_cannot_be_ranked() -> None:
    with pytest.raises(ScoreError) as error:
        instant_run_off({("a", "b"): (1, -1)}, "acd", players=2)

    assert error.value.code == "nothing_to_score"
