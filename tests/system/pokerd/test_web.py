"""The commands that open a port for people."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from strategy.registry import bot_descriptions, strategy_names
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.results import make
from tests.support.programs import PYTHON, Program, outcome

POKERD = (PYTHON, "-m", "pokerd")
PEOPLE = r"^people: http://127\.0\.0\.1:(\d+)(\S*)$"


def ask(port: int, path: str) -> Any:
    """What the API of a server says."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
    assert response.status == 200, body
    return json.loads(body)


def test_serve_opens_a_port_for_people_too(tmp_path: Path) -> None:
    make(tmp_path / "results" / "spring")
    data = tmp_path / "data"
    options = ("--port", "0", "--web-port", "0", "--data", data, "--results", tmp_path / "results")
    with Program(*POKERD, "serve", "--tables", "2", "--bots", "", *options) as server:
        found = server.says(PEOPLE)
        port = int(found[1])
        assert found[2] == ""
        tables = ask(port, "/api/tables")["tables"]
        assert [table["run"] for table in tables] == ["table-1.1", "table-2.2"]
        assert [one["competition"] for one in ask(port, "/api/competitions")["competitions"]] == ["spring"]
        bots = ask(port, "/api/bots")
        assert (bots["bots"], bots["descriptions"]) == (list(strategy_names()), bot_descriptions())
        assert {one["name"] for one in bots["parameters"]["fair"]} == {"preflop"}
        committed = ask(port, "/api/tables/table-1")["commitment"]
        assert server.stop(signal.SIGTERM) == 130
        assert not server.said("Traceback")
    with closing(sqlite3.connect(data / "hands.sqlite3")) as kept:
        rows = kept.execute(
            "SELECT commitment, length(seed), closed_at > 0 FROM runs ORDER BY run"
        ).fetchall()
    assert rows[0] == (committed, 64, 1)
    assert len(rows) == 2


def test_a_competition_can_be_looked_at_while_it_is_played(tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    bots = [bot("call"), bot("late", token="nobody comes with this token")]
    file.write_text(competition(bots, [division(hands=5)], time={"start_ms": 600_000}, name="slow"))
    out = tmp_path / "out"
    with Program(*POKERD, "compete", file, "--out", out, "--serve", "--web-port", "0") as playing:
        found = playing.says(PEOPLE)
        assert found[2] == "/competition/out"
        playing.says("deals are committed to")
        with closing(HTTPConnection("127.0.0.1", int(found[1]), timeout=10)) as connection:
            connection.request("GET", "/")
            home = connection.getresponse()
            assert (home.status, home.headers["Location"], home.read()) == (303, found[2], b"")
            connection.request("GET", found[2])
            page = connection.getresponse()
            assert "Set-Cookie" not in page.headers
        told = ask(int(found[1]), "/api/competitions/out")
        assert (told["status"], told["seed"]) == ("running", "")
        assert told["commitment"] == json.loads((out / "commitment.json").read_text())["commitment"]
        assert playing.stop(signal.SIGINT) == 130


def test_a_port_for_people_that_is_taken_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text(competition([bot("call"), bot("raise")], [division(hands=5)]))
    out = tmp_path / "out"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        played = outcome(*POKERD, "compete", file, "--out", out, "--serve", "--web-port", port)
        served = outcome(*POKERD, "serve", "--port", "0", "--data", tmp_path / "data", "--web-port", port)
    for done in (played, served):
        assert (done.returncode, done.stdout.count("sessions, records in")) == (2, 0)
        assert "[cannot_listen]" in done.stderr
        assert port in done.stderr
    assert not out.exists()


def test_a_file_of_hands_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "hands.sqlite3").write_text("something else " * 100)
    done = outcome(*POKERD, "serve", "--port", "0", "--web-port", "0", "--data", tmp_path)
    assert done.returncode == 2
    assert "[bad_archive]" in done.stderr
