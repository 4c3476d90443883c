"""What bots print: anything, and as much as the kernel lets them write. Only ends are read and kept."""

from __future__ import annotations

import os
from pathlib import Path


def end_of_output(file: Path, most: int) -> str:
    """Return the last bytes of a file, at most so many, as text; "" if there is no such file."""
    try:
        return _end(file, most).decode(errors="replace")
    except FileNotFoundError:
        return ""


def cut_outputs(folder: Path, most: int) -> None:
    """Let every file in a folder have at most so many bytes, the last ones."""
    for file in folder.glob("*"):
        if file.stat().st_size > most:
            file.write_bytes(_end(file, most))


def _end(file: Path, most: int) -> bytes:
    with file.open("rb") as opened:
        opened.seek(max(0, opened.seek(0, os.SEEK_END) - most))
        return opened.read(most)
