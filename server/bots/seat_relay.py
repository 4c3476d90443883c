"""The way from an isolated program to the server: its only one.

The program connects to ``POKERD_URL`` as any other; in its own network, we listen there, and pass on what it
sends. It may hold few connections, and neither open them nor send faster than any player needs: it could
take the server's time from others.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Final

#: Connections at once; one plays, another may take its place.
MAX_CONNECTIONS: Final = 4
#: Seconds between two new ones.
ACCEPT_INTERVAL: Final = 0.05
#: Bytes per second that a program may send: more than a thousand actions, or so many pings that the server
#: answers them in passing. Seconds for which it may save them up.
MAX_RATE: Final = 128 << 10
MAX_SAVED: Final = 0.25
#: Bytes passed on in one go, from the program and to it.
CHUNK_IN: Final = 1 << 12
CHUNK_OUT: Final = 1 << 16
#: Seconds for one side to end after the other.
LINGER: Final = 1.0


class SeatRelay:
    """Accepts connections from ``listening`` and passes them on to a server on this machine."""

    def __init__(self, listening: socket.socket, host: str, port: int) -> None:
        self._listening = listening
        self._address = host, port
        self._connections: set[asyncio.Task[None]] = set()
        self._sent_until = 0.0
        listening.setblocking(False)
        self._next: asyncio.TimerHandle | None = None
        self._listen()

    async def close(self) -> None:
        """Cut all connections."""
        asyncio.get_running_loop().remove_reader(self._listening)
        if self._next is not None:
            self._next.cancel()
        self._listening.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _listen(self) -> None:
        asyncio.get_running_loop().add_reader(self._listening, self._accept)

    def _accept(self) -> None:
        # No task awaits `sock_accept`: a task cancelled at the wrong moment loses the new socket unclosed.
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._listening)
        self._next = loop.call_later(ACCEPT_INTERVAL, self._listen)
        with contextlib.suppress(OSError):  # usually no descriptor is free
            inside, _ = self._listening.accept()
            if len(self._connections) >= MAX_CONNECTIONS:
                inside.close()
                return
            inside.setblocking(False)
            task = asyncio.create_task(self._connect(inside), name="connection of a bot")
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
            task.add_done_callback(lambda _: inside.close())  # a task that is cancelled at once never begins

    async def _connect(self, inside: socket.socket) -> None:
        """Pass on both ways, until one side has ended."""
        loop = asyncio.get_running_loop()
        family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        with socket.socket(family) as outside, contextlib.suppress(OSError):
            outside.setblocking(False)
            for one in (inside, outside):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.sock_connect(outside, self._address)
            ways = (
                asyncio.create_task(self._pass_on(inside, outside, limited=True)),
                asyncio.create_task(self._pass_on(outside, inside, limited=False)),
            )
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.wait(ways, timeout=LINGER)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)

    async def _pass_on(self, source: socket.socket, target: socket.socket, *, limited: bool) -> None:
        loop = asyncio.get_running_loop()
        while data := await loop.sock_recv(source, CHUNK_IN if limited else CHUNK_OUT):
            await loop.sock_sendall(target, data)
            if limited:
                now = loop.time()
                self._sent_until = max(self._sent_until, now - MAX_SAVED) + len(data) / MAX_RATE
                if self._sent_until > now:
                    await asyncio.sleep(self._sent_until - now)
        target.shutdown(socket.SHUT_WR)
