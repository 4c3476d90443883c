"""A server process that plays sessions for its parent, without the process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, cast

from server.commands.session_process import SessionWorker
from server.fleet.process_messages import Close, WindDown


class _Orders:
    """A parent that stops politely and then at once, as for Ctrl-C twice."""

    def __init__(self) -> None:
        self._orders: Iterator[object] = iter([WindDown(), Close(at_once=True)])

    async def receive(self, _: object) -> object:
        await asyncio.sleep(0)
        return next(self._orders)


class _Busy:
    """A host in the middle of a hand, and a store in which nothing fails."""

    class competition:  # noqa: N801 (an attribute of hosts)
        sessions = ()

    async def wind_down(self) -> None:
        await asyncio.Event().wait()

    wait_for_failure = wind_down


async def test_who_is_told_to_end_at_once_waits_for_no_hand() -> None:
    worker = SessionWorker(*cast("tuple[Any, Any, Any]", (_Orders(), _Busy(), _Busy())))
    async with asyncio.timeout(10):
        assert await worker.run() == Close(at_once=True)
