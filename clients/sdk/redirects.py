"""Tables of other servers, to which a player is sent: each is played over a connection of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from msgspec import structs

from protocol.messages import GoTo, Hello

__all__ = ["Visitor", "Visits"]


class Visitor(Protocol):
    """A client that can be sent to another server."""

    online: bool
    failure: Exception | None

    def visitor(self) -> Self | None:
        """Another one like it, for a table elsewhere; None if it cannot play there."""

    def hang_up(self) -> None:
        """Close the connection."""


_V = TypeVar("_V", bound=Visitor)


class _Visit(NamedTuple, Generic[_V]):
    url: str
    visitor: _V
    task: asyncio.Task[int]


class Visits(Generic[_V]):
    """Where the player of ``client`` has been sent. ``stay`` plays at one server until that says goodbye."""

    def __init__(
        self, client: _V, hello: Hello, stay: Callable[[_V, str, Hello], Coroutine[Any, Any, int]]
    ) -> None:
        self._client = client
        self._hello = hello
        self._stay = stay
        self._visits: dict[str, _Visit[_V]] = {}
        self._tasks: set[asyncio.Task[int]] = set()

    def go(self, message: GoTo) -> None:
        """Go to a table, unless we are there."""
        visitor = self._client.visitor()
        if visitor is None:
            print(f"{message.table} is elsewhere, where this program cannot play", file=sys.stderr)
            return
        before = self._visits.get(message.table)
        if before is not None:
            if before.url == message.url and before.visitor.online:
                return
            # That server is gone, or we have lost it: the table is begun anew, there or elsewhere.
            before.task.cancel()
        print(f"{message.table}: at {message.url}", file=sys.stderr)
        hello = structs.replace(self._hello, token=message.ticket, tables=1)
        task = asyncio.ensure_future(self._stay(visitor, message.url, hello))
        self._visits[message.table] = _Visit(message.url, visitor, task)
        self._tasks.add(task)
        task.add_done_callback(partial(self._over, message.table))

    def _over(self, table: str, task: asyncio.Task[int]) -> None:
        self._tasks.discard(task)
        if table in self._visits and self._visits[table].task is task:
            del self._visits[table]
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            # A bot with a bug ends with its traceback, wherever it plays.
            self._client.failure = error
            self._client.hang_up()

    async def close(self) -> None:
        """Leave them all."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
