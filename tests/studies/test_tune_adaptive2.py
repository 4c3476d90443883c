"""The search for the numbers of ``adaptive2``: seeded, resumable, and within its bounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from strategy.adaptive.parameters import Adaptive2Parameters
from strategy.parameters import read_parameters
from studies.aceituno.tune_adaptive2 import SEARCHED, START, TABLES, main, point_values, score, worth

SMALL = ["--workers", "1", "--generations", "2", "--population", "4", "--hands", "3"]


def test_the_same_candidate_is_judged_the_same() -> None:
    rates = score(START, "test", 5)
    assert len(rates) == len(TABLES)
    assert rates == score(START, "test", 5)
    assert rates != score(START, "another", 5)


def test_more_at_one_table_does_not_make_good_for_a_loss_at_another() -> None:
    units = [unit for _, unit in TABLES]
    even = worth(units)
    assert worth([0, 0, 0, 0]) == 0
    assert 0 < even < 1
    assert worth([units[0], units[1], 20 * units[2], -units[3]]) < even


def test_the_search_starts_where_it_may() -> None:
    assert set(SEARCHED) == set(Adaptive2Parameters.__dataclass_fields__)
    assert all(low <= start <= high for start, low, high in SEARCHED.values())
    read_parameters(Adaptive2Parameters, START)


@pytest.mark.parametrize("point", [0.0, 0.5, 1.0])
def test_every_point_of_the_search_can_be_played(point: float) -> None:
    corners = {"raise_preflop": 0.0, "raise_postflop": 0.0, "fold_preflop": point, "fold_postflop": point}
    values = point_values([corners.get(key, 0.5) for key in SEARCHED])
    found = read_parameters(Adaptive2Parameters, values)
    assert found.raise_preflop == max(0.2, found.fold_preflop)
    assert found.raise_postflop == max(0.2, found.fold_postflop)


def test_a_search_can_be_gone_on_with(tmp_path: Path) -> None:
    found = []
    for place in ("whole", "parts"):
        out = tmp_path / f"{place}.json"
        arguments = [*SMALL, "--store", str(tmp_path / place), "--out", str(out)]
        if place == "parts":
            main([*arguments[:2], "--generations", "1", *arguments[4:]])
        assert main(arguments) == 0
        found.append(json.loads(out.read_text("ascii")))
    assert found[0] == found[1]
    parameters = read_parameters(Adaptive2Parameters, found[0]["parameters"])
    for key, (_, low, high) in SEARCHED.items():
        assert low <= getattr(parameters, key) <= high
    assert len(found[0]["found"]["median_by_generation"]) == 2
