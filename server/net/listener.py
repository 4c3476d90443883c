"""Listening sockets that limit connections from ``accept`` on.

Even an idle connection costs a descriptor and memory. So each is counted before anything is read, until its
descriptor is closed. There is a limit in total and per address; excess connections are refused at once. Some
descriptors are reserved for files and house bots, which use an internal port.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import resource
import socket
import time
import weakref
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from protocol.keep_alive import keep_alive_options
from server.auth.addresses import Network, client_key, in_network
from server.auth.policy import Capacity
from server.errors import ServerError
from server.telemetry import logging_setup as logs
from server.telemetry.logger import get_logger
from server.telemetry.metrics import REJECTED_SOCKETS, SOCKETS

log = get_logger("pokerd.listening")

#: Connections that the system queues, and that are accepted in one go.
BACKLOG: Final = 256
#: Bytes that the system buffers per connection: enough for the largest frame. The reader's buffers have the
#: same size, for as long as the connection lasts.
RECEIVE_BUFFER: Final = 64 * 1024
#: Reserved share of the descriptors, and the minimum number reserved.
RESERVED_SHARE: Final = 4
MIN_RESERVED: Final = 64
#: Connections of an address in addition to those that may play: in their handshake, or loading pages.
EXTRA_PER_ADDRESS: Final = 256
#: Connections rejected in one go, before other callbacks run.
MAX_REJECTIONS_AT_ONCE: Final = 64
#: Rejected connections that wait for their request at once, to get an answer, and seconds to wait.
MAX_REJECTING: Final = 4
REJECT_TIMEOUT: Final = 1.0
#: Seconds between two log lines.
LOG_INTERVAL: Final = 10.0
#: Number of descriptors assumed if there is no limit.
UNLIMITED: Final = 1 << 20

_REJECT_TEXTS: Final = {
    "address": "too_many_connections: too many connections from your address\n",
    "server": "server_full: too many connections\n",
}


class ListenError(ServerError):
    """The address or port is not available; perhaps another process uses it."""

    code = "cannot_listen"
    at_fault = "environment"


def keep_alive(transport: asyncio.BaseTransport) -> None:
    """Let the operating system detect dead peers."""
    connection = transport.get_extra_info("socket")
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        for option in keep_alive_options(socket):
            connection.setsockopt(*option)


class ConnectionLimiter:
    """Limits connections over all listeners: ``total``, and ``per_client`` address, 0 for unlimited;
    ``proxies`` may use the total.
    """

    def __init__(self, total: int, per_client: int = 0, proxies: Sequence[Network] = ()) -> None:
        self.total = total
        self.per_client = per_client
        self.proxies = proxies
        self.in_use = 0
        self._per_client: Counter[str] = Counter()
        self._rejected = 0
        self._logged_at = -LOG_INTERVAL

    def client_of(self, address: str) -> str:
        """Return the client whose limit counts; "" for proxies."""
        return "" if any(in_network(address, proxy) for proxy in self.proxies) else client_key(address)

    def acquire(self, who: str) -> str:
        """Count a connection until ``release``. Returns the limit that refuses it, ``address`` or ``server``;
        otherwise "".
        """
        if self.in_use >= self.total:
            return "server"
        if who and self.per_client and self._per_client[who] >= self.per_client:
            return "address"
        self.in_use += 1
        self._per_client[who] += 1
        return ""

    def release(self, who: str) -> None:
        """Count a closed connection."""
        self.in_use -= 1
        self._per_client[who] -= 1
        if not self._per_client[who]:
            del self._per_client[who]

    def count_rejection(self, who: str, reason: str) -> None:
        """Count a refused connection; it is logged at times."""
        REJECTED_SOCKETS[reason].inc()
        self._rejected += 1
        now = time.monotonic()
        if now - self._logged_at >= LOG_INTERVAL:
            log.warning("connections refused", address=who, reason=reason, refused=self._rejected)
            self._logged_at, self._rejected = now, 0


def limiter_for(capacity: Capacity) -> ConnectionLimiter:
    """Return the limits of a server within its descriptors. One address gets at most half of the
    connections.
    """
    limit = _raise_descriptor_limit()
    reserved = min(max(MIN_RESERVED, limit // RESERVED_SHARE), limit // 2)
    total = min(capacity.connections, limit - reserved)
    one = min(capacity.per_address + EXTRA_PER_ADDRESS, max(total // 2, 1)) if capacity.per_address else 0
    return ConnectionLimiter(total, one, capacity.proxies)


def _raise_descriptor_limit() -> int:
    """Raise this process's limit of descriptors to its maximum, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = UNLIMITED if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # then use the existing limit
        return soft
    return wanted


class _LimitedSocket(socket.socket):
    """A connection that is released when it is closed."""

    def __init__(self, accepted: socket.socket, limiter: ConnectionLimiter, who: str) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        SOCKETS.inc()
        # Also when it is garbage collected.
        self._release = weakref.finalize(self, _release_slot, limiter, who)
        self._release.atexit = False

    def close(self) -> None:
        super().close()
        self._release()


def _release_slot(limiter: ConnectionLimiter, who: str) -> None:
    SOCKETS.dec()
    limiter.release(who)


class Listener(socket.socket):
    """A listening socket; ``accept`` returns only connections that the limiter admits.

    ``limiter`` None: no limit. ``secure``: clients expect TLS, so plain text rejections are useless.
    """

    def __init__(
        self, family: int, limiter: ConnectionLimiter | None = None, *, secure: bool = False
    ) -> None:
        # Named, because asyncio and others set TCP_NODELAY only on sockets with this protocol number.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        self._limiter = limiter or ConnectionLimiter(UNLIMITED)
        self._secure = secure
        self._loop = asyncio.get_running_loop()
        self._rejecting: dict[socket.socket, asyncio.TimerHandle] = {}
        #: A spare descriptor, used to reject a connection if there is no other.
        self._spare_fd: int | None = os.open(os.devnull, os.O_RDONLY)

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection. Raises ``BlockingIOError`` if there is none, or after many refusals."""
        for _ in range(MAX_REJECTIONS_AT_ONCE):
            try:
                accepted, address = super().accept()
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE):
                    raise
                self._reject_without_descriptor()
                continue
            who = self._limiter.client_of(address[0])
            logs.CLIENT_ADDRESS.set(client_key(address[0]))
            reason = self._limiter.acquire(who)
            if not reason:
                return _LimitedSocket(accepted, self._limiter, who), address
            self._limiter.count_rejection(who, reason)
            self._reject(accepted, _REJECT_TEXTS[reason])
        raise BlockingIOError(errno.EAGAIN, "others have a turn")

    def _reject(self, accepted: socket.socket, words: str) -> None:
        """Wait for the request for a page or websocket, answer with the reason, and close."""
        if self._secure or len(self._rejecting) >= MAX_REJECTING:
            accepted.close()
            return
        accepted.setblocking(False)
        self._rejecting[accepted] = self._loop.call_later(
            REJECT_TIMEOUT, partial(self._close_rejected, accepted)
        )
        self._loop.add_reader(accepted, self._send_rejection, accepted, words)

    def _send_rejection(self, accepted: socket.socket, words: str) -> None:
        answer = (
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"Content-Length: {len(words)}\r\nRetry-After: 10\r\nConnection: close\r\n\r\n{words}"
        )
        with contextlib.suppress(OSError):
            accepted.recv(1 << 16)  # unread data resets the connection, and the answer could be lost
            accepted.send(answer.encode())
        self._close_rejected(accepted)

    def _close_rejected(self, accepted: socket.socket) -> None:
        self._rejecting.pop(accepted).cancel()
        self._loop.remove_reader(accepted)
        accepted.close()

    def _reject_without_descriptor(self) -> None:
        """Reject a connection when there is no descriptor, with the spare one."""
        if self._spare_fd is not None:
            os.close(self._spare_fd)
        self._spare_fd = None
        with contextlib.suppress(OSError):
            accepted, address = super().accept()
            accepted.close()
            self._limiter.count_rejection(client_key(address[0]), "descriptors")
        with contextlib.suppress(OSError):
            self._spare_fd = os.open(os.devnull, os.O_RDONLY)

    def close(self) -> None:
        """Stop listening."""
        for accepted in list(self._rejecting):
            self._close_rejected(accepted)
        if self._spare_fd is not None:
            os.close(self._spare_fd)
            self._spare_fd = None
        super().close()


def listen(
    host: str, port: int, limiter: ConnectionLimiter | None = None, *, secure: bool = False
) -> list[Listener]:
    """Listen on ``host``:``port`` (0: any free port), at each of its addresses. Raises ``ListenError``."""
    found: list[Listener] = []
    try:
        infos = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )
        for family, _, _, _, address in dict.fromkeys(infos):
            try:
                _bind(found, Listener(family, limiter, secure=secure), address)
            except OSError as error:
                # A host may have addresses of a family that the system does not support.
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT) or len(infos) == 1:
                    raise
    except OSError as error:
        for one in found:
            one.close()
        raise ListenError(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
    if not found:
        raise ListenError(f"cannot listen at {host}:{port}: this system has no such address")
    return found


def _bind(found: list[Listener], listener: Listener, address: Any) -> None:
    """Bind another address to the port of the first."""
    host, port, *rest = address
    try:
        listener.setblocking(False)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if listener.family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((host, found[0].getsockname()[1] if found else port, *rest))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    found.append(listener)
