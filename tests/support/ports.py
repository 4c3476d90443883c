"""Ports for servers that a test ends and begins again."""

from __future__ import annotations

import random
import socket
from contextlib import suppress
from pathlib import Path

#: The system gives these to outgoing connections: "lowest highest" (Linux, ip-sysctl, ip_local_port_range).
GIVEN_BY_THE_SYSTEM = Path("/proc/sys/net/ipv4/ip_local_port_range")
LOWEST = 10_000


def free_port() -> int:
    """A port at which nobody listens, and that no outgoing connection is given while its server is down."""
    beyond = int(GIVEN_BY_THE_SYSTEM.read_text("utf-8").split()[0])
    for port in random.sample(range(LOWEST, beyond), 100):
        with suppress(OSError), socket.socket() as one:
            one.bind(("127.0.0.1", port))
            return port
    raise AssertionError(f"100 ports from {LOWEST} to {beyond} are taken")
