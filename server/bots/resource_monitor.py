"""What a bot takes of the machine, with all that it started, and whether it may."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from server.bots.cpu_counter import CpuCounter, ObservedCpu
from server.bots.proc_usage import Usage, proportional_memory
from server.bots.sandbox import Limits
from server.telemetry.incidents import Incident

__all__ = ["MAX_FILES", "ResourceMonitor", "disk_usage"]

_MIB: Final = 1024 * 1024
_BLOCK: Final = 512  # of ``st_blocks``, whatever the file system has
#: So many files and folders a bot may have in its own; more would take too long to look through.
MAX_FILES: Final = 10_000


class ResourceMonitor:
    """Of one bot: ``pid``, which has started nothing yet, may take ``limits``, ``folder`` is its own."""

    def __init__(self, pid: int, limits: Limits, folder: str) -> None:
        self.limits = limits
        self.folder = folder
        self._observed = ObservedCpu()
        self._counter: CpuCounter | None = None
        try:
            self._counter = CpuCounter(pid)
        except OSError:
            return

    @property
    def exact(self) -> bool:
        """Whether the kernel counts all computing; else it is what was seen."""
        return self._counter is not None

    def close(self) -> None:
        """The bot is gone."""
        if self._counter is not None:
            self._counter.close()

    def find_exceeded(self, usage: Usage, *, check_disk: bool) -> Incident | None:
        """What it takes more of than it may. Files are looked at only if that is ``thorough``."""
        limits = self.limits
        if self._memory(usage) > limits.memory_mb * _MIB:
            return Incident.MEMORY_LIMIT
        if usage.tasks > limits.processes:
            return Incident.PROCESS_LIMIT
        if self._cpu_seconds(usage) > (limits.cpu_s or float("inf")):
            return Incident.CPU_LIMIT
        if check_disk and disk_usage(self.folder, usage.processes) > limits.disk_mb * _MIB:
            return Incident.DISK_LIMIT
        return None

    def _memory(self, usage: Usage) -> int:
        """What processes have in common counts for each at first, which is cheap; only who is above his limit
        by that is looked at closely.
        """
        if usage.memory <= self.limits.memory_mb * _MIB:
            return usage.memory
        return min(usage.memory, sum(map(proportional_memory, usage.processes)))

    def _cpu_seconds(self, usage: Usage) -> float:
        seen = max(usage.cpu, self._observed.update(usage.own))
        return seen if self._counter is None else max(seen, self._counter.seconds())


def disk_usage(folder: str, processes: Iterable[int]) -> float:
    """Bytes on the disk of what is in a folder, and of files without a name that these processes have open.
    Infinitely many if there are more than ``MAX_FILES``.
    """
    found = _deleted_open_files(processes)
    waiting, left = deque([folder]), MAX_FILES
    while waiting:
        try:
            with os.scandir(waiting.popleft()) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        return float("inf")
                    with suppress(FileNotFoundError):  # this one is gone; others are not
                        state = entry.stat(follow_symlinks=False)
                        found[state.st_dev, state.st_ino] = state.st_blocks * _BLOCK
                        if stat.S_ISDIR(state.st_mode):
                            waiting.append(entry.path)
        except PermissionError:  # what it hides from us may be anything
            return float("inf")
        except OSError:  # it is gone
            continue
    return sum(found.values())


def _deleted_open_files(processes: Iterable[int]) -> dict[tuple[int, int], int]:
    """Sizes of files that were deleted and are still open, by device and number."""
    found = {}
    for number in processes:
        try:
            with os.scandir(f"/proc/{number}/fd") as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):
                        state = entry.stat()
                        if stat.S_ISREG(state.st_mode) and not state.st_nlink:
                            found[state.st_dev, state.st_ino] = state.st_blocks * _BLOCK
        except OSError:  # the process has ended, or closed it
            continue
    return found
