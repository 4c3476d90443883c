"""What was written and not carried over: all of it is found again, or it is said that some is missing."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server.storage.hand_db import HandStoreError
from server.storage.hand_store import HandStore
from server.storage.write_ahead_log import entries_after, hand_lines, open_for_append, read_lines


def line(*numbers: int) -> bytes:
    return b"[" + b",".join(b'[%d,"gone",["t"]]' % number for number in numbers) + b"]"


STEP = b'["table-1",1,2,0,1.0,0,false,[]]'
LINES = [b"", line(1, 2), STEP, line(3), b"", STEP, line(4, 5, 6), line(7)]


def found(lines: list[bytes], last_applied: int = 0) -> list[int]:
    return [number for number, _, _ in entries_after(lines, last_applied)]


@pytest.mark.parametrize("last_applied", range(9))
def test_what_was_not_carried_over_is_found(last_applied: int) -> None:
    assert found(LINES, last_applied) == list(range(last_applied + 1, 8))
    assert hand_lines(LINES) == [b"", STEP, b"", STEP]


@pytest.mark.parametrize("last_applied", range(8))
@pytest.mark.parametrize("gone", [1, 3, 6])
def test_a_gap_is_noticed_where_something_is_lost(gone: int, last_applied: int) -> None:
    lines = LINES[:gone] + LINES[gone + 1 :]
    last = {1: 2, 3: 3, 6: 6}[gone]
    if last_applied >= last:
        assert found(lines, last_applied) == list(range(last_applied + 1, 8))
    else:
        with pytest.raises(ValueError, match=str(last_applied + 1) if last_applied >= last - 1 else r"\d"):
            found(lines, last_applied)


@pytest.mark.parametrize(
    "junk", [b"\0" * 9, b"[[", b"[[7", b'[[7,"gone"', b'["half', b"x", b"{}", b'[[7,"a",[]],["b"]]']
)
def test_a_last_line_that_cannot_be_read_may_be_a_loss(junk: bytes) -> None:
    with pytest.raises(ValueError, match="8"):
        found([*LINES[:-1], junk])
    if junk.startswith(b"[[7,"):
        assert found([*LINES[:-1], junk], 7) == []


def test_a_line_that_was_never_whole_is_made_up_for_by_the_next_process() -> None:
    assert found([line(1), b'[[2,"gone",[', line(2, 3)]) == [1, 2, 3]


def test_any_damage_is_noticed_or_does_not_matter() -> None:
    source = random.Random(8)
    whole = b"\n".join(LINES)
    for _ in range(3000):
        data = bytearray(whole)
        start = source.randrange(len(data))
        for place in range(start, min(len(data), start + source.choice((1, 9, 90)))):
            data[place] = source.randrange(256)
        try:
            numbers = found(bytes(data).split(b"\n"), last_applied := source.randrange(8))
        except ValueError:
            continue
        assert numbers == list(range(last_applied + 1, last_applied + 1 + len(numbers)))


def test_the_end_of_a_line_that_is_not_whole_is_taken_away(tmp_path: Path) -> None:
    import os

    path = tmp_path / "hands.course"
    os.close(open_for_append(path))
    path.write_bytes(STEP + b"\n" + STEP[:9])
    assert read_lines(path) == [STEP]
    os.close(open_for_append(path))
    assert path.read_bytes() == STEP + b"\n\n"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("log", "code"),
    [
        (line(1) + b"\n" + line(3), "bad_archive"),
        (b'[[1,"hand",["x"]]]', "bad_archive"),
        (b'[[1,"of tomorrow",["x"]]]', "newer_archive"),
    ],
)
def test_a_house_does_not_go_on_from_it(log: bytes, code: str, tmp_path: Path) -> None:
    (tmp_path / "hands.course").write_bytes(log + b"\n")
    for _ in range(2):
        with pytest.raises(HandStoreError, match=r"hands\.course|hands\.sqlite3") as refused:
            HandStore(tmp_path / "hands.sqlite3")
        assert refused.value.code == code
        # Nothing holds the file any more.
        with closing(sqlite3.connect(tmp_path / "hands.sqlite3", timeout=0)) as db:
            db.execute("BEGIN IMMEDIATE")
    assert (tmp_path / "hands.course").read_bytes() == log + b"\n"
