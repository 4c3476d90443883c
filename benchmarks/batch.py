"""Hands a second of ``pokerd.v1.batch``: a server and a bot as two processes, over a websocket on loopback.

    python -m benchmarks.batch [--hands 1000000] [--rounds 3] [--tables 1024]

Heads-up limit hold'em. The bot decides in ``numpy`` and checks or calls, and so does ``call``: 8 decisions a
hand, 4 of them over the wire. With records every hand is a line in a file before the bot knows how it ended.
``RemoteVectorEnv`` also makes observations and masks. The lanes take turns, and each is credited with its
best round; the CPU time is that of the same round.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
import uvloop
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from pokerd.commands.serve import make_batch
from protocol.batch import BATCH
from server.house.house import House
from server.net import gateway
from server.net.batch_room import BatchLimits, BatchRoom
from server.telemetry import logging_setup as logs
from strategy.batch.wire import answer_frame, read_frame, row_type

GAME = "holdem.limit.2p.reverse_blinds"
TARGETS = {"without records": 200_000, "with records": 50_000}
HISTORY = 8
"""Actions of a row: as many as a hand has."""


class Figure(NamedTuple):
    """Hands a second, and the CPU seconds of a million hands: of the server and of the bot."""

    speed: float
    server: float
    bot: float


def _serve(port: Connection, records: Path) -> None:
    async def main() -> None:
        house = House(guests=True)
        room = BatchRoom(make_batch, BatchLimits(4, 60.0, records=records))
        entrance = await gateway.serve(house, "127.0.0.1", 0, batches=room)
        port.send(entrance.port)
        await asyncio.get_running_loop().run_in_executor(None, port.recv)
        await entrance.close()

    with logs.LogConfig("warning").activate():
        uvloop.run(main())


@contextmanager
def serving() -> Iterator[tuple[str, psutil.Process]]:
    """A server, and its process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory() as folder:
        process = context.Process(target=_serve, args=(theirs, Path(folder)))
        process.start()
        try:
            yield f"ws://127.0.0.1:{ours.recv()}", psutil.Process(process.pid)
        finally:
            ours.send(None)
            process.join()


def play(url: str, hands: int, tables: int, opponent: str, *, records: bool) -> int:
    """Play a batch to its end, and return the hands."""
    row, played = row_type(2, HISTORY), 0
    asked = {"game": GAME, "opponents": [opponent], "tables": tables, "hands": hands, "history": HISTORY}
    with connect(url, subprotocols=[Subprotocol(BATCH)], compression=None, max_size=None) as socket:
        socket.send(json.dumps({"type": "hello", "name": "bench"}))
        socket.recv()
        socket.send(json.dumps({"type": "open", **asked, "records": records}))
        socket.recv()
        for frame in socket:
            assert isinstance(frame, bytes), frame
            header, over, turns, _ = read_frame(frame, row)
            played += len(over)
            if not len(turns):
                break
            socket.send(answer_frame(int(header["frame"]), turns["table"], np.ones(len(turns)), 0))
    return played


def learn(url: str, hands: int, tables: int) -> int:
    """Play in the environment, and return the hands."""
    from pokerd.env import RemoteVectorEnv

    env = RemoteVectorEnv(url, tables, GAME, "call", name="bench", copy=False)
    env.reset()
    played, calls = 0, np.ones(tables, np.int64)
    while played < hands:
        _, _, over, _, _ = env.step(calls)
        played += int(over.sum())
    env.close()
    return played


def _measure(lane: Callable[[], int], server: psutil.Process) -> Figure:
    def spent() -> float:
        times = server.cpu_times()
        return float(times.user + times.system)

    before, own, start = spent(), time.process_time(), time.perf_counter()
    hands = lane()
    seconds = time.perf_counter() - start
    scale = 1e6 / hands
    return Figure(hands / seconds, (spent() - before) * scale, (time.process_time() - own) * scale)


def measure(hands: int, rounds: int, tables: int) -> dict[str, Figure]:
    """Return the best round of every lane."""
    best: dict[str, Figure] = {}
    with serving() as (url, server):
        lanes = {
            "without records": partial(play, url, hands, tables, "call", records=False),
            "with records": partial(play, url, hands, tables, "call", records=True),
            "against quick": partial(play, url, hands, tables, "quick", records=False),
        }
        if importlib.util.find_spec("gymnasium"):
            lanes["RemoteVectorEnv"] = partial(learn, url, hands, tables)
        for opponent in ("call", "quick"):
            play(url, 10_000, tables, opponent, records=True)  # compiles
        for _ in range(rounds):
            for name, lane in lanes.items():
                figure = _measure(lane, server)
                best[name] = max(best.get(name, figure), figure)
    return best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Hands a second of pokerd.v1.batch.")
    parser.add_argument("--hands", type=int, default=1_000_000, help="hands of one turn of a lane")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each lane")
    parser.add_argument("--tables", type=int, default=1024, help="tables of the connection")
    options = parser.parse_args()
    print(f"{options.tables} tables on one connection, hands a second; CPU seconds of a million hands")
    for name, figure in measure(options.hands, options.rounds, options.tables).items():
        print(
            f"{name + ':':<18}{figure.speed:>10,.0f}   server {figure.server:5.2f} s, bot {figure.bot:5.2f} s"
            + (f", {figure.speed / TARGETS[name]:.1f} times the target" if name in TARGETS else "")
        )


if __name__ == "__main__":
    main()
