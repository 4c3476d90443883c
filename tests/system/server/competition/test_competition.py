"""Competitions from file to standings: modes, remote bots, pseudonyms, and the ways to stop early."""

from __future__ import annotations

import asyncio
import signal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from dealer.formats.tournament import Tournament
from dealer.rules.events import Acted, HandStarted
from protocol.codec import JSON, MSGPACK
from server.commands.progress_display import _render
from server.competition.file import parse_competition
from server.competition.progress import CompetitionProgress
from server.competition.store import StoreError
from server.competition.verify import verify_directory
from tests.support.competitions.arena import ROOT, Played, animal, bot, competition, division, hosted, run
from tests.support.competitions.results import make
from tests.support.houses.open_house import until
from tests.support.houses.people import Remote

CALLERS = [
    bot("call", run="call", reset="message", tables=8),
    bot("random", run="random", reset="message", tables=8),
]
THIRD = bot("raise", run="raise", reset="message", tables=8)


def hands_of(played: Played) -> list[list[Any]]:
    return [
        hand for session in played.runner.competition.sessions for hand in played.runner.store.hands(session)
    ]


async def test_cash_tables_refill(tmp_path: Path) -> None:
    table = {"mode": "cash", "players": 3, "stack": 100, "small_blind": 5, "big_blind": 10, "ante": 1}
    text = competition([*CALLERS, THIRD], [division("cash", table=table, hands=25, seatings="rotations")])
    played = await run(text, tmp_path / "out")
    started = [hand[0] for hand in hands_of(played)]
    assert len(started) == 3 * 25
    assert {hand.hand for hand in started} == set(range(1, 26))
    assert any(set(hand.stacks) != {100} for hand in started)
    assert all(min(hand.stacks) > 0 for hand in started)


async def test_tournaments_are_played_to_the_end(tmp_path: Path) -> None:
    levels = [[5, 10, 0, 4], [20, 40, 0, 4], [100, 200, 10, 4], [400, 800, 0, 1]]
    table = {"mode": "tournament", "players": 3, "stack": 100, "levels": levels}
    text = competition([*CALLERS, THIRD], [division("cup", table=table, matches=2)])
    played = await run(text, tmp_path / "out")
    for session in played.runner.competition.sessions:
        play = played.runner.competition.format(session)
        assert isinstance(play, Tournament)
        last = list(played.runner.store.hands(session))[-1][-1]
        assert sorted(last.stacks)[-1] == 300  # type: ignore[union-attr]
    [cup] = played.standings["divisions"]
    assert cup["unit"] == "tournament"
    assert sum(entry["chips"] for entry in cup["ranking"]) == 0


async def test_a_remote_bot_may_connect_as_soon_as_the_port_is_open(tmp_path: Path) -> None:
    """Though the bots that are started here come first in the file, and take their time."""
    text = competition([CALLERS[0], bot("far", token="far-token")], [division(hands=3)])
    spies: list[Remote] = []
    async with hosted(text, tmp_path / "out") as runner, asyncio.timeout(30), asyncio.TaskGroup() as group:
        far = group.create_task(play(runner.url, "far", "far-token", spies), name="far")
        await until(lambda: far.done() or (spies and spies[0].heard))
        assert spies[0].heard[0]["type"] == "welcome"
        await runner.run()
    assert verify_directory(tmp_path / "out") == (2, 6)
    assert not any(runner.progress.incidents["duel"].values())


async def test_under_pseudonyms_nobody_learns_whom_he_plays(tmp_path: Path) -> None:
    bots = [bot("mole", token="mole-token"), bot("alice", token="alice-token"), bot("bob", token="bob-token")]
    text = competition(bots, [division(hands=3)], anonymous=True, workers=1)
    spies: list[Remote] = []
    async with hosted(text, tmp_path / "out") as runner, asyncio.timeout(30), asyncio.TaskGroup() as group:
        for name in ("mole", "alice", "bob"):
            group.create_task(play(runner.url, name, f"{name}-token", spies), name=name)
        await runner.run()
    verify_directory(tmp_path / "out")
    names = {session.name for session in runner.competition.sessions}
    tables = set()
    for spy, own in zip(spies, ("mole", "alice", "bob"), strict=True):
        for message in spy.heard:
            if message["type"] == "match_start":
                assert all(player.startswith("guest-") for player in message["players"])
                tables.add(message["table"])
                assert message["match"] == message["table"]
            text = repr(
                {
                    key: value
                    for key, value in message.items()
                    if message["type"] != "welcome" or key != "name"
                }
            )
            assert not [name for name in ("mole", "alice", "bob") if name in text], (own, message)
    assert len(tables) == len(names)
    assert not tables & names
    # The end of a session's name says line-up and seating; nothing like it may be seen.
    assert not [table for table in tables for name in names if name.split("/")[1] in table]


async def play(url: str, name: str, token: str, spies: list[Remote], *, tables: int = 1) -> None:
    """A remote bot that calls until the server lets it go."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosedOK
    from websockets.typing import Subprotocol

    codec = MSGPACK if name < "b" else JSON
    async with connect(url, subprotocols=[Subprotocol(codec.subprotocol)], max_size=None) as socket:
        remote = Remote(socket, codec)
        spies.append(remote)
        await remote.say("hello", name=name, token=token, tables=tables)
        try:
            await remote.play(hands=10**9, matches=10**9)
        except ConnectionClosedOK:
            return


async def test_remote_bots_come_with_their_token(tmp_path: Path) -> None:
    bots = [bot("far", token="far-token"), bot("away", token="away-token"), CALLERS[0]]
    text = competition(bots, [division(hands=8, matches=3)], workers=4)
    spies: list[Remote] = []
    async with hosted(text, tmp_path / "out") as runner, asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(play(runner.url, "far", "far-token", spies, tables=3), name="far")
        group.create_task(play(runner.url, "away", "away-token", spies, tables=1), name="away")
        await runner.run()
    assert verify_directory(tmp_path / "out") == (18, 18 * 8)
    assert not [counts for bots in runner.progress.incidents.values() for counts in bots.values() if counts]
    # Never more tables at once than a bot said it can play.
    for spy, most in zip(spies, (3, 1), strict=True):
        open_tables: set[str] = set()
        for message in spy.heard:
            if message["type"] == "match_start":
                open_tables.add(message["table"])
            elif message["type"] == "match_end":
                open_tables.remove(message["table"])
            assert len(open_tables) <= most


async def test_a_remote_bot_that_never_comes_is_waited_for_once(tmp_path: Path) -> None:
    bots = [bot("nobody", token="nobody-token"), *CALLERS]
    text = competition(bots, [division(hands=5, matches=4)], time={"start_ms": 3000}, workers=2)
    played = await run(text, tmp_path / "out", seconds=12)
    assert played.incidents["duel"]["nobody"]["no_show"] == 16
    assert played.incidents["duel"]["call"] == played.incidents["duel"]["random"] == {}


def forced_by_session(played: Played, name: str) -> list[int]:
    """How many actions of a bot the policy took, in each session of the plan."""
    return [
        sum(
            isinstance(event, Acted) and event.forced != "" and session.players[event.seat] == name
            for hand in played.runner.store.hands(session)
            for event in hand
        )
        for session in played.runner.competition.sessions
    ]


async def test_a_bot_that_stays_is_started_again_after_a_crash(tmp_path: Path) -> None:
    """Whoever kills it once costs it the session that it plays then, and no other."""
    bots = [bot("mortal", run="call", reset="message"), CALLERS[1]]
    text = competition(bots, [division(hands=10, matches=4)], workers=1)
    async with hosted(text, tmp_path / "out") as runner, asyncio.timeout(60):

        def kill_once(*_: object) -> None:
            if len(runner.progress.results) == 1:
                process = runner.host.persistent_bots["mortal"].process
                assert process is not None
                process.signal(signal.SIGKILL)

        await runner.run(kill_once)
    verify_directory(tmp_path / "out")
    played = Played(tmp_path / "out", runner)
    assert played.incidents[""]["mortal"] == {"crash": 1}
    forced = forced_by_session(played, "mortal")
    assert len(forced) == 8
    assert sum(map(bool, forced)) <= 1, forced


async def test_a_bot_that_crashes_in_every_session_plays_in_each_until_then(tmp_path: Path) -> None:
    bots = [animal("killed", reset="message"), CALLERS[1]]
    text = competition(bots, [division(hands=10)], workers=2, time={"start_ms": 600_000})
    played = await run(text, tmp_path / "out")
    assert played.incidents[""]["killed"]["crash"] == 2
    taken = [
        sum(
            isinstance(event, Acted) and not event.forced and session.players[event.seat] == "killed"
            for hand in played.runner.store.hands(session)
            for event in hand
        )
        for session in played.runner.competition.sessions
    ]
    assert taken == [5] * 2


async def test_nobody_waits_for_a_bot_that_stays_and_cannot_be_started(tmp_path: Path) -> None:
    bots = [
        bot("nothing", command=["/no/such/program"], reset="message"),
        animal("stillborn", reset="message"),
        CALLERS[0],
    ]
    text = competition(bots, [division(hands=5)], time={"start_ms": 600_000}, workers=2)
    played = await run(text, tmp_path / "out")
    assert played.incidents[""]["nothing"] == {"start_failed": 1 + 4}
    assert played.incidents[""]["stillborn"]["crash"] in (4, 5)  # the first may be waited for, or be over


async def test_an_existing_directory_is_refused_and_unchanged(tmp_path: Path) -> None:
    text, out = competition(CALLERS, [division(hands=3)]), tmp_path / "out"
    make(out, text)

    def found() -> dict[Path, tuple[int, bytes]]:
        paths = (path for path in out.rglob("*") if path.is_file())
        return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}

    before = found()
    async with hosted(text, out) as runner:
        with pytest.raises(StoreError) as refusal:
            await runner.run()
    assert refusal.value.code == "out_exists"
    assert found() == before


@pytest.mark.parametrize("moment", [0.005, 0.1, 0.8])
async def test_stopped_at_any_moment_nothing_is_left_running(
    moment: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first process to the middle of play; a stopped competition is no finished one."""
    monkeypatch.setattr("server.bots.processes.STOP_TIMEOUT", 0.3)
    bots = [animal("stubborn"), bot("call"), CALLERS[1]]
    text = competition(bots, [division(hands=200, matches=20)], workers=3)
    async with hosted(text, tmp_path / "out") as runner:
        running = asyncio.create_task(runner.run(), name="competition")
        _, pending = await asyncio.wait([running], timeout=moment)
        assert pending
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not runner.processes._running
    with pytest.raises(StoreError) as refusal:
        verify_directory(tmp_path / "out")
    assert refusal.value.code == "unfinished"


async def test_stopped_in_the_middle_of_play(tmp_path: Path) -> None:
    """Hands in progress are dropped; what was finished stays readable."""
    text = competition([*CALLERS, THIRD], [division(hands=10_000)], workers=3)
    async with hosted(text, tmp_path / "out") as runner:
        running = asyncio.create_task(runner.run(), name="competition")
        async with asyncio.timeout(30):
            while runner.progress.hands("duel") < 100:
                await asyncio.wait([running], timeout=0.01)
        started = set(runner.progress.running)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        for session in runner.competition.sessions:
            if session.name in started:
                assert len(list(runner.store.hands(session))) <= 10_000
    assert started


async def test_with_more_workers_than_sessions_too_the_competition_explains_itself(tmp_path: Path) -> None:
    """What is needed to understand the records lies beside them."""
    text = competition(CALLERS, [division(hands=2)])
    played = await run(text, tmp_path / "out", workers=64)
    assert played.runner.progress.sessions_done == {"duel": 2}
    assert (played.out / "competition.toml").read_text() == text
    assert set(played.files()) == {
        "competition.toml",
        "commitment.json",
        "seed.json",
        "incidents.json",
        "standings.json",
        "standings.md",
        "games/duel.game",
        *(
            f"hands/duel/m0000-l000-s{seat}{suffix}"
            for seat in (0, 1)
            for suffix in (".jsonl", ".log", ".phhs")
        ),
    }


async def test_every_seating_is_dealt_the_same_cards(tmp_path: Path) -> None:
    """Duplicate: at every seating of match k the positions get the deals of match k."""
    three = division("three", game="holdem.limit.3p", hands=4, matches=2)
    played = await run(competition([*CALLERS, THIRD], [three]), tmp_path / "out", workers=4)
    dealt: dict[str, set[tuple[str, ...]]] = {}
    for session in played.runner.competition.sessions:
        started = [events[0] for events in played.runner.store.hands(session)]
        hands = tuple(str(event.hole) for event in started if isinstance(event, HandStarted))
        dealt.setdefault(str(session.match), set()).add(hands)
    assert played.runner.progress.scored == len(played.runner.competition.sessions)
    assert sorted(dealt) == ["0", "1"]
    assert [len(hands) for hands in dealt.values()] == [1, 1]
    assert dealt["0"] != dealt["1"]


def test_of_equals_nobody_leads_alone_and_scoring_is_shown() -> None:
    progress = CompetitionProgress(parse_competition(competition(CALLERS, [division(hands=2)]), ROOT))
    progress.sessions_done["duel"] = 1
    console = Console(file=StringIO(), width=120)
    console.print(_render(progress, 1.0))
    assert "call, random +0" in console.file.getvalue()  # type: ignore[attr-defined]
    assert "scored" not in console.file.getvalue()  # type: ignore[attr-defined]
    progress.scored = 1
    console.print(_render(progress, 1.0))
    assert "1 scored" in console.file.getvalue()  # type: ignore[attr-defined]


def test_the_plan_is_a_function_of_the_file() -> None:
    text = competition(CALLERS, [division(hands=2)])
    first, second = (parse_competition(text, ROOT) for _ in range(2))
    assert first.seed == second.seed
    assert first.sessions == second.sessions
    unsaid = text.replace('seed = "test"\n', "")
    assert parse_competition(unsaid, ROOT).seed != parse_competition(unsaid, ROOT).seed
