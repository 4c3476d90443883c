"""Finds what is wrong in a transcript, both during the conversation and at its end. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

from server.check.final_rules import evaluate_ending
from server.check.live_rules import Evaluation, TurnHistory
from server.check.model import ScenarioResult, TranscriptEntry
from server.check.scenarios import Scenario


def evaluate(
    scenario: Scenario,
    seconds: float,
    entries: Sequence[TranscriptEntry],
    history: TurnHistory,
    last_words: str = "",
    *,
    whole: bool = True,
) -> ScenarioResult:
    """Evaluate the transcript of a scenario; ``seconds`` is the time for each answer. ``history`` is kept
    from scenario to scenario and cleared when another process is started. Unless the transcript is ``whole``,
    missing messages are no fault.
    """
    one = Evaluation(scenario, seconds, history)
    for entry in entries:
        one.process(entry)
    if whole:
        one.finish()
        evaluate_ending(one)
    ended = {"gave up", "exited", "still running"} & set(one.events)
    return ScenarioResult(scenario.id, one.findings, one.reached, entries, last_words if ended else "")
