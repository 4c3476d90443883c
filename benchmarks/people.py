"""People at a real server's web port: 2,000 spectators at one table, then 250 tables with a person at each.

    python -m benchmarks.people [watch] [tables] [--viewers N] [--persons N] [--seconds S] [--rounds N]

The server is ``pokerd serve`` in its own process; the other players are house bots that always call, and
every person is a websocket client that behaves like a page. ``a hand takes`` is the time from a hand's start
to its end as the player sees it, without the pause between hands. The watched player answers at once, so that
the cost of the spectators shows; each of the 250 players thinks for a while (``THINK``), as people do.
Few and many are measured in turns, because of the machine's own noise. Spectators are in a third process;
``latency`` runs from the player's sending of an action to a spectator's receipt of the message, through both
sockets.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psutil
import uvloop

from pokerd_bot.net.channel import Channel
from pokerd_bot.net.connection import connect
from protocol.codec import JSON
from server.auth.tokens import Quota, edit_access

#: Milliseconds between hands: shorter than people like it, so that a measurement has many.
PAUSE = 1000
SEATS = 6
#: Minimum and maximum seconds that a person at one of many tables thinks.
THINK = (0.1, 0.5)


class RunningServer(NamedTuple):
    """A running ``pokerd serve``, and its tokens."""

    url: str
    process: psutil.Process
    tokens: list[str]

    def cpu(self) -> float:
        """Return the CPU seconds that it has used, without its bots."""
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def memory(self) -> int:
        """Return the bytes that it uses, without its bots."""
        return int(self.process.memory_info().rss)


@contextmanager
def run_server(persons: int = 1) -> Iterator[RunningServer]:
    """Run a server with tokens for so many people; stop it in the end."""
    with tempfile.TemporaryDirectory() as folder:
        # With a token each person may open tables; one address may open only a few.
        with edit_access(Path(folder)) as access:
            tokens = [access.issue(f"player-{one}", Quota()) for one in range(persons)]
        command = [sys.executable, "-m", "pokerd", "serve", "--port", "0", "--web-port", "0"]
        command += ["--tables", "1", "--data", folder, "--results", folder]
        command += ["--max-connections-per-ip", "0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            line = next(line for line in process.stdout if line.startswith("people: "))
            url = f"ws://{urlsplit(line.split()[1]).netloc}/ws"
            yield RunningServer(url, psutil.Process(process.pid), tokens)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


class PagePlayer:
    """A page that plays: it calls any bet after ``think()`` seconds."""

    def __init__(self, number: int, token: str, think: Callable[[], float] = lambda: 0.0) -> None:
        self.name = f"player-{number}"
        self.token = token
        self.think = think
        self.table = ""
        self.seat = -1
        #: The time of sending the action that became the event of that number.
        self.sent: dict[int, float] = {}
        #: Seconds from sending an action to receiving its event.
        self.answered: list[float] = []
        #: Seconds from the start of a hand to its end.
        self.played: list[float] = []
        self._pending = 0.0
        self._dealt = 0.0
        self._seated = asyncio.Event()

    async def sit(self, url: str) -> Channel:
        """Open a table and take a seat there; return when the first hand is about to begin."""
        channel = await connect(url, JSON, self._on_frame)
        _send(channel.send, type="hello", name=self.name, token=self.token, person=True)
        await asyncio.wait_for(self._seated.wait(), 60)
        return channel

    def _on_frame(self, frame: bytes, send: Callable[[bytes], None]) -> None:
        now = time.monotonic()
        for message in _messages(frame):
            kind = message["type"]
            if kind == "turn":
                asyncio.get_running_loop().call_later(self.think(), self._call, message["turn"], send)
            elif kind == "acted" and message["seat"] == self.seat:
                self.sent[message["seq"]] = self._pending
                self.answered.append(now - self._pending)
            elif kind == "hand_start":
                self._dealt = now
            elif kind == "hand_end":
                self.played.append(now - self._dealt)
            elif kind == "match_start" and message["seat"] >= 0:
                self.seat = message["seat"]
                _send(send, type="ready", table=self.table)
                self._seated.set()
            elif kind == "created":
                self.table = message["table"]
                _send(send, type="join", table=self.table)
            elif kind == "welcome":
                bots = ["call"] * (SEATS - 1)
                _send(send, type="create", seats=SEATS, bots=bots, pause_ms=PAUSE, stack=100_000)
            elif kind == "error" and message["code"] != "shutting_down":
                raise RuntimeError(message["message"])

    def _call(self, turn: int, send: Callable[[bytes], None]) -> None:
        self._pending = time.monotonic()
        _send(send, type="act", table=self.table, turn=turn, action="call")


def _send(send: Callable[[bytes], None], **message: Any) -> None:
    send(json.dumps(message).encode())


def _messages(frame: bytes) -> list[dict[str, Any]]:
    data = json.loads(frame)
    return data if isinstance(data, list) else [data]


# Those who only watch.


def _run_spectators(pipe: Pipe, url: str, table: str, viewers: int) -> None:
    """Watch until a stop message; then report the arrival time of each frame at each spectator."""
    # All receive the same bytes, so decode them afterwards, once.
    seen: dict[bytes, list[float]] = defaultdict(list)

    async def watch() -> None:
        here = 0
        everybody = asyncio.Event()

        def hear(frame: bytes, send: Callable[[bytes], None]) -> None:
            nonlocal here
            now = time.monotonic()
            if frame.startswith(b'{"type":"welcome"'):
                _send(send, type="watch", table=table)
                here += 1
                if here == viewers:
                    everybody.set()
            elif here == viewers:
                seen[frame].append(now)

        channels = []
        for number in range(viewers):
            channels.append(await connect(url, JSON, hear))
            _send(channels[-1].send, type="hello", name=f"viewer-{number}", person=True)
        await asyncio.wait_for(everybody.wait(), 60)
        pipe.send("here")
        await asyncio.get_running_loop().run_in_executor(None, pipe.recv)
        for channel in channels:
            channel.close()

    uvloop.run(watch())
    found: dict[int, list[float]] = defaultdict(list)
    for frame, times in seen.items():
        for message in _messages(frame):
            if message["type"] == "acted":
                found[message["seq"]] += times
    pipe.send(dict(found))


async def _receive(pipe: Pipe) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, pipe.recv)


async def _measure_spectators(viewers: int, seconds: float) -> None:
    """Measure one table with ``viewers`` spectators."""
    with run_server() as server:
        person = PagePlayer(0, server.tokens[0])
        channel = await person.sit(server.url)
        ours, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        crowd = context.Process(target=_run_spectators, args=(theirs, server.url, person.table, viewers))
        crowd.start()
        await _receive(ours)
        await asyncio.sleep(1)
        person.sent, person.played = {}, []
        cpu = server.cpu()
        await asyncio.sleep(seconds)
        used, played = server.cpu() - cpu, list(person.played)
        ours.send("enough")
        found = await _receive(ours)
        crowd.join(20)
        channel.close()
    late = [at - person.sent[seq] for seq, times in found.items() if seq in person.sent for at in times]
    print(
        f"{viewers:5} spectators: {len(played) / seconds * 60:6.1f} hands/min, a hand takes "
        f"{_latency_text(played)}, latency {_latency_text(late)}, server {used / seconds:4.0%} of a core, "
        f"{used / max(1, len(found)) * 1e3:.2f} ms an action",
        flush=True,
    )


async def _measure_tables(persons: int, seconds: float) -> None:
    """Measure ``persons`` tables with a person at each."""
    with run_server(persons) as server:
        thoughts = Random(1)
        empty = server.memory()
        people = [
            PagePlayer(number, token, lambda: thoughts.uniform(*THINK))
            for number, token in enumerate(server.tokens)
        ]
        channels = [await person.sit(server.url) for person in people]
        await asyncio.sleep(1)
        for person in people:
            person.played, person.answered = [], []
        cpu = server.cpu()
        await asyncio.sleep(seconds)
        used = server.cpu() - cpu
        each = (server.memory() - empty) / persons
        for channel in channels:
            channel.close()
    played = [took for person in people for took in person.played]
    answered = [took for person in people for took in person.answered]
    print(
        f"{persons:5} tables: {len(played) / seconds / persons * 60:6.1f} hands/min at each, a hand takes "
        f"{_latency_text(played)}, an action {_latency_text(answered)},"
        f" server {used / seconds:4.0%} of a core, {each / 1024:.0f} kB a table",
        flush=True,
    )


def _latency_text(seconds: Sequence[float]) -> str:
    if len(seconds) < 2:
        return "?"
    last = quantiles(seconds, n=100)[98]
    return f"{median(seconds) * 1e3:.1f} ms (99 %: {last * 1e3:.1f})"


async def _run(options: argparse.Namespace) -> None:
    if "watch" in options.parts:
        print(f"one table of {SEATS}, {PAUSE} ms between hands, {2 * PAUSE} after a showdown")
        for _ in range(options.rounds):
            await _measure_spectators(1, options.seconds)
            await _measure_spectators(options.viewers, options.seconds)
    if "tables" in options.parts:
        print("a person with five bots at every table")
        for _ in range(options.rounds):
            await _measure_tables(1, options.seconds)
            await _measure_tables(options.persons, options.seconds)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parts = ("watch", "tables")
    parser = argparse.ArgumentParser(description="People at the web port of a real server.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="watch, tables (both)")
    parser.add_argument("--viewers", type=int, default=2000, help="spectators (%(default)s)")
    parser.add_argument("--persons", type=int, default=250, help="tables with a person (%(default)s)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="how often each is measured (%(default)s)")
    options = parser.parse_args(arguments)
    options.parts = options.parts or parts
    if unknown := set(options.parts) - set(parts):
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(parts)}")
    uvloop.run(_run(options))


if __name__ == "__main__":
    main()
