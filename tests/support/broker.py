"""A real MQTT broker for one test, and clients that listen to it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import aiomqtt

from protocol.public import FinishedHand, PublicEvent, decode
from tests.support.ports import free_port
from tests.support.programs import Program

#: Seconds for what takes a second or two on a quiet machine.
PATIENCE = 60.0
QUIET = logging.getLogger("tests.mqtt")
QUIET.setLevel(logging.CRITICAL + 1)


class Broker:
    """A mosquitto of our own, at any free port of this machine. It remembers nothing beyond its process."""

    def __init__(self, folder: Path, *settings: str) -> None:
        program = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
        assert program is not None, "make system installs it"
        self.port = free_port()
        self.url = f"mqtt://127.0.0.1:{self.port}"
        file = folder / "mosquitto.conf"
        lines = (f"listener {self.port} 127.0.0.1", "persistence false", "log_dest stderr")
        file.write_text("\n".join((*lines, *(settings or ("allow_anonymous true",)), "")))
        self._command = (program, "-c", file)
        self.program: Program | None = None

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self.program = Program(*self._command)
        try:
            self.program.says(r"mosquitto version .* running")
        except AssertionError:
            self.stop()
            raise

    def stop(self) -> None:
        """End it, if it runs."""
        program, self.program = self.program, None
        if program is not None:
            program.process.send_signal(signal.SIGCONT)
            with program:
                # It forgets a signal that comes between its word that it runs and its main loop.
                for _ in range(int(PATIENCE)):
                    program.process.send_signal(signal.SIGTERM)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        program.process.wait(1)
                        break

    def signal(self, number: signal.Signals) -> None:
        """SIGSTOP makes it deaf: it can be connected to, but does not answer."""
        assert self.program is not None
        self.program.process.send_signal(number)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Heard(NamedTuple):
    """A message as a subscriber got it."""

    topic: str
    event: PublicEvent
    payload: bytes
    retained: bool
    properties: dict[str, Any]


class Ears:
    """All that a subscriber has heard, and a way to wait for more."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.heard: list[Heard] = []
        self._messages = aiter(client.messages)

    async def until(self, what: Callable[[Heard], object]) -> Heard:
        """Listen until a message is so; that message."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await anext(self._messages)
                assert isinstance(message.payload, bytes)
                assert message.properties is not None
                heard = Heard(
                    message.topic.value,
                    decode(message.payload),
                    message.payload,
                    message.retain,
                    message.properties.json(),  # type: ignore[no-untyped-call]
                )
                self.heard.append(heard)
                if what(heard):
                    return heard

    async def hear(self, kind: type, where: Callable[[Any], object] = lambda _: True) -> Any:
        """The next event of a kind for which something holds."""
        return (await self.until(lambda heard: isinstance(heard.event, kind) and where(heard.event))).event

    @property
    def hands(self) -> list[FinishedHand]:
        """The hands so far."""
        return [heard.event for heard in self.heard if isinstance(heard.event, FinishedHand)]


@asynccontextmanager
async def listening_to(url: str, topic: str = "pokerd/v1/#", **options: Any) -> AsyncIterator[Ears]:
    """A client that subscribes to the broker at ``url``."""
    port = int(url.rpartition(":")[2])
    client = aiomqtt.Client(
        "127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, logger=QUIET, timeout=PATIENCE, **options
    )
    async with client:
        await client.subscribe(topic, qos=1)
        yield Ears(client)


async def retained(url: str, *topics: str) -> dict[str, PublicEvent]:
    """What somebody gets who comes late, by topic: these topics must be there."""
    missing = set(topics)
    async with listening_to(url) as ears:
        while missing:
            heard = await ears.until(lambda heard: heard.retained)
            missing.discard(heard.topic)
    return {heard.topic: heard.event for heard in ears.heard if heard.retained}
