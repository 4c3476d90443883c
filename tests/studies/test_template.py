"""The study that others begin with: short, quick, and with everything that a study has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pokerd.__main__ import main
from studies import template

SIZE = 60


def test_it_is_short() -> None:
    assert len(Path(template.__file__).read_text("utf-8").splitlines()) <= SIZE


def test_it_goes_on_where_it_was_stopped_and_reports_intervals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["study", "template", "--quick", "--workers", "1", "--out", str(tmp_path)]
    assert main(command) == 0
    report, work = tmp_path / "report.json", tmp_path / "work.jsonl"
    first, lines = report.read_text("utf-8"), work.read_text("utf-8").splitlines(keepends=True)
    work.write_text("".join(lines[:-1]), encoding="utf-8")
    assert main(command) == 0
    assert report.read_text("utf-8") == first
    again = work.read_text("utf-8").splitlines(keepends=True)
    assert again[:-1] == lines[:-1]
    assert json.loads(again[-1])[:2] == json.loads(lines[-1])[:2]
    rows = json.loads(first)["rows"]
    assert len(rows) == 2
    assert all(row["low"] < row["measured"] < row["high"] for row in rows)
    assert "wins-limit" in capsys.readouterr().out
