"""What fails does no harm: a short storm. ``make chaos`` has long ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.storm import EVENTS, weather


@pytest.mark.timeout(600)
def test_a_short_storm_changes_nothing(tmp_path: Path) -> None:
    happened = weather(tmp_path, 6, seed=1)
    assert sum(happened[kind] for kind in EVENTS) == 6
