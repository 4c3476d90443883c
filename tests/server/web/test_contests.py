"""Competitions over the API: everything that the files say, and nothing that a bot could still use."""

from __future__ import annotations

import json
import math
import random
import re
import statistics
from pathlib import Path
from typing import Any

import pytest

from dealer.curves import POINTS, RunningSum, WinningsCurves, sample_points
from dealer.errors import RecordError
from dealer.intervals import MIN_UNITS, t_quantile
from dealer.match import Division, plan_sessions
from dealer.rules.events import Acted
from server.competition.aliases import reveal_names
from server.competition.file import parse_competition
from server.competition.results import net_chips
from server.competition.store import CompetitionStore
from server.competition.verify import verify_directory
from server.web.competitions.reader import CompetitionCatalog, CompetitionReader
from tests.support.competitions.arena import LIVE, bot, competition, division, hosted
from tests.support.competitions.results import TEXT, make
from tests.support.houses.http_client import site


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    make(folder / "spring")
    make(folder / "stopped", finish=False)
    (folder / "empty").mkdir()
    (folder / "broken").mkdir()
    (folder / "broken" / "competition.toml").write_text("name = ")
    (folder / ".hidden").mkdir()
    return folder


async def test_the_results_are_right_to_begin_with(results: Path) -> None:
    assert verify_directory(results / "spring")[0] > 20


async def test_the_list(results: Path, tmp_path: Path) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        found = (await place.browser().get("/api/competitions")).json()["competitions"]
        assert {one["competition"]: one["status"] for one in found} == {
            "spring": "finished",
            "stopped": "unfinished",
        }
        rows = (await place.browser().get("/api/competitions.csv")).rows()
        assert [row["competition"] for row in rows] == [one["competition"] for one in found]
        assert rows[0]["bots"] == "ann bob cleo"


async def test_a_finished_one_says_what_its_files_say(results: Path, tmp_path: Path) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        browser = place.browser()
        told = (await browser.get("/api/competitions/spring")).json()
        store = CompetitionStore(results / "spring")
        standings = store.read_json("standings.json", dict[str, Any])["divisions"]
        assert told["standings"] == standings
        assert told["incidents"] == store.read_json("incidents.json", dict[str, Any])
        assert told["seed"] == store.read_json("seed.json", dict[str, str])["seed"]
        assert told["commitment"] == store.read_json("commitment.json", dict[str, str])["commitment"]
        modes = {one["division"]: one["mode"] for one in told["divisions"]}
        assert modes == {
            "duel": "fixed",
            "same": "fixed",
            "kuhn": "fixed",
            "cash": "cash",
            "cup": "tournament",
        }
        assert all(one["sessions_done"] == one["sessions"] for one in told["divisions"])

        rows = (await browser.get("/api/competitions/spring/standings.csv")).rows()
        places = [place for one in standings for place in one["ranking"]]
        assert [(row["bot"], float(row["chips"])) for row in rows] == [(p["bot"], p["chips"]) for p in places]
        assert [float(row["mbb"]) for row in rows] == [place["rate"]["mbb"] for place in places]
        assert [(row["division"], row["bot"]) for row in rows if row["marked"] == "true"] == [("same", "bob")]
        assert all(int(row["forced"]) <= int(row["decisions"]) for row in rows)
        cells = (await browser.get("/api/competitions/spring/crosstable.csv")).rows()
        assert len(cells) == sum(len(columns) for one in standings for columns in one["crosstable"].values())
        rounds = (await browser.get("/api/competitions/spring/runoff.csv")).rows()
        assert [(row["division"], row["bot"], float(row["bankroll"])) for row in rounds] == [
            (one["division"], name, chips)
            for one in standings
            for each in one["run_off"]["rounds"]
            for name, chips in each["bankrolls"].items()
        ]
        for one in standings:
            mine = [row for row in rounds if row["division"] == one["division"]]
            ends = {(row["bot"], row["place"], row["tied"]) for row in mine}
            ranking = one["run_off"]["ranking"]
            assert ends == {(p["bot"], str(p["place"]), str(p["tied"]).lower()) for p in ranking}
            dropped = [(row["round"], row["bot"]) for row in mine if row["dropped"] == "true"]
            assert sorted(dropped) == sorted(
                (str(number), name)
                for number, each in enumerate(one["run_off"]["rounds"], 1)
                for name in each["dropped"]
            )
        finishes = (await browser.get("/api/competitions/spring/finishes.csv")).rows()
        assert [(row["division"], row["bot"], row["place"], row["count"]) for row in finishes] == [
            ("cup", name, str(number), str(count))
            for name, counts in told["finishes"]["cup"].items()
            for number, count in enumerate(counts, 1)
        ]
        incidents = (await browser.get("/api/competitions/spring/incidents.csv")).rows()
        assert {"division": "duel", "bot": "bob", "incident": "disconnect", "count": "2"} in incidents


def test_one_match_at_a_cash_table_decides_nothing(results: Path) -> None:
    """Its hands are no units of their own: what was won in one of them is played with in the next."""
    divisions = CompetitionStore(results / "spring").read_json("standings.json", dict[str, Any])["divisions"]
    told = {one["division"]: one for one in divisions}
    assert (told["cash"]["interval_unit"], told["duel"]["interval_unit"]) == ("match", "deal")
    for place in told["cash"]["ranking"]:
        assert (place["rate"]["units"], place["rate"]["ci95"], place["rate"]["decided"]) == (1, None, False)
    assert told["cash"]["crosstable_decided"]["cells"] == 0
    assert told["duel"]["ranking"][0]["rate"]["units"] == 24


async def test_sessions_lead_to_hands_and_hands_to_the_replayer(results: Path, tmp_path: Path) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        browser = place.browser()
        store = CompetitionStore(results / "spring")
        planned = store.competition()
        base = "/api/competitions/spring/sessions"
        found: list[dict[str, Any]] = []
        while True:
            page = (await browser.get(f"{base}?offset={len(found)}&limit=7")).json()
            if not page["sessions"]:
                break
            found += page["sessions"]
        assert [one["session"] for one in found] == [session.name for session in planned.sessions]
        assert page["total"] == len(planned.sessions)
        for session, one in zip(planned.sessions, found, strict=True):
            hands = list(store.hands(session))
            assert one["hands"] == len(hands)
            listed = (await browser.get(f"{base}/{session.name}/hands?limit=200")).json()
            assert listed["total"] == len(hands)
            assert all(all(hand["cards"]) for hand in listed["hands"])
            for seat in range(len(session.players)):
                total = math.fsum(
                    hand["net"][hand["players"].index(session.players[seat])]
                    for hand in listed["hands"]
                    if session.players[seat] in hand["players"]
                )
                assert total == pytest.approx(one["net"][seat], abs=1e-4)
            first = 1 if session.division in ("cash", "cup") else 0
            number = first + len(hands) - 1
            assert [hand["hand"] for hand in listed["hands"]] == list(range(first, number + 1))
            assert [hand["id"] for hand in listed["hands"]] == [
                f"{session.name}/{one}" for one in range(first, number + 1)
            ]
            last = (await browser.get(f"{base}/{session.name}/hands/{number}")).json()
            assert last["hand"] == number
            assert last["id"] == listed["hands"][-1]["id"] == f"{session.name}/{number}"
            assert last["open"]
            assert last["next"] == ""
            assert last["previous"] == (f"{session.name}/{number - 1}" if len(hands) > 1 else "")
            assert all(last["cards"])
            assert last["names"] == list(session.players)


async def test_files_of_a_hand(results: Path, tmp_path: Path) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        browser = place.browser()
        for name in ("duel/m0000-l000-s0", "cash/m0000-l000-s0", "cup/m0000-l000-s0"):
            base = f"/api/competitions/spring/sessions/{name}/hands/1"
            phh = await browser.get(f"{base}.phh")
            assert "d dh p1" in phh.text
            assert "????" not in phh.text
            ohh = json.loads((await browser.get(f"{base}.ohh")).text)["ohh"]
            assert ohh["game_number"] == f"{name}/1"
            assert "Net: " in (await browser.get(f"{base}.txt")).text
            assert json.loads((await browser.get(f"{base}.json")).text) == (await browser.get(base)).json()


async def test_a_cell_of_the_crosstable_leads_to_its_sessions(results: Path, tmp_path: Path) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        page = (
            await place.browser().get("/api/competitions/spring/sessions?division=duel&bot=ann&bot=bob")
        ).json()
        assert page["total"] == 4
        assert all(set(one["players"]) == {"ann", "bob"} for one in page["sessions"])
        rows = (
            await place.browser().get("/api/competitions/spring/sessions.csv?division=duel&bot=ann&bot=bob")
        ).rows()
        assert len(rows) == 8


async def test_one_that_was_stopped_tells_no_hand(results: Path, tmp_path: Path) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        browser = place.browser()
        told = (await browser.get("/api/competitions/stopped")).json()
        assert (told["status"], told["seed"], told["standings"], told["incidents"]) == (
            "unfinished",
            "",
            [],
            {},
        )
        assert told["commitment"]
        page = (await browser.get("/api/competitions/stopped/sessions")).json()
        assert page == {"sessions": [], "total": 0}
        base = "/api/competitions/stopped/sessions/duel/m0000-l000-s0/hands"
        for path in (base, f"{base}/0", f"{base}/0.phh", f"{base}.csv"):
            assert (await browser.get(path)).status == 404
        curves = (await browser.get("/api/competitions/stopped/curves")).json()
        assert curves["sets"] == []


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("none", 404, "not_found"),
        ("empty", 404, "not_found"),
        ("broken", 404, "not_found"),
        (".hidden", 404, "not_found"),
        ("..", 404, "not_found"),
        ("%2e%2e", 404, "not_found"),
        ("..%2fspring", 404, "not_found"),
        ("spring%00", 404, "not_found"),
        ("spring/curves?division=none", 400, "bad_parameter"),
        ("spring/curves?seating=2", 400, "bad_parameter"),
        ("spring/sessions?division=none", 400, "bad_parameter"),
        ("spring/sessions?bot=none", 400, "bad_parameter"),
        ("spring/sessions?offset=x", 400, "bad_parameter"),
        ("spring/sessions/duel/m0000-l000-s9/hands", 404, "not_found"),
        ("spring/sessions/..%2f..%2fstopped/x/hands", 404, "not_found"),
        ("spring/sessions/duel/m0000-l000-s0/hands/12", 404, "not_found"),
        ("spring/sessions/duel/m0000-l000-s0/hands/x", 404, "not_found"),
        ("spring/sessions/cash/m0000-l000-s0/hands/0", 404, "not_found"),
        ("spring/sessions/duel/m0000-l000-s0/hands/0.exe", 404, "not_found"),
        ("spring/sessions/kuhn/m0000-l000-s0/hands/0.phh", 404, "not_found"),
    ],
)
async def test_what_does_not_exist(results: Path, tmp_path: Path, path: str, status: int, code: str) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        answer = await place.browser().get(f"/api/competitions/{path}")
        assert (answer.status, answer.json()["code"]) == (status, code)


async def test_records_that_cannot_be_read(tmp_path: Path) -> None:
    make(tmp_path / "results" / "damaged", TEXT)
    (tmp_path / "results" / "damaged" / "hands" / "duel" / "m0000-l000-s0.log").unlink()
    async with site(tmp_path, catalog=CompetitionCatalog(tmp_path / "results")) as place:
        answer = await place.browser().get("/api/competitions/damaged/sessions")
        assert answer.status == 404
        assert str(tmp_path) not in answer.text


async def test_a_directory_that_is_finished_meanwhile_is_read_anew(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    make(folder / "spring", finish=False)
    async with site(tmp_path, catalog=CompetitionCatalog(folder)) as place:
        assert (await place.browser().get("/api/competitions/spring")).json()["status"] == "unfinished"
        make(folder / "again")
        for path in (folder / "again").glob("*.json"):
            path.rename(folder / "spring" / path.name)
        assert (await place.browser().get("/api/competitions/spring")).json()["status"] == "finished"


# Curves.


def test_a_curve_is_the_running_sum_with_students_band() -> None:
    source = random.Random(5)
    values = [source.gauss(1, 20) for _ in range(300)]
    for size in (1, 10):
        drawn = RunningSum(range(1, 301), size)
        drawn.add(values[:7])
        drawn.add(values[7:])
        points = drawn.points()
        for n in (1, 5, 6, 50, 58, 60, 65, 300):
            total, half = points[n - 1]
            assert total == pytest.approx(sum(values[:n]))
            sums = [sum(values[at : at + size]) for at in range(0, n - size + 1, size)]
            if len(sums) < MIN_UNITS:
                assert half is None
                continue
            # Of a sum of n values, of which so many are a unit; the last unit may have been begun alone.
            band = t_quantile(0.975, len(sums) - 1) * statistics.stdev(sums) * math.sqrt(n / size)
            assert half == pytest.approx(band)


@pytest.mark.parametrize("sets", [0, 1, 2, 499, 500, 501, 777, 123_456])
def test_a_curve_has_few_points_the_last_among_them(sets: int) -> None:
    points = sample_points(sets)
    assert len(points) == min(sets, POINTS)
    assert points == sorted(set(points))
    assert points[-1:] == ([sets] if sets else [])


async def test_curves_are_drawn_step_by_step_and_nobody_waits_for_long(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        browser = place.browser()
        whole = (await browser.get("/api/competitions/spring/curves?seating=1")).json()
    monkeypatch.setattr("server.web.competitions.api.WAIT", 0.0)
    monkeypatch.setattr("server.web.competitions.api.STEP", 0.0)
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        browser = place.browser()
        told: list[str] = []
        while (answer := await browser.get("/api/competitions/spring/curves?seating=1")).status == 202:
            assert answer.json()["code"] == "computing"
            told.append(answer.json()["message"])
        assert [re.findall(r"\d+", text) for text in told] == [[str(done), "12"] for done in range(1, 12)]
        assert answer.json() == whole


def test_curves_begin_with_the_matches_that_are_released_first(results: Path) -> None:
    contest = CompetitionCatalog(results).find("spring")
    assert contest is not None
    division = contest.competition.divisions["duel"]
    plan = [one for one in contest.competition.sessions if one.division == "duel"]
    late = WinningsCurves(division, plan)
    assert late.update_released(lambda session: session.match == 1) == (0, 6)
    for _ in range(6):
        late.add_session(contest.net_rows)
    assert late.deal_counts() == list(range(1, 13))
    first = [one.raw for one in late.curves(0)]
    assert late.update_released(lambda _: True) == (6, 12)
    for _ in range(6):
        late.add_session(contest.net_rows)
    contest.extend_curves("duel", 10.0)
    for mine, whole in zip(late.curves(0), contest.curves("duel", 0).bots, strict=True):
        assert mine.raw[-1][0] == whole.raw.mean[-1]
        mean, half = mine.duplicate[-1]
        assert half is not None
        assert mean + half == pytest.approx(whole.duplicate.high[-1], abs=1e-3)
    assert [one.raw[:12] for one in late.curves(0)] == first


def test_a_single_seating_of_tournaments_has_no_band() -> None:
    """Its results are all or nothing; over all seatings they are not."""
    cup = Division("cup", ("a", "b"), 2, 12, 1, carry=True)
    sessions = plan_sessions(cup)
    winnings = WinningsCurves(cup, sessions)
    assert winnings.update_released(lambda _: True) == (0, 24)
    for _ in sessions:
        winnings.add_session(lambda session: [(1, -1) if session.match % 3 else (-1, 1)])
    for one in winnings.curves(0):
        assert all(half is None for _, half in one.raw)
        assert [half is None for _, half in one.duplicate] == [True] * 9 + [False] * 3


def test_sums_that_are_not_at_a_point_yet_end_with_one() -> None:
    drawn = RunningSum(sample_points(5000))
    drawn.add([1.0] * 25)
    assert drawn.points() == [(10.0, 0.0), (20.0, 0.0), (25.0, 0.0)]
    assert RunningSum([]).points() == []


@pytest.mark.parametrize(
    ("line", "what"),
    [("[]", r"\b2\b"), ("{", r"\b2\b"), ('[["hand_started",0,[0,1]],["acted"]]', r"\b2\b"), ("", r"\b0\b")],
)
async def test_journals_that_are_damaged(tmp_path: Path, line: str, what: str) -> None:
    make(tmp_path / "results" / "damaged", TEXT)
    journal = tmp_path / "results" / "damaged" / "hands" / "duel" / "m0000-l000-s0.jsonl"
    journal.write_text("\n".join([journal.read_text().splitlines()[0], line]).strip() + "\n")
    contest = CompetitionCatalog(tmp_path / "results").find("damaged")
    assert contest is not None
    with pytest.raises(RecordError, match=what):
        contest.net_rows(contest.competition.sessions[0])
    async with site(tmp_path, catalog=CompetitionCatalog(tmp_path / "results")) as place:
        answer = await place.browser().get("/api/competitions/damaged/curves")
        assert (answer.status, answer.json()["code"]) == (404, "not_found")


def test_a_journal_is_read_also_in_the_moment_when_it_gets_its_last_name(tmp_path: Path) -> None:
    text = competition([bot("call"), bot("fair")], [division()], anonymous=True)
    planned = parse_competition(text, tmp_path)
    session = planned.sessions[0]
    store = CompetitionStore(tmp_path / "out")
    store.open(planned, text)
    try:
        store.begin_session(session, planned.format(session).game).close()
        contest = CompetitionReader(planned, store)
        assert contest.hands(session, 0, 10) == []
        reveal_names(planned, store.out)
        assert contest.hands(session, 0, 10) == []
        with pytest.raises(RecordError, match="has 0 of"):
            contest.read_figures(session)
    finally:
        store.close()


def test_winnings_are_read_as_the_records_have_them(results: Path) -> None:
    contest = CompetitionCatalog(results).find("spring")
    assert contest is not None
    for session in contest.competition.sessions:
        hands = list(contest.store.hands(session))
        assert contest.net_rows(session) == net_chips(contest.competition, session, hands)
        acts = [event for events in hands for event in events if isinstance(event, Acted)]
        seats = range(len(session.players))
        mine = [[act.forced != "" for act in acts if act.seat == seat] for seat in seats]
        assert contest.read_figures(session).decisions == [(len(forced), sum(forced)) for forced in mine]


async def test_tournaments_tell_places(results: Path, tmp_path: Path) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        browser = place.browser()
        told = (await browser.get("/api/competitions/spring")).json()
        assert [name for name, bots in told["finishes"].items() if bots] == ["cup"]
        page = (await browser.get("/api/competitions/spring/sessions?division=cup")).json()
        for number in (1, 2, 3):
            for bot_name, counts in told["finishes"]["cup"].items():
                came = [
                    one for one in page["sessions"] if one["places"][one["players"].index(bot_name)] == number
                ]
                assert len(came) == counts[number - 1]
        rows = (await browser.get("/api/competitions/spring/sessions.csv?division=cup")).rows()
        assert {row["place"] for row in rows} <= {"1", "2", "3"}
        others = (await browser.get("/api/competitions/spring/sessions.csv?division=duel")).rows()
        assert {row["place"] for row in others} == {""}


async def test_the_end_of_the_duplicate_curve_is_the_bankroll(results: Path, tmp_path: Path) -> None:
    async with site(tmp_path, catalog=CompetitionCatalog(results)) as place:
        browser = place.browser()
        told = (await browser.get("/api/competitions/spring")).json()
        for standings, planned in zip(told["standings"], told["divisions"], strict=True):
            name = standings["division"]
            curves = (await browser.get(f"/api/competitions/spring/curves?division={name}")).json()
            assert curves["sets"][-1] == planned["matches"] * planned["hands"]
            raw: dict[str, list[float]] = {one["bot"]: [] for one in curves["bots"]}
            for seating in range(planned["seatings"]):
                path = f"/api/competitions/spring/curves?division={name}&seating={seating}"
                for one in (await browser.get(path)).json()["bots"]:
                    raw[one["bot"]].append(one["raw"]["mean"][-1])
            for place_ in standings["ranking"]:
                (mine,) = [one for one in curves["bots"] if one["bot"] == place_["bot"]]
                end = mine["duplicate"]["mean"][-1]
                # Chips a hand, over so many deal sets, is the bankroll divided by the hands with each deal.
                each = place_["hands"] / curves["sets"][-1]
                assert end * each == pytest.approx(place_["chips"], abs=0.01 * each)
                assert statistics.fmean(raw[place_["bot"]]) == pytest.approx(end, abs=0.01)
            rows = (await browser.get(f"/api/competitions/spring/curves.csv?division={name}")).rows()
            assert len(rows) == 2 * len(curves["sets"]) * len(curves["bots"])


# While it is played.


async def test_hands_of_a_seed_that_could_be_found_out_are_told_when_all_is_over(tmp_path: Path) -> None:
    text = competition([bot("call"), bot("fair")], [division(hands=2, matches=3)], deck="acpc", seed=7)
    async with hosted(text, tmp_path / "live") as runner:
        contest = CompetitionCatalog(runner=runner).find("live")
        assert contest is not None
        sessions = runner.competition.sessions
        *before, last = sessions
        for session in before:
            runner.progress.results[session.name] = (2, (0.0, 0.0))
        assert not any(contest.is_released(session) for session in sessions)
        runner.progress.results[last.name] = (2, (0.0, 0.0))
        assert all(contest.is_released(session) for session in sessions)


async def test_a_running_one_is_in_the_list(tmp_path: Path) -> None:
    async with hosted(LIVE, tmp_path / "live") as runner:
        make(tmp_path / "results" / "spring")
        catalog = CompetitionCatalog(tmp_path / "results", runner)
        found = catalog.entries()
        assert [(one.competition, one.status) for one in found] == [
            ("live", "running"),
            ("spring", "finished"),
        ]
