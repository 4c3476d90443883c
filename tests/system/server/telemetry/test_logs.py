"""The log of a server: every line of a table says which, and which match and hand."""

from __future__ import annotations

import json
import logging
from collections import Counter
from pathlib import Path

import pytest
import structlog

from pokerd.__main__ import main
from server.telemetry import logging_setup as logs
from tests.support.competitions.arena import animal, bot, competition, division
from tests.support.competitions.continued import POKERD, compete, written
from tests.support.programs import Program
from tests.support.strangers import harassed, websocket


@pytest.mark.parametrize("anonymous", [False, True])
def test_what_belongs_to_a_hand_says_so(anonymous: bool, tmp_path: Path) -> None:
    text = competition(
        [bot("call", run="call", reset="message"), animal("mute")],
        [division(hands=5)],
        anonymous=anonymous,
        time={"decision_ms": 400, "bank_ms": 0, "max_missed_turns": 2},
    )
    out = tmp_path / "out"
    words = ("--out", str(out), "--log-level", "debug")
    assert main(["compete", str(written(tmp_path, text)), *words]) == 4  # a bot that says nothing is marked
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


def test_a_log_that_cannot_be_written_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--data", str(tmp_path), "--log-file", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("[os_error]\n")


def guest(port: int) -> None:
    """Comes in, and leaves at once."""
    hello = b'{"type": "hello", "name": "stranger"}'
    with websocket(port, secure=False) as connection:
        connection.sendall(bytes([0x81, 0x80 | len(hello)]) + bytes(4) + hello)
        assert b"welcome" in connection.recv(4096)


def test_strangers_write_no_more_than_a_few_lines_and_no_plain_ones(tmp_path: Path) -> None:
    ports = ("--port", "0", "--web-port", "0", "--data", tmp_path / "data", "--bots", "")
    with Program(*POKERD, "serve", *ports, "--log-level", "info") as server:
        bots = int(server.says(r"listens at ws://\S+:(\d+)$")[1])
        people = int(server.says(r"^people: http://\S+:(\d+)$")[1])
        said = len(server.lines)
        harassed(bots, people)
        for port in (bots, people):
            for _ in range(10):
                guest(port)
    lines = [line for line in map(json.loads, filter(None, server.lines[said:])) if line["address"]]
    assert 0 < len(lines) <= logs.MAX_LINES_PER_ADDRESS
    for line in lines:
        assert line["address"] == "127.0.0.1"
        assert line["level"] == "info"
        assert "exception" not in line


def test_at_a_competition_they_write_to_its_log_or_where_one_says(tmp_path: Path) -> None:
    # Nothing is played before the last one comes.
    bots = [bot("call"), bot("late", token="nobody comes with this token")]
    text = competition(bots, [division(hands=5)], time={"start_ms": 600_000})
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere.log"
    words = ("--serve", "--web-port", "0", "--host", "0.0.0.0", "--log-file", str(elsewhere))
    with compete(written(tmp_path, text), out, *words) as program:
        port = int(program.says(r"bots connect to ws://\S+:(\d+)$")[1])
        people = int(program.says(r"http://\S+?:(\d+)/")[1])
        harassed(port, people)
        assert not program.said("Traceback|WS parser|Invalid HTTP|Fatal error|^{")
    assert not (out / "logs" / "server.jsonl").exists()
    lines = map(json.loads, elsewhere.read_text().splitlines())
    assert 0 < sum(line.get("address") == "127.0.0.1" for line in lines) <= logs.MAX_LINES_PER_ADDRESS


def test_each_address_has_lines_of_its_own_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "log"
    library = logging.getLogger("some.library")
    try:
        with logs.LogConfig("info", file).activate():
            for address in ("", *[f"192.0.2.{number}" for number in range(logs.MAX_LINES)]):
                logs.CLIENT_ADDRESS.set(address)
                for _ in range(logs.MAX_LINES_PER_ADDRESS + 1):
                    library.error("oh %s", "no")
            logs.CLIENT_ADDRESS.set("")
            library.warning("by myself")
    finally:
        structlog.reset_defaults()
        logging.getLogger().removeHandler(logs._LIBRARY_HANDLER)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    told = Counter(line["address"] for line in lines)
    assert told.pop("") == logs.MAX_LINES_PER_ADDRESS + 2
    assert sum(told.values()) == logs.MAX_LINES
    assert set(told.values()) == {logs.MAX_LINES_PER_ADDRESS}
    assert lines[0]["text"] == "oh no"
    assert (
        sum(line["left_out"] for line in lines)
        == logs.MAX_LINES * (logs.MAX_LINES_PER_ADDRESS + 1) - logs.MAX_LINES
    )
    assert {line["level"] for line in lines if line["address"]} == {"info"}
