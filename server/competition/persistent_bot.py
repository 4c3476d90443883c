"""Bots that connect once to a competition and play many of its sessions."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import Awaitable, Callable

from server.auth.tokens import new_token
from server.bots.processes import BotProcess
from server.competition.file import BotEntry
from server.house.house import Player
from server.net.acpc_connection import AcpcConnection

__all__ = ["PersistentBot"]


class PersistentBot:
    """A bot that connects once and plays many sessions: a remote one, or a managed one with ``reset =
    "message"``.

    ``restart`` starts the process of a managed one once more, as a new ``player``.
    """

    def __init__(
        self, entry: BotEntry, key: bytes, restart: Callable[[PersistentBot], Awaitable[None]] | None = None
    ) -> None:
        self.entry = entry
        self._restart = restart
        self.player = self._new_player()
        if entry.remote:
            # The same from every server that plays this competition, so that he may come back to any.
            text = f"resume {entry.name} {entry.secret}".encode()
            self.player.resume = hmac.digest(key, text, "sha256").hex()
        #: It has connected, or its process has ended: nobody need wait.
        self.settled = asyncio.Event()
        self.tables_in_use = 0
        self.table_released = asyncio.Condition()
        self.process: BotProcess | None = None
        self._reconnects_each_match = False
        self._restarting = asyncio.Lock()

    def _new_player(self) -> Player:
        entry = self.entry
        token = "" if entry.remote else new_token()
        player = Player(entry.name, token, token_hash=entry.secret, managed=not entry.remote)
        player.grant = entry.grant
        player.on_hello = self._on_hello
        return player

    def replace_player(self) -> None:
        """Make another player for the next process; the incidents of both are counted together."""
        before, self.player = self.player, self._new_player()
        self.player.incidents = before.incidents
        # Until it says how many tables it can play, it is taken to be like the one before.
        self.player.capacity = before.capacity
        self.settled.clear()

    def _on_hello(self) -> None:
        # Such a connection ends with its match: for the next one there is another.
        self._reconnects_each_match = isinstance(self.player.connection, AcpcConnection)
        self.settled.set()

    async def acquire(self, deadline: float, start: float) -> None:
        """Wait for a free table at this bot: until the loop time ``deadline`` for its first connection, and
        ``start`` seconds for one that is due because the last match ended the one before, or because its
        process has ended and is started again. Who missed that holds up no later session.
        """
        await self._wait_settled(deadline)
        async with self.table_released:
            await self.table_released.wait_for(lambda: self.tables_in_use < max(1, self.player.capacity))
            self.tables_in_use += 1
        connection = self.player.connection
        spent = connection is None or (isinstance(connection, AcpcConnection) and connection.lines.over)
        if self._reconnects_each_match and spent:
            self.settled.clear()
            await self._wait_settled(asyncio.get_running_loop().time() + start)
            self._reconnects_each_match = self.settled.is_set()
        async with self._restarting:
            if self.player.ended and self._restart is not None:
                await self._restart(self)
                await self._wait_settled(asyncio.get_running_loop().time() + start)

    async def _wait_settled(self, deadline: float) -> None:
        if not self.settled.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await self.settled.wait()

    async def release(self) -> None:
        """One table is free again."""
        async with self.table_released:
            self.tables_in_use -= 1
            self.table_released.notify()
