"""The browser's websocket: who may open it, who somebody is, and that what was played is what is kept."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from server.auth.hosts import HostConfig
from server.auth.policy import AdmissionPolicy
from server.house.house import House
from server.house.restore import recorder_for
from server.storage.hand_store import TableRecorder
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from tests.server.web.visitors import socket
from tests.support.houses.http_client import Browser, Place, site
from tests.support.houses.open_house import until
from tests.support.houses.people import PATIENT, STAKES, Remote


async def visitor(place: Place) -> Browser:
    """A browser that has seen a page, and so has a cookie."""
    browser = place.browser()
    await browser.get("/")
    assert browser.cookie
    return browser


def table(place: Place, seats: int = 2) -> OpenTable:
    """An open table whose hands are kept."""
    config = TableConfig(STAKES, seats, clock=PATIENT)
    opened = OpenTable(place.house, config, "table-1", make_recorder=partial(recorder_for, place.archive))
    place.house.open_tables["table-1"] = opened
    return opened


# Who may come.


@pytest.mark.parametrize(
    "path", ["/", "/ws/", "/ws/x", "/table/table-1", "/static/lobby/lobby.js", "/api/version"]
)
async def test_there_is_one_path(tmp_path: Path, path: str) -> None:
    async with site(tmp_path) as place:
        with pytest.raises(InvalidStatus) as refused:
            async with socket(place.browser(), path):
                pass
        assert refused.value.response.status_code == 404
        async with socket(place.browser(), "/ws?x=y") as remote:
            await remote.say("hello", name="me")
            await remote.hear("welcome")


@pytest.mark.parametrize(
    "origin",
    [
        "http://elsewhere.example",
        "https://elsewhere.example",
        "null",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://127.0.0.1:{port}.elsewhere.example",
        "http://127.0.0.1:{port}@elsewhere.example",
        "http://elsewhere.example/http://127.0.0.1:{port}",
        "ftp://127.0.0.1:{port}",
        "127.0.0.1:{port}",
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}",
    ],
)
async def test_pages_of_others_are_refused(tmp_path: Path, origin: str) -> None:
    async with site(tmp_path) as place:
        browser = await visitor(place)
        with pytest.raises(InvalidStatus) as refused:
            async with socket(browser, Origin=origin.format(port=place.port)):
                pass
        assert refused.value.response.status_code == 403
        assert not place.house.players


@pytest.mark.parametrize("origin", ["http://127.0.0.1:{port}", "https://127.0.0.1:{port}", ""])
async def test_our_own_pages_and_programs_are_let_in(tmp_path: Path, origin: str) -> None:
    async with (
        site(tmp_path) as place,
        socket(place.browser(), Origin=origin.format(port=place.port)) as remote,
    ):
        await remote.say("hello", name="me")
        assert (await remote.hear("welcome"))["name"] == "me"


async def test_behind_a_proxy_it_is_the_host_that_the_browser_asked_for(tmp_path: Path) -> None:
    house = House(admission=AdmissionPolicy(guests=True, host_config=HostConfig(names=("poker.example",))))
    async with site(tmp_path, house=house) as place:
        for origin, status in (("https://poker.example", 101), ("https://127.0.0.1", 403)):
            answer = await place.browser().get(
                "/ws",
                Host="poker.example",
                Origin=origin,
                Connection="Upgrade",
                Upgrade="websocket",
                Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==",
                Sec_WebSocket_Version="13",
            )
            assert answer.status == status


# Who somebody is.


async def test_a_refresh_keeps_the_seat(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        table(place)
        browser = await visitor(place)
        async with socket(browser) as remote:
            await remote.say("hello", name="ann")
            await remote.hear("welcome")
            await remote.say("join", table="table-1", seat=1)
            assert (await remote.hear("match_start"))["seat"] == 1
        async with socket(browser) as remote:
            await remote.say("hello", name="ann")
            again = await remote.hear("match_start")
            assert (again["seat"], again["resumed"]) == (1, True)
            assert len(place.house.players) == 1


async def test_a_second_tab_takes_over(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        table(place)
        browser = await visitor(place)
        async with socket(browser) as first, socket(browser) as second:
            await first.say("hello", name="ann")
            await first.hear("welcome")
            await first.say("join", table="table-1", seat=0)
            await first.hear("match_start")
            await second.say("hello", name="ann")
            assert (await second.hear("match_start"))["seat"] == 0
            assert (await first.hear("error"))["code"] == "replaced"
            with pytest.raises(ConnectionClosed):
                await first.socket.recv()


async def test_who_only_watched_may_come_back_under_another_name(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        opened = table(place)
        browser = await visitor(place)
        for name in ("Guest 1234", "ann"):
            async with socket(browser) as remote:
                await remote.say("hello", name=name)
                assert (await remote.hear("welcome"))["name"] == name
                if not opened.spectators:
                    await remote.say("watch", table="table-1")
                await remote.hear("match_start")
        assert [player.name for player in opened.spectators] == ["ann"]
        assert place.house.players.get("Guest 1234") is None


async def test_nobody_else_can_take_a_seat_over(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        table(place)
        owner, other, nobody = await visitor(place), await visitor(place), place.browser()
        forger = place.browser()
        forger.cookie = owner.cookie[:-1] + ("A" if owner.cookie[-1] != "A" else "B")
        async with socket(owner) as mine:
            await mine.say("hello", name="ann")
            await mine.hear("welcome")
            await mine.say("join", table="table-1", seat=0)
            await mine.hear("match_start")
            for browser in (other, nobody, forger):
                async with socket(browser) as remote:
                    await remote.say("hello", name="ann")
                    assert (await remote.hear("welcome", "error"))["code"] == "name_taken"
                async with socket(browser) as remote:
                    await remote.say("hello", name="eve")
                    await remote.hear("welcome")
                    await remote.say("join", table="table-1", seat=0)
                    assert (await remote.hear("match_start", "error"))["code"] == "no_seat"
                    await remote.say("act", table="table-1", turn=0, action="fold")
                    assert (await remote.hear("error"))["code"] == "unknown_table"
                    await remote.say("leave", table="table-1")
                    assert (await remote.hear("error"))["code"] == "unknown_table"
            assert place.house.players["ann"].seats
            await mine.say("leave", table="table-1")
            assert (await mine.hear("match_end"))["reason"] == "left"


# Who only looks on.


async def test_who_looks_on_has_no_cookie_and_replaces_nobody(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        table(place)
        browser = await visitor(place)
        async with socket(browser) as mine, socket(browser, "/ws?anonymous") as other:
            await mine.say("hello", name="ann")
            await mine.hear("welcome")
            await mine.say("join", table="table-1", seat=0)
            await mine.hear("match_start")
            await other.say("hello", name="ann")
            assert (await other.hear("welcome", "error"))["code"] == "name_taken"
            async with socket(browser, "/ws?anonymous") as again:
                await again.say("hello", name="Visitor", person=True)
                await again.hear("welcome")
                await again.say("watch", table="table-1")
                await again.hear("match_start")
                assert place.house.players["ann"].seats
                assert place.house.players["Visitor"].identity == ""
                await mine.say("leave", table="table-1")
                assert (await mine.hear("match_end", "error"))["reason"] == "left"


async def test_who_looks_on_can_do_nothing_else(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        opened = table(place)
        async with socket(place.browser(), "/ws?anonymous") as remote:
            await remote.say("hello", name="eve")
            await remote.hear("welcome")
            await remote.say("join", table="table-1", seat=0)
            assert (await remote.hear("match_start", "error"))["code"] == "no_seat"
            await remote.say("create", seats=2, bots=[])
            assert (await remote.hear("created", "error"))["code"] == "no_seat"
            await remote.say("watch", table="table-1")
            await remote.hear("match_start")
            await remote.say("say", table="table-1", text="buy chips")
            assert (await remote.hear("said", "error"))["code"] == "no_seat"
            assert opened.guests() == []
            await remote.say("leave", table="table-1")
            await remote.hear("match_end")
            assert not opened.spectators


async def test_no_place_is_kept_for_who_looks_on(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        table(place)
        for path, kept in (("/ws", 1), ("/ws?anonymous", 0)):
            async with socket(place.browser(), path) as remote:
                await remote.say("hello", name="eve")
                await remote.hear("welcome")
                await remote.say("watch", table="table-1")
                await remote.hear("match_start")
            await until(lambda: not place.house.connections)
            assert len(place.house.players) == kept
            for one in list(place.house.players.values()):
                place.house.remove_player(one)


async def test_who_looks_on_counts_for_the_limit_of_the_address(tmp_path: Path) -> None:
    house = House(admission=AdmissionPolicy(guests=True, per_address=2))
    async with site(tmp_path, house=house) as place:
        path = "/ws?anonymous"
        async with socket(place.browser(), path) as one, socket(place.browser(), path) as other:
            for remote, name in ((one, "a"), (other, "b")):
                await remote.say("hello", name=name)
                await remote.hear("welcome")
            async with socket(place.browser(), path) as third:
                assert (await third.hear("error"))["code"] == "too_many_connections"


NAMES = [" ", "\u00a0", "\u200b", "\u2060\ufeff", "\u202eevil"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
async def test_nobody_comes_in_under_a_name_that_deceives(tmp_path: Path, name: str) -> None:
    async with site(tmp_path) as place:
        for browser in (await visitor(place), place.browser()):
            async with socket(browser) as remote:
                await remote.say("hello", name=name)
                assert (await remote.hear("welcome", "error"))["code"] == "bad_name"
                with pytest.raises(ConnectionClosed):
                    await remote.socket.recv()
        assert not place.house.players
        async with socket(place.browser()) as remote:
            await remote.say("hello", name="Zoë 王 👋🏽")
            assert (await remote.hear("welcome"))["name"] == "Zoë 王 👋🏽"


async def test_a_run_in_progress_is_the_table_that_plays_it(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser = place.browser()
        earlier = table(place)
        assert isinstance(earlier.record, TableRecorder)
        first = earlier.record.run
        told = (await browser.get(f"/api/tables/{first}")).json()
        assert told == (await browser.get("/api/tables/table-1")).json()
        assert (told["open"], told["run"], told["free"]) == (True, first, 2)
        earlier.stop("closed")
        table(place)
        told = (await browser.get(f"/api/tables/{first}")).json()
        assert (told["open"], told["seed"]) == (False, earlier.seed.hex())


# What was played is what is kept.


def told(heard: list[dict[str, Any]], hand: int) -> list[dict[str, Any]]:
    """The messages of a hand as they were heard, without their numbers."""
    kinds = ("hand_start", "acted", "board", "shown", "hand_end")
    starts = [at for at, one in enumerate(heard) if one["type"] == "hand_start"]
    (start,) = [at for at in starts if heard[at]["hand"] == hand]
    found = []
    for message in heard[start:]:
        if message["type"] in kinds:
            found.append({key: value for key, value in message.items() if key != "seq"})
        if message["type"] == "hand_end":
            break
    return found


async def test_the_archive_tells_everybody_what_he_heard(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        opened = table(place)
        browsers = [await visitor(place), await visitor(place)]
        async with socket(browsers[0]) as ann, socket(browsers[1]) as bob:
            for seat, (remote, name) in enumerate(((ann, "ann"), (bob, "bob"))):
                await remote.say("hello", name=name, person=True)
                await remote.say("join", table="table-1", seat=seat)
                start = await remote.hear("match_start")
                await remote.say("ready", table=start["table"])
            await asyncio.gather(_play(ann, 6), _play(bob, 6))
            assert opened.record is not None
            hands = (await browsers[0].get("/api/tables/table-1/hands")).json()["hands"]
            assert [hand["hand"] for hand in hands[-6:]] == [6, 5, 4, 3, 2, 1]
            for seat, (browser, remote) in enumerate(zip(browsers, (ann, bob), strict=True)):
                for number in range(1, 7):
                    kept = (await browser.get(f"/api/hands/table-1.1.{number}")).json()
                    live = told(remote.heard, number)
                    assert kept["own"] == seat
                    assert kept["names"] == ["ann", "bob"]
                    replayed = [
                        {key: value for key, value in message.items() if key != "seq"}
                        for message in kept["messages"][1:]
                    ]
                    assert replayed == live
                    assert live[0]["hole"] in kept["cards"]
        assert opened.commitment == (await browsers[0].get("/api/tables/table-1")).json()["commitment"]


async def _play(remote: Remote, hands: int) -> None:
    """Call, and now and then raise or fold, until so many hands are over."""
    turns = 0
    while True:
        message = await remote.hear("turn", "hand_end")
        if message["type"] == "hand_end":
            if message["hand"] == hands:
                return
            continue
        turns += 1
        answer: dict[str, Any] = {"action": "call"}
        if turns % 7 == 0 and message["fold"]:
            answer = {"action": "fold"}
        elif turns % 3 == 0 and message["raise_to"]:
            answer = {"action": "raise", "to": message["raise_to"][0]}
        await remote.say("act", table="table-1", turn=message["turn"], **answer)


async def test_a_table_that_ends_with_the_server_tells_its_seed(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        opened = table(place)
        seed = opened.seed
        assert (await place.browser().get("/api/tables/table-1")).json()["seed"] == ""
    async with site(tmp_path) as place:
        run = (await place.browser().get("/api/tables/table-1.1")).json()
        assert (run["seed"], run["open"]) == (seed.hex(), False)
