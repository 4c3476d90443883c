"""Recorded conversations of programs that do one thing wrong, and what the judges find in them.

``python -m tests.system.server.check.record`` makes them with real programs. A file has the scenarios in
which the fault shows: of each a line that names it, and then a line for each entry.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from server.check.acpc.checks import ACPC_CHECKS
from server.check.acpc.rules import AcpcEvaluation
from server.check.acpc.scenarios import ACPC_SCENARIOS
from server.check.checks import CHECKS
from server.check.final_rules import WholeEvaluation
from server.check.live_rules import TurnHistory
from server.check.model import Check, CheckResult, ScenarioResult, TranscriptEntry, collect_results
from server.check.scenarios import SCENARIOS
from tests.support.programs import ROOT

#: Faults and advice, by id.
Told = tuple[set[str], set[str]]
#: Seconds for an answer.
SECONDS = 3.0


def told(results: Iterable[CheckResult]) -> Told:
    """Without the advice to think less: on a busy machine everybody is given it."""
    by_status = {
        status: {result.check.id for result in results if result.status == status}
        for status in ("fault", "advice")
    }
    return by_status["fault"], by_status["advice"] - {"thinking"}


class Judge(NamedTuple):
    """What looks at the conversations of one protocol, and where they are."""

    folder: Path
    checks: Sequence[Check]
    evaluate: Callable[[Sequence[ScenarioResult]], list[ScenarioResult]]

    def told(self, played: Sequence[ScenarioResult]) -> Told:
        """What is found in conversations, whatever was found in them before."""
        return told(collect_results(self.checks, self.evaluate(played), {}))


def _native(played: Sequence[ScenarioResult]) -> list[ScenarioResult]:
    scenarios = {scenario.id: scenario for scenario in SCENARIOS}
    history = TurnHistory()
    return [
        WholeEvaluation(scenarios[one.scenario], SECONDS, history).evaluate(one.entries, one.last_words)
        for one in played
    ]


def _acpc(played: Sequence[ScenarioResult]) -> list[ScenarioResult]:
    scenarios = {scenario.id: scenario for scenario in ACPC_SCENARIOS}
    return [
        AcpcEvaluation(scenarios[one.scenario], SECONDS).evaluate(one.entries, one.last_words)
        for one in played
    ]


_FOLDER = Path(__file__).parent / "recorded"
NATIVE = Judge(_FOLDER / "native", CHECKS, _native)
ACPC = Judge(_FOLDER / "acpc", ACPC_CHECKS, _acpc)


def save(path: Path, played: Sequence[ScenarioResult]) -> None:
    """Write conversations; what is no JSON becomes text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for one in played:
            last_words = one.last_words.replace(f"{ROOT}/", "").replace(f"{sys.base_prefix}/", "")
            head = {"scenario": one.scenario, "last_words": last_words}
            rows = [head, *([round(at, 4), who, message] for at, who, message in one.entries)]
            file.writelines(json.dumps(row, separators=(",", ":"), default=repr) + "\n" for row in rows)


def load(path: Path) -> list[ScenarioResult]:
    """Read conversations; nothing has been found in them yet."""
    played: list[ScenarioResult] = []
    entries: list[TranscriptEntry] = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if isinstance(row, dict):
            entries = []
            played.append(ScenarioResult(row["scenario"], (), (), entries, row["last_words"]))
        else:
            entries.append(TranscriptEntry(*row))
    return played
