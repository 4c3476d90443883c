"""What fails does no harm: a short storm here, long ones by ``make chaos``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.chaos import fleet_storm
from tests.chaos.storm import EVENTS, weather


@pytest.mark.timeout(600)
def test_a_short_storm_changes_nothing(tmp_path: Path) -> None:
    happened = weather(tmp_path, 12, seed=1)
    assert sum(happened[kind] for kind in EVENTS) == 12


@pytest.mark.chaos
@pytest.mark.parametrize("seed", range(4))
def test_a_long_storm_changes_nothing(seed: int, tmp_path: Path) -> None:
    happened = weather(tmp_path, 100, seed)
    sys.stdout.write(f"{dict(happened)}\n")
    assert happened["kill server"] + happened["kill bot"] >= 50


@pytest.mark.chaos
@pytest.mark.parametrize("seed", range(3))
def test_a_storm_over_a_fleet_changes_nothing(seed: int, tmp_path: Path) -> None:
    storm = fleet_storm.weather(tmp_path, 40, seed)
    sys.stdout.write(f"{dict(storm.happened)}, {storm.cut} attempts cut\n")
    assert storm.cut > 0
