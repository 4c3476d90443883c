"""What the animals do alike: come in, read, and play properly until they do not. No code of pokerd."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

URL = os.environ.get("POKERD_URL", "ws://127.0.0.1:8000")


def send(socket: ClientConnection, frame: str | bytes) -> None:
    """Send any frame; the end when the server has closed."""
    try:
        socket.send(frame)
    except ConnectionClosed:
        raise SystemExit(0) from None


def say(socket: ClientConnection, kind: str, **fields: Any) -> None:
    send(socket, json.dumps({"type": kind, **fields}))


def come_in(**fields: Any) -> ClientConnection:
    """Connect and say hello, by default with the token that the server gave."""
    socket = connect(URL, subprotocols=["pokerd.v1.json"], compression=None, close_timeout=1)  # type: ignore[list-item]
    env = os.environ
    hello = {"name": env["POKERD_NAME"], "token": env["POKERD_TOKEN"], "tables": int(env["POKERD_TABLES"])}
    say(socket, "hello", **{**hello, **fields})
    return socket


def hear(socket: ClientConnection) -> Iterator[dict[str, Any]]:
    """Messages until the server closes; every match is greeted with ``ready``."""
    try:
        for frame in socket:
            messages = json.loads(frame)
            for message in messages if isinstance(messages, list) else [messages]:
                if message["type"] == "match_start":
                    say(socket, "ready", table=message["table"])
                yield message
    except ConnectionClosed:
        return


def act(socket: ClientConnection, question: dict[str, Any], action: str = "call", **fields: Any) -> None:
    """Answer a turn."""
    say(socket, "act", **{"table": question["table"], "turn": question["turn"], "action": action, **fields})


def play(socket: ClientConnection, turns: int = 10**9) -> dict[str, Any] | None:
    """Call ``turns`` times; the next turn, unanswered, or None when the server closed before it."""
    for message in hear(socket):
        if message["type"] == "turn":
            if turns == 0:
                return message
            act(socket, message)
            turns -= 1
    return None
