"""The data that the other modules share: checks, findings, transcripts and results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from server.errors import ServerError

#: A decoded message.
JsonMessage = dict[str, Any]
Severity = Literal["fault", "advice"]
CheckStatus = Literal["pass", "fault", "advice", "not reached"]


class CheckError(ServerError):
    """The check cannot be run: ``no_command``, ``bad_timeout``, ``unknown_check`` or ``cannot_start``."""


class Check(NamedTuple):
    """One property that is checked.

    ``title`` says what a correct program does; ``section`` is the page and anchor of the documentation, such
    as ``docs/protocol.md#raise-to``; ``todo`` tells the author how to correct the program.
    """

    id: str
    title: str
    section: str
    todo: str
    severity: Severity = "fault"


class TranscriptEntry(NamedTuple):
    """One entry of a transcript: a message of the server (``S``) or of the program (``C``), or an event
    (``-``), which is a message with the key ``event``. ``at`` is in seconds.
    """

    at: float
    who: Literal["S", "C", "-"]
    message: dict[str, Any]


class Transcript:
    """The messages and events of one scenario. ``clock`` returns the time in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.entries: list[TranscriptEntry] = []
        self.recording = False
        self._clock = clock

    def begin(self) -> None:
        """Begin with another scenario."""
        self.entries = []
        self.recording = True

    def add(self, who: Literal["S", "C", "-"], *messages: dict[str, Any]) -> None:
        """Record the messages of one frame, or an event."""
        if self.recording:
            now = self._clock()
            self.entries += [TranscriptEntry(now, who, message) for message in messages]

    def silent_exit(self) -> dict[str, Any] | None:
        """Return the event with which a program that was still running left without sending anything."""
        sent = any(entry.who == "C" for entry in self.entries)
        events = {entry.message["event"]: entry.message for entry in self.entries if entry.who == "-"}
        if sent or "started" in events:
            return None
        return events.get("exited") or events.get("gave up")


class CheckFinding(NamedTuple):
    """One violation. ``what`` is a sentence; ``sent`` is the server's message and ``reply`` the program's
    answer.
    """

    check: str
    what: str
    sent: str = ""
    reply: str = ""
    severity: Severity | None = None


class ScenarioResult(NamedTuple):
    """A scenario that was played: its findings, the checks it reached, the transcript, and the last output of
    the program if it ended or had to be stopped.
    """

    scenario: str
    findings: Sequence[CheckFinding]
    reached: Iterable[str]
    entries: Sequence[TranscriptEntry]
    last_words: str = ""


@dataclass
class CheckResult:
    """The result of a check. ``example`` is its first finding, in ``scenario``; ``times`` counts all its
    findings.
    """

    check: Check
    status: CheckStatus = "not reached"
    why: str = "no scene tested it"
    example: CheckFinding | None = None
    scenario: str = ""
    times: int = 0
    last_words: str = field(default="", repr=False)


def collect_results(
    checks: Sequence[Check], played: Sequence[ScenarioResult], skipped: dict[str, str]
) -> list[CheckResult]:
    """Return the result of every check. ``skipped`` has the reason for each scenario that was not played."""
    found = {check.id: CheckResult(check) for check in checks}
    for scenario_result in played:
        for check in scenario_result.reached:
            if found[check].status == "not reached":
                found[check].status = "pass"
        for finding in scenario_result.findings:
            _add_finding(found[finding.check], finding, scenario_result)
        if found[scenario_result.scenario].status == "not reached":
            found[scenario_result.scenario].why = "the scene did not get that far"
    for check, why in skipped.items():
        found[check].why = why
    return list(found.values())


def _add_finding(result: CheckResult, finding: CheckFinding, scenario_result: ScenarioResult) -> None:
    severity = finding.severity or result.check.severity
    result.times += 1
    if result.status == "fault" or (result.status == "advice" and severity == "advice"):
        return
    result.status = severity
    result.example = finding
    result.scenario = scenario_result.scenario
    result.last_words = scenario_result.last_words


def shorten(message: object, width: int = 200) -> str:
    """Return a message as one line of limited length."""
    if isinstance(message, dict) and isinstance(message.get("game"), dict):
        message = {**message, "game": {"name": message["game"].get("name"), "...": "..."}}
    text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False, default=repr)
    return text if len(text) <= width else f"{text[: width - 20]} ... ({len(text)} characters)"
