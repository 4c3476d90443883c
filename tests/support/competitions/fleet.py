"""Fleets of processes: a coordinator and nodes, with a real database."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from server.competition.verify import verify_directory
from tests.support.competitions.arena import competition, division
from tests.support.competitions.continued import CUP, POKERD, TRIO, records
from tests.support.postgres import rows
from tests.support.programs import Program, eventually


def node(url: str, name: str, folder: Path, *options: str, workers: int = 2) -> Program:
    """A node that runs."""
    data = ("--data", str(folder / name), "--workers", str(workers), "--log-level", "info")
    return Program(*POKERD, "node", "--database", url, "--name", name, *data, *options)


def coordinator(url: str, file: Path, out: Path, *options: str) -> Program:
    """A coordinator that runs, and soon takes a silent node for dead: not so soon that one on a busy machine
    would be.
    """
    given = ("--out", str(out), "--database", url, "--node-timeout", "4", *options)
    return Program(*POKERD, "coordinator", file, *given)


def long_text(hands: int = 60, bots: Sequence[dict[str, object]] = TRIO) -> str:
    """A competition file: sessions that last, and tournaments."""
    cup = division("cup", table=CUP, seatings="rotations")
    return competition(bots, [division(hands=hands), cup])


def finished(chief: Program, code: int = 0) -> None:
    """Wait for a coordinator to end, with everything written: as long as that takes on a busy machine.
    ``code``: 4 where a bot is marked.
    """
    chief.process.wait(120)
    assert chief.end() == code, chief.lines


def kept(folder: Path) -> int:
    """Hands that a node has stored, read without any of our code."""
    count = 0
    for path in folder.glob("*/state.db"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            (hands,) = db.execute("SELECT count(*) FROM hands").fetchone()
            count += hands
    return count


def mid_match(folder: Path, hands: int = 20) -> None:
    """Wait until a node is in the middle of a session: so many hands further than it is now."""
    before = kept(folder)
    eventually(lambda: kept(folder) >= before + hands)


def check(url: str, out: Path, undisturbed: dict[str, bytes]) -> None:
    """All is as on one machine, and every session counts once."""
    assert (out / "incidents.json").read_bytes() == undisturbed["incidents.json"]
    assert records(out) == undisturbed
    verify_directory(out)
    states = rows(url, "SELECT state, taken FROM pokerd.sessions")
    assert states == [("done", True)] * len(states)
    once = "SELECT count(*) FROM pokerd.attempts WHERE state = 'done' GROUP BY session"
    assert rows(url, once) == [(1,)] * len(states)
    assert not rows(url, "SELECT attempt FROM pokerd.attempts WHERE state = 'playing'")
