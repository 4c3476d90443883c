"""Computing of a process and of all that it ever starts, counted by the kernel (perf_event_open(2)).

Sums of ``/proc`` miss what ended before anybody looked, where its parent does not wait for it. This counter
is inherited by every process and thread that comes after it, however short it lives and wherever it hides,
and adds up what it has used when it ends. The kernel lets a user count his own processes unless
``kernel.perf_event_paranoid`` is above 2.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Mapping
from threading import Lock
from typing import Final

__all__ = ["CpuCounter", "ObservedCpu"]

#: The call's number by machine.
_CALL: Final = {"x86_64": 298, "aarch64": 241}
#: ``struct perf_event_attr`` (linux/perf_event.h): kind, size, what is counted, three fields of no use here,
#: bits.
_ATTRIBUTES: Final = "IIQQQQQ"
_SIZE: Final = 112
_SOFTWARE, _TASK_CLOCK = 1, 1
#: Bits: inherited by children; users must leave out what is done in the kernel, and this clock counts it all
#: the same.
_INHERIT, _NOT_THE_KERNEL = 1 << 1, 1 << 5
_ANY_PROCESSOR, _NO_GROUP, _CLOSE_ON_EXEC = -1, -1, 1 << 3
_NANOSECONDS: Final = 1e9


class CpuCounter:
    """Counts from now on for a process that has started nothing yet. Raises ``OSError`` where it may not."""

    def __init__(self, process: int) -> None:
        self._fd = -1
        self._lock = Lock()  # it is read in a thread, and closed in another
        number = _CALL.get(os.uname().machine) if sys.platform == "linux" else None
        if number is None:
            raise OSError("no counters here")
        asked = _SOFTWARE, _SIZE, _TASK_CLOCK, 0, 0, 0, _INHERIT | _NOT_THE_KERNEL
        attributes = struct.pack(_ATTRIBUTES, *asked).ljust(_SIZE, b"\0")
        words = (process, _ANY_PROCESSOR, _NO_GROUP, _CLOSE_ON_EXEC)
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = int(libc.syscall(ctypes.c_long(number), attributes, *map(ctypes.c_long, words)))
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def seconds(self) -> float:
        """What was used so far; 0 when it is closed."""
        with self._lock:
            if self._fd < 0:
                return 0.0
            (count,) = struct.unpack("Q", os.read(self._fd, 8))
            return float(count / _NANOSECONDS)

    def close(self) -> None:
        """Count no more. It may be called again."""
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1


class ObservedCpu:
    """Computing of processes as it was when they were last looked at, also of those that are gone since: no
    more than they have used.
    """

    def __init__(self) -> None:
        self._alive: Mapping[tuple[int, int], float] = {}
        self._exited = 0.0

    def update(self, own: Mapping[tuple[int, int], float]) -> float:
        """Seconds in all; ``own``: those of each process that is there now, by number and start."""
        self._exited += sum(used for key, used in self._alive.items() if key not in own)
        self._alive = own
        return self._exited + sum(own.values())
