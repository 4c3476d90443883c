"""Hands per second of a competition, and of open tables, with one server process and with two.

    python -m benchmarks.processes [compete] [serve] [--hands N] [--rounds N] [--processes N]

It runs ``pokerd compete --processes N`` and ``pokerd serve --workers N`` with programs in C that always call
(``caller.c``): bots that cost nearly nothing, as if they were elsewhere. Heads-up limit hold'em, 64 tables
per process; each hand is stored. Only the middle counts, from a tenth of the hands to nine tenths: the start
of the processes and the last files are left out.

Hands per second of wall-clock time depend on what else the cores do. Linux counts, for each process, its time
on a core and the time that it waited for one; the rest it slept, because it waited for bots, or for another
process to write. With a core of its own, a process would play at most as fast as its time on a core allows,
and at least as fast as that and its sleep allow. Both are printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shutil import which
from typing import NamedTuple

import psutil

from benchmarks.server import FILE
from server.auth.tokens import POLL_INTERVAL, Quota, edit_access

HERE = Path(__file__).parent
#: Of each process: with fewer, frames have fewer messages, and a hand costs more.
TABLES = 64
#: The log, in the folder of a measurement.
LOG = "server.jsonl"
#: Seconds between two samples.
EVERY = 0.05


class Clocks(NamedTuple):
    """Seconds of processes: on a core, waiting for one, and asleep."""

    core: float
    waiting: float
    asleep: float


class Sample(NamedTuple):
    """``hands`` so far at a moment, and for each process its part and its seconds on a core and waiting."""

    hands: int
    at: float
    clocks: Mapping[int, tuple[str, float, float]]


class ProcessSpeed(NamedTuple):
    """One measurement: ``hands`` in ``wall`` seconds, and the clocks of the parts."""

    processes: int
    hands: int
    wall: float
    parts: Mapping[str, Clocks]

    def rate(self) -> float:
        """Return the hands per second of wall-clock time."""
        return self.hands / self.wall

    def most(self) -> float:
        """Return the hands per second, if every process had a core of its own and slept never."""
        return self.processes * self.hands / self.parts["server"].core

    def least(self) -> float:
        """Return the hands per second, if every process had a core of its own and slept as much."""
        server = self.parts["server"]
        return self.processes * self.hands / (server.core + server.asleep)

    def text(self) -> str:
        """Return one line of the table."""
        server, bots = self.parts["server"], self.parts["bots"]
        parent = self.parts.get("parent", Clocks(0, 0, 0))
        each = "".join(f"{clocks.core / self.hands * 1e6:>9.1f}" for clocks in (server, parent, bots))
        share = server.asleep / (self.wall * self.processes)
        return (
            f"{self.processes:9}{self.rate():>9,.0f}{each}{share:>9.1%}"
            f"{self.least():>11,.0f}{self.most():>9,.0f}"
        )


def _schedule(pid: int) -> tuple[float, float]:
    """Return a process's seconds on a core and waiting for one."""
    core = waiting = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        ran, waited, _ = (thread / "schedstat").read_text("ascii").split()
        core += int(ran)
        # Only the main thread plays.
        waiting += int(waited) if int(thread.name) == pid else 0
    return core / 1e9, waiting / 1e9


def _clocks(chief: int, program: str) -> Iterator[tuple[int, tuple[str, float, float]]]:
    """Yield, for each process of a server and its bots, its part and its clocks."""
    lines = {one.pid: one.cmdline() for one in psutil.Process().children(recursive=True)}
    kinds = {"pokerd.session_process", "pokerd.table_process"}
    players = [pid for pid, words in lines.items() if not kinds.isdisjoint(words)]
    for pid, words in lines.items():
        if pid == chief:
            yield pid, ("parent" if players else "server", *_schedule(pid))
        elif pid in players:
            yield pid, ("server", *_schedule(pid))
        elif words == [program]:
            yield pid, ("bots", *_schedule(pid))


def _samples(chief: subprocess.Popen[bytes], logged: Path, program: str, hands: int) -> Iterator[Sample]:
    """Yield samples until nine tenths of the hands are played."""
    count = 0
    with logged.open("rb") as lines:
        while count < hands * 0.9:
            if chief.poll() is not None:
                raise RuntimeError(f"the server ended with {chief.returncode}")
            time.sleep(EVERY)
            count += lines.read().count(b'"event":"hand"')
            yield Sample(count, time.monotonic(), dict(_clocks(chief.pid, program)))


@contextmanager
def _compete(folder: Path, processes: int, hands: int, program: str) -> Iterator[subprocess.Popen[bytes]]:
    """Play a competition of so many hands."""
    file, tables = folder / "bench.toml", TABLES * processes
    command = f'command = ["{program}"]'
    text = FILE.format(program=command, workers=tables, hands=hands // tables, matches=tables // 2)
    file.write_text(text + '[limits]\nsandbox = "off"\n', encoding="utf-8")
    words = ["compete", str(file), "--out", str(folder / "out"), "--processes", str(processes)]
    words += ["--log-file", str(folder / LOG)]
    with subprocess.Popen([sys.executable, "-m", "pokerd", *words], stdout=subprocess.DEVNULL) as chief:
        yield chief
        if chief.wait():
            raise RuntimeError(f"the competition ended with {chief.returncode}")


@contextmanager
def _serve(folder: Path, processes: int, _: int, program: str) -> Iterator[subprocess.Popen[bytes]]:
    """Play at open tables, two bots at each: others at each process, which has every second table if there
    are two.
    """
    tables = TABLES * processes
    words = ["--workers", str(processes), "--tables", str(tables), "--bots", "", "--seats", "2"]
    words += ["--limit", "--port", "0", "--web-port", "0", "--data", str(folder), "--results", str(folder)]
    words += ["--log-level", "info", "--log-file", str(folder / LOG)]
    start = [sys.executable, "-m", "pokerd", "serve", *words]
    with subprocess.Popen(start, stdout=subprocess.PIPE) as chief:
        assert chief.stdout is not None
        url = chief.stdout.readline().decode().split()[-1]
        bots = []
        with edit_access(folder) as access:
            for number in range(2 * processes):
                token = access.issue(f"bot{number}", Quota(rate=10_000_000))
                more = {"URL": url, "NAME": f"bot{number}", "TOKEN": token, "TABLES": str(TABLES)}
                more["JOIN"] = f"{number // 2 + 1} {tables} {processes}"
                bots.append(os.environ | {f"POKERD_{name}": value for name, value in more.items()})
        # The server looks for new tokens twice a second.
        time.sleep(2 * POLL_INTERVAL)
        running = [subprocess.Popen([program], env=bot) for bot in bots]
        try:
            yield chief
        finally:
            chief.terminate()
            for bot in running:
                bot.wait()


#: What is measured, and how its server is started.
_SUBJECTS: Mapping[str, Callable[[Path, int, int, str], AbstractContextManager[subprocess.Popen[bytes]]]] = {
    "compete": _compete,
    "serve": _serve,
}


def measure(subject: str, processes: int, hands: int, program: str) -> ProcessSpeed:
    """Play ``hands`` hands per process."""
    with tempfile.TemporaryDirectory() as folder:
        logged, hands = Path(folder) / LOG, hands * processes
        with _SUBJECTS[subject](Path(folder), processes, hands, program) as chief:
            try:
                while not logged.exists() and chief.poll() is None:
                    time.sleep(EVERY)
                first = None
                for sample in _samples(chief, logged, program, hands):
                    if first is None and sample.hands >= hands * 0.1:
                        first = sample
                assert first is not None
            except BaseException:
                chief.terminate()
                raise
    return _speed(processes, first, sample)


def _speed(processes: int, first: Sample, last: Sample) -> ProcessSpeed:
    wall = last.at - first.at
    parts: dict[str, Clocks] = {}
    for pid, (part, core, waiting) in last.clocks.items():
        if pid not in first.clocks:
            continue
        _, core_before, waiting_before = first.clocks[pid]
        ran, waited = core - core_before, waiting - waiting_before
        before = parts.get(part, Clocks(0, 0, 0))
        asleep = max(0.0, wall - ran - waited)
        parts[part] = Clocks(before.core + ran, before.waiting + waited, before.asleep + asleep)
    return ProcessSpeed(processes, last.hands - first.hands, wall, parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and how much faster several processes are."""
    parser = argparse.ArgumentParser(description="One server process, and several.")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help="compete, serve (both)")
    parser.add_argument("--hands", type=int, default=48_000, help="per process (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="compared with one (%(default)s)")
    options = parser.parse_args(arguments)
    compiler = which(os.environ.get("CC", "cc"))
    if compiler is None or not Path("/proc/self/schedstat").exists():
        print("this needs Linux and a C compiler")
        return 0
    parts = "".join(f"{part:>9}" for part in ("server", "parent", "bots", "asleep"))
    print(f"{'CPU, us per hand':>45}{'server':>9}{'with cores enough':>20}")
    print(f"processes{'hands/s':>9}{parts}{'at least':>11}{'at most':>9}")
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "caller")
        subprocess.run([compiler, "-O2", "-o", program, str(HERE / "caller.c")], check=True)
        for subject in options.subjects or _SUBJECTS:
            _compare(subject, options, program)
    return 0


def _compare(subject: str, options: argparse.Namespace, program: str) -> None:
    print(f"\npokerd {subject}")
    found: dict[int, list[ProcessSpeed]] = {1: [], options.processes: []}
    for _ in range(options.rounds):
        for processes, speeds in found.items():
            speeds.append(measure(subject, processes, options.hands, program))
            print(speeds[-1].text(), flush=True)
    one, more = found[1], found[options.processes]
    wall, least, most = (
        max(map(rate, more)) / max(map(rate, one))
        for rate in (ProcessSpeed.rate, ProcessSpeed.least, ProcessSpeed.most)
    )
    print(
        f"best of {options.rounds} (what disturbs a measurement only makes it slower): with a core for each"
        f" process, {options.processes} play {least:.2f} to {most:.2f} times\nas many hands as one;"
        f" on these {os.cpu_count()} cores, with bots and all else, {wall:.2f} times"
    )


if __name__ == "__main__":
    raise SystemExit(main())
