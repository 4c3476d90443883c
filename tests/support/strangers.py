"""Strangers at a port: plain sockets, and what they send who know no better, or worse."""

from __future__ import annotations

import base64
import os
import socket
import ssl
from contextlib import suppress
from functools import partial


def websocket(port: int, *, secure: bool) -> socket.socket:
    """A websocket after its handshake."""
    plain = socket.create_connection(("127.0.0.1", port), 30)
    if secure:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        plain = context.wrap_socket(plain)
    key = base64.b64encode(os.urandom(16)).decode()
    plain.sendall(
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert plain.recv(4096).startswith(b"HTTP/1.1 101")
    return plain


def opened(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 10)


def ended(connection: socket.socket) -> None:
    """Wait until the other end has closed."""
    with suppress(ConnectionError):
        while connection.recv(1 << 16):
            pass


def chunks(port: int, answered: bool = True) -> None:
    """A request whose body is nonsense, before or after it has been answered."""
    with opened(port) as connection:
        request = b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(request if answered else request + b"zz\r\n")
        if answered:
            connection.recv(100)
        with suppress(ConnectionError):
            for _ in range(60):
                connection.sendall(b"zz\r\n" * 100)
        ended(connection)


def no_http(port: int) -> None:
    with opened(port) as connection:
        connection.sendall(b"\x00\x01junk\r\n\r\n")
        ended(connection)


def bad_frames(port: int) -> None:
    with websocket(port, secure=False) as connection:
        connection.sendall(b"\x83\x80\0\0\0\0" * 10)
        ended(connection)


def no_admin(port: int) -> None:
    with opened(port) as connection:
        connection.sendall(
            b"GET /api/admin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            b"Authorization: Bearer x\r\n\r\n"
        )
        ended(connection)


def harassed(bots: int, people: int) -> None:
    """What strangers send who know no better, or worse."""
    for attempt in (chunks, partial(chunks, answered=False), no_http, bad_frames, no_admin):
        for _ in range(10):
            attempt(people)
    for attempt in (no_http, bad_frames):
        for _ in range(10):
            attempt(bots)
