"""The log of a server: every line of a table says which, and which match and hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.programs import Program
from tests.server.arena import animal, bot, competition, division
from tests.server.continued import POKERD, compete, written

pytestmark = pytest.mark.usefixtures("no_process_left")


@pytest.mark.parametrize("anonymous", [False, True])
def test_what_belongs_to_a_hand_says_so(anonymous: bool, tmp_path: Path) -> None:
    text = competition(
        [bot("call"), animal("mute")],
        [division(hands=5)],
        anonymous=anonymous,
        time={"decision_ms": 100, "bank_ms": 0, "patience": 2},
    )
    out = tmp_path / "out"
    with compete(written(tmp_path, text), out, "--log-level", "debug") as program:
        assert program.end() == 4  # a bot that says nothing is marked
    lines = [json.loads(line) for line in (out / "logs" / "server.jsonl").read_text().splitlines()]
    assert {*lines[0]} >= {"event", "level", "timestamp"}
    hands = [line for line in lines if line["event"] == "hand"]
    tables = {line["table"]: line["session"] for line in lines if line["event"] == "session"}
    assert len(hands) == 10
    assert sorted(tables.values()) == ["duel/m0000-l000-s0", "duel/m0000-l000-s1"]
    assert all((table == session) != anonymous for table, session in tables.items())
    assert {(line["table"], line["match"], line["hand"]) for line in hands} == {
        (table, table, hand) for table in tables for hand in range(5)
    }
    timeouts = [line for line in lines if line["event"] == "incident" and line["kind"] == "timeout"]
    assert len(timeouts) == 4
    for line in timeouts:
        assert line["table"] in tables
        assert line["hand"] in range(5)
        assert (line["player"] == "mute") != anonymous


def test_the_log_of_open_tables_can_go_to_a_file_and_be_read_by_people(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "pokerd.log"
    options = ("--port", "0", "--web-port", "0", "--data", tmp_path / "data", "--bots", "", "--seats", "2")
    words = ("--log-file", file, "--log-format", "console", "--log-level", "info")
    with Program(*POKERD, "serve", *options, *words) as server:
        url = server.says(r"pokerd listens at (ws://\S+)")[1]
        with Program(*POKERD, "bot", "call", "--url", url) as guest:
            guest.says("table-1: ")
    text = file.read_text()
    assert "[info     ] hello" in text
    assert "player=call" in text
    assert "\x1b[" not in text


def test_a_log_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with Program(*POKERD, "serve", "--data", tmp_path, "--log-file", tmp_path) as server:
        server.says(r"pokerd: .* \[os_error\]")
        assert server.end() == 2
