"""Bridges to Slumbot's API: one without a port, and one that is a program."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clients.slumbot.bridge import BridgeSettings, SlumbotBridge
from tests.support.programs import PYTHON, Program
from tests.support.slumbot_client import Answer


class Api:
    """A bridge without a port."""

    def __init__(self, url: str, **settings: Any) -> None:
        plain: dict[str, Any] = {"name": "guest", "rival": "fair", "sessions": 3, "idle": 60.0, "wait": 30.0}
        self.bridge = SlumbotBridge(BridgeSettings(url, **plain | settings))

    async def post(self, path: str, body: object) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        status, answer = await self.bridge.answer(path, data)
        assert status == 200
        found: Answer = json.loads(answer)
        return found

    async def new_hand(self, token: str = "") -> Answer:
        return await self.post("/slumbot/api/new_hand", {"token": token})

    async def act(self, token: str, incr: str) -> Answer:
        return await self.post("/api/act", {"token": token, "incr": incr})


@contextmanager
def bridged(url: str, *options: str) -> Iterator[str]:
    """A bridge, and the address that a client is given."""
    with Program(PYTHON, "-m", "pokerd", "slumbot", "--url", url, "--port", "0", *options) as running:
        yield running.says(r"^Slumbot's API: (http://127\.0\.0\.1:\d+)/api$")[1]
        assert running.stop(signal.SIGINT) == 130
        assert not [line for line in running.lines if "Traceback" in line or "error" in line]
