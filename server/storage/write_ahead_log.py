"""The write-ahead log of open tables, to which everything is appended before anybody hears of it, until the
database has it (``server.storage.hand_db``).

A line is a JSON list: numbered *entries*, or a *step* of a hand (``server.tables.snapshot``). Numbers rise by
one, so missing entries are detected.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

#: Its number, its kind, and the values to write.
Entry = tuple[int, str, list[str | int | float]]

_decode_entries = msgspec.json.Decoder(list[Entry]).decode
_decode_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_NUMBER: Final = re.compile(rb"\[\[(\d{1,18}),")


def read_lines(path: Path) -> list[bytes]:
    """Return all complete lines; nobody has heard of an incomplete last one."""
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def hand_lines(lines: list[bytes]) -> list[bytes]:
    """Return the lines that are steps."""
    return [line for line in lines if not line.startswith(b"[[")]


def entries_after(lines: list[bytes], last_applied: int) -> Iterator[Entry]:
    """Return the entries after number ``last_applied``, in order. Raises ``ValueError`` with a message if
    one is, or may be, missing.
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
            # The next number shows whether it had entries that were not copied.
            number = _NUMBER.match(line)
            if number is None or int(number[1]) > last_applied:
                doubtful = doubtful or place
            continue
        for entry in entries:
            if entry[0] > last_applied + 1:
                raise ValueError(
                    f"before line {place}, entries {last_applied + 1} to {entry[0] - 1} are missing"
                )
            if entry[0] > last_applied:
                last_applied = entry[0]
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
    """Open a file to append lines, readable by its owner only; remove an incomplete last line. Raises
    ``OSError``.
    """
    whole = sum(len(line) + 1 for line in read_lines(path))
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.ftruncate(fd, whole)
        if os.write(fd, b"\n") < 1:
            raise OSError("the disk is full")
    except BaseException:
        os.close(fd)
        raise
    return fd
