"""A long evening: bots come to a real server's tables, play, leave and come again; nothing may leak.

    python -m benchmarks.soak [--minutes 60] [--tables 50] [--bots 200] [--json FILE] [--png FILE]

The server is ``pokerd serve`` in its own process, and so is every bot (the Python SDK). A bot thinks for 0.1
to 0.7 seconds (``THINK``), stays at a table for half a minute to three (``STAY``), leaves and sits down at
another. Every five seconds (``EVERY``) one of them is killed, whatever it is doing, and another starts in its
place; then the server's memory, open files and threads are read, and its asyncio tasks and connections from
``/metrics``. ``answer`` is the time from a bot's action to its event, through both sockets; every bot
measures it.

Memory counts as flat if the second half of the samples grows by less than ``FLAT`` per hour (least squares,
95 % interval of the slope); the first half is left to caches that fill. After the last bot has left, tasks
and connections must be as many as before the first came, and open files at most ``OPENED_LATE`` more: a leak
would leave one for each stay at a table. Otherwise the exit code is 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil

from dealer.rules.actions import Action
from pokerd_bot.bot import Bot
from pokerd_bot.client import Client
from pokerd_bot.hand import Hand
from pokerd_bot.running import play, run_loop
from pokerd_bot.turn import Turn
from protocol import messages
from protocol.codec import MSGPACK

#: Minimum and maximum seconds that a bot thinks about an action, and that it stays at a table.
THINK = (0.1, 0.7)
STAY = (30.0, 180.0)
#: Seconds between two samples of the server, and between two kills.
EVERY = 5.0
#: Growth of the server's memory per hour, as a share of its memory, that still counts as flat.
FLAT = 0.05
#: Files that may be open only at the end: the archive opens some on demand, and keeps them open.
OPENED_LATE = 3
SEATS = 6
#: Seconds within which the server must have forgotten the bots that have left.
FORGET = 60.0
MIB = 1024 * 1024


class Sample(NamedTuple):
    """The server's resources at one moment; ``seconds`` since the start, ``memory`` in MiB."""

    seconds: float
    memory: float
    files: int
    threads: int
    tasks: int
    connections: int


class Growth(NamedTuple):
    """MiB per hour with half the width of a 95 % interval, and as a share of the memory."""

    slope: float
    half: float
    share: float


def growth(samples: Sequence[Sample]) -> Growth:
    """Return the growth of the memory in the second half of the samples, at least three."""
    later = samples[len(samples) // 2 :]
    hours = np.array([sample.seconds for sample in later]) / 3600
    memory = np.array([sample.memory for sample in later])
    away = hours - hours.mean()
    slope = float(away @ memory / (away @ away))
    rest = memory - memory.mean() - slope * away
    error = math.sqrt(float(rest @ rest) / max(1, len(later) - 2) / float(away @ away))
    return Growth(slope, 1.96 * error, slope / float(memory.mean()))


class SoakBot(Bot):
    """Calls mostly, raises now and then, after a while. Times the server's answers, in seconds."""

    threaded = False
    answers: list[float] = []  # noqa: RUF012 (of the whole process: a bot object lives for one match)
    hands = 0
    sent = 0.0

    def act(self, turn: Turn) -> Action:
        """Sleep, then act; nothing else runs in this process."""
        time.sleep(random.uniform(*THINK))
        SoakBot.sent = time.monotonic()
        return turn.raise_min() if random.random() < 0.15 else turn.call()

    def acted(self, hand: Hand, action: messages.PlayerActed) -> None:
        """Time the server's answer, if this bot acted."""
        if action.seat == self.match.seat and SoakBot.sent:
            SoakBot.answers.append(time.monotonic() - SoakBot.sent)
            SoakBot.sent = 0.0

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        """Count the hand."""
        SoakBot.hands += 1


def run_bot(url: str, number: int, tables: int, diary: Path) -> int:
    """Run a bot: move from table to table until a stop signal; write a record after each."""
    random.seed(number)
    # A parent that starts programs in the background makes them ignore the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    async def evening() -> int:
        stay = 0
        while True:
            client = Client(SoakBot, MSGPACK, f"table-{random.randint(1, tables)}")
            hello = messages.Hello(name=f"visitor-{number}-{stay}", software="soak")
            with suppress(TimeoutError):
                async with asyncio.timeout(random.uniform(*STAY)):
                    await play(client, url, hello)
                # The table was full: the next one, a little later.
                await asyncio.sleep(0.5)
            stay += 1
            seen = {"answers": SoakBot.answers, "hands": SoakBot.hands, "joined": bool(client.ended)}
            with diary.open("a", encoding="utf-8") as file:
                print(json.dumps(seen), file=file)
            SoakBot.answers.clear()
            SoakBot.hands = 0

    try:
        return run_loop(evening())
    except KeyboardInterrupt:
        return 0


@contextmanager
def _run_server(tables: int, folder: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Start ``pokerd serve``; yield it, its address for bots, and its address for people."""
    command = [sys.executable, "-m", "pokerd", "serve", "--port", "0", "--web-port", "0", "--bots", ""]
    command += ["--tables", str(tables), "--seats", str(SEATS), "--data", str(folder / "data")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found: dict[str, str] = {}
        for line in process.stdout:
            match = re.search(r"(listens at|people:) (\S+)", line)
            if match is not None:
                found[match[1]] = match[2]
            if "people:" in found:
                break
        yield process, found["listens at"], found["people:"]
    finally:
        process.kill()
        process.wait()


def _read_metrics(people: str) -> dict[str, float]:
    """Return the server's own figures, summed over their labels."""
    with urllib.request.urlopen(f"{people}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    sums: dict[str, float] = {}
    for name, value in re.findall(r"^(\w+)(?:\{[^}]*\})? (\S+)$", text, re.MULTILINE):
        sums[name] = sums.get(name, 0.0) + float(value)
    return sums


def _take_sample(server: psutil.Process, people: str, since: float) -> Sample:
    told = _read_metrics(people)
    return Sample(
        time.monotonic() - since,
        server.memory_info().rss / MIB,
        server.num_fds(),
        server.num_threads(),
        int(told["pokerd_tasks"]),
        int(told["pokerd_connections"]),
    )


class _BotPool:
    """The bots, each a process."""

    def __init__(self, url: str, tables: int, folder: Path) -> None:
        self.command = [sys.executable, "-m", "benchmarks.soak", "--visit", url, "--tables", str(tables)]
        self.folder = folder
        self.there: list[subprocess.Popen[bytes]] = []
        self.started = 0
        self.killed = 0

    def start_bot(self) -> None:
        """Start another bot."""
        diary = self.folder / f"{self.started}.jsonl"
        command = [*self.command, "--number", str(self.started), "--diary", str(diary)]
        self.there.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        self.started += 1

    def kill_one(self) -> None:
        """Kill one of the bots, at any moment."""
        one = self.there.pop(random.randrange(len(self.there)))
        one.kill()
        one.wait()
        self.killed += 1

    def stop_all(self) -> None:
        """Stop all bots."""
        for one in self.there:
            one.send_signal(signal.SIGINT)
        for one in self.there:
            one.wait(120)
        self.there.clear()

    def totals(self) -> tuple[list[float], int, int]:
        """Return all bots' answer times in seconds, hands counted by every bot in them, stays at tables."""
        answers: list[float] = []
        hands = stays = 0
        for diary in self.folder.glob("*.jsonl"):
            for line in diary.read_text("utf-8").splitlines():
                told = json.loads(line)
                answers += told["answers"]
                hands += told["hands"]
                stays += told["hands"] > 0
        return answers, hands, stays


def _run(minutes: float, tables: int, bots: int) -> dict[str, Any]:
    """Run the evening; return its figures."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        process, url, people = stack.enter_context(_run_server(tables, folder))
        server = psutil.Process(process.pid)
        crowd = _BotPool(url, tables, folder)
        stack.callback(crowd.stop_all)
        since = time.monotonic()
        time.sleep(EVERY)  # On-demand files are open then.
        before = _take_sample(server, people, since)
        samples = []
        for _ in range(bots):
            crowd.start_bot()
        cpu = sum(server.cpu_times()[:2])
        while time.monotonic() - since < minutes * 60:
            time.sleep(EVERY)
            samples.append(_take_sample(server, people, since))
            crowd.kill_one()
            crowd.start_bot()
            if sys.stderr.isatty():
                print(f"\r{_line(samples[-1])}", end="", file=sys.stderr, flush=True)
        cpu = sum(server.cpu_times()[:2]) - cpu
        crowd.stop_all()
        after = _wait_until_empty(server, people, since, before)
        told = _read_metrics(people)
        answers, hands, stays = crowd.totals()
        process.send_signal(signal.SIGINT)
        ended = process.wait(120)
    return {
        "minutes": (samples[-1].seconds) / 60,
        "tables": tables,
        "bots": bots,
        "killed": crowd.killed,
        "stays": stays,
        "hands_of_bots": hands,
        "hands": int(told.get("pokerd_hands_total", 0)),
        "cpu_share": cpu / samples[-1].seconds,
        "answers_ms": {
            str(q): round(1000 * float(np.quantile(answers, q)), 2) for q in (0.5, 0.9, 0.99, 0.999, 1.0)
        },
        "growth": growth(samples)._asdict(),
        "before": before._asdict(),
        "after": after._asdict(),
        "exit": ended,
        "samples": [sample._asdict() for sample in samples],
    }


def _wait_until_empty(server: psutil.Process, people: str, since: float, before: Sample) -> Sample:
    """Return the server's resources once it has forgotten all guests, or after a minute."""
    end = time.monotonic() + FORGET
    while True:
        now = _take_sample(server, people, since)
        if (now.tasks <= before.tasks and now.connections <= before.connections) or time.monotonic() > end:
            return now
        time.sleep(1.0)


def _line(sample: Sample) -> str:
    return (
        f"{sample.seconds / 60:6.1f} min  {sample.memory:7.1f} MiB  {sample.tasks:5} tasks"
        f"  {sample.connections:4} connections  {sample.files:4} files"
    )


def _faults(report: dict[str, Any]) -> list[str]:
    """Return a description of each leak."""
    before, after, grown = Sample(**report["before"]), Sample(**report["after"]), Growth(**report["growth"])
    found = [
        f"{getattr(after, name)} {name} are left, {getattr(before, name)} were there before"
        for name, more in (("tasks", 0), ("connections", 0), ("files", OPENED_LATE))
        if getattr(after, name) > getattr(before, name) + more
    ]
    if grown.share > FLAT and grown.slope > grown.half:
        found.append(f"memory grows by {grown.slope:.1f} MiB an hour")
    if report["exit"] != 130:
        found.append(f"the server ended with {report['exit']}")
    return found


def _draw(report: dict[str, Any], file: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    samples = [Sample(**sample) for sample in report["samples"]]
    minutes = [sample.seconds / 60 for sample in samples]
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(8, 5), layout="constrained")
    above.plot(minutes, [sample.memory for sample in samples], color="tab:blue")
    above.set_ylabel("memory (MiB)")
    above.set_ylim(0, 1.1 * max(sample.memory for sample in samples))
    for name, colour in (("tasks", "tab:green"), ("connections", "tab:orange"), ("files", "tab:gray")):
        below.plot(minutes, [getattr(sample, name) for sample in samples], color=colour, label=name)
    below.set_xlabel("minutes")
    below.set_ylim(bottom=0)
    below.legend(loc="lower right")
    above.set_title(f"{report['bots']} bots at {report['tables']} tables, {report['killed']} of them killed")
    figure.savefig(file, dpi=120)
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures and the leaks."""
    parser = argparse.ArgumentParser(description="Bots come and go at a server; nothing may pile up.")
    parser.add_argument("--minutes", type=float, default=60.0, help="(%(default)s)")
    parser.add_argument("--tables", type=int, default=50, help="(%(default)s)")
    parser.add_argument("--bots", type=int, default=200, help="(%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all samples")
    parser.add_argument("--png", type=Path, metavar="FILE", help="memory and tasks over time")
    for name in ("--visit", "--number", "--diary"):
        parser.add_argument(name, default="", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.visit:
        return run_bot(options.visit, int(options.number), options.tables, Path(options.diary))
    report = _run(options.minutes, options.tables, options.bots)
    answers, grown = report["answers_ms"], Growth(**report["growth"])
    print(f"\n{report['minutes']:.0f} minutes, {report['tables']} tables, {report['bots']} bots at once")
    print(f"{report['hands']:,} hands, {report['stays']:,} stays at tables, {report['killed']} bots killed")
    print(f"server CPU: {100 * report['cpu_share']:.0f} % of a core")
    print("answers, ms: " + ", ".join(f"{100 * float(q):g} % {ms:g}" for q, ms in answers.items()))
    share = f"{100 * grown.share:+.1f} %"
    print(f"memory: {grown.slope:+.2f} ± {grown.half:.2f} MiB an hour ({share}) in the second half")
    for word in ("before", "after"):
        print(f"{word:7}{_line(Sample(**report[word]))}")
    if options.json:
        options.json.write_text(json.dumps(report), encoding="utf-8")
    if options.png:
        _draw(report, options.png)
    faults = _faults(report)
    for fault in faults:
        print(f"PILES UP: {fault}")
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())
