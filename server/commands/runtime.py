"""What every command needs that keeps a server running: signals, watchers, and where it is."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import uvloop

from server.auth.hosts import DEFAULT_HOST_CONFIG, HostConfig
from server.auth.policy import DEFAULT_CAPACITY, Capacity
from server.bots.sandbox import Strictness
from server.net.tls import TlsConfig
from server.public.bus import EventBus
from server.telemetry.logging_setup import DEFAULT_LOG_CONFIG, LogConfig
from server.web.health_checks import HealthMonitor

if TYPE_CHECKING:
    from server.public.mqtt import BrokerAddress
    from server.web.health import MetricsPort
    from server.web.site import WebServer

__all__ = [
    "DATA",
    "EVERYWHERE",
    "ServerOptions",
    "address_of",
    "web_address_text",
    "connect_broker",
    "run_guarded",
    "tune_collector",
    "serve_metrics",
]

#: Hosts to listen at that are no place to go to.
EVERYWHERE: Final = ("", "0.0.0.0", "::")  # noqa: S104 (compared with, not bound to)
#: Where ``serve`` keeps what must stay, if it is not told otherwise.
DATA: Final = Path("var")


class ServerOptions(NamedTuple):
    """What every command is told that keeps a server running. ``web_port``: where people may look on (0:
    any), None for nowhere; ``metrics``: where those who operate it may ask; ``sandbox`` goes before what
    competition files say; ``capacity``: for connections from outside; ``exposure``: how they reach it.
    """

    host: str = "127.0.0.1"
    port: int = 0
    web_port: int | None = None
    journal: LogConfig = DEFAULT_LOG_CONFIG
    metrics: MetricsPort | None = None
    broker: BrokerAddress | None = None
    sandbox: Strictness | None = None
    tls: TlsConfig | None = None
    capacity: Capacity = DEFAULT_CAPACITY
    exposure: HostConfig = DEFAULT_HOST_CONFIG

    @property
    def key_files(self) -> tuple[Path, ...]:
        """Files that no bot may read."""
        return () if self.tls is None else self.tls.files


def tune_collector() -> None:
    """Nearly all that a hand makes dies with it, without cycles: look for them less often than by default."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def run_guarded(
    main: Coroutine[Any, Any, int], wind_down: Callable[[], Coroutine[Any, Any, None]] | None = None
) -> int:
    """Run under uvloop, with SIGINT, SIGTERM and SIGHUP cancelling it so that everything is cleaned up.

    ``wind_down``: carried out before that; whoever cannot wait for it signals once more.
    """

    async def guarded() -> int:
        tune_collector()
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(main)
        winding: list[asyncio.Task[None]] = []

        def cancel(_: object = None) -> None:
            # Once: a second one would break off the cleaning up, and leave bots behind.
            if not task.cancelling():
                task.cancel()

        def stop() -> None:
            if winding or wind_down is None:
                cancel()
            else:
                winding.append(loop.create_task(wind_down(), name="winding down"))
                winding[0].add_done_callback(cancel)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stop)
        try:
            return await task
        except asyncio.CancelledError:
            return 130

    return uvloop.run(guarded())


@contextlib.asynccontextmanager
async def serve_metrics(monitor: HealthMonitor, at: MetricsPort | None) -> AsyncIterator[str]:
    """A port for those who operate the server, unless ``at`` is None: where, in words. Raises
    ``ListenError``.
    """
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(monitor.close)
        if at is None:
            yield ""
            return
        from server.web.health import serve_health

        port = serve_health(monitor, at)
        stack.push_async_callback(port.close)
        yield f"metrics: {address_of(at.host, port.port).replace('ws:', 'http:')}/metrics"


@contextlib.asynccontextmanager
async def connect_broker(
    broker: BrokerAddress | None, say: Callable[[str], None], monitor: HealthMonitor, *, unheard: str = ""
) -> AsyncIterator[EventBus]:
    """The bus of a server, forwarded to a broker if there is one. ``unheard``: what to say if all ended well
    and the broker has not heard of it, for which it is given some time.
    """
    bus = EventBus()
    if broker is None:
        yield bus
        return
    from server.public.mqtt import DELIVERY_TIMEOUT, MqttLink

    link = MqttLink(broker, bus, say)
    monitor.broker_link = link
    link.start()
    ended = False
    try:
        yield bus
        ended = bool(unheard)
    finally:
        if not await link.close(DELIVERY_TIMEOUT if ended and link.was_connected else 0.0) and ended:
            say(unheard)


def address_of(host: str, port: int, *, secure: bool = False) -> str:
    """Where the bots that we start find us."""
    name = "127.0.0.1" if host in EVERYWHERE else f"[{host}]" if ":" in host else host
    return f"{'wss' if secure else 'ws'}://{name}:{port}"


def web_address_text(web: WebServer, host: str, path: str = "") -> str:
    """One address for people, and what to do first if the pages cannot be shown."""
    address = address_of(host, web.port, secure=web.secure).replace("ws", "http", 1)
    return "\n".join([f"people: {address}{path}", *filter(None, [web.missing])])
