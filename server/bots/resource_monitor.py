"""Resource usage of a bot and its descendants, and its limits."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from server.bots.cpu_counter import CpuCounter, ObservedCpu
from server.bots.proc_usage import Usage, proportional_memory
from server.bots.sandbox import MAX_FILES, Limits
from server.telemetry.incidents import Incident

_MIB: Final = 1024 * 1024
_BLOCK: Final = 512  # unit of ``st_blocks``, for every file system


class ResourceMonitor:
    """Monitors one bot: ``pid``, which has no children yet, with ``limits``; ``folder`` is its own. Of its
    processes ``overhead`` are not counted.
    """

    def __init__(self, pid: int, limits: Limits, folder: str, overhead: int = 0) -> None:
        self.limits = limits
        self._overhead = overhead
        self.folder = folder
        self._observed = ObservedCpu()
        self._counter: CpuCounter | None = None
        with suppress(OSError):  # then CPU time is a lower bound
            self._counter = CpuCounter(pid)

    @property
    def exact(self) -> bool:
        """Return whether the kernel counts all CPU time; otherwise it is a lower bound."""
        return self._counter is not None

    def close(self) -> None:
        """Stop monitoring; the bot is gone."""
        if self._counter is not None:
            self._counter.close()

    def find_exceeded(self, usage: Usage, *, check_disk: bool) -> Incident | None:
        """Return the limit that it exceeds, if any. Files are counted only with ``check_disk``."""
        limits = self.limits
        if self._memory(usage) > limits.memory_mb * _MIB:
            return Incident.MEMORY_LIMIT
        if usage.tasks > limits.processes + self._overhead:
            return Incident.PROCESS_LIMIT
        if self._cpu_seconds(usage) > (limits.cpu_s or float("inf")):
            return Incident.CPU_LIMIT
        if check_disk and disk_usage(self.folder, usage.processes) > limits.disk_mb * _MIB:
            return Incident.DISK_LIMIT
        return None

    def _memory(self, usage: Usage) -> int:
        """Shared memory counts for each process at first, which is cheap; only if that exceeds the limit is
        it measured exactly.
        """
        if usage.memory <= self.limits.memory_mb * _MIB:
            return usage.memory
        return min(usage.memory, sum(map(proportional_memory, usage.processes)))

    def _cpu_seconds(self, usage: Usage) -> float:
        seen = max(usage.cpu, self._observed.update(usage.own))
        return seen if self._counter is None else max(seen, self._counter.seconds())


def disk_usage(folder: str, processes: Iterable[int]) -> float:
    """Return the bytes on disk of a folder's content, and of deleted files that these processes have open.
    Infinity if there are more than ``MAX_FILES``.
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
        except PermissionError:  # what it hides may be anything
            return float("inf")
        except OSError:  # it is gone
            continue
    return sum(found.values())


def _deleted_open_files(processes: Iterable[int]) -> dict[tuple[int, int], int]:
    """Return the sizes of deleted files that are still open, by device and inode."""
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
