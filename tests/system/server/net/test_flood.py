"""Hundreds of connections that say nothing, at a server with few descriptors: who plays, plays on."""

from __future__ import annotations

import json
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

import pytest

from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.continued import records, written
from tests.support.competitions.plain import by_plain_calls
from tests.support.paced import PACED
from tests.support.programs import PYTHON, ROOT, Program, eventually

#: Descriptors of the server; it keeps some of them for itself.
FEW = 160
#: Places for connections that it has then, and those of one address.
PLACES, OF_ONE = 96, 48
POKERD = ("bash", "-c", f'ulimit -n {FEW}; exec "$@"', "few", PYTHON, "-m", "pokerd")


@pytest.fixture(autouse=True)
def enough_for_us() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], min(2000, before[1])), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


class Flood:
    """Connections that say nothing, held as long as the server holds them."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.held: list[socket.socket] = []

    def add(self, count: int, ports: list[int], address: str) -> None:
        for number in range(count):
            with suppress(OSError):
                one = socket.create_connection(("127.0.0.1", ports[number % len(ports)]), 10, (address, 0))
                one.setblocking(False)
                self.held.append(self._stack.enter_context(one))


@contextmanager
def flood() -> Iterator[Flood]:
    with ExitStack() as stack:
        yield Flood(stack)


def asked(port: int, path: str, address: str = "127.0.0.1") -> Any:
    """What a server answers to somebody who comes from that address; nothing if it does not let him in."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=10, source_address=(address, 0))) as connection:
        with suppress(OSError, HTTPException):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.read().decode() if answer.status == 200 else ""
        return ""


def metric(port: int, name: str) -> float:
    for line in asked(port, "/metrics").splitlines():
        if line.startswith(f"{name} "):
            return float(line.split()[1])
    raise AssertionError(f"no {name}")


def test_at_a_server(tmp_path: Path) -> None:
    ports = ("--port", "0", "--web-port", "0", "--metrics-port", "0")
    folders = ("--data", tmp_path, "--results", tmp_path)
    with (
        Program(*POKERD, "serve", *ports, *folders, "--bots", "call", "--tables", "1") as server,
        flood() as silent,
    ):
        bots = int(server.says(r"listens at ws://\S+:(\d+)$")[1])
        people = int(server.says(r"^people: http://\S+:(\d+)$")[1])
        health = int(server.says(r"^metrics: http://\S+:(\d+)/metrics$")[1])
        url = ("--url", f"ws://127.0.0.1:{bots}", "--join", "table-1")
        caller = (PYTHON, ROOT / "clients" / "examples" / "caller.py", *url)
        ours = {"PYTHONPATH": str(ROOT)}
        with Program(*PACED, *url, variables=ours) as there:
            there.says("1 hand")
            before = metric(health, "pokerd_hands_total")
            silent.add(300, [bots, people], "127.0.0.1")
            eventually(lambda: metric(health, "pokerd_sockets") >= OF_ONE)
            assert asked(people, "/api/tables", "127.0.0.1") == ""
            # Somebody else does not notice.
            assert json.loads(asked(people, "/api/tables", "127.0.0.2"))["tables"]
            for last in range(3, 8):
                silent.add(60, [bots, people], f"127.0.0.{last}")
            # All places are taken, and house bots: at the port for metrics there is one still.
            eventually(lambda: metric(health, "pokerd_sockets") >= PLACES)
            assert metric(health, "process_open_fds") < FEW
            assert json.loads(asked(health, "/healthz"))["status"] == "ok"
            eventually(lambda: metric(health, "pokerd_hands_total") > before + 20)
            refused = 'pokerd_sockets_refused_total{reason="descriptors"}'
            assert metric(health, refused) == 0
            silent._stack.close()
            with Program(*caller, "--name", "late", variables=ours) as late:
                late.says("10 hands")
    assert server.said("connections refused")
    assert not server.said("Traceback|Too many open files|error")


def test_at_a_competition(tmp_path: Path) -> None:
    """New processes for every session, which always find a way in; records and standings as without."""
    text = competition([bot("call"), bot("raise")], [division("kuhn", game="kuhn.limit.2p", hands=20)])
    file, out = written(tmp_path, text), tmp_path / "out"
    command = (*POKERD, "compete", file, "--out", out, "--host", "0.0.0.0", "--workers", "2")
    with Program(*command) as server, flood() as silent:
        port = int(server.says(r"bots connect to ws://\S+:(\d+)$")[1])
        while server.process.poll() is None:
            for last in range(1, 6):
                silent.add(60, [port], f"127.0.0.{last}")
            while len(silent.held) > 1000:
                silent.held.pop(0).close()
            with suppress(TimeoutExpired):
                server.process.wait(0.1)
        assert server.end() == 0, server.lines
    assert not server.said("Traceback|Too many open files")
    log = (out / "logs" / "server.jsonl").read_text()
    assert "connections refused" in log
    assert '"exception"' not in log
    assert records(out) == records(by_plain_calls(text, tmp_path / "alone"))
