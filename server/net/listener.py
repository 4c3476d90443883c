"""Listening sockets that count who comes, from ``accept`` on.

A connection that says nothing costs a descriptor and some memory all the same. So each has a place before
anything of it is read, until its descriptor is closed; there are so many places, one address may have so many
of them, and who finds none is turned away at once. Some descriptors are left for what the server needs
besides: its files, and its own bots, which come by a door that only this machine reaches.
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

import structlog

from server.auth.addresses import Network, origin, within
from server.auth.policy import Capacity
from server.telemetry import logging_setup as logs
from server.telemetry.metrics import SOCKETS, TURNED_AWAY

__all__ = [
    "BACKLOG",
    "ListenError",
    "Listener",
    "Places",
    "keep_alive",
    "listen",
    "places_of",
]

log = structlog.get_logger("pokerd.listening")

#: Connections that the system holds until we take them, and that are taken in one go.
BACKLOG: Final = 256
#: Bytes that the system holds of what one connection says until it is read: enough for the largest frame.
#: Whatever reads them has buffers as large, for as long as the connection lasts.
RECEIVE_BUFFER: Final = 64 * 1024
#: Of so many descriptors, the share that is no place, and the least number of these.
KEPT: Final = 4
LEAST_KEPT: Final = 64
#: Connections of one address beyond those that may play: on the way in, or asking for pages.
ON_THE_WAY: Final = 256
#: Turned away in one go, before the others of the event loop have a turn.
AT_ONCE: Final = 64
#: Of those who are turned away, so many at once are given so many seconds to ask, and are told why.
PARTING: Final = 4
PART: Final = 1.0
#: Seconds of silence after which the other end's operating system is asked whether it is still there, between
#: two such questions, and until what it does not acknowledge counts as lost. It answers also while its
#: program thinks, so a connection that the network has swallowed is known to be gone after that time.
KEEP_IDLE: Final = 5
KEEP_INTERVAL: Final = 5
SWALLOWED: Final = 15
#: Seconds between two lines of the log.
TELL: Final = 10.0
#: Descriptors that are enough where there is no limit.
ENOUGH: Final = 1 << 20

_WORDS: Final = {
    "address": "too_many_connections: too many connections from your address\n",
    "server": "server_full: too many connections\n",
}


class ListenError(ValueError):
    """The address or port cannot be listened at; somebody else may do so already."""

    code = "cannot_listen"


def keep_alive(transport: asyncio.BaseTransport) -> None:
    """Let the operating system find out when the other end of a connection is gone without a word."""
    connection = transport.get_extra_info("socket")
    if connection is None or connection.family not in (socket.AF_INET, socket.AF_INET6):
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    wanted = {
        "TCP_KEEPIDLE": KEEP_IDLE,
        "TCP_KEEPINTVL": KEEP_INTERVAL,
        "TCP_KEEPCNT": (SWALLOWED - KEEP_IDLE) // KEEP_INTERVAL,
        "TCP_USER_TIMEOUT": 1000 * SWALLOWED,
    }
    for name, value in wanted.items():
        if hasattr(socket, name):  # not every system has all of them
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Places:
    """The places for connections, at all doors together: ``total``, and ``of_one`` address, 0 for any
    number; ``proxies`` may have all of them.
    """

    def __init__(self, total: int, of_one: int = 0, proxies: Sequence[Network] = ()) -> None:
        self.total = total
        self.of_one = of_one
        self.proxies = proxies
        self.taken = 0
        self._of: Counter[str] = Counter()
        self._refused = 0
        self._told_at = -TELL

    def holder(self, address: str) -> str:
        """Who takes a place that a connection from there needs: nobody in particular, if it is a proxy."""
        return "" if any(within(address, proxy) for proxy in self.proxies) else origin(address)

    def take(self, who: str) -> str:
        """Give somebody a place, which must be given back. Why not, if there is none: ``address``,
        ``server``; else nothing.
        """
        if self.taken >= self.total:
            return "server"
        if who and self.of_one and self._of[who] >= self.of_one:
            return "address"
        self.taken += 1
        self._of[who] += 1
        return ""

    def give_back(self, who: str) -> None:
        """The connection is closed."""
        self.taken -= 1
        self._of[who] -= 1
        if not self._of[who]:
            del self._of[who]

    def refused(self, who: str, reason: str) -> None:
        """Count one who was turned away; now and then that is told."""
        TURNED_AWAY[reason].inc()
        self._refused += 1
        now = time.monotonic()
        if now - self._told_at >= TELL:
            log.warning("connections refused", address=who, reason=reason, refused=self._refused)
            self._told_at, self._refused = now, 0


def places_of(capacity: Capacity) -> Places:
    """The places of a server, as far as it has descriptors for them: it takes as many as it may have. One
    address has at most half of the places.
    """
    limit = _descriptors()
    kept = min(max(LEAST_KEPT, limit // KEPT), limit // 2)
    total = min(capacity.connections, limit - kept)
    one = min(capacity.per_address + ON_THE_WAY, max(total // 2, 1)) if capacity.per_address else 0
    return Places(total, one, capacity.proxies)


def _descriptors() -> int:
    """Let this process have as many descriptors as it may: how many these are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # then with those that there are
        return soft
    return wanted


class _Placed(socket.socket):
    """A connection that gives its place back when it is closed."""

    def __init__(self, accepted: socket.socket, places: Places, who: str) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        SOCKETS.inc()
        # Also if it should be forgotten instead of closed.
        self._leave = weakref.finalize(self, _left, places, who)
        self._leave.atexit = False

    def close(self) -> None:
        super().close()
        self._leave()


def _left(places: Places, who: str) -> None:
    SOCKETS.dec()
    places.give_back(who)


class Listener(socket.socket):
    """A socket that listens; ``accept`` gives those alone who have found a place.

    ``places`` None: there is one for everybody. ``secure``: who comes expects TLS, so that words without it
    would mean nothing to him.
    """

    def __init__(self, family: int, places: Places | None = None, *, secure: bool = False) -> None:
        # Named, because asyncio and its like set TCP_NODELAY only on sockets that say so.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        self._places = places or Places(ENOUGH)
        self._secure = secure
        self._loop = asyncio.get_running_loop()
        self._parting: dict[socket.socket, asyncio.TimerHandle] = {}
        #: Given up when there is no other, to be able to turn away who waits.
        self._spare: int | None = os.open(os.devnull, os.O_RDONLY)

    def accept(self) -> tuple[socket.socket, Any]:
        """The next one. Raises ``BlockingIOError`` when nobody is there, or after many who found no place."""
        for _ in range(AT_ONCE):
            try:
                accepted, address = super().accept()
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE):
                    raise
                self._turn_away_unseen()
                continue
            who = self._places.holder(address[0])
            logs.ADDRESS.set(origin(address[0]))
            reason = self._places.take(who)
            if not reason:
                return _Placed(accepted, self._places, who), address
            self._places.refused(who, reason)
            self._turn_away(accepted, _WORDS[reason])
        raise BlockingIOError(errno.EAGAIN, "others have a turn")

    def _turn_away(self, accepted: socket.socket, words: str) -> None:
        """Say why to a browser or a program that asks for a websocket, when it has asked, and close."""
        if self._secure or len(self._parting) >= PARTING:
            accepted.close()
            return
        accepted.setblocking(False)
        self._parting[accepted] = self._loop.call_later(PART, partial(self._part, accepted))
        self._loop.add_reader(accepted, self._answer, accepted, words)

    def _answer(self, accepted: socket.socket, words: str) -> None:
        answer = (
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"Content-Length: {len(words)}\r\nRetry-After: 10\r\nConnection: close\r\n\r\n{words}"
        )
        with contextlib.suppress(OSError):
            accepted.recv(1 << 16)  # what is not read makes a reset of the end, and the words might be lost
            accepted.send(answer.encode())
        self._part(accepted)

    def _part(self, accepted: socket.socket) -> None:
        self._parting.pop(accepted).cancel()
        self._loop.remove_reader(accepted)
        accepted.close()

    def _turn_away_unseen(self) -> None:
        """There is no descriptor to take anybody with: the spare one is, for a moment."""
        if self._spare is not None:
            os.close(self._spare)
        self._spare = None
        with contextlib.suppress(OSError):
            accepted, address = super().accept()
            accepted.close()
            self._places.refused(origin(address[0]), "descriptors")
        with contextlib.suppress(OSError):
            self._spare = os.open(os.devnull, os.O_RDONLY)

    def close(self) -> None:
        """Listen no more."""
        for accepted in list(self._parting):
            self._part(accepted)
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
        super().close()


def listen(host: str, port: int, places: Places | None = None, *, secure: bool = False) -> list[Listener]:
    """Listen at ``host``:``port`` (0: any free one), at each of its addresses. Raises ``ListenError``."""
    found: list[Listener] = []
    try:
        infos = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )
        for family, _, _, _, address in dict.fromkeys(infos):
            try:
                _bind(found, Listener(family, places, secure=secure), address)
            except OSError as error:
                # A system may have names for addresses of a family that it does not speak.
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
    """Bind one more, to the port of the first."""
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
