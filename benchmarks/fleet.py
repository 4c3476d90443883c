"""Hands per second of one machine, of one node and of two, and the CPU costs of hands and sessions by part.

    python -m benchmarks.fleet --database URL [--hands N] [--sessions N] [--rounds N]

It runs the real programs: ``pokerd compete``, then ``pokerd coordinator`` with one and with two ``pokerd
node``, and a PostgreSQL of this machine in which it may create databases: two nodes share the cores with
their bots, with the database and with the coordinator. Heads-up limit hold'em between two bots that always
call, 16 tables at once per node. Time runs from the commitment to the standings, including the bots' start;
CPU time is that of all processes of a kind. The same number of hands is played in few long sessions and in
many short ones; two equations with two unknowns give the costs of a hand and of a session. The median of the
rounds is shown.

At the end: how long an ordered session waits for an idle node, in wall-clock time, from before the order is
written until the node begins its attempt.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil
import psycopg

from benchmarks.server import CALL, FILE
from server.competition.file import parse_competition
from server.fleet.database import Database
from server.fleet.ledger import FleetLedger, Lease
from server.fleet.queue import JobQueue

WORKERS = 16
#: Seconds between two samples of the processes; CPU time after a process's last sample is missed.
EVERY = 0.1
PARTS = ("server", "coordinator", "database", "bots")


class FleetRun(NamedTuple):
    """One competition: wall-clock seconds, CPU seconds by part."""

    nodes: int
    sessions: int
    hands: int
    wall: float
    cpu: Mapping[str, float]

    def text(self) -> str:
        """Return one line of the table."""
        each = "".join(f"{self.cpu[part] / self.hands * 1e6:>13,.0f}" for part in PARTS)
        return (
            f"{_name(self.nodes):9}{self.sessions:>9,}{self.hands:>9,}{self.hands / self.wall:>9,.0f}{each}"
        )


class Costs(NamedTuple):
    """CPU seconds of one part."""

    hand: float
    session: float


def costs(long: FleetRun, short: FleetRun, part: str) -> Costs:
    """Return the costs of a hand and of a session, from two runs with as many hands but different numbers of
    sessions.
    """
    session = (short.cpu[part] - long.cpu[part]) / (short.sessions - long.sessions)
    return Costs((long.cpu[part] - session * long.sessions) / long.hands, session)


def _name(nodes: int) -> str:
    return f"{nodes} node{'s' * (nodes > 1)}" if nodes else "compete"


@contextmanager
def _pokerd(says: str, *words: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of pokerd; provide it once it has said something, and stop it at the end of the block."""
    with tempfile.TemporaryFile() as output:
        command = [sys.executable, "-m", "pokerd", *map(str, words)]
        process = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            while says not in (said := os.pread(output.fileno(), 2**20, 0).decode()):
                if process.poll() is not None:
                    raise RuntimeError(f"{command} ended with {process.returncode}: {said}")
                time.sleep(EVERY / 10)
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


@contextmanager
def _new_database(server: str) -> Iterator[str]:
    """Create a database in a server, provide its address, and drop it."""
    name = f"pokerd_bench_{os.getpid()}_{time.monotonic_ns()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield urlsplit(server)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _server_pid(url: str) -> int:
    """Return the process id of a PostgreSQL on this machine: each connection has a child of it."""
    with psycopg.connect(url) as connection:
        return psutil.Process(connection.info.backend_pid).ppid()


class _CpuMeter:
    """CPU seconds of processes that come and go, by part."""

    def __init__(self, roots: Mapping[int, str]) -> None:
        self._roots = roots
        self._used: dict[tuple[int, float], tuple[str, float]] = {}

    def sample(self) -> None:
        """Read the clocks of all processes."""
        for process, part in self._processes():
            with suppress(psutil.Error):
                self._used[process.pid, process.create_time()] = part, sum(process.cpu_times()[:2])

    def _processes(self) -> Iterator[tuple[psutil.Process, str]]:
        """Yield all processes; children of a server count as bots, children of a database as the database."""
        for pid, part in self._roots.items():
            with suppress(psutil.Error):
                root = psutil.Process(pid)
                yield root, part
                for child in root.children(recursive=True):
                    yield child, "bots" if part == "server" else part

    def sums(self) -> dict[str, float]:
        """Return the seconds by part."""
        return {part: sum(seconds for one, seconds in self._used.values() if one == part) for part in PARTS}


def measure(server: str, nodes: int, sessions: int, hands: int) -> FleetRun:
    """Play ``sessions`` with ``hands`` in all; with ``compete`` if there are no ``nodes``."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        file, out = folder / "bench.toml", folder / "out"
        each = hands // sessions
        text = FILE.format(program=CALL, workers=WORKERS, hands=each, matches=sessions // 2)
        file.write_text(text, encoding="utf-8")
        command: tuple[str | Path, ...] = ("compete", file, "--out", out)
        roots: dict[int, str] = {}
        if nodes:
            url = stack.enter_context(_new_database(server))
            command = ("coordinator", file, "--out", out, "--database", url)
            roots[_server_pid(server)] = "database"
            for number in range(nodes):
                name = f"node-{number}"
                data = ("--data", folder / name, "--workers", str(WORKERS))
                node = _pokerd("sessions at once", "node", "--database", url, "--name", name, *data)
                roots[stack.enter_context(node).pid] = "server"
        chief = stack.enter_context(_pokerd("deals are committed", *command))
        roots[chief.pid] = "coordinator" if nodes else "server"
        meter = _CpuMeter(roots)
        meter.sample()
        before = meter.sums()
        began = time.monotonic()
        while chief.poll() is None:
            meter.sample()
            time.sleep(EVERY)
        wall = time.monotonic() - began
        if chief.returncode:
            raise RuntimeError(f"the competition ended with {chief.returncode}")
        meter.sample()
    cpu = {part: seconds - before[part] for part, seconds in meter.sums().items()}
    return FleetRun(nodes, sessions, each * sessions, wall, cpu)


async def start_latencies(url: str, sessions: int) -> list[float]:
    """Return the seconds from order to start of several sessions, one after the other, at an idle node."""
    text = FILE.format(program=CALL, workers=1, hands=2, matches=(sessions + 1) // 2)
    hold = Lease("idle", "benchmark", 600.0)
    found = []
    database = Database(url)
    await database.open()
    try:
        queue = JobQueue(database)
        await queue.open()
        ledger = FleetLedger(database, queue)
        await ledger.claim_competition(hold, parse_competition(text, Path()), text, [])
        for _ in range(sessions):
            ordered = time.time()
            await ledger.enqueue(hold.key, 1)
            while await ledger.count_queued(hold.key) != (0, 0):
                await asyncio.sleep(EVERY)
            async with database.transaction() as connection:
                begun = "SELECT extract(epoch FROM max(begun))::float8 FROM pokerd.attempts"
                [(last,)] = await (await connection.execute(begun)).fetchall()
            found.append(float(last) - ordered)
        await ledger.finish_competition(hold)
    finally:
        await database.close()
    return found


def idle_start_latencies(server: str, sessions: int) -> list[float]:
    """Return ``start_latencies`` with a node of its own."""
    with _new_database(server) as url, tempfile.TemporaryDirectory() as folder:
        data = ("--data", folder, "--workers", "1")
        with _pokerd("sessions at once", "node", "--database", url, "--name", "idle", *data):
            return asyncio.run(start_latencies(url, sessions))


def _median(runs: Sequence[FleetRun]) -> FleetRun:
    cpu = {part: median(run.cpu[part] for run in runs) for part in PARTS}
    return runs[0]._replace(wall=median(run.wall for run in runs), cpu=cpu)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and the costs derived from it."""
    parser = argparse.ArgumentParser(description="One machine, one node, two nodes.")
    parser.add_argument("--hands", type=int, default=48_000, help="in all sessions together (%(default)s)")
    parser.add_argument("--sessions", type=int, default=32, help="long ones (%(default)s)")
    parser.add_argument("--short", type=int, default=960, help="short ones (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--idle", type=int, default=40, help="sessions for an idle node (%(default)s)")
    given = os.environ.get("POKERD_DATABASE")
    parser.add_argument(
        "--database", default=given, required=not given, help="a PostgreSQL (POKERD_DATABASE)"
    )
    options = parser.parse_args(arguments)
    lanes = [(nodes, sessions) for nodes in (0, 1, 2) for sessions in (options.sessions, options.short)]
    found: dict[tuple[int, int], list[FleetRun]] = {lane: [] for lane in lanes}
    head = "".join(f"{part:>13}" for part in PARTS)
    print(f"{'':9}{'sessions':>9}{'hands':>9}{'hands/s':>9}{head}   (CPU, us a hand)")
    for _ in range(options.rounds):
        for lane in lanes:
            run = measure(options.database, *lane, options.hands)
            found[lane].append(run)
            print(run.text(), flush=True)
    waited = idle_start_latencies(options.database, options.idle)
    print(f"\nmedians; CPU of\n{'':9}{'':13}{head}")
    for nodes in (0, 1, 2):
        long, short = (_median(found[nodes, sessions]) for sessions in (options.sessions, options.short))
        parts = [costs(long, short, part) for part in PARTS]
        for what, scale, unit in (("hand", 1e6, "us"), ("session", 1e3, "ms")):
            each = "".join(f"{getattr(one, what) * scale:>10,.1f} {unit}" for one in parts)
            print(f"{_name(nodes):9}{'a ' + what:13}{each}")
    one, two = (_median(found[nodes, options.sessions]) for nodes in (1, 2))
    print(f"\ntwo nodes play {one.wall / two.wall:.2f} times as fast as one, on the same cores")
    print(
        f"a session waits for an idle node {1000 * median(waited):.1f} ms (median of {len(waited)}),"
        f" {1000 * max(waited):.1f} ms at most"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
