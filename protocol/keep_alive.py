"""TCP keep-alive settings: both ends detect a dead connection even while their programs are busy."""

from __future__ import annotations

from types import ModuleType
from typing import Final

#: Seconds of silence before the first probe, between probes, and until unacknowledged data counts as lost.
KEEP_IDLE: Final = 5
KEEP_INTERVAL: Final = 5
DEAD_PEER_TIMEOUT: Final = 15


def keep_alive_options(system: ModuleType) -> list[tuple[int, int, int]]:
    """Return the arguments for ``setsockopt`` calls on a TCP socket. ``system`` is the module ``socket``."""
    wanted = {
        "TCP_KEEPIDLE": KEEP_IDLE,
        "TCP_KEEPINTVL": KEEP_INTERVAL,
        "TCP_KEEPCNT": (DEAD_PEER_TIMEOUT - KEEP_IDLE) // KEEP_INTERVAL,
        "TCP_USER_TIMEOUT": 1000 * DEAD_PEER_TIMEOUT,
    }
    # Not every operating system has all of them.
    there = [name for name in wanted if hasattr(system, name)]
    tcp = [(system.IPPROTO_TCP, getattr(system, name), wanted[name]) for name in there]
    return [(system.SOL_SOCKET, system.SO_KEEPALIVE, 1), *tcp]
