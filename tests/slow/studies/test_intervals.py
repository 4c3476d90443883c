"""The study of intervals: a quick run of it all, and what it would say of other units."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dealer.match import Division, Session
from pokerd.__main__ import main
from studies.harness.arena import Contest, ContestResult, TournamentTable
from studies.intervals.plan import DIVISIONS, PRINTED_INTERVALS, excluded_shares

BY_NAME = {one.name: one for one in DIVISIONS}


def test_a_quick_run_reports_every_interval(tmp_path: Path) -> None:
    assert main(["study", "intervals", "--quick", "--workers", "1", "--out", str(tmp_path)]) == 0
    rows = {row["id"]: row for row in json.loads((tmp_path / "report.json").read_text("utf-8"))["rows"]}
    for one in DIVISIONS:
        told = {figure.name for figure in PRINTED_INTERVALS if f"{one.name}-{figure.name}" in rows}
        assert told >= {"rate", "cell", "pair", "ahead", "end"}
        assert ("raw" in told) == (not isinstance(one.table, TournamentTable))
        # With ten matches there is no band before the end.
        assert ("on-the-way" in told) == (
            one.name not in ("few-deals",) and _units(one.contest(1, 0).division) > 14
        )
        assert (
            ("margin" in told)
            == ("last-round" in told)
            == (one.bots > one.table.game.players and not one.chosen)
        )
    for row in rows.values():
        assert 0 <= row["measured"] <= 100
        # A quick run has two competitions of each, which say nothing.
        assert row["verdict"] in ("undecided", "beyond")
    assert (tmp_path / "coverage.png").is_file()


def _units(division: Division) -> int:
    return division.matches * (1 if division.interval_unit == "match" else division.hands)


def test_hands_of_cash_are_no_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the study is for: it tells intervals that are too narrow from those that are right."""
    played, found, play = BY_NAME["cash-few"], dict[tuple[Any, Session], ContestResult](), Contest.play

    def play_once(contest: Contest, session: Session) -> ContestResult:
        key = contest.seed, session
        if key not in found:
            found[key] = play(contest, session)
        return found[key]

    monkeypatch.setattr(Contest, "play", play_once)
    right = sum(excluded_shares(played, 1, 0, 40)["rate"])
    monkeypatch.setattr(Division, "interval_unit", "deal")
    wrong = sum(excluded_shares(played, 1, 0, 40)["rate"])
    # 38 are to be expected, with a standard deviation of 1.4.
    assert 34 <= right <= 40
    assert len({seed for seed, _ in found}) == 40
    assert wrong < right
