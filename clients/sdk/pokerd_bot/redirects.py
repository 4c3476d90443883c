"""Tables on other servers to which a player is redirected, each played over its own connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from msgspec import structs

from pokerd_bot.bot import LOG
from protocol.messages import Hello, Redirect


class RedirectClient(Protocol):
    """A client that can be redirected to another server."""

    online: bool
    failure: BaseException | None

    def redirect_client(self) -> Self | None:
        """Return a client for a table on another server, or None if it cannot play there."""

    def hang_up(self) -> None:
        """Close the connection."""


_V = TypeVar("_V", bound=RedirectClient)


class _RemoteTable(NamedTuple, Generic[_V]):
    url: str
    ticket: str
    client: _V
    task: asyncio.Task[int]


class Redirects(Generic[_V]):
    """The redirects of ``client``. ``play`` plays at one server until that server says goodbye."""

    def __init__(
        self, client: _V, hello: Hello, play: Callable[[_V, str, Hello], Coroutine[Any, Any, int]]
    ) -> None:
        self._client = client
        self._hello = hello
        self._play = play
        self._remote_tables: dict[str, _RemoteTable[_V]] = {}
        self._tasks: set[asyncio.Task[int]] = set()

    def follow(self, message: Redirect) -> None:
        """Connect to a table's server, unless already connected."""
        visitor = self._client.redirect_client()
        if visitor is None:
            LOG.warning("%s is on another server, where this program cannot play", message.table)
            return
        here = message.url, message.ticket
        if any((one.url, one.ticket) == here and not one.task.done() for one in self._remote_tables.values()):
            # The connection that is there, or is being made, is enough.
            return
        before = self._remote_tables.get(message.table)
        if before is not None:
            if before.url == message.url and before.client.online:
                return
            # That server is gone or the connection was lost: start the table again, there or elsewhere.
            before.task.cancel()
        LOG.info("%s: at %s", message.table, message.url)
        hello = structs.replace(self._hello, token=message.ticket, tables=1)
        task = asyncio.ensure_future(self._play(visitor, message.url, hello))
        self._remote_tables[message.table] = _RemoteTable(message.url, message.ticket, visitor, task)
        self._tasks.add(task)
        task.add_done_callback(partial(self._on_done, message.table))

    def _on_done(self, table: str, task: asyncio.Task[int]) -> None:
        self._tasks.discard(task)
        if table in self._remote_tables and self._remote_tables[table].task is task:
            del self._remote_tables[table]
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            # A bot with a bug must end with its traceback, wherever it plays.
            self._client.failure = error
            self._client.hang_up()

    async def close(self) -> None:
        """Leave all tables."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
