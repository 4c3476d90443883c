"""How everybody plays, as the archive tells: names, positions, and what nobody may be told."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from starlette.requests import Request

from dealer.ratings.style import StyleCounts, count_hand, position_names
from dealer.rules.events import Event, ends_of
from server.people.player_styles import StyleRow
from server.storage import hand_store
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.web.identity import Identities, load_secret
from server.web.people import players
from server.web.responses import HttpError
from tests.dealer.records.played import random_hand
from tests.server.web.visitors import BIG_BLIND, GAME, socket, visit
from tests.support.houses.http_client import Browser, Place, site
from tests.support.houses.open_house import until
from tests.support.houses.people import STAKES

NAMES = ("call-1", "Ann", "fair-1")


class Desk:
    """The address, an hour of hands after another."""

    def __init__(self, place: Place) -> None:
        self._archive = place.archive
        self._identities = Identities(load_secret(place.data))
        self._hour = time.time()
        self._api = players.PlayersApi(place.house, place.archive, self._identities, lambda: self._hour)

    async def ask(self, browser: Browser, query: str = "") -> list[dict[str, Any]]:
        """What is told of the hands so far."""
        self._hour += 3600
        headers = [(b"cookie", browser.cookie.encode())]
        request = Request({"type": "http", "headers": headers, "query_string": query.encode()})
        answer = json.loads(bytes((await self._api.players(request)).body))
        found: list[dict[str, Any]] = answer["players"]
        return found

    def play(
        self,
        identities: tuple[str, ...],
        many: int,
        name: str = "table-1",
        kind: str = "",
        mode: str = "cash",
    ) -> list[list[Event]]:
        """Store hands of three players, whose names are ``NAMES``."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hand_store, "_now", lambda: int(self._hour * 1000))
            source = random.Random(name)
            recorder = self._archive.open_table(name, mode=mode, game=GAME, seats=3, commitment="", kind=kind)
            played = [list(random_hand(GAME, source, number).events) for number in range(1, many + 1)]
            for events in played:
                recorder.begin(GAME, tuple(zip(NAMES, identities, strict=True)))
                recorder.record_hand(events)
        return played


async def test_everybody_is_counted_by_position(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        ann, identity = await visit(place)
        desk = Desk(place)
        played = desk.play(("", identity, ""), 200)
        found = {one["name"]: one for one in await desk.ask(ann)}
        expected: defaultdict[tuple[str, str], StyleCounts] = defaultdict(StyleCounts)
        won: defaultdict[str, list[float]] = defaultdict(list)
        for events in played:
            started, ended = ends_of(events)
            places = position_names(3)
            for seat, position, counts, chips in zip(
                started.seats, places, count_hand(events), ended.values, strict=True
            ):
                expected[NAMES[seat], position] = expected[NAMES[seat], position].plus(counts)
                won[NAMES[seat]].append(chips / BIG_BLIND)
        assert set(found) == set(NAMES)
        for name, one in found.items():
            assert [row["position"] for row in one["positions"]] == ["BTN", "SB", "BB"]
            for row in one["positions"]:
                assert row == {"position": row["position"], **expected[name, row["position"]].data()}
            assert one["style"]["hands"] == 200
            assert one["bb100"]["mean"] == pytest.approx(100 * fmean(won[name]), abs=0.01)
            assert one["bb100"]["low"] < one["bb100"]["mean"] < one["bb100"]["high"]
        assert {name: (one["bot"], one["own"]) for name, one in found.items()} == {
            "call-1": (True, False), "Ann": (False, True), "fair-1": (True, False),
        }  # fmt: skip
        assert not any(one["own"] for one in await desk.ask(place.browser()))


def hands(found: list[dict[str, Any]]) -> list[tuple[str, int, bool]]:
    return [(one["name"], one["style"]["hands"], one["own"]) for one in found]


async def test_new_hands_are_added_and_namesakes_told_apart(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        desk = Desk(place)
        browser, ann = await visit(place)
        _, other = await visit(place)
        desk.play(("", ann, ""), 20)
        assert {many for _, many, _ in hands(await desk.ask(browser))} == {20}
        desk.play(("", other, ""), 30, "table-2")
        found = hands(await desk.ask(browser))
        assert set(found[:2]) == {("call-1", 50, False), ("fair-1", 50, False)}
        assert found[2:] == [("Ann", 30, False), ("Ann", 20, True)]
        assert hands(await desk.ask(browser, "name=Ann")) == found[2:]
        assert await desk.ask(browser, "name=nobody") == []


async def test_statistics_belong_to_who_sits_there_not_to_a_name(tmp_path: Path) -> None:
    """Anybody may come by the name of somebody who has left; a program has nothing but its name."""
    async with site(tmp_path) as place:
        desk = Desk(place)
        ann, identity = await visit(place)
        stranger, _ = await visit(place)
        for name, who in (("table-8", identity), ("table-9", "")):
            desk.play(("", who, ""), 20, name)
        table = OpenTable(place.house, TableConfig(STAKES, 3), "table-1")
        place.house.open_tables["table-1"] = table

        async def told() -> dict[str, Any]:
            found = await desk.ask(ann, "table=table-1")
            assert found == [one for one in await desk.ask(ann) if one["seats"]]
            return {f"{one['name']}{' (bot)' * one['bot']}": one["seats"] for one in found}

        table.join(place.house.players.add(Player("fair-1", is_house_bot=True)), 2)
        async with socket(ann) as remote:
            await remote.say("hello", name="Ann", person=True)
            await remote.say("join", table="table-1", seat=0)
            await remote.hear("match_start")
            assert await told() == {"Ann": [["table-1", 0]], "fair-1 (bot)": [["table-1", 2]]}
            await remote.say("leave", table="table-1")
            await remote.hear("match_end")
        await until(lambda: place.house.players.get("Ann") is None)
        for browser in (stranger, place.browser()):
            async with socket(browser) as remote:
                await remote.say("hello", name="Ann")
                await remote.say("join", table="table-1", seat=0)
                await remote.hear("match_start")
                assert await told() == {"fair-1 (bot)": [["table-1", 2]]}
                await remote.say("leave", table="table-1")
                await remote.hear("match_end")
            await until(lambda: place.house.players.get("Ann") is None)
        with pytest.raises(HttpError) as refused:
            await desk.ask(ann, "table=table-2")
        assert (refused.value.status, refused.value.code) == (404, "not_found")


async def test_what_nobody_may_be_told_is_not_counted(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        desk = Desk(place)
        browser, ann = await visit(place)
        desk.play(("", ann, ""), 5, "private-0123456789abcdef0123")
        desk.play(("", ann, ""), 5, "table-3", kind="practice")
        desk.play(("", ann, ""), 5, "table-4", kind="rival")
        desk.play(("", ann, ""), 5, "table-6", mode="challenge")
        assert await desk.ask(browser) == []
        desk.play(("", ann, ""), 6, "table-5", kind="exhibition")
        assert {many for _, many, _ in hands(await desk.ask(browser))} == {6}


async def test_a_file_that_cannot_be_read_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        desk = Desk(place)
        browser, ann = await visit(place)
        desk.play(("", ann, ""), 5)
        path, place.archive.path = place.archive.path, tmp_path / "gone.sqlite3"
        with pytest.raises(HttpError) as refused:
            await desk.ask(browser)
        assert (refused.value.status, refused.value.code) == (503, "not_counted")
        place.archive.path = path
        assert len(await desk.ask(browser)) == 3


async def test_nobody_waits_while_hands_are_counted_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with site(tmp_path) as place:
        desk = Desk(place)
        browser, ann = await visit(place)
        desk.play(("", ann, ""), 5)
        known = await desk.ask(browser)
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def count(*_: object) -> list[StyleRow]:
            begun.set()
            await go_on.wait()
            raise OSError

        monkeypatch.setattr(players, "count_styles", count)
        waiting = asyncio.create_task(desk.ask(browser))
        await begun.wait()
        assert await desk.ask(browser) == known
        go_on.set()
        with pytest.raises(HttpError):
            await waiting


async def test_everybody_may_ask(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        assert (await place.browser().get("/api/players")).json() == {"players": []}
