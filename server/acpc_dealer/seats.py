"""The network seats of a match: a TCP port for each, whose listener closes once its player has connected.

A match waits for one player at a time, so its sockets simply block; this keeps the latency of a decision low.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from protocol.acpc import LineReader
from server.acpc_dealer.options import AcpcDealerError
from server.errors import ServerError

#: Milliseconds of waiting after which buffered states are sent to the other players.
RECEIVE_TIMEOUT_MS: Final = 3
#: Seconds of waiting without sleep, for players that answered as fast the last time. Alone on its CPU the
#: dealer would only keep the player from running.
BUSY_WAIT: Final = 100e-6 if os.cpu_count() != 1 else 0.0
#: Maximum number of buffered bytes.
MAX_PENDING: Final = 8192
#: Attempts to find a free port, as in the reference.
RETRIES: Final = 10


class SeatFault(ServerError):
    """A fault of a player that ends the match. ``seat`` counts from 0."""

    at_fault = "player"

    def __init__(self, seat: int, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.seat = seat


class SeatConnection:
    """A connected player. Sending and receiving raise SeatFault (``gone``, ``not_reading``,
    ``out_of_time``).
    """

    __slots__ = ("_fast", "_lines", "_pending", "_poll", "_reader", "_socket", "number", "send_timeout")

    def __init__(self, number: int, connection: socket.socket, send_timeout: float) -> None:
        self.number = number
        #: Seconds that the player may take to read what was sent.
        self.send_timeout = send_timeout
        self._socket = connection
        self._reader = LineReader()
        self._lines: deque[bytes] = deque()
        self._pending = b""
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        #: Whether the last line came while waiting for it without sleeping pays.
        self._fast = False
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, RECEIVE_TIMEOUT_MS * 1000)
        )
        seconds = max(1, min(int(send_timeout), 2**31))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", seconds, 0))

    def buffer(self, line: bytes) -> None:
        """Buffer a line that needs no answer."""
        self._pending += line
        if len(self._pending) > MAX_PENDING:
            self.flush()

    def flush(self) -> None:
        """Send buffered lines."""
        if not self._pending:
            return
        pending, self._pending = self._pending, b""
        try:
            self._socket.sendall(pending)
        except BlockingIOError:
            raise self._fault("not_reading", "does not read what is sent to it") from None
        except OSError as error:
            raise self._closed_fault(error) from None

    def send(self, line: bytes) -> None:
        """Send a line that needs an answer, at once."""
        self._pending += line
        self.flush()

    def receive(self, deadline: float, on_idle: Callable[[], None]) -> bytes:
        """Return the next line. ``on_idle`` is called once if none arrives soon."""
        asked = time.monotonic()
        while not self._lines:
            if self._fast:
                # A player that answers at once finds us awake: to wake a process takes longer than to play.
                until = asked + BUSY_WAIT
                while not self._poll.poll(0) and time.monotonic() < until:
                    pass
            try:
                data = self._socket.recv(65536)
            except BlockingIOError:
                on_idle()
                data = self._poll_until(deadline)
            except OSError as error:
                raise self._closed_fault(error) from None
            if data:
                self._lines += self._reader.feed(data)
            else:
                rest = self._reader.flush()
                if not rest:
                    raise self._closed_fault()
                self._lines.append(rest)
        self._fast = time.monotonic() - asked < BUSY_WAIT
        return self._lines.popleft()

    def _poll_until(self, deadline: float) -> bytes:
        while True:
            left = deadline - time.monotonic()
            # Wait slightly past the deadline, never less.
            if left <= 0 or not self._poll.poll(min(left * 1000 + 1, 2**31 - 1)):
                if time.monotonic() >= deadline:
                    raise self._fault("out_of_time", "ran out of time")
                continue
            try:
                return self._socket.recv(65536)
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._closed_fault(error) from None

    def _fault(self, code: str, what: str) -> SeatFault:
        return SeatFault(self.number, code, f"seat {self.number + 1} {what}")

    def _closed_fault(self, error: OSError | None = None) -> SeatFault:
        why = f": {error.strerror}" if error is not None else ""
        return self._fault("gone", f"closed its connection{why}")

    def close(self) -> None:
        """Send buffered lines if possible, and close the connection without losing them."""
        with contextlib.suppress(SeatFault, OSError):
            self.flush()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
            # Unread data would make the kernel reset the connection and lose what was just sent.
            while self._socket.recv(65536, socket.MSG_DONTWAIT):
                pass
        self._socket.close()


# Before the match.


def reference_ports(seed: int) -> Iterator[int]:
    """Yield the ports that the reference tries: ``random() % 64512 + 1024`` of glibc, seeded with the match's
    seed.

    glibc's ``random`` is the additive feedback generator r[i] = r[i-3] + r[i-31], whose first 310 numbers are
    discarded.
    """
    word = seed or 1
    state = deque([word], maxlen=31)
    word -= 2**32 if word >= 2**31 else 0
    while len(state) < 31:
        word = 16807 * word % 2147483647
        state.append(word)

    # glibc copies the next three: r[i] = r[i-31] for i = 31 to 33.
    state.extend([state[0], state[1], state[2]])
    drawn = 0
    while True:
        state.append((state[0] + state[-3]) % 2**32)
        drawn += 1
        if drawn > 310:
            yield (state[-1] >> 1) % 64512 + 1024


def listen(host: str, ports: Sequence[int], seed: int) -> list[socket.socket]:
    """Return a listening socket for each port. For port 0, use the first free one that the reference would
    try, or else any.

    Raises AcpcDealerError ``cannot_listen``.
    """
    proposals = reference_ports(seed)
    listeners: list[socket.socket] = []
    for port in ports:
        candidates = [port] if port else [*islice(proposals, RETRIES), 0]
        try:
            listeners.append(_listen(host, candidates))
        except OSError as error:
            for listener in listeners:
                listener.close()
            text = f"cannot listen at {host}:{port or 'any port'}: {error.strerror or error}"
            raise AcpcDealerError("cannot_listen", text) from None
    return listeners


def _listen(host: str, candidates: Sequence[int]) -> socket.socket:
    for port in candidates:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(8)
        except OSError:
            listener.close()
            if port == candidates[-1]:
                raise
        else:
            return listener
    raise AssertionError("there is always a candidate")


def accept_seats(
    listeners: Sequence[socket.socket], send_timeout: float, deadline: float | None
) -> list[SeatConnection]:
    """Wait for the players, seat by seat. Raises AcpcDealerError ``start_timeout``."""
    seats: list[SeatConnection] = []
    try:
        for number, listener in enumerate(listeners):
            left = None if deadline is None else min(max(0.0, deadline - time.monotonic()), 2.0**31)
            if not select.select([listener], [], [], left)[0]:
                raise AcpcDealerError("start_timeout", f"timed out waiting for seat {number + 1} to connect")
            connection, _ = listener.accept()
            listener.close()
            seats.append(SeatConnection(number, connection, send_timeout))
    except BaseException:
        for seat in seats:
            seat.close()
        raise
    finally:
        for listener in listeners:
            listener.close()
    return seats
