"""The study of the no-limit bots: a quick run of it all."""

from __future__ import annotations

import json
from pathlib import Path

from pokerd.__main__ import main
from strategy.nolimit_bots.policy import DEPTHS
from studies.nolimit.plan import LBR_DEPTHS, OPPONENTS


def test_a_quick_run_reports_every_row(tmp_path: Path) -> None:
    assert main(["study", "nolimit", "--quick", "--workers", "1", "--out", str(tmp_path)]) == 0
    rows = {row["id"]: row for row in json.loads((tmp_path / "report.json").read_text("utf-8"))["rows"]}
    expected = {f"lbr-{depth}-{freedom}" for depth in LBR_DEPTHS for freedom in ("fc", "fcpa", "56")}
    expected |= {f"duel-{depth}-{other}" for depth in DEPTHS for other in OPPONENTS}
    expected |= {"search-lbr-200-fcpa", "duel-pushfold", "search-duel-100"}
    expected |= {
        f"{bot}-{what}" for bot in ("nolimit", "nolimit+search") for what in ("median", "99", "late")
    }
    assert expected <= set(rows)
    assert all(row["verdict"] == "undecided" for name, row in rows.items() if row["low"] is not None)
    assert {path.name for path in tmp_path.glob("*.png")} == {"lbr.png", "duels.png", "pace.png"}
