from __future__ import annotations

import json
from itertools import combinations
from math import sqrt
from pathlib import Path

import pytest

from dealer.rules.cards import parse_cards
from strategy.poker.preflop import HAND_CLASSES, TABLE_PATH, class_combinations, hand_class, preflop_equity
from strategy.poker.preflop_table import EquityCheckpoint, count_chunk, main, make_table

TABLE = json.loads(TABLE_PATH.read_text(encoding="ascii"))


def test_the_1326_hands_fall_into_the_169_classes() -> None:
    counts = dict.fromkeys(HAND_CLASSES, 0)
    for hole in combinations(range(52), 2):
        counts[hand_class(hole)] += 1
        assert hand_class(hole) == hand_class(hole[::-1])
    assert len(counts) == 169
    assert all(counts[name] == class_combinations(name) for name in HAND_CLASSES)


@pytest.mark.parametrize(
    ("hole", "name"), [("AhAd", "AA"), ("KdAd", "AKs"), ("2c3d", "32o"), ("Th9h", "T9s"), ("9hTc", "T9o")]
)
def test_names_of_classes(hole: str, name: str) -> None:
    assert hand_class(parse_cards(hole)) == name


# Against one random hand, by full enumeration of all boards (own computation, exact to the digits given).
@pytest.mark.parametrize(("hole", "exact"), [("AhAd", 0.85204), ("3c2d", 0.32303)])
def test_known_values_lie_within_three_standard_errors(hole: str, exact: float) -> None:
    assert abs(preflop_equity(parse_cards(hole), 1) - exact) < 3 * TABLE["largest_standard_error"][0]


def test_the_table_is_complete_and_as_accurate_as_it_says() -> None:
    assert list(TABLE["equity"]) == list(HAND_CLASSES)
    assert all(len(row) == 9 for row in TABLE["equity"].values())
    assert max(TABLE["largest_standard_error"]) < 0.001


def test_aces_are_the_best_and_three_two_offsuit_the_worst_hand_heads_up() -> None:
    heads_up = {name: row[0] for name, row in TABLE["equity"].items()}
    assert max(heads_up, key=heads_up.__getitem__) == "AA"
    assert min(heads_up, key=heads_up.__getitem__) == "32o"


@pytest.mark.parametrize("opponents", range(1, 10))
def test_on_average_a_hand_has_its_fair_share(opponents: int) -> None:
    total = sum(class_combinations(name) * row[opponents - 1] for name, row in TABLE["equity"].items())
    # All ten hands of a deal together have exactly their share, so only the weighting of classes is random.
    assert total / 1326 == pytest.approx(1 / (opponents + 1), abs=2e-4)


def test_each_row_falls_with_the_number_of_opponents() -> None:
    for row in TABLE["equity"].values():
        assert row == sorted(row, reverse=True)


def test_a_small_run_agrees_with_the_table() -> None:
    plan = {"seed": 9, "deals": 6_000}
    counts = count_chunk((9, 0, 6_000))
    assert sum(map(sum, counts)) == 60_000
    table = make_table(counts, plan)
    for name in ("AA", "72o", "T9s"):
        for opponents in (1, 5, 9):
            error = sqrt(0.25 / sum(counts[HAND_CLASSES.index(name)]))
            assert (
                abs(table["equity"][name][opponents - 1] - TABLE["equity"][name][opponents - 1]) < 4 * error
            )


def test_a_run_that_was_stopped_goes_on_to_the_same_table(tmp_path: Path) -> None:
    whole, resumed = tmp_path / "whole.json", tmp_path / "resumed.json"
    settings = ["--deals", "5000", "--chunk", "1500", "--seed", "4", "--workers", "1"]
    main([*settings, "--out", str(whole)])

    stopped = EquityCheckpoint(tmp_path / "resumed.json.partial", seed=4, deals=5000, chunk=1500)
    for job in list(stopped.pending_jobs())[:2]:
        stopped.add(count_chunk(job))
    stopped.save()
    saved = EquityCheckpoint(stopped.path, seed=4, deals=5000, chunk=1500)
    assert [chunk for _, chunk, _ in saved.pending_jobs()] == [2, 3]
    assert [
        chunk for _, chunk, _ in EquityCheckpoint(stopped.path, seed=5, deals=5000, chunk=1500).pending_jobs()
    ] == [0, 1, 2, 3]

    main([*settings, "--out", str(resumed)])
    assert resumed.read_bytes() == whole.read_bytes()
    assert not stopped.path.exists()
