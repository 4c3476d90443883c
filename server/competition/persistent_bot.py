"""Bots that connect once to a competition and play many of its sessions."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import Awaitable, Callable

from server.auth.tokens import draw
from server.bots.processes import BotProcess
from server.competition.file import BotEntry
from server.house.house import Player
from server.net.acpc_connection import AcpcConnection

__all__ = ["Standing"]


class Standing:
    """A bot that connects once and plays many sessions: a remote one, or a managed one with ``reset =
    "message"``.

    ``restart`` starts the process of a managed one once more, as a new ``player``.
    """

    def __init__(
        self, entry: BotEntry, key: bytes, restart: Callable[[Standing], Awaitable[None]] | None = None
    ) -> None:
        self.entry = entry
        self._restart = restart
        self.player = self._fresh()
        if entry.remote:
            # The same from every server that plays this competition, so that he may come back to any.
            text = f"resume {entry.name} {entry.secret}".encode()
            self.player.resume = hmac.digest(key, text, "sha256").hex()
        #: It has connected, or its process has ended: nobody need wait.
        self.settled = asyncio.Event()
        self.used = 0
        self.changed = asyncio.Condition()
        self.process: BotProcess | None = None
        self._returns = False
        self._restarting = asyncio.Lock()

    def _fresh(self) -> Player:
        entry = self.entry
        token = "" if entry.remote else draw()
        player = Player(entry.name, token, token_hash=entry.secret, managed=not entry.remote)
        player.grant = entry.grant
        player.on_hello = self._came
        return player

    def renew(self) -> None:
        """Make another player for the next process; the incidents of both are counted together."""
        before, self.player = self.player, self._fresh()
        self.player.incidents = before.incidents
        # Until it says how many tables it can play, it is taken to be like the one before.
        self.player.capacity = before.capacity
        self.settled.clear()

    def _came(self) -> None:
        # Such a connection ends with its match: for the next one there is another.
        self._returns = isinstance(self.player.connection, AcpcConnection)
        self.settled.set()

    async def take(self, deadline: float, start: float) -> None:
        """Wait for a free table at this bot: until the loop time ``deadline`` for its first connection, and
        ``start`` seconds for one that is due because the last match ended the one before, or because its
        process has ended and is started again. Who missed that holds up no later session.
        """
        await self._connect(deadline)
        async with self.changed:
            await self.changed.wait_for(lambda: self.used < max(1, self.player.capacity))
            self.used += 1
        connection = self.player.connection
        spent = connection is None or (isinstance(connection, AcpcConnection) and connection.lines.over)
        if self._returns and spent:
            self.settled.clear()
            await self._connect(asyncio.get_running_loop().time() + start)
            self._returns = self.settled.is_set()
        async with self._restarting:
            if self.player.ended and self._restart is not None:
                await self._restart(self)
                await self._connect(asyncio.get_running_loop().time() + start)

    async def _connect(self, deadline: float) -> None:
        if not self.settled.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await self.settled.wait()

    async def give(self) -> None:
        """One table is free again."""
        async with self.changed:
            self.used -= 1
            self.changed.notify()
