"""The study of intervals: its formats."""

from __future__ import annotations

from studies.harness.runner import study_names
from studies.intervals.plan import DIVISIONS

BY_NAME = {one.name: one for one in DIVISIONS}


def test_intervals_is_listed() -> None:
    assert "intervals" in study_names()


def test_every_format_of_a_competition_is_there() -> None:
    assert len(BY_NAME) == len(DIVISIONS)
    contests = [one.contest(1, 0) for one in DIVISIONS]
    kinds = {(type(one.table).__name__, one.division.carry, one.division.players) for one in contests}
    assert kinds == {
        (table, carry, players)
        for table, carry in (
            ("FixedTable", False),
            ("CashTable", False),
            ("CashTable", True),
            ("TournamentTable", True),
        )
        for players in (2, 3)
    }
    assert {one.division.seating for one in contests} == {"all", "rotations"}
    assert {one.division.interval_unit for one in contests} == {"deal", "match"}
    assert any(one.division.line_up_count for one in contests)
    assert {one.strategy for one in DIVISIONS} == {"random", "adaptive2", "learner"}


def test_players_are_alike_and_no_two_competitions() -> None:
    for one in DIVISIONS:
        contest = one.contest(1, 0)
        assert len(set(contest.entries.values())) == 1
        assert len({one.contest(1, 0).seed, one.contest(1, 1).seed, one.contest(2, 0).seed}) == 3
