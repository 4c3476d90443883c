"""The study of Loki: its plan."""

from __future__ import annotations

from strategy.loki.bot import Loki
from strategy.registry import create_strategy
from studies.harness.runner import study_names
from studies.loki.plan import STYLES, VARIANTS, LokiPlan

FULL = LokiPlan(False, 1)


def test_the_experiments_are_those_of_the_document() -> None:
    # Peña 1999, 4.3: each of 2,500 deals, or some more, is played ten times.
    assert FULL.sizes.matches * FULL.sizes.deals == 2500
    for field, modified in (("homogeneous", 2), ("mixed", 5)):
        for letters, name in VARIANTS.items():
            contest = FULL.contests[f"{field}/{letters}"]
            assert contest.division.matches * contest.division.hands >= 2500
            assert contest.division.players == contest.division.seatings == 10
            assert contest.table.game.limit
            strategies = [entry.strategy for entry in contest.entries.values()]
            assert sorted(strategies) == sorted([name] * modified + ["loki1"] * (10 - modified))


def test_what_is_played_on_is_in_the_plan() -> None:
    assert {name: FULL.contests[name].division.matches for name in FULL.sizes.more} == FULL.sizes.more


def test_every_enhancement_is_tried() -> None:
    game = FULL.contests["mixed/B"].table.game
    for letters, name in VARIANTS.items():
        loki = create_strategy(name, 1, game)
        assert isinstance(loki, Loki)
        assert loki.enhancements == letters


def test_a_mixed_field_has_pairs_of_each_style_opposite_each_other() -> None:
    entries = FULL.contests["mixed/R"].entries
    seats = list(entries)
    styles = []
    for number in range(1, 6):
        modified, control = (entries[f"{who}{number}"] for who in ("modified", "control"))
        assert modified.parameters == control.parameters
        styles.append(modified.parameters)
        assert (seats.index(f"modified{number}") - seats.index(f"control{number}")) % 10 == 5
    assert all(
        styles.count(style) == (2 if name == "tight, passive" else 1) for name, style in STYLES.items()
    )
    assert FULL.contests["mixed/R"].seed == FULL.contests["homogeneous/B"].seed


def test_keys_of_units_are_different() -> None:
    keys = [unit.key for unit in FULL.units()]
    assert len(set(keys)) == len(keys)


def test_loki_is_listed() -> None:
    assert "loki" in study_names()
