"""``docs/studies.md`` against the studies there are and the form of their reports."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import get_args

from studies.harness.report import Row, StudyReport, Verdict
from studies.harness.runner import NoDirectory, study_names
from studies.harness.work import DamagedStore, StoreInUse, WorkerDied
from tests.docs.pages import ROOT, code, read, rows, section

STUDIES = ROOT / "docs" / "studies.md"


def keys(text: str) -> set[str]:
    """The keys of the tables of a text."""
    return {key for first, _ in rows(text) for key in code(first)}


def test_every_study_has_a_section() -> None:
    headings = re.findall(r"^## (\S+)$", read(STUDIES), re.MULTILINE)
    assert set(study_names()) <= set(headings)


def test_what_ends_a_study_is_told() -> None:
    told = [key for first, *_ in rows(read(STUDIES).partition("\n## ")[0]) for key in code(first)]
    assert told == [WorkerDied.code, DamagedStore.code, StoreInUse.code, NoDirectory.code]


def test_the_keys_of_a_report_are_told() -> None:
    text = section(STUDIES, "## Reports")
    report = StudyReport("s", "t", True, {}, [], [])
    assert keys(text) == {*report.data(), *(field.name for field in fields(Row))}
    (verdicts,) = [value for first, value in rows(text) if code(first) == ["verdict"]]
    assert code(verdicts) == list(get_args(Verdict))


def test_kept_reports_are_full_runs_of_their_study() -> None:
    for path in (ROOT / "docs" / "reproduction").glob("*/report.json"):
        report = json.loads(path.read_text("utf-8"))
        assert report["study"] == path.parent.name
        assert not report["quick"]
        assert all((path.parent / figure["file"]).is_file() for figure in report["figures"])
