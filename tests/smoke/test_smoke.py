"""One test of each kind of real process; ``tests/system`` and ``tests/browser`` have the others."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

from playwright.sync_api import sync_playwright

from server.competition.verify import verify_directory
from tests.browser.real import answer, asked, club
from tests.browser.site import launch, open_context
from tests.support.cage import CONFINED
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.continued import (
    attempts,
    compete,
    hands_logged,
    played,
    records,
    text_of,
    verified,
    written,
)
from tests.support.competitions.fleet import check, coordinator, finished, node
from tests.support.competitions.plain import by_plain_calls
from tests.support.postgres import Postgres, rows
from tests.support.programs import PYTHON, ROOT, Program, eventually
from tests.support.served import Place

STAYS = {"reset": "message", "tables": 2}


def test_a_competition_is_played_and_verified(tmp_path: Path) -> None:
    bots = [bot("example", command=["{python}", "clients/examples/caller.py"]), bot("raise", run="raise")]
    out = played(written(tmp_path, competition(bots, [division(hands=10)])), tmp_path / "out")
    assert "2 sessions, 20 hands" in verified(out)
    (duel,) = json.loads((out / "standings.json").read_text("utf-8"))["divisions"]
    assert {place["bot"] for place in duel["ranking"]} == {"example", "raise"}


def test_a_bot_of_the_sdk_plays_at_a_server(tmp_path: Path) -> None:
    with Place(tmp_path / "data", "--bots", "call") as place:
        with Program(PYTHON, ROOT / "clients" / "examples" / "caller.py", "--url", place.bots) as caller:
            caller.says("^table-1: ")
            eventually(lambda: _hands_kept(tmp_path / "data") >= 3)
            caller.stop()
        place.end(signal.SIGINT)


def test_a_bot_without_our_code_plays_batches_that_convert(tmp_path: Path) -> None:
    with Place(tmp_path / "data", "--batch-records", str(tmp_path / "records")) as place:
        where = {"POKERD_URL": place.bots}
        example = ROOT / "clients" / "examples" / "batch_bot.py"
        with Program(PYTHON, example, "1000", "--records", variables=where) as bot:
            bot.says("^1000 hands, ")
        place.end(signal.SIGINT)
    (log,) = (tmp_path / "records").iterdir()
    out = tmp_path / "hands.txt"
    with Program(PYTHON, "-m", "pokerd", "convert", log, out) as convert:
        assert convert.end() == 0
    assert out.read_text("utf-8").count("PokerStars Hand #") == 1000


def _hands_kept(data: Path) -> int:
    """Hands that a server has stored, read without any of our code."""
    with closing(sqlite3.connect(f"file:{data / 'hands.sqlite3'}?mode=ro", uri=True)) as db:
        (count,) = db.execute("SELECT count(*) FROM hands").fetchone()
    return int(count)


def test_a_competition_that_is_killed_goes_on_to_the_same_records(tmp_path: Path) -> None:
    text, out = text_of(), tmp_path / "out"
    file = written(tmp_path, text)
    with compete(file, out) as program:
        eventually(lambda: hands_logged(out) > 20)
        assert program.stop(signal.SIGKILL) == -signal.SIGKILL
    assert records(played(file, out)) == records(by_plain_calls(text, tmp_path / "calm"))
    verify_directory(out)
    assert {state for _, state, _ in attempts(out)} == {"cut", "done"}


def test_a_fleet_leaves_the_records_of_one_machine(postgres: Postgres, tmp_path: Path) -> None:
    url, out, text = postgres.database(), tmp_path / "out", text_of(hands=10)
    with node(url, "one", tmp_path) as one, node(url, "two", tmp_path) as two:
        for program in (one, two):  # or the first plays all before the second is there
            program.says("^node (one|two) plays")
        with coordinator(url, written(tmp_path, text), out) as chief:
            finished(chief)
        assert chief.said("deals are committed to")
        # Nodes stay for the next competition; of this one no bot is left.
        for program in (one, two):
            assert program.stop() == 130
    check(url, out, records(by_plain_calls(text, tmp_path / "alone")))
    assert {name for (name,) in rows(url, "SELECT node FROM pokerd.sessions")} == {"one", "two"}
    # The queue is empty, and what is written down of the seed and of hands can be forgotten at once.
    assert not rows(url, "SELECT id FROM procrastinate.procrastinate_jobs")
    rows(url, "WITH gone AS (DELETE FROM pokerd.competitions) SELECT")
    assert not rows(url, "SELECT session FROM pokerd.journals")


def test_a_person_plays_on_the_page(tmp_path: Path) -> None:
    faults: list[str] = []
    with sync_playwright() as running, club(tmp_path, "--bots", "call") as place:
        browser = launch(running)
        page = open_context(browser, place.site, faults).new_page()
        page.goto(place.site.url)
        page.get_by_role("button", name="Play now").click()
        for _ in range(2):
            asked(page)
            answer(page, "c")
        browser.close()
    assert faults == []


#: It reads whatever it may of a folder, and plays.
THIEF = """
import pathlib, sys
for path in pathlib.Path(sys.argv[1]).glob("*"):
    try:
        if path.is_file() and path.read_bytes(): print("read", path)
    except OSError: pass
from tests.zoo.keeper import come_in, play
play(come_in())
"""


def test_a_confined_bot_plays_and_does_not_read_the_seed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    bots = [bot("thief", command=["{python}", "-c", THIEF, str(out)]), bot("call", run="call", **STAYS)]
    played(written(tmp_path, competition(bots, [division(hands=5)])), out)
    verify_directory(out)
    logs = [path.read_text("utf-8") for path in (out / "logs" / "bots").glob("*thief.log")]
    assert logs
    assert any("read" in log for log in logs) is not CONFINED
