"""``pokerd node``: plays sessions for a coordinator."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

from protocol.public import NodeStatus, topic_of
from server.auth.hosts import HostConfig, is_loopback
from server.auth.policy import members_only_policy
from server.auth.tokens import timestamp
from server.bots.sandbox import Limits, Sandbox
from server.commands.compete import private_paths
from server.commands.runtime import EVERYWHERE, ServerOptions, address_of, run_guarded, serve_metrics, warn
from server.errors import known_error
from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.node import Node, NodeAddress
from server.fleet.node_registry import NodeKey, NodeRegistry
from server.net import gateway
from server.net.listener import limiter_for
from server.public.bus import EventBus
from server.telemetry.logger import get_logger
from server.telemetry.version import VERSION
from server.web.health_checks import HealthMonitor

log = get_logger("pokerd.fleet")

#: Connections to the database in addition to those of the workers.
SPARE: Final = 2


class NodeOptions(NamedTuple):
    """Options of ``pokerd node``. ``url``: where remote bots reach it, if not at host and port."""

    database: str
    name: str
    workers: int = 4
    url: str = ""
    data: Path = Path("var")
    server: ServerOptions = ServerOptions()

    def make_sandbox(self) -> Sandbox:
        """Return a sandbox that hides the files of this node, and those of others on this machine that
        contain seeds.
        """
        hidden = [*private_paths(self.data), Path("results"), *self.server.key_files]
        return Sandbox(hidden, strictness=self.server.sandbox)

    def node_exposure(self) -> HostConfig:
        """Return the host names allowed in requests, with the name in ``url`` if they are restricted."""
        name, exposure = urlsplit(self.url).hostname, self.server.exposure
        is_restricted = exposure.names or is_loopback(self.server.host)
        return exposure._replace(names=(*exposure.names, name)) if name and is_restricted else exposure


def node(options: NodeOptions) -> int:
    """Play sessions from the queue until interrupted. Raises ``FleetError``, ``ListenError``,
    ``SandboxError`` and ``StateError``.
    """
    NodeRegistry.verify_name(options.name)
    _verify_url(options)
    missing = options.make_sandbox().explain_missing([] if options.server.sandbox is None else [Limits()])
    database = Database(options.database, connections=options.workers + SPARE, notify=warn)
    if missing:
        warn(missing)
    nodes: list[Node] = []

    async def main() -> int:
        try:
            async with contextlib.AsyncExitStack() as stack:
                await _run(options, database, stack, nodes.append)
        except ExceptionGroup as group:
            raise known_error(group) or group from None
        return 0

    async def wind_down() -> None:
        print("stopping when the hands in progress are over; Ctrl-C stops at once", flush=True)
        await asyncio.gather(*(one.wind_down() for one in nodes))

    with options.server.log_config.activate():
        return run_guarded(main(), wind_down)


async def _run(
    options: NodeOptions, database: Database, stack: contextlib.AsyncExitStack, opened: Callable[[Node], None]
) -> None:
    key = NodeKey(options.data)
    stack.callback(key.close)
    await database.open()
    stack.push_async_callback(database.close)
    server = options.server
    admission = members_only_policy(server.capacity, options.node_exposure())
    # Not in the node's own directory, which no bot may read.
    programs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pokerd-programs-")))
    one = Node(database, admission, options.data, options.workers, options.make_sandbox, programs)
    limiter = limiter_for(server.capacity)
    house = one.house
    entrance = await gateway.serve(house, server.host, server.port, server.tls, limiter)
    stack.push_async_callback(entrance.close)
    watch = HealthMonitor(house, options.data)
    watch.checks["database"] = database.problem
    scraped = await stack.enter_async_context(serve_metrics(watch, server.metrics))
    here = address_of(server.host, entrance.port, secure=entrance.secure)
    address = NodeAddress(options.name, key.text, entrance.internal_url, options.url or here)
    await one.register(address)
    opened(one)
    bus = EventBus(tables=False)
    status = partial(_node_status, one, timestamp())
    online = partial(status, "online")
    if server.broker is not None:
        from server.public.mqtt import MqttLink

        link = MqttLink(server.broker, bus, warn, status)
        link.start()
        stack.push_async_callback(link.close)
    print(f"node {options.name} plays {options.workers} sessions at once, at {here}", flush=True)
    if server.host in EVERYWHERE and not options.url:
        print("remote bots cannot reach this node: set --url to an address that they can reach", flush=True)
    if scraped:
        print(scraped, flush=True)
    await one.run(partial(bus.publish_soon, topic_of(online()), online))


def _verify_url(options: NodeOptions) -> None:
    """Raise ``FleetError`` (``bad_url``) for an address that bots cannot use."""
    try:
        parts = urlsplit(options.url)
        found = options.url.isascii() and parts.scheme in ("ws", "wss") and bool(parts.hostname)
        found = found and parts.port != 0
    except ValueError:  # invalid port
        found = False
    if options.url and not found:
        raise FleetError(
            "bad_url", f"{options.url!r} is not a valid --url: expected ws://HOST:PORT or wss://HOST:PORT"
        )
    if options.server.tls is not None and options.url.startswith("ws:"):
        raise FleetError("bad_url", "this node uses TLS: --url must start with wss://")


def _node_status(node: Node, since: str, status: Literal["online", "offline"]) -> NodeStatus:
    """Return the status of a node that has run ``since`` a time."""
    return NodeStatus(
        node=node.address.name,
        status=status,
        version=VERSION,
        since=since,
        workers=node.workers,
        sessions=node.sessions if status == "online" else 0,
    )
