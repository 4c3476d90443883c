"""The API of a ladder with real files and matches: what everybody, an author and the organiser see."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dealer.luck.value import shipped_value
from dealer.ratings.model import METHOD
from pokerd.__main__ import main
from server.commands import ladder as commands
from server.ladder.errors import LadderError
from server.ladder.field import Outlook
from server.ladder.ladder import Ladder
from server.ladder.records import Author, Version
from server.ladder.store import FINAL
from server.web.ladder.published import Published
from tests.support.houses.http_client import Answer
from tests.support.ladder import (
    CALLER,
    PATIENCE,
    Place,
    add_result,
    add_version,
    filled,
    ladder_place,
    reopened,
    reopened_place,
    zipped,
)

PSEUDONYM = re.compile(r"[a-z]{5}-[a-z]{5}")


async def ask(place: Place, path: str, who: str = "") -> Any:
    answer = await place.browser().get(f"/api/ladder{path}", **bearer(place, who))
    assert answer.status == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()


async def post(place: Place, path: str, who: str, order: object = None, body: bytes = b"") -> Answer:
    sent = body or json.dumps(order).encode()
    return await place.browser().post(f"/api/ladder{path}", sent, **bearer(place, who))


def bearer(place: Place, who: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {place.tokens.get(who, who)}"} if who else {}


async def rated(ladder: Ladder, version: str) -> None:
    """Let the ladder run until a version is rated."""
    running = asyncio.create_task(ladder.run())
    async with asyncio.timeout(PATIENCE):
        while ladder.store.version(version).state != "rated":
            await ladder._wait_change(ladder._changes)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


async def test_the_table_is_sorted_and_says_how_sure_it_is(tmp_path: Path) -> None:
    async with ladder_place(tmp_path) as place:
        await filled(place)
        table = await ask(place, "")
        assert (table["name"], table["season"], table["frozen"], table["blind"]) == (
            "spring",
            "1",
            False,
            False,
        )
        assert table["bots"][0]["bot"] == "ann@1"
        assert [row["bot"] for row in table["bots"] if row["half"] is not None][-1] == "bob@1"
        rated = [row["rating"] for row in table["bots"] if row["half"] is not None]
        assert rated == sorted(rated, reverse=True)
        best = table["bots"][0]
        assert (best["ranks"][0], best["deal_sets"]) == (1, 120)
        assert best["worst"]["mean"] > 0
        (queued,) = [place.ladder.store.add_match(["ann@1", "call"], "challenge", 1.0, "ann", counts=False)]
        queue = await ask(place, "/queue")
        assert [one["number"] for one in queue["matches"]] == [queued.number]


async def test_the_queue_tells_what_comes_next_and_who_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ladder_place(tmp_path) as place:
        await filled(place)
        # In its first matches, which were asked for.
        new = place.ladder.store.add_version("cleo", "pushed", "c", (), "received", 30.0).name
        for state in ("checking", "ready"):
            place.ladder.store.set_state(new, state, 30.0)
        looked = 0

        async def counted(ladder: Ladder) -> Outlook:
            nonlocal looked
            looked += 1
            return await outlook(ladder)

        outlook = Ladder.outlook
        monkeypatch.setattr(Ladder, "outlook", counted)
        queue, again = await ask(place, "/queue"), await ask(place, "/queue")
        assert queue == again
        assert looked == 1
        assert queue["waits"][0] == {"bot": "raise", "matches": 80}
        waits = [one["matches"] for one in queue["waits"]]
        assert waits == sorted(waits, reverse=True)
        assert {one["bot"] for one in queue["waits"]} == {"ann@1", "bob@1", "call", "random", "raise"}
        # Who has hardly played comes first.
        assert "raise" in queue["next"][0]["line_up"]
        assert all(one["seconds"] > 0 for one in queue["next"])
        place.ladder.store.set_state(new, "refused", 31.0, "it was away")
        await place.ladder.run(1)
        (played,) = place.ladder.store.matches("done", last=1)
        assert list(played.line_up) == queue["next"][0]["line_up"]
        assert (await ask(place, "/queue"))["waits"] != queue["waits"]
        assert looked == 2


async def test_a_bot_is_told_with_history_opponents_errors_and_grades(tmp_path: Path) -> None:
    async with ladder_place(tmp_path) as place:
        await filled(place)
        ann, bob = await ask(place, "/bots/ann"), await ask(place, "/bots/bob")
        assert {one["bot"] for one in ann["opponents"]} == {"call", "random"}
        assert all(one["mean"] - one["half"] > 0 for one in ann["opponents"])
        assert [grade["passed"] for grade in ann["grades"]] == [True]
        assert [grade["passed"] for grade in bob["grades"]] == [False]
        assert ann["errors"] == []
        assert [one["incidents"] for one in bob["errors"]] == [{"timeout": 2}] * 40
        assert bob["errors"][0]["match"] > bob["errors"][-1]["match"]
        history = await ask(place, "/bots/ann/history")
        while not history["complete"]:
            history = await ask(place, "/bots/ann/history")
        points = history["points"]
        assert 20 < len(points) <= 100
        assert [one["at"] for one in points] == sorted(one["at"] for one in points)
        assert points[-1]["mean"] == pytest.approx(ann["rating"]["rating"], abs=0.01)
        assert points[-1]["half"] < points[1]["half"]
        missing = await place.browser().get("/api/ladder/bots/nobody")
        assert (missing.status, missing.json()["code"]) == (404, "unknown_bot")
        for number in ("0", "x", "9" * 15, "9" * 20, "9" * 5000):
            missing = await place.browser().get(f"/api/ladder/matches/{number}")
            assert (missing.status, missing.json()["code"]) == (404, "unknown_match")
        assert (await place.browser().get(f"/competition/match-{'9' * 5000}")).status == 303


async def test_a_bot_that_is_replaced_while_the_table_is_made_has_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def table(_: Published) -> Any:
        return {"bots": []}

    async with ladder_place(tmp_path) as place:
        await filled(place)
        monkeypatch.setattr(Published, "table", table)
        told = await ask(place, "/bots/ann")
        assert (told["rating"], len(told["opponents"])) == (None, 2)


async def test_a_replaced_version_is_in_the_history_only_while_it_played(tmp_path: Path) -> None:
    async with ladder_place(tmp_path) as place:
        await filled(place)
        later = add_version(place.ladder, "ann", 5000.0)
        for number in range(8):
            add_result(place.ladder, [later, "call"], [100.0, 90.0 + number], 6000.0 + number)
        await reopened(place)
        history = await ask(place, "/bots/ann/history")
        while not history["complete"]:
            history = await ask(place, "/bots/ann/history")
        versions = [one["version"] for one in history["points"]]
        assert versions == sorted(versions)
        assert set(versions) == {"ann@1", "ann@2"}
        states = {one["name"]: one["state"] for one in (await ask(place, "/bots/ann"))["versions"]}
        assert states == {"ann@1": "replaced", "ann@2": "rated"}


async def test_a_match_that_was_played_shows_its_hands_and_how_its_bots_play(tmp_path: Path) -> None:
    async with ladder_place(tmp_path) as place:
        await place.ladder.run(1)
        (match,) = (await ask(place, "/matches"))["matches"]
        told = await ask(place, f"/matches/{match['number']}")
        assert (told["hands"], told["deal_sets"]) == (True, 10)
        assert sum(told["means"].values()) == pytest.approx(0)
        base = f"/api/competitions/match-{match['number']}"
        sessions = (await place.browser().get(f"{base}/sessions")).json()["sessions"]
        assert len(sessions) == 2
        name = sessions[0]["session"]
        hands = (await place.browser().get(f"{base}/sessions/{name}/hands")).json()
        assert hands["total"] == 10
        hand = (
            await place.browser().get(f"{base}/sessions/{hands['hands'][0]['id'].rpartition('/')[0]}/hands/0")
        ).json()
        assert all(len(cards) == 2 for cards in hand["cards"])
        back = await place.browser().get(f"/competition/match-{match['number']}")
        assert (back.status, back.headers["location"]) == (303, f"/ladder/matches/{match['number']}")
        for bot in match["line_up"]:
            style = await ask(place, f"/bots/{bot}/style")
            assert style["complete"]
            assert style["total"]["hands"] == 20
            assert {one["position"]: one["hands"] for one in style["positions"]} == {"BB": 10, "BTN": 10}
        if "call" in match["line_up"]:
            call = await ask(place, "/bots/call/style")
            assert (call["total"]["vpip"], call["total"]["pfr"]) == (1.0, 0.0)
        gone = await place.browser().get("/api/competitions/match-77")
        assert gone.status == 404


async def test_a_house_bot_that_is_taken_out_stays_readable_and_its_name_taken(tmp_path: Path) -> None:
    async with ladder_place(tmp_path, "blind = true") as place:
        await filled(place)
    path = place.ladder.folder / "ladder.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(', "random"', ""), encoding="utf-8")
    async with reopened_place(tmp_path, place.tokens) as place:
        assert "random" not in {row["bot"] for row in (await ask(place, ""))["bots"]}
        bot = await ask(place, "/bots/random")
        assert (bot["rating"], bot["versions"][0]["state"]) == (None, "replaced")
        assert bot["versions"][0]["reason"]
        assert len(bot["matches"]) == 40
        assert "random" in bot["matches"][0]["line_up"]
        refused = await post(place, "/organiser/roster", "organiser", {"text": "random"})
        assert refused.json()["code"] == "bad_roster"


async def test_an_author_pushes_and_challenges(tmp_path: Path) -> None:
    async with ladder_place(tmp_path, "challenges = 1") as place:
        refused = await post(place, "/push", "nobody", body=b"x")
        assert (refused.status, refused.json()["code"]) == (401, "bad_token")
        pushed = await post(place, "/push", "ann", body=zipped(bot_py=CALLER))
        assert pushed.status == 201, pushed.text
        mine = await ask(place, "/mine", "ann")
        assert [(one["name"], one["state"]) for one in mine["versions"]] == [("ann@1", "received")]
        assert "command" not in mine["versions"][0]
        early = await post(place, "/challenge", "ann", {"opponents": ["call"]})
        assert (early.status, early.json()["code"]) == (404, "unknown_bot")
        await rated(place.ladder, "ann@1")
        log = await place.browser().get("/api/ladder/mine/ann@1/log", **bearer(place, "ann"))
        assert "fault" in log.text
        other = await place.browser().get("/api/ladder/mine/ann@1/log", **bearer(place, "bob"))
        assert other.status == 404
        asked = await post(place, "/challenge", "ann", {"opponents": ["call"], "counts": True})
        assert (asked.status, asked.json()["line_up"]) == (201, ["ann@1", "call"])
        again = await post(place, "/challenge", "ann", {"opponents": ["call"]})
        assert (again.status, again.json()["code"]) == (429, "challenge_limit")
        wrong = await post(place, "/challenge", "ann", {"opponents": "call"})
        assert (wrong.status, wrong.json()["code"]) == (400, "bad_order")
        crowd = await post(place, "/challenge", "ann", {"opponents": ["call"] * 10})
        assert (crowd.status, crowd.json()["code"]) == (400, "bad_order")
        stranger = await post(place, "/challenge", "ann", {"opponents": ["eve"]})
        assert (stranger.status, stranger.json()["code"]) == (404, "unknown_bot")


async def test_who_sends_many_archives_that_are_of_no_use_or_two_at_once_waits(tmp_path: Path) -> None:
    async with ladder_place(tmp_path, "pushes = 3") as place:
        begun, end = asyncio.Event(), asyncio.Event()

        async def push(author: Author, archive: bytes) -> Version:
            begun.set()
            await end.wait()
            return await Ladder.push(place.ladder, author, archive)

        place.ladder.push = push  # type: ignore[method-assign]
        first = asyncio.create_task(post(place, "/push", "ann", body=b"x"))
        await begun.wait()
        second = await post(place, "/push", "ann", body=b"x")
        assert (second.status, second.json()["code"]) == (429, "push_limit")
        end.set()
        answers = [await first, *[await post(place, "/push", "ann", body=b"x") for _ in range(3)]]
        assert [one.json()["code"] for one in answers] == ["bad_archive"] * 3 + ["push_limit"]
        (tmp_path / "x.zip").write_bytes(b"x")
        # The pages' address will do.
        for end_of_url in ("", "/", "/ladder"):
            with pytest.raises(LadderError) as refused:
                await asyncio.to_thread(
                    commands.push,
                    tmp_path / "x.zip",
                    f"http://127.0.0.1:{place.port}{end_of_url}",
                    place.tokens["bob"],
                )
            assert refused.value.code == "bad_archive"


async def test_the_organiser_keeps_the_roster_and_freezes(tmp_path: Path) -> None:
    async with ladder_place(tmp_path) as place:
        for path in ("/organiser", "/organiser/grades", "/organiser/grades.csv"):
            for who in ("", "ann", "made up"):
                answer = await place.browser().get(f"/api/ladder{path}", **bearer(place, who))
                assert (answer.status, answer.json()["code"]) == (401, "bad_token")
        for path in ("/organiser/roster", "/organiser/token", "/organiser/freeze", "/organiser/unfreeze"):
            assert (await post(place, path, "ann", {})).status == 401
        added = await post(place, "/organiser/roster", "organiser", {"text": "dora, B\rann\r\n"})
        (dora,) = added.json()["tokens"]
        assert (dora["name"], dora["group"]) == ("dora", "B")
        roster = (await ask(place, "/organiser", "organiser"))["roster"]
        assert [(one["name"], one["group"]) for one in roster] == [
            ("ann", "A"), ("bob", "A"), ("cleo", "B"), ("dora", "B"),
        ]  # fmt: skip
        assert (await ask(place, "/mine", dora["token"]))["name"] == "dora"
        assert (await ask(place, "/mine", "ann"))["name"] == "ann"
        (renewed,) = (await post(place, "/organiser/token", "organiser", {"name": "ann"})).json()["tokens"]
        assert (await post(place, "/push", "ann", body=b"x")).status == 401
        assert (await ask(place, "/mine", renewed["token"]))["name"] == "ann"
        for text in ("", "call", "a b", "eve\nEVE", "_eve", "-eve", "e" * 41, f"'{'x' * 200_000}'"):
            bad = await post(place, "/organiser/roster", "organiser", {"text": text})
            assert (bad.status, bad.json()["code"]) == (400, "bad_roster")
        assert (await post(place, "/organiser/freeze", "organiser")).json()["frozen"]
        assert (await ask(place, ""))["frozen"]
        frozen = await post(place, "/push", "bob", body=zipped(bot_py=CALLER))
        assert (frozen.status, frozen.json()["code"]) == (403, "frozen")
        assert not (await post(place, "/organiser/unfreeze", "organiser")).json()["frozen"]


DEADLINES = """\
[[deadlines]]
name = "first"
at = 1970-01-01T01:00:00Z
[[deadlines]]
name = "of B"
at = 1970-01-01T03:00:00+01:00
group = "B"
"""


async def test_grades_are_of_the_last_version_before_each_deadline(tmp_path: Path) -> None:
    async with ladder_place(tmp_path, DEADLINES) as place:
        await filled(place)
        ladder = place.ladder
        late = add_version(ladder, "ann", 3600.0)
        add_version(ladder, "bob", 3000.0, "refused")
        for number in range(8):
            add_result(ladder, [late, "call"], [-500.0, -490.0 - number], 6000.0 + number)
        await reopened(place)
        told = await ask(place, "/organiser/grades", "organiser")
        rows = told["rows"]
        by_name = {(one["author"], one["deadline"]): one for one in rows}
        assert set(by_name) == {("ann", "first"), ("bob", "first"), ("cleo", "first"), ("cleo", "of B")}
        ann, bob = by_name["ann", "first"], by_name["bob", "first"]
        assert (ann["version"], ann["late"], ann["passed"]) == ("ann@1", ["ann@2"], [True])
        assert ann["rating"] > 0 > bob["rating"]
        # 48 matches and 40, of 3.6 seconds each.
        assert (ann["play_hours"], bob["play_hours"]) == (0.048, 0.04)
        assert (bob["version"], bob["late"]) == ("bob@1", [])
        assert by_name["cleo", "of B"]["version"] == ""
        table = await place.browser().get("/api/ladder/organiser/grades.csv", **bearer(place, "organiser"))
        # Figures are never without what they were computed with.
        computed = (METHOD, shipped_value().digest)
        shown = await ask(place, "")
        assert all((one["method"], one["value_function"]) == computed for one in (shown, told, *table.rows()))
        assert [(row["author"], row["deadline"], row["late"], row["beats call"]) for row in table.rows()] == [
            ("ann", "first", "ann@2", "yes"),
            ("bob", "first", "", "no"),
            ("cleo", "first", "", ""),
            ("cleo", "of B", "", ""),
        ]


async def test_in_a_blind_ladder_only_authors_and_the_organiser_know_names(tmp_path: Path) -> None:
    async with ladder_place(tmp_path, "blind = true") as place:
        ladder = place.ladder
        ann, bob = add_version(ladder, "ann", 10.0), add_version(ladder, "bob", 10.0)
        program = ladder.folder / "versions" / ladder.store.version(ann).hash / "bot.py"
        program.parent.mkdir(parents=True)
        program.write_bytes(CALLER)
        ladder.store.add_match([ann, "call"], "rated", 10.0)
        await ladder.run(1)
        add_result(ladder, [bob, "ann@1"], [-30.0, -20.0], 5.0)
        await reopened(place)
        match = ladder.store.matches_of("ann")[0].number
        called = (await ask(place, "/mine", "ann"))["pseudonym"]
        assert PSEUDONYM.fullmatch(called)
        browser = place.browser()
        base = f"/api/competitions/match-{match}"
        open_to_all = [
            "/api/ladder", "/api/ladder/queue", "/api/ladder/matches", f"/api/ladder/matches/{match}",
            f"/api/ladder/bots/{called}", f"/api/ladder/bots/{called}/history",
            f"/api/ladder/bots/{called}/style", "/api/ladder/bots/call",
            base, f"{base}/sessions", f"{base}/sessions/ladder/m0000-l000-s0/hands",
            f"{base}/sessions/ladder/m0000-l000-s0/hands/0",
            f"{base}/sessions/ladder/m0000-l000-s0/hands/0.txt",
        ]  # fmt: skip
        hidden = re.compile(r"\b(ann|bob)\b|4f21c0")
        for path in open_to_all:
            answer = await browser.get(path)
            assert answer.status == 200, path
            assert not hidden.search(answer.text), path
        assert called in (await browser.get(open_to_all[-2])).text
        assert (await browser.get("/api/ladder/bots/ann")).status == 404
        own = {row["bot"] for row in (await ask(place, "", "ann"))["bots"]}
        assert {"ann@1", "bob@1"} & own == {"ann@1"}
        assert (await ask(place, "/bots/ann", "ann"))["bot"] == "ann"
        everything = {row["bot"] for row in (await ask(place, "", "organiser"))["bots"]}
        assert {"ann@1", "bob@1"} <= everything
        secret = await post(place, "/challenge", "ann", {"opponents": ["bob"]})
        assert secret.status == 404
        (other,) = [name for name in own if PSEUDONYM.match(name)]
        no_more = await post(place, "/challenge", "ann", {"opponents": [f"{other.partition('@')[0]}@99"]})
        assert (no_more.status, "bob" in no_more.text) == (404, False)
        asked = await post(place, "/challenge", "ann", {"opponents": [other]})
        assert sorted(asked.json()["line_up"]) == sorted(["ann@1", other])
        ladder.store.set_fact(FINAL, "an earlier one")
        assert {row["bot"] for row in (await ask(place, ""))["bots"]} & {"ann@1", "bob@1"} == set()
        ladder.store.set_fact(FINAL, ladder.config.season)
        assert {row["bot"] for row in (await ask(place, ""))["bots"]} == everything
        assert "ann@1" in (await browser.get(open_to_all[-2])).text


async def test_commands_print_the_organiser_s_token_and_the_same_grades(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with ladder_place(tmp_path, DEADLINES) as place:
        await filled(place)
        commands.admin(place.ladder.folder)
        token = capsys.readouterr().out.strip()
        told = await place.browser().get("/api/ladder/organiser/grades.csv", **bearer(place, token))
        for words in ((), ("--csv",)):
            assert main(["ladder", "grades", *words, str(place.ladder.folder)]) == 0
            assert capsys.readouterr().out.splitlines() == told.text.splitlines()
        before = await place.browser().get("/api/ladder/organiser", **bearer(place, "organiser"))
        assert before.status == 401
