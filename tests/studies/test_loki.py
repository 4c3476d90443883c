"""The study of Loki: its plan."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest

from dealer.intervals import Interval
from dealer.rules.actions import CALL
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from strategy.loki import simulate
from strategy.loki.bot import Loki, Loki2B
from strategy.loki.odds import HandValue
from strategy.loki.triples import EXAMPLE
from strategy.loki.views import View
from strategy.registry import create_strategy
from strategy.situation import situation_at
from studies.harness.report import Row
from studies.harness.runner import study_names
from studies.loki import _row_contests
from studies.loki.claims import (
    _always_call,
    _exact,
    _gains,
    _play_of_b,
    _said,
    _together,
    _told_beside_r,
    _told_of_learning,
    entropy,
)
from studies.loki.jobs import LIKELIEST, count_actions
from studies.loki.plan import ALWAYS_CALL, COUNTED, STYLES, VARIANTS, LokiPlan
from studies.loki.style import styles

FULL, QUICK = LokiPlan(False, 1), LokiPlan(True, 1)


def test_the_experiments_are_those_of_the_document() -> None:
    # Peña 1999, 4.3: each of 2,500 deals is played ten times. Here they are half as many again.
    for field, modified in (("homogeneous", 2), ("mixed", 5)):
        for letters, name in VARIANTS.items():
            contest = FULL.contests[f"{field}/{letters}"]
            assert contest.division.matches * contest.division.hands == 3750
            assert contest.division.players == contest.division.seatings == 10
            assert contest.table.game.limit
            strategies = [entry.strategy for entry in contest.entries.values()]
            assert sorted(strategies) == sorted([name] * modified + ["loki1"] * (10 - modified))


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


def test_actions_are_counted_by_group_and_nobody_folds_for_nothing() -> None:
    counts = np.array(count_actions(QUICK.contests[COUNTED], 0))
    assert counts.shape == (2, 3, 3, 3)
    assert (counts.sum(axis=(1, 2, 3)) > 0).all()
    assert counts[:, :, 0, 0].sum() == 0


def test_entropy_is_that_of_the_kind_where_the_rest_is_known() -> None:
    sure = np.array([[4, 0, 0], [0, 0, 4]])
    even = np.array([[2, 2, 0], [0, 2, 2]])
    assert entropy(sure) == 0
    assert entropy(even) == pytest.approx(1)
    assert entropy(np.concatenate([sure, even])) == pytest.approx(0.5)


def test_a_hand_has_one_style_and_hands_have_different_ones() -> None:
    found = styles(20)
    assert all(len(kinds) == 3 and len(set(kinds)) == 1 for kinds in found)
    assert {kinds[0] for kinds in found} == {"call", "raise"}


def test_no_figure_is_minus_zero() -> None:
    assert _said(Interval(-0.0004, 0.01, 20)) == "0.000 ± 0.010"


def test_what_each_style_wins_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LokiPlan, "wins", lambda *_: [1.0] * 20)
    monkeypatch.setattr(LokiPlan, "style_gains", lambda *_: [1.0] * 20)
    rows = {row.id: row for row in _gains(QUICK, "mixed", {})}
    assert rows["mixed-B"].verdict == "reproduced"
    for row in ("mixed-B-tp", "mixed-R-la", "mixed-BR-lp"):
        assert (rows[row].paper, rows[row].verdict) == (None, "beyond")


def test_a_number_below_a_tenth_draws_nothing() -> None:
    row = next(row for row in _exact() if row.id == "number")
    assert (row.paper, row.measured, row.verdict) == (3, 0, "document in error")
    assert "the first row says call, the second fold, the third fold" in row.note


def test_what_is_so_by_definition_has_no_verdict() -> None:
    rows = {row.id: row for row in _exact()}
    assert (rows["ehs"].paper, rows["ehs"].measured, rows["ehs"].verdict) == (None, 0.63, "beyond")
    assert all(rows[name].verdict == "document in error" for name in ("reweighting", "trials", "fold"))


def test_bold_play_of_b_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.tile(np.array([[[[0, 1, 3]]], [[[0, 3, 1]]]]), (20, 1, 3, 3, 1))
    monkeypatch.setattr(LokiPlan, "counted", lambda *_: counts)
    monkeypatch.setattr(LokiPlan, "wins", lambda *_: [1.0] * 20)
    row = next(row for row in _play_of_b(QUICK, {}) if row.id == "B-aggressive")
    assert (row.paper, row.measured, row.verdict) == (None, 0.5, "beyond")


def test_b_and_r_together_are_judged_in_the_homogeneous_field_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LokiPlan, "wins", lambda _, name, __: [1.0 if name.endswith("/BR") else 0.5] * 20)
    judged, unjudged = (
        {row.id: row.verdict for row in _together(QUICK, field, {})} for field in ("homogeneous", "mixed")
    )
    names = ("BR-B", "BR-R", "additive")
    assert judged == {f"homogeneous-{name}": "reproduced" for name in names}
    assert unjudged == {f"mixed-{name}": "beyond" for name in names}


@pytest.mark.parametrize(
    ("gain", "verdicts"),
    [
        (0.057, ["reproduced", "reproduced", "beyond"]),
        (0.2, ["reproduced", "not reproduced", "beyond"]),
        (-0.2, ["not reproduced", "not reproduced", "beyond"]),
    ],
)
def test_trials_with_calls_are_judged_by_the_figure_of_the_text(
    gain: float, verdicts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LokiPlan, "wins", lambda *_: [gain - 0.01, gain + 0.01] * 20)
    rows = list(_always_call(QUICK, {}))
    assert [row.verdict for row in rows] == verdicts
    assert rows[1].paper == 0.057


@pytest.mark.parametrize(("contest", "called"), [(ALWAYS_CALL, True), ("homogeneous/S", False)])
def test_in_trials_with_calls_a_bet_of_the_best_hand_wins_a_bet_of_everyone(
    contest: str, called: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = QUICK.contests[contest]
    session = found.sessions[0]
    seat = session.players.index("modified1")
    game = holdem(3, 5, 10, limit=True)
    bot = found.strategies(session, found.table.game)[seat]
    trials = Mock(wraps=simulate.simulate)
    monkeypatch.setattr(simulate, "simulate", trials)
    betting = Betting(game)
    while betting.street == 0:
        betting.act(CALL)
    bot.decide(situation_at(betting, parse_cards("AhKh"), parse_cards("QhJhTh")))
    one = simulate.simulate(*trials.call_args.args)
    assert ((one.call, one.raise_) == (30, 30 + 2 * 10)) == called


@pytest.mark.parametrize(
    ("lead", "alone", "said"),
    [
        (0.02, 0.03, "`B-hard` (0.030 ± 0.010), `B-unlearning` (0.030 ± 0.010). So what is missing goes to"),
        (0.005, 0.03, "`B-hard` (0.030 ± 0.010), `B-unlearning` (0.030 ± 0.010). So B may lose its gain"),
        (0.005, 0.005, "No trial by itself surely gains anything."),
    ],
)
def test_the_conclusion_names_the_trials_of_b_that_gain(lead: float, alone: float, said: str) -> None:
    leads, gains = (
        {name: Interval(mean, 0.01, 20) for name in ("hard", "unlearning")} for mean in (lead, alone)
    )
    assert said in _told_of_learning(leads, gains)


def test_the_conclusion_says_where_b_loses_beside_r(monkeypatch: pytest.MonkeyPatch) -> None:
    won = {"homogeneous/BR": 0.0, "homogeneous/R": 1.0, "mixed/BR": 1.0, "mixed/R": 1.0}
    monkeypatch.setattr(LokiPlan, "wins", lambda _, name, __: [won[name]] * 10 + [won[name] + 0.01] * 10)
    assert "surely loses (`homogeneous-BR-R`)." in _told_beside_r(QUICK, {})


@pytest.mark.parametrize(
    ("contest", "group", "strength", "expected"),
    [
        (f"loki2-b/{LIKELIEST}", "control", 0.99, (0, 0, 1)),
        (f"loki2-b/{LIKELIEST}", "control", 0.0, (1, 0, 0)),
        ("trial/example-call", "modified", 0.2, (0.5, 0.5, 0)),
        ("trial/example-fold", "modified", 0.2, (0.6, 0.4, 0)),
        ("trial/example-fold", "modified", 0.9, EXAMPLE.high),
    ],
)
def test_only_one_group_has_changed_triples(
    contest: str, group: str, strength: float, expected: tuple[float, ...]
) -> None:
    found = QUICK.contests[contest]
    session = found.sessions[0]
    bots = found.strategies(session, found.table.game)
    view = View(3, 0, 1, 1, 0.3, 0.3, False, 2, 0)
    for name, bot in zip(session.players, bots, strict=True):
        changed = type(bot) not in (Loki2B, type(create_strategy("loki1", 1, found.table.game)))
        assert changed == name.startswith(group)
        if changed:
            assert isinstance(bot, Loki2B)
            assert bot.probabilities(HandValue(strength, 0.0, 0.0), view) == expected


def test_open_rows_are_of_contests_that_are_played() -> None:
    names = ("B-seldom", "B-seldom-more", "always-call-less", "loki1-akuma", "loki2-loki1-fair", "mixed-BR-R")
    found = _row_contests(FULL, [Row(name, "", "", None, 1, "beyond", needed=20) for name in names])
    assert all(found[name] and set(found[name]) <= set(FULL.contests) for name in names)
    assert found["B-seldom-more"] == ["trial/seldom", "homogeneous/B"]
    assert found["always-call-less"] == [ALWAYS_CALL, "homogeneous/S"]
    assert found["loki2-loki1-fair"] == ["loki2/fair", "loki1/fair"]
