"""The example bots as their readers run them: programs of their own, over the network, at the real server."""

from __future__ import annotations

import re
import signal
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from protocol.codec import JSON
from tests.support.bot_programs import Program, program, until
from tests.support.competitions.arena import bot, competition, division, run
from tests.support.houses.people import at_table, listening, open_table

EXAMPLES = Path("clients/examples")
#: Speaks Slumbot's API, not ours: tests/system/clients/test_slumbot_mcp.py.
LANGUAGE_MODELS = "slumbot_mcp.py"
#: It plays no cards; ``tests/system/server/public/test_mqtt.py`` runs it.
SPECTATOR = "mqtt_spectator.py"
#: It plays no open table; ``tests/smoke`` runs it.
BATCHES = "batch_bot.py"
ALL = sorted(
    path.name for path in EXAMPLES.glob("*.py") if path.name not in (SPECTATOR, BATCHES, LANGUAGE_MODELS)
)


def example(name: str, url: str, *, player: str, table: str) -> AbstractAsyncContextManager[Program]:
    """One of the examples, told where to go as its documentation says."""
    script = str(EXAMPLES / name)
    if name == "caller.py":
        return program(script, "--url", url, "--join", table, "--name", player)
    return program(script, table, POKERD_URL=url, POKERD_NAME=player)


def test_these_are_the_examples() -> None:
    assert ALL == ["caller.py", "json_bot.py", "msgpack_bot.py"]


def test_the_smallest_bot_has_fifteen_lines() -> None:
    lines = (EXAMPLES / "caller.py").read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= 15


@pytest.mark.parametrize("name", ["json_bot.py", "msgpack_bot.py"])
def test_the_bots_without_the_sdk_use_none_of_our_code(name: str) -> None:
    text = (EXAMPLES / name).read_text()
    imports = set(re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE))
    allowed = {"json", "msgpack", "os", "sys", "websockets", "collections", "contextlib", "typing"}
    assert imports <= allowed


def test_the_spectator_knows_mqtt_and_none_of_our_code() -> None:
    imports = set(re.findall(r"^\s*(?:from|import) (\w+)", (EXAMPLES / SPECTATOR).read_text(), re.MULTILINE))
    assert imports == {"aiomqtt", "asyncio", "json", "sys", "urllib"}


@pytest.mark.parametrize("name", ALL)
async def test_an_example_plays_at_an_open_table(name: str) -> None:
    async with listening(guests=True) as (house, door):
        actor = open_table(house, seats=3)
        async with (
            example(name, door.url, player="example", table="table-1") as running,
            door(JSON) as remote,
        ):
            await until(lambda: any(player is not None for player in actor.players))
            await remote.say("hello", name="me")
            await remote.say("join", table="table-1")
            await remote.play(hands=25)
            assert actor.facts.names[:2] == ["example", "me"]
        assert not actor.seats[0].incidents.keys() - {"disconnect"}
        assert {message["seat"] for message in remote.heard if message["type"] == "acted"} == {0, 1}
        assert not [message for message in remote.heard if message.get("forced")]
        assert "Traceback" not in running.err


@pytest.mark.parametrize("name", ALL)
async def test_an_example_that_is_interrupted_leaves_its_seat(name: str) -> None:
    """The server would hold it for an hour."""
    async with listening(guests=True, grace=3600) as (house, door):
        actor = open_table(house, seats=3)
        async with example(name, door.url, player="example", table="table-1") as running:
            await until(lambda: any(player is not None for player in actor.players))
            await running.said("table-1")
            running.process.send_signal(signal.SIGINT)
            await running.ended()
            await until(lambda: all(player is None for player in actor.players))
        assert "Traceback" not in running.err


@pytest.mark.parametrize("name", ALL)
async def test_an_example_plays_a_match_and_ends_when_it_is_let_go(name: str) -> None:
    from server.tables.player import Player

    async with listening() as (house, door):
        player = Player("example", "secret")
        actor = at_table(house, [player, Player("me", "m")], hands=20)
        settings = {"POKERD_URL": door.url, "POKERD_NAME": "example", "POKERD_TOKEN": "secret"}
        async with program(str(EXAMPLES / name), **settings) as running, door(JSON) as remote:
            await remote.say("hello", name="me", token="m")
            await remote.play(hands=20)
            await until(lambda: actor.table.over)
            house.remove_player(player)
            assert await running.ended() == 0
        assert not any(seat.incidents for seat in actor.seats)


async def test_the_examples_in_a_competition(tmp_path: Path) -> None:
    bots = [
        bot(name.split("_")[0], command=["{python}", str(EXAMPLES / name)])
        for name in ("json_bot.py", "msgpack_bot.py")
    ]
    bots.append(bot("caller", command=["{python}", str(EXAMPLES / "caller.py")], reset="message"))
    three = division("three", game="holdem.limit.3p", hands=10, seatings="rotations")
    duel = division("duel", game="holdem.nolimit.2p.reverse_blinds", hands=10)
    played = await run(competition(bots, [three, duel]), tmp_path / "out", workers=3)
    assert {bot: counts for bots in played.incidents.values() for bot, counts in bots.items() if counts} == {}


@asynccontextmanager
async def serving(*options: str) -> AsyncIterator[tuple[Program, str]]:
    """``python -m pokerd serve`` at any port, and its address."""
    with TemporaryDirectory() as data:
        anywhere = ("--port", "0", "--web-port", "0", "--data", data)
        async with program("-m", "pokerd", "serve", *anywhere, *options) as server:
            line = await server.said("pokerd listens at ")
            yield server, line.split()[-1]


async def stop(server: Program, number: signal.Signals) -> None:
    """End the server in the usual way: it ends its bots, and says nothing of a fault."""
    bots = psutil.Process(server.process.pid).children(recursive=True)
    assert bots
    server.process.send_signal(number)
    assert await server.ended() == 130
    assert not [
        process for process in bots if process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    ]
    assert "Traceback" not in server.err


async def test_join_a_server_from_another_terminal() -> None:
    """As the README has it: serve in one terminal, fifteen lines in another; house bots keep them company."""
    async with serving("--tables", "1", "--seats", "3") as (server, url):
        async with program(str(EXAMPLES / "caller.py"), "--url", url, "--join", "table-1") as caller:
            await caller.said("table-1: 10 hands")
            caller.process.send_signal(signal.SIGINT)
            assert await caller.ended() == 130
        assert "Traceback" not in caller.err
        assert "refused" not in caller.err
        await stop(server, signal.SIGINT)


async def test_all_examples_at_one_table_of_a_server() -> None:
    async with serving("--tables", "2", "--seats", "6", "--bots", "call,random") as (server, url):
        async with (
            example("caller.py", url, player="c", table="table-2") as one,
            example("json_bot.py", url, player="j", table="table-2") as two,
            example("msgpack_bot.py", url, player="m", table="table-2") as three,
        ):
            await one.said("table-2: 100 hands")
        for running in (one, two, three):
            assert "Traceback" not in running.err
        await stop(server, signal.SIGTERM)
