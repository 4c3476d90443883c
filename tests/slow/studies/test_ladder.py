"""The study of the ladder: a quick run of it all."""

from __future__ import annotations

import json
from pathlib import Path

from pokerd.__main__ import main


def test_a_quick_run_reports_every_claim(tmp_path: Path) -> None:
    assert main(["study", "ladder", "--quick", "--workers", "1", "--out", str(tmp_path)]) == 0
    rows = {row["id"]: row for row in json.loads((tmp_path / "report.json").read_text("utf-8"))["rows"]}
    fields, rivals = ("pushfold", "limit", "nolimit"), ("elo", "glicko-2", "trueskill", "openskill")
    assert set(rows) == {
        *("covered", "ranks", "twice", "circles", "no-circles", "equal", "power", "length"),
        *(f"thrift-{field}-{rival}" for field in fields for rival in rivals),
        *(f"schedule-{field}" for field in fields),
    }
    # A quick run decides nothing.
    assert {row["verdict"] for row in rows.values()} == {"undecided"}
    assert all((tmp_path / f"hands-{field}.png").is_file() for field in fields)
