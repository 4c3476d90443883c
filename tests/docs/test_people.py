"""The limits that ``docs/people.md`` tells of are those of the program."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest

from protocol import people
from server.auth.text_rules import MAX_CHAT_LINES, MAX_TEXT
from server.house import lobby
from server.net.connection import HEARTBEAT_INTERVAL
from server.storage.hand_db import HAND_SCHEMA
from server.storage.sqlite import migrate
from server.tables import attendance as company
from server.tables import open_table
from server.tables.config import BOUNDS, LEVELS, MAX_NAME
from server.tables.player import Player
from tests.docs.pages import PEOPLE, ROOT, code, prose, rows, section


def meanings() -> dict[str, str]:
    """What is said of the fields of ``create``."""
    text = section(PEOPLE, "## Messages of the client")
    told, owner = {}, ""
    for first, field, _, _, meaning in rows(text):
        owner = first.strip("`") or owner
        if owner == "create":
            told[field.strip("`")] = meaning
    return told


@pytest.mark.parametrize("field", BOUNDS)
def test_the_bounds_of_create(field: str) -> None:
    least, most = BOUNDS[field]
    assert f"{least} to {most}" in meanings()[field]


def test_the_words_that_create_takes() -> None:
    told = meanings()
    assert f"up to {MAX_NAME} characters" in told["name"]
    assert "bots.md" in told["bots"]
    for levels, hands in LEVELS.items():
        assert re.search(rf"`{levels}` \({hands}\b", told["levels"])


def numbers(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\d+", text)}


def test_how_many_and_how_long() -> None:
    text = " ".join(prose(PEOPLE).split())
    assert f"You may open {lobby.MAX_OWN_TABLES} tables, the server has {lobby.MAX_TABLES}" in text
    assert f"All guests of one address may have {lobby.MAX_TABLES_PER_CLIENT} open" in text
    assert lobby.IDLE_TIMEOUT == 60
    assert f"after {company.PATIENCE:g} seconds in any case" in text
    assert "for a minute" in text
    assert open_table.READY_TIME == 10
    assert "ten seconds after" in text
    assert f"the last {MAX_CHAT_LINES} lines of chat" in text
    assert f"1 to {MAX_TEXT} characters" in text


def test_how_often() -> None:
    told = {code(first)[0]: meaning for first, _, meaning in rows(section(PEOPLE, "## Errors"))}
    player = Player("somebody")
    words = sum(player.chat_limiter.spend(0.0) for _ in range(1000))
    visits = sum(player.visit_limiter.spend(0.0) for _ in range(1000))
    assert {words, visits} < numbers(told["too_fast"])


def test_what_people_alone_are_told() -> None:
    alone = re.search(r"alone gets? (.*?)\.", " ".join(prose(PEOPLE).split()))
    assert alone is not None
    makers = {
        people.Seats,
        people.ActionOn,
        people.Strength,
        people.ChatMessage,
        people.Series,
        people.FaceUpCards,
        people.ChallengeResult,
        people.Heartbeat,
    }
    assert set(code(alone[1])) == {kind.__struct_config__.tag for kind in makers}


def test_how_often_a_heartbeat_is_sent() -> None:
    assert f"every {HEARTBEAT_INTERVAL:g} seconds" in section(PEOPLE, "## When the connection falls silent")


def test_what_outlasts_the_server() -> None:
    text = section(PEOPLE, "## When the server stops")
    assert f"Seats wait {lobby.RETURN_TIMEOUT:g} seconds" in " ".join(text.split())
    kept = section(ROOT / "docs" / "operating.md", "## Open tables")
    told = {code(name)[0]: set(code(what)) for name, what in rows(kept) if name.startswith("`")}
    with closing(sqlite3.connect(":memory:")) as db:
        migrate(db, HAND_SCHEMA)
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {name: {row[1] for row in db.execute(f"PRAGMA table_info({name})")} for name in tables}
    assert told == columns
