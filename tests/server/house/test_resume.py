"""A broken connection: the seat is kept, the hand is told again, the open turn is asked again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dealer.rules.hand import HandState
from dealer.table import Clock
from protocol.codec import CODECS, JSON, MSGPACK, Codec
from server.house.house import House
from server.net.connection import CLOSE_NORMAL, CLOSE_POLICY
from server.tables.player import Player
from tests.support.houses.people import PATIENCE, Entrance, Memory, Message, at_table, each_library, listening

each_codec = pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)


class Duel:
    """Alice (0) and Bob (1) in a match; Alice is the one whose connection breaks."""

    def __init__(
        self, codec: Codec = JSON, *, grace: float = 1000.0, hands: int = 20, tables: int = 1
    ) -> None:
        self.house = House(grace=grace)
        self.codec = codec
        self.alice, self.bob = Player("alice", "a"), Player("bob", "b")
        self.actors = [
            at_table(self.house, [self.alice, self.bob], hands=hands, name=f"m{number}")
            for number in range(tables)
        ]
        self.actor = self.actors[0]
        self.clients = {
            0: self.come("alice", tables=tables, token="a"),
            1: self.come("bob", tables=tables, token="b"),
        }
        for client in self.clients.values():
            for actor in self.actors:
                client.say("ready", table=actor.facts.table)

    def come(self, name: str, **fields: Any) -> Memory:
        client = Memory(self.house, self.codec)
        client.say("hello", name=name, **fields)
        return client

    def resume(self, **fields: Any) -> tuple[Memory, list[Message]]:
        client = Memory(self.house, self.codec)
        news = client.say("hello", name="alice", resume=self.alice.resume, tables=len(self.actors), **fields)
        self.clients[0] = client
        return client, news

    @property
    def hand(self) -> HandState:
        """The hand in progress."""
        assert self.actor.table.hand is not None
        return self.actor.table.hand

    def act(self, action: str = "call", **fields: Any) -> list[Message]:
        table = self.actor.table
        name = self.actor.facts.table
        return self.clients[table.turn_seat].say("act", table=name, turn=table.turn, action=action, **fields)

    def until(self, done: Any) -> None:
        for _ in range(1000):
            if done():
                return
            self.act()
        raise AssertionError("this never comes")


def events_of(messages: list[Message]) -> list[Message]:
    return [message for message in messages if "seq" in message]


@each_codec
async def test_the_hand_is_told_again_and_the_turn_asked_again(codec: Codec) -> None:
    duel = Duel(codec)
    duel.until(lambda: duel.actor.hands == 2 and duel.hand.betting.street == 1)
    duel.until(lambda: duel.actor.table.turn_seat == 0)
    client = duel.clients[0]
    client.news()
    hand = duel.hand
    first = duel.actor.table.seq - len(hand.events)
    told = [message for message in events_of(client.heard) if message["seq"] >= first]
    asked = [message for message in client.heard if message["type"] == "turn"][-1]
    client.break_off()

    _, news = duel.resume()
    assert [message["type"] for message in news[:2]] == ["welcome", "match_start"]
    assert news[1]["resumed"] is True
    assert news[1].get("reset") is False
    assert news[1]["hand"] == hand.number
    assert news[2:-1] == told
    turn = news[-1]
    assert {**turn, "time_ms": 0} == {**asked, "time_ms": 0}
    assert 0 < turn["time_ms"] <= asked["time_ms"]
    assert "error" not in {message["type"] for message in duel.act()}
    assert duel.actor.seats[0].incidents == {"disconnect": 1}
    assert not duel.actor.seats[1].incidents
    duel.house.close()


async def test_a_turn_that_came_meanwhile_is_asked() -> None:
    duel = Duel()
    duel.until(lambda: duel.actor.table.turn_seat == 1)
    duel.clients[0].break_off()
    duel.act()
    assert duel.actor.table.turn_seat == 0
    _, news = duel.resume()
    assert news[-1]["type"] == "turn"
    assert news[-1]["turn"] == duel.actor.table.turn
    assert news[-2]["seq"] == duel.actor.table.seq - 1
    duel.house.close()


async def test_nothing_is_asked_when_it_is_the_opponents_turn() -> None:
    duel = Duel()
    duel.until(lambda: duel.actor.table.turn_seat == 1)
    duel.clients[0].break_off()
    _, news = duel.resume()
    assert "turn" not in {message["type"] for message in news}
    assert "turn" not in {message["type"] for message in duel.clients[0].say("ready", table="m0")}
    duel.until(lambda: duel.actor.table.turn_seat == 0)
    assert duel.clients[0].news()[-1]["type"] == "turn"
    duel.house.close()


async def test_hands_that_ended_meanwhile_are_not_told() -> None:
    duel = Duel()
    duel.until(lambda: duel.actor.table.turn_seat == 1)
    duel.clients[0].break_off()
    duel.actor.table.set_absent(0, True, duel.house.clock())
    hands = duel.actor.hands
    duel.until(lambda: duel.actor.hands >= hands + 3)
    _, news = duel.resume()
    starts = [message for message in news if message["type"] == "hand_start"]
    assert [start["hand"] for start in starts] == [duel.hand.number]
    assert not [message for message in news if message["type"] == "hand_end"]
    assert not duel.actor.table.seats[0].is_absent
    duel.house.close()


async def test_what_follows_joins_up_without_gap_or_repetition() -> None:
    duel = Duel()
    duel.until(lambda: duel.actor.hands == 1)
    duel.clients[0].break_off()
    client, _ = duel.resume()
    duel.until(lambda: duel.actor.hands == 4)
    client.news()
    seqs = [message["seq"] for message in events_of(client.heard)]
    assert seqs == list(range(seqs[0], duel.actor.table.seq))
    duel.house.close()


async def test_all_tables_come_back() -> None:
    duel = Duel(MSGPACK, tables=7)
    duel.clients[0].break_off()
    assert [actor.seats[0].incidents["disconnect"] for actor in duel.actors] == [1] * 7
    client, news = duel.resume()
    started = [message["table"] for message in news if message["type"] == "match_start"]
    assert sorted(started) == [f"m{number}" for number in range(7)]
    asked = {message["table"]: message["turn"] for message in news if message["type"] == "turn"}
    assert asked == {
        actor.facts.table: actor.table.turn for actor in duel.actors if actor.table.turn_seat == 0
    }
    for table, turn in asked.items():
        answers = client.say("act", table=table, turn=turn, action="call")
        assert "error" not in {message["type"] for message in answers}
    duel.house.close()


async def test_a_token_does_as_well() -> None:
    duel = Duel()
    duel.clients[0].break_off()
    client = duel.come("alice", token="a")
    assert [message["type"] for message in client.heard[:3]] == ["welcome", "match_start", "hand_start"]
    assert client.heard[1]["resumed"] is True
    duel.house.close()


@pytest.mark.parametrize("proof", ["resume", "token"])
async def test_a_second_connection_takes_over(proof: str) -> None:
    duel = Duel()
    duel.until(lambda: duel.actor.table.turn_seat == 0)
    old = duel.clients[0]
    old.news()
    frames = len(old.frames)
    new = duel.come("alice", **{proof: "a" if proof == "token" else duel.alice.resume})
    duel.clients[0] = new
    [error] = old.news()
    assert (error["code"], error["fatal"]) == ("replaced", True)
    assert old.closed == (CLOSE_NORMAL, "replaced")
    assert new.heard[-1]["type"] == "turn"
    # The old one is dead: what it still says is not heard, and it hears nothing.
    seq = duel.actor.table.seq
    assert old.say("act", table="m0", turn=duel.actor.table.turn, action="call") == []
    assert duel.actor.table.seq == seq
    duel.until(lambda: duel.actor.hands > 2)
    assert len(old.frames) == frames + 1
    old.break_off()
    assert duel.alice.connection is new.connection
    assert not duel.actor.seats[0].incidents
    duel.house.close()


async def test_a_wrong_secret_opens_nothing() -> None:
    duel = Duel()
    before = (duel.actor.table.seq, dict(duel.house.players))
    for proof, code in (({"resume": "no"}, "bad_resume"), ({"token": "no"}, "bad_token"), ({}, "bad_token")):
        stranger = Memory(duel.house, duel.codec)
        [error] = stranger.say("hello", name="alice", **proof)
        assert (error["code"], error["fatal"]) == (code, True)
        assert stranger.closed == (CLOSE_POLICY, code)
    assert duel.clients[0].closed is None
    assert (duel.actor.table.seq, dict(duel.house.players)) == before
    duel.act()
    duel.house.close()


async def test_after_the_grace_period_the_policy_plays_at_once() -> None:
    duel = Duel(grace=0.05, hands=30)
    duel.until(lambda: duel.actor.table.turn_seat == 0)
    duel.clients[0].break_off()
    assert duel.actor.table.turn_seat == 0
    async with asyncio.timeout(PATIENCE):
        while not duel.actor.table.seats[0].is_absent:
            await passed()
    assert duel.actor.seats[0].incidents["gone"] == 1
    assert duel.actor.table.turn_seat == 1
    duel.until(lambda: duel.actor.table.over)
    assert duel.actor.hands == 30
    duel.house.close()


async def test_who_returns_after_the_grace_period_plays_again() -> None:
    duel = Duel(hands=30)
    duel.clients[0].break_off()
    duel.house.give_up_seats(duel.alice)
    duel.until(lambda: duel.actor.hands >= 3)
    client = duel.come("alice", token="a")
    client.say("ready", table="m0")
    duel.clients[0] = client
    assert not duel.actor.table.seats[0].is_absent
    duel.until(lambda: duel.actor.table.turn_seat == 0)
    duel.act()
    duel.house.close()


async def test_who_returns_in_time_is_not_gone_later() -> None:
    duel = Duel(grace=0.05)
    duel.clients[0].break_off()
    duel.resume()
    loop = asyncio.get_running_loop()
    later = asyncio.Event()
    loop.call_later(0.15, later.set)
    await later.wait()
    assert not duel.actor.table.seats[0].is_absent
    assert not duel.actor.seats[0].incidents["gone"]
    duel.house.close()


async def passed() -> None:
    """Let the loop run what is due."""
    event = asyncio.Event()
    asyncio.get_running_loop().call_later(0.001, event.set)
    await event.wait()


async def test_a_match_that_ended_meanwhile_is_not_mentioned() -> None:
    duel = Duel(hands=2)
    duel.clients[0].break_off()
    duel.house.give_up_seats(duel.alice)
    duel.until(lambda: duel.actor.table.over)
    _, news = duel.resume()
    assert [message["type"] for message in news] == ["welcome"]
    duel.house.close()


async def test_a_connection_lost_before_ready_starts_again() -> None:
    house = House()
    alice = Player("alice", "a")
    actor = at_table(house, [alice, Player("bob", "b")])
    first = Memory(house)
    first.say("hello", name="alice", token="a")
    first.break_off()
    second = Memory(house)
    news = second.say("hello", name="alice", resume=alice.resume)
    assert [message["type"] for message in news] == ["welcome", "match_start"]
    second.say("ready", table="m")
    bob = Memory(house)
    bob.say("hello", name="bob", token="b")
    bob.say("ready", table="m")
    assert actor.started
    assert not actor.seats[0].incidents["no_show"]
    house.close()


@each_library
@each_codec
async def test_over_a_real_socket(library: Entrance, codec: Codec) -> None:
    async with listening(library) as (house, come):
        alice, bob = Player("alice", "a"), Player("bob", "b")
        actor = at_table(house, [alice, bob], hands=60, clock=Clock(20.0, 0.0))
        async with come(codec) as opponent:
            await opponent.say("hello", name="bob", token="b")
            other = asyncio.create_task(opponent.play(hands=60), name="bob")
            resume: dict[str, str] = {"token": "a"}
            for hands in (3, 4, 5):
                async with come(codec) as remote:
                    await remote.say("hello", name="alice", **resume)
                    welcome = await remote.hear("welcome")
                    resume = {"resume": welcome["resume"]}
                    start = await remote.hear("match_start")
                    assert start.get("resumed", False) == (hands > 3)
                    await remote.say("ready", table="m")
                    await remote.play(hands=hands)
                    await remote.hear("turn")
                    assert remote.socket.transport is not None
                    remote.socket.transport.abort()
                async with asyncio.timeout(PATIENCE):
                    while alice.connection is not None:
                        await passed()
            async with come(codec) as remote:
                await remote.say("hello", name="alice", **resume)
                turn = await remote.hear("turn")
                assert turn["turn"] == actor.table.turn
                await remote.say("act", table="m", turn=turn["turn"], action="call")
                await remote.play(hands=60)
            await other
        assert actor.hands == 60
        assert actor.seats[0].incidents == {"disconnect": 3}
        assert not actor.seats[1].incidents


async def test_what_nothing_asks_for_is_refused_and_counted() -> None:
    """Else a client could keep the house busy with them without end."""
    async with listening("picows") as (house, come):
        alice, bob = Player("alice", "a"), Player("bob", "b")
        actor = at_table(house, [alice, bob], hands=1, clock=Clock(20.0, 0.0))
        async with come(CODECS["pokerd.v1.json"]) as remote:
            await remote.say("hello", name="alice", token="a")
            await remote.hear("match_start")
            await remote.say("ready", table="m")
            for said in ("ready", "back"):
                await remote.say(said, table="m")
                assert (await remote.hear("error"))["code"] == "not_asked"
        assert actor.seats[0].incidents["not_asked"] == 2
        house.close()
