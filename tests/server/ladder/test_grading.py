"""Who is graded, and when."""

from __future__ import annotations

from datetime import UTC, datetime

from dealer.ratings.results import Results
from dealer.rules.games import load_game
from server.ladder.config import Deadline, LadderConfig
from server.ladder.grading import grade_rows
from server.ladder.records import Author


def test_nobody_is_left_out_whose_group_has_no_deadline() -> None:
    at = datetime(2027, 1, 31, tzinfo=UTC)
    authors = [Author("ann", "1", "A"), Author("bob", "2", "B"), Author("cleo", "3", "")]

    def rows(*deadlines: Deadline) -> list[tuple[str, str]]:
        config = LadderConfig(name="x", house=["call", "fair"], deadlines=list(deadlines))
        found = grade_rows(config, load_game(config.game), authors, [], Results(), {})
        return [(one.author.name, one.deadline.name if one.deadline else "") for one in found]

    of_a, of_all = Deadline(name="one", at=at, group="A"), Deadline(name="two", at=at)
    assert rows() == [("ann", ""), ("bob", ""), ("cleo", "")]
    assert rows(of_a) == [("ann", "one"), ("bob", ""), ("cleo", "")]
    assert rows(of_a, of_all) == [("ann", "one"), ("ann", "two"), ("bob", "two"), ("cleo", "two")]
