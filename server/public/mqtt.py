"""Forwards the bus to an MQTT 5 broker; see ``docs/mqtt.md``.

Nothing waits for the broker. While it is unavailable events are lost; when it is back it receives the current
states.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple, Self, get_args
from urllib.parse import unquote, urlsplit

import aiomqtt
from paho.mqtt import client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from protocol.public import (
    FinishedHand,
    PublicEvent,
    ServerStatus,
    TableStandings,
    encode,
    is_retained,
    topic_of,
)
from server.auth.tokens import timestamp
from server.errors import ServerError
from server.public.bus import EventBus, Subscription
from server.telemetry.logger import get_logger
from server.telemetry.version import VERSION

log = get_logger("pokerd.mqtt")

#: Seconds until the next attempt to connect: doubled each time, up to the maximum.
FIRST_DELAY: Final = 1.0
MAX_DELAY: Final = 30.0
#: The same while closing, when the last events must still be delivered.
CLOSING_DELAY: Final = 0.25
#: Seconds for the broker to answer, and the MQTT keepalive interval.
TIMEOUT: Final = 3.0
KEEPALIVE: Final = 10
#: Seconds for which the broker keeps a hand for a disconnected client, and the standings of a table that may
#: be closed.
EXPIRY: Final[Mapping[type[PublicEvent], int]] = {FinishedHand: 300, TableStandings: 86_400}
#: Seconds that a closing server waits until the broker has everything.
CLOSE_TIMEOUT: Final = 3.0
#: Seconds that a finished competition waits for a broker that was connected before.
DELIVERY_TIMEOUT: Final = 30.0

_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
#: The library logs as errors what it also raises.
_SILENT: Final = logging.getLogger("pokerd.mqtt.library")
_SILENT.setLevel(logging.CRITICAL + 1)


#: Creates the status event of a process.
StatusFactory = Callable[[Literal["online", "offline"]], PublicEvent]


class BrokerError(ServerError):
    """``bad_broker``: not a valid broker address. The message does not repeat it, because it may contain a
    password.
    """

    code = "bad_broker"


class BrokerAddress(NamedTuple):
    """The address and credentials of a broker."""

    host: str
    port: int
    tls: bool
    user: str | None
    password: str | None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def parse_broker(url: str) -> BrokerAddress:
    """Parse ``mqtt://[USER:PASSWORD@]HOST[:PORT]``, or ``mqtts://`` with TLS. Raises ``BrokerError``."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BrokerError("invalid port in the broker address") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise BrokerError("invalid broker address: expected mqtt://HOST[:PORT], or mqtts:// with TLS")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise BrokerError("a broker address has nothing after the port; topics always begin with pokerd/v1")
    user, password = (None if word is None else unquote(word) for word in (parts.username, parts.password))
    tls = parts.scheme == "mqtts"
    return BrokerAddress(parts.hostname, _PORTS[parts.scheme] if port is None else port, tls, user, password)


class _Client(aiomqtt.Client):
    """Notices lost connections at once and cleans up after them.

    When a connection is reset, uvloop stops watching the socket and reports that to writers only, so the
    library would not notice. The library also keeps the socket of a lost connection, and a task for it, until
    the keepalive expires.
    """

    async def __aenter__(self) -> Self:
        self._disconnected.add_done_callback(_mark_retrieved)
        try:
            entered = await super().__aenter__()
        except BaseException:
            self._client._sock_close()  # noqa: SLF001
            raise
        self._disconnected.add_done_callback(_mark_retrieved)  # this may be a different future by now
        return entered

    async def __aexit__(self, *error: Any) -> None:
        try:
            await super().__aexit__(*error)
        finally:
            self._client._sock_close()  # noqa: SLF001

    def _on_socket_register_write(self, client: mqtt.Client, userdata: Any, sock: Any) -> None:
        def register() -> None:
            self._loop.add_writer(sock.fileno(), self._run_or_disconnect, client.loop_write)

        # Thread-safe, because the library connects in another thread.
        self._loop.call_soon_threadsafe(self._run_or_disconnect, register)

    def _run_or_disconnect(self, what: Callable[[], object]) -> None:
        try:
            what()
        except (RuntimeError, ValueError, OSError):
            if not self._disconnected.done():
                self._disconnected.set_result(None)


def _mark_retrieved(lost: asyncio.Future[None]) -> None:
    """Mark the exception as retrieved, so that asyncio does not log it."""
    if not lost.cancelled():
        lost.exception()


class MqttLink:
    """Forwards a bus to a broker from ``start`` to ``close``; tells a person through ``report`` when the
    broker becomes available or unavailable. ``status`` creates the status events; by default those of a
    server.
    """

    def __init__(
        self,
        broker: BrokerAddress,
        bus: EventBus,
        report: Callable[[str], None],
        status: StatusFactory | None = None,
    ) -> None:
        self._broker = broker
        self._bus = bus
        self._report = report
        since = timestamp()
        self._status: StatusFactory = status or (
            lambda now: ServerStatus(status=now, version=VERSION, since=since)
        )
        self._topic = topic_of(self._status("offline"))
        self._tls = ssl.create_default_context() if broker.tls else None
        #: Whether the broker is connected.
        self.connected = False
        #: Whether it has ever been connected.
        self.was_connected = False
        self._closing = asyncio.Event()
        self._keep_trying = False
        self._delivered = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start connecting, without waiting for the connection."""
        self._task = asyncio.create_task(self._run(), name=f"mqtt {self._broker}")

    async def close(self, timeout: float = 0.0) -> bool:
        """Close the bus, send what is left and disconnect. Keep trying to reconnect for ``timeout`` seconds;
        give up after that, but not before ``CLOSE_TIMEOUT`` seconds. Return whether everything was delivered.
        """
        self._bus.close()
        self._keep_trying = timeout > 0
        self._closing.set()
        if self._task is not None:
            try:
                await asyncio.wait([self._task], timeout=max(timeout, CLOSE_TIMEOUT))
            finally:
                self._task.cancel()
                await asyncio.gather(self._task, return_exceptions=True)
        return self._delivered

    async def _run(self) -> None:
        delay = FIRST_DELAY
        absent = False
        while self._keep_trying or not self._closing.is_set():
            try:
                async with self._make_client() as client:
                    self._report(f"public events go to the broker at {self._broker}")
                    delay, absent = FIRST_DELAY, False
                    self.connected = self.was_connected = True
                    await self._forward(client)
                self._delivered = True
                return
            except Exception as error:  # noqa: BLE001 (any error costs only the events)
                if not absent:
                    self._report(f"no broker at {self._broker} ({error}): continuing without it and retrying")
                    log.warning("no broker", broker=str(self._broker), error=repr(error))
                absent = True
                self.connected = False
                await self._wait_to_retry(delay)
                delay = min(2 * delay, MAX_DELAY)

    async def _wait_to_retry(self, delay: float) -> None:
        if self._closing.is_set():
            await asyncio.sleep(CLOSING_DELAY)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), delay)

    def _make_client(self) -> aiomqtt.Client:
        broker = self._broker
        return _Client(
            broker.host,
            broker.port,
            username=broker.user,
            password=broker.password,
            protocol=aiomqtt.ProtocolVersion.V5,
            logger=_SILENT,
            will=aiomqtt.Will(
                self._topic, encode(self._status("offline")), 1, True, _properties(PacketTypes.WILLMESSAGE)
            ),
            timeout=TIMEOUT,
            keepalive=KEEPALIVE,
            tls_context=self._tls,
        )

    async def _forward(self, client: aiomqtt.Client) -> None:
        """Forward events until the bus is closed. Raises ``MqttError`` when the connection is lost."""
        with self._bus.subscribe("mqtt") as events:
            await client.subscribe(self._topic, qos=1)
            await self._publish_status(client, "online")
            tasks = [asyncio.create_task(_send(client, events)), asyncio.create_task(self._listen(client))]
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()
        await self._publish_status(client, "offline")

    async def _publish_status(self, client: aiomqtt.Client, status: Literal["online", "offline"]) -> None:
        event = self._status(status)
        properties = _PROPERTIES[type(event)]
        await client.publish(self._topic, encode(event), qos=1, retain=True, properties=properties)

    async def _listen(self, client: aiomqtt.Client) -> None:
        """Notice a lost connection, and correct the last will of an earlier connection, which a broker may
        publish after the new connection is up.
        """
        async for message in client.messages:
            if b'"offline"' in message.payload:
                await self._publish_status(client, "online")


async def _send(client: aiomqtt.Client, events: Subscription) -> None:
    async for event in events:
        # States must arrive. Hands are many: waiting for the acknowledgement of each would cost more than
        # the few that are lost with a connection.
        state = is_retained(event)
        await client.publish(
            topic_of(event),
            encode(event),
            qos=1 if state else 0,
            retain=state,
            properties=_PROPERTIES[type(event)],
        )


def _properties(packet: int = PacketTypes.PUBLISH, *, expiry: int | None = None) -> Properties:
    properties = Properties(packet)  # type: ignore[no-untyped-call]
    properties.ContentType = "application/json"
    properties.PayloadFormatIndicator = 1
    if expiry is not None:
        properties.MessageExpiryInterval = expiry
    return properties


_PROPERTIES: Final = {kind: _properties(expiry=EXPIRY.get(kind)) for kind in get_args(PublicEvent)}
