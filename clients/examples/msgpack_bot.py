"""A bot with no SDK: only `websockets` and `msgpack`. It folds to any bet and plays many tables over one
connection.
"""

import os
import sys
from contextlib import suppress

import msgpack
from websockets.exceptions import ConnectionClosedOK
from websockets.sync.client import connect
from websockets.typing import Subprotocol

URL = os.environ.get("POKERD_URL", "ws://127.0.0.1:8000")
NAME = os.environ.get("POKERD_NAME", "msgpack-bot")
TOKEN = os.environ.get("POKERD_TOKEN", "")
TABLES = int(os.environ.get("POKERD_TABLES", "1"))
TABLE = sys.argv[1] if len(sys.argv) > 1 else ""


def answer(message: dict) -> dict | None:  # type: ignore[type-arg]
    """What to say to a message of the server, if anything."""
    if message["type"] == "welcome" and message.get("tables"):
        return {"type": "join", "table": TABLE or message["tables"][0]["table"]}
    if message["type"] == "match_start":
        print(f"playing at {message['table']}; Ctrl-C ends it", file=sys.stderr)
        return {"type": "ready", "table": message["table"]}
    if message["type"] == "turn":
        action = "fold" if message["fold"] else "check"
        return {"type": "act", "table": message["table"], "turn": message["turn"], "action": action}
    if message["type"] == "error":
        print(message["code"], message["message"], file=sys.stderr)
    return None


FORMAT = Subprotocol("pokerd.v1.msgpack")
with suppress(KeyboardInterrupt), connect(URL, subprotocols=[FORMAT], compression=None) as socket:
    tables = set()
    socket.send(msgpack.packb({"type": "hello", "name": NAME, "token": TOKEN, "tables": TABLES}))
    try:
        for frame in socket:
            messages = msgpack.unpackb(frame)
            if isinstance(messages, dict):
                messages = [messages]
            tables |= {message["table"] for message in messages if message["type"] == "match_start"}
            answers = [reply for message in messages if (reply := answer(message))]
            if answers:
                # The server may have closed by now; why, it says in a frame that is yet to be read.
                with suppress(ConnectionClosedOK):
                    socket.send(msgpack.packb(answers))
    except KeyboardInterrupt:
        # Without this the server would hold the seats for a while.
        socket.send(msgpack.packb([{"type": "leave", "table": table} for table in tables]))
