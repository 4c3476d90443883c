"""How much bots take, each with all that it started: read from ``/proc``; elsewhere nobody knows."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["Usage", "measure", "tasks_of"]

_PROC: Final = Path("/proc")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """Bytes of memory in use, seconds of computing, and threads, of the processes with these numbers."""

    memory: int = 0
    cpu: float = 0.0
    tasks: int = 0
    processes: tuple[int, ...] = ()


class _Process(NamedTuple):
    parent: int
    session: int
    cpu: float
    tasks: int
    memory: int


def measure(leaders: Collection[int]) -> dict[int, Usage]:
    """What is used by each of these processes, their descendants, and whoever is still in their sessions."""
    found = dict.fromkeys(leaders, Usage())
    processes = dict(_processes())
    for number, process in processes.items():
        leader = _leader(number, processes, found)
        if leader:
            memory, cpu, tasks, numbers = found[leader]
            found[leader] = Usage(
                memory + process.memory, cpu + process.cpu, tasks + process.tasks, (*numbers, number)
            )
    return found


def _leader(number: int, processes: Mapping[int, _Process], leaders: Collection[int]) -> int:
    """Whose it is; 0: nobody's."""
    seen: set[int] = set()
    while number in processes and number not in seen:
        seen.add(number)
        process = processes[number]
        if process.session in leaders:
            return process.session
        number = process.parent
    return 0


def tasks_of(user: int) -> int:
    """Threads of all processes of a user."""
    owned = (process.tasks for number, process in _processes() if _owner(number) == user)
    return sum(owned)


def _owner(number: int) -> int:
    try:
        return (_PROC / str(number)).stat().st_uid
    except OSError:
        return -1


def _processes() -> Iterator[tuple[int, _Process]]:
    if not _PROC.is_dir():
        return
    for name in os.listdir(_PROC):  # noqa: PTH208 (numbers, not paths, and many)
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                    text = file.read()
            except OSError:  # it has ended
                continue
            # proc(5); the name, which may be anything, is in brackets.
            fields = text[text.rindex(b")") + 2 :].split()
            ticks = sum(map(int, fields[11:15]))
            yield (
                int(name),
                _Process(
                    int(fields[1]), int(fields[3]), ticks / _TICKS, int(fields[17]), int(fields[21]) * _PAGE
                ),
            )
