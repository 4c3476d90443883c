"""The hands of a day over the API: while it lasts, nobody learns more of them than he has seen."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dealer.deck import secure_deals, verify_commitment
from dealer.rules.cards import CARD_TEXTS
from pokerd.commands.serve import offered_bots
from protocol.codec import JSON
from server.bots.processes import ProcessManager
from server.house.house import House
from server.house.lobby import Lobby
from server.house.restore import recorder_for
from server.people.same_deals import day_of, publication_time
from server.web.identity import Identities, load_secret
from tests.support.houses.challenges import Duel
from tests.support.houses.http_client import Browser, Place, site
from tests.support.houses.people_table import come, kinds

BOTS = {name: offered_bots()[name] for name in ("pushfold", "adaptive")}
TODAY = day_of(time.time())
#: Everything that shows hands or a seed: of the run of the player, and of his rival.
OWN = [
    *("/api/hands/table-1.1.1", "/api/hands/table-1.1.1.json", "/api/hands/table-1.1.1.txt"),
    *("/api/hands/table-1.1.1.phh", "/api/hands/table-1.1.1.ohh", "/api/challenges/table-1.1"),
]
LISTS = ["/api/tables/table-1/hands", "/api/tables/table-1/hands.csv", "/api/tables/table-1.1/hands"]
RIVAL = [
    *("/api/tables/table-1-rival", "/api/tables/table-1-rival.2", "/api/tables/table-1-rival/hands"),
    *("/api/tables/table-1-rival.2/hands.csv", "/api/hands/table-1-rival.2.1"),
    *("/api/hands/table-1-rival.2.1.txt", "/api/hands/table-1-rival.2.1.phh"),
]


class Clock:
    """The clock of the day, which a test sets."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def day(tmp_path: Path) -> AsyncIterator[tuple[Place, Clock]]:
    clock = Clock()
    processes = ProcessManager(tmp_path)
    lobby = Lobby(processes, bots=BOTS, make_house=partial(House, guests=True, grace=1000.0))
    async with site(tmp_path, clock=clock, house=lobby.house) as place:
        yield place, clock
    await lobby.close()
    await processes.close()


async def person(place: Place) -> tuple[Browser, str]:
    """A browser, and who it is."""
    browser = place.browser()
    await browser.get("/")
    return browser, Identities(load_secret(place.data)).identity(browser.cookie)


def sit_down(place: Place, identity: str, **more: Any) -> Duel:
    """Begin to play the hands of the day."""
    make_recorder = partial(recorder_for, place.archive)
    settings = {"make_recorder": make_recorder, "deals": TODAY, "seed": place.same_deals.seed(TODAY)}
    strategy = more.pop("strategy", "")
    duel = Duel(identity=identity, **{**settings, **more})
    duel.sit(strategy)
    return duel


async def test_nobody_but_the_player_sees_hands_before_the_day_is_over(tmp_path: Path) -> None:
    async with day(tmp_path) as (place, clock):
        browser, identity = await person(place)
        other, _ = await person(place)
        duel = sit_down(place, identity, house=place.house)
        duel.play(hands=5)
        seed = place.same_deals.seed(TODAY).hex()

        async def look(asker: Browser, path: str) -> int:
            answer = await asker.get(path)
            assert seed not in answer.text
            return answer.status

        for asker in (other, place.browser(), browser):
            assert (await asker.get("/api/tables")).json()["tables"] == []
            for path in RIVAL:
                assert await look(asker, path) == 404, path
        assert await look(browser, "/api/hands/table-1.1.1") == 200
        duel.play()
        assert duel.told("challenge")[0]["deals"] == TODAY
        for now in (clock.now, publication_time(TODAY) - 1):
            clock.now = now
            for asker in (other, place.browser()):
                for path in OWN:
                    assert await look(asker, path) == 404, path
                for path in LISTS:
                    assert await look(asker, path) == 200
                    assert "table-1.1." not in (await asker.get(path)).text, path
            for asker in (other, place.browser(), browser):
                for path in RIVAL:
                    assert await look(asker, path) == 404, path
                told = (await asker.get("/api/tables/table-1.1")).json()
                assert (told["open"], told["seed"]) == (False, "")
                assert told["commitment"] == place.same_deals.commitment(TODAY)
                assert (await asker.get(f"/api/days/{TODAY}")).json()["seed"] == ""
            # The player sees what he saw: his own cards, and those that were shown.
            for path in OWN:
                assert await look(browser, path) == 200, path
            hand = (await browser.get("/api/hands/table-1.1.1")).json()
            assert (hand["own"], hand["open"]) == (duel.seat, False)
            shown = sum(bool(cards) for cards in hand["cards"])
            assert 1 <= shown <= len(hand["cards"])
            answer = (await browser.get("/api/challenges/table-1.1")).json()
            assert (answer["own"], answer["counts"], answer["link"]) == (True, True, "")
            assert answer["result"]["rival_run"] == ""

        clock.now = publication_time(TODAY)
        for path in [*OWN, *RIVAL]:
            assert (await place.browser().get(path)).status == 200, path
        hand = (await other.get("/api/hands/table-1.1.1")).json()
        assert hand["open"]
        told = (await other.get("/api/tables/table-1.1")).json()
        assert told["seed"] == seed
        verify_commitment(bytes.fromhex(told["seed"]), told["commitment"])
        # With the published seed everybody can deal the hand again.
        deal = secure_deals(bytes.fromhex(told["seed"]), 0, duel.table.table_format.game).deal(1)
        assert hand["cards"] == [[CARD_TEXTS[card] for card in cards] for cards in deal.hole]


async def test_nobody_watches_the_hands_of_a_day(tmp_path: Path) -> None:
    async with day(tmp_path) as (place, _):
        _, identity = await person(place)
        duel = sit_down(place, identity, house=place.house)
        for client in (come(place.house, "bob"), come(place.house, "carol", person=False)):
            for ask in ("watch", "join"):
                answer = client.say(ask, table="table-1")
                assert kinds(answer) == [{"watch": "unknown_table", "join": "no_seat"}[ask]]
        # Who sits there may come by a page that looks on first; a copy of it that only looks on may not.
        alone = Duel(house=House(guests=True), identity="ann", deals=TODAY)
        assert kinds(alone.ann.say("watch", table="table-1"))[0] == "match_start"
        alone.house.close()
        dave = come(place.house, "dave")
        dave.news()
        assert "table-1" not in str(dave.heard)
        duel.house.close()


async def test_a_second_try_is_practice(tmp_path: Path) -> None:
    async with day(tmp_path) as (place, _):
        browser, identity = await person(place)
        stranger, _ = await person(place)
        first = sit_down(place, identity, house=House(guests=True))
        first.play()
        again = sit_down(place, identity, house=House(guests=True), table="table-2", strategy="raise")
        again.play()
        [told] = again.told("challenge")
        assert told["player_net"] != first.told("challenge")[0]["player_net"]
        for run, counts in (("table-1.1", True), (told["run"], False)):
            answer = (await browser.get(f"/api/challenges/{run}")).json()
            assert (answer["own"], answer["counts"]) == (True, counts)
            assert (await stranger.get(f"/api/challenges/{run}")).status == 404
        today = (await browser.get("/api/days/today")).json()
        assert today["own"] == {
            "challenge": "table-1.1",
            "table": "",
            "net": first.told("challenge")[0]["player_net"],
            "worse": 0,
            "others": 0,
        }
        assert (today["players"], today["streak"], today["replay"]) == (1, 1, "table-1.1")
        today = (await stranger.get("/api/days/today")).json()
        assert (today["players"], today["own"], today["streak"], today["replay"]) == (1, None, 0, "")


async def test_who_goes_early_has_had_his_try_and_is_not_ranked(tmp_path: Path) -> None:
    async with day(tmp_path) as (place, _):
        browser, identity = await person(place)
        duel = sit_down(place, identity, house=House(guests=True))
        duel.play(hands=2)
        duel.ann.say("leave", table="table-1")
        again = sit_down(place, identity, house=House(guests=True), table="table-2")
        again.play()
        today = (await browser.get("/api/days/today")).json()
        assert (today["players"], today["own"]["net"], today["streak"]) == (0, None, 0)
        other, identity = await person(place)
        sit_down(place, identity, house=House(guests=True), table="table-3").play()
        today = (await other.get("/api/days/today")).json()
        assert (today["players"], today["own"]["others"]) == (1, 0)


async def test_the_players_of_a_day_are_ranked(tmp_path: Path) -> None:
    async with day(tmp_path) as (place, _):
        results = {}
        for number, strategy in enumerate(("call", "raise", "call"), 1):
            browser, identity = await person(place)
            more = {"table": f"table-{number}", "strategy": strategy}
            duel = sit_down(place, identity, house=House(guests=True), **more)
            duel.play()
            results[browser] = duel.told("challenge")[0]
        nets = [told["player_net"] for told in results.values()]
        # The same answers to the same deals have the same result: so fair is the comparison.
        assert nets[0] == nets[2] != nets[1]
        assert [hand["player_net"] for hand in next(iter(results.values()))["hands"]]
        for browser, told in results.items():
            today = (await browser.get("/api/days/today")).json()
            assert (today["own"]["net"], today["own"]["others"]) == (told["player_net"], 2)
            assert today["own"]["worse"] == sum(net < told["player_net"] for net in nets)
            assert today["mean"]["mean"] == pytest.approx(sum(nets) / 3 / 10)
            assert today["mean"]["low"] is None


async def test_a_day_tells_its_table_and_its_times(tmp_path: Path) -> None:
    async with day(tmp_path) as (place, clock):
        today = (await place.browser().get("/api/days/today")).json()
        assert (today["day"], today["hands"], today["big_blind"]) == (TODAY, 20, 10)
        assert today["published_at"] == today["ends_at"] + 3_600_000 == publication_time(TODAY) * 1000
        assert (today["published"], today["players"], today["mean"]) == (False, 0, None)
        tomorrow = day_of(clock.now + 86_400)
        for path in (tomorrow, "x", "2025-02-30", "1999-12-31", "today.json"):
            assert (await place.browser().get(f"/api/days/{path}")).status == 404, path
        clock.now = publication_time(TODAY)
        over = (await place.browser().get(f"/api/days/{TODAY}")).json()
        assert over["published"]
        verify_commitment(bytes.fromhex(over["seed"]), today["commitment"])
        assert (await place.browser().get(f"/api/days/{tomorrow}")).json()["seed"] == ""


# A link for friends.


async def test_a_friend_plays_the_same_deals_with_the_same_rival(tmp_path: Path) -> None:
    async with day(tmp_path) as (place, _):
        browser, identity = await person(place)
        make_recorder = partial(recorder_for, place.archive)
        duel = Duel(house=House(guests=True), make_recorder=make_recorder, identity=identity)
        duel.sit()
        duel.play(hands=10)
        [first] = duel.told("challenge")
        # The link is good at once, while the table still shows the result.
        place.same_deals.find_link(place.same_deals.link(first["run"]), "a friend")
        assert duel.name in duel.house.open_tables
        link = (await browser.get("/api/challenges/table-1.1")).json()["link"]
        friend, identity = await person(place)
        for asker in (friend, place.browser()):
            assert (await asker.get("/api/challenges/table-1.1")).json()["link"] == ""
        told = (await friend.get(f"/api/links/{link}")).json()
        assert (told["player"], told["rival"], told["hands"], told["left"]) == ("ann", "fair-3", 10, 20)
        assert "net" not in str(told)
        assert (await browser.get(f"/api/links/{link}")).status == 404
        assert (await friend.get(f"/api/links/{link[:-1]}")).status == 404
        found = place.same_deals.find_link(link, identity)
        again = Duel(
            house=House(guests=True),
            make_recorder=make_recorder,
            identity=identity,
            player="bob",
            table="table-2",
            seed=found.seed,
            given=found.result,
            deals=found.result.run,
        )
        again.sit("raise")
        again.play()
        [second] = again.told("challenge")
        assert [hand["rival_net"] for hand in second["hands"]] == [
            hand["rival_net"] for hand in first["hands"]
        ]
        assert (second["rival"], second["rival_run"]) == ("fair-3", first["rival_run"])
        assert second["player_net"] != first["player_net"]
        for run, other in (("table-1.1", second), (second["run"], first)):
            [beside] = (await place.browser().get(f"/api/challenges/{run}")).json()["friends"]
            assert (beside["challenge"], beside["player"]) == (other["run"], other["player"])
            assert beside["nets"] == [hand["player_net"] for hand in other["hands"]]
        assert (await friend.get(f"/api/challenges/{second['run']}")).json()["link"] == ""
        # His place is taken, whatever he does with the link now.
        assert (await friend.get(f"/api/links/{link}")).status == 404
        assert (await place.browser().get(f"/api/links/{link}")).json()["left"] == 19
        # Both runs had the same cards.
        cards = [
            (await who.get(f"/api/hands/{run}.4")).json()["cards"][3 - 1]
            for who, run in ((browser, "table-1.1"), (friend, second["run"]))
        ]
        assert cards[0] == cards[1]


async def test_a_friend_s_table_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with day(tmp_path) as (place, _):
        _, identity = await person(place)
        make_recorder = partial(recorder_for, place.archive)
        first = Duel(house=House(guests=True), make_recorder=make_recorder, identity="ann")
        first.sit()
        first.play()
        assert first.table.result is not None
        duel = Duel(
            house=place.house,
            make_recorder=make_recorder,
            identity=identity,
            table="table-2",
            given=first.table.result,
            deals=first.table.result.run,
        )
        duel.sit()
        duel.play(hands=3)
        rivalry = duel.table.snapshot().rivalry
        assert rivalry is not None
        assert (rivalry.rival, rivalry.rival_run) == ("fair-3", first.table.result.rival_run)
        assert rivalry.over
        assert rivalry.rival_nets == [hand.rival_net for hand in first.table.result.hands]
        assert JSON.encode(first.table.result)
        duel.house.close()
