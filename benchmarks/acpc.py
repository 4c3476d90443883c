"""Hands per second of ``pokerd dealer``: one match, and two at once, heads-up limit hold'em over TCP.

    python -m benchmarks.acpc [--hands N] [--rounds N] [--reference DIR]

Two always-call players, lean Python programs, or C ones if there is a C compiler; every dealer and player has
its own process, and the log is on. For comparison, ``bare`` is a dealer that only sends prepared lines of the
same size to both seats and waits for as many answers. It is the minimum for a Python dealer that sends every
line at once, and shows how quiet the machine is.

With ``--reference``, the directory of the ACPC's own compiled ``dealer`` and ``example_player``, these play
instead: the same matches at both dealers in turn, and their ratio.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from dealer.intervals import mean_interval
from dealer.rules.games import load_game

GAME = "holdem.limit.2p.reverse_blinds"
#: The games for the reference dealer.
COMPARED_GAMES = (GAME, "holdem.nolimit.2p.reverse_blinds", "holdem.limit.3p")
HERE = Path(__file__).resolve().parent
STREETS = ("", "/5c6d7h", "/5c6d7h/8s", "/5c6d7h/8s/9c")


class DealerSpeed(NamedTuple):
    """One run: hands per second of all matches together, and the dealers' CPU microseconds per hand."""

    rate: float
    dealer_us: float


def _players(folder: Path) -> dict[str, list[str]]:
    """Return the commands of the available players; a port is added to each."""
    kinds = {"Python": [sys.executable, "-m", "benchmarks.acpc_player"]}
    compiler = shutil.which("cc")
    if compiler is not None:
        program = str(folder / "acpc_player")
        subprocess.run([compiler, "-O2", "-o", program, str(HERE / "acpc_player.c")], check=True)
        kinds["C"] = [program]
    return kinds


def _match(folder: Path, name: str, hands: int) -> subprocess.Popen[str]:
    ours = [sys.executable, "-m", "pokerd", "dealer"]
    return _dealer(folder, [*ours, name, GAME, str(hands), "1", "A", "B", "-q", "--host", "127.0.0.1"])


def _dealer(folder: Path, command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _cpu(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _measure(folder: Path, player: Sequence[str], matches: int, hands: int) -> DealerSpeed:
    """Play matches at once in an empty folder, timed from the start of the last to the end of the last."""
    dealers = [_match(folder, f"match{number}", hands) for number in range(matches)]
    players = []
    for dealer in dealers:
        assert dealer.stdout is not None
        ports = dealer.stdout.readline().split()
        players += [subprocess.Popen([*player, port], cwd=HERE.parent) for port in ports]
    logs = [folder / f"match{number}.log" for number in range(matches)]
    while not all(log.exists() and log.stat().st_size > 200 for log in logs):
        time.sleep(0.001)
    done_before = sum(log.read_text(encoding="ascii").count("\nSTATE") for log in logs)
    began = time.perf_counter()
    cpu = -sum(_cpu(dealer.pid) for dealer in dealers)
    for dealer in dealers:
        assert dealer.stdout is not None
        dealer.stdout.readline()
    wall = time.perf_counter() - began
    for process in players:
        process.wait(10)
    for dealer in dealers:
        # Its CPU time stays readable until the process is waited for.
        cpu += _cpu(dealer.pid)
        dealer.communicate(timeout=10)
    played = hands * matches - done_before
    return DealerSpeed(played / wall, cpu / played * 1e6)


def _baseline(hands: int) -> float:
    """Return the hands per second of a dealer without rules."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        context = multiprocessing.get_context("spawn")
        players = [context.Process(target=_echo, args=(port,)) for _ in range(2)]
        for player in players:
            player.start()
        seats = [listener.accept()[0] for _ in players]
        for seat in seats:
            seat.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [f"MATCHSTATE:0:1000:cc/cc/c:|9hQd{board}".encode("ascii") for board in STREETS for _ in "ab"]
        began = time.perf_counter()
        for _ in range(hands):
            for number, line in enumerate(lines):
                for seat in seats:
                    seat.sendall(line + (b"!\r\n" if seat is seats[number % 2] else b"\r\n"))
                seats[number % 2].recv(65536)
            for seat in seats:
                seat.sendall(lines[-1] + b"\r\n")
        wall = time.perf_counter() - began
        for seat in seats:
            seat.close()
        for player in players:
            player.join(10)
    return hands / wall


def _echo(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rest = b""
        while data := connection.recv(65536):
            *lines, rest = (rest + data).split(b"\r\n")
            for line in lines:
                if line.endswith(b"!"):
                    connection.sendall(line + b":c\r\n")


def _rate(folder: Path, dealer: Sequence[str], player: Path, game: str, hands: int, seed: int) -> float:
    """Return the hands per second of a match of the reference's players, from first connection to score."""
    path = HERE.parent / "games" / f"{game}.game"
    names = [f"p{number}" for number in range(load_game(game).players)]
    command = [*dealer, f"match{seed}", str(path), str(hands), str(seed), *names, "-q"]
    running = _dealer(folder, command)
    assert running.stdout is not None
    ports = running.stdout.readline().split()
    began = time.perf_counter()
    players = [subprocess.Popen([str(player), str(path), "127.0.0.1", port]) for port in ports]
    score = running.stdout.readline()
    wall = time.perf_counter() - began
    running.wait(10)
    for process in players:
        process.wait(10)
    if not score.startswith("SCORE"):
        raise SystemExit(f"{dealer[0]} played no match")
    return hands / wall


def _compare_dealers(reference: Path, hands: int, rounds: int) -> None:
    """Run both dealers in turn, with the same players and seeds."""
    dealers = [[str(reference / "dealer")], [sys.executable, "-m", "pokerd", "dealer"]]
    print(f"example_player at both dealers in turn, {rounds} matches of {hands:,} hands; 95 % intervals")
    print(f"{'game':34}{'reference/s':>13}{'pokerd/s':>10}{'ratio':>16}")
    for game in COMPARED_GAMES:
        pairs = []
        for number in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                rates = [
                    _rate(Path(folder), dealer, reference / "example_player", game, hands, number + 1)
                    for dealer in dealers
                ]
            pairs.append(rates)
        theirs, ours = (sum(column) / rounds for column in zip(*pairs, strict=True))
        ratio = mean_interval([mine / other for other, mine in pairs])
        width = "" if ratio.half is None else f" ± {ratio.half:.2f}"
        print(f"{game:34}{theirs:>13,.0f}{ours:>10,.0f}{f'{ratio.mean:.2f}{width}':>16}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, alternately, and print the best of each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hands", type=int, default=10_000, help="hands of a match (%(default)s)")
    parser.add_argument(
        "--rounds", type=int, default=5, help="runs of each, the best of which counts (%(default)s)"
    )
    parser.add_argument(
        "--reference", type=Path, metavar="DIR", help="play beside the dealer that was built there"
    )
    options = parser.parse_args(arguments)
    if options.reference is not None:
        _compare_dealers(options.reference, options.hands, options.rounds)
        return
    print(f"pokerd dealer, heads-up limit hold'em, always call, best of {options.rounds} runs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lanes = [(kind, command, count) for kind, command in _players(folder).items() for count in (1, 2)]
        best: dict[tuple[str, int], DealerSpeed] = {}
        bare = 0.0
        for _ in range(options.rounds):
            bare = max(bare, _baseline(options.hands // 2))
            for kind, command, count in lanes:
                with tempfile.TemporaryDirectory(dir=folder) as empty:
                    figure = _measure(Path(empty), command, count, options.hands // count)
                best[kind, count] = max(figure, best.get((kind, count), figure))
    print(f"{'players':8}{'matches':>8}{'hands/s':>10}{'to bare':>9}{'dealer µs/hand':>16}")
    print(f"{'bare':8}{1:>8}{bare:>10,.0f}")
    for (kind, count), figure in best.items():
        print(f"{kind:8}{count:>8}{figure.rate:>10,.0f}{figure.rate / bare:>9.2f}{figure.dealer_us:>16,.0f}")


if __name__ == "__main__":
    main()
