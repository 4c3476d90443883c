"""Challenges over the API: nothing of the rival before the end, everything afterwards."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from protocol.codec import JSON
from protocol.people import ChallengeResult
from server.house.restore import recorder_for
from server.web.identity import Identities, load_secret
from tests.server.web.visitors import cards_in
from tests.support.houses.challenges import Duel
from tests.support.houses.http_client import Browser, Place, site

RIVAL = "table-1-rival.2"
SECRET = (
    "/api/tables/table-1-rival",
    "/api/tables/table-1-rival/hands",
    "/api/tables/table-1-rival/hands.csv",
    f"/api/tables/{RIVAL}",
    f"/api/tables/{RIVAL}/hands",
    f"/api/hands/{RIVAL}.1",
    f"/api/hands/{RIVAL}.1.json",
    f"/api/hands/{RIVAL}.1.txt",
    f"/api/hands/{RIVAL}.1.phh",
    "/api/challenges/table-1.1",
)


async def challenger(place: Place) -> tuple[Browser, str]:
    """A browser, and who it is."""
    browser = place.browser()
    await browser.get("/")
    return browser, Identities(load_secret(place.data)).identity(browser.cookie)


async def test_the_rival_is_hidden_until_both_runs_are_over(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser, identity = await challenger(place)
        duel = Duel(
            house=place.house, make_recorder=partial(recorder_for, place.archive), identity=identity, hands=10
        )
        duel.sit()
        duel.play(hands=9)
        assert duel.table._rival_over
        for asker in (browser, place.browser()):
            for path in SECRET:
                assert (await asker.get(path)).status == 404, path
            assert "rival" not in (await asker.get("/api/tables")).text
            table = (await asker.get("/api/tables/table-1")).json()
            assert (table["mode"], table["seed"], table["free"]) == ("challenge", "", 0)
        assert (await browser.get("/api/hands/table-1.1.9")).json()["own"] == duel.seat
        duel.play()
        [told] = duel.told("challenge")
        answer = await place.browser().get("/api/challenges/table-1.1")
        result = answer.json()
        assert result["challenge"] == told["run"] == "table-1.1"
        assert told["rival_run"] == RIVAL
        assert result["result"] == told
        assert isinstance(JSON.decode_server(JSON.encode(told_of(duel)))[0], ChallengeResult)
        for path in SECRET:
            assert (await browser.get(path)).status == 200, path
        seeds = {(await browser.get(f"/api/tables/{run}")).json()["seed"] for run in ("table-1.1", RIVAL)}
        assert seeds == {duel.table.seed.hex()}


def told_of(duel: Duel) -> ChallengeResult:
    assert duel.table.result is not None
    return duel.table.result


async def test_who_played_sees_the_cards_of_both_runs_and_others_do_not(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser, identity = await challenger(place)
        make_recorder = partial(recorder_for, place.archive)
        duel = Duel(
            "raise",
            "call",
            house=place.house,
            make_recorder=make_recorder,
            identity=identity,
            rival="call",
            hands=10,
        )
        duel.sit()
        duel.play(action="fold")
        stranger = place.browser()
        for hand in range(1, 11):
            own, theirs = [
                (await browser.get(f"/api/hands/{run}.{hand}")).json() for run in ("table-1.1", RIVAL)
            ]
            position = own["messages"][1]["seats"].index(duel.seat)
            assert own["own"] == theirs["own"] == duel.seat
            assert own["cards"][position] == theirs["cards"][position] != []
            assert (own["names"][2], theirs["names"][2]) == ("ann", "call-3")
            seen = (await stranger.get(f"/api/hands/table-1.1.{hand}")).json()
            assert seen["own"] == -1
            assert not cards_in(str(seen["cards"][position]))


async def test_a_server_that_is_killed_keeps_the_secret(tmp_path: Path) -> None:
    """What was not over when it ended is never told."""
    async with site(tmp_path) as place:
        make_recorder = partial(recorder_for, place.archive)
        duel = Duel(house=place.house, make_recorder=make_recorder, hands=10)
        duel.sit()
        duel.play(hands=3)
        # As after a start: nobody knows the table any more.
        place.house.unregister_table(duel.table)
        for path in SECRET:
            assert (await place.browser().get(path)).status == 404, path
        table = (await place.browser().get("/api/tables/table-1.1")).json()
        assert (table["open"], table["seed"]) == (False, "")


async def test_a_list_tells_names_stakes_and_kinds(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        duel = Duel("call", "raise", house=place.house, name="me against fair", hands=10)
        duel.sit()
        [entry] = (await place.browser().get("/api/tables")).json()["tables"]
        assert entry["name"] == "me against fair"
        assert entry["stakes"] == "no-limit hold'em 5/10"
        assert entry["kinds"] == ["bot", "bot", "person"]
        assert entry["free"] == 0
        [row] = (await place.browser().get("/api/tables.csv")).rows()
        assert (row["name"], row["stakes"]) == (entry["name"], entry["stakes"])
        assert row["kinds"] == "bot bot person"
        duel.house.close()


async def test_what_is_no_challenge_is_not_found(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        for name in ("table-1", "table-1.1", "x.y", "table-1.99999999999999", "table-1.1.1", "%00"):
            answer = await place.browser().get(f"/api/challenges/{name}")
            assert (answer.status, answer.json()["code"]) == (404, "not_found")
