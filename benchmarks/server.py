"""Hands per second through the real server: two bot processes over websockets, heads-up limit hold'em.

    python -m benchmarks.server [speed] [profile] [memory] [--hands N] [--rounds N] [--memory-hands N]

Everything is on: rules, deals, clocks, hand records, a log line for each hand, views for each player. A hand
has 8 decisions. Each figure has a comparison from the same run, two processes that only bounce frames of the
same size (``bare``): the machine's own limit for one table, and a measure of how quiet it is. ``profile``
shows where the server's time goes; ``memory`` plays a million hands at 200 tables and reports the server's
memory along the way.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import NamedTuple

import picows
import psutil
import uvloop

from server.commands.runtime import tune_collector
from server.competition.file import parse_competition
from server.competition.runner import Runner
from server.competition.store import CompetitionStore
from server.house.house import House
from server.net import gateway
from server.telemetry import logging_setup as logs

DECISIONS = 8  # of a heads-up limit hand in which everybody checks and calls
FRAMES = 8

FILE = """
name = "bench"
seed = "bench"
workers = {workers}
[[bots]]
name = "a"
{program}
reset = "message"
tables = {workers}
[[bots]]
name = "b"
{program}
reset = "message"
tables = {workers}
[[divisions]]
name = "limit"
game = "holdem.limit.2p.reverse_blinds"
hands = {hands}
matches = {matches}
"""
#: What the bots run in most benchmarks.
CALL = 'run = "call"'

#: Tables in flight, and the share of all hands that is enough for a figure.
_LANES = ((1, 16), (8, 4), (64, 1))


class ServerSpeed(NamedTuple):
    """One measurement. CPU in seconds; ``hands`` were played in ``wall`` seconds."""

    tables: int
    hands: int
    wall: float
    server_cpu: float
    bots_cpu: float

    def text(self) -> str:
        """Return one line of the table."""
        decisions = self.hands * DECISIONS
        return (
            f"{self.tables:6}{self.hands / self.wall:>9,.0f} hands/s"
            f"{self.server_cpu / decisions * 1e6:>9.1f} us/decision server"
            f"{self.bots_cpu / decisions * 1e6:>8.1f} us/decision bot"
            f"{self.server_cpu / self.wall:>7.0%} of a core"
        )


@asynccontextmanager
async def _competition(tables: int, hands: int, out: Path) -> AsyncIterator[Runner]:
    """Start a competition of about ``hands`` hands; yield when both bots are connected."""
    sessions = max(2, tables)
    each = max(1, hands // sessions)
    text = FILE.format(program=CALL, workers=tables, hands=each, matches=sessions // 2)
    competition = parse_competition(text)
    store = CompetitionStore(out)
    house = House(storage=store.open_states)
    entrance = await gateway.serve(house, "127.0.0.1", 0)
    runner = Runner(competition, text, house, f"ws://127.0.0.1:{entrance.port}", store)
    task = asyncio.create_task(runner.run(), name="bench")
    try:
        while not runner.progress.hands("limit") and not task.done():
            await asyncio.sleep(0.005)
        yield runner
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await entrance.close()


def _bots_cpu() -> float:
    return sum(sum(child.cpu_times()[:2]) for child in psutil.Process().children())


async def _measure(tables: int, hands: int) -> ServerSpeed:
    with tempfile.TemporaryDirectory() as folder, closing(logs.configure(Path(folder) / "log.jsonl")):
        async with _competition(tables, hands, Path(folder) / "out") as runner:
            planned = sum(runner.progress.hands_planned.values())
            first = runner.progress.hands("limit")
            wall, cpu, bots = time.perf_counter(), time.process_time(), _bots_cpu()
            # The last sessions end one by one, with fewer tables at once: leave them out.
            while runner.progress.hands("limit") < planned * 0.95:
                await asyncio.sleep(0.01)
            played = runner.progress.hands("limit") - first
            return ServerSpeed(
                tables, played, time.perf_counter() - wall, time.process_time() - cpu, _bots_cpu() - bots
            )


# The same processes and frames, without content.


class _Echo(picows.WSListener):
    def on_ws_connected(self, transport: picows.WSTransport) -> None:
        self.transport = transport

    def on_ws_frame(self, transport: picows.WSTransport, frame: picows.WSFrame) -> None:
        if frame.msg_type == picows.WSMsgType.BINARY:
            transport.send(picows.WSMsgType.BINARY, b"x" * 60)
        else:
            transport.disconnect()


def _echo(port: int) -> None:
    async def play() -> None:
        transport, _ = await picows.ws_connect(_Echo, f"ws://127.0.0.1:{port}")
        await transport.wait_disconnected()

    uvloop.run(play())


class _Bouncer(picows.WSListener):
    """Sends to the two clients in turn, like a dealer of one table."""

    transports: list[picows.WSTransport]
    left: int
    done: asyncio.Event

    def on_ws_connected(self, transport: picows.WSTransport) -> None:
        self.transports.append(transport)
        if len(self.transports) == 2:
            self.transports[0].send(picows.WSMsgType.BINARY, b"x" * 160)

    def on_ws_frame(self, transport: picows.WSTransport, frame: picows.WSFrame) -> None:
        self.left -= 1
        if self.left == 0:
            self.done.set()
        elif self.left > 0:
            other = self.transports[1 if transport is self.transports[0] else 0]
            other.send(picows.WSMsgType.BINARY, b"x" * 160)


async def _baseline(hands: int) -> float:
    """Return the hands per second that frames alone would allow: one table, ``FRAMES`` round trips a hand."""
    bouncer = _Bouncer()
    bouncer.transports, bouncer.left, bouncer.done = [], hands * FRAMES, asyncio.Event()
    server = await picows.ws_create_server(lambda request: bouncer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    context = multiprocessing.get_context("spawn")
    clients = [context.Process(target=_echo, args=(port,)) for _ in range(2)]
    for client in clients:
        client.start()
    while len(bouncer.transports) < 2:
        await asyncio.sleep(0.01)
    started = time.perf_counter()
    await bouncer.done.wait()
    wall = time.perf_counter() - started
    for transport in bouncer.transports:
        transport.disconnect()
    for client in clients:
        client.join(5)
    server.close()
    return hands / wall


async def _memory(hands: int) -> None:
    process = psutil.Process()
    with tempfile.TemporaryDirectory() as folder, closing(logs.configure(Path(os.devnull))):
        async with _competition(200, hands, Path(folder) / "out") as runner:
            planned = sum(runner.progress.hands_planned.values())
            for tenth in range(1, 11):
                while runner.progress.hands("limit") < planned * (tenth - 0.5) / 10:
                    await asyncio.sleep(0.05)
                print(
                    f"memory, 200 tables: {process.memory_info().rss / 2**20:6.1f} MiB "
                    f"after {runner.progress.hands('limit'):>9,} hands",
                    flush=True,
                )


async def _profile(hands: int) -> None:
    from pyinstrument import Profiler

    with tempfile.TemporaryDirectory() as folder, closing(logs.configure(Path(folder) / "log.jsonl")):
        async with _competition(64, hands, Path(folder) / "out"):
            profiler = Profiler(async_mode="disabled")
            profiler.start()
            await asyncio.sleep(3)
            profiler.stop()
    text = profiler.output_text(unicode=False, color=False, show_all=True, flat=True)
    print("\nwhere the server's time goes, 64 tables (seconds of 3; a function's own time):")
    print("\n".join(text.strip().splitlines()[6:36]))


async def _speed(hands: int, rounds: int) -> None:
    print("tables            through the real server: 2 bot processes, heads-up limit, check and call")
    best: dict[int, ServerSpeed] = {}
    bare = 0.0
    for _ in range(rounds):
        bare = max(bare, await _baseline(hands // 20))
        for tables, part in _LANES:
            figure = await _measure(tables, hands // part)
            before = best.get(tables)
            if before is None or figure.hands / figure.wall > before.hands / before.wall:
                best[tables] = figure
            print(figure.text(), flush=True)
    print(f"\nbest of {rounds} (what disturbs a measurement only makes it slower):")
    for figure in best.values():
        rate = figure.hands / figure.wall
        print(f"{figure.text()}  {rate / bare:5.2f} x bare one-table frames ({bare:,.0f} hands/s)")


async def _run(options: argparse.Namespace) -> None:
    tune_collector()
    if "speed" in options.parts:
        await _speed(options.hands, options.rounds)
    if "profile" in options.parts:
        await _profile(options.hands)
    if "memory" in options.parts:
        await _memory(options.memory_hands)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parts = ("speed", "profile", "memory")
    parser = argparse.ArgumentParser(description="Hands per second through the real server.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="speed, profile, memory (all)")
    parser.add_argument("--hands", type=int, default=60_000, help="hands at 64 tables (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how often speed is measured (%(default)s)")
    parser.add_argument(
        "--memory-hands", type=int, default=1_000_000, help="hands over which memory is watched (%(default)s)"
    )
    options = parser.parse_args(arguments)
    options.parts = options.parts or parts
    if unknown := set(options.parts) - set(parts):
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(parts)}")
    uvloop.run(_run(options))


if __name__ == "__main__":
    main()
