"""The field from stored results: table, who is next, grades, and what stands out."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from dealer.ratings.results import Results
from server.ladder.config import GradeRule
from server.ladder.field import Field, choose_line_up, field_of, grades_of, outlook_of, ratings_of, table_data
from server.ladder.records import Version
from server.ladder.screens import alike_pairs, soft_pairs, text_pieces


def _version(name: str, state: str = "rated") -> Version:
    bot, _, number = name.partition("@")
    return Version._make((name, bot, int(number or 1), "pushed", "ab" * 32, (), state, "", 0.0, None))


def _field(means: dict[tuple[str, str], float], sets: int = 100, deviation: float = 500.0) -> Field:
    random = Random(4)
    results = Results()
    for pair, mean in means.items():
        for _ in range(sets):
            won = random.gauss(mean, deviation)
            results.add(pair, (won, -won))
    names = sorted({name for pair in means for name in pair})
    return field_of([_version(name) for name in names], results, {}, 2)


def test_only_versions_that_play_and_their_results_are_in_the_field() -> None:
    results = Results()
    for pair in (("a@1", "b@1"), ("a@1", "c@1")):
        results.add(pair, (1.0, -1.0))
    versions = [_version("a@1"), _version("b@1", "replaced"), _version("c@1", "ready")]
    field = field_of(versions, results, {"a@1": 9, "c@1": 4}, 2)
    assert field.names == ["a@1", "c@1"]
    assert [line_up for line_up, _ in field.results] == [("a@1", "c@1")]
    assert field.waits == {"a@1": 0.0, "c@1": 5.0}


def test_the_table_names_versions_with_their_hashes() -> None:
    field = _field({("a@1", "b@1"): 300.0})
    rows = table_data(field, ratings_of(field), hands=2)["bots"]
    assert [(row["bot"], row["author"], row["hash"]) for row in rows] == [
        ("a@1", "a", "ab" * 32),
        ("b@1", "b", "ab" * 32),
    ]


def test_too_few_bots_have_no_ratings() -> None:
    field = field_of([_version("a@1")], Results(), {}, 2)
    assert ratings_of(field) is None
    assert table_data(field, None, hands=2)["bots"] == []


def test_whoever_is_free_and_unsure_plays() -> None:
    field = _field({("a@1", "b@1"): 0.0, ("b@1", "c@1"): 2000.0, ("c@1", "d@1"): 2000.0})
    ratings = ratings_of(field)
    assert ratings is not None
    assert choose_line_up(field, ratings, field.names, 50, {}) == ("a@1", "b@1")
    assert choose_line_up(field, ratings, ["b@1", "c@1"], 50, {}) == ("b@1", "c@1")
    assert choose_line_up(field, ratings, ["b@1"], 50, {}) is None


def test_the_outlook_begins_with_who_plays_and_goes_on_with_what_tells_most() -> None:
    means = {(f"{one}@1", f"{two}@1"): 0.0 for one, two in combinations("abcde", 2)}
    field = _field(means)._replace(waits={"a@1": 0, "b@1": 1, "c@1": 9, "d@1": 1, "e@1": 0})
    ratings = ratings_of(field)
    assert ratings is not None
    spent: dict[tuple[str, ...], float] = {("a@1", "b@1"): 0.1, ("c@1", "d@1"): 5.0}
    # Nobody waits but c, which therefore is in the first.
    first, *others = outlook_of(field, ratings, field.names, 50, spent, {}).line_ups
    assert first.line_up == choose_line_up(field, ratings, field.names, 50, spent)
    assert "c@1" in first.line_up
    assert len(others) == 4
    assert others[0].line_up == ("a@1", "b@1")
    assert [one.worth for one in others] == sorted((one.worth for one in others), reverse=True)
    free = ["b@1", "c@1", "d@1", "new@1"]
    seen = outlook_of(field._replace(waits={**field.waits, "new@1": 3}), ratings, free, 50, spent, {})
    assert seen.waits == [("c@1", 9), ("new@1", 3), ("b@1", 1), ("d@1", 1)]
    assert {bot for one in seen.line_ups for bot in one.line_up} == {"b@1", "c@1", "d@1"}
    assert outlook_of(field, None, ["a@1"], 50, {}, {}) == ((), [("a@1", 0)])


@pytest.mark.parametrize(
    ("mean", "rule", "passed"),
    [
        (500.0, GradeRule(name="beats b", beats="b@1"), True),
        (-500.0, GradeRule(name="beats b", beats="b@1"), False),
        (0.0, GradeRule(name="beats b", beats="b@1"), None),
        (500.0, GradeRule(name="worth 200", rating=200.0), True),
        (500.0, GradeRule(name="worth 800", rating=800.0), False),
        (500.0, GradeRule(name="both", rating=800.0, beats="b@1"), False),
        (500.0, GradeRule(name="both", rating=200.0, beats="b@1"), True),
    ],
)
def test_grades_are_passed_failed_or_undecided(mean: float, rule: GradeRule, passed: bool | None) -> None:
    ratings = ratings_of(_field({("a@1", "b@1"): mean}))
    assert ratings is not None
    [grade] = grades_of(ratings, "a@1", [rule])
    assert (grade.rule, grade.passed) == (rule.name, passed)


def test_a_grade_without_results_is_undecided() -> None:
    field = _field({("a@1", "b@1"): 0.0})
    rated = ratings_of(field._replace(versions=[*field.versions, _version("c@1")]))
    assert rated is not None
    assert grades_of(rated, "c@1", [GradeRule(name="x", beats="a@1")])[0] == ("x", None, None)


def test_soft_play_stands_out() -> None:
    # Both win 300 from everybody; from b, a would win nothing, but gives away a thousand.
    means = {(one, other): 300.0 for one in ("a@1", "b@1") for other in ("c@1", "d@1", "e@1", "f@1")}
    honest = _field({**means, ("a@1", "b@1"): 0.0})
    soft = _field({**means, ("a@1", "b@1"): -1000.0})
    found = [soft_pairs(rated) for field in (honest, soft) if (rated := ratings_of(field)) is not None]
    assert found[0] == []
    assert found[1][0].line_up == ("a@1", "b@1")
    assert found[1][0].bot == "a@1"
    assert found[1][0].errors > 4


def test_copies_stand_out(tmp_path: Path) -> None:
    text = "\n".join(
        f"def act_{number}(turn): return turn.call() if turn.pot > {number} else 0" for number in range(20)
    )
    for name, body in {
        "a@1": text,
        "b@1": "# mine\n" + text.replace("\n", "\n\n") + "\nprint(1)\n",
        "c@1": "\n".join(f"{number} * {number + 1} + x[{number}]" for number in range(40)),
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(body, encoding="utf-8")
    assert len(text_pieces(tmp_path / "a@1")) > 100
    results = Results()
    for pair, won in ((("a@1", "b@1"), 5.0), (("a@1", "c@1"), 0.0), (("b@1", "c@1"), 7.0)):
        for sign in (1, -1):
            results.add(pair, (sign * won, -sign * won))
    names = ("a@1", "b@1", "c@1")
    rated = ratings_of(field_of([_version(name) for name in names], results, {}, 2))
    assert rated is not None
    found = alike_pairs(rated, {name: tmp_path / name for name in names})
    assert [(pair.bots, pair.even) for pair in found] == [(("a@1", "c@1"), True), (("a@1", "b@1"), False)]
    assert found[1].share > 0.95
