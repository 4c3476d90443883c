"""The study of Funke: a quick run of it all."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from pokerd.__main__ import main
from studies.funke import plan
from studies.funke.plan import SWEPT
from studies.funke.players import ABANDONED
from studies.harness.runner import study_names

#: The document's tables, figures and appendices, and the sections that claim something.
CONTENTS = (
    *("table 1.1", "table 4.1", "table 4.2", "table 4.3", "table 4.4", "table 4.5", "table 4.6", "table 4.7"),
    *("figure 1.1", "figure 3.1", "figure 3.2", "figure 3.3", "figure 3.4", "figure 3.5"),
    *("figure 4.1", "figure 4.2", "figure 4.3", "figure 4.4", "figure 4.5", "figure 4.6", "figure 4.7"),
    *("appendix A", "figure A.1", "appendix B", "figure B.1", "appendix C", "figure C.1", "figure C.0"),
    *("4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7"),
    *("2.3", "2.7", "2.10", "3.1.2", "3.2.2", "3.2.3", "3.3.2", "3.3.4", "4.1.1"),
    *("4.2.1", "4.3.1", "4.4.1", "4.5.1", "4.6.1"),
)


def test_a_quick_run_reports_every_claim_table_and_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Evolutions are short. In one test: two processes that share the tests of this file would each run the
    study.
    """
    sizes = plan.sizes(quick=True)._replace(generations=3)
    monkeypatch.setattr(plan, "sizes", lambda quick: sizes)
    assert main(["study", "funke", "--quick", "--workers", "1", "--out", str(tmp_path)]) == 0
    every_claim_is_reported(tmp_path)
    every_table_figure_and_experiment_of_the_document_has_a_row(tmp_path)
    every_figure_of_the_document_is_drawn(tmp_path)


def every_claim_is_reported(report: Path) -> None:
    assert "funke" in study_names()
    told = json.loads((report / "report.json").read_text("utf-8"))
    rows = {row["id"]: row for row in told["rows"]}
    assert len(rows) == len(told["rows"])
    assert {f"4.2-{n}" for n in range(1, 10)} | {f"4.4-{n}" for n in range(1, 13)} <= set(rows)
    assert {f"tried-{variant}" for variant in ABANDONED} <= set(rows)
    for row in rows.values():
        if row["verdict"] == "reproduced" and row["low"] is not None:
            assert row["low"] <= row["measured"] <= row["high"]
    # What is exact needs no long run.
    assert rows["simple-equilibrium"]["measured"] == pytest.approx(0.073)
    assert rows["ranking-right"]["measured"] == pytest.approx(7.03)
    assert rows["chubukov-equilibrium-order"]["verdict"] == "reproduced"
    assert rows["chubukov-equilibrium-jams"]["verdict"] == "not reproduced"
    assert rows["five-effective"]["verdict"] == "not reproduced"
    assert (
        rows["equilibrium-jam-all"]["verdict"] == rows["equilibrium-call-top"]["verdict"] == "not reproduced"
    )
    assert rows["equilibrium-call-all"]["verdict"] == rows["equilibrium-jam-top"]["verdict"] == "reproduced"
    # A row without a verdict has no figure of the document, or the power that is too little for one.
    beyond = [row for row in rows.values() if row["verdict"] == "beyond"]
    assert all(row["paper"] is None or row["detects"] is not None for row in beyond)
    assert {f"appendix-b-{one}" for one in ("early", "stable", "insubstantial", "departs")} <= set(rows)
    assert {f"sweep-appendix-b-{rates.name}" for rates in SWEPT["complex"]} <= set(rows)
    errata = ("unit", "algorithm-2", "algorithm-4", "crossover", "whole-space", "labels", "caps", "table-4.5")
    assert all(rows[key]["verdict"] == "document in error" for key in errata)


def every_table_figure_and_experiment_of_the_document_has_a_row(report: Path) -> None:
    rows = json.loads((report / "report.json").read_text("utf-8"))["rows"]
    named = " | ".join(row["source"] for row in rows)
    missing = [one for one in CONTENTS if not re.search(rf"(?<![\w.]){re.escape(one)}(?!\d)", named)]
    assert missing == []
    found = {row["id"]: row for row in rows}
    assert found["table-4.4"]["verdict"] == found["table-4.5"]["verdict"] == "document in error"
    assert all(found[f"table-{table}"]["verdict"] == "beyond" for table in ("4.1", "4.3", "4.6", "4.7"))
    # Where his example of a table is from is not told; it is no equilibrium, but near one.
    assert found["table-1.1"]["measured"] == 96.2
    assert "KK 953.9955" in found["figure-1.1"]["note"]


def every_figure_of_the_document_is_drawn(report: Path) -> None:
    drawn = {path.name for path in report.iterdir() if path.suffix in (".png", ".gif")}
    told = json.loads((report / "report.json").read_text("utf-8"))["figures"]
    assert drawn == {figure["file"] for figure in told}
    assert {f"figure-4.{number}.png" for number in range(1, 8)} <= drawn
    assert {"figure-3.1.png", "figure-3.2-3.4.png", "figure-3.3-3.5.png"} <= drawn
    assert {"table-1.1.png", "figure-1.1.png", "figure-a.1-70-60.png", "against-40-30.png"} <= drawn
    assert {f"figure-{name}.png" for name in ("b.1-best", "b.1-all", "c.1-best", "c.0-all")} <= drawn
    # Figure A.1 has 70/60 only.
    assert all("40-30" not in name for name in drawn if name.startswith(("figure-a", "appendix-a")))
    for name in ("appendix-a-70-60", "against-40-30", "appendix-b", "appendix-c"):
        with Image.open(report / f"{name}.gif") as film:
            assert getattr(film, "n_frames", 1) > 1
    assert sum((report / name).stat().st_size for name in drawn) < 4_000_000
