"""Bots that do one thing wrong: ``python -m tests.system.server.check.wrong KIND``. No code of pokerd, and a
websocket of a few lines, because many of them are started.

A ``Right`` bot does all that the protocol asks; each of the others overrides what it does wrong.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from typing import IO, Any, ClassVar

Message = dict[str, Any]

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Right:
    """Plays a little of everything, resumes, comes back, joins, and ends when it is told."""

    subprotocol = "pokerd.v1.json"
    kind = TEXT
    max_size = 2**20
    pongs = fragments = True
    over = False

    def __init__(self) -> None:
        self.resume = ""
        self.seats: dict[str, int] = {}
        self.returned: set[str] = set()
        self.turns = 0

    def run(self) -> None:
        while self.connection():
            pass

    def connection(self) -> bool:
        """One connection; whether there should be another one."""
        with self.connected() as self.tcp, self.tcp.makefile("rb") as data:
            self.tcp.sendall(
                b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                b"Sec-WebSocket-Protocol: %s\r\n\r\n" % self.subprotocol.encode()
            )
            if b" 101 " not in data.readline():
                raise SystemExit("the handshake was refused")
            while data.readline() != b"\r\n":
                pass
            self.code = 0
            try:
                self.hello()
                self.read(data)
            except OSError:
                pass
        return self.code in (0, 1001) and not self.over and self.broken()

    def connected(self) -> socket.socket:
        """A connection to the server; one that starts again may take a while."""
        host, port = os.environ["POKERD_URL"].removeprefix("ws://").split(":")
        for _ in range(200):
            try:
                return socket.create_connection((host, int(port)))
            except ConnectionRefusedError:
                threading.Event().wait(0.02)
        raise SystemExit("nobody is there")

    def read(self, data: IO[bytes]) -> None:
        """Take frames until the connection is over."""
        whole = b""
        while head := data.read(2):
            size = head[1]
            if size > 125:
                size = int.from_bytes(data.read(2 if size == 126 else 8), "big")
            if size > self.max_size:
                raise SystemExit("too big")
            payload = data.read(size)
            if head[0] & 15 == CLOSE:
                self.code = int.from_bytes(payload[:2], "big")
                self.send(CLOSE, payload)
                return
            if head[0] & 15 == PING:
                if self.pongs:
                    self.send(PONG, payload)
                continue
            whole = whole + payload if self.fragments else payload
            if head[0] & 128:
                frame, whole = whole, b""
                self.frame(frame)

    def send(self, kind: int, payload: bytes) -> None:
        """Send one frame, masked with zeros."""
        size = len(payload)
        if size < 126:
            head = bytes([128 | size])
        else:
            head = b"\xfe" + size.to_bytes(2, "big") if size < 2**16 else b"\xff" + size.to_bytes(8, "big")
        self.tcp.sendall(bytes([128 | kind]) + head + bytes(4) + payload)

    def broken(self) -> bool:
        """The connection was lost, or the server starts again; whether to come back."""
        return True

    def hello(self) -> None:
        self.say("hello", name="a bot", token=os.environ["POKERD_TOKEN"], tables=8, resume=self.resume)

    def say(self, kind: str, **fields: Any) -> None:
        self.send(self.kind, json.dumps({"type": kind, **fields}).encode())

    def frame(self, frame: bytes) -> None:
        data = json.loads(frame)
        for message in data if isinstance(data, list) else [data]:
            self.message(message)

    def message(self, message: Message) -> None:
        handler = getattr(self, message["type"], None)
        if handler is not None:
            handler(message)

    def welcome(self, message: Message) -> None:
        self.resume = message["resume"]
        if message.get("tables") and not self.seats:
            self.say("join", table=message["tables"][0]["table"])

    def match_start(self, message: Message) -> None:
        self.seats[message["table"]] = message["seat"]
        self.say("ready", table=message["table"])

    def acted(self, message: Message) -> None:
        if message.get("forced") != "absent" or message["seat"] != self.seats[message["table"]]:
            return
        if message["table"] not in self.returned:
            self.returned.add(message["table"])
            self.say("back", table=message["table"])

    def turn(self, message: Message) -> None:
        self.turns += 1
        if message["raise_to"] and message["call"] < message["pot"] / 3 and message["turn"] % 3 == 0:
            self.act(message, action="raise", to=message["raise_to"][0])
        else:
            self.act(message)

    def act(self, asked: Message, **fields: Any) -> None:
        self.say("act", **{"table": asked["table"], "turn": asked["turn"], "action": "call", **fields})

    def error(self, message: Message) -> None:
        self.over = message.get("fatal", False)


# How a connection begins.


class Absent(Right):
    def run(self) -> None:
        signal.pause()


class Stillborn(Right):
    def run(self) -> None:
        raise SystemExit("no such strategy")


class Foreign(Right):
    subprotocol = "chat"


class Anonymous(Right):
    def hello(self) -> None:
        self.say("hello", name="a bot")


class Hasty(Right):
    def hello(self) -> None:
        self.say("ready", table="table-1")
        super().hello()


class Mute(Right):
    def hello(self) -> None:
        pass


class Polite(Right):
    def hello(self) -> None:
        super().hello()
        self.say("hello", name="again")


# What it sends.


class Babbler(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        self.send(TEXT, b'{"type": "act", "table": ')


class Hollow(Right):
    """Sends a frame with nothing in it before each answer."""

    def act(self, asked: Message, **fields: Any) -> None:
        self.send(TEXT, b"")
        super().act(asked, **fields)


class Binary(Right):
    def say(self, kind: str, **fields: Any) -> None:
        self.send(BINARY if kind == "act" else TEXT, json.dumps({"type": kind, **fields}).encode())


class Typist(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        super().act(asked, turn=str(asked["turn"]), **fields)


class Inventor(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        self.say("action", table=asked["table"], turn=asked["turn"], action="call")


class NeverReady(Right):
    def match_start(self, message: Message) -> None:
        self.seats[message["table"]] = message["seat"]


class Misaddressed(Right):
    def match_start(self, message: Message) -> None:
        self.seats[message["table"]] = message["seat"]
        self.say("ready", table=message["players"][message["seat"]])


class AlwaysReady(Right):
    def hand_start(self, message: Message) -> None:
        self.say("ready", table=message["table"])


class Counter(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        super().act(asked, **fields, turn=self.turns)


class Elsewhere(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        super().act(asked, **fields, table="table")


class Double(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        super().act(asked, **fields)
        super().act(asked, **fields)


class Eager(Right):
    def hand_start(self, message: Message) -> None:
        self.say("act", table=message["table"], turn=10**6, action="call")


class Slow(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        threading.Event().wait(3.7)
        super().act(asked, **fields)


class Thinker(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        if self.turns == 3:
            time.sleep(asked["time_ms"] / 1000 * 0.6)
        super().act(asked, **fields)


class Silent(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        pass


class Crasher(Right):
    def board(self, message: Message) -> None:
        raise AssertionError("no such street")


class Leaver(Right):
    def board(self, message: Message) -> None:
        self.send(CLOSE, b"\x03\xe8")
        signal.pause()


class Huge(Right):
    def hand_end(self, message: Message) -> None:
        self.send(TEXT, b"[" + b" " * 70_000 + b"]")


# What it plays. Each mends its mistake when it is told, so that the match goes on.


class Mender(Right):
    def error(self, message: Message) -> None:
        super().error(message)
        if message["code"] == "illegal_action":
            self.say("act", table=message["table"], turn=message["turn"], action="call")


class By(Mender):
    top: ClassVar[dict[str, int]] = {}

    def hand_start(self, message: Message) -> None:
        self.top[message["table"]] = max(message["blinds"])

    def board(self, message: Message) -> None:
        self.top[message["table"]] = 0

    def acted(self, message: Message) -> None:
        super().acted(message)
        self.top[message["table"]] = max(self.top[message["table"]], message.get("to", 0))

    def turn(self, message: Message) -> None:
        if message["raise_to"]:
            self.act(message, action="raise", to=message["raise_to"][0] - self.top[message["table"]])
        else:
            self.act(message)


class Total(Mender):
    """Counts the whole hand."""

    def hand_start(self, message: Message) -> None:
        self.before = 0
        self.bet = dict(zip(message["seats"], message["blinds"], strict=True))

    def board(self, message: Message) -> None:
        self.before += self.bet.get(self.seats[message["table"]], 0)
        self.bet = {}

    def acted(self, message: Message) -> None:
        super().acted(message)
        self.bet[message["seat"]] = message.get("to", 0)

    def turn(self, message: Message) -> None:
        if message["raise_to"] and message["call"] == 0:
            self.act(message, action="raise", to=self.before + message["raise_to"][1])
        else:
            self.act(message)


class Greedy(Mender):
    def turn(self, message: Message) -> None:
        bounds = message["raise_to"]
        self.act(message, **({"action": "raise", "to": bounds[1] + 1} if bounds else {}))


class Raiser(Mender):
    def turn(self, message: Message) -> None:
        self.act(message, action="raise", to=(message["raise_to"] or [20])[0])


class Checker(Mender):
    def turn(self, message: Message) -> None:
        self.act(message, action="check")


class Folder(Mender):
    def turn(self, message: Message) -> None:
        self.act(message, action="fold")


# What it cannot read.


class OneMatch(Right):
    def hello(self) -> None:
        self.say("hello", name="a bot", token=os.environ["POKERD_TOKEN"])

    def match_end(self, message: Message) -> None:
        raise SystemExit(0)


class Duellist(Right):
    def match_start(self, message: Message) -> None:
        assert len(message["players"]) < 4
        super().match_start(message)


class Ascii(Right):
    def match_start(self, message: Message) -> None:
        "".join(message["players"]).encode("ascii")
        super().match_start(message)


class TwoCards(Right):
    def hand_start(self, message: Message) -> None:
        if message["hole"]:
            _, _ = message["hole"]


class Whole(Right):
    def hand_end(self, message: Message) -> None:
        assert all(isinstance(value, int) for value in message["net"])


class WholeStacks(Right):
    def hand_start(self, message: Message) -> None:
        assert all(stack == int(stack) for stack in message["stacks"])


class WholeRefill(Right):
    def refilled(self, message: Message) -> None:
        assert message["stack"] == int(message["stack"])


class Narrow(Right):
    def act(self, asked: Message, **fields: Any) -> None:
        super().act(asked, **fields, turn=asked["turn"] % 2**32)


class NoRaise(Right):
    def turn(self, message: Message) -> None:
        assert message["call"] < 10_000
        super().turn(message)


class Strict(Right):
    known = frozenset({"type", "table", "turn", "fold", "call", "raise_to", "pot", "time_ms", "bank_ms"})

    def turn(self, message: Message) -> None:
        assert message.keys() <= self.known
        super().turn(message)


class Closed(Right):
    def message(self, message: Message) -> None:
        if message["type"].startswith("x_n"):
            raise AssertionError("unknown message")
        super().message(message)


class Default(Right):
    def acted(self, message: Message) -> None:
        assert "forced" not in message or message["forced"] != ""
        super().acted(message)


class TypeFirst(Right):
    def frame(self, frame: bytes) -> None:
        assert frame.strip().lstrip(b"[{ \n\r\t").startswith(b'"type"')
        super().frame(frame)


class Compact(Right):
    def frame(self, frame: bytes) -> None:
        assert b"\n" not in frame
        super().frame(frame)


class Pair(Right):
    def frame(self, frame: bytes) -> None:
        data = json.loads(frame)
        assert data[1] if isinstance(data, list) else data
        super().frame(frame)


class Single(Right):
    """Takes every frame for one message."""

    def frame(self, frame: bytes) -> None:
        data = json.loads(frame)
        if isinstance(data, dict):
            self.message(data)


class SingleOrNothing(Right):
    def frame(self, frame: bytes) -> None:
        self.message({**json.loads(frame)})


class Deaf(Right):
    pongs = fragments = False


class Small(Right):
    max_size = 100_000


class Plodder(Right):
    """Thinks for a fifth of its time, at one table after the other."""

    def act(self, asked: Message, **fields: Any) -> None:
        if asked["table"].startswith("many-tables"):
            time.sleep(asked["time_ms"] / 1000 / 5)
        super().act(asked, **fields)


class LastTurn(Right):
    """Answers one turn of each frame."""

    def frame(self, frame: bytes) -> None:
        data = json.loads(frame)
        turns = [message for message in data if message["type"] == "turn"] if isinstance(data, list) else []
        for message in data if isinstance(data, list) else [data]:
            if message not in turns[:-1]:
                self.message(message)


# What it does when something goes wrong.


class Touchy(Right):
    def error(self, message: Message) -> None:
        raise AssertionError(message["code"])


class Sulking(Right):
    def acted(self, message: Message) -> None:
        """It never says back."""


class Early(Sulking):
    """Answers the turn that may come, and then the one that comes."""

    def hand_start(self, message: Message) -> None:
        self.say("act", table=message["table"], turn=message["seq"] + 1, action="call")


class Fatalist(Right):
    def broken(self) -> bool:
        signal.pause()
        return False


class Ender(Right):
    def broken(self) -> bool:
        raise SystemExit(1)


class Forgetful(Right):
    """Answers no turn twice, also not after the connection broke."""

    answered: ClassVar[dict[str, set[int]]] = {}

    def match_start(self, message: Message) -> None:
        super().match_start(message)
        if not message.get("resumed"):
            self.answered[message["table"]] = set()

    def turn(self, message: Message) -> None:
        answered = self.answered[message["table"]]
        if message["turn"] not in answered:
            answered.add(message["turn"])
            super().turn(message)


class Once(Right):
    """Cannot bear to be told an event twice."""

    seen: ClassVar[dict[str, set[int]]] = {}

    def match_start(self, message: Message) -> None:
        super().match_start(message)
        if not message.get("resumed"):
            self.seen[message["table"]] = set()

    def acted(self, message: Message) -> None:
        super().acted(message)
        assert message["seq"] not in self.seen[message["table"]]
        self.seen[message["table"]].add(message["seq"])


class Timid(Right):
    """Comes back when the connection breaks, and not when the server closes it."""

    def broken(self) -> bool:
        return self.code == 0


class Impatient(Right):
    """Tries to come back once."""

    def connected(self) -> socket.socket:
        host, port = os.environ["POKERD_URL"].removeprefix("ws://").split(":")
        return socket.create_connection((host, int(port)))


class Returner(Right):
    """Comes back whatever the server says."""

    def run(self) -> None:
        while True:
            self.connection()
            threading.Event().wait(0.1)


class Visitor(Right):
    """Comes back once after a goodbye."""

    def connection(self) -> bool:
        return super().connection() or self.code == 1000


class Fighter(Right):
    def error(self, message: Message) -> None:
        super().error(message)
        if message["code"] == "replaced":
            self.run()


class Stormer(Right):
    def error(self, message: Message) -> None:
        super().error(message)
        if message["code"] == "server_full":
            self.run()


# Beyond one match.


class Homeless(Right):
    def welcome(self, message: Message) -> None:
        self.resume = message["resume"]


class Shy(Right):
    """Ends where tables are open."""

    def welcome(self, message: Message) -> None:
        if message.get("tables"):
            sys.exit(7)


class Loner(Right):
    def players(self, message: Message) -> None:
        raise AssertionError("who is that?")


class Learner(Right):
    """Plays every other match otherwise."""

    matches = 0

    def match_start(self, message: Message) -> None:
        self.matches += 1
        super().match_start(message)

    def turn(self, message: Message) -> None:
        bounds = message["raise_to"] if self.matches % 2 else None
        self.act(message, **({"action": "raise", "to": bounds[0]} if bounds else {}))


class Lingering(Right):
    def run(self) -> None:
        super().run()
        signal.pause()


class Survivor(Right):
    """Ends when it is told goodbye, and else comes back for ever."""

    def run(self) -> None:
        while True:
            try:
                self.connection()
                if self.code == 1000:
                    return
            except OSError:
                threading.Event().wait(0.1)


class Parent(Right):
    def run(self) -> None:
        import subprocess

        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        super().run()


class Refilled(Right):
    def refilled(self, message: Message) -> None:
        raise AssertionError("no more chips")


class Dealt(Right):
    def hand_start(self, message: Message) -> None:
        message["seats"].index(self.seats[message["table"]])


class Packed(Right):
    """A right one that speaks MessagePack."""

    subprotocol = "pokerd.v1.msgpack"

    def say(self, kind: str, **fields: Any) -> None:
        import msgpack

        self.send(BINARY, msgpack.packb({"type": kind, **fields}))

    def frame(self, frame: bytes) -> None:
        import msgpack

        data = msgpack.unpackb(frame)
        for message in data if isinstance(data, list) else [data]:
            self.message(message)


if __name__ == "__main__":
    globals()[sys.argv[1]]().run()
