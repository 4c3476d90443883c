"""How somebody did at the tables here: counted from his hands, and from nothing that he has not seen."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dealer.deck import SEED_BYTES, commitment
from dealer.luck.adjusted import LEAST_BOARDS, adjusted_net
from dealer.rules.events import Acted, Event, Shown, ends_of, start_of
from server.storage import hand_store
from server.storage.hand_store import TableRecorder
from server.web.identity import Identities, load_secret
from server.web.people import own_play
from tests.dealer.records.played import random_hand
from tests.server.web.visitors import BIG_BLIND, GAME, table, visit
from tests.support.houses.http_client import site


def store(
    recorder: TableRecorder, identities: Sequence[str], events: Sequence[Event], *, house: bool = False
) -> None:
    seated = [(f"player-{seat}", identity) for seat, identity in enumerate(identities)]
    recorder.begin(GAME, seated, against_house=house)
    recorder.record_hand(events)


def hands(many: int) -> list[list[Event]]:
    return [list(random_hand(GAME, random.Random(number), number).events) for number in range(1, many + 1)]


async def test_the_sums_are_those_of_his_hands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_play, "WAIT", 60.0)
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        assert (await browser.get("/api/me")).json()["hands"] == 0
        recorder, won = table(place), 0.0
        places: Counter[str] = Counter()
        for number, events in enumerate(hands(60)):
            seat = number % 3
            store(recorder, [ann if one == seat else "" for one in range(3)], events)
            started, ended = ends_of(events)
            position = started.seats.index(seat)
            won += ended.values[position] / BIG_BLIND
            places[("SB", "BB", "BTN")[position]] += 1
        found = (await browser.get("/api/me")).json()
        assert (found["hands"], found["complete"]) == (60, True)
        assert found["total"]["won"] == found["curve"]["won"][-1] == pytest.approx(won)
        assert {one["position"]: one["hands"] for one in found["positions"]} == places
        assert [one["position"] for one in found["positions"]] == ["BTN", "SB", "BB"]
        assert found["style"]["hands"] == 60
        assert [one["hands"] for one in found["sessions"]] == [60]
        lines = (await browser.get("/api/me/hands.csv")).rows()
        assert tuple(lines[0]) == own_play.COLUMNS
        assert sum(float(line["won"]) for line in lines) == pytest.approx(won)
        chips = (await browser.get("/api/me?unit=chips")).json()
        assert chips["total"]["won"] == chips["curve"]["won"][-1] == pytest.approx(won * BIG_BLIND)
        rows = (await browser.get("/api/me/hands.csv?unit=chips")).rows()
        assert sum(float(row["won"]) for row in rows) == pytest.approx(won * BIG_BLIND)
        assert {row["big_blind"] for row in rows} == {str(BIG_BLIND)}
        refused = await browser.get("/api/me?unit=euros")
        assert (refused.status, refused.json()["code"]) == (400, "bad_parameter")
        biggest = [abs(one["won"]) for one in found["biggest"]]
        assert biggest == sorted((abs(float(line["won"])) for line in lines), reverse=True)[: len(biggest)]
        assert (await browser.get(f"/api/hands/{found['biggest'][0]['hand']}")).json()["own"] >= 0
        # Later hands are added; a stranger has none.
        store(recorder, ["", ann, ""], hands(61)[-1])
        assert (await browser.get("/api/me")).json()["hands"] == 61
        # The rival of a challenge sits in his seat, but is another.
        store(recorder.rival_recorder(), ["", ann, ""], hands(1)[0])
        assert (await browser.get("/api/me")).json()["hands"] == 61
        stranger, _ = await visit(place)
        assert (await stranger.get("/api/me")).json()["hands"] == 0
        assert (await place.browser().get("/api/me/hands.csv")).rows() == []


async def test_cards_that_he_did_not_see_change_nothing(tmp_path: Path) -> None:
    """Others' hands of those who folded are replaced: the answer is the same, byte for byte."""
    answers = []
    for changed in (False, True):
        folder = tmp_path / str(changed)
        async with site(folder) as place:
            browser, ann = await visit(place)
            recorder = table(place)
            for events in hands(40):
                seen = {
                    seat
                    for event in events
                    if isinstance(event, Shown)
                    for seat, cards in event.hands
                    if cards
                }
                started = start_of(events)
                unseen = [position for position, seat in enumerate(started.seats) if seat not in {0, *seen}]
                if changed and unseen:
                    spare = iter(_unused(events))
                    hole = [
                        (next(spare), next(spare)) if position in unseen else cards
                        for position, cards in enumerate(started.hole)
                    ]
                    events[0] = started._replace(hole=tuple(hole))
                store(recorder, [ann, "", ""], events)
            answer = (await browser.get("/api/me")).json()
            for group in (answer["total"], answer["adjusted"], *answer["sessions"], *answer["biggest"]):
                del group["at"]
            answers.append(answer)
    assert answers[0]["total"]["won"] != answers[0]["adjusted"]["won"]
    assert answers[0] == answers[1]


async def test_without_luck_only_days_are_told_that_are_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of those only hands against house bots, if they are many: so no sum tells the cards of one hand."""
    monkeypatch.setattr(own_play, "WAIT", 60.0)
    least = own_play.LEAST_OF_DAY
    now = datetime.now(UTC)
    played = hands(least)
    without = sum(adjusted_net(GAME, events, 0, LEAST_BOARDS) / BIG_BLIND for events in played)
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        recorder = table(place)

        async def play(days_ago: int, events: Sequence[list[Event]], *, house: bool = True) -> None:
            at = int((now - timedelta(days=days_ago)).timestamp() * 1000)
            monkeypatch.setattr(hand_store, "_now", lambda: at)
            for number, one in enumerate(events, len(numbers) + 1):
                numbers.append(number)
                store(recorder, [ann, "", ""], [start_of(one)._replace(hand=number), *one[1:]], house=house)
            await place.archive.query(lambda db: db.total_changes)

        async def told() -> tuple[int, float]:
            found = (await browser.get("/api/me")).json()
            assert found["complete"]
            group = found["without_luck"] or {"hands": 0, "won": 0.0}
            return group["hands"], group["won"]

        numbers: list[int] = []
        await play(4, played, house=False)
        await play(3, played[1:])
        assert await told() == (0, 0.0)
        await play(2, played)
        assert await told() == pytest.approx((least, without), abs=0.001)
        await play(1, [*played, *played[:3]])
        some = await told()
        assert some[0] == 2 * least + 3
        await play(0, played)
        assert await told() == some
        # The first of the days may lack hands that are too old.
        monkeypatch.setattr(own_play, "MAX_HANDS", 3 * least + 3)
        assert await told() == pytest.approx((least + 3, some[1] - without), abs=0.01)


def _unused(events: Sequence[Event]) -> list[int]:
    started = start_of(events)
    board = {card for event in events for card in getattr(event, "cards", ()) if not isinstance(event, Acted)}
    return [card for card in GAME.deck if card not in {*sum(started.hole, ()), *board}]


async def test_many_hands_come_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_play, "MAX_HANDS", 25)
    monkeypatch.setattr(own_play, "HANDS_AT_ONCE", 10)
    monkeypatch.setattr(own_play, "WAIT", 0.0)
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        recorder = table(place)
        played = hands(40)
        for events in played:
            store(recorder, [ann, "", ""], events)
        counted = []
        while not (answer := (await browser.get("/api/me")).json())["complete"]:
            assert answer["without_luck"] is None
            counted.append(answer["hands"])
        assert (answer["hands"], counted) == (25, sorted(counted))
        assert len(counted) > 1
        # The newest.
        assert answer["total"]["won"] == pytest.approx(
            sum(
                ends_of(events)[1].values[start_of(events).seats.index(0)] / BIG_BLIND
                for events in played[-25:]
            )
        )


async def test_a_link_takes_him_to_another_browser(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        store(table(place), [ann, "", ""], hands(1)[0])
        token = (await browser.post("/api/me/device", b"")).json()["token"]
        other, own = await visit(place)
        path = f"/api/me/device/{token}"
        # A page of somebody else cannot do it for its visitor, nor ask for a link.
        for where in (path, "/api/me/device"):
            refused = await other.post(where, b"", Origin="http://elsewhere.example")
            assert (refused.status, refused.json()["code"]) == (403, "foreign_origin")
        for wrong in ("x", token[:-1]):
            assert (await other.post(f"/api/me/device/{wrong}", b"")).status == 404
        assert (await place.browser().post("/api/me/device", b"")).status == 404
        assert (await other.get("/api/me")).json()["hands"] == 0
        assert (await other.post(path, b"", Origin=f"http://127.0.0.1:{other.port}")).status == 204
        assert (await other.get("/api/me")).json()["hands"] == 1
        assert Identities(load_secret(place.data)).identity(other.cookie) == ann != own


async def test_a_damaged_hand_is_left_out(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        recorder = table(place)
        for events in hands(3):
            store(recorder, [ann, "", ""], events)
        await place.archive.query(lambda db: db.execute("SELECT 1").fetchall())  # all is written
        with closing(sqlite3.connect(place.archive.path)) as db, db:
            db.execute("UPDATE hands SET events = '[[' WHERE number = 2")
        found = (await browser.get("/api/me")).json()
        assert (found["hands"], found["complete"]) == (2, True)


async def test_who_asks_without_end_is_told_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_play, "MAX_ASKING", 1)
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        recorder = table(place)
        for events in hands(100):
            store(recorder, [ann, "", ""], events)
        answers = await asyncio.gather(*(browser.get("/api/me") for _ in range(8)))
        refused = [answer.json()["code"] for answer in answers if answer.status == 503]
        assert refused
        assert set(refused) == {"busy"}
        assert (await browser.get("/api/me")).json()["hands"] == 100


async def test_what_was_played_with_hints_stands_apart(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        seed = commitment(bytes(SEED_BYTES))
        for name, kind in (("table-1", ""), ("table-2", "practice")):
            recorder = place.archive.open_table(
                name, mode="cash", game=GAME, seats=3, commitment=seed, kind=kind
            )
            store(recorder, [ann, "", ""], hands(1)[0])
        found = (await browser.get("/api/me")).json()
        assert sorted(one["mode"] for one in found["sessions"]) == ["cash", "practice"]
