"""The study of Glöckner 2013: a quick run of it all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pokerd.__main__ import main
from studies.gloeckner import plan
from studies.gloeckner.plan import HBB6_TOURNAMENT
from studies.harness.runner import study_names


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With few trials of akuma, who plays in a third of all matches."""
    place = tmp_path_factory.mktemp("gloeckner")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plan, "TRIALS", 5)
        assert main(["study", "gloeckner", "--quick", "--workers", "1", "--out", str(place)]) == 0
    return place


def test_a_quick_run_reports_every_table(report: Path) -> None:
    assert "gloeckner" in study_names()
    told = json.loads((report / "report.json").read_text("utf-8"))
    rows = {row["id"]: row for row in told["rows"]}
    assert len(rows) == len(told["rows"])
    tables = {key.split("-")[1] for key in rows if key.startswith("table-")}
    assert tables == {str(number) for number in range(1, 16)}
    assert sum(row["source"] == "table 1" and row["low"] is not None for row in rows.values()) == 105
    assert sum(key.startswith("table-15-hbb") and row["paper"] is not None for key, row in rows.items()) == 15
    # The last round of table 2 is a match of table 1.
    rounds = {key.rpartition("-")[2] for key, row in rows.items() if row["claim"].startswith("bankroll of")}
    assert rounds >= {"all", "6", "5", "4"}
    assert "3" not in rounds
    for ranking in ("ahead", "run-off"):
        assert {f"hbb6-{ranking}-{bot}" for bot in HBB6_TOURNAMENT if bot != "hbb6"} <= set(rows)
    for row in rows.values():
        if row["low"] is not None:
            assert row["low"] <= row["measured"] <= row["high"]
            # Two deals say nothing; what is computed has no units.
            assert row["verdict"] in ("undecided", "beyond") or row["units"] is None, row["id"]
        elif row["verdict"] in ("reproduced", "not reproduced"):
            assert row["units"] is None, row["id"]
    assert {figure["file"] for figure in told["figures"]} <= {path.name for path in report.iterdir()}
