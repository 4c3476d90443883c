"""People and bots of the house at a table, over sockets."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from protocol.codec import JSON, MSGPACK
from tests.support.houses.lobby import opened
from tests.support.houses.open_house import until
from tests.support.houses.people import Message, Remote, going_on, kept


async def test_two_people_and_two_bots_while_others_look_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as (lobby, door), AsyncExitStack() as stack:
        ann, bob, eve, robot = [
            await stack.enter_async_context(door(codec)) for codec in (JSON, MSGPACK, JSON, MSGPACK)
        ]
        for remote, name in ((ann, "ann"), (bob, "bob"), (eve, "eve"), (robot, "robot")):
            await remote.say("hello", name=name, person=remote is not robot)
        await ann.say("create", name="friends", seats=4, bots=["call", "raise"], pause_ms=20)
        table = (await ann.hear("created"))["table"]
        for onlooker in (eve, robot):
            await onlooker.say("watch", table=table)
            assert (await onlooker.hear("match_start"))["seat"] == -1
        for player in (ann, bob):
            await player.say("join", table=table)
        async with going_on(ann, bob, spectators=(eve, robot)):
            await eve.say("say", table=table, text="good evening")
            # Nobody begins before the bots have come, and she who opened the table.
            await until(lambda: kept(ann, "hand_start"))
            assert {0, 1} < set(kept(ann, "hand_start")[0]["seats"])
            await until(lambda: {0, 1, 2, 3} in [set(one["seats"]) for one in kept(ann, "hand_start")])
            await until(lambda: all(len(kept(one, "hand_end")) > 7 for one in (ann, bob, eve, robot)))
        seats = kept(eve, "seats")[-1]
        assert [seat["kind"] for seat in seats["seats"]] == ["bot", "bot", "person", "person"]
        assert seats["watchers"] == 2
        assert [message["text"] for message in kept(bob, "said")] == ["good evening"]
        assert not any(m.get("hole") for m in (*eve.heard, *robot.heard))
        assert not {"seats", "waiting", "said"} & {m["type"] for m in robot.heard}
        assert not any(m["type"] == "error" for remote in (ann, bob, eve) for m in remote.heard)
        # Everybody was told the same of every hand.
        for other in (bob, eve, robot):
            assert (
                events(other).items()
                >= {seq: event for seq, event in events(ann).items() if seq in events(other)}.items()
            )
        assert lobby.house.open_tables[table].failure is None


def events(remote: Remote) -> dict[int, Message]:
    """What was told to all alike."""
    kept = {}
    for message in remote.heard:
        if "seq" in message and message["type"] not in ("hand_start", "shown", "hand_end"):
            kept[message["seq"]] = message
    return kept


async def test_a_series_of_tournaments_with_bots_to_its_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as (lobby, door), door() as ann:
        await ann.say("hello", name="ann", person=True)
        asked = {"mode": "tournament", "seats": 5, "bots": ["call", "raise", "random", "call"], "matches": 3}
        await ann.say("create", **asked, stack=200, levels="turbo", pause_ms=0)
        table = (await ann.hear("created"))["table"]
        await ann.say("join", table=table)
        async with going_on(ann):
            await until(lambda: len(kept(ann, "match_end")) == 3)
        places = [message["net"] for message in kept(ann, "match_end")]
        results = kept(ann, "series")[-1]["results"]
        assert [result["match"] for result in results] == [1, 2, 3]
        for result, net in zip(results, places, strict=True):
            assert min(result["places"]) == 1
            assert net[result["places"].index(1)] == 800
            assert sum(net) == 0
            assert result["players"] == ["call-1", "raise-2", "random-3", "call-4", "ann"]
        assert table not in lobby.house.open_tables
