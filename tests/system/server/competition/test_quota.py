"""What a remote bot may open in a competition."""

from __future__ import annotations

import asyncio
from pathlib import Path

from websockets.asyncio.client import connect

from protocol.codec import JSON
from tests.support.competitions.arena import bot, competition, division, hosted
from tests.support.houses.people import Remote, packed

TOKEN = "token-of-the-far-one"
STEADY = bot("steady", run="call", reset="message", tables=4)


async def test_it_has_no_more_tables_and_says_no_more_than_the_file_allows(tmp_path: Path) -> None:
    far = bot("far", token=TOKEN, tables=2, rate=200)
    text = competition([far, STEADY], [division(hands=2, matches=4)], workers=8, interleave=0)
    most, ended, playing = 0, 0, set()
    async with hosted(text, tmp_path / "out", workers=8) as runner, asyncio.timeout(60):
        running = asyncio.create_task(runner.run())
        async with connect(runner.url) as socket:
            one = Remote(socket, JSON)
            await one.say("hello", name="far", token=TOKEN, tables=50)
            await one.hear("welcome")
            # That is more at once than it may say in a second, so no clock matters.
            await one.throw(packed(JSON, [{"type": "back", "table": "nowhere"}] * 201))
            assert (await one.hear("error"))["code"] == "too_fast"
            while ended < 8:
                message = await one.hear("match_start", "turn", "match_end")
                table = message["table"]
                if message["type"] == "match_start":
                    playing.add(table)
                    most = max(most, len(playing))
                    await one.say("ready", table=table)
                elif message["type"] == "turn":
                    await one.say("act", table=table, turn=message["turn"], action="call")
                else:
                    playing.remove(table)
                    ended += 1
        await running
    assert most == 2
    assert runner.progress.incidents[""]["far"] == {"too_fast": 1}
    assert runner.progress.incidents["duel"] == {"far": {}, "steady": {}}
