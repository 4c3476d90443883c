"""A lean ACPC program that always calls, for heads-up limit hold'em: ``-m benchmarks.acpc_player PORT``."""

from __future__ import annotations

import socket
import sys


def _mine(position: bytes, betting: bytes) -> bool:
    """Return whether a player who always calls, against others who do too, is to act."""
    *earlier, street = betting.split(b"/")
    first = b"0" if earlier else b"1"
    return len(street) < 2 and (position == first) == (not street)


def main() -> None:
    """Play until the dealer closes the connection."""
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b"VERSION:2.0.0\r\n")
        rest = b""
        while data := connection.recv(65536):
            *lines, rest = (rest + data).split(b"\r\n")
            for line in lines:
                _, position, _, betting, _ = line.split(b":")
                if _mine(position, betting):
                    connection.sendall(line + b":c\r\n")


if __name__ == "__main__":
    main()
