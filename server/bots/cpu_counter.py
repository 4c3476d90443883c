"""CPU time of a process and all its descendants, counted by the kernel (perf_event_open(2)).

Sums over ``/proc`` miss processes that ended between two looks, if their parent does not wait for them. This
counter is inherited by every later process and thread, however short-lived, and adds up what each has used
when it ends. The kernel lets users count their own processes unless ``kernel.perf_event_paranoid`` is above
2.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Mapping
from threading import Lock
from typing import Final

#: The number of the system call, by machine.
_CALL: Final = {"x86_64": 298, "aarch64": 241}
#: ``struct perf_event_attr`` (linux/perf_event.h): type, size, config, three unused fields, flags.
_ATTRIBUTES: Final = "IIQQQQQ"
_SIZE: Final = 112
_SOFTWARE, _TASK_CLOCK = 1, 1
#: Flags: inherited by children; users must exclude the kernel, though this clock includes it.
_INHERIT, _NOT_THE_KERNEL = 1 << 1, 1 << 5
_ANY_PROCESSOR, _NO_GROUP, _CLOSE_ON_EXEC = -1, -1, 1 << 3
_NANOSECONDS: Final = 1e9


class CpuCounter:
    """Counts from now on for a process without children. Raises ``OSError`` if that is not allowed."""

    def __init__(self, process: int) -> None:
        self._fd = -1
        self._lock = Lock()  # it is read in one thread and closed in another
        number = _CALL.get(os.uname().machine) if sys.platform == "linux" else None
        if number is None:
            raise OSError("no counters here")
        settings = _SOFTWARE, _SIZE, _TASK_CLOCK, 0, 0, 0, _INHERIT | _NOT_THE_KERNEL
        attributes = struct.pack(_ATTRIBUTES, *settings).ljust(_SIZE, b"\0")
        words = (process, _ANY_PROCESSOR, _NO_GROUP, _CLOSE_ON_EXEC)
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = int(libc.syscall(ctypes.c_long(number), attributes, *map(ctypes.c_long, words)))
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def seconds(self) -> float:
        """Return the CPU seconds so far; 0 when closed."""
        with self._lock:
            if self._fd < 0:
                return 0.0
            (count,) = struct.unpack("Q", os.read(self._fd, 8))
            return float(count / _NANOSECONDS)

    def close(self) -> None:
        """Stop counting. May be called again."""
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1


class ObservedCpu:
    """CPU time of processes as last seen, including those that are gone since: a lower bound."""

    def __init__(self) -> None:
        self._alive: Mapping[tuple[int, int], float] = {}
        self._exited = 0.0

    def update(self, own: Mapping[tuple[int, int], float]) -> float:
        """Return the seconds in all; ``own`` has those of each present process, by number and start."""
        self._exited += sum(used for key, used in self._alive.items() if key not in own)
        self._alive = own
        return self._exited + sum(own.values())
