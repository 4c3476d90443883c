"""How both ends find out that the network has swallowed a connection: their operating systems ask each other,
also while the programs think.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

__all__ = ["DEAD_PEER_TIMEOUT", "keep_alive_options"]

#: Seconds of silence after which the other end's operating system is asked whether it is still there, between
#: two such questions, and until what it does not acknowledge counts as lost.
KEEP_IDLE: Final = 5
KEEP_INTERVAL: Final = 5
DEAD_PEER_TIMEOUT: Final = 15


def keep_alive_options(system: ModuleType) -> list[tuple[int, int, int]]:
    """What ``setsockopt`` of a TCP connection is given. ``system``: the module ``socket``, which has the
    options by name.
    """
    wanted = {
        "TCP_KEEPIDLE": KEEP_IDLE,
        "TCP_KEEPINTVL": KEEP_INTERVAL,
        "TCP_KEEPCNT": (DEAD_PEER_TIMEOUT - KEEP_IDLE) // KEEP_INTERVAL,
        "TCP_USER_TIMEOUT": 1000 * DEAD_PEER_TIMEOUT,
    }
    # Not every system has all of them.
    there = [name for name in wanted if hasattr(system, name)]
    tcp = [(system.IPPROTO_TCP, getattr(system, name), wanted[name]) for name in there]
    return [(system.SOL_SOCKET, system.SO_KEEPALIVE, 1), *tcp]
