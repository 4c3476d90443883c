from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from strategy.poker.combos import MathError
from strategy.poker.income import PLAYERS, TABLE_PATH, income_rate, income_rates
from strategy.poker.income_rates import BLINDS, IncomeCheckpoint, RolloutPlan, main, roll_out
from strategy.poker.kernels import TABLE, rng
from strategy.poker.preflop import HAND_CLASSES, class_combinations, preflop_equity

COMBINATIONS = np.array([class_combinations(name) for name in HAND_CLASSES])
PLAN = RolloutPlan(seed=3, chunks=2, rounds=3, deals=2_000)


def test_the_rates_are_those_of_the_preflop_equities() -> None:
    for players in PLAYERS:
        for text in ("AsAh", "KhTh", "Ad8c", "7c2d", "3s2s"):
            hole = parse_cards(text)
            expected = 1000 * (players * preflop_equity(hole, players - 1) - 1)
            # The equities' standard error is below .001 of a pot, that of the rates below 2.
            assert income_rate(hole, players) == pytest.approx(expected, abs=4 * players + 6)


def test_the_rates_are_on_the_scale_of_the_literature() -> None:
    # Papp 1998, appendix A, and Peña 1999, 3.2.1; their roll-outs have errors of their own.
    assert income_rate(parse_cards("3s2s"), 2) == pytest.approx(-279, abs=8)
    assert income_rate(parse_cards("3s2d"), 2) == pytest.approx(-351, abs=8)
    assert income_rate(parse_cards("AsAd"), 7) == pytest.approx(2043, abs=12)
    assert income_rate(parse_cards("7s2d"), 7) == pytest.approx(-495, abs=8)
    assert income_rate(parse_cards("As8s"), 4) == pytest.approx(338, abs=8)
    rates = income_rates(7)
    assert rates.min() == income_rate(parse_cards("7s2d"), 7)
    assert np.percentile(rates, 5) == pytest.approx(-433, abs=8)
    assert np.percentile(rates, 70) == pytest.approx(118, abs=8)
    assert ((rates >= -323) & (rates <= 336)).mean() == pytest.approx(0.68, abs=0.02)


@pytest.mark.parametrize("players", PLAYERS)
def test_what_one_wins_another_loses(players: int) -> None:
    assert income_rates(players).mean() == pytest.approx(0, abs=0.1)
    assert income_rates(players).max() == income_rate(parse_cards("AsAd"), players)


def test_the_iterated_rates_are_settled() -> None:
    table = json.loads(TABLE_PATH.read_text("ascii"))
    assert max(table["largest_standard_error"]) < 3
    assert max(table["gain"]) < 1
    for column, players in enumerate(PLAYERS):
        for name in HAND_CLASSES:
            rate, played = table["iterated"][name][column], table["played"][name][column]
            # Only what costs next to nothing either way is played now and then.
            assert played > 0.9 or rate < 20
            assert played < 0.1 or rate > -20
        hole = parse_cards("AsAd")
        assert income_rate(hole, players, iterated=True) == table["iterated"]["AA"][column]


@pytest.mark.parametrize("players", [0, 3, 10])
def test_other_numbers_of_players_are_refused(players: int) -> None:
    with pytest.raises(MathError) as refused:
        income_rate(parse_cards("AsAd"), players)
    assert refused.value.code == "bad_players"


def test_all_that_is_put_in_is_won() -> None:
    counts, won, _ = roll_out(TABLE, rng(1), 4, 5_000, 0.0, np.ones(169))
    assert counts.sum() == 4 * 5_000
    assert won.sum() == pytest.approx(0)
    _, won, _ = roll_out(TABLE, rng(1), 4, 5_000, BLINDS, np.ones(169))
    assert won.sum() == pytest.approx(BLINDS * 5_000)


def test_hands_come_as_often_as_they_have_combinations() -> None:
    counts = roll_out(TABLE, rng(2), 7, 20_000, 0.0, np.ones(169))[0]
    expected = 7 * 20_000 * COMBINATIONS / 1326
    assert ((counts - expected) ** 2 / expected).sum() < 250  # 168 degrees of freedom


def test_who_is_alone_wins_the_blinds() -> None:
    counts, won, squares = roll_out(TABLE, rng(3), 4, 1_000, BLINDS, np.zeros(169))
    assert won == pytest.approx(BLINDS * counts)
    assert squares == pytest.approx(BLINDS**2 * counts)


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    arguments = [f"--{name}={value}" for name, value in PLAN._asdict().items()]
    whole, resumed = tmp_path / "whole.json", tmp_path / "resumed.json"
    main([*arguments, f"--out={whole}"])
    progress = IncomeCheckpoint(tmp_path / "resumed.json.partial", PLAN)
    for work, _ in zip(progress.pending_jobs(), range(8), strict=False):
        progress.run(work)
    progress.save()
    again = IncomeCheckpoint(progress.path, PLAN)
    assert again.done == 8
    assert len(list(again.pending_jobs())) == 3 * (2 + 3 + 2) - 8
    assert IncomeCheckpoint(progress.path, PLAN._replace(seed=4)).done == 0
    main([*arguments, f"--out={resumed}"])
    assert resumed.read_text() == whole.read_text()
    assert not progress.path.exists()
