"""A network between bots and server that can be told to fail."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from types import TracebackType
from typing import Self


class Proxy:
    """Passes bytes from its ``port`` to that of a server, in a thread of its own."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._loop = asyncio.new_event_loop()
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._silent: set[asyncio.StreamWriter] = set()
        self._passing = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self.port = 0
        self.dropped = 0

    def drop(self) -> None:
        """Break every connection off, in both directions, with whatever is under way."""
        asyncio.run_coroutine_threadsafe(self._drop(), self._loop).result()

    def swallow(self) -> None:
        """From now on what is sent over the connections of this moment is lost. None of them is closed."""
        self._loop.call_soon_threadsafe(lambda: self._silent.update(*self._pairs))

    def hold(self) -> None:
        """Pass nothing on until ``release``; nobody is told."""
        self._loop.call_soon_threadsafe(self._passing.clear)

    def release(self) -> None:
        """Go on."""
        self._loop.call_soon_threadsafe(self._passing.set)

    async def _drop(self) -> None:
        for pair in list(self._pairs):
            for writer in pair:
                writer.transport.abort()
            self.dropped += 1

    async def _serve(self) -> asyncio.Server:
        self._passing.set()
        listening = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = listening.sockets[0].getsockname()[1]
        return listening

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._server)
        except OSError:
            writer.transport.abort()
            return
        pair = (writer, back)
        self._pairs.add(pair)
        try:
            # Python 3.11 logs an error for a handler that was cancelled when the proxy ends.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        finally:
            self._pairs.discard(pair)
            self._silent.difference_update(pair)
            for one in pair:
                one.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._passing.wait()
                if writer in self._silent:
                    continue
                writer.write(data)
                await writer.drain()
        if not writer.transport.is_closing():
            with contextlib.suppress(OSError):
                writer.write_eof()

    async def _close(self, listening: asyncio.Server) -> None:
        listening.close()
        await self._drop()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._listening = asyncio.run_coroutine_threadsafe(self._serve(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(self._listening), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
