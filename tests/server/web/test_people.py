"""People's results over the API: everybody reads them, a key deletes one."""

from __future__ import annotations

from pathlib import Path

from server.people.performance import PlayedMatch, PlaySetting
from server.web.people.results import COLUMNS
from tests.support.houses.http_client import site

TWO = PlaySetting("tournament", "nolimit", ("fair", "call"), "", 5, 10, 0, 1000, 0, "bb", 2, 0, "match")
WON = PlayedMatch(1, 2000, 0, [(500, 250.5, 10), (1500, 1500, 20)])
LOST = PlayedMatch(3, -1000, 2, [(-1000, -400, 10)])


async def test_json_and_csv_have_every_hand(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser = place.browser()
        assert (await browser.get("/api/people")).json() == {"groups": []}
        assert (await browser.get("/api/people/results.csv")).rows() == []
        for matches in ([WON, LOST], [LOST, LOST], [WON, WON]):
            place.people.keep(matches, TWO)
        results = (await browser.get("/api/people/results")).json()["results"]
        assert [one["result"] for one in results] == [1, 2, 3]
        assert [hand for match in results[0]["matches"] for hand in match["hands"]] == [
            [500, 250.5, 10],
            [1500, 1500, 20],
            [-1000, -400, 10],
        ]
        lines = (await browser.get("/api/people/results.csv")).rows()
        assert len(lines) == 3 + 2 + 4
        assert tuple(lines[0]) == COLUMNS
        found = [(line["result"], line["match"], line["hand"], line["place"], line["net"]) for line in lines]
        assert found[:3] == [
            ("1", "1", "1", "1", "500"),
            ("1", "1", "2", "1", "1500"),
            ("1", "2", "1", "3", "-1000"),
        ]
        assert (lines[1]["adjusted"], lines[1]["hand_big_blind"]) == ("1500", "20")
        assert [line["forced"] for line in lines[:3]] == ["0", "0", "2"]
        assert {line["bots"] for line in lines} == {"fair call"}
        [group] = (await browser.get("/api/people")).json()["groups"]
        assert group["setting"]["bots"] == ["fair", "call"]
        score = group["score"]
        assert (score["results"], score["tournaments"], score["won"], score["hands"]) == (3, 6, 3, 9)
        # Page by page.
        first = (await browser.get("/api/people/results?limit=2")).json()["results"]
        rest = (await browser.get(f"/api/people/results?limit=2&after={first[-1]['result']}")).json()
        assert first + rest["results"] == results
        for wrong in ("limit=0", "limit=201", "after=-1", "after=x"):
            answer = await browser.get(f"/api/people/results?{wrong}")
            assert (answer.status, answer.json()["code"]) == (400, "bad_parameter")


async def test_a_key_shows_and_deletes_one_result(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser = place.browser()
        mine, other = place.people.keep([WON, LOST], TWO), place.people.keep([LOST, LOST], TWO)
        path = f"/api/people/results/{mine}"
        shown = (await browser.get(path)).json()
        assert (shown["result"], shown["own"]["won"], shown["others"]["won"]) == (1, 1, 0)
        assert mine not in (await browser.get("/api/people/results")).text
        assert (await browser.get(f"/api/people/results/{'x' * 22}", "DELETE")).status == 404
        assert (await browser.get(path, "POST")).status == 405
        assert (await browser.get(path, "DELETE")).status == 204
        for method in ("GET", "DELETE"):
            answer = await browser.get(path, method)
            assert (answer.status, answer.json()["code"]) == (404, "not_found")
        left = (await browser.get("/api/people/results")).json()["results"]
        assert [one["result"] for one in left] == [2]
        assert (await browser.get(f"/api/people/results/{other}")).json()["others"] is None
