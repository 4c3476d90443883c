"""What is looked at, what was found, and the conversation it was found in: the words all others share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from server.errors import ServerError

__all__ = [
    "Check",
    "CheckError",
    "TranscriptEntry",
    "CheckFinding",
    "ScenarioResult",
    "CheckResult",
    "Severity",
    "Status",
    "collect_results",
    "shorten",
]

Severity = Literal["fault", "advice"]
Status = Literal["pass", "fault", "advice", "not reached"]


class CheckError(ServerError):
    """The check cannot be made. ``code``: ``no_command``, ``bad_timeout``, ``unknown_check`` or
    ``cannot_start``."""


class Check(NamedTuple):
    """Something that is looked at.

    ``title`` says what a right program does; ``section`` is the page and anchor of the document to read about
    it, as ``docs/protocol.md#raise-to``; ``todo`` is for the author of a program that does not.
    """

    id: str
    title: str
    section: str
    todo: str
    severity: Severity = "fault"


class TranscriptEntry(NamedTuple):
    """One thing of a conversation: a message of the server (``S``) or of the program (``C``), or (``-``)
    something that happened, as a message with an ``event``. ``at`` is in seconds.
    """

    at: float
    who: Literal["S", "C", "-"]
    message: dict[str, Any]


class CheckFinding(NamedTuple):
    """Something that a program does wrong, once. ``what`` is a sentence; ``sent`` and ``came`` are what the
    server said and what the program answered.
    """

    check: str
    what: str
    sent: str = ""
    reply: str = ""
    severity: Severity | None = None


class ScenarioResult(NamedTuple):
    """A scene that was played: what was found, which checks it reached, the conversation, and the last words
    of the program if it ended or had to be ended.
    """

    scenario: str
    findings: Sequence[CheckFinding]
    reached: Iterable[str]
    entries: Sequence[TranscriptEntry]
    last_words: str = ""


@dataclass
class CheckResult:
    """How a check came out: ``example`` is its first finding, in ``scene``; ``times`` says how often it was
    found in all.
    """

    check: Check
    status: Status = "not reached"
    why: str = "nothing asked for it"
    example: CheckFinding | None = None
    scenario: str = ""
    times: int = 0
    last_words: str = field(default="", repr=False)


def collect_results(
    checks: Sequence[Check], played: Sequence[ScenarioResult], skipped: dict[str, str]
) -> list[CheckResult]:
    """The outcome of every check. ``skipped`` says of scenes that were not played why not."""
    found = {check.id: CheckResult(check) for check in checks}
    for scene in played:
        for check in scene.reached:
            if found[check].status == "not reached":
                found[check].status = "pass"
        for finding in scene.findings:
            _add_finding(found[finding.check], finding, scene)
        if found[scene.scenario].status == "not reached":
            found[scene.scenario].why = "it did not come to that"
    for check, why in skipped.items():
        found[check].why = why
    return list(found.values())


def _add_finding(result: CheckResult, finding: CheckFinding, scene: ScenarioResult) -> None:
    severity = finding.severity or result.check.severity
    result.times += 1
    if result.status == "fault" or (result.status == "advice" and severity == "advice"):
        return
    result.status = severity
    result.example = finding
    result.scenario = scene.scenario
    result.last_words = scene.last_words


def shorten(message: object, width: int = 200) -> str:
    """A message on one line of bearable length."""
    if isinstance(message, dict) and isinstance(message.get("game"), dict):
        message = {**message, "game": {"name": message["game"].get("name"), "...": "..."}}
    text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False, default=repr)
    return text if len(text) <= width else f"{text[: width - 20]} ... ({len(text)} characters)"
