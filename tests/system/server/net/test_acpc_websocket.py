"""ACPC programs over websockets in a competition."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosedError

from tests.support.competitions.arena import bot, competition, division, hosted
from tests.support.houses.acpc_client import joined, play


async def come_again(url: str, token: str, matches: int = 10**6) -> int:
    """A remote program that connects for every match, until it is not let in; how many it played."""
    played = 0
    with suppress(OSError, ConnectionClosedError):
        while played < matches:
            async with joined(url, token=token) as socket:
                played += bool(await play(socket, "call", "holdem.limit.2p.reverse_blinds"))
    return played


@pytest.mark.parametrize("rival", ["acpc", "house"])
async def test_a_remote_program_plays_every_session_of_a_competition(rival: str, tmp_path: Path) -> None:
    """Its connection is closed after each; the next one waits for it, and nothing is held against it."""
    other = {"token": "other token"} if rival == "acpc" else {"run": "call", "reset": "message"}
    text = competition(
        [bot("far", token="far token"), bot("other", **other)], [division(hands=20, matches=4)]
    )
    async with hosted(text, tmp_path / "out") as runner, asyncio.timeout(60), asyncio.TaskGroup() as group:
        tokens = ("far%20token", "other%20token")[: 2 if rival == "acpc" else 1]
        programs = [group.create_task(come_again(runner.url, token)) for token in tokens]
        # As if each session took long: the time to come of the first one is over.
        await runner.run(lambda *_: setattr(runner.host, "start_by", 0.0))
    assert [program.result() for program in programs] == [8] * len(programs)
    assert not [counts for bots in runner.progress.incidents.values() for counts in bots.values() if counts]


async def test_a_remote_program_that_stays_away_is_waited_for_once(tmp_path: Path) -> None:
    """After its first match it does not come back."""
    bots = [bot("far", token="far token"), bot("call", run="call", reset="message")]
    text = competition(bots, [division(hands=3, matches=4)], time={"start_ms": 3000})
    async with hosted(text, tmp_path / "out") as runner, asyncio.timeout(15), asyncio.TaskGroup() as group:
        group.create_task(come_again(runner.url, "far%20token", 1))
        await runner.run(lambda *_: setattr(runner.host, "start_by", 0.0))
    assert runner.progress.incidents["duel"]["far"]["no_show"] == 7
    assert runner.progress.incidents["duel"]["call"] == {}
