"""House bots of the lobby: they start, stay and are started again."""

from __future__ import annotations

from pathlib import Path

from tests.server.test_lobby import Kept, closed, opened


async def test_a_table_that_nobody_comes_to_is_closed_and_its_record_too(tmp_path: Path) -> None:
    record = Kept()
    async with (
        opened(tmp_path, idle=3600.0, make_recorder=lambda _: record) as (lobby, door),
        door() as remote,
    ):
        await remote.say("hello", name="ann", person=True)
        await remote.say("create", name="mine", bots=["call"])
        table = (await remote.hear("created"))["table"]
        await remote.say("watch", table=table)
        assert (await remote.hear("seats"))["name"] == "mine"
        left = lobby.house.open_tables[table]
        assert left._idle.seconds == 3600.0
        left._idle.seconds = 0.0  # not before she looks on, however long that takes
        await remote.say("leave", table=table)
        await remote.hear("match_end")
        seed = await closed(remote, lobby, table, record)
        assert len(seed) == 32
        assert record.forgotten


async def test_a_house_bot_sits_at_many_tables_with_one_process(tmp_path: Path) -> None:
    async with opened(tmp_path) as (lobby, door), door() as ann:
        await ann.say("hello", name="ann", person=True, tables=4)
        for _ in range(3):
            await ann.say("create", bots=["call", "fair"], seats=3, pause_ms=0)
        for _ in range(3):
            table = (await ann.hear("created"))["table"]
            await ann.say("join", table=table)
        await ann.play(hands=9)
        ended = {message["table"] for message in ann.heard if message["type"] == "hand_end"}
        assert ended == {"table-1", "table-2", "table-3"}
        assert lobby._running == {"call-1", "fair-2"}
        assert not lobby._tasks


async def test_a_house_bot_that_ended_is_started_again(tmp_path: Path) -> None:
    async with opened(tmp_path, restart=0.01) as (lobby, door), door() as ann:
        await ann.say("hello", name="ann", person=True, tables=4)
        await ann.say("create", bots=["call"], seats=2, pause_ms=0)
        await ann.say("join", table=(await ann.hear("created"))["table"])
        await ann.play(hands=2)
        [bot] = lobby._processes._running
        bot.process.kill()
        for state in ("gone", "in"):
            await ann.hear("seats", where=lambda message: message["seats"][0]["state"] == state)  # noqa: B023
        assert len(lobby._running) == 1
        assert lobby.house.players["call-1"].connection is not None
