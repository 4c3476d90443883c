"""Resource usage of bots and their descendants, from ``/proc``; unknown on other systems."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """Bytes of memory, including swap; CPU seconds, including those of children that were waited for; and
    threads, of a set of processes. ``own``: the seconds of each process alone, by number and start.
    """

    memory: int = 0
    cpu: float = 0.0
    tasks: int = 0
    processes: tuple[int, ...] = ()
    own: Mapping[tuple[int, int], float] = MappingProxyType({})


class _Process(NamedTuple):
    parent: int
    session: int
    own: float
    cpu: float
    tasks: int
    began: int
    memory: int


def measure(leaders: Collection[int]) -> dict[int, Usage]:
    """Return the usage of each of these processes, their descendants, and what else is in their sessions."""
    processes = dict(_processes())
    mine: dict[int, list[int]] = {leader: [] for leader in leaders}
    for number in processes:
        leader = _find_leader(number, processes, mine)
        if leader:
            mine[leader].append(number)
    swapping = _kibibytes("meminfo", b"SwapTotal:") > _kibibytes("meminfo", b"SwapFree:")
    return {leader: _total_usage(numbers, processes, swapping=swapping) for leader, numbers in mine.items()}


def _total_usage(numbers: Sequence[int], processes: Mapping[int, _Process], *, swapping: bool) -> Usage:
    each = [processes[number] for number in numbers]
    swapped = sum(_kibibytes(f"{number}/status", b"VmSwap:") for number in numbers) if swapping else 0
    return Usage(
        sum(process.memory for process in each) + swapped,
        sum(process.cpu for process in each),
        sum(process.tasks for process in each),
        tuple(numbers),
        {(number, processes[number].began): processes[number].own for number in numbers},
    )


def proportional_memory(number: int) -> int:
    """Return the proportional memory of a process in bytes: shared pages are divided by their users; swap is
    included. Much slower than ``measure``.
    """
    return _kibibytes(f"{number}/smaps_rollup", b"Pss:", b"SwapPss:")


def _kibibytes(name: str, *keys: bytes) -> int:
    """Return the sum of fields of a file in ``/proc``, in bytes; 0 if it is gone."""
    try:
        lines = (_PROC / name).read_bytes().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(keys))


def _find_leader(number: int, processes: Mapping[int, _Process], leaders: Collection[int]) -> int:
    """Return the leader that a process belongs to; 0: none."""
    seen: set[int] = set()
    while number in processes and number not in seen:
        seen.add(number)
        process = processes[number]
        if process.session in leaders:
            return process.session
        number = process.parent
    return 0


def count_tasks(user: int) -> int:
    """Return the number of threads of all processes of a user."""
    owned = (process.tasks for number, process in _processes() if _owner_uid(number) == user)
    return sum(owned)


def _owner_uid(number: int) -> int:
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
            # proc(5); the name may contain anything, and is in parentheses.
            fields = text[text.rindex(b")") + 2 :].split()
            own = sum(map(int, fields[11:13])) / _TICKS
            children = sum(map(int, fields[13:15])) / _TICKS
            parent, session, tasks, began, pages = (int(fields[index]) for index in (1, 3, 17, 19, 21))
            yield int(name), _Process(parent, session, own, own + children, tasks, began, pages * _PAGE)
