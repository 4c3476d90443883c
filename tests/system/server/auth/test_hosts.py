"""A server that is told its names, by its options."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

from websockets.sync.client import ClientConnection, connect

from protocol.codec import JSON
from tests.support.houses.people import Message, unpacked
from tests.support.served import Place


def test_a_server_that_is_told_its_names(tmp_path: Path) -> None:
    """At all ports of the process, and the way for its own bots stays open."""
    options = ["--allow-host", "poker.example", "--allow-origin", "https://bots.example"]
    proxy = ["--proxy", "127.0.0.1", "--guests", "yes", "--max-connections-per-ip", "1"]
    with Place(tmp_path, *options, *proxy, "--tables", "1", "--bots", "call", "--seats", "2") as place:

        def asked(host: str, path: str) -> tuple[int, str]:
            client = http.client.HTTPConnection("127.0.0.1", int(place.people.split(":")[2].split("/")[0]))
            client.request("GET", path, headers={"Host": host})
            answer = client.getresponse()
            body = answer.read().decode()
            client.close()
            return answer.status, json.loads(body).get("code", "") if path.startswith("/api/") else ""

        for path in ("/", "/api/tables", "/metrics", "/static/none"):
            assert asked("evil.example", path)[0] == 421
            assert asked("poker.example", path)[0] == asked("localhost", path)[0] != 421
        assert asked("evil.example", "/api/tables") == (421, "unknown_host")
        headers = {"Origin": "https://bots.example", "X-Forwarded-For": "192.0.2.1"}
        with connect(place.bots, additional_headers=headers) as bot:
            said(bot, "hello", name="ann")
            heard(bot, "welcome")
            said(bot, "join", table="table-1")
            heard(bot, "match_start")
            said(bot, "ready", table="table-1")
            # The house bot has come, and plays.
            heard(bot, "hand_start")
            # Others have places of their own, from the same proxy.
            with connect(place.bots, additional_headers={"X-Forwarded-For": "192.0.2.2"}) as other:
                said(other, "hello", name="bob")
                heard(other, "welcome")
            with connect(place.bots, additional_headers=headers) as second:
                assert heard(second, "error")["code"] == "too_many_connections"


def said(bot: ClientConnection, kind: str, **fields: str) -> None:
    bot.send(json.dumps({"type": kind, **fields}))


def heard(bot: ClientConnection, kind: str) -> Message:
    """The next message of this kind."""
    while True:
        for message in unpacked(JSON, bot.recv(timeout=60)):
            if message["type"] == kind:
                return message
