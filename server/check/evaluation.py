"""What the evaluations of transcripts share, whatever the protocol. No I/O."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from server.check.model import CheckFinding, ScenarioResult, Severity, TranscriptEntry, shorten


class TranscriptEvaluation(ABC):
    """Finds what is wrong in the transcript of a scenario, both during the conversation and at its end."""

    def __init__(self, scenario_id: str) -> None:
        self._scenario_id = scenario_id
        self.findings: list[CheckFinding] = []
        self.reached: set[str] = set()
        #: The last event of each name.
        self.events: dict[str, dict[str, Any]] = {}

    def add_finding(
        self,
        check: str,
        what: str,
        sent: object = "",
        reply: object = "",
        *,
        severity: Severity | None = None,
    ) -> None:
        """Add a finding."""
        self.findings.append(CheckFinding(check, what, shorten(sent), shorten(reply), severity))

    @abstractmethod
    def process(self, entry: TranscriptEntry) -> None:
        """Process one entry."""

    @abstractmethod
    def finish(self) -> None:
        """Process the end of the transcript."""

    @abstractmethod
    def ended_badly(self) -> bool:
        """Return whether the program stopped, so that its last words may say why."""

    def evaluate(
        self, entries: Sequence[TranscriptEntry], last_words: str = "", *, whole: bool = True
    ) -> ScenarioResult:
        """Evaluate a transcript. Unless it is ``whole``, missing messages are no fault."""
        for entry in entries:
            self.process(entry)
        if whole:
            self.finish()
        words = last_words if self.ended_badly() else ""
        return ScenarioResult(self._scenario_id, self.findings, self.reached, entries, words)
