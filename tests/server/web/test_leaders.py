"""Who did best against bots, month by month."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean

import pytest
from starlette.requests import Request

from dealer.intervals import mean_interval
from dealer.rules.events import Event, ends_of
from protocol.people import ChallengeHand, ChallengeResult
from server.storage import hand_store
from server.storage.hand_store import TableRecorder
from server.web.identity import Identities, load_secret
from server.web.people import leaders
from tests.dealer.records.played import random_hand
from tests.server.web.visitors import BIG_BLIND, GAME, table, visit
from tests.support.houses.http_client import site


def hands(name: str, many: int) -> list[list[Event]]:
    source = random.Random(name)
    return [list(random_hand(GAME, source, number).events) for number in range(1, many + 1)]


def store(
    recorder: TableRecorder, identities: Sequence[str], events: Sequence[Event], *, house: bool = True
) -> None:
    seated = [(f"player-{seat}", identity) for seat, identity in enumerate(identities)]
    recorder.begin(GAME, seated, against_house=house)
    recorder.record_hand(events)


def won(played: Sequence[Sequence[Event]], seat: int) -> list[float]:
    nets = []
    for events in played:
        started, ended = ends_of(events)
        nets.append(ended.values[started.seats.index(seat)] / BIG_BLIND)
    return nets


async def test_the_order_is_that_of_what_was_surely_won(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        people = [await visit(place) for _ in range(3)]
        nets: dict[str, list[float]] = {}
        for number, (_, identity) in enumerate(people):
            played = hands(f"player {number}", leaders.LEAST_HANDS + 50 * number)
            recorder = table(place, f"table-{number + 1}")
            for events in played:
                store(recorder, [identity if seat == number else "" for seat in range(3)], events)
            nets[f"player-{number}"] = won(played, number)
        browser = people[0][0]
        found = (await browser.get("/api/leaders")).json()
        assert found["least"] == leaders.LEAST_HANDS
        assert {one["name"]: one["hands"] for one in found["leaders"]} == {
            name: len(one) for name, one in nets.items()
        }
        lows = [one["bb100"]["low"] for one in found["leaders"]]
        assert lows == sorted(lows, reverse=True)
        assert [one["name"] for one in found["leaders"] if one["own"]] == ["player-0"]
        for one in found["leaders"]:
            interval = mean_interval(nets[one["name"]])
            assert interval.half is not None
            assert one["bb100"]["mean"] == pytest.approx(100 * fmean(nets[one["name"]]), abs=0.01)
            assert one["bb100"]["low"] == pytest.approx(100 * (interval.mean - interval.half), abs=0.01)
            assert one["bb100"]["high"] == pytest.approx(100 * (interval.mean + interval.half), abs=0.01)
        stranger = (await place.browser().get("/api/leaders")).json()
        assert not any(one["own"] for one in stranger["leaders"])


async def test_against_chosen_bots(tmp_path: Path) -> None:
    """All opponents are among them; for a pair of bots, hands against either and both count."""
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        many = leaders.LEAST_HANDS
        nets: dict[str, list[float]] = {}
        for number, bots in enumerate((("fair-1", "fair-2"), ("fair-1", "call-12"), ("loki2-b-1", ""))):
            recorder = table(place, f"table-{number + 1}")
            played = hands(bots[1] or bots[0], many // 2 + 1 if number < 2 else many)
            for events in played:
                recorder.begin(GAME, [("Ann", ann), *((bot, "") for bot in bots)], against_house=True)
                recorder.record_hand(events)
            nets[" ".join(bots)] = won(played, 0)

        async def ask(*bots: str) -> list[object]:
            found = (await browser.get("/api/leaders?" + "&".join(f"bot={bot}" for bot in bots))).json()
            return [(one["hands"], one["bb100"]["mean"]) for one in found["leaders"]]

        fair, mixed, loki = nets.values()
        for asked, expected in (
            ((), fair + mixed + loki),
            (("fair", "call"), fair + mixed),
            (("loki2-b",), loki),
            (("fair",), []),
            (("loki2", "call"), []),
        ):
            assert await ask(*asked) == [
                (len(expected), pytest.approx(100 * fmean(expected), abs=0.01)) for _ in expected[:1]
            ]


async def test_what_does_not_count(tmp_path: Path) -> None:
    """Few hands, hands with another person, tournaments, and hands of other tables than cash."""
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        _, bob = await visit(place)
        played = hands("some", leaders.LEAST_HANDS)
        recorder = table(place)
        for events in played[1:]:
            store(recorder, [ann, "", ""], events)
        for events in played:
            store(recorder, [ann, bob, ""], events)
        for events in played:
            store(recorder, [ann, "", ""], events, house=False)
        private = table(place, "private-0123456789abcdef0123-1")
        for events in played:
            store(private, [ann, "", ""], events)
        for mode, kind in (("tournament", ""), ("challenge", ""), ("cash", "practice")):
            other = place.archive.open_table("other", mode=mode, game=GAME, seats=3, commitment="", kind=kind)
            for events in played:
                store(other, [ann, "", ""], events)
        assert (await browser.get("/api/leaders")).json()["leaders"] == []


async def test_months(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        recorder = table(place)
        for events in hands("june", leaders.LEAST_HANDS):
            store(recorder, [ann, "", ""], events)
        await place.archive.query(lambda db: db.total_changes)
        first = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        last = first - timedelta(milliseconds=1)
        with closing(sqlite3.connect(place.data / "hands.sqlite3")) as db, db:
            db.execute("UPDATE own_hands SET at = ?", (int(last.timestamp() * 1000),))
        year = f"{first.year - 1}-{first.month:02}"
        for season, many in ((f"{last:%Y-%m}", 1), (f"{first:%Y-%m}", 0), (year, 0)):
            found = (await browser.get(f"/api/leaders?season={season}")).json()
            assert (found["season"], len(found["leaders"])) == (season, many)
        older, later = f"{first.year - 2}-12", f"{first + timedelta(days=32):%Y-%m}"
        for wrong in ("2026-13", "2026-6", "june", "0001-01", "9999-12", f"{year}-01", older, later):
            answer = await browser.get(f"/api/leaders?season={wrong}")
            assert (answer.status, answer.json()["code"]) == (400, "bad_parameter")


def day_result(day: str, net: int, *, name: str = "Ann") -> ChallengeResult:
    hands = [ChallengeHand(number, net + number % 2, 5) for number in range(1, 21)]
    mine, rival = sum(one.player_net for one in hands), sum(one.rival_net for one in hands)
    return ChallengeResult(
        table="t", run="", rival_run="t-rival.9", player=name, rival="fair-2", opponents=[], game="",
        big_blind=BIG_BLIND, of=20, hands=hands, player_net=mine, rival_net=rival, mean=0.0, half=None,
        decided=False, deals=day,
    )  # fmt: skip


async def test_the_hands_of_the_days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five days of this month at least, none of them today's, and those that were played in time."""
    first = datetime.now(UTC).replace(day=1, hour=12, minute=0, second=0, microsecond=0)
    clock = [first]
    monkeypatch.setattr(hand_store, "_now", lambda: int(clock[0].timestamp() * 1000))
    async with site(tmp_path) as place:
        browser, ann = await visit(place)
        _, bob = await visit(place)

        def play(identity: str, at: datetime, net: int, day: str = "") -> None:
            clock[0] = at
            day = day or f"{at:%Y-%m-%d}"
            recorder = place.archive.open_table(
                "t", mode="challenge", game=GAME, seats=3, commitment="", kind=f"day {day}"
            )
            recorder.begin_challenge(day, identity, 1000)
            recorder.conclude(day_result(day, net), b"{}", identity)

        for number in range(6):
            play(ann, first + timedelta(days=number), 3 * number)
        for number in range(5):
            late = timedelta(days=2) if number == 4 else timedelta()
            play(
                bob, first + timedelta(days=number) + late, 100, f"{first + timedelta(days=number):%Y-%m-%d}"
            )

        async def ask(days: int) -> list[tuple[str, int, int, bool]]:
            now = (first + timedelta(days=days)).timestamp()
            api = leaders.LeadersApi(place.archive, Identities(load_secret(place.data)), lambda: now)
            headers = [(b"cookie", browser.cookie.encode())]
            answer = await api.leaders(Request({"type": "http", "headers": headers, "query_string": b""}))
            found = json.loads(bytes(answer.body))
            assert found["least_days"] == leaders.LEAST_DAYS
            rows = found["day_leaders"]
            for row in rows:
                gains = [
                    (3 * day + number % 2 - 5) / BIG_BLIND
                    for day in range(row["days"])
                    for number in range(1, 21)
                ]
                interval = mean_interval(gains)
                assert interval.half is not None
                assert row["bb100"]["mean"] == pytest.approx(100 * interval.mean, abs=0.01)
                assert row["bb100"]["low"] == pytest.approx(100 * (interval.mean - interval.half), abs=0.01)
            return [(row["name"], row["days"], row["won"], row["own"]) for row in rows]

        assert await ask(4) == []
        assert await ask(5) == [("Ann", 5, 3, True)]
        assert await ask(6) == [("Ann", 6, 4, True)]
