"""The study of Loki: its plan."""

from __future__ import annotations

from strategy.loki.bot import Loki
from strategy.registry import create_strategy
from studies.harness.runner import study_names
from studies.loki.plan import FIELDS, STYLES, VARIANTS, LokiPlan

FULL = LokiPlan(False, 1)


def test_the_experiments_are_those_of_the_document() -> None:
    # Peña 1999, 4.3: each of 2,500 deals is played ten times; two of ten are modified.
    assert FULL.sizes.matches * FULL.sizes.deals == 2500
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
