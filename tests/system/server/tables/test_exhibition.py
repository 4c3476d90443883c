"""Bots of the house play where people look on, over sockets."""

from __future__ import annotations

from pathlib import Path

from tests.support.houses.lobby import opened


async def test_over_sockets_who_makes_one_needs_no_seat(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, door), door() as ann:
        await ann.say("hello", name="ann", person=True, tables=4)
        await ann.say("create", bots=["raise", "call", "random"], seats=3, pause_ms=0)
        table = (await ann.hear("created"))["table"]
        await ann.say("watch", table=table)
        for _ in range(3):
            start = await ann.hear("hand_start")
            told = await ann.hear("faceup")
            assert told["hand"] == start["hand"]
            assert len({card for hole in told["cards"] for card in hole}) == 2 * len(start["seats"])
