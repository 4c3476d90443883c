"""The course of a house with open tables: the file to which all that happens is appended before anyone hears
of it, line by line, until the database has it (``server.storage.hand_db``).

A line is a JSON list: numbered *entries*, or a *step* that a hand went on by (``server.tables.snapshot``).
Numbers rise by one, and so the file itself tells when something is missing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

__all__ = ["Entry", "open_for_append", "entries_after", "read_lines", "hand_lines"]

#: Its number, what it is, and the values that are written.
Entry = tuple[int, str, list[str | int]]

_decode_entries = msgspec.json.Decoder(list[Entry]).decode
_decode_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_NUMBER: Final = re.compile(rb"\[\[(\d{1,18}),")


def read_lines(path: Path) -> list[bytes]:
    """All lines but the last if that is not whole: nobody has heard of it."""
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def hand_lines(lines: list[bytes]) -> list[bytes]:
    """Those that are no entries."""
    return [line for line in lines if not line.startswith(b"[[")]


def entries_after(lines: list[bytes], carried: int) -> Iterator[Entry]:
    """The entries with a number beyond ``carried``, in order. Raises ``ValueError``, in words, where one is
    missing, or may be.
    """
    doubtful = 0
    for place, line in enumerate(lines, 1):
        if not line.startswith(b"[["):
            if line and not _is_list(line):
                raise ValueError(f"line {place} cannot be read")
            continue
        try:
            entries = _decode_entries(line)
        except ValueError:
            # What follows tells whether it had any that were not carried over.
            number = _NUMBER.match(line)
            if number is None or int(number[1]) > carried:
                doubtful = doubtful or place
            continue
        for entry in entries:
            if entry[0] > carried + 1:
                raise ValueError(f"before line {place}, entries {carried + 1} to {entry[0] - 1} are missing")
            if entry[0] > carried:
                carried = entry[0]
                yield entry
        doubtful = 0
    if doubtful:
        raise ValueError(f"line {doubtful} cannot be read")


def _is_list(line: bytes) -> bool:
    try:
        _decode_list(line)
    except ValueError:
        return False
    return True


def open_for_append(path: Path) -> int:
    """A file to append lines to, for its owner alone; a last line that is not whole is taken away. Raises
    ``OSError``.
    """
    whole = sum(len(line) + 1 for line in read_lines(path))
    course = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.ftruncate(course, whole)
        if os.write(course, b"\n") < 1:
            raise OSError("the disk is full")
    except BaseException:
        os.close(course)
        raise
    return course
