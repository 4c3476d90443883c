"""Competitions over the API while they are played."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from protocol.codec import JSON
from server.competition.store import CompetitionStore
from server.house.house import House
from server.web.competitions.reader import CompetitionCatalog
from tests.support.competitions.arena import LIVE, bot, competition, division, hosted
from tests.support.houses.http_client import Browser, site
from tests.support.houses.people import PATIENCE, Remote


async def test_of_a_running_one_no_hand_is_told_whose_deals_are_still_to_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.web.competitions.reader.REFRESH", 0.0)
    async with AsyncExitStack() as stack:
        runner = await stack.enter_async_context(hosted(LIVE, tmp_path / "live"))
        catalog = CompetitionCatalog(runner=runner)
        place = await stack.enter_async_context(site(tmp_path / "web", catalog=catalog, house=House()))
        browser = place.browser()
        running = asyncio.create_task(runner.run())
        subprotocols = [Subprotocol(JSON.subprotocol)]
        remote = Remote(await stack.enter_async_context(connect(runner.url, subprotocols=subprotocols)), JSON)
        await remote.say("hello", name="me", token="the token of me", tables=1)
        released: list[list[bool]] = []
        told: dict[str, Any] = {}
        for played in range(1, 7):
            await remote.play(hands=10, matches=1)
            await _until(browser, played)
            page = (await browser.get("/api/competitions/live/sessions")).json()
            released.append([one["released"] for one in page["sessions"]])
            for one in page["sessions"]:
                base = f"/api/competitions/live/sessions/{one['session']}/hands"
                for path in (base, f"{base}.csv", f"{base}/0", f"{base}/0.phh", f"{base}/0.txt"):
                    assert (await browser.get(path)).status == (200 if one["released"] else 404)
            told = (await browser.get("/api/competitions/live")).json()
            assert (told["status"], told["seed"]) == ("running", "")
            curves = (await browser.get("/api/competitions/live/curves")).json()
            matches = {
                one["match"] for one in page["sessions"] if one["released"] and one["division"] == "duel"
            }
            assert len(curves["sets"]) == 3 * len(matches)
        async with asyncio.timeout(PATIENCE):
            await running
        # Match 1 is played in one division alone; match 0 waits for the other division's.
        assert released == [
            [False],
            [False, False],
            [False, False, False],
            [False, False, True, True],
            [False, False, True, True, False],
            [True, True, True, True, True, True],
        ]
        catalog.mark_finished()
        ended = (await browser.get("/api/competitions/live")).json()
        assert ended["status"] == "finished"
        assert ended["seed"] == runner.competition.seed_text
        (listed,) = (await browser.get("/api/competitions")).json()["competitions"]
        assert (listed["status"], listed["at"]) == ("finished", ended["at"])
        # Incidents and what the cards brought are counted at the end.
        live = [{**one, "incidents": {}} for one in told["standings"]]
        final = CompetitionStore(tmp_path / "live").read_json("standings.json", dict[str, Any])["divisions"]
        for one in final:
            del one["without_luck"]
        assert live == [{**one, "incidents": {}} for one in final]


async def _until(browser: Browser, sessions: int) -> None:
    """Wait until so many sessions are over: bots hear of the end before the books are closed."""
    async with asyncio.timeout(PATIENCE):
        while True:
            told = (await browser.get("/api/competitions/live")).json()
            if sum(one["sessions_done"] for one in told["divisions"]) >= sessions:
                return


async def test_a_running_one_that_is_anonymous_tells_how_far_it_is_and_nothing_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.web.competitions.reader.REFRESH", 0.0)
    cup = division("cup", table={"mode": "tournament", "players": 2, "stack": 100})
    bots = [bot(name, run=name, reset="message", tables=4) for name in ("call", "raise")]
    text = competition(bots, [division(hands=3, matches=2), cup], anonymous=True)
    async with hosted(text, tmp_path / "live") as runner:
        catalog = CompetitionCatalog(runner=runner)
        async with site(tmp_path / "web", catalog=catalog, house=House()) as place:
            browser, base = place.browser(), "/api/competitions/live"
            await runner.run()
            # All is played, and it is running until it is said to be finished.
            told = (await browser.get(base)).json()
            assert (told["status"], told["anonymous"], told["seed"]) == ("running", True, "")
            assert told["commitment"] == runner.competition.commitment
            assert all(one["sessions_done"] == one["sessions"] for one in told["divisions"])
            assert (told["standings"], told["incidents"]) == ([], {})
            assert not any(told["finishes"].values())
            listed = (await browser.get(f"{base}/sessions?bot=call")).json()
            assert listed == {"sessions": [], "total": 0}
            curves = (await browser.get(f"{base}/curves")).json()
            assert curves["sets"] == []
            assert not any(one["duplicate"]["mean"] for one in curves["bots"])
            sheets = ("standings", "finishes", "runoff", "crosstable", "incidents", "curves", "sessions")
            for name in sheets:
                assert (await browser.get(f"{base}/{name}.csv")).rows() == []
            hands = f"{base}/sessions/{runner.competition.sessions[0].name}/hands"
            for path in (hands, f"{hands}.csv", f"{hands}/0", f"{hands}/0.txt"):
                assert (await browser.get(path)).status == 404
            catalog.mark_finished()
            ended = (await browser.get(base)).json()
            assert len(ended["standings"]) == 2
            assert ended["finishes"]["cup"]
            assert (await browser.get(f"{base}/sessions")).json()["total"] == len(runner.competition.sessions)
            assert (await browser.get(hands)).status == 200
