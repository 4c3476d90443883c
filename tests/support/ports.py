"""Ports for servers that a test ends and begins again."""

from __future__ import annotations

import os
import random
import re
import socket
from contextlib import suppress
from pathlib import Path

#: The system gives these to outgoing connections: "lowest highest" (Linux, ip-sysctl, ip_local_port_range).
GIVEN_BY_THE_SYSTEM = Path("/proc/sys/net/ipv4/ip_local_port_range")
LOWEST = 10_000


#: Processes of pytest that may run side by side; each gives away ports of its own.
SIDE_BY_SIDE = 16
_given: set[int] = set()


def free_port() -> int:
    """A port at which nobody listens, that no test gets twice, and that no outgoing connection is given while
    its server is down.
    """
    beyond = int(GIVEN_BY_THE_SYSTEM.read_text("utf-8").split()[0])
    worker = re.search(r"\d+$", os.environ.get("PYTEST_XDIST_WORKER", ""))
    first = LOWEST + (int(worker[0]) % SIDE_BY_SIDE if worker else 0)
    ours = [port for port in range(first, beyond, SIDE_BY_SIDE) if port not in _given]
    for port in random.sample(ours, min(100, len(ours))):
        with suppress(OSError), socket.socket() as one:
            one.bind(("127.0.0.1", port))
            _given.add(port)
            return port
    raise AssertionError(f"no port from {first} to {beyond} is free")
