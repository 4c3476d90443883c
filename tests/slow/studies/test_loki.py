"""The study of Loki: a tiny run of it all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pokerd.__main__ import main
from studies.loki import plan
from studies.loki.plan import FIELDS, VARIANTS, LokiSizes


def test_a_tiny_run_reports_every_claim_and_what_needs_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one test: two processes that share the tests of this file would each run the study."""
    monkeypatch.setattr(plan, "sizes", lambda quick: LokiSizes(2, 1, 1, 1))
    assert main(["study", "loki", "--quick", "--workers", "1", "--out", str(tmp_path)]) == 0
    every_claim_is_reported(tmp_path)
    what_needs_no_game_is_as_the_documents_have_it(tmp_path)


def every_claim_is_reported(report: Path) -> None:
    rows = {row["id"]: row for row in json.loads((report / "report.json").read_text("utf-8"))["rows"]}
    for field in FIELDS:
        assert {f"{field}-{letters}" for letters in VARIANTS} <= set(rows)
        for letters in ("B", "R", "S"):
            row = rows[f"{field}-{letters}"]
            assert row["low"] <= row["measured"] <= row["high"]
            assert row["verdict"] == "undecided"
    assert rows["always-call-gain"]["paper"] == 0.057
    assert rows["always-call"]["verdict"] == "undecided"
    assert {f"{name}.png" for name in ("gains", "course", "strength")} <= {
        path.name for path in report.iterdir()
    }


def what_needs_no_game_is_as_the_documents_have_it(report: Path) -> None:
    rows = {row["id"]: row for row in json.loads((report / "report.json").read_text("utf-8"))["rows"]}
    computed = ("hs", "hs-5", "ppot-2", "npot-2", "pot-odds", "income-70", "income-a8", "plan-a8")
    for key in computed:
        assert rows[key]["verdict"] == "reproduced", key
    assert (rows["number-style"]["verdict"], rows["number-style"]["measured"]) == ("beyond", 400)
    assert rows["triple-sum"]["verdict"] == rows["number"]["verdict"] == "document in error"
    assert rows["triple-sum"]["measured"] == pytest.approx(0.9)
