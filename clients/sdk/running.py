"""The event loop of a bot as a program, and how it ends."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import Any

__all__ = ["run_loop", "run_until_stopped"]

try:
    import uvloop
except ImportError:  # it does not exist for every platform
    run_loop: Callable[[Coroutine[Any, Any, int]], int] = asyncio.run
else:
    run_loop = uvloop.run


async def run_until_stopped(playing: Coroutine[Any, Any, int]) -> int:
    """Let the first SIGTERM cancel what is going on, as Ctrl-C does; the second one ends a bot that is stuck.

    A program that has a handler of its own keeps it; so does one that runs this in another thread than its
    first, where none can be set.
    """
    task = asyncio.ensure_future(playing)
    loop = asyncio.get_running_loop()

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        loop.call_soon_threadsafe(task.cancel)

    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return await task
    signal.signal(signal.SIGTERM, stop)
    try:
        return await task
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
