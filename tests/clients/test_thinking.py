"""Bots that take their time: each thinks in a thread or a task of its own, and nobody waits for it."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest

import pokerd_bot
from dealer.rules.actions import CALL, Action
from dealer.table import Clock
from pokerd_bot.bot import Bot
from pokerd_bot.client import Client
from pokerd_bot.hand import Match
from pokerd_bot.turn import Turn
from protocol import messages
from protocol.codec import JSON
from server.tables.actor import TableActor
from server.tables.player import Player
from tests.clients.first_hand import HAND, START
from tests.support.houses.open_house import Proxy, come, opened, playing, until
from tests.support.houses.people import PATIENCE, at_table

ENOUGH = Clock(60.0, 0.0)
TABLES = 6


@pytest.fixture(params=["picows", "websockets"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both libraries that a connection may be of."""
    if request.param == "websockets":
        monkeypatch.delattr(pokerd_bot, "picows_channel", raising=False)
        monkeypatch.setitem(sys.modules, "pokerd_bot.net.picows_channel", None)


class Thinker(Bot):
    """Answers its first turn when every other table is asked, too."""

    all_asked: ClassVar[threading.Barrier]

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.turns = 0

    def act(self, turn: Turn) -> Action:
        self.turns += 1
        if self.turns == 1:
            self.all_asked.wait(PATIENCE)
        return turn.call()


class AsyncThinker(Bot):
    """The same, in a coroutine."""

    asked: ClassVar[int]
    all_asked: ClassVar[asyncio.Event]
    hands: ClassVar[int]

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.turns = 0

    async def act(self, turn: Turn) -> Action:
        self.turns += 1
        if self.turns == 1:
            type(self).asked += 1
            if self.asked == TABLES:
                self.all_asked.set()
            await self.all_asked.wait()
        return turn.call()

    async def hand_ended(self, *_: Any) -> None:
        type(self).hands += 1


async def at_six_tables(factory: type[Bot]) -> None:
    async with opened() as (house, url), come(url) as bob:
        players = [Player("thinker", "t"), Player("bob", "b")]
        actors = [at_table(house, players, hands=3, clock=ENOUGH, name=f"m{at}") for at in range(TABLES)]
        async with playing(factory, url, token="t", tables=TABLES) as thinker:
            await bob.say("hello", name="bob", token="b", tables=TABLES)
            while not all(actor.table.over for actor in actors):
                message = await bob.hear("match_start", "turn", "match_end")
                if message["type"] == "match_start":
                    await bob.say("ready", table=message["table"])
                elif message["type"] == "turn":
                    await bob.say("act", table=message["table"], turn=message["turn"], action="call")
            house.remove_player(players[0])
        assert thinker.result() == 0
        assert not any(actor.seats[0].incidents for actor in actors)


async def test_six_tables_think_at_the_same_time(library: None) -> None:
    Thinker.all_asked = threading.Barrier(TABLES)
    await at_six_tables(Thinker)


async def test_coroutines_wait_at_the_same_time(library: None) -> None:
    AsyncThinker.asked, AsyncThinker.all_asked, AsyncThinker.hands = 0, asyncio.Event(), 0
    await at_six_tables(AsyncThinker)
    assert AsyncThinker.hands == 3 * TABLES


class Slow(Bot):
    """Takes its time to get ready and for its first turn, and remembers what it was told."""

    prepared: ClassVar[threading.Event]
    asked: ClassVar[threading.Event]
    go_on: ClassVar[threading.Event]
    told: ClassVar[list[str]]

    def prepare(self) -> None:
        self.told.append("prepare")
        self.prepared.wait(PATIENCE)

    def act(self, turn: Turn) -> Action:
        self.told.append(f"act {turn.message.turn}")
        self.asked.set()
        self.go_on.wait(PATIENCE)
        return CALL

    def match_ended(self, end: messages.MatchEnd) -> None:
        self.told.append(f"match_ended {end.reason}")


@pytest.fixture
def slow() -> type[Slow]:
    Slow.prepared, Slow.asked, Slow.go_on = threading.Event(), threading.Event(), threading.Event()
    Slow.told = []
    return Slow


async def test_a_bot_prepares_before_it_is_ready_and_hears_of_the_end(slow: type[Slow]) -> None:
    slow.go_on.set()
    async with opened() as (house, url), come(url) as bob:
        players = [Player("slow", "s"), Player("bob", "b")]
        actor = at_table(house, players, hands=2, clock=ENOUGH)
        await bob.say("hello", name="bob", token="b")
        async with playing(slow, url, token="s") as bot:
            await until(lambda: slow.told)
            assert not actor.seats[0].ready
            slow.prepared.set()
            await bob.play(hands=2)
            await until(lambda: actor.table.over)
            house.remove_player(players[0])
        assert bot.result() == 0
    assert slow.told[0] == "prepare"
    assert slow.told[-1] == "match_ended complete"
    assert slow.told.count("prepare") == 1


async def test_an_answer_to_a_turn_that_is_over_is_not_sent(
    slow: type[Slow], caplog: pytest.LogCaptureFixture
) -> None:
    """Nor is a bot asked for turns that were over before it could think of them."""
    slow.prepared.set()
    client = Client(slow, JSON)
    client.online = True
    sent: list[messages.ClientMessage] = []

    def hear(*news: messages.ServerMessage) -> None:
        frame = JSON.join([JSON.encode(message) for message in news])
        client.handle(frame, lambda answer: sent.extend(JSON.decode_client(answer)))

    def timed_out(seq: int) -> messages.PlayerActed:
        return messages.PlayerActed("m", seq, 0, "call", forced="timeout")

    turns = [messages.YourTurn("m", number, False, 0, None, 200, 1000, 0) for number in (1, 3, 5)]
    hear(START, HAND, turns[0])
    await until(slow.asked.is_set)
    hear(timed_out(2), turns[1], timed_out(4), turns[2])
    slow.go_on.set()
    await until(lambda: len(sent) == 2)
    hear(messages.MatchEnd("m", 1, [0, 0]))
    await client.finish()
    assert sent == [messages.Ready("m"), messages.Act("m", 5, "call")]
    assert slow.told == ["prepare", "act 1", "act 5", "match_ended complete"]
    assert "too late" in caplog.text


def is_back(actor: TableActor, proxy: Proxy) -> bool:
    player = actor.players[0]
    return proxy.connections == 2 and player is not None and player.connection is not None


async def test_a_cut_connection_does_not_disturb_a_thought(slow: type[Slow]) -> None:
    """The bot is not asked twice, and its answer goes out over the new connection."""
    slow.prepared.set()
    async with opened() as (house, direct), Proxy(direct) as proxy, come(direct) as bob:
        players = [Player("slow", "s"), Player("bob", "b")]
        actor = at_table(house, players, hands=4, clock=ENOUGH)
        await bob.say("hello", name="bob", token="b")
        async with playing(slow, proxy.url, token="s") as bot:
            others = asyncio.create_task(bob.play(hands=4))
            await until(slow.asked.is_set)
            proxy.cut()
            await until(lambda: is_back(actor, proxy))
            slow.go_on.set()
            await others
            await until(lambda: actor.table.over)
            house.remove_player(players[0])
        assert bot.result() == 0
        assert actor.seats[0].incidents == {"disconnect": 1}
    acts = Counter(one for one in slow.told if one.startswith("act"))
    assert max(acts.values()) == 1


@pytest.mark.parametrize("codec", ["json", "msgpack"])
async def test_a_trace_has_every_frame_and_no_secret(library: None, codec: str, tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    async with opened() as (house, url), come(url) as bob:
        players = [Player("me", "my secret token"), Player("bob", "b")]
        actor = at_table(house, players, hands=3, clock=ENOUGH)
        await bob.say("hello", name="bob", token="b")
        options: dict[str, Any] = {"trace": str(file), "json": codec == "json"}
        async with playing(Bot, url, token="my secret token", **options) as bot:
            await bob.play(hands=3)
            await until(lambda: actor.table.over)
            resume = players[0].resume
            house.remove_player(players[0])
        assert bot.result() == 0
    text = file.read_text()
    assert "my secret token" not in text
    assert resume not in text
    lines = [json.loads(line) for line in text.splitlines()]
    times = [line["time"] for line in lines]
    assert times == sorted(times)
    kinds = Counter((line["from"], message["type"]) for line in lines for message in line["frame"])
    assert kinds["bot", "hello"] == kinds["server", "welcome"] == kinds["bot", "ready"] == 1
    assert kinds["server", "hand_end"] == 3
    assert kinds["bot", "act"] == kinds["server", "turn"] > 0
