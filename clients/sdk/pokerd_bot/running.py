"""Run a bot as a program: connect, play, reconnect, exit."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, Final

from pokerd_bot.bot import LOG, Bot
from pokerd_bot.client import Client
from pokerd_bot.hand import Match
from pokerd_bot.net.channel import ConnectError
from pokerd_bot.net.connection import connect
from pokerd_bot.options import parse_options
from pokerd_bot.redirects import Redirects
from pokerd_bot.trace import Trace
from protocol import messages
from protocol.codec import JSON, MSGPACK

#: Seconds after which a connection counts as stable, so that the next reconnect is tried without delay.
STABLE_AFTER: Final = 5.0

try:
    import uvloop
except ImportError:  # not available on every platform
    run_loop: Callable[[Coroutine[Any, Any, int]], int] = asyncio.run
else:
    run_loop = uvloop.run


def run(
    factory: Callable[[Match], Bot],
    *,
    url: str | None = None,
    token: str | None = None,
    name: str | None = None,
    tables: int | None = None,
    join: str | None = None,
    json: bool | None = None,
    label: str | None = None,
    ca: str | None = None,
    trace: str | None = None,
    log_level: str | None = None,
    arguments: Sequence[str] | None = None,
) -> int:
    """Connect and play until the server has no more matches. Reconnect when the connection breaks.

    Options that are not passed come from the command line (``--url --token --name --tables --join --json --ca
    --trace --log-level``), or else from the environment (``POKERD_URL``, ``POKERD_TOKEN``, ``POKERD_NAME``,
    ``POKERD_TABLES``, ``POKERD_CA_FILE``, ``POKERD_LOG_LEVEL``). ``label`` is the default name; ``arguments``
    replaces the command line. With ``POKERD_DEBUG`` set, as by ``pokerd replay --debug``, the bot stops in
    the debugger.

    Returns 0 after the server's goodbye, 1 if it refuses or cannot be reached, 130 if stopped by a signal.
    Raises whatever the bot raises, and ``OSError`` if the trace cannot be written. A guest that fails or is
    stopped (Ctrl-C, SIGTERM) leaves its tables; its seats are not held.
    """
    options = parse_options(arguments if arguments is not None else [] if url is not None else sys.argv[1:])
    url = url or options.url
    log_to_stderr(log_level or options.log_level)
    codec = JSON if (json if json is not None else options.json) else MSGPACK
    client = Client(_debugged(factory), codec, join if join is not None else options.join)
    hello = messages.Hello(
        name=name or options.name or label or getattr(factory, "__name__", "bot").lower(),
        token=token if token is not None else options.token,
        tables=tables or options.tables,
        software="pokerd-python",
    )
    file = trace or options.trace
    with Trace(file) if file else nullcontext() as tracing:
        playing = play(client, url, hello, ca if ca is not None else options.ca, tracing)
        try:
            return run_loop(run_until_stopped(playing))
        except (KeyboardInterrupt, asyncio.CancelledError):
            return 130


def _debugged(factory: Callable[[Match], Bot]) -> Callable[[Match], Bot]:
    where = os.environ.get("POKERD_DEBUG")
    if not where:
        return factory
    from pokerd_bot.debugger import with_breakpoint

    return with_breakpoint(factory, where)


def log_to_stderr(level: str = "info") -> None:
    """Write the SDK's log to standard error, unless the program configured logging itself."""
    if LOG.handlers or logging.getLogger().handlers:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(level.upper())


async def run_until_stopped(playing: Coroutine[Any, Any, int]) -> int:
    """Run ``playing``; the first SIGTERM cancels it, as Ctrl-C does, and a second one kills a stuck bot.

    A handler that the program installed itself is kept. Outside the main thread, no handler can be installed.
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


async def play(
    client: Client, url: str, hello: messages.Hello, ca: str = "", trace: Trace | None = None
) -> int:
    """Do the work of ``run`` with a given client. When cancelled, say goodbye to the server."""
    stay = partial(_play_at, ca=ca, trace=trace)
    visits = Redirects(client, hello, stay)
    client.follow_redirect = visits.follow
    try:
        return await stay(client, url, hello)
    finally:
        await visits.close()


async def _play_at(client: Client, url: str, hello: messages.Hello, *, ca: str, trace: Trace | None) -> int:
    """Play at one server; reconnect as needed. Returns the exit code."""
    codec = client.codec
    clock = asyncio.get_running_loop().time
    give_up = 0.0
    wait = 0.05
    try:
        while True:
            if client.failure is not None:
                raise client.failure
            try:
                handle = client.handle if trace is None else trace.handler(client.handle, codec)
                channel = await connect(url, codec, handle, ca)
            except ConnectError as error:
                if clock() + wait > give_up:
                    LOG.warning("%s", error)
                    return 1
                await asyncio.sleep(wait)
                wait = min(wait * 2, 2.0)
                continue
            opened = clock()
            send = channel.send if trace is None else trace.sender(channel.send, codec)
            client.send_hello(send, channel.close, hello)
            try:
                await channel.wait_closed()
            except asyncio.CancelledError:
                client.leave()
                channel.close()
                raise
            finally:
                client.online = False
            code = _exit_code(client, url, channel.close_code)
            if code is not None:
                return code
            # Back off: a server that keeps closing connections at once must not be flooded.
            wait = 0.05 if clock() - opened > STABLE_AFTER else min(wait * 2, 2.0)
            await asyncio.sleep(wait)
            give_up = clock() + (2.0 if os.environ.get("POKERD_MANAGED") else client.grace)
    finally:
        await client.finish()


def _exit_code(client: Client, url: str, close_code: int) -> int | None:
    """Return the exit code after a connection ended, or None to reconnect. Raises the bot's exception."""
    if client.failure is not None:
        raise client.failure
    if client.fatal is not None:
        return 1
    if close_code == 1000:
        return 0
    if not client.resume:
        LOG.warning("%s closed the connection without a reason (code %s)", url, close_code)
        return 1
    return None
