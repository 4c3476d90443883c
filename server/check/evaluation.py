"""What the evaluations of transcripts share, whatever the protocol. No I/O."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

from server.check.model import CheckFinding, ScenarioResult, Severity, TranscriptEntry, shorten

#: Answers that take more than this share of the time get the advice ``thinking``.
_CLOSE: Final = 0.5


class TranscriptEvaluation(ABC):
    """Finds what is wrong in the transcript of a scenario, both during the conversation and at its end.
    ``seconds`` is the time for each answer.
    """

    def __init__(self, scenario_id: str, seconds: float) -> None:
        self._scenario_id = scenario_id
        self.seconds = seconds
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

    def check_pace(self, slowest: float, question: object) -> None:
        """Add advice if the slowest answer, to ``question``, took much of the time."""
        if slowest > _CLOSE * self.seconds:
            what = f"The slowest answer took {slowest:.2f} s of {self.seconds:g} s."
            self.add_finding("thinking", what, question)

    def check_orphans(self) -> None:
        """Add a finding if the program left processes behind when it exited."""
        left = self.events.get("left behind", {}).get("processes", [])
        self.reached.add("orphans")
        if left:
            what = f"It exited but left {len(left)} processes running: {'; '.join(left)}."
            self.add_finding("orphans", what)

    def exit_text(self) -> str:
        """Return how the program ended, without a full stop; "" if it did not."""
        if "exited" not in self.events:
            return ""
        code = self.events["exited"]["code"]
        killed = isinstance(code, int) and code < 0
        return f"It was killed by signal {-code}" if killed else f"It ended with exit code {code}"

    def give_up_text(self, default: str) -> str:
        """Return why nobody waited for the program any longer, as a sentence."""
        why: str = self.events.get("gave up", {}).get("why", default)
        return f"{why[:1].upper()}{why[1:]}."

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
