from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from dealer.errors import MatchError, ScoreError
from dealer.line_ups import balanced_line_ups
from dealer.match import Division, line_ups, plan_sessions
from dealer.scoring import Scores
from tests.dealer.simulated import simulate


@pytest.mark.parametrize(
    ("bots", "players", "count", "spread"),
    [
        (7, 3, 7, 0),  # the Fano plane
        (13, 4, 13, 0),  # the projective plane of order 3
        (6, 3, 10, 0),
        (15, 6, 25, 1),
        (15, 6, 20, 2),
        (5, 2, 5, 1),
        (5, 2, 8, 1),  # what is left out is balanced
        (16, 2, 60, 1),
        (4, 3, 4, 0),
        (10, 6, 1, 1),
    ],
)
def test_all_play_and_all_pairs_meet_about_equally_often(
    bots: int, players: int, count: int, spread: int
) -> None:
    found = balanced_line_ups(bots, players, count)
    assert len(set(found)) == len(found) == count
    assert list(found) == sorted(found)
    assert all(list(one) == sorted(set(one)) and len(one) == players for one in found)
    plays = Counter(bot for one in found for bot in one)
    counts = [plays[bot] for bot in range(bots)]
    assert max(counts) - min(counts) <= 1
    met = Counter(pair for one in found for pair in combinations(one, 2))
    pairs = [met[pair] for pair in combinations(range(bots), 2)]
    assert max(pairs) - min(pairs) <= spread


def test_many_line_ups_are_all_different() -> None:
    # Drawn without a look at each other, some of 300 among 5,005 would be the same.
    assert len(set(balanced_line_ups(15, 6, 300))) == 300


def test_the_choice_is_always_the_same() -> None:
    first = balanced_line_ups(9, 4, 6)
    balanced_line_ups.cache_clear()
    assert balanced_line_ups(9, 4, 6) == first
    # Records name line-ups by number: another choice would make finished competitions wrong.
    assert first == ((0, 1, 2, 5), (0, 3, 4, 8), (0, 6, 7, 8), (1, 2, 4, 7), (1, 3, 6, 8), (2, 3, 5, 6))


def test_a_division_of_some_line_ups() -> None:
    division = Division("some", tuple("abcdefg"), 3, 2, 4, "rotations", line_up_count=7)
    sessions = plan_sessions(division)
    assert len(sessions) == division.sessions == 7 * 2 * 3
    assert {frozenset(session.players) for session in sessions} == set(map(frozenset, division.line_ups))
    assert division.line_ups == line_ups("abcdefg", 3, 7)
    assert {len(line_up) for line_up in division.line_ups} == {3}


@pytest.mark.parametrize("count", [0, -1, comb(7, 3) + 1])
def test_more_line_ups_than_there_are(count: int) -> None:
    with pytest.raises(MatchError) as refusal:
        Division("some", tuple("abcdefg"), 3, 2, 4, line_up_count=count)
    assert refusal.value.code == "bad_line_ups"


def test_scores_of_some_line_ups() -> None:
    skills = {name: 3.0 * place for place, name in enumerate("abcdefgh")}
    division = Division("some", tuple(skills), 6, 2, 30, "rotations", line_up_count=8)
    scores = simulate(division, skills, seed=3)
    assert scores.complete
    # Each cell is of the line-ups with both: at a table of six the row's result with that bot beside it.
    for row, column in combinations(skills, 2):
        both = [one for one in division.line_ups if {row, column} <= set(one)]
        chips = scores.line_up_chips()
        hands = len(both) * division.matches * division.hands * division.seatings
        won = sum(chips[one][one.index(row)] for one in both) / hands * 1000 / scores.big_blind
        cell = scores.cell(row, column)
        assert cell is not None
        assert cell.mean == pytest.approx(won)
        assert cell.units == division.matches * division.hands
    with pytest.raises(ScoreError) as refusal:
        scores.run_off()
    assert refusal.value.code == "nothing_to_score"


def test_the_scores_are_of_the_plan_alone() -> None:
    division = Division("some", tuple("abcdefg"), 3, 1, 2, "rotations", line_up_count=7)
    scores = Scores(division, 10)
    scores.add(plan_sessions(division)[0], [(1, -1, 0)] * 2)
    assert scores.line_ups == division.line_ups
    assert scores.matches_scored == 0
