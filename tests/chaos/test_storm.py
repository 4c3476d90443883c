"""What fails does no harm, for minutes. A short storm is in ``tests/system``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.chaos import fleet_storm
from tests.chaos.storm import calm, same_play, weather

EVENTS = 100


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    return same_play(calm(tmp_path_factory.mktemp("calm"), EVENTS))


@pytest.mark.parametrize("seed", range(4))
def test_a_long_storm_changes_nothing(seed: int, tmp_path: Path, undisturbed: dict[str, object]) -> None:
    happened = weather(tmp_path, EVENTS, seed, undisturbed)
    sys.stdout.write(f"{dict(happened)}\n")
    assert happened["kill server"] + happened["kill bot"] >= 50


@pytest.mark.parametrize("seed", range(3))
def test_a_storm_over_a_fleet_changes_nothing(seed: int, tmp_path: Path) -> None:
    storm = fleet_storm.weather(tmp_path, 40, seed)
    sys.stdout.write(f"{dict(storm.happened)}, {storm.cut} attempts cut\n")
    assert storm.cut > 0
