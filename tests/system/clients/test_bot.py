"""SDK bots as programs: from connecting to the exit code."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dealer.rules.events import Acted as ActedEvent
from dealer.table import Clock
from protocol.codec import JSON, MSGPACK
from server.net.connection import Connection
from server.tables.actor import TableActor
from server.tables.player import Player
from tests.support.bot_programs import Program, cut, program, until
from tests.support.houses.people import at_table, listening


def sdk(name: str, token: str, url: str, *more: str, tables: int = 1, **environment: str) -> Any:
    """A house bot as a process."""
    settings = {"POKERD_URL": url, "POKERD_TOKEN": token, "POKERD_NAME": name, "POKERD_TABLES": str(tables)}
    return program("-m", "pokerd", "bot", name, *more, **settings, **environment)


@pytest.mark.parametrize("json", [False, True], ids=["msgpack", "json"])
async def test_a_bot_plays_a_match_and_is_let_go(json: bool) -> None:
    async with listening() as (house, come):
        actor = at_table(house, [Player("call", "c"), Player("me", "m")], hands=30)
        async with sdk("call", "c", come.url, *(["--json"] if json else [])) as bot, come(JSON) as remote:
            await remote.say("hello", name="me", token="m")
            await remote.play(hands=30)
            await until(lambda: actor.table.over)
            connection = house.players["call"].connection
            assert connection is not None
            assert connection.codec is (JSON if json else MSGPACK)
            house.remove_player(house.players["call"])
            assert await bot.ended() == 0
        assert not any(seat.incidents for seat in actor.seats)
        assert "Traceback" not in bot.err


async def test_options_of_the_command_line_beat_the_environment() -> None:
    async with listening() as (house, come):
        player = house.players.add(Player("me", "right"))
        async with program(
            "-m", "pokerd", "bot", "call", "--url", come.url, "--token", "right", "--tables", "7",
            POKERD_URL="ws://127.0.0.1:1", POKERD_TOKEN="wrong", POKERD_TABLES="3",
        ):  # fmt: skip
            await until(lambda: player.connection is not None)
            assert player.capacity == 7


async def test_many_tables_on_one_connection() -> None:
    async with listening() as (house, come):
        bot, other = Player("call", "c"), Player("raise", "r")
        actors = [
            at_table(house, [bot, other] if number % 2 else [other, bot], hands=20, name=f"m{number}")
            for number in range(24)
        ]
        async with sdk("call", "c", come.url, tables=24), sdk("raise", "r", come.url, tables=24):
            await until(lambda: all(actor.table.over for actor in actors))
        assert {actor.hands for actor in actors} == {20}
        assert not any(counts for actor in actors for counts in (seat.incidents for seat in actor.seats))


def is_back(player: Player, gone: Connection) -> bool:
    return player.connection is not None and player.connection is not gone


def is_over(actor: TableActor) -> bool:
    return actor.table.over


def plays_on(actor: TableActor, hands: int) -> bool:
    return actor.hands > hands or actor.table.over


@pytest.mark.parametrize("how", ["abort", "close"])
async def test_a_dropped_connection_is_taken_up_again(how: str) -> None:
    async with listening(grace=1000.0) as (house, come):
        bot, other = Player("random", "r"), Player("call", "c")
        actor = at_table(house, [bot, other], hands=400)
        async with sdk("random", "r", come.url) as running, sdk("call", "c", come.url):
            for drops in range(1, 4):
                hands = actor.hands
                await until(partial(plays_on, actor, hands + 20))
                connection = bot.connection
                assert connection is not None
                if how == "abort":
                    cut(connection)
                else:
                    connection.hang_up(1011, "as a server that is unwell")
                await until(partial(is_back, bot, connection))
                assert actor.seats[0].incidents["disconnect"] == drops
            await until(lambda: actor.table.over)
            assert running.process.returncode is None
        assert actor.seats[0].incidents == {"disconnect": 3}
        assert not actor.seats[1].incidents


async def test_a_bot_that_reconnects_is_told_every_action_once(tmp_path: Path) -> None:
    """It keeps its memory over a broken connection, and nothing in it comes twice."""
    script = tmp_path / "diarist.py"
    script.write_text(
        "from pokerd_bot import Bot, run\n"
        "class Diarist(Bot):\n"
        "    def acted(self, hand, action):\n"
        "        print(hand.number, action.seq, flush=True)\n"
        "    def act(self, turn):\n"
        "        return turn.call()\n"
        "raise SystemExit(run(Diarist))\n"
    )
    async with listening(grace=1000.0) as (house, come):
        bot = Player("diarist", "d")
        actor = at_table(house, [bot, Player("me", "m")], hands=30)
        settings = {"POKERD_URL": come.url, "POKERD_TOKEN": "d"}
        async with program(str(script), **settings) as running, come(JSON) as remote:
            await remote.say("hello", name="me", token="m")
            await remote.say("ready", table="m")
            for _ in range(3):
                # In the middle of a hand, while it is the opponent's turn.
                await remote.play(hands=2)
                turn = await remote.hear("turn")
                await until(partial(is_back, bot, cut(bot.connection)))
                await remote.say("act", table="m", turn=turn["turn"], action="call")
            await remote.play(hands=10**6)
            await until(lambda: actor.table.over)
            house.remove_player(bot)
            assert await running.ended() == 0
        lines = [line for line in running.out.splitlines() if line[0].isdigit()]
        assert len(lines) == len(set(lines))
        assert actor.seats[0].incidents == {"disconnect": 3}


async def test_who_cannot_reach_the_server_says_so() -> None:
    async with listening() as (_, come):
        url = come.url
    async with sdk("call", "c", url) as bot:
        assert await bot.ended() == 1
    assert "cannot connect" in bot.err
    assert "Traceback" not in bot.err


async def test_who_is_refused_says_so() -> None:
    async with listening() as (_, come):
        async with sdk("call", "wrong", come.url) as bot:
            assert await bot.ended() == 1
        assert "bad_token" in bot.err
        assert "Traceback" not in bot.err


async def test_who_is_replaced_does_not_come_back() -> None:
    async with listening() as (house, come):
        player = house.players.add(Player("call", "c"))
        async with sdk("call", "c", come.url) as first:
            await until(lambda: player.connection is not None)
            async with sdk("call", "c", come.url):
                assert await first.ended() == 1
                assert "replaced" in first.err
                await until(lambda: player.connection is not None)


async def test_a_server_that_is_gone_is_not_waited_for_without_end() -> None:
    async with listening() as (house, come):
        player = house.players.add(Player("call", "c"))
        bot_context = sdk("call", "c", come.url, POKERD_MANAGED="1")
        bot: Program = await bot_context.__aenter__()
        await until(lambda: player.connection is not None)
        cut(player.connection)
        await come.shut()
    assert await bot.ended() == 1
    await bot_context.__aexit__(None, None, None)


async def test_a_server_that_shuts_down_says_so() -> None:
    async with listening() as (house, come):
        player = house.players.add(Player("call", "c"))
        async with sdk("call", "c", come.url) as bot:
            await until(lambda: player.connection is not None)
            house.close()
            assert await bot.ended() == 1
            assert "shutting_down" in bot.err


async def test_an_interrupt_ends_a_bot_quietly() -> None:
    async with listening() as (house, come):
        player = house.players.add(Player("call", "c"))
        async with sdk("call", "c", come.url) as bot:
            await until(lambda: player.connection is not None)
            bot.process.send_signal(signal.SIGINT)
            assert await bot.ended() == 130
            assert "Traceback" not in bot.err


async def test_a_bug_ends_a_bot_with_its_traceback(tmp_path: Path) -> None:
    script = tmp_path / "buggy.py"
    script.write_text(
        "from pokerd_bot import Bot, run\n"
        "class Buggy(Bot):\n"
        "    def act(self, turn):\n"
        "        return turn.no_such_thing\n"
        "raise SystemExit(run(Buggy))\n"
    )
    async with listening() as (house, come):
        actor = at_table(house, [Player("buggy", "b"), Player("me", "m")], clock=Clock(60.0, 0.0))
        async with program(str(script), POKERD_URL=come.url, POKERD_TOKEN="b") as bot, come(JSON) as remote:
            await remote.say("hello", name="me", token="m")
            await remote.say("ready", table="m")
            playing = asyncio.create_task(remote.play(hands=10**6))
            assert await bot.ended() == 1
            playing.cancel()
            await asyncio.wait([playing])
        assert "Traceback" in bot.err
        assert "no_such_thing" in bot.err
        await until(lambda: actor.seats[0].incidents["disconnect"] == 1)


async def test_a_refused_action_falls_back_or_is_corrected(tmp_path: Path) -> None:
    script = tmp_path / "daring.py"
    script.write_text(
        "import sys\n"
        "from pokerd_bot import Bot, run\n"
        "class Daring(Bot):\n"
        "    def act(self, turn):\n"
        "        return turn.raise_to(1)\n"
        "class Corrected(Daring):\n"
        "    def refused(self, turn, error):\n"
        "        return turn.raise_min()\n"
        "raise SystemExit(run(Corrected if '--json' in sys.argv else Daring))\n"
    )
    for option in ((), ("--json",)):
        async with listening() as (house, come):
            recorded = Kept()
            players = [Player("daring", "d"), Player("me", "m")]
            actor: TableActor = at_table(house, players, hands=6, recorder=recorded)
            async with (
                program(str(script), *option, POKERD_URL=come.url, POKERD_TOKEN="d"),
                come(JSON) as remote,
            ):
                await remote.say("hello", name="me", token="m")
                await remote.play(hands=10**6)
                await until(partial(is_over, actor))
            own = [
                event
                for hand in recorded.hands
                for event in hand
                if isinstance(event, ActedEvent) and event.seat == 0
            ]
            assert actor.seats[0].incidents == {"illegal_action": len(own)}
            assert {event.action for event in own} <= ({"raise", "call"} if option else {"call", "fold"})
            assert any(event.action == "raise" for event in own) == bool(option)


class Kept:
    """A recorder that keeps the hands."""

    def __init__(self) -> None:
        self.hands: list[list[Any]] = []

    def record_hand(self, events: Any) -> None:
        self.hands.append(list(events))
