"""Run a bot that may think for long in a thread per table, or in a task of the event loop.

Both kinds of worker take messages through ``put`` and pass them to the seat one by one. They call ``deliver``
in the event loop with each message and its answer, or with the exception that ended the bot.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Protocol

from pokerd_bot.seat import TableSeat
from protocol import messages

Answer = messages.ClientMessage | None
#: Takes the seat, the message, and the answer or the exception.
Deliver = Callable[[TableSeat, messages.ServerMessage, "Answer | BaseException"], None]
_Item = tuple[messages.ServerMessage, float]


class Worker(Protocol):
    """Runs one bot."""

    done: asyncio.Event

    def put(self, message: messages.ServerMessage, received: float) -> None:
        """Queue a message."""

    def close(self) -> None:
        """Accept no more messages; ``done`` is set once all have been handled."""

    def cancel(self) -> None:
        """Stop as soon as possible."""


class ThreadWorker:
    """A daemon thread for one bot."""

    def __init__(self, seat: TableSeat, deliver: Deliver) -> None:
        self.done = asyncio.Event()
        self._seat = seat
        self._deliver = deliver
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Item | None] = SimpleQueue()
        threading.Thread(target=self._run, name=f"bot at {seat.match.table}", daemon=True).start()

    def put(self, message: messages.ServerMessage, received: float) -> None:
        self._queue.put((message, received))

    def close(self) -> None:
        self._queue.put(None)

    def cancel(self) -> None:
        """Discard all further answers: a thread cannot be stopped."""
        self._queue.put(None)
        self.done.set()

    def _run(self) -> None:
        try:
            while (item := self._queue.get()) is not None:
                try:
                    answer = self._seat.handle(*item)
                except BaseException as error:  # noqa: BLE001 (raised again in the first thread)
                    self._loop.call_soon_threadsafe(self._deliver, self._seat, item[0], error)
                    break
                if answer is not None:
                    self._loop.call_soon_threadsafe(self._deliver, self._seat, item[0], answer)
            self._loop.call_soon_threadsafe(self.done.set)
        except RuntimeError:
            # The loop was closed while the bot was thinking: nobody is waiting for the answer.
            return


class TaskWorker:
    """A task for one asynchronous bot."""

    def __init__(self, seat: TableSeat, deliver: Deliver) -> None:
        self.done = asyncio.Event()
        self._seat = seat
        self._deliver = deliver
        self._queue: asyncio.Queue[_Item | None] = asyncio.Queue()
        self._task = asyncio.ensure_future(self._run())

    def put(self, message: messages.ServerMessage, received: float) -> None:
        self._queue.put_nowait((message, received))

    def close(self) -> None:
        self._queue.put_nowait(None)

    def cancel(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        try:
            while (item := await self._queue.get()) is not None:
                try:
                    answer = await self._seat.handle_async(*item)
                except Exception as error:  # noqa: BLE001 (raised again by whoever runs the client)
                    self._deliver(self._seat, item[0], error)
                    break
                if answer is not None:
                    self._deliver(self._seat, item[0], answer)
        finally:
            self.done.set()
