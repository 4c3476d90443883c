"""What a competition stores before anyone hears it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.codec import JSON
from server.storage.competition_state import CompetitionState
from server.storage.sqlite import StateError
from tests.support.competitions.arena import bot, competition, division, hosted
from tests.support.competitions.continued import attempts
from tests.support.houses.people import Remote

BOTS = [bot("spy", token="spy-token"), bot("call", run="call", reset="message")]


def sink(state: CompetitionState) -> None:
    """As on a full disk: the file may not grow by a page any more."""
    (pages,) = state._db.execute("PRAGMA page_count").fetchone()
    state._db.execute(f"PRAGMA max_page_count = {pages}")


async def spied(url: str, heard: Callable[[Remote, dict[str, object]], None]) -> None:
    """A bot that calls, and looks at the file when it hears the end of a hand."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed
    from websockets.typing import Subprotocol

    async with connect(url, subprotocols=[Subprotocol(JSON.subprotocol)]) as socket:
        remote = Remote(socket, JSON)
        await remote.say("hello", name="spy", token="spy-token", tables=1)
        try:
            while True:
                message = await remote.hear("match_start", "turn", "hand_end")
                if message["type"] == "match_start":
                    await remote.say("ready", table=message["table"])
                elif message["type"] == "turn":
                    await remote.say("act", table=message["table"], turn=message["turn"], action="call")
                else:
                    heard(remote, message)
        except ConnectionClosed:
            return


async def test_a_hand_is_stored_before_anyone_hears_its_result(tmp_path: Path) -> None:
    """Whoever looks into the file at that moment, with no code of ours, finds it."""
    found: list[bool] = []

    def look(_: Remote, message: dict[str, object]) -> None:
        hands = {session: hands for session, _, hands in attempts(tmp_path / "out")}
        found.append(hands[names[str(message["table"])]] >= len(found) % 50 + 1)

    text = competition(BOTS, [division(hands=50)], workers=1)
    async with hosted(text, tmp_path / "out") as runner, asyncio.timeout(60):
        names = {runner.competition.public_names(one)[0]: one.name for one in runner.competition.sessions}
        spy = asyncio.create_task(spied(runner.url, look))
        await runner.run()
        await spy
    assert found == [True] * 100


async def test_what_cannot_be_stored_is_told_to_nobody_and_ends_it(
    tmp_path: Path, no_error_logged: list[str]
) -> None:
    ended: list[int] = []
    stored: list[int] = []

    def count(_: Remote, message: dict[str, object]) -> None:
        ended.append(1)
        if len(ended) == 20:
            sink(runner.store.state)

    text = competition(BOTS, [division(hands=5000)], workers=1)
    async with hosted(text, tmp_path / "out") as runner, asyncio.timeout(60):
        spy = asyncio.create_task(spied(runner.url, count))
        with pytest.raises(ExceptionGroup) as refusal:
            await runner.run()
        await spy
    (error,) = refusal.value.exceptions
    assert isinstance(error, StateError)
    assert error.code == "not_stored"
    stored += [hands for _, _, hands in attempts(tmp_path / "out")]
    assert len(ended) <= sum(stored)
    assert no_error_logged.pop()
    shutil.rmtree(tmp_path / "out")
