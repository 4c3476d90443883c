"""Plays 1,024 tables on one connection with `numpy` and `websockets`; docs/batch.md explains the frames."""

import json
import os
import sys
import time
from typing import Any

import numpy as np
from websockets.sync.client import connect
from websockets.typing import Subprotocol

URL = os.environ.get("POKERD_URL", "ws://127.0.0.1:8000")
TOKEN = os.environ.get("POKERD_TOKEN", "")
HANDS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
OPEN = {"type": "open", "game": "holdem.limit.2p.reverse_blinds", "opponents": ["call"], "history": 8}
HEADER = np.dtype("<u2,<u2,<u4,<u4,<u4,<u4,<u4")  # version, flags, frame, over, turns, refused, time_ms
REPLY = np.dtype("<u2,<u2,<u4")  # version, zero, frame
ANSWER = np.dtype([("table", "<u2"), ("action", "u1"), ("zero", "u1"), ("to", "<u4")])
LAST = 2


def row_type(players: int, history: int) -> np.dtype[Any]:
    """A row as on the page: every number stands at a multiple of its size."""
    fields = "table:<u2 position:u1 street:u1 hand:<u4 value:<f8 pot:<u4 call:<u4 min_raise:<u4 max_raise:<u4"
    fields += " bet:<u4 actions:<u2 answered:<u2 folded:<u2 all_in:<u2 own:2u1 board:5u1 over:u1"
    fields += "".join(f" {name}:{players}<u4" for name in ("stacks", "bets", "paid"))
    fields += f" shown:{2 * players}u1 history:{history}<u4"
    return np.dtype([tuple(field.split(":")) for field in fields.split()], align=True)


def decide(turns: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Raise the least with a pair in the hole, else check or call."""
    first, second = turns["own"].T // 4
    return np.where((first == second) & (turns["max_raise"] > 0), 2, 1), turns["min_raise"]


with connect(URL, subprotocols=[Subprotocol("pokerd.v1.batch")], compression=None, max_size=None) as socket:
    socket.send(json.dumps({"type": "hello", "name": "batch-bot", "token": TOKEN}))
    socket.recv()  # welcome
    socket.send(json.dumps({**OPEN, "hands": HANDS, "records": "--records" in sys.argv}))
    opened = json.loads(socket.recv())
    if opened["type"] == "error":
        sys.exit(f"{opened['code']}: {opened['message']}")
    row = row_type(len(opened["names"]), opened["history"])
    hands, won, start = 0, 0.0, time.perf_counter()
    for frame in socket:
        if isinstance(frame, str):
            sys.exit(frame)
        _, flags, number, over, turns, refused, _ = np.frombuffer(frame, HEADER, 1)[0].tolist()
        ended, asked = np.split(np.frombuffer(frame, row, over + turns, HEADER.itemsize), [over])
        hands, won = hands + over, won + ended["value"].sum()
        if flags & LAST:
            break
        answers = np.zeros(turns, ANSWER)
        answers["table"] = asked["table"]
        answers["action"], answers["to"] = decide(asked)
        socket.send(np.array([(1, 0, number)], REPLY).tobytes() + answers.tobytes())
    seconds = time.perf_counter() - start
    print(f"{hands} hands, {hands / seconds:,.0f} a second, {won / hands:+.3f} chips a hand")
