"""The study of Loki: its plan, and a quick run of it all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pokerd.__main__ import main
from strategy.loki.bot import Loki
from strategy.registry import create_strategy
from studies.harness.runner import study_names
from studies.loki.plan import FIELDS, STYLES, VARIANTS, LokiPlan

FULL = LokiPlan(False, 1)


def test_the_experiments_are_those_of_the_document() -> None:
    # Peña 1999, 4.3: each deal is played ten times; two of ten are modified. Fewer deals than the 2,500 of
    # the document, which half an hour is too short for.
    assert 1000 <= FULL.sizes.matches * FULL.sizes.deals <= 2500
    for field in FIELDS:
        for letters, name in VARIANTS.items():
            contest = FULL.contests[f"{field}/{letters}"]
            assert contest.division.players == contest.division.seatings == 10
            assert contest.table.game.limit
            strategies = [entry.strategy for entry in contest.entries.values()]
            assert sorted(strategies) == sorted([name] * 2 + ["loki1"] * 8)


def test_every_enhancement_is_tried() -> None:
    game = FULL.contests["mixed/B"].table.game
    for letters, name in VARIANTS.items():
        loki = create_strategy(name, 1, game)
        assert isinstance(loki, Loki)
        assert loki.enhancements == letters


def test_a_mixed_field_has_a_pair_of_each_style() -> None:
    contest = FULL.contests["mixed/R"]
    controls = [entry.parameters for name, entry in contest.entries.items() if name.startswith("control")]
    assert all(controls.count(style) == 2 for style in STYLES.values())
    plain = FULL.contests["mixed/none"]
    assert plain.entries["modified1"].strategy == plain.entries["modified2"].strategy == "loki1"
    assert plain.seed == contest.seed


def test_keys_of_units_are_different() -> None:
    keys = [unit.key for unit in FULL.units()]
    assert len(set(keys)) == len(keys)


def test_loki_is_listed() -> None:
    assert "loki" in study_names()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("loki")
    assert main(["study", "loki", "--quick", "--workers", "1", "--out", str(place)]) == 0
    return place


def test_a_quick_run_reports_every_claim(report: Path) -> None:
    rows = {row["id"]: row for row in json.loads((report / "report.json").read_text("utf-8"))["rows"]}
    for field in FIELDS:
        assert {f"{field}-{letters}" for letters in VARIANTS} <= set(rows)
        for letters in ("B", "R", "S"):
            row = rows[f"{field}-{letters}"]
            assert row["low"] <= row["measured"] <= row["high"]
            assert row["verdict"] == ("reproduced" if row["low"] > 0 else "not reproduced")
    assert {f"{name}.png" for name in ("gains", "course", "strength")} <= {
        path.name for path in report.iterdir()
    }


def test_what_needs_no_game_is_as_the_documents_have_it(report: Path) -> None:
    rows = {row["id"]: row for row in json.loads((report / "report.json").read_text("utf-8"))["rows"]}
    for key in ("hs", "hs-5", "ppot-2", "npot-2", "pot-odds", "income-70", "income-a8", "plan-a8", "linear"):
        assert rows[key]["verdict"] == "reproduced", key
    assert rows["triple-sum"]["verdict"] == rows["number"]["verdict"] == "document in error"
    assert rows["triple-sum"]["measured"] == pytest.approx(0.9)
