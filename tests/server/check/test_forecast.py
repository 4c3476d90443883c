"""What is forecast of the time that a check takes."""

from __future__ import annotations

import pytest

from server.check.acpc.scenarios import ACPC_QUICK, ACPC_SCENARIOS
from server.check.forecast import Forecast, time_left_text
from server.check.model import TranscriptEntry
from server.check.scenarios import QUICK, SCENARIOS


def started(after: float, said: float) -> list[TranscriptEntry]:
    """A process that is started, and says something first."""
    return [TranscriptEntry(after, "-", {"event": "started"}), TranscriptEntry(said, "C", {"type": "hello"})]


def test_nothing_is_forecast_before_a_turn_was_played() -> None:
    forecast = Forecast()
    assert forecast.estimate(100, 3) is None
    forecast.add(0, 5.0, started(1.0, 5.0))
    assert forecast.estimate(100, 3) is None
    assert time_left_text(None) == ""


def test_a_slow_start_is_not_counted_for_each_turn() -> None:
    forecast = Forecast()
    forecast.add(18, 4.0 + 18 * 1.5, started(10.0, 14.0))
    assert forecast.estimate(100, 0) == pytest.approx(150.0)
    assert forecast.estimate(100, 2) == pytest.approx(158.0)
    forecast.add(2, 2 * 0.5, [])
    assert forecast.estimate(20, 0) == pytest.approx(18 * 1.5 + 2 * 0.5)


def test_who_is_not_heard_of_did_not_start() -> None:
    forecast = Forecast()
    forecast.add(1, 6.0, started(10.0, 16.0)[:1])
    assert forecast.estimate(1, 1) == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "few seconds"), (6.0, "10 s"), (34.0, "30 s"), (89.0, "90 s"), (91.0, "2 min"), (747.0, "12 min")],
)
def test_it_is_told_as_exactly_as_it_is_known(seconds: float, words: str) -> None:
    assert words in time_left_text(seconds)


def test_what_is_quick_has_less_than_a_third_of_the_turns() -> None:
    turns = [scenario.turns * scenario.rounds * scenario.tables for scenario in SCENARIOS]
    quick = [one for one, scenario in zip(turns, SCENARIOS, strict=True) if scenario.id in QUICK]
    assert sum(quick) < sum(turns) / 3
    quick = [scenario.turns for scenario in ACPC_SCENARIOS if scenario.id in ACPC_QUICK]
    assert sum(quick) < sum(scenario.turns for scenario in ACPC_SCENARIOS) / 3


def test_what_is_quick_is_there_and_stands_on_nothing_that_is_not() -> None:
    assert {scenario.id for scenario in SCENARIOS} >= QUICK
    assert {scenario.after for scenario in SCENARIOS if scenario.id in QUICK} <= QUICK
    assert {scenario.id for scenario in ACPC_SCENARIOS} >= ACPC_QUICK
