"""Metrics and health: counted as it happened, at real servers."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from pokerd.__main__ import main
from protocol.codec import JSON
from server.house.house import House
from server.telemetry.metrics import TimingHistogram
from server.web.health_checks import HealthMonitor
from tests.support.broker import Broker
from tests.support.competitions.arena import animal, bot, competition, division
from tests.support.competitions.continued import POKERD, compete, written
from tests.support.houses import open_house
from tests.support.houses.people import Remote
from tests.support.programs import Program, eventually
from tests.support.telemetry import asked, health, scraped

STATES = "waiting", "running", "done"
OPEN = "--port", "0", "--web-port", "0"


def test_timings_are_counted_in_their_buckets() -> None:
    timings = TimingHistogram()
    for seconds in (0.0, 0.001, 0.0011, 60.0, 500.0):
        timings.observe(seconds)
    found = dict(timings.buckets())
    assert timings.total == pytest.approx(560.0021)
    bounds = "0.001", "0.0025", "30.0", "60.0", "120.0", "+Inf"
    assert [found[bound] for bound in bounds] == [2, 3, 3, 4, 4, 5]


def test_what_is_counted_is_what_the_records_say(tmp_path: Path) -> None:
    text = competition(
        [bot("call", run="call", reset="message"), animal("illegal"), animal("mute")],
        [division(hands=4)],
        time={"decision_ms": 150, "bank_ms": 0},
    )
    out = tmp_path / "out"
    options = "--serve", "--web-port", "0", "--metrics-port", "0"
    with compete(written(tmp_path, text), out, *options) as program:
        people = program.says(r"people: (http://[^/]+)/")[1]
        url = program.says(r"metrics: (http://\S+)/metrics")[1]
        begun = scraped(url)
        assert sum(begun[f"pokerd_sessions{{state={state}}}"] for state in STATES) == 6
        program.says("results are in")
        found = scraped(people)
        assert health(people) == health(url) == (200, {"event_loop": "ok", "store": "ok"})
        assert asked(f"{url}/competition/out")[0] == asked(f"{url}/api/version")[0] == 404
    lines = [line for path in out.rglob("hands/**/*.jsonl") for line in path.read_text().splitlines()[1:]]
    actions = [event for line in lines for event in json.loads(line) if event[0] == "acted"]
    assert found["pokerd_hands_total"] == len(lines) == 24
    answered = sum(not event[-1] for event in actions)
    assert found["pokerd_decision_seconds_count{player=house}"] == answered > 0
    for reason in ("timeout", "absent"):
        forced = sum(event[-1] == reason for event in actions)
        assert found[f"pokerd_incidents_total{{kind={reason}}}"] == forced > 0
    counted = json.loads((out / "incidents.json").read_text())["duel"]["illegal"]
    assert found["pokerd_refusals_total{code=illegal_action}"] == counted["illegal_action"] > 0
    assert found["pokerd_sessions{state=done}"] == 6
    assert found["pokerd_tables"] == found["pokerd_sessions{state=running}"] == 0
    assert found["pokerd_commit_seconds_count"] > 0


def test_open_tables_and_people_are_counted(tmp_path: Path) -> None:
    with Program(
        *POKERD, "serve", *OPEN, "--data", tmp_path / "data", "--bots", "", "--seats", "2"
    ) as server:
        url = server.says(r"pokerd listens at (ws://\S+)")[1]
        people = server.says(r"people: (http://\S+)")[1]
        assert scraped(people)["pokerd_connections"] == 0

        async def play() -> None:
            async with connect(url) as one, connect(url) as other:
                ann, bob = Remote(one, JSON), Remote(other, JSON)
                await ann.say("hello", name="Ann", person=True)
                await bob.say("hello", name="Bob")
                for remote in (ann, bob):
                    await remote.say("join", table="table-1")
                async with asyncio.timeout(20), asyncio.TaskGroup() as group:
                    for remote in (ann, bob):
                        group.create_task(remote.play(hands=1))
                found = await asyncio.to_thread(scraped, people)
            assert found["pokerd_connections"] == found["pokerd_players"] == 2
            assert found["pokerd_decision_seconds_count{player=person}"] > 0
            assert found["pokerd_decision_seconds_count{player=program}"] > 0
            assert found["pokerd_hands_total"] >= 1

        asyncio.run(play())
        accepted = "application/openmetrics-text; version=1.0.0"
        _, headers, openmetrics = asked(f"{people}/metrics", accepted)
        assert headers["Content-Type"].startswith(accepted)
        assert openmetrics.endswith("# EOF\n")


def test_health_says_what_fails(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with (
        Broker(tmp_path) as broker,
        Program(*POKERD, "serve", *OPEN, "--data", data, "--bots", "", "--mqtt", broker.url) as server,
    ):
        people = server.says(r"people: (http://\S+)")[1]
        eventually(lambda: health(people) == (200, {"event_loop": "ok", "store": "ok", "broker": "ok"}))
        assert scraped(people)["pokerd_broker_connected"] == 1
        broker.stop()
        server.says("no broker")
        assert health(people)[1]["broker"] == "not connected"
        assert health(people)[0] == 503
        assert scraped(people)["pokerd_broker_connected"] == 0
        data.rename(tmp_path / "elsewhere")
        gone = "cannot be written to: No such file or directory"
        eventually(lambda: health(people)[1]["store"] == gone)


async def test_a_late_event_loop_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.web.health_checks.BEAT", 0.01)
    monkeypatch.setattr("server.web.health_checks.MAX_LAG", 0.1)
    look = HealthMonitor(House(), tmp_path)
    await asyncio.sleep(0)
    # Work that keeps the loop from its beat.
    until = time.monotonic() + 0.2
    while time.monotonic() < until:
        pass
    await open_house.until(lambda: look.lag >= 0.1)
    found = await look.health()
    await look.close()
    assert found == {"event_loop": f"up to {look.lag:.1f} s late", "store": ""}


@pytest.mark.parametrize("command", ["serve", "compete"])
def test_a_port_that_is_taken_is_refused_before_anything_begins(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = written(tmp_path, competition([bot("call"), bot("raise")], [division()])), tmp_path / "out"
    words = {"serve": (*OPEN, "--data", tmp_path / "data"), "compete": (file, "--out", out)}[command]
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main([str(word) for word in (command, *words, "--metrics-port", port)]) == 2
    told = capsys.readouterr().err
    assert f"cannot listen at 127.0.0.1:{port}: " in told
    assert told.endswith("[cannot_listen]\n")
    assert not out.exists()
