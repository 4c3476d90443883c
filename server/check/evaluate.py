"""What is wrong with a conversation: what it told while it went on, and what was missing at its end. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.check.final_rules import evaluate_ending
from server.check.live_rules import Evaluation, TurnHistory
from server.check.model import ScenarioResult, TranscriptEntry
from server.check.scenarios import Scenario

__all__ = ["evaluate"]


def evaluate(
    scenario: Scenario,
    seconds: float,
    entries: Sequence[TranscriptEntry],
    history: TurnHistory,
    last_words: str = "",
    *,
    whole: bool = True,
) -> ScenarioResult:
    """What is found in the conversation of a scene; ``seconds`` is the time for each answer. ``memory`` is
    kept from scene to scene, and forgotten when another process is started. Unless the conversation is
    ``whole``, what is missing is no fault.
    """
    one = Evaluation(scenario, seconds, history)
    for entry in entries:
        one.process(entry)
    if whole:
        one.finish()
        evaluate_ending(one)
    ended = {"gave up", "exited", "still running"} & set(one.events)
    return ScenarioResult(scenario.id, one.findings, one.reached, entries, last_words if ended else "")
