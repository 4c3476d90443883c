"""Bots as their authors run them: programs of their own, at a server of its own."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.tables.player import Player
from server.telemetry.version import VERSION
from tests.support.competitions.arena import bot, competition, division, run
from tests.support.houses.open_house import come, opened, until
from tests.support.houses.people import Memory, at_table, open_table
from tests.support.programs import PYTHON, ROOT, Program, outcome

EXAMPLES = ROOT / "clients" / "examples"
CALLER = EXAMPLES / "caller.py"
HOUSE_BOTS = 2


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Program]:
    """``pokerd serve`` with two tables and two house bots, which have come in and sit at both."""
    command = ("-m", "pokerd", "serve", "--port", "0", "--seats", "4", "--log-level", "info")
    with Program(PYTHON, *command, "--web-port", "0", "--data", tmp_path) as program:
        program.says('"event":"hello"', times=HOUSE_BOTS)
        yield program
    assert program.process.returncode == 130
    assert not program.said("Traceback")


def address(server: Program) -> str:
    return server.says(r"^pokerd listens at (ws://127\.0\.0\.1:\d+)$")[1]


def logged(server: Program, event: str, **fields: Any) -> list[tuple[int, dict[str, Any]]]:
    """Log entries so far, with the number of their line."""
    found = []
    for number, line in enumerate(server.lines):
        if line.startswith("{"):
            entry = json.loads(line)
            if {**entry, **fields, "event": event} == entry:
                found.append((number, entry))
    return found


def test_house_bots_wait_for_company_and_stop_when_it_leaves(server: Program) -> None:
    assert not logged(server, "hand")
    url = address(server)
    with Program(PYTHON, CALLER, "--url", url, "--join", "table-2") as caller:
        caller.says(r"^connected to pokerd \S+ as caller$")
        caller.says(r"^table-2: holdem\.nolimit\.4p, seat 2 among fair-1, call-2, caller, nobody$")
        caller.says(r"^table-2: 10 hands, [+-][\d,]+ chips$")
        assert caller.stop(signal.SIGINT) == 130
        assert not caller.said("Traceback")
    assert not logged(server, "hand", table="table-1")
    [(left, _)] = logged(server, "lost", player="caller")
    # However much is dealt at the other table, here nothing is: only the hand in progress was played out.
    with Program(PYTHON, CALLER, "--url", url, "--join", "table-1") as caller:
        caller.says(r"^table-1: 10 hands")
    hands = logged(server, "hand", table="table-2")
    assert [entry["hand"] for _, entry in hands] == list(range(1, len(hands) + 1))
    assert len([number for number, _ in hands if number > left]) <= 1
    # Who comes next is at home again, under the same name.
    with Program(PYTHON, CALLER, "--url", url, "--join", "table-2", "--json") as caller:
        caller.says(r"^table-2: 10 hands")


def test_bots_without_the_sdk_play_at_the_tables(server: Program) -> None:
    """They end by themselves, and quietly, when the server does."""
    url = address(server)
    with (
        Program(PYTHON, EXAMPLES / "json_bot.py", variables={"POKERD_URL": url}) as first,
        Program(PYTHON, EXAMPLES / "msgpack_bot.py", "table-2", variables={"POKERD_URL": url}) as second,
    ):
        for table in ("table-1", "table-2"):
            server.says(rf'"table":"{table}".*"event":"hand"', times=20)
        assert server.stop() == 130
        assert (first.end(), second.end()) == (0, 0)
    for program, name in ((first, "json-bot"), (second, "msgpack-bot")):
        assert logged(server, "hello", player=name, software="")
        # It goes on when the server starts again: nobody is told that anything is over.
        assert all(line.startswith("playing at table-") for line in program.lines)


async def test_bots_without_the_sdk_play_a_competition(tmp_path: Path) -> None:
    """As fresh processes, and (MessagePack) as one at many tables; nothing is held against them."""
    bots = [
        bot("json", command=["{python}", str(EXAMPLES / "json_bot.py")]),
        bot("msgpack", command=["{python}", str(EXAMPLES / "msgpack_bot.py")], reset="message", tables=6),
        bot("caller", command=["{python}", str(CALLER)], reset="message", tables=6),
    ]
    divisions = [
        division("three", game="holdem.limit.3p", hands=10, seatings="rotations"),
        division("two", game="holdem.nolimit.2p.reverse_blinds", hands=10),
    ]
    played = await run(competition(bots, divisions, workers=6), tmp_path / "out")
    assert played.runner.progress.hands_done == {"three": 30, "two": 60}
    assert not [counts for bots in played.incidents.values() for counts in bots.values() if counts]
    # Each plays as it says of itself.
    actions: dict[str, set[str]] = {}
    for session in played.runner.competition.sessions:
        for hand in played.runner.store.hands(session):
            for event in hand:
                if type(event).__name__ == "Acted":
                    actions.setdefault(session.players[event.seat], set()).add(event.action)  # type: ignore[union-attr]
    assert actions["json"] == {"call", "raise"}
    assert actions["msgpack"] == {"call", "fold"}
    assert actions["caller"] == {"call", "fold"}


# Exit codes.


async def ended(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(lambda: outcome(PYTHON, *words, variables=variables))


async def house_bot(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return await ended("-m", "pokerd", "bot", "call", *words, **variables)


@pytest.mark.parametrize("way", ["options", "environment"])
async def test_0_after_goodbye(way: str) -> None:
    async with opened() as (house, url), come(url) as opponent:
        player = Player("alice", "alice's token")
        actor = at_table(house, [player, Player("bob", "bob's token")], hands=3)
        if way == "options":
            running = asyncio.create_task(house_bot("--url", url, "--token", player.token, "--tables", "3"))
        else:
            running = asyncio.create_task(
                house_bot(POKERD_URL=url, POKERD_TOKEN=player.token, POKERD_TABLES="3", POKERD_NAME="x")
            )
        await opponent.say("hello", name="bob", token="bob's token")
        await opponent.play(hands=3)
        await until(lambda: actor.table.over)
        assert player.capacity == 3
        house.remove_player(player)
        done = await running
    assert done.returncode == 0
    first, *_, last = done.stderr.splitlines()
    assert first == f"connected to pokerd {VERSION} as alice"
    assert last.startswith("m: complete after 3 hands, ")
    assert done.stdout == ""


async def test_1_when_the_token_is_refused() -> None:
    async with opened() as (_, url):
        done = await house_bot("--url", url, "--token", "not this one")
    assert done.returncode == 1
    assert done.stderr.startswith("bad_token: ")


@pytest.mark.parametrize("reason", ["unknown_table", "no_seat"])
async def test_1_when_there_is_nowhere_to_sit(reason: str) -> None:
    async with opened(guests=True) as (house, url):
        open_table(house, seats=2)
        if reason == "no_seat":
            for name in ("first", "second"):
                guest = Memory(house)
                guest.say("hello", name=name)
                guest.say("join", table="table-1")
        done = await house_bot("--url", url, "--join", "table-1" if reason == "no_seat" else "table-7")
        await until(lambda: "call" not in house.players)
    assert done.returncode == 1
    assert done.stderr.splitlines()[1].startswith(f"{reason}: ")


async def test_1_when_somebody_else_has_the_name() -> None:
    async with opened(guests=True) as (house, url):
        Memory(house).say("hello", name="call")
        done = await house_bot("--url", url)
    assert done.returncode == 1
    assert done.stderr.startswith("name_taken: ")


async def test_1_when_nobody_listens() -> None:
    async with opened() as (_, url):
        pass
    done = await house_bot("--url", url)
    assert done.returncode == 1
    assert url in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


async def test_1_when_what_listens_is_no_server_of_ours() -> None:
    async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    other = await asyncio.start_server(silence, "127.0.0.1", 0)
    url = f"ws://127.0.0.1:{other.sockets[0].getsockname()[1]}"
    done = await house_bot("--url", url)
    other.close()
    await other.wait_closed()
    assert done.returncode == 1
    assert url in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


BUGGY = """
from pokerd_bot import Bot, run

class Buggy(Bot):
    def {method}:
        return 1 / 0

raise SystemExit(run(Buggy))
"""


@pytest.mark.parametrize("method", ["act(self, turn)", "__init__(self, match)", "hand_ended(self, *rest)"])
async def test_a_bug_ends_a_bot_with_its_traceback(method: str, tmp_path: Path) -> None:
    """And without a reconnect: a bot with a bug would only meet it again."""
    program = tmp_path / "buggy.py"
    program.write_text(BUGGY.format(method=method))
    async with opened() as (house, url), come(url) as opponent:
        players = [Player("alice", "alice's token"), Player("bob", "bob's token")]
        actor = at_table(house, players, hands=3)
        await opponent.say("hello", name="bob", token="bob's token")
        playing = asyncio.create_task(opponent.play(hands=3))
        done = await ended(str(program), "--url", url, "--token", "alice's token")
        house.give_up_seats(players[0])
        await playing
        await until(lambda: actor.table.over or not actor.started)
    assert done.returncode == 1
    assert "ZeroDivisionError: division by zero" in done.stderr
    assert f"in {method.partition('(')[0]}\n" in done.stderr
    assert done.stderr.count("connected to") == 1


async def test_2_when_the_options_are_wrong() -> None:
    done = await house_bot("--tables", "many")
    assert done.returncode == 2
    assert "--tables" in done.stderr


async def test_130_when_interrupted_and_who_has_a_token_keeps_his_seat() -> None:
    async with opened() as (house, url):
        players = [Player("alice", "alice's token"), Player("bob", "bob's token")]
        actor = at_table(house, players)
        with Program(
            PYTHON, "-m", "pokerd", "bot", "fair", "--url", url, "--token", "alice's token"
        ) as program:
            await until(lambda: actor.seats[0].ready)
            assert await asyncio.to_thread(program.stop, signal.SIGINT) == 130
        assert program.lines == [
            f"connected to pokerd {VERSION} as alice",
            "m: holdem.nolimit.2p.reverse_blinds, seat 0 among alice, bob",
        ]
        await until(lambda: players[0].connection is None)
        assert actor.players == players
        assert actor.seats[0].incidents == {"disconnect": 1}


# A guest that is gone.

_ENDS = """
import os, sys
from pokerd_bot import Bot, run
class Ends(Bot):
    def hand_ended(self, hand, shown, end):
        {ending}
    def act(self, turn):
        return turn.call()
sys.exit(run(Ends))
"""


@pytest.mark.parametrize(
    ("ending", "code"),
    [("raise ValueError('a bug')", 1), ("sys.exit(3)", 3), ("os.kill(os.getpid(), 15)", 130)],
)
async def test_a_guest_that_fails_or_is_stopped_leaves(ending: str, code: int, tmp_path: Path) -> None:
    program = tmp_path / "ends.py"
    program.write_text(_ENDS.format(ending=ending))
    async with opened(guests=True, grace=1000.0) as (house, url), come(url) as host:
        table = open_table(house, seats=2)
        await host.say("hello", name="host")
        await host.say("join", table="table-1", seat=0)
        playing = asyncio.create_task(host.play(hands=100))
        # Its author is not locked out the second time.
        for _ in range(2):
            done = await ended(str(program), "--url", url)
            assert done.returncode == code, done.stderr
            assert ("ValueError: a bug" in done.stderr) == (code == 1)
            await until(lambda: "ends" not in house.players)
            assert [player and player.name for player in table.players] == ["host", None]
        assert table.seats[1].incidents["gone"] == 0
        playing.cancel()


async def test_a_guest_that_is_killed_takes_its_seat_over_when_it_is_started_again() -> None:
    async with opened(guests=True, grace=1000.0) as (house, url), come(url) as host:
        table = open_table(house, seats=2)
        open_table(house, seats=2, name="table-2")
        await host.say("hello", name="host")
        await host.say("join", table="table-1", seat=0)
        with Program(PYTHON, CALLER, "--url", url, "--join", "table-1") as caller:
            await host.play(hands=3)
            await asyncio.to_thread(caller.stop, signal.SIGKILL)
        lost = house.players["caller"]
        await until(lambda: lost.connection is None)
        assert table.players[1] is lost
        # It need not say where it sat.
        with Program(PYTHON, CALLER, "--url", url) as caller:
            await host.play(hands=3)
            assert house.players["caller"] is lost is table.players[1]
            assert list(lost.seats) == ["table-1"]
            assert await asyncio.to_thread(caller.stop, signal.SIGTERM) == 130
            assert not caller.said("already_seated|too_many_tables")
        await until(lambda: "caller" not in house.players)
