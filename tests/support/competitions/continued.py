"""Competitions as processes that are stopped in the middle, and go on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from tests.support.competitions.arena import bot, competition, division
from tests.support.programs import PYTHON, Program, outcome

POKERD = (PYTHON, "-m", "pokerd")
#: Deterministic: what one of them draws, it draws from the seed that it is told.
TRIO = tuple(bot(name, run=name, reset="message", tables=4) for name in ("call", "random", "raise"))
CUP = {"mode": "tournament", "players": 3, "stack": 100}
DRAWN = {"mode": "cash", "players": 2, "rules": "pushfold", "depth": [1, 10]}


def text_of(bots: Sequence[dict[str, object]] = TRIO, hands: int = 60) -> str:
    """A competition file: hands, all-in or fold with drawn stacks, and tournaments."""
    cup = division("cup", table=CUP, seatings="rotations", bots=["call", "random", "raise"])
    divisions = [division(hands=hands), division("drawn", table=DRAWN, hands=hands), cup]
    return competition(bots, divisions, workers=3)


def written(folder: Path, text: str) -> Path:
    """The competition file."""
    file = folder / "test.toml"
    file.write_text(text, encoding="utf-8")
    return file


def compete(file: Path, out: Path, *options: str) -> Program:
    """A competition that runs."""
    return Program(*POKERD, "compete", file, "--out", out, *options)


def played(file: Path, out: Path) -> Path:
    """The directory of a competition that was played without a disturbance."""
    with compete(file, out) as program:
        assert program.end() == 0, program.lines
    return out


def records(out: Path) -> dict[str, bytes]:
    """All that must be the same, however often it was stopped."""
    paths = (path for path in sorted(out.rglob("*")) if path.is_file())
    named = {path.relative_to(out).as_posix(): path for path in paths}
    private = ("logs/", "state.db")
    return {name: path.read_bytes() for name, path in named.items() if not name.startswith(private)}


def hands_logged(out: Path) -> int:
    """How many hands were played, those of sessions that were cut among them."""
    log = out / "logs" / "server.jsonl"
    return log.read_bytes().count(b'"event":"hand"') if log.is_file() else 0


def attempts(out: Path) -> list[tuple[str, str, int]]:
    """Session, state and stored hands of every attempt, read without any of our code."""
    with closing(sqlite3.connect(f"file:{out / 'state.db'}?mode=ro", uri=True)) as db:
        return db.execute(
            "SELECT session, state, (SELECT count(*) FROM hands WHERE hands.attempt = attempts.attempt)"
            " FROM attempts ORDER BY attempt"
        ).fetchall()


def verified(out: Path) -> str:
    """What ``verify`` says."""
    done = outcome(*POKERD, "verify", out)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
