"""People and bots at one table, over real sockets: the bots are processes."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from protocol.codec import CODECS, JSON, MSGPACK
from server.auth.text_rules import MAX_CHAT_LINES
from server.house.house import House
from tests.support.houses.open_house import until
from tests.support.houses.people import Door, Remote, going_on, kept, listening, open_table
from tests.support.houses.raw_websocket import TEXT, buffers, deaf


async def test_a_flood_of_chat_disturbs_nobody() -> None:
    async with listening(guests=True) as (house, door):
        open_table(house, seats=2)
        async with door() as ann, door(MSGPACK) as bob, door() as eve:
            await seated(ann, "ann")
            await seated(bob, "bob")
            await eve.say("hello", name="eve", person=True)
            await eve.say("watch", table="table-1")
            shout = [{"type": "say", "table": "table-1", "text": "x" * 200}] * 1020
            await eve.throw(json.dumps(shout[:150]).encode())
            async with going_on(ann, bob):
                await until(lambda: all(len(kept(one, "hand_end")) > 5 for one in (ann, bob)))
            assert 1 <= len(kept(ann, "said")) < MAX_CHAT_LINES
            await eve.hear("error", where=lambda message: message["code"] == "too_fast")
            # Who goes on like that is shown the door.
            for _ in range(8):
                await eve.throw(json.dumps(shout[:150]).encode())
            error = await eve.hear("error", where=lambda message: bool(message.get("fatal")))
            assert error["code"] == "too_many_faults"
            assert len(house.open_tables["table-1"].chat.lines) < MAX_CHAT_LINES
            async with going_on(ann, bob):
                await until(lambda: all(len(kept(one, "hand_end")) > 8 for one in (ann, bob)))


async def seated(remote: Remote, name: str) -> None:
    await remote.say("hello", name=name, person=True)
    await remote.say("join", table="table-1")


@pytest.mark.parametrize("person", [True, False], ids=["a page", "a program"])
async def test_a_spectator_who_does_not_read_is_cut_off_without_harm(
    person: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.net.backlog.MAX_UNSENT", 50_000)
    async with listening(guests=True) as (house, door), door() as ann, door(MSGPACK) as bob:
        table = open_table(house, seats=2)
        await seated(ann, "ann")
        await seated(bob, "bob")
        async with deaf(urlsplit(door.url).port or 0) as wire:
            for message in (
                {"type": "hello", "name": "eve", "person": person},
                {"type": "watch", "table": "table-1"},
            ):
                wire.put(TEXT, json.dumps(message).encode())
            await until(lambda: table.audience.spectators)
            eve = house.players["eve"].connection
            assert eve is not None
            buffers(eve).setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            async with going_on(ann, bob):
                await until(lambda: not eve.open)
                assert not table.audience.spectators
                hands = table.hands
                await until(lambda: table.hands > hands + 2)
        assert not kept(ann, "error") + kept(bob, "error")
        assert table.failure is None


async def test_a_page_that_breaks_off_and_returns_goes_on_where_it_was() -> None:
    async with listening(guests=True) as (house, door):
        open_table(house, seats=3)
        async with door() as bob, door() as cat:
            await seated(bob, "bob")
            await seated(cat, "cat")
            resume = ""
            async with going_on(bob, cat):
                for codec in (JSON, MSGPACK, JSON, MSGPACK):
                    async with door(codec) as ann:
                        await ann.say("hello", name="ann", person=True, resume=resume)
                        if not resume:
                            await ann.say("join", table="table-1")
                        async with going_on(ann):
                            await until(lambda: len(kept(ann, "hand_end")) > 2)
                        resume = resume or kept(ann, "welcome")[0]["resume"]
                        assert kept(ann, "match_start")[0]["seat"] == 2
                        assert not kept(ann, "error")
                        told = [message["type"] for message in ann.heard]
                        assert told.index("match_start") < told.index("seats")


async def test_both_codecs_serve_people(tmp_path: Path) -> None:
    for codec in CODECS.values():
        async with listening("web", guests=True) as (house, door):
            open_table(house, seats=2)
            await duel(house, door, codec)


async def duel(house: House, door: Door, codec: Any) -> None:
    async with door(codec) as ann, door() as bob:
        await seated(ann, "ann")
        await seated(bob, "bob")
        async with going_on(ann, bob):
            await until(lambda: len(kept(ann, "hand_end")) > 3)
        assert {"seats", "waiting", "turn"} <= {message["type"] for message in ann.heard}
        assert len(house.players) == 2
