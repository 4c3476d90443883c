"""Series: matches that the same bots play in a row before they forget."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import uvloop

from dealer.rules.events import Acted
from server.competition.file import Competition
from server.competition.replay import SessionReplayError, find_sessions
from server.competition.resume import plan_competition
from server.competition.runner import Runner
from server.competition.store import CompetitionStore
from server.competition.verify import verify_directory
from server.house.house import House
from tests.support.competitions.arena import Played, animal, bot, competition, division, hosted, run
from tests.support.competitions.continued import TRIO, records, written
from tests.support.competitions.fleet import coordinator, finished, mid_match, node
from tests.support.houses.people import opened
from tests.support.postgres import Postgres, rows

CUP = {"mode": "tournament", "players": 2, "stack": 60}


def text_of(series: int = 2, **grower: Any) -> str:
    """A bot that remembers, and one that does not, in four matches and in as many tournaments."""
    bots = [animal("grower", **grower), bot("call", run="call", reset="message", tables=4)]
    divisions = [
        division(hands=2, matches=4, series=series),
        division("cup", table=CUP, matches=4, series=series),
    ]
    return competition(bots, divisions, workers=3)


def matches_without_memory(played: Played) -> set[tuple[str, int]]:
    """The division and number of each match in which the bot that counts its matches folded."""
    found = set()
    for session in played.runner.competition.sessions:
        seat = session.players.index("grower")
        for hand in played.runner.store.hands(session):
            for event in hand:
                if isinstance(event, Acted) and event.seat == seat and event.action == "fold":
                    assert not event.forced
                    found.add((session.division, session.match))
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Every series has a process of its own."""
    return uvloop.run(run(text_of(), tmp_path_factory.mktemp("series") / "out"))


def test_a_process_for_each_series(undisturbed: Played) -> None:
    forgets(undisturbed, 2)


@pytest.mark.parametrize("series", [2, 1])
async def test_bots_are_told_to_forget_after_each_series(series: int, tmp_path: Path) -> None:
    forgets(await run(text_of(series, reset="message"), tmp_path / "out"), series)


def forgets(played: Played, series: int) -> None:
    first = {(name, match) for name in ("duel", "cup") for match in range(0, 4, series)}
    assert matches_without_memory(played) == first
    units = {one["division"]: one["interval_unit"] for one in played.standings["divisions"]}
    alone = {"duel": "deal", "cup": "match"}
    assert units == (alone if series == 1 else dict.fromkeys(alone, "series"))
    assert not [one for bots in played.incidents.values() for one in bots.values() if one]


async def test_a_series_that_was_interrupted_is_played_from_its_start(
    undisturbed: Played, tmp_path: Path
) -> None:
    out = tmp_path / "cut"
    async with hosted(text_of(), out, workers=1) as runner:
        running = asyncio.create_task(runner.run(), name="competition")

        def begun() -> list[str]:
            with closing(sqlite3.connect(out / "state.db")) as db:
                return [name for (name,) in db.execute("SELECT session FROM attempts")]

        async with asyncio.timeout(60):
            # The last match of some series has begun.
            while not (out / "state.db").is_file() or not any("m0003" in name for name in begun()):
                await asyncio.wait([running], timeout=0.002)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        done = set(runner.progress.results)
    planned = plan_competition(out, out)
    assert planned.resumed
    house = House(storage=planned.store.open_states)
    entrance = await opened(house, "picows")
    again = Runner(
        planned.competition, planned.text, house, f"ws://127.0.0.1:{entrance.port}/ws", planned.store
    )
    async with asyncio.timeout(60):
        await again.run()
    await entrance.close()
    assert Played(out, again).files() == undisturbed.files()
    assert done
    # Of what was done nothing was played again, and that was whole series.
    sessions = {session.name: session for session in planned.competition.sessions}
    assert {name for name in done if sessions[name].match == 0} == {
        sessions[name].name.replace("m0001", "m0000") for name in done if sessions[name].match == 1
    }


def test_only_the_first_session_of_a_series_is_replayed(undisturbed: Played) -> None:
    planned: Competition = undisturbed.runner.competition
    store = CompetitionStore(undisturbed.out)
    player, sessions = find_sessions(store, planned, None, None)
    assert player == "grower"
    assert {session.match for session in sessions} == {0, 2}
    assert find_sessions(store, planned, "duel/m0002-l000-s1", None)[1][0].match == 2
    with pytest.raises(SessionReplayError) as refusal:
        find_sessions(store, planned, "duel/m0003-l000-s1", None)
    assert refusal.value.code == "remembers"


def test_a_fleet_plays_series(postgres: Postgres, tmp_path: Path) -> None:
    """One node is killed in the middle of one; the coordinator is killed, too. Nothing is left out."""
    bots = [animal("grower"), TRIO[1]]
    text = competition(
        bots, [division(hands=40, matches=4, series=2), division("cup", table=CUP, matches=2, series=2)]
    )
    file = written(tmp_path, text)
    alone = records(uvloop.run(run(text, tmp_path / "alone")).out)
    url, out = postgres.migrated(), tmp_path / "out"
    with ExitStack() as stack:
        first = stack.enter_context(coordinator(url, file, out))
        killed = stack.enter_context(node(url, "killed", tmp_path))
        mid_match(tmp_path / "killed", 60)
        for program in (killed, first):
            program.stop(signal.SIGKILL)
        stack.enter_context(node(url, "other", tmp_path))
        finished(stack.enter_context(coordinator(url, file, out)))
    verify_directory(out)
    assert records(out) == alone
    assert rows(url, "SELECT session FROM pokerd.sessions WHERE attempt > 1")
    assert not rows(url, "SELECT session FROM pokerd.sessions WHERE session ~ 'm000[13]'")
