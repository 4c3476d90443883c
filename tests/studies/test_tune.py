"""The search for the numbers of ``adaptive2`` and ``adaptive``: seeded, resumable, and within its bounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from strategy.adaptive.parameters import Adaptive2Parameters, AdaptiveParameters
from strategy.registry import parameters_of
from studies.aceituno.tune import SEARCHES, TABLES, main, point_values, score, worth

SMALL = ["--workers", "1", "--generations", "2", "--population", "4", "--hands", "3"]


@pytest.mark.parametrize("bot", SEARCHES)
def test_the_same_candidate_is_judged_the_same(bot: str) -> None:
    values = point_values(SEARCHES[bot], [0.5] * len(SEARCHES[bot].bounds))
    rates = score(bot, values, "test", 5)
    assert len(rates) == len(TABLES)
    assert rates == score(bot, values, "test", 5)
    assert rates != score(bot, values, "another", 5)


def test_more_at_one_table_does_not_make_good_for_a_loss_at_another() -> None:
    units = [unit for _, unit in TABLES]
    even = worth(units)
    assert worth([0] * len(units)) == 0
    assert 0 < even < 1
    assert worth([units[0], units[1], 20 * units[2], -units[3], *units[4:]]) < even


def test_the_search_has_every_number_and_starts_where_it_may() -> None:
    # ``loose`` came later and is off: the study has a row on it.
    assert {*SEARCHES["adaptive2"].bounds, "loose"} == set(Adaptive2Parameters.__dataclass_fields__)
    assert Adaptive2Parameters().loose == 0
    for bot, search in SEARCHES.items():
        assert all(low <= start <= high for start, low, high in search.bounds.values())
        parameters_of(bot, search.values({key: start for key, (start, _, _) in search.bounds.items()}))


def test_the_document_s_player_is_searched_from_its_best_configuration() -> None:
    search = SEARCHES["adaptive"]
    found = parameters_of("adaptive", search.values({key: one[0] for key, one in search.bounds.items()}))
    assert found == AdaptiveParameters(mu=(0.02,) * 4, learn_every=10)


@pytest.mark.parametrize("point", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("bot", SEARCHES)
def test_every_point_of_the_search_can_be_played(bot: str, point: float) -> None:
    low = {"raise_preflop", "raise_postflop", "raise_at"}
    bounds = SEARCHES[bot].bounds
    values = point_values(
        SEARCHES[bot], [0.0 if key in low else point if key.startswith("fold_") else 0.5 for key in bounds]
    )
    parameters_of(bot, values)


@pytest.mark.parametrize("bot", SEARCHES)
def test_a_search_can_be_gone_on_with(tmp_path: Path, bot: str) -> None:
    found = []
    for place in ("whole", "parts"):
        out = tmp_path / f"{place}.json"
        arguments = [bot, *SMALL, "--store", str(tmp_path / place), "--out", str(out)]
        if place == "parts":
            main([*arguments[:3], "--generations", "1", *arguments[5:]])
        assert main(arguments) == 0
        found.append(json.loads(out.read_text("ascii")))
    assert found[0] == found[1]
    parameters_of(bot, found[0]["parameters"])
    assert len(found[0]["found"]["median_by_generation"]) == 2
