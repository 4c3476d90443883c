"""Bots that connect once and play many sessions of a competition."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import Awaitable, Callable

from server.auth.tokens import new_token
from server.bots.processes import BotProcess
from server.competition.schema import BotEntry
from server.net.acpc_connection import AcpcConnection
from server.tables.player import Player


class PersistentBot:
    """A bot that connects once and plays many sessions: a remote one, or a managed one with ``reset =
    "message"``.

    ``restart`` starts the process of a managed bot again, with a new ``player``. ``on_hello`` is called
    whenever the bot has connected.
    """

    def __init__(
        self,
        entry: BotEntry,
        key: bytes,
        restart: Callable[[PersistentBot], Awaitable[None]] | None = None,
        on_hello: Callable[[PersistentBot], None] | None = None,
    ) -> None:
        self.entry = entry
        self._restart = restart
        self._on_hello = on_hello
        self.player = self._new_player()
        if entry.remote:
            # The same on every server that plays this competition, so the bot can come back to any of them.
            text = f"resume {entry.name} {entry.secret}".encode()
            self.player.resume = hmac.digest(key, text, "sha256").hex()
        #: Set once the bot has connected or its process has ended, so that nobody waits for it.
        self.settled = asyncio.Event()
        self.tables_in_use = 0
        self.table_released = asyncio.Condition()
        self.process: BotProcess | None = None
        self._reconnects_each_match = False
        self._restarting = asyncio.Lock()

    def _new_player(self) -> Player:
        entry = self.entry
        token = "" if entry.remote else new_token()
        player = Player(
            entry.name, token, token_hash=entry.secret, managed=not entry.remote, on_hello=self._on_connected
        )
        player.grant = entry.grant
        return player

    def replace_player(self) -> None:
        """Create the player for a new process. It shares the incidents of the old one."""
        before, self.player = self.player, self._new_player()
        self.player.incidents = before.incidents
        # Assume the capacity of the old process until the new one states its own.
        self.player.capacity = before.capacity
        self.settled.clear()

    def _on_connected(self) -> None:
        # An ACPC connection ends with its match; the next match needs a new one.
        self._reconnects_each_match = isinstance(self.player.connection, AcpcConnection)
        self.settled.set()
        if self._on_hello is not None:
            self._on_hello(self)

    async def acquire(self, deadline: float, start: float) -> None:
        """Wait until the bot has a free table, and occupy it.

        Wait for its first connection until the loop time ``deadline``, and ``start`` seconds for a later one:
        the end of an ACPC match ended the previous connection, or the process ended and is restarted. A bot
        that misses this delays no later session.
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
        """Free one table."""
        async with self.table_released:
            self.tables_in_use -= 1
            self.table_released.notify()
