"""What all commands that run a server share: signals, metrics, the broker, and addresses."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import uvloop

from server.auth.addresses import parse_network
from server.auth.hosts import DEFAULT_HOST_CONFIG, HostConfig
from server.auth.policy import DEFAULT_CAPACITY, Capacity
from server.bots.sandbox import Strictness
from server.competition.session_host import CompetitionFault
from server.errors import known_error
from server.fleet.process_messages import Failed, Link, ProcessSetup, RemoteBots, open_link
from server.net.tls import TlsConfig, load_tls
from server.public.bus import EventBus
from server.telemetry.logging_setup import DEFAULT_LOG_CONFIG, LogConfig
from server.web.health_checks import HealthMonitor

if TYPE_CHECKING:
    from server.public.mqtt import BrokerAddress
    from server.web.health import MetricsPort
    from server.web.site import WebServer


_Setup = TypeVar("_Setup", bound=ProcessSetup)

#: Hosts to listen on that are not addresses to connect to.
EVERYWHERE: Final = ("", "0.0.0.0", "::")  # noqa: S104 (compared with, not bound to)
#: The default directory for the data of ``serve``.
DATA: Final = Path("var")


class ServerOptions(NamedTuple):
    """Options of every command that runs a server.

    ``web_port``: the port for browsers (0: any), or None; ``metrics``: the separate port for metrics;
    ``sandbox`` overrides competition files; ``capacity``: limits for connections from outside; ``exposure``:
    the host names that requests may use.
    """

    host: str = "127.0.0.1"
    port: int = 0
    web_port: int | None = None
    log_config: LogConfig = DEFAULT_LOG_CONFIG
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


def warn(text: str) -> None:
    """Tell the operator something on standard error."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 (for people)


def doors_of(server: ServerOptions) -> RemoteBots:
    """Return how another process is to listen, with the same options."""
    capacity, exposure = server.capacity, server.exposure
    return RemoteBots(
        server.host,
        tls=[str(path.absolute()) for path in server.key_files],
        connections=capacity.connections,
        per_address=capacity.per_address,
        proxies=[str(network) for network in capacity.proxies],
        names=list(exposure.names),
        origins=list(exposure.origins),
    )


def how_to_listen(doors: RemoteBots) -> tuple[Capacity, HostConfig, TlsConfig | None]:
    """Return what ``doors_of`` was made of. Raises ``TlsError``."""
    proxies = tuple(network for text in doors.proxies if (network := parse_network(text)) is not None)
    tls = load_tls(*map(Path, doors.tls)) if doors.tls else None
    capacity = Capacity(doors.connections, doors.per_address, proxies)
    return capacity, HostConfig(tuple(doors.names), tuple(doors.origins)), tls


def tune_collector() -> None:
    """Collect garbage less often: nearly all objects of a hand die with it, without cycles."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def run_guarded(
    main: Coroutine[Any, Any, int], wind_down: Callable[[], Coroutine[Any, Any, None]] | None = None
) -> int:
    """Run under uvloop; SIGINT, SIGTERM and SIGHUP cancel ``main`` so that it cleans up.

    ``wind_down`` runs before the cancellation; a second signal skips it.
    """

    async def guarded() -> int:
        tune_collector()
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(main)
        winding: list[asyncio.Task[None]] = []

        def cancel(_: object = None) -> None:
            # Only once: a second cancellation would interrupt the cleanup and leave bots behind.
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


def run_for_parent(
    descriptor: int,
    decode: Callable[[bytes], _Setup],
    serve: Callable[[Link, _Setup], Coroutine[Any, Any, None]],
    log_fault: Callable[[BaseException], None],
) -> None:
    """Run ``serve`` under uvloop until it is over, and tell the parent of this process what it failed by;
    ``descriptor`` is one end of a socket pair, and ``decode`` reads the first order. ``log_fault`` is
    called with faults of pokerd.
    """

    async def main() -> None:
        tune_collector()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # The parent is told as well, and says what to do.
            loop.add_signal_handler(number, lambda: None)
        link = await open_link(socket.socket(fileno=descriptor))
        setup = await link.receive(decode)
        if setup is None:
            return
        log_file = Path(setup.log_file) if setup.log_file else None
        with LogConfig(setup.log_level, log_file, setup.log_style).activate():
            try:
                await serve(link, setup)
            except* Exception as group:  # noqa: BLE001 (the parent is told)
                link.send(failure_report(group, log_fault))
        await link.close()

    uvloop.run(main())


def failure_report(group: ExceptionGroup[Exception], log_fault: Callable[[BaseException], None]) -> Failed:
    """Return the report of what ended this process, and log it if it is a fault of pokerd."""
    known = known_error(group)
    if known is not None:
        return Failed(known.code, str(known))
    log_fault(group)
    faults = group.subgroup(CompetitionFault)
    return Failed(CompetitionFault.code, str((faults or group).exceptions[0]))


@contextlib.asynccontextmanager
async def serve_metrics(monitor: HealthMonitor, at: MetricsPort | None) -> AsyncIterator[str]:
    """Open the port for metrics unless ``at`` is None; provide the text that gives its address. Raises
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
    broker: BrokerAddress | None,
    bus: EventBus,
    say: Callable[[str], None],
    monitor: HealthMonitor,
    *,
    undelivered: str = "",
) -> AsyncIterator[EventBus]:
    """Provide the bus of a server, forwarded to a broker if there is one. On success, give the broker some
    time to receive everything, and print ``undelivered`` if it did not.
    """
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
        ended = bool(undelivered)
    finally:
        if not await link.close(DELIVERY_TIMEOUT if ended and link.was_connected else 0.0) and ended:
            say(undelivered)


def address_of(host: str, port: int, *, secure: bool = False) -> str:
    """Return the address for bots started on this machine."""
    name = "127.0.0.1" if host in EVERYWHERE else f"[{host}]" if ":" in host else host
    return f"{'wss' if secure else 'ws'}://{name}:{port}"


def web_address_text(web: WebServer, host: str, path: str = "", who: str = "people") -> str:
    """Return the address for browsers, and what to do first if the pages cannot be shown."""
    address = address_of(host, web.port, secure=web.secure).replace("ws", "http", 1)
    return "\n".join([f"{who}: {address}{path}", *filter(None, [web.missing])])
