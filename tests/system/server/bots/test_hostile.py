"""Programs of strangers who want to do harm: none reaches a file, a socket, or another bot's time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from server.bots.isolation import find_bubblewrap
from server.bots.proc_usage import measure
from server.bots.processes import ISOLATED_NICENESS, BotProcess, ProcessManager
from server.bots.sandbox import Limits, Sandbox
from server.bots.seat_relay import MAX_CONNECTIONS, MAX_RATE
from server.telemetry.incidents import Incident
from tests.support.bot_programs import until
from tests.support.competitions.arena import bot, competition, division, run
from tests.support.hostile import HOSTILE, STARTS, code_of, said_by

#: Folders of the machine where programs may usually write, or would like to.
PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/dev", "/usr", "")
LIMITS = Limits(memory_mb=128, processes=24, files=64, file_mb=4, disk_mb=8)
#: A bot that plays: a turn costs it 10 ms of its processor.
VICTIM = """
import os, socket, time
host, port = os.environ["POKERD_URL"].removeprefix("ws://").split(":")
assert host == "127.0.0.1"
wire = socket.create_connection((host, int(port)))
own = os.environ["HOME"] + "/own"
open(own, "w").write("mine")
while wire.recv(1):
    until = time.process_time() + 0.01
    while time.process_time() < until: pass
    wire.sendall(open(own, "rb").read(1))
"""
#: Turns that the victim plays in each part of a test, and seconds that half of them, and each, may take; a
#: quiet machine plays fifty turns in a second.
TURNS = 4
TURN_TIME = 1.0
LONGEST_TURN = 5.0


class Seat:
    """A port at which bots play: it counts what arrives, and asks for turns."""

    def __init__(self) -> None:
        self.received = 0
        self.connections = 0
        self.most = 0
        self.accepted = 0
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The first connection plays; what others send is counted."""
        self.accepted += 1
        self.connections += 1
        self.most = max(self.most, self.connections)
        if self.reader is None:
            self.reader, self.writer = reader, writer
            return
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                self.received += len(data)
        self.connections -= 1
        writer.close()

    async def turn(self) -> float:
        """The seconds that the player needs for a turn."""
        assert self.reader is not None
        assert self.writer is not None
        began = time.monotonic()
        self.writer.write(b"?")
        async with asyncio.timeout(60):
            assert await self.reader.read(1) == b"m"
        return time.monotonic() - began


class Den:
    """A server's directory with a victim that plays, and a place for hostile programs."""

    def __init__(self, folder: Path, seat: Seat, port: int) -> None:
        self.folder = folder
        self.seat = seat
        self.port = port
        self.uploads = folder / "uploads"
        self.processes = ProcessManager(folder / "logs")
        self.sandbox = Sandbox([folder / "data"], start=folder)
        self.codes: dict[str, int] = {}
        self.limits: list[Incident] = []

    async def start(self, name: str, code: str, **facts: object) -> BotProcess:
        own = self.uploads / name
        own.mkdir(parents=True)
        (own / "bot.py").write_text(code)
        command = [sys.executable, "bot.py"]
        settings = {
            "POKERD_TOKEN": uuid4().hex,
            "POKERD_URL": f"ws://localhost:{self.port}",
            "POKERD_PARAMETERS": json.dumps({**facts, "port": self.port}),
        }
        return await self.processes.start(
            name,
            command,
            settings,
            lambda code: self.codes.update({name: code}),
            confinement=self.sandbox.for_upload(own, command, LIMITS),
            on_limit=self.limits.append,
        )

    def said(self, name: str = "hostile") -> str:
        return (self.folder / "logs" / f"{name}.log").read_text(errors="replace")

    def files(self) -> dict[str, bytes]:
        """Everything outside of sandboxes, but not the logs."""
        paths = [*(self.folder / "data").rglob("*"), *self.uploads.rglob("*")]
        return {str(path): path.read_bytes() for path in paths if path.is_file()}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.bots.processes.STOP_TIMEOUT", 0.3)
    monkeypatch.setattr("server.bots.processes.POLL_INTERVAL", 0.25)


@contextlib.asynccontextmanager
async def den(folder: Path) -> AsyncIterator[Den]:
    seat = Seat()
    server = await asyncio.start_server(seat.accept, "127.0.0.1", 0)
    one = Den(folder, seat, server.sockets[0].getsockname()[1])
    (folder / "data").mkdir()
    for name in ("state.db", "access.json", "seed"):
        (folder / "data" / name).write_text("hidden")
    try:
        yield one
    finally:
        await one.processes.close()
        server.close()
        if seat.writer is not None:
            seat.writer.close()


@contextlib.contextmanager
def neighbours(folder: Path) -> Iterator[dict[str, object]]:
    """Other servers on this machine, to which nobody may connect: where they are. Raises if somebody did."""
    abstract = f"\0pokerd-{uuid4().hex}"
    with contextlib.ExitStack() as stack:
        stream, datagram = socket.SOCK_STREAM, socket.SOCK_DGRAM
        kinds = [(2, stream), (2, datagram), (1, stream), (1, datagram), (1, stream)]
        database, udp, hidden, thrown, named = [stack.enter_context(socket.socket(*kind)) for kind in kinds]
        database.bind(("0.0.0.0", 0))
        udp.bind(("0.0.0.0", 0))
        hidden.bind(abstract)
        thrown.bind(f"{abstract}-d")
        named.bind(str(folder / "named"))
        (folder / "named").chmod(0o777)
        for one in (database, hidden, named):
            one.listen()
        for one in (database, udp, hidden, thrown, named):
            one.setblocking(False)
        free = socket.create_server(("127.0.0.1", 0))
        number = free.getsockname()[1]
        free.close()
        addresses = [
            address.address
            for all_addresses in psutil.net_if_addrs().values()
            for address in all_addresses
            if address.family == socket.AF_INET and not address.address.startswith("127.")
        ]
        yield {
            "database": database.getsockname()[1],
            "udp": udp.getsockname()[1],
            "abstract": abstract,
            "named": str(folder / "named"),
            "free": number,
            "addresses": addresses,
        }
        for listener in (database, hidden, named):
            with pytest.raises(BlockingIOError):
                listener.accept()
        for one in (udp, thrown):
            with pytest.raises(BlockingIOError):
                one.recv(1)


def test_this_machine_isolates_strangers() -> None:
    tool, why = find_bubblewrap()
    assert tool is not None, why


@pytest.mark.parametrize("start", STARTS)
async def test_hostile_programs_do_no_harm(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD_OF_THE_SERVER", "hidden")
    names = STARTS[start]
    ends = HOSTILE[names[-1]].ends
    mark = f"{time.time_ns() % 10**6 + 10**6}.5"
    with neighbours(tmp_path) as places:
        async with den(tmp_path) as one:
            victim = await one.start("victim", VICTIM)
            await until(lambda: one.seat.reader is not None)
            before = one.files()
            facts = {
                **places,
                "server": os.getpid(),
                "victim": victim.pid,
                "victim_home": victim.folder,
                "data": str(one.folder / "data"),
                "secrets": [path for path in before if "/data/" in path],
                "uploads": str(one.uploads),
                "mark": mark,
                "places": PLACES,
            }
            hostile = await one.start("hostile", code_of(names), **facts)
            turns = [await one.seat.turn() for _ in range(TURNS)]
            if ends is not None:
                await until(lambda: bool(one.limits))
                assert one.limits == [ends]
            elif start in ("output_flood", "endless_line"):
                await until(lambda: "hostile" in one.codes)
            else:
                await until(lambda: "done" in one.said() or "hostile" in one.codes)
            turns += [await one.seat.turn() for _ in range(TURNS)]
            await _look_closer(start, one, hostile, victim, facts)
            text = one.said()
            log_size = (tmp_path / "logs" / "hostile.log").stat().st_size
            await one.processes.stop(hostile)
            await until(lambda: not measure([hostile.pid])[hostile.pid].processes)
            assert not [process for process in _command_lines() if mark in process]
            turns += [await one.seat.turn() for _ in range(TURNS)]
            assert "victim" not in one.codes
            after = one.files()
            after.pop(str(one.uploads / "hostile" / "bot.py"))
            assert after == before
            assert not _exists(hostile.folder)
    for name in names:
        said = said_by(name, text)
        assert "HARM" not in said, (name, said)
        assert ("refused" in said) is HOSTILE[name].attempts, (name, said)
    assert "Traceback" not in text or start in ("output_flood", "endless_line"), text
    assert log_size <= LIMITS.file_mb * 2**20
    assert statistics.median(turns) < TURN_TIME
    assert max(turns) < LONGEST_TURN
    assert not any(_exists(f"{place}/{mark}") for place in PLACES)


async def _look_closer(
    name: str, one: Den, hostile: BotProcess, victim: BotProcess, facts: dict[str, object]
) -> None:
    """What is only to be seen of one program."""
    if name == "processor":
        await _look_at_processors(one, hostile, victim)
    elif name == "listener":
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", facts["free"])  # type: ignore[arg-type]
    elif name == "core_dump":
        assert one.codes["hostile"] == -6
    elif name == "many_seats":
        assert 1 < one.seat.most <= 1 + MAX_CONNECTIONS
    elif name in ("huge_frames", "knocking"):
        received, accepted, began = one.seat.received, one.seat.accepted, time.monotonic()
        for _ in range(TURNS):
            await one.seat.turn()
        took = time.monotonic() - began
        assert one.seat.received - received <= (took + 1) * MAX_RATE * 1.5
        assert one.seat.accepted - accepted <= 20 * took + 2


async def _look_at_processors(one: Den, hostile: BotProcess, victim: BotProcess) -> None:
    """All of its processes share one processor, which is not the other's if there are two."""
    used = measure([hostile.pid])[hostile.pid].processes
    inside = [number for number in used if psutil.Process(number).name().startswith("python")]
    assert len(inside) >= 5
    assert {tuple(os.sched_getaffinity(number)) for number in inside} == {(hostile.processor,)}
    assert {psutil.Process(number).nice() for number in inside} == {ISOLATED_NICENESS}
    assert hostile.processor != victim.processor or len(os.sched_getaffinity(0)) == 1


def _exists(folder: str) -> bool:
    return Path(folder).exists()


def _command_lines() -> list[str]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            found.append(" ".join(process.cmdline()))
    return found


FLOODER = """
import os, socket
port = int(os.environ["POKERD_URL"].removesuffix("/ws").rpartition(":")[2])
head = (
    f"GET /ws HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
    "Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n"
)
pings = b"\\x89\\x80abcd" * 10_000
while True:
    try:
        with socket.create_connection(("127.0.0.1", port)) as wire:
            wire.sendall(head.encode())
            print(wire.recv(100), flush=True)
            while True: wire.sendall(pings)
    except OSError:
        pass
"""


async def test_a_competition_among_strangers_goes_on(tmp_path: Path) -> None:
    """A bot plays as well as outside, against a house bot and against one that floods its seat."""
    (tmp_path / "flooder").mkdir()
    (tmp_path / "flooder" / "bot.py").write_text(FLOODER)
    limits = {"sandbox": "strict", "memory_mb": 512}
    bots = [
        bot("stranger", command=["{python}", "clients/examples/caller.py"], limits=limits),
        bot("flooder", command=["{python}", str(tmp_path / "flooder" / "bot.py")], limits=limits),
        bot("steady", run="call"),
    ]
    duels = [
        division(name, bots=[name, "stranger"], hands=4, seatings="rotations")
        for name in ("steady", "flooder")
    ]
    played = await run(competition(bots, duels, time={"start_ms": 10_000}), tmp_path / "out")
    assert "101" in played.logs("flooder")
    assert played.incidents["steady"] == {"stranger": {}, "steady": {}}
    assert played.incidents["flooder"]["stranger"] == {}
    assert played.incidents["flooder"]["flooder"]


EDGE = """
import itertools, time
from pokerd_bot import Bot, run

class Edge(Bot):
    waits = itertools.cycle([0.39, 0.397, 0.399, 0.4, 0.401, 0.403, 0.41])
    def act(self, turn):
        time.sleep(next(self.waits))
        return turn.raise_to(turn.min_raise) if turn.min_raise else turn.call()

raise SystemExit(run(Edge))
"""


async def test_who_answers_just_before_or_after_his_deadline_gains_nothing_by_it(tmp_path: Path) -> None:
    (tmp_path / "edge").mkdir()
    (tmp_path / "edge" / "bot.py").write_text(EDGE)
    command = ["{python}", str(tmp_path / "edge" / "bot.py")]
    bots = [bot("edge", command=command, limits={"sandbox": "strict", "memory_mb": 512}), bot("call")]
    times = {"start_ms": 20_000, "decision_ms": 400, "bank_ms": 0}
    played = await run(
        competition(bots, [division(hands=4, seatings="rotations")], time=times), tmp_path / "out"
    )
    found = played.incidents["duel"]
    # It alone is late. An answer that comes too late counts for nothing, and is told: that of the last turn
    # is for a table that is no longer there.
    assert found["call"] == {}
    assert found["edge"].keys() <= {"timeout", "absent", "stale_turn", "unknown_table"}
    assert found["edge"]["timeout"] > 0
