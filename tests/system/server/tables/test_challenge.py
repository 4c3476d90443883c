"""A challenge against the bots of the house, over sockets."""

from __future__ import annotations

from pathlib import Path

from tests.support.houses.lobby import opened


async def test_over_sockets_with_the_bots_of_the_house(tmp_path: Path) -> None:
    """The seat's bots and the rival are processes, which play at both tables at once."""
    async with opened(tmp_path) as (lobby, door), door() as ann:
        await ann.say("hello", name="ann", person=True, tables=4)
        asked = {"mode": "challenge", "seats": 3, "bots": ["raise", "call"], "rival": "raise", "hands": 10}
        await ann.say("create", **asked, pause_ms=0)
        table = (await ann.hear("created"))["table"]
        await ann.say("join", table=table)
        await ann.play(hands=10)
        result = await ann.hear("challenge")
        assert (result["rival"], len(result["hands"])) == ("raise-3", 10)
        assert "reason" not in await ann.hear("match_end")
        assert {bot.name for bot in lobby.house_bots._running} == {"raise-1", "call-2", "raise-3"}
        assert table not in lobby.house.open_tables


async def test_the_result_tells_the_parameters_of_the_bots(tmp_path: Path) -> None:
    async with opened(tmp_path) as (lobby, door), door() as ann:
        await ann.say("hello", name="ann", person=True, tables=4)
        rival = {"bot": "adaptive", "parameters": {"raise_at": 0.7}}
        asked = {"mode": "challenge", "seats": 2, "bots": ["adaptive"], "rival": rival, "hands": 10}
        await ann.say("create", **asked, pause_ms=0)
        table = (await ann.hear("created"))["table"]
        await ann.say("join", table=table)
        await ann.play(hands=10)
        result = await ann.hear("challenge")
        assert (result["rival"], result["parameters"]) == ("adaptive-11", {"adaptive-11": {"raise_at": 0.7}})
        await ann.hear("match_end")
        assert {bot.name for bot in lobby.house_bots._running} == {"adaptive-1"}
