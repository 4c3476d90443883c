"""The limits that ``docs/people.md`` tells of are those of the program."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from dealer.luck.adjusted import ALL_BOARDS, BOARDS, LEAST_BOARDS
from server.auth.text_rules import MAX_TEXT
from server.storage.hand_schema import HAND_SCHEMA
from server.storage.sqlite import migrate
from server.tables.config import BOUNDS, LEVELS, MAX_NAME
from server.tables.player import Player
from tests.docs.pages import PEOPLE, ROOT, code, merged, numbers, rows, section


def meanings(message: str = "create") -> dict[str, str]:
    """What is said of the fields of a client's message."""
    text = section(PEOPLE, "## Messages of the client")
    told, owner = {}, ""
    for first, field, _, _, meaning in rows(text):
        owner = first.strip("`") or owner
        if owner == message:
            told[field.strip("`")] = meaning
    return told


@pytest.mark.parametrize("field", BOUNDS)
def test_the_bounds_of_create(field: str) -> None:
    assert set(BOUNDS[field]) <= set(numbers(meanings()[field]))


def test_the_words_that_create_takes() -> None:
    told = meanings()
    assert MAX_NAME in numbers(told["name"])
    assert MAX_TEXT in numbers(meanings("say")["text"])
    assert "bots.md" in told["bots"]
    assert code(told["levels"])[:3] == list(LEVELS)
    assert numbers(told["levels"]) == list(LEVELS.values())


def test_how_many_boards() -> None:
    told = numbers(section(PEOPLE, "## Results of people"))
    assert {BOARDS, ALL_BOARDS, LEAST_BOARDS, ALL_BOARDS // BOARDS} <= set(told)


def test_how_often() -> None:
    told = {code(first)[0]: meaning for first, _, meaning in rows(section(PEOPLE, "## Errors"))}
    player = Player("somebody")
    words = sum(player.chat_limiter.spend(0.0) for _ in range(1000))
    visits = sum(player.visit_limiter.spend(0.0) for _ in range(1000))
    assert {words, visits} < set(numbers(told["too_fast"]))


def test_what_outlasts_the_server() -> None:
    kept = section(ROOT / "docs" / "operating.md", "## Open tables")
    told = merged(row for row in rows(kept) if row[0].startswith("`"))
    with closing(sqlite3.connect(":memory:")) as db:
        migrate(db, HAND_SCHEMA)
        found = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        tables = [name for (name,) in found]
        columns = {name: {row[1] for row in db.execute(f"PRAGMA table_info({name})")} for name in tables}
    assert told == columns
